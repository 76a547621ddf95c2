"""Commands for account information by a provider."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import parse_qs, urlsplit

import typer

from paymatch.cli.arguments import AsJson, ConnectionArgument, ShopArgument, Yes
from paymatch.cli.context import command, confirm, opened_shop, settings, shop_transaction, show
from paymatch.cli.listing import Row, lists
from paymatch.cli.loading import new_group
from paymatch.clock import utc_now

if TYPE_CHECKING:
    from paymatch.domain.shops.shop import Shop
    from paymatch.outbound.account_information.gateway import AccountInformationGateway
    from paymatch.usecases.bank_feeds.consents import ConsentPlace

account_information_app = new_group(
    "Account information: key, banks, begin, finish, renew, use, status, fetch, remove."
)  # fmt: skip
ProviderOption = Annotated[str, typer.Option(help="Name of the provider.")]
CountryOption = Annotated[str, typer.Option(help="Country of the bank, such as DE.")]
_PROVIDER = "enable-banking"


@account_information_app.command()
@command
def key(
    shop: ShopArgument,
    application: Annotated[str, typer.Option(help="Id of your application at the provider.")],
    key_file: Annotated[Path, typer.Option(help="File with its private key (PEM).")],
    provider: ProviderOption = _PROVIDER,
    as_json: AsJson = False,
) -> None:
    """Keep the key of your application at the provider, sealed. Shows the return address that it has to know."""
    from paymatch.usecases.bank_feeds import consents as use

    with shop_transaction(shop) as tx:
        use.set_key(tx, provider, application, key_file.read_text("utf-8"), _gateway())
        place = _place(tx.shop)
    show({"provider": provider, "application": application, "returnUrl": place.return_url}, as_json=as_json)


@account_information_app.command()
@lists("name", "country", "companies", "people", "longestDays")
def banks(shop: ShopArgument, country: CountryOption, provider: ProviderOption = _PROVIDER) -> Iterable[Row]:
    """List the banks of a country that the provider reaches."""
    from paymatch.usecases.bank_feeds import consents as use

    with opened_shop(shop) as (database, found):
        rows = use.list_banks(database, found, provider, country, _gateway(), utc_now())
    return [
        {
            "name": row.name, "country": row.country, "companies": row.for_companies, "people": row.for_people,
            "longestDays": row.longest.days,
        }
        for row in rows
    ]  # fmt: skip


@account_information_app.command()
@command
def begin(
    shop: ShopArgument,
    bank: Annotated[str, typer.Option(help="Name of the bank, as `banks` shows it.")],
    country: CountryOption,
    private: Annotated[bool, typer.Option("--private", help="The accounts belong to a person.")] = False,
    provider: ProviderOption = _PROVIDER,
    as_json: AsJson = False,
) -> None:
    """Begin a consent. Open the address that is shown, give the consent at the bank, then call `finish`."""
    from paymatch.usecases.bank_feeds import consents as use
    from paymatch.usecases.bank_feeds.consents import WantedBank

    wanted = WantedBank(provider, country.strip().upper(), bank, not private)
    with opened_shop(shop) as (database, found):
        made, url = use.begin(database, found, wanted, _place(found), _gateway(), utc_now())
    show({"id": made.id, "open": url}, as_json=as_json)


@account_information_app.command()
@command
def renew(shop: ShopArgument, name: ConnectionArgument = "", as_json: AsJson = False) -> None:
    """Renew a consent. Open the address that is shown, give the consent at the bank, then call `finish`."""
    from paymatch.usecases.bank_feeds import consents as use

    with opened_shop(shop) as (database, found):
        row = use.load(database, found, name)
        url = use.renew(database, found, row.id, _place(found), _gateway(), utc_now())
    show({"id": row.id, "open": url}, as_json=as_json)


@account_information_app.command()
@command
def finish(
    shop: ShopArgument,
    answer: Annotated[str, typer.Option(help="The whole address to which the bank has sent your browser.")],
    as_json: AsJson = False,
) -> None:
    """Finish what `begin` or `renew` began, once and within an hour."""
    from paymatch.usecases.bank_feeds import consents as use
    from paymatch.usecases.bank_feeds.consents import BankReturn

    said = {name: values[0] for name, values in parse_qs(urlsplit(answer.strip()).query).items()}
    came = BankReturn(said.get("state", ""), said.get("code", ""), said.get("error", ""))
    with opened_shop(shop) as (database, found):
        made = use.finish(database, found, came, _gateway(), utc_now())
        with database.of_shop(found) as tx:
            fields = use.consent_fields(use.overview_of(tx, made.id))
    show(fields, as_json=as_json)


@account_information_app.command("use")
@command
def use_(
    shop: ShopArgument,
    name: ConnectionArgument = "",
    accounts: Annotated[str, typer.Option(help="IBANs, separated by commas; by default as it is.")] = "",
    times: Annotated[str, typer.Option(help="At most four times of day such as 06:30,12:30.")] = "",
    as_json: AsJson = False,
) -> None:
    """Say which accounts are read, and when."""
    from paymatch.usecases.bank_feeds import consents as use

    with shop_transaction(shop) as tx:
        shown = use.overview_of(tx, name)
        chosen = accounts.split(",") if accounts else [each.account for each in shown.accounts if each.is_read]
        use.set_use(tx, shown.row.id, chosen, times or " ".join(shown.row.fetch_times))
        fields = use.consent_fields(use.overview_of(tx, shown.row.id))
    show(fields, as_json=as_json)


@account_information_app.command()
@lists("id", "bank", "status", "accounts", "validUntil", "lastFetchedAt", "nextFetchAt", "failures", "lastError")
def status(shop: ShopArgument) -> Iterable[Row]:
    """List the consents and how they fare."""
    from paymatch.usecases.bank_feeds import consents as use

    with shop_transaction(shop) as tx:
        return [use.consent_fields(each) for each in use.overviews(tx)]


@account_information_app.command()
@command
def fetch(shop: ShopArgument, name: ConnectionArgument = "", as_json: AsJson = False) -> None:
    """Read the accounts and import what is new, now. Counts as one of the four reads of a day."""
    from paymatch.domain.shops.shop_jobs import JobRefused
    from paymatch.domain.words.message import Message
    from paymatch.usecases.bank_feeds import consents as use
    from paymatch.usecases.work import shop_jobs
    from paymatch.usecases.work.job_kinds import JobGateways
    from paymatch.usecases.work.shop_jobs import JobOutcome

    with opened_shop(shop) as (database, found):
        with database.of_shop(found, at=utc_now()) as tx:
            row = use.fetch_now(tx, name)
        doors = JobGateways(account_information=_gateway())
        ran = shop_jobs.run_now(database, doors, found, use.ACCOUNT_INFORMATION, utc_now)
        row = use.load(database, found, row.id)
    error = row.last_error or row.lost_why
    if ran.state is not JobOutcome.DONE or error:
        raise JobRefused(Message("text", value=error) if error else Message("job-not-done", words=ran.words))
    show({"id": row.id, "result": ran.words}, as_json=as_json)


@account_information_app.command()
@command
def remove(shop: ShopArgument, name: ConnectionArgument = "", yes: Yes = False, as_json: AsJson = False) -> None:
    """End a consent and forget it. What was imported stays."""
    from paymatch.usecases.bank_feeds import consents as use

    with opened_shop(shop) as (database, found):
        row = use.load(database, found, name)
        confirm(f"Remove the connection to {row.bank_name}?", yes=yes)
        use.remove(database, found, row.id, _gateway(), utc_now())
    result: dict[str, Any] = {"id": row.id, "removed": True}
    show(result, as_json=as_json)


def _gateway() -> AccountInformationGateway:
    from paymatch.app import account_information_gateway

    return account_information_gateway(settings())


def _place(shop: Shop) -> ConsentPlace:
    from paymatch import service_address
    from paymatch.usecases.bank_feeds.consents import ConsentPlace, return_url

    base = settings().base_url or service_address.address(settings())
    return ConsentPlace(return_url(base, shop), shop.language[:2])
