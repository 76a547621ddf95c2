"""Commands for alerts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import typer

from paymatch.cli.arguments import AsJson, ShopArgument
from paymatch.cli.context import command, opened_shop, show, whole_id
from paymatch.cli.listing import Row, lists
from paymatch.cli.loading import new_group
from paymatch.clock import utc_now

alert_app = new_group("Alerts: resolve.")


@lists("id", "level", "kind", "text", "raisedAt", "resolvedAt")
def alerts(
    shop: ShopArgument, every: Annotated[bool, typer.Option("--all", help="Also those that are closed.")] = False
) -> Iterable[Row]:
    """List what a person must look at: missing statements, silent accounts, unreadable entries ..."""
    from paymatch.usecases.work import alerts as use

    with opened_shop(shop) as (database, found):
        with database.of_shop(found) as tx:
            use.keep_alerts(tx)
        return use.list_alerts(database, found, with_resolved=every)


@alert_app.command("resolve")
@command
def resolve(
    shop: ShopArgument, alert_id: Annotated[str, typer.Argument(metavar="ALERT_ID")], as_json: AsJson = False
) -> None:
    """Close an alert by hand: it is not raised again."""
    from paymatch.usecases.work import alerts as use

    with opened_shop(shop) as (database, found):
        with database.of_shop(found) as tx:
            whole = whole_id(tx, "alerts", alert_id)
        result = use.resolve(database, found, whole, utc_now())
    show(result, as_json=as_json)
