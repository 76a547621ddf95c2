"""Commands of connectors to shop systems."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from paymatch.cli.arguments import DAY, AsJson, ShopArgument, Yes
from paymatch.cli.context import command, confirm, opened_shop, parse_settings, settings, shop_transaction, show
from paymatch.cli.listing import Row, lists
from paymatch.cli.loading import new_group
from paymatch.clock import utc_now
from paymatch.domain.shops.shop import SettingRefused
from paymatch.domain.words.message import Message

if TYPE_CHECKING:
    from paymatch.usecases.connectors.gateways import ConnectorGateways

connector_app = new_group(
    "Connectors to WooCommerce and Shopware 6: add, keys, list, show, test, start, pause, set, run, again, remove."
)
NameArgument = Annotated[
    str,
    typer.Argument(metavar="NAME", help="Name of the connector; by default the only one.", show_default=False),
]
_SHOWN: Final = 50


@connector_app.command()
@command
def add(
    shop: ShopArgument,
    system: Annotated[str, typer.Argument(metavar="SYSTEM", help="woocommerce or shopware.")],
    url: Annotated[str, typer.Option(help="Address of the shop, such as https://shop.example.")],
    name: Annotated[str, typer.Option(help="Name of the connector; by default that of the system.")] = "",
    take_from: Annotated[
        str, typer.Option(metavar=DAY, help="Take orders from this day on; by default 30 days back.")
    ] = "",
    payment_methods: Annotated[
        str, typer.Option(help="Such as bacs=PREPAYMENT,cod=COD; by default the usual ones.")
    ] = "",
    number_prefix: Annotated[str, typer.Option(help="Put before the shop's order numbers.")] = "",
    as_json: AsJson = False,
) -> None:
    """Add a connector, paused. Key and secret are read from standard input, a line each."""
    from paymatch.usecases.connectors import connectors as use

    given = {
        "url": url, "name": name, "take-from": take_from, "payment-methods": payment_methods,
        "number-prefix": number_prefix,
    }  # fmt: skip
    with shop_transaction(shop) as tx:
        made = use.add(tx, system, _secrets(), given)
    show(use.connector_fields(made), as_json=as_json)


@connector_app.command()
@command
def keys(shop: ShopArgument, name: NameArgument = "", as_json: AsJson = False) -> None:
    """Replace key and secret, which are read from standard input, a line each."""
    from paymatch.usecases.connectors import connectors as use

    with shop_transaction(shop) as tx:
        made = use.set_credentials(tx, name, *_secrets())
    show({"name": made.name, "keys": "replaced"}, as_json=as_json)


def _secrets() -> tuple[str, str]:
    """Key and secret: two lines of standard input, or asked for without showing them."""
    if sys.stdin.isatty():
        key = str(typer.prompt("Key", err=True))
        return key, str(typer.prompt("Secret", hide_input=True, err=True))
    lines = [line.strip() for line in sys.stdin.read(4096).splitlines() if line.strip()]
    if len(lines) != 2:
        raise SettingRefused(Message("setting-key-secret-expected-on"))
    return lines[0], lines[1]


@connector_app.command("list")
@lists("name", "system", "status", "url", "lastLookedAt", "nextLookAt", "failures", "lastError")
def list_(shop: ShopArgument) -> Iterable[Row]:
    """List the shop's connectors."""
    from paymatch.usecases.connectors import connectors as use

    with shop_transaction(shop) as tx:
        return [use.connector_fields(row) for row in use.list_connectors(tx)]


@connector_app.command("show")
@command
def show_(shop: ShopArgument, name: NameArgument = "", as_json: AsJson = False) -> None:
    """Show a connector: settings, last fetch, orders with problems, and what was written back."""
    from paymatch.usecases.connectors import connectors as use

    with shop_transaction(shop) as tx:
        whole = use.shown_whole(tx, use.find(tx, name), _SHOWN)
    _show_with(
        whole, {"problems": ("order", "problem"), "written": ("order", "status", "state", "at")}, as_json=as_json
    )


@connector_app.command()
@command
def test(shop: ShopArgument, name: NameArgument = "", as_json: AsJson = False) -> None:
    """Fetch orders from the shop and show which would be imported. Nothing is imported or written."""
    from paymatch.usecases.connectors import connectors as use

    with opened_shop(shop) as (database, found):
        done = use.test(database, found, name, _ways())
    whole = {"total": done.total, "counts": done.counts, "orders": list(done.rows)}
    columns = ("order", "verdict", "type", "method", "amount", "problem")
    _show_with(whole, {"orders": columns}, as_json=as_json)


def _show_with(whole: Mapping[str, Any], tables: Mapping[str, tuple[str, ...]], *, as_json: bool) -> None:
    """The fields of a result, then the lists in it as tables."""
    if as_json:
        show(dict(whole), as_json=True)
        return
    show({key: value for key, value in whole.items() if key not in tables}, as_json=False)
    for key, columns in tables.items():
        if whole[key]:
            show(list(whole[key]), as_json=False, columns=columns, title=key)


@connector_app.command()
@command
def start(shop: ShopArgument, name: NameArgument = "", as_json: AsJson = False) -> None:
    """Start a connector: the worker imports orders from now on."""
    _set_status(shop, name, "active", as_json=as_json)


@connector_app.command()
@command
def pause(shop: ShopArgument, name: NameArgument = "", as_json: AsJson = False) -> None:
    """Pause a connector: nothing is fetched from the shop or written to it."""
    _set_status(shop, name, "paused", as_json=as_json)


def _set_status(shop: str, name: str, status: str, *, as_json: bool) -> None:
    from paymatch.domain.connectors.systems import ConnectorStatus
    from paymatch.usecases.connectors import connectors as use

    with shop_transaction(shop) as tx:
        changed = use.set_status(tx, name, ConnectorStatus(status))
    show({"name": changed.name, "status": str(changed.status)}, as_json=as_json)


@connector_app.command("set")
@command
def set_(
    shop: ShopArgument,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the connector.")],
    pairs: Annotated[
        list[str],
        typer.Argument(
            metavar="KEY=VALUE",
            help="url, payment-methods, take-from, paid-status, number-prefix, poll-minutes, write-back=on|off",
        ),
    ],
    as_json: AsJson = False,
) -> None:
    """Change settings of a connector."""
    from paymatch.usecases.connectors import connectors as use

    with shop_transaction(shop) as tx:
        changed = use.change(tx, name, parse_settings(pairs))
    show(use.connector_fields(changed), as_json=as_json)


@connector_app.command()
@command
def run(shop: ShopArgument, name: NameArgument = "", as_json: AsJson = False) -> None:
    """Fetch changed orders from the shop now, and write back what was paid."""
    from paymatch.domain.shops.shop_jobs import JobRefused
    from paymatch.usecases.connectors import connectors as use
    from paymatch.usecases.connectors.gateways import CONNECTORS
    from paymatch.usecases.work import shop_jobs
    from paymatch.usecases.work.job_kinds import JobGateways
    from paymatch.usecases.work.shop_jobs import JobOutcome

    with opened_shop(shop) as (database, found):
        with database.of_shop(found) as tx:
            row = use.look_now(tx, name)
        ran = shop_jobs.run_now(database, JobGateways(connectors=_ways()), found, CONNECTORS, utc_now)
        with database.of_shop(found) as tx:
            error = use.find(tx, row.name).last_error
    if ran.state is not JobOutcome.DONE or error:
        raise JobRefused(Message("text", value=error) if error else Message("job-not-done", words=ran.words))
    show({"name": row.name, "result": ran.words}, as_json=as_json)


@connector_app.command()
@command
def again(shop: ShopArgument, name: NameArgument = "", as_json: AsJson = False) -> None:
    """Try again to write back what failed."""
    from paymatch.usecases.connectors import connectors as use

    with shop_transaction(shop) as tx:
        count = use.try_again(tx, name)
    show({"orders": count}, as_json=as_json)


@connector_app.command()
@command
def remove(shop: ShopArgument, name: NameArgument = "", yes: Yes = False, as_json: AsJson = False) -> None:
    """Remove a connector and its keys; the imported orders stay."""
    from paymatch.usecases.connectors import connectors as use

    with shop_transaction(shop) as tx:
        row = use.find(tx, name)
        confirm(f"Remove the connector {row.name}?", yes=yes)
        use.remove(tx, row.name)
    show({"name": row.name, "removed": True}, as_json=as_json)


def _ways() -> ConnectorGateways:
    from paymatch.app import connector_ways

    return connector_ways(settings())
