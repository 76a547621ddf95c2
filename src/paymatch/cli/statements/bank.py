"""Commands for connections to banks."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

import typer

from paymatch.cli.context import command, opened, settings, show
from paymatch.cli.shops import AsJson, ShopArgument
from paymatch.clock import utc_now
from paymatch.outbound.bank_channel import FintsAccess, FintsChannel
from paymatch.store.statements.bank_connections import ConnectionRow
from paymatch.usecases import shops
from paymatch.usecases.statements import bank_connections as use

bank_app = typer.Typer(help="Connections to banks (FinTS): add, list, fetch, remove.", no_args_is_help=True)
_COLUMNS = ("file", "format", "entries", "sumCredit", "sumDebit", "currency", "new", "known", "matched", "pending")


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    app.add_typer(bank_app, name="bank")


@bank_app.command()
@command
def add(
    shop: ShopArgument,
    account: Annotated[str, typer.Option(help="IBAN of the account.")],
    bank_code: Annotated[str, typer.Option(help="Bank code (BLZ) of eight digits.")],
    server: Annotated[str, typer.Option(help="URL of the bank's FinTS server.")],
    user: Annotated[str, typer.Option(help="User at the bank. The PIN is asked for at each fetch.")],
    tan_mechanism: Annotated[str, typer.Option(help="Number of the TAN mechanism; by default the bank's first.")] = "",
    tan_medium: Annotated[str, typer.Option(help="Name of the TAN medium, where there are several.")] = "",
    consent_until: Annotated[
        datetime | None, typer.Option(formats=["%Y-%m-%d"], help="Last day of the consent, if you know it.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Adds a connection to a bank."""
    until = consent_until.date() if consent_until else None
    row = ConnectionRow(account, bank_code, server, user, tan_mechanism, tan_medium, consent_until=until)
    with opened() as database:
        result = use.add(database, shops.find(database, shop), row)
    show(result, as_json=as_json)


@bank_app.command("list")
@command
def list_(shop: ShopArgument, as_json: AsJson = False) -> None:
    """The shop's connections."""
    with opened() as database:
        rows = use.list_connections(database, shops.find(database, shop))
    show(rows, as_json=as_json, columns=("account", "bankCode", "server", "user", "consentUntil", "lastFetchedAt"))


@bank_app.command()
@command
def fetch(
    shop: ShopArgument,
    account: Annotated[str, typer.Option(help="By default every account with a connection.")] = "",
    as_json: AsJson = False,
) -> None:
    """Fetches statements from the bank and imports them. Asks for PIN (or PAYMATCH_FINTS_PIN) and TAN."""
    with opened() as database:
        found = use.fetch(database, shops.find(database, shop), account, _open_channel, utc_now())
    rows = [report for each in found for report in each.reports]
    show(rows, as_json=as_json, columns=_COLUMNS)
    errors = [f"{each.account}: {each.refused}" for each in found if each.refused]
    errors += [f"{row['file']}: {row['error']}" for row in rows if "error" in row]
    for error in errors:
        typer.echo(f"Error: {error}", err=True)
    if errors:
        raise typer.Exit(1)


@bank_app.command()
@command
def remove(
    shop: ShopArgument, account: Annotated[str, typer.Argument(metavar="ACCOUNT")], as_json: AsJson = False
) -> None:
    """Forgets a connection; what was imported stays."""
    with opened() as database:
        result = use.remove(database, shops.find(database, shop), account)
    show(result, as_json=as_json)


def _open_channel(row: ConnectionRow) -> FintsChannel:
    access = FintsAccess(
        row.bank_code, row.server_url, row.user, row.system_id, row.tan_mechanism, row.tan_medium
    )  # fmt: skip
    known = settings().fints_pin

    def ask_pin() -> str:
        if known is not None:
            return known.get_secret_value()
        return str(typer.prompt(f"PIN of {row.user} for account {row.account}", hide_input=True, err=True))

    return FintsChannel(access, ask_pin, settings().fints_product_id, _ask_tan)


def _ask_tan(challenge: str, decoupled: bool) -> str:
    typer.echo(challenge, err=True)
    if decoupled:
        typer.prompt("Confirm it in the bank's app, then press Enter", default="", show_default=False, err=True)
        return ""
    return str(typer.prompt("TAN", err=True))
