"""Commands for synchronisations of the open orders: list, undo (D-38)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Final

import typer

from paymatch.cli.arguments import AsJson, ShopArgument
from paymatch.cli.context import command, shop_transaction, show, whole_id
from paymatch.cli.listing import Row, lists
from paymatch.cli.loading import new_group

_NAMED: Final = 10

ordersync_app = new_group("Synchronisations of the open orders: list, undo.")


@ordersync_app.command("list")
@lists("id", "at", "listed", "openBefore", "legacy", "revived", "undone")
def list_synchronisations(shop: ShopArgument) -> Iterable[Row]:
    """List the synchronisations of the last 30 days that changed something, latest first."""
    from paymatch.usecases.orders.synchronisation import latest

    with shop_transaction(shop) as tx:
        return latest(tx)


@ordersync_app.command("undo")
@command
def undo_synchronisation(
    shop: ShopArgument,
    sync: Annotated[str, typer.Argument(metavar="SYNC_ID", help="Id of the synchronisation.")],
    as_json: AsJson = False,
) -> None:
    """Restore the statuses that orders had before a synchronisation; orders changed since then stay as they are."""
    from paymatch.usecases.orders.synchronisation import undo

    with shop_transaction(shop) as tx:
        done = undo(tx, whole_id(tx, "order_syncs", sync))
    show(done if as_json else {name: _shorten_numbers(value) for name, value in done.items()}, as_json=as_json)


def _shorten_numbers(value: Any) -> Any:
    """A list of order numbers as its first ten and how many more there are; everything else as it is."""
    if not isinstance(value, list) or len(value) <= _NAMED:
        return value
    return f"{', '.join(value[:_NAMED])} and {len(value) - _NAMED} more (all with --json)"
