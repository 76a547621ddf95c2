"""Commands for collection: agency, token, handover, withdraw, list, show, import, rates, add-rate (D-54)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Final

import typer

from paymatch.cli.arguments import AsJson, ShopArgument, Yes
from paymatch.cli.context import command, confirm, opened_shop, shop_transaction, show
from paymatch.cli.listing import Row, lists
from paymatch.cli.loading import new_group
from paymatch.cli.terminal import plain_text
from paymatch.clock import utc_now
from paymatch.domain.collection.cases import CollectionRefused
from paymatch.domain.words.message import Message

collection_app = new_group("Collection: agency, token, handover, withdraw, list, show, import, rates, add-rate.")
MOST_OVERLAP_HOURS: Final = 720
OrderArgument = Annotated[str, typer.Argument(metavar="ORDER", help="Number of the order.")]


@collection_app.command()
@command
def agency(
    shop: ShopArgument,
    pairs: Annotated[
        list[str] | None,
        typer.Argument(metavar="KEY=VALUE", help='name="Agency Ltd" channel=folder after-days=14 interest=on ...'),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show or change the shop's agency: name, channel (folder, mail, http), address, customer-number, after-days,
    interest, lump-sum."""
    from paymatch.usecases.collection.cases import set_agency

    wanted: dict[str, str] = {}
    for pair in pairs or ():
        name, equals, value = pair.partition("=")
        if not equals:
            raise CollectionRefused(Message("collection-not-key-value", pair=repr(pair)))
        wanted[name] = value
    with shop_transaction(shop) as tx:
        settings = set_agency(tx, wanted)
    show(settings, as_json=as_json)


@collection_app.command()
@command
def token(
    shop: ShopArgument,
    overlap: Annotated[int, typer.Option(metavar="HOURS", help="How long the previous token is still accepted.")] = 24,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Create a new token for the agency, with which it sends reports and verifies our calls. It is shown only once."""
    from paymatch.usecases.collection.tokens import roll_token

    if not 0 <= overlap <= MOST_OVERLAP_HOURS:
        raise CollectionRefused(Message("collection-overlap-0-hours", most=MOST_OVERLAP_HOURS))
    with shop_transaction(shop) as tx:
        confirm("Make a new token for the collection agency?", yes=yes)
        made = roll_token(tx, timedelta(hours=overlap))
    show({"token": made}, as_json=as_json)


@collection_app.command()
@command
def handover(shop: ShopArgument, order: OrderArgument, yes: Yes = False, as_json: AsJson = False) -> None:
    """Hand an order over to the agency, with all its documents."""
    from paymatch.usecases.collection import cases

    with shop_transaction(shop) as tx:
        confirm(f"Hand order {order} over to the collection agency?", yes=yes)
        cases.hand_over(tx, order)
        done = cases.details(tx, order)
    show({"orderNumber": done["orderNumber"], "status": done["status"]}, as_json=as_json)


@collection_app.command()
@command
def withdraw(shop: ShopArgument, order: OrderArgument, as_json: AsJson = False) -> None:
    """Withdraw an order from collection; the agency gets a message, and payments decide the status."""
    from paymatch.usecases.collection import cases

    with shop_transaction(shop) as tx:
        cases.withdraw(tx, order)
        done = cases.details(tx, order)
    show({"orderNumber": done["orderNumber"], "status": done["status"]}, as_json=as_json)


@collection_app.command("list")
@lists("orderNumber", "partner", "file", "status", "active", "handedOver", "claim", "open", "currency", "orderStatus")
def list_(
    shop: ShopArgument,
    active: Annotated[bool, typer.Option("--active", help="Only cases that are with the agency.")] = False,
) -> Iterable[Row]:
    """List orders that were handed over, latest first."""
    from paymatch.usecases.collection.cases import list_cases

    with shop_transaction(shop) as tx:
        return list_cases(tx, active_only=active)


@collection_app.command("show")
@command
def show_(
    shop: ShopArgument,
    order: Annotated[str, typer.Argument(metavar="ORDER", help="Number of the order, or its file number.")],
    as_json: AsJson = False,
) -> None:
    """Show a case with its history."""
    from paymatch.usecases.collection.cases import details

    with shop_transaction(shop) as tx:
        case = details(tx, order)
    history = [] if as_json else case.pop("history")
    show(case, as_json=as_json)
    for event in history:
        typer.echo(f"{plain_text(event['at'])} {plain_text(event['description'])}")


@collection_app.command("import")
@command
def import_(
    shop: ShopArgument,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="CSV or JSON (docs/collection.md).", exists=True)],
    as_json: AsJson = False,
) -> None:
    """Read a report of the agency; rows that cannot be accepted are named, and the exit code is 1."""
    from paymatch.usecases.collection.exchange import import_report

    with opened_shop(shop) as (database, found):
        done = import_report(database, found, file.name, file.read_bytes(), utc_now())
    refused = [{"row": place, "error": why} for place, why in done.refused]
    show({"taken": done.taken, "known": done.known, "refused": refused}, as_json=as_json)
    if refused:
        raise typer.Exit(1)


@collection_app.command()
@lists("from", "percent", "source")
def rates(shop: ShopArgument) -> Iterable[Row]:
    """List the base rates for statutory interest, latest first."""
    from paymatch.usecases.collection.base_rates import list_base_rates

    with shop_transaction(shop) as tx:
        return list_base_rates(tx)


@collection_app.command()
@command
def add_rate(
    shop: ShopArgument,
    day: Annotated[str, typer.Argument(metavar="DATE", help="1 January or 1 July from which it applies: 2027-01-01.")],
    percent: Annotated[str, typer.Argument(metavar="PERCENT", help="Per cent a year: 1.27.")],
    as_json: AsJson = False,
) -> None:
    """Add the base rate of a half-year that paymatch does not know yet, or correct one that was added."""
    from paymatch.usecases.collection import base_rates

    with shop_transaction(shop) as tx:
        added = base_rates.add_rate(tx, day, percent)
    show(added, as_json=as_json)
