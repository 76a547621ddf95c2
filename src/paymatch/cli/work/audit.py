"""Commands for the audit log: verify, list, export."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Final

import typer

from paymatch.cli.arguments import AsJson, ShopArgument
from paymatch.cli.context import command, database_of_command, fail, find_shop, show
from paymatch.cli.listing import Row, lists
from paymatch.cli.loading import new_group
from paymatch.domain.shops.shop import SettingRefused
from paymatch.domain.words.message import Message

if TYPE_CHECKING:
    from paymatch.domain.shops.audit import HasChain
    from paymatch.store.database import Database

_HEAD: Final = re.compile(r"(\d{1,18}):([0-9a-f]{64})", re.ASCII)

audit_app = new_group("Audit log, who changed what: verify, list, export.")

OfInstallation = Annotated[
    bool, typer.Option("--installation", help="What belongs to no shop: sign-ins, people, secret keys.")
]


@audit_app.command()
@command
def verify(
    shop: ShopArgument,
    head: Annotated[str, typer.Option(help="SEQ:HASH that an earlier verify printed and you kept elsewhere.")] = "",
    installation: OfInstallation = False,
    as_json: AsJson = False,
) -> None:
    """Check that no entry was changed, removed or moved; exit code 1 if one was. Prints the head to keep elsewhere."""
    from paymatch.usecases import audit

    noted = _head(head)
    with _opened_chain(shop, installation=installation) as (database, found):
        chain = audit.check_chain(database, found, noted)
    if chain.fault:
        fail(f"The audit log does not hold: {chain.fault}", as_json=as_json)
    head_now = f"{chain.entries}:{chain.hash.hex()}" if chain.entries else ""
    shown = {"entries": chain.entries, "erased": chain.erased, "linksOnly": chain.links_only, "head": head_now}
    show(shown, as_json=as_json)


@audit_app.command("list")
@lists("seq", "at", "actorKind", "actor", "address", "action", "subject", "before", "after", "requestId")
def list_(
    shop: ShopArgument,
    subject: Annotated[str, typer.Option(help="Only what was done to this order, posting, refund, key ...")] = "",
    limit: Annotated[int, typer.Option(min=1, max=100_000)] = 50,
    installation: OfInstallation = False,
) -> Iterable[Row]:
    """List the audit log, newest first."""
    from paymatch.usecases import audit

    with _opened_chain(shop, installation=installation) as (database, found):
        return audit.last_entries(database, found, subject, limit)


@audit_app.command()
@command
def export(shop: ShopArgument, installation: OfInstallation = False) -> None:
    """Print the whole log with its hashes, oldest first, one JSON object a line."""
    import msgspec

    from paymatch.usecases import audit

    with _opened_chain(shop, installation=installation) as (database, found):
        for entry in audit.all_entries(database, found):
            typer.echo(msgspec.json.encode(entry, enc_hook=str).decode())


@contextmanager
def _opened_chain(shop: str, *, installation: bool) -> Iterator[tuple[Database, HasChain]]:
    """The database and the chain that is meant: a shop's, or the installation's."""
    from paymatch.domain.shops.audit import INSTALLATION

    if installation and shop:
        raise SettingRefused(Message("setting-name-shop-give-installation"))
    with database_of_command() as database:
        yield database, INSTALLATION if installation else find_shop(database, shop)


def _head(text: str) -> tuple[int, bytes] | None:
    if not text:
        return None
    found = _HEAD.fullmatch(text)
    if found is None:
        raise SettingRefused(Message("setting-head-seq-hash-paymatch"))
    return int(found[1]), bytes.fromhex(found[2])
