"""Commands for postings: list, match, unmatch, ignore, set aside."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from paymatch.cli.arguments import AsJson, ShopArgument
from paymatch.cli.context import command, opened_shop, shop_transaction, show
from paymatch.cli.listing import Row, lists
from paymatch.clock import utc_now
from paymatch.domain.shops.shop import SettingRefused

if TYPE_CHECKING:
    from paymatch.domain.money import Currency
    from paymatch.usecases.matching.assigning import Part, Withheld

PostingArgument = Annotated[str, typer.Argument(metavar="POSTING_ID", help="Id of the posting.")]
STATUSES = ("matched", "suggested", "unmatched", "ignored")


@lists("id", "bookingDate", "amount", "currency", "originator", "text", "status", "allocations")
def postings(
    shop: ShopArgument,
    status: Annotated[list[str] | None, typer.Option(help="matched, suggested, unmatched or ignored.")] = None,
) -> Iterator[Row]:
    """List postings with what was decided and why."""
    from paymatch.store.database import ShopId
    from paymatch.store.statements.posting_report import report

    wanted = tuple(each.lower() for each in status or ())
    for each in wanted:
        if each not in STATUSES:
            raise SettingRefused(f"There is no status {each!r}: {', '.join(STATUSES)}")
    with shop_transaction(shop) as (tx, found):
        yield from report(tx, ShopId(found.id), wanted)


@command
def match(
    shop: ShopArgument,
    posting: PostingArgument,
    parts: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[ORDER[=AMOUNT[+FEE]]...]", help="Orders, with amounts to split and what was withheld of each."
        ),
    ] = None,
    fee: Annotated[
        str, typer.Option(metavar="AMOUNT", help="What the payer kept of all; `rest`: all that is missing.")
    ] = "",
    fee_kind: Annotated[
        str, typer.Option(metavar="KIND", help="commission, delivery-fee, payment-fee, bank-charge or cash-discount.")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Match a posting to orders by hand; without orders, the first suggestion is confirmed."""
    from paymatch.usecases.matching import assigning

    with opened_shop(shop) as (database, found):
        currency = assigning.currency_of(database, found, posting)
        if parts:
            wanted = [_part(text, currency) for text in parts]
        elif fee:
            raise SettingRefused("Name the orders that the fee was withheld from")
        else:
            wanted = assigning.first_suggestion(database, found, posting)
        withheld = _withheld(fee, fee_kind, currency)
        numbers = assigning.match(database, found, posting, wanted, utc_now(), withheld)
    show({"posting": posting, "orders": numbers}, as_json=as_json)


def _part(text: str, currency: Currency) -> Part:
    """`1833`, `1833=20.00` or `1833=18.00+2.00`; what follows the last `=` is an amount only if it reads as one."""
    from paymatch.domain.money import AmountUnreadable, text_to_minor
    from paymatch.usecases.matching.assigning import Part

    number, equals, amount = text.rpartition("=")
    if equals:
        try:
            own, _, fee = amount.partition("+")
            return Part(number, text_to_minor(own, currency), text_to_minor(fee, currency) if fee else 0)
        except AmountUnreadable:
            pass
    return Part(text)


def _withheld(fee: str, kind: str, currency: Currency) -> Withheld:
    """What the payer kept of all orders together, as the options say."""
    from paymatch.domain.money import text_to_minor
    from paymatch.domain.orders.fees import FeeKind
    from paymatch.usecases.matching.assigning import Withheld

    name = kind.upper().replace("-", "_")
    if name and name not in set(FeeKind):
        kinds = ", ".join(each.lower().replace("_", "-") for each in FeeKind)
        raise SettingRefused(f"There is no fee kind {kind!r}: {kinds}")
    minor = None if fee.lower() == "rest" else text_to_minor(fee, currency) if fee else 0
    return Withheld(minor, FeeKind(name) if name else None)


@command
def unmatch(shop: ShopArgument, posting: PostingArgument, as_json: AsJson = False) -> None:
    """Undo the match of a posting; it waits for a decision by hand."""
    from paymatch.usecases.matching import assigning

    with opened_shop(shop) as (database, found):
        numbers = assigning.unmatch(database, found, posting, utc_now())
    show({"posting": posting, "orders": numbers}, as_json=as_json)


@command
def ignore(
    shop: ShopArgument,
    posting: PostingArgument,
    reason: Annotated[str, typer.Option(help="Why it is not an order payment.")] = "",
    as_json: AsJson = False,
) -> None:
    """Mark a posting as not being an order payment."""
    from paymatch.usecases.matching import assigning

    with opened_shop(shop) as (database, found):
        assigning.ignore(database, found, posting, reason, utc_now())
    show({"posting": posting, "status": "ignored"}, as_json=as_json)


@command
def set_aside(
    shop: ShopArgument,
    posting: PostingArgument,
    reason: Annotated[str, typer.Option(help="What the posting waits for.")],
    as_json: AsJson = False,
) -> None:
    """Let a posting wait, with a reason; matching skips it."""
    from paymatch.usecases.matching import assigning

    with opened_shop(shop) as (database, found):
        assigning.set_aside(database, found, posting, reason, utc_now())
    show({"posting": posting, "status": "unmatched", "reason": reason}, as_json=as_json)
