"""Commands for alerts."""

from __future__ import annotations

from typing import Annotated

import typer

from paymatch.cli.context import command, opened, show
from paymatch.cli.shops import AsJson, ShopArgument
from paymatch.clock import utc_now
from paymatch.store.database import ShopId
from paymatch.usecases import shops
from paymatch.usecases.work import alerts as use

alert_app = typer.Typer(help="Alerts: resolve.", no_args_is_help=True)
_COLUMNS = ("id", "kind", "text", "raisedAt", "resolvedAt")


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    app.command()(alerts)
    app.add_typer(alert_app, name="alert")


@command
def alerts(
    shop: ShopArgument,
    every: Annotated[bool, typer.Option("--all", help="Closed ones too.")] = False,
    as_json: AsJson = False,
) -> None:
    """What a person must look at: missing statements, payments never confirmed, silent accounts, unreadable entries."""
    with opened() as database:
        found = shops.find(database, shop)
        with database.transaction(ShopId(found.id)) as tx:
            use.keep_alerts(tx, found, utc_now())
        rows = use.list_alerts(database, found, with_resolved=every)
    show(rows, as_json=as_json, columns=_COLUMNS)


@alert_app.command("resolve")
@command
def resolve(
    shop: ShopArgument, alert_id: Annotated[str, typer.Argument(metavar="ALERT_ID")], as_json: AsJson = False
) -> None:
    """Closes an alert by hand: it is not raised again."""
    with opened() as database:
        result = use.resolve(database, shops.find(database, shop), alert_id, utc_now())
    show(result, as_json=as_json)
