"""Commands for the audit log: verify, list, export."""

from __future__ import annotations

import re
import sys
from typing import Annotated, Final

import msgspec
import typer

from paymatch.cli.context import AsCsv, command, fail, opened, show, show_list
from paymatch.cli.shops import AsJson, ShopArgument
from paymatch.domain.shops.shop import SettingRefused
from paymatch.store.database import Database
from paymatch.usecases import shops
from paymatch.usecases.work import audit

_HEAD: Final = re.compile(r"(\d{1,18}):([0-9a-f]{64})", re.ASCII)
_COLUMNS: Final = ("seq", "at", "actorKind", "actor", "address", "deed", "subject", "before", "after", "requestId")

audit_app = typer.Typer(help="Audit log: who changed what; verify, list, export.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    app.add_typer(audit_app, name="audit")


@audit_app.command()
@command
def verify(
    shop: ShopArgument,
    head: Annotated[str, typer.Option(help="SEQ:HASH that an earlier verify printed and you kept elsewhere.")] = "",
    as_json: AsJson = False,
) -> None:
    """Checks that no deed was changed, removed or moved; exit code 1 if one was. Prints the head to keep elsewhere."""
    noted = _head(head)
    with opened() as database:
        found = audit.check_chain(database, shops.find(database, shop), noted)
    if found.fault:
        fail(f"The audit log does not hold: {found.fault}")
    show({"deeds": found.deeds, "head": f"{found.deeds}:{found.hash.hex()}" if found.deeds else ""}, as_json=as_json)


@audit_app.command("list")
@command
def list_(
    shop: ShopArgument,
    subject: Annotated[str, typer.Option(help="Only deeds about this order, posting, refund, key ...")] = "",
    limit: Annotated[int, typer.Option(min=1, max=100_000)] = 50,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """The last deeds, newest first."""
    with opened() as database:
        rows = audit.last_deeds(database, shops.find(database, shop), subject, limit)
    show_list(rows, _COLUMNS, as_json=as_json, as_csv=as_csv)


@audit_app.command()
@command
def export(shop: ShopArgument) -> None:
    """All deeds with their hashes, oldest first, one JSON object a line."""
    with opened() as database:
        _write(database, shop)


def _write(database: Database, shop: str) -> None:
    for deed in audit.all_deeds(database, shops.find(database, shop)):
        sys.stdout.write(msgspec.json.encode(deed, enc_hook=str).decode() + "\n")


def _head(text: str) -> tuple[int, bytes] | None:
    if not text:
        return None
    found = _HEAD.fullmatch(text)
    if found is None:
        raise SettingRefused("--head is SEQ:HASH, as `paymatch audit verify` prints it")
    return int(found[1]), bytes.fromhex(found[2])
