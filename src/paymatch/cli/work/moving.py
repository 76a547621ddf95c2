"""`paymatch move-to`: the database goes to another PostgreSQL, or comes back into the bundled one."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Final

import typer

from paymatch.cli.arguments import AsJson, Yes
from paymatch.cli.context import command, confirm, settings, show, whoever_runs_this
from paymatch.cli.work.progress import byte_progress
from paymatch.clock import utc_now
from paymatch.domain.words.message import Message

if TYPE_CHECKING:
    from paymatch.settings import Settings

_BUNDLED: Final = "bundled"


@command
def move_to(
    target: Annotated[
        str,
        typer.Argument(
            metavar="URL", help="postgresql://... of an empty database, - to read it from stdin, or: bundled."
        ),
    ],
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Move the database to another PostgreSQL, or back into the bundled one, and prove that both are equal.

    The service has to be stopped. The old database stays where it is, and the service cannot start it any more.
    """
    from paymatch.domain.shops.audit import INSTALLATION, AuditAction
    from paymatch.embedded import programs
    from paymatch.installation import database_url, migrate_and_open, open_database, owner_url
    from paymatch.settings import make_data_dir
    from paymatch.usecases.audit import record_alone
    from paymatch.usecases.work.moving import move

    old = settings()
    new = _pointed_at(old, sys.stdin.readline().strip() if target == "-" else target)
    confirm(f"Move the database to {_place(new)}? Nothing uses the old one any more then.", yes=yes)
    with database_url(new, create=True) as there:
        with owner_url(old) as here, byte_progress(quiet=as_json) as tell:
            moved = move(here, there, programs(), make_data_dir(old.data_dir), tell)
        migrate_and_open(new, there)
        with open_database(new, actor=whoever_runs_this()) as database:
            record_alone(database, INSTALLATION, AuditAction.DATABASE_MOVED, _place(new))
    left = _leave(old)
    found = {"tables": moved.tables, "rows": moved.rows, "databaseBytes": moved.database_bytes, "oldDatabase": left}
    show(found, as_json=as_json)
    if not as_json:
        what = "unset" if new.database_url is None else "set to the new database's URL"
        typer.echo(f"Both databases were equal. Start the service with PAYMATCH_DATABASE_URL {what}.")


def _pointed_at(old: Settings, target: str) -> Settings:
    """The settings with which the service uses the new database. SettingRefused."""
    from pydantic import SecretStr

    from paymatch.domain.shops.shop import SettingRefused

    if target == _BUNDLED:
        if old.database_url is None:
            raise SettingRefused(Message("setting-database-bundled-one-already"))
        return old.model_copy(update={"database_url": None, "database_owner_url": None})
    if not target.startswith(("postgresql://", "postgres://")):
        raise SettingRefused(Message("setting-name-new-database-url"))
    return old.model_copy(update={"database_url": SecretStr(target), "database_owner_url": None})


def _place(found: Settings) -> str:
    """Where the database is, without what opens it."""
    from psycopg.conninfo import conninfo_to_dict

    if found.database_url is None:
        return f"the bundled PostgreSQL in {found.data_dir}"
    parts = conninfo_to_dict(found.database_url.get_secret_value())
    return f"{parts.get('dbname', 'the database')} on {parts.get('host', 'this machine')}"


def _leave(old: Settings) -> str:
    """Sees to it that no service works with the old database again; where it is, in words."""
    from paymatch.embedded import set_aside
    from paymatch.installation import owner_url
    from paymatch.settings import make_data_dir
    from paymatch.store.work.equality import close_to_service

    if old.database_url is None:
        return str(set_aside(make_data_dir(old.data_dir), f"postgres-moved-{utc_now():%Y%m%d-%H%M%S}"))
    with owner_url(old) as url:
        closed = close_to_service(url)
    return f"{_place(old)}, {'closed to all but superusers' if closed else 'still open: take its rights away by hand'}"
