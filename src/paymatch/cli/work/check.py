"""Commands that look after the service: check, doctor."""

from __future__ import annotations

import sys
from contextlib import ExitStack, closing
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from paymatch.cli.arguments import AsJson
from paymatch.cli.context import command, database_of_command, find_shop, settings, show, tell_error, words_of
from paymatch.domain.plurals import count_of

if TYPE_CHECKING:
    from paymatch.store.database import Database


@command
def check(
    only: Annotated[str, typer.Argument(metavar="SHOP", help="Id or name; by default all shops.")] = "",
    as_json: AsJson = False,
) -> None:
    """Verify the books and say what is wrong; exit code 1 if anything is."""
    from paymatch.store.shops import shops as store
    from paymatch.usecases.work.check import check_shop

    with database_of_command() as database:
        if only:
            wanted = [find_shop(database, only)]
        else:
            with database.of_all_shops() as tx:
                wanted = store.every(tx)
        violations = [asdict(found) for each in wanted for found in check_shop(database, each)]
    result = {"shops": len(wanted), "violations": violations}
    if as_json:
        show(result, as_json=True)
    elif violations:
        show(violations, as_json=False, columns=("shop", "rule", "subject", "text"))
        typer.echo(
            "What to do: look at the order with `paymatch order show`, and at who changed it with `paymatch audit list"
            " --subject`.\nNo user can make the books wrong: please report this as a bug, with these lines."
        )
    else:
        typer.echo(f"{count_of(len(wanted), 'shop')} checked, everything is right")
    if violations:
        tell_error(f"{count_of(len(violations), 'violation')}", as_json=as_json)
        raise typer.Exit(1)


@command
def doctor(as_json: AsJson = False) -> None:
    """Check this machine, the settings and the database, and say what to do; exit code 1 if there is a problem."""
    import platform

    from paymatch import __version__
    from paymatch.clock import utc_now
    from paymatch.outbound.http import HttpClient, HttpLimits
    from paymatch.usecases.work.doctor import Severity, examine, worst

    found = settings()
    version = size = ""
    with ExitStack() as opened:
        database, missing = _database_or_reason(opened)
        http = opened.enter_context(closing(HttpClient(allow_private=True, limits=HttpLimits(total_seconds=5))))
        findings = examine(database, found, utc_now(), http, missing=missing)
        if database is not None:
            with database.of_all_shops() as tx:
                version = tx.value("SHOW server_version")
                size = tx.value("SELECT pg_size_pretty(pg_database_size(current_database()))")
    about = {
        "paymatch": __version__,
        "python": sys.version.split()[0],
        "platform": platform.platform(),
        "dataDir": str(found.data_dir),
        "database": "operator's" if found.database_url else "embedded",
        "postgresql": version,
        "databaseSize": size,
        "requireHttps": found.require_https,
    }
    rows = [asdict(finding) for finding in findings]
    if as_json:
        show({**about, "checks": rows}, as_json=True)
    else:
        show(about, as_json=False)
        show(rows, as_json=False, columns=("check", "state", "text"))
    if worst(findings) is Severity.PROBLEM:
        raise typer.Exit(1)


def _database_or_reason(opened: ExitStack) -> tuple[Database | None, str]:
    """(the database, or None; why it cannot be opened, in words)."""
    try:
        return opened.enter_context(database_of_command()), ""
    except Exception as error:
        words = words_of(error)
        if words is None:
            raise
        return None, words
