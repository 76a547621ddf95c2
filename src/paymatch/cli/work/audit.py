"""Commands for the audit log: verify, list, export."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Annotated, Final

import typer

from paymatch.cli.arguments import AsJson, ShopArgument
from paymatch.cli.context import command, fail, opened_shop, show
from paymatch.cli.listing import Row, lists
from paymatch.cli.loading import new_group
from paymatch.domain.shops.shop import SettingRefused

_HEAD: Final = re.compile(r"(\d{1,18}):([0-9a-f]{64})", re.ASCII)

audit_app = new_group("Audit log, who changed what: verify, list, export.")


@audit_app.command()
@command
def verify(
    shop: ShopArgument,
    head: Annotated[str, typer.Option(help="SEQ:HASH that an earlier verify printed and you kept elsewhere.")] = "",
    as_json: AsJson = False,
) -> None:
    """Check that no entry was changed, removed or moved; exit code 1 if one was. Prints the head to keep elsewhere."""
    from paymatch.usecases.work import audit

    noted = _head(head)
    with opened_shop(shop) as (database, found):
        chain = audit.check_chain(database, found, noted)
    if chain.fault:
        fail(f"The audit log does not hold: {chain.fault}", as_json=as_json)
    show({"deeds": chain.deeds, "head": f"{chain.deeds}:{chain.hash.hex()}" if chain.deeds else ""}, as_json=as_json)


@audit_app.command("list")
@lists("seq", "at", "actorKind", "actor", "address", "deed", "subject", "before", "after", "requestId")
def list_(
    shop: ShopArgument,
    subject: Annotated[str, typer.Option(help="Only what was done to this order, posting, refund, key ...")] = "",
    limit: Annotated[int, typer.Option(min=1, max=100_000)] = 50,
) -> Iterable[Row]:
    """List what was done last, newest first."""
    from paymatch.usecases.work import audit

    with opened_shop(shop) as (database, found):
        return audit.last_deeds(database, found, subject, limit)


@audit_app.command()
@command
def export(shop: ShopArgument) -> None:
    """Print the whole log with its hashes, oldest first, one JSON object a line."""
    import msgspec

    from paymatch.usecases.work import audit

    with opened_shop(shop) as (database, found):
        for deed in audit.all_deeds(database, found):
            typer.echo(msgspec.json.encode(deed, enc_hook=str).decode())


def _head(text: str) -> tuple[int, bytes] | None:
    if not text:
        return None
    found = _HEAD.fullmatch(text)
    if found is None:
        raise SettingRefused("--head is SEQ:HASH, as `paymatch audit verify` prints it")
    return int(found[1]), bytes.fromhex(found[2])
