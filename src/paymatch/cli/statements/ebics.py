"""Commands for EBICS connections."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from paymatch.cli.arguments import AsJson, ConnectionArgument, ShopArgument, Yes
from paymatch.cli.context import command, confirm, opened_shop, settings, shop_transaction, show
from paymatch.cli.listing import Row, lists
from paymatch.cli.loading import new_group
from paymatch.clock import utc_now

if TYPE_CHECKING:
    from paymatch.usecases.bank_feeds.gateway import EbicsGateway

ebics_app = new_group(
    "EBICS 3.0: begin, keys, letter, confirm, activate, use, status, fetch, send, change-keys, suspend, remove."
)


@ebics_app.command()
@command
def begin(
    shop: ShopArgument,
    bank: Annotated[str, typer.Option(help="Name of the bank.")],
    url: Annotated[str, typer.Option(help="Address of the bank's EBICS server.")],
    host: Annotated[str, typer.Option(help="Host ID.")],
    partner: Annotated[str, typer.Option(help="Customer ID (partner ID).")],
    user: Annotated[str, typer.Option(help="User ID.")],
    certificates: Annotated[bool, typer.Option("--certificates", help="The bank asks for H3K.")] = False,
    as_json: AsJson = False,
) -> None:
    """Add a connection with new keys and send them to the bank. Sign the letter then."""
    from paymatch.usecases.bank_feeds import connections as use
    from paymatch.usecases.bank_feeds.connections import BankAccess

    access = BankAccess(bank, url, host, partner, user, certificates)
    with opened_shop(shop) as (database, found):
        made = use.begin(database, found, access, utc_now())
        made = use.send_keys(database, found, made.id, _gateway(), utc_now())
    show(use.connection_fields(made), as_json=as_json)


@ebics_app.command()
@command
def keys(shop: ShopArgument, name: ConnectionArgument = "", as_json: AsJson = False) -> None:
    """Send the public keys to the bank, where `begin` could not."""
    from paymatch.usecases.bank_feeds import connections as use

    with opened_shop(shop) as (database, found):
        made = use.send_keys(database, found, name, _gateway(), utc_now())
    show(use.connection_fields(made), as_json=as_json)


@ebics_app.command()
@command
def letter(
    shop: ShopArgument,
    name: ConnectionArgument = "",
    out: Annotated[Path, typer.Option(help="Where to write the PDF.")] = Path("ebics-letter.pdf"),
    language: Annotated[str, typer.Option(help="de, en or fr.")] = "de",
    as_json: AsJson = False,
) -> None:
    """Write the initialisation letter, to be signed and sent to the bank."""
    from paymatch.usecases.bank_feeds.letter import initialisation_letter

    with opened_shop(shop) as (database, found):
        out.write_bytes(initialisation_letter(database, found, name, language, utc_now()))
    show({"file": str(out)}, as_json=as_json)


@ebics_app.command()
@command
def activate(shop: ShopArgument, name: ConnectionArgument = "", as_json: AsJson = False) -> None:
    """Ask the bank for its keys; `confirm` compares them. The worker does so automatically."""
    from paymatch.usecases.bank_feeds import connections as use

    with opened_shop(shop) as (database, found):
        made = use.fetch_bank_keys(database, found, name, _gateway(), utc_now())
    show(use.connection_fields(made), as_json=as_json)


@ebics_app.command("confirm")
@command
def confirm_(
    shop: ShopArgument,
    name: ConnectionArgument = "",
    x002: Annotated[str, typer.Option(help="Fingerprint of the bank's key X002, from its letter.")] = "",
    e002: Annotated[str, typer.Option(help="Fingerprint of the bank's key E002, from its letter.")] = "",
    as_json: AsJson = False,
) -> None:
    """Compare the bank's keys with the fingerprints in its letter. If they agree, the exchange begins."""
    from paymatch.outbound.ebics.keys import KeyUse
    from paymatch.usecases.bank_feeds import connections as use

    with shop_transaction(shop) as tx:
        typed = {KeyUse.AUTHENTICATION: x002, KeyUse.ENCRYPTION: e002}
        made = use.confirm(tx, name, typed)
    show(use.connection_fields(made), as_json=as_json)


@ebics_app.command("use")
@command
def use_(
    shop: ShopArgument,
    name: ConnectionArgument = "",
    fetch: Annotated[str, typer.Option(help="Such as camt.053,pain.002; by default as it is.")] = "",
    accounts: Annotated[str, typer.Option(help="IBANs, separated by commas; by default as it is.")] = "",
    times: Annotated[str, typer.Option(help="Times of day such as 06:30,12:30; by default as it is.")] = "",
    send: Annotated[str, typer.Option(help="on or off; by default as it is.")] = "",
    as_json: AsJson = False,
) -> None:
    """Say what is fetched, and whether transfers are sent."""
    from paymatch.usecases.bank_feeds import connections as use
    from paymatch.usecases.bank_feeds.connections import BankUse

    with shop_transaction(shop) as tx:
        row = use.find(tx, name)
        wanted = BankUse(
            fetch.split(",") if fetch else row.fetches,
            accounts.split(",") if accounts else row.accounts,
            times or " ".join(row.fetch_times),
            send == "on" if send else row.sends_from is not None,
        )
        made = use.set_use(tx, row.id, wanted)
    show(use.connection_fields(made), as_json=as_json)


@ebics_app.command()
@lists("id", "bank", "user", "status", "accounts", "lastFetchedAt", "nextFetchAt", "sendsFrom", "failures", "lastError")
def status(shop: ShopArgument) -> Iterable[Row]:
    """List the connections and how they fare."""
    from paymatch.usecases.bank_feeds import connections as use

    with shop_transaction(shop) as tx:
        return [use.connection_fields(row) for row in use.list_connections(tx)]


@ebics_app.command()
@command
def fetch(shop: ShopArgument, name: ConnectionArgument = "", as_json: AsJson = False) -> None:
    """Fetch and import everything that the bank has, now."""
    _exchange(shop, name, as_json=as_json, fetch=True)


@ebics_app.command()
@command
def send(
    shop: ShopArgument,
    name: ConnectionArgument = "",
    again: Annotated[str, typer.Option(metavar="FILE", help="Id of a file that the bank has refused.")] = "",
    as_json: AsJson = False,
) -> None:
    """Send the waiting transfer files now. Each is sent once."""
    _exchange(shop, name, as_json=as_json, fetch=False, again=again)


def _exchange(shop: str, name: str, *, as_json: bool, fetch: bool, again: str = "") -> None:
    from paymatch.domain.shops.shop_jobs import JobRefused
    from paymatch.domain.words.message import Message
    from paymatch.usecases.bank_feeds import connections as use
    from paymatch.usecases.bank_feeds.gateway import EBICS
    from paymatch.usecases.work import shop_jobs
    from paymatch.usecases.work.job_kinds import JobGateways
    from paymatch.usecases.work.shop_jobs import JobOutcome

    with opened_shop(shop) as (database, found):
        row = use.load(database, found, name)
        use.wake(database, found, row.id, utc_now(), fetch=fetch, again=again)
        ran = shop_jobs.run_now(database, JobGateways(ebics=_gateway()), found, EBICS, utc_now)
        row = use.load(database, found, row.id)
    if ran.state is not JobOutcome.DONE or row.last_error:
        error = row.last_error
        raise JobRefused(Message("text", value=error) if error else Message("job-not-done", words=ran.words))
    show({"id": row.id, "result": ran.words}, as_json=as_json)


@ebics_app.command()
@command
def change_keys(shop: ShopArgument, name: ConnectionArgument = "", as_json: AsJson = False) -> None:
    """Replace the three keys at the bank and here (HCS)."""
    from paymatch.usecases.bank_feeds import connections as use

    with opened_shop(shop) as (database, found):
        made = use.change_keys(database, found, name, _gateway(), utc_now())
    show(use.connection_fields(made), as_json=as_json)


@ebics_app.command()
@command
def suspend(shop: ShopArgument, name: ConnectionArgument = "", yes: Yes = False, as_json: AsJson = False) -> None:
    """Have the bank refuse these keys from now on (SPR)."""
    from paymatch.usecases.bank_feeds import connections as use

    with opened_shop(shop) as (database, found):
        row = use.load(database, found, name)
        confirm(f"Suspend the user {row.user_id} at {row.bank_name}?", yes=yes)
        made = use.suspend(database, found, row.id, _gateway(), utc_now())
    show(use.connection_fields(made), as_json=as_json)


@ebics_app.command()
@command
def remove(shop: ShopArgument, name: ConnectionArgument = "", yes: Yes = False, as_json: AsJson = False) -> None:
    """Forget a connection and its keys. What was imported stays."""
    from paymatch.usecases.bank_feeds import connections as use

    with shop_transaction(shop) as tx:
        row = use.find(tx, name)
        confirm(f"Remove the connection to {row.bank_name}?", yes=yes)
        use.remove(tx, row.id)
    result: dict[str, Any] = {"id": row.id, "removed": True}
    show(result, as_json=as_json)


def _gateway() -> EbicsGateway:
    from paymatch.app import ebics_gateway

    return ebics_gateway(settings())
