"""Commands for postings: list, match, unmatch, ignore, unignore, set aside."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from paymatch.cli.arguments import AsJson, ShopArgument, Yes
from paymatch.cli.context import command, opened_shop, shop_transaction, show, whole_id
from paymatch.cli.listing import Row, lists
from paymatch.cli.statements.showing import (
    parts_of,
    posting_lines,
    read_parts,
    suggestion_lines,
    too_much_lines,
)
from paymatch.clock import utc_now
from paymatch.domain.shops.shop import SettingRefused
from paymatch.domain.words.message import Message

if TYPE_CHECKING:
    from paymatch.domain.money import Currency
    from paymatch.domain.shops.shop import Shop
    from paymatch.store.database import Database
    from paymatch.store.orders.order_list import ListedOrder
    from paymatch.usecases.matching.assigning import Part, TooMuch, Withheld

PostingArgument = Annotated[str, typer.Argument(metavar="POSTING_ID", help="Id of the posting, or its beginning.")]


@lists("id", "bookingDate", "amount", "currency", "originator", "text", "status", "orders", "why")
def postings(
    shop: ShopArgument,
    status: Annotated[list[str] | None, typer.Option(help="matched, suggested, unmatched or ignored.")] = None,
    as_json: bool = False,
) -> Iterator[Row]:
    """List postings with what was decided and why."""
    from paymatch.cli.arguments import read_states
    from paymatch.domain.postings import PostingStatus
    from paymatch.store.statements.posting_report import report

    wanted = tuple(str(each) for each in read_states(status, PostingStatus))
    with shop_transaction(shop) as tx:
        for row in report(tx, wanted):
            yield row if as_json else row | {"orders": _orders_of(row), "why": _why(row)}


def _orders_of(row: Row) -> list[str]:
    """What the posting credits to which order: `A-1001 49.90`, and what its payer kept."""
    return [
        f"{each['orderNumber']} {each['amount']}" + (f" less {each['fee']}" if "fee" in each else "")
        for each in row["allocations"]
    ]


def _why(row: Row) -> str:
    """The reasons of the decision, or why there is none."""
    return row["heldBack"] or "; ".join(each["words"] for each in row.get("evidence", ()))


@command
def match(
    shop: ShopArgument,
    posting: PostingArgument,
    parts: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="ORDER[=AMOUNT[+FEE]]", help="Orders, with amounts to split and what was withheld of each."
        ),
    ] = None,
    fee: Annotated[
        str, typer.Option(metavar="AMOUNT", help="What the payer kept of all; `rest`: all that is missing.")
    ] = "",
    fee_kind: Annotated[
        str, typer.Option(metavar="KIND", help="commission, delivery-fee, payment-fee, bank-charge or cash-discount.")
    ] = "",
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Match a posting to orders by hand; without orders, its suggestions are shown and one is asked for.

    In a shell, write an order number that begins with # in quotes.
    """
    from paymatch.domain.money import currency_of
    from paymatch.usecases.matching import assigning

    with opened_shop(shop) as (database, found):
        row = posting_of(database, found, posting)
        if fee and not parts:
            raise SettingRefused(Message("setting-name-orders-fee-was"))
        wanted = read_parts(parts, row["currency"]) if parts else _choose_parts(database, found, row, yes=yes)
        withheld = _withheld(fee, fee_kind, currency_of(row["currency"]))
        _warn(assigning.overpaid_by(database, found, row["id"], wanted, withheld), yes=yes or as_json)
        numbers = assigning.match(database, found, row["id"], wanted, utc_now(), withheld)
    show({"posting": row["id"], "orders": numbers}, as_json=as_json)


def posting_of(database: Database, shop: Shop, text: str) -> dict[str, Any]:
    """The posting of an id or its beginning as it is listed; AssignmentRefused if there is none."""
    from paymatch.domain.orders.split import AssignmentRefused
    from paymatch.store.statements.posting_report import report

    with database.of_shop(shop) as tx:
        posting_id = whole_id(tx, "postings", text)
        found = list(report(tx, posting_id=posting_id))
    if not found:
        raise AssignmentRefused(Message("no-posting", posting=repr(posting_id)))
    return found[0]


def orders_named(database: Database, shop: Shop, posting: Row) -> dict[str, ListedOrder]:
    """The orders that the suggestions of a posting name."""
    from paymatch.store.orders import order_list

    numbers = {each["orderNumber"] for suggestion in posting["suggestions"] for each in suggestion["allocations"]}
    with database.of_shop(shop) as tx:
        found = [order_list.find(tx, number) for number in sorted(numbers)]
    return {order.number: order for order in found if order is not None}


def _choose_parts(database: Database, shop: Shop, posting: Row, *, yes: bool) -> list[Part]:
    """The parts of the suggestion that a person picks; with `--yes` those of the first."""
    from paymatch.domain.orders.split import AssignmentRefused

    suggestions = posting["suggestions"]
    if not suggestions:
        raise AssignmentRefused(Message("assign-no-suggestion", posting=repr(posting["id"])))
    if yes:
        return parts_of(suggestions[0], posting["currency"])
    lines = [*posting_lines(posting), *suggestion_lines(posting, orders_named(database, shop, posting))]
    typer.echo("\n".join(lines), err=True)
    if not sys.stdin.isatty():
        raise SettingRefused(Message("setting-name-orders-add-yes"))
    place: int = typer.prompt("Which suggestion", type=int, err=True)
    if not 1 <= place <= len(suggestions):
        raise SettingRefused(Message("setting-unknown-suggestion", place=place))
    return parts_of(suggestions[place - 1], posting["currency"])


def _warn(found: Sequence[TooMuch], *, yes: bool) -> None:
    """Says which orders a match would pay too much, and asks on a terminal whether it is meant."""
    lines = too_much_lines(found)
    for line in lines:
        typer.echo(f"Warning: {line}", err=True)
    if lines and not yes and sys.stdin.isatty():
        typer.confirm("Match anyway?", abort=True, err=True)


def _withheld(fee: str, kind: str, currency: Currency) -> Withheld:
    """What the payer kept of all orders together, as the options say."""
    from paymatch.domain.money import text_to_minor
    from paymatch.domain.orders.fees import KEPT_KINDS, FeeKind
    from paymatch.usecases.matching.assigning import Withheld

    name = kind.upper().replace("-", "_")
    if name and name not in KEPT_KINDS:
        kinds = ", ".join(each.lower().replace("_", "-") for each in KEPT_KINDS)
        raise SettingRefused(Message("setting-no-fee-kind", kind=repr(kind), kinds=kinds))
    minor = None if fee.lower() == "rest" else text_to_minor(fee, currency) if fee else 0
    return Withheld(minor, FeeKind(name) if name else None)


@command
def unmatch(shop: ShopArgument, posting: PostingArgument, as_json: AsJson = False) -> None:
    """Undo the match of a posting; it waits for a decision by hand."""
    from paymatch.usecases.matching import assigning

    with opened_shop(shop) as (database, found):
        posting_id = posting_of(database, found, posting)["id"]
        numbers = assigning.unmatch(database, found, posting_id, utc_now())
    show({"posting": posting_id, "orders": numbers}, as_json=as_json)


@command
def ignore(
    shop: ShopArgument,
    posting: PostingArgument,
    reason: Annotated[str, typer.Option(help="Why it is not an order payment.")] = "",
    as_json: AsJson = False,
) -> None:
    """Mark a posting as not being an order payment; `paymatch unignore` undoes it."""
    from paymatch.usecases.matching import assigning

    with opened_shop(shop) as (database, found):
        posting_id = posting_of(database, found, posting)["id"]
        assigning.ignore(database, found, posting_id, reason, utc_now())
    show({"posting": posting_id, "status": "ignored"}, as_json=as_json)


@command
def unignore(shop: ShopArgument, posting: PostingArgument, as_json: AsJson = False) -> None:
    """Return an ignored or set-aside posting to matching."""
    from paymatch.usecases.matching import assigning

    with opened_shop(shop) as (database, found):
        posting_id = posting_of(database, found, posting)["id"]
        assigning.reconsider(database, found, posting_id, utc_now())
        row = posting_of(database, found, posting_id)
    show({"posting": posting_id, "status": row["status"]}, as_json=as_json)


@command
def set_aside(
    shop: ShopArgument,
    posting: PostingArgument,
    reason: Annotated[str, typer.Option(help="What the posting waits for.")],
    as_json: AsJson = False,
) -> None:
    """Set a posting aside, with a reason; matching skips it until `paymatch unignore`."""
    from paymatch.usecases.matching import assigning

    with opened_shop(shop) as (database, found):
        posting_id = posting_of(database, found, posting)["id"]
        assigning.set_aside(database, found, posting_id, reason, utc_now())
    show({"posting": posting_id, "status": "unmatched", "reason": reason}, as_json=as_json)
