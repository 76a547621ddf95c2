"""Commands for postings: list, match, unmatch, ignore, set aside."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from paymatch.cli.context import command, opened, show
from paymatch.cli.shops import AsJson, ShopArgument
from paymatch.clock import utc_now
from paymatch.domain.money import AmountUnreadable, Currency, text_to_minor
from paymatch.store.database import ShopId
from paymatch.store.statements.posting_report import report
from paymatch.usecases import shops
from paymatch.usecases.matching import assigning
from paymatch.usecases.matching.assigning import AssignmentRefused, Part

PostingArgument = Annotated[str, typer.Argument(metavar="POSTING_ID")]
_COLUMNS = ("id", "bookingDate", "amount", "currency", "originator", "text", "status", "allocations")


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    app.command()(postings)
    app.command()(match)
    app.command()(unmatch)
    app.command()(ignore)
    app.command("set-aside")(set_aside)


@command
def postings(
    shop: ShopArgument,
    status: Annotated[list[str] | None, typer.Option(help="matched, suggested, unmatched or ignored.")] = None,
    as_json: AsJson = False,
) -> None:
    """All postings with what was decided and why."""
    for each in status or ():
        if each not in ("matched", "suggested", "unmatched", "ignored"):
            raise AssignmentRefused(f"There is no status {each!r}: matched, suggested, unmatched or ignored")
    with opened() as database:
        found = shops.find(database, shop)
        with database.transaction(ShopId(found.id)) as tx:
            rows = report(tx, ShopId(found.id), tuple(status or ()))
            if as_json:
                _write_json(rows)
                return
            show(list(rows), as_json=False, columns=_COLUMNS)


def _write_json(rows: object) -> None:
    """A JSON array written as it is read, whatever its length."""
    import msgspec  # noqa: PLC0415  only this answer is long enough to be written piece by piece

    separator = "[\n"
    for row in rows:  # type: ignore[attr-defined]
        sys.stdout.write(separator + msgspec.json.encode(row).decode())
        separator = ",\n"
    sys.stdout.write("[]\n" if separator == "[\n" else "\n]\n")


@command
def match(
    shop: ShopArgument,
    posting: PostingArgument,
    parts: Annotated[
        list[str] | None, typer.Argument(metavar="[ORDER[=AMOUNT]...]", help="Orders, with amounts to split.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Assigns a posting to orders by hand; without orders, the first suggestion is confirmed."""
    with opened() as database:
        found = shops.find(database, shop)
        if parts:
            currency = assigning.currency_of(database, found, posting)
            wanted = [_part(text, currency) for text in parts]
        else:
            wanted = assigning.first_suggestion(database, found, posting)
        numbers = assigning.match(database, found, posting, wanted, utc_now())
    show({"posting": posting, "orders": numbers}, as_json=as_json)


def _part(text: str, currency: Currency) -> Part:
    """`1833` or `1833=20.00`; what follows the last `=` is an amount only if it reads as one."""
    number, equals, amount = text.rpartition("=")
    if equals:
        try:
            return Part(number, text_to_minor(amount, currency))
        except AmountUnreadable:
            pass
    return Part(text)


@command
def unmatch(shop: ShopArgument, posting: PostingArgument, as_json: AsJson = False) -> None:
    """Takes the match of a posting back."""
    with opened() as database:
        numbers = assigning.unmatch(database, shops.find(database, shop), posting, utc_now())
    show({"posting": posting, "orders": numbers}, as_json=as_json)


@command
def ignore(
    shop: ShopArgument,
    posting: PostingArgument,
    reason: Annotated[str, typer.Option(help="Why it is no payment of an order.")] = "",
    as_json: AsJson = False,
) -> None:
    """The posting is no payment of an order."""
    with opened() as database:
        assigning.ignore(database, shops.find(database, shop), posting, reason, utc_now())
    show({"posting": posting, "status": "ignored"}, as_json=as_json)


@command
def set_aside(
    shop: ShopArgument,
    posting: PostingArgument,
    reason: Annotated[str, typer.Option(help="What the posting waits for.")],
    as_json: AsJson = False,
) -> None:
    """The posting waits for something else; the engine leaves it alone."""
    with opened() as database:
        assigning.set_aside(database, shops.find(database, shop), posting, reason, utc_now())
    show({"posting": posting, "status": "unmatched", "reason": reason}, as_json=as_json)
