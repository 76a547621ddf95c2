"""Commands for the shop's bank accounts."""

from __future__ import annotations

from typing import Annotated

import typer

from paymatch.cli.context import command, opened, show
from paymatch.cli.shops import AsJson, ShopArgument
from paymatch.clock import utc_now
from paymatch.usecases import shops
from paymatch.usecases.statements import accounts as use

account_app = typer.Typer(help="Bank accounts: list, add, confirm.", no_args_is_help=True)
AccountArgument = Annotated[str, typer.Argument(metavar="ACCOUNT", help="IBAN or account number.")]


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    app.add_typer(account_app, name="account")


@account_app.command("list")
@command
def list_(shop: ShopArgument, as_json: AsJson = False) -> None:
    """The shop's accounts; those that came with a statement wait to be confirmed."""
    with opened() as database:
        rows = use.list_accounts(database, shops.find(database, shop))
    show(rows, as_json=as_json, columns=("account", "currency", "bankName", "holder", "confirmed", "csvMapping"))


@account_app.command()
@command
def add(
    shop: ShopArgument,
    account: AccountArgument,
    currency: Annotated[str, typer.Option(help="By default the shop's.")] = "",
    as_json: AsJson = False,
) -> None:
    """Registers an account of the shop."""
    with opened() as database:
        result = use.add(database, shops.find(database, shop), account, currency, utc_now())
    show(result, as_json=as_json)


@account_app.command()
@command
def confirm(shop: ShopArgument, account: AccountArgument, as_json: AsJson = False) -> None:
    """Confirms that an account that came with a statement is the shop's own."""
    with opened() as database:
        result = use.confirm(database, shops.find(database, shop), account)
    show(result, as_json=as_json)
