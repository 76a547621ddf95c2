"""Commands for the shop's bank accounts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import typer

from paymatch.cli.arguments import AsJson, ShopArgument, Yes
from paymatch.cli.context import command, opened_shop, show
from paymatch.cli.context import confirm as ask
from paymatch.cli.listing import Row, lists
from paymatch.cli.loading import new_group
from paymatch.clock import utc_now

account_app = new_group("Bank accounts: list, add, confirm, remove.")
AccountArgument = Annotated[str, typer.Argument(metavar="ACCOUNT", help="IBAN or account number.")]


@account_app.command("list")
@lists("account", "currency", "bankName", "holder", "confirmed", "csvMapping", "provider")
def list_(shop: ShopArgument) -> Iterable[Row]:
    """List the shop's accounts; those that came with a statement wait to be confirmed."""
    from paymatch.usecases.statements import accounts as use

    with opened_shop(shop) as (database, found):
        return use.list_accounts(database, found)


@account_app.command()
@command
def add(
    shop: ShopArgument,
    account: AccountArgument,
    currency: Annotated[str, typer.Option(help="By default the shop's.")] = "",
    provider: Annotated[
        str, typer.Option(help="A payment service or marketplace, as stripe: ACCOUNT is a name of your choice.")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Register an account of the shop: at a bank, or at a payment service or marketplace."""
    from paymatch.usecases.payouts import provider_accounts
    from paymatch.usecases.statements import accounts as use

    with opened_shop(shop) as (database, found):
        if provider:
            result = provider_accounts.add(database, found, provider, account, currency, utc_now())
        else:
            result = use.add(database, found, account, currency, utc_now())
    show(result, as_json=as_json)


@account_app.command()
@command
def confirm(shop: ShopArgument, account: AccountArgument, as_json: AsJson = False) -> None:
    """Confirm that an account that came with a statement is the shop's own."""
    from paymatch.usecases.statements import accounts as use

    with opened_shop(shop) as (database, found):
        result = use.confirm(database, found, account)
    show(result, as_json=as_json)


@account_app.command()
@command
def remove(shop: ShopArgument, account: AccountArgument, yes: Yes = False, as_json: AsJson = False) -> None:
    """Remove an account from the shop's list; what was imported stays."""
    from paymatch.usecases.statements import accounts as use

    with opened_shop(shop) as (database, found):
        ask(f"Remove account {account}?", yes=yes)
        result = use.remove(database, found, account)
    show(result, as_json=as_json)
