"""Commands for synchronisations of the open orders: list, undo (D-38)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import typer

from paymatch.cli.arguments import AsJson, ShopArgument
from paymatch.cli.context import command, shop_transaction, show
from paymatch.cli.listing import Row, lists
from paymatch.cli.loading import new_group
from paymatch.clock import utc_now

ordersync_app = new_group("Synchronisations of the open orders: list, undo.")


@ordersync_app.command("list")
@lists("id", "at", "listed", "openBefore", "legacy", "revived", "undone")
def list_synchronisations(shop: ShopArgument) -> Iterable[Row]:
    """List the synchronisations of the last 30 days that changed something, latest first."""
    from paymatch.usecases.orders.synchronisation import latest

    with shop_transaction(shop) as (tx, found):
        return latest(tx, found, utc_now())


@ordersync_app.command("undo")
@command
def undo_synchronisation(
    shop: ShopArgument,
    sync: Annotated[str, typer.Argument(help="Id of the synchronisation.", metavar="ID")],
    as_json: AsJson = False,
) -> None:
    """Restore the statuses that orders had before a synchronisation; orders changed since then stay as they are."""
    from paymatch.usecases.orders.synchronisation import undo

    with shop_transaction(shop) as (tx, found):
        done = undo(tx, found, sync, utc_now())
    show(done, as_json=as_json)
