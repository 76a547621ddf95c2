"""Commands for connections to banks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from paymatch.cli.arguments import DAY, AsJson, ShopArgument, Yes, read_day
from paymatch.cli.context import command, confirm, opened_shop, settings, show, tell_error
from paymatch.cli.listing import Row, lists
from paymatch.cli.loading import new_group
from paymatch.cli.statements.account_information import account_information_app
from paymatch.cli.statements.ebics import ebics_app
from paymatch.cli.terminal import plain_text
from paymatch.clock import utc_now

if TYPE_CHECKING:
    from paymatch.domain.bank_feeds.fints import BankQuestion, BankQuestionKind
    from paymatch.outbound.bank_channel import FintsChannel
    from paymatch.store.statements.bank_connections import ConnectionRow

bank_app = new_group("Connections to banks: add, list, fetch, remove, ebics, account-information.")
bank_app.add_typer(ebics_app, name="ebics")
bank_app.add_typer(account_information_app, name="account-information")
_COLUMNS = ("file", "format", "entries", "sumCredit", "sumDebit", "currency", "new", "known", "matched", "pending")


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
    consent_until: Annotated[str, typer.Option(metavar=DAY, help="Last day of the consent, if you know it.")] = "",
    as_json: AsJson = False,
) -> None:
    """Add a connection to a bank."""
    from paymatch.store.statements.bank_connections import ConnectionRow
    from paymatch.usecases.statements import bank_connections as use

    until = read_day(consent_until)
    row = ConnectionRow(account, bank_code, server, user, tan_mechanism, tan_medium, consent_until=until)
    with opened_shop(shop) as (database, found):
        result = use.add(database, found, row)
    show(result, as_json=as_json)


@bank_app.command("list")
@lists("account", "bankCode", "server", "user", "consentUntil", "lastFetchedAt")
def list_(shop: ShopArgument) -> Iterable[Row]:
    """List the shop's connections."""
    from paymatch.usecases.statements import bank_connections as use

    with opened_shop(shop) as (database, found):
        return use.list_connections(database, found)


@bank_app.command()
@command
def fetch(
    shop: ShopArgument,
    account: Annotated[str, typer.Option(help="By default every account with a connection.")] = "",
    as_json: AsJson = False,
) -> None:
    """Fetch statements from the bank and import them. Asks for PIN (or PAYMATCH_FINTS_PIN) and TAN."""
    from paymatch.usecases.statements import bank_connections as use

    with opened_shop(shop) as (database, found):
        fetched = use.fetch(database, found, account, _open_channel, utc_now())
    rows = [report for each in fetched for report in each.reports]
    show(rows, as_json=as_json, columns=_COLUMNS)
    errors = [f"{each.account}: {each.refused}" for each in fetched if each.refused]
    errors += [f"{row['file']}: {row['error']}" for row in rows if "error" in row]
    for error in errors:
        tell_error(error, as_json=as_json)
    if errors:
        raise typer.Exit(1)


@bank_app.command()
@command
def remove(
    shop: ShopArgument,
    account: Annotated[str, typer.Argument(metavar="ACCOUNT")],
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Remove a connection; what was imported stays."""
    from paymatch.usecases.statements import bank_connections as use

    with opened_shop(shop) as (database, found):
        confirm(f"Remove the connection of account {account}?", yes=yes)
        result = use.remove(database, found, account)
    show(result, as_json=as_json)


def _open_channel(row: ConnectionRow) -> FintsChannel:
    from paymatch.outbound.bank_channel import FintsChannel
    from paymatch.outbound.fints.access import LIMITS
    from paymatch.outbound.http import HttpClient
    from paymatch.usecases.fints.gateway import access_of

    door = HttpClient(allow_private=True, limits=LIMITS)
    return FintsChannel(access_of(row), _PersonAtTerminal(row), settings().fints_product_id, door)


class _PersonAtTerminal:
    """Answers the bank on the terminal; without a way in the connection, TANs come by the library's first."""

    def __init__(self, row: ConnectionRow) -> None:
        self._row = row

    def pin(self) -> str:
        known = settings().fints_pin
        if known is not None:
            return known.get_secret_value()
        return str(typer.prompt(f"PIN of {self._row.user} for account {self._row.account}", hide_input=True, err=True))

    def tan(self, question: BankQuestion, wait_seconds: int) -> str:
        from paymatch.domain.bank_feeds.fints import BankQuestionKind
        from paymatch.domain.words.message import Message
        from paymatch.outbound.fints.access import BankRefused

        if question.picture:
            raise BankRefused(Message("bank-shows-image-tan-choose"))
        typer.echo(plain_text(question.text, lines=True), err=True)
        if question.kind is BankQuestionKind.APP:
            typer.prompt("Confirm it in the bank's app, then press Enter", default="", show_default=False, err=True)
            return ""
        return str(typer.prompt("TAN", err=True))

    def choose(self, kind: BankQuestionKind, options: Mapping[str, str]) -> str:
        return ""
