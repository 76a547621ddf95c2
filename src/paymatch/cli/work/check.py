"""Commands that look after the service: check, doctor."""

from __future__ import annotations

import platform
import sys
from dataclasses import asdict
from typing import Annotated

import typer

from paymatch import __version__
from paymatch.cli.context import command, opened, settings, show
from paymatch.cli.shops import AsJson
from paymatch.store import shops as store
from paymatch.usecases import shops
from paymatch.usecases.work.check import check_shop


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    app.command()(check)
    app.command()(doctor)


@command
def check(
    shop: Annotated[str | None, typer.Argument(metavar="SHOP", help="Id or name; by default all shops.")] = None,
    as_json: AsJson = False,
) -> None:
    """Verifies the invariants of the books; exit code 1 if one does not hold."""
    with opened() as database:
        if shop is None:
            with database.transaction(None) as tx:
                wanted = store.every(tx)
        else:
            wanted = [shops.find(database, shop)]
        violations = [asdict(found) for each in wanted for found in check_shop(database, each)]
    result = {"shops": len(wanted), "violations": violations}
    if as_json:
        show(result, as_json=True)
    elif violations:
        show(violations, as_json=False, columns=("shop", "rule", "subject", "text"))
    else:
        typer.echo(f"{len(wanted)} shops checked, no violation")
    if violations:
        typer.echo(f"Error: {len(violations)} violations", err=True)
        raise typer.Exit(1)


@command
def doctor(as_json: AsJson = False) -> None:
    """Says what this installation runs on, and whether its database answers."""
    found = settings()
    with opened() as database, database.transaction(None) as tx:
        version = tx.value("SHOW server_version")
        size = tx.value("SELECT pg_size_pretty(pg_database_size(current_database()))")
    show(
        {
            "paymatch": __version__,
            "python": sys.version.split()[0],
            "platform": platform.platform(),
            "dataDir": str(found.data_dir),
            "database": "operator's" if found.database_url else "embedded",
            "postgresql": version,
            "databaseSize": size,
            "requireHttps": found.require_https,
        },
        as_json=as_json,
    )
