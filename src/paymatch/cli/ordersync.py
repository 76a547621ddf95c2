"""Commands for synchronisations of the open orders: list, undo (D-38)."""

from __future__ import annotations

from typing import Annotated

import typer

from paymatch.cli.arguments import AsJson, ShopArgument
from paymatch.cli.context import command, shop_transaction, show
from paymatch.clock import utc_now

ordersync_app = typer.Typer(no_args_is_help=True)


@ordersync_app.command("list")
@command
def list_synchronisations(shop: ShopArgument, as_json: AsJson = False) -> None:
    """List the synchronisations of the last 30 days that changed something, latest first."""
    from paymatch.usecases.orders.synchronisation import latest

    with shop_transaction(shop) as (tx, found):
        rows = latest(tx, found, utc_now())
    show(rows, as_json=as_json)


@ordersync_app.command("undo")
@command
def undo_synchronisation(
    shop: ShopArgument,
    sync: Annotated[str, typer.Argument(help="Id of the synchronisation.", metavar="ID")],
    as_json: AsJson = False,
) -> None:
    """Give the orders the status back that they had before a synchronisation; those changed since stay."""
    from paymatch.usecases.orders.synchronisation import undo

    with shop_transaction(shop) as (tx, found):
        done = undo(tx, found, sync, utc_now())
    show(done, as_json=as_json)
