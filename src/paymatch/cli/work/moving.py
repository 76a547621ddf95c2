"""`paymatch move-to`: the database goes to another PostgreSQL, or comes back into the bundled one."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
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
            metavar="URL",
            help="postgresql://... of an empty database, as its owner; - to read it from stdin, on a second line the"
            " service's URL where the owner may not make roles; or: bundled.",
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
    from paymatch.installation import check_prepared, database_url, migrate_and_open, open_database, owner_of, owner_url
    from paymatch.settings import make_data_dir
    from paymatch.usecases.audit import record_alone
    from paymatch.usecases.work.moving import move

    old = settings()
    lines = [line.strip() for line in sys.stdin] if target == "-" else [target]
    new = _pointed_at(old, *[line for line in lines if line][:2])
    confirm(f"Move the database to {new.database_place()}? Nothing uses the old one any more then.", yes=yes)
    with _noted_in(old, new), database_url(new, create=True) as there:
        check_prepared(new, there)
        with owner_url(old) as here, byte_progress(quiet=as_json) as tell:
            moved = move(here, owner_of(new, there), programs(), make_data_dir(old.data_dir), tell)
        migrate_and_open(new, there)
        with open_database(new, actor=whoever_runs_this()) as database:
            record_alone(database, INSTALLATION, AuditAction.DATABASE_MOVED, new.database_place())
    left = _leave(old)
    found = {"tables": moved.tables, "rows": moved.rows, "databaseBytes": moved.database_bytes, "oldDatabase": left}
    show(found, as_json=as_json)
    if not as_json:
        what = "unset" if new.database_url is None else "set to the new database's URL"
        typer.echo(f"Both databases were equal. Start the service with PAYMATCH_DATABASE_URL {what}.")


@contextmanager
def _noted_in(old: Settings, new: Settings) -> Iterator[None]:
    """The data directory names the new database once the block has moved it, and the old one where it has not."""
    from paymatch.installation import note_database

    if new.database_url is None:
        note_database(new)  # else the bundled one would not be opened
    try:
        yield
    except BaseException:
        note_database(old)
        raise
    note_database(new)


def _pointed_at(old: Settings, target: str = "", service: str = "") -> Settings:
    """The settings with which the service uses the new database; `service`: its login, where the owner makes none.

    SettingRefused.
    """
    from pydantic import SecretStr

    from paymatch.domain.shops.shop import SettingRefused

    if target == _BUNDLED:
        if old.database_url is None:
            raise SettingRefused(Message("setting-database-bundled-one-already"))
        return old.model_copy(update={"database_url": None, "database_owner_url": None})
    if not all(url.startswith(("postgresql://", "postgres://")) for url in (target, service or target)):
        raise SettingRefused(Message("setting-name-new-database-url"))
    urls = {"database_url": SecretStr(service or target), "database_owner_url": SecretStr(target) if service else None}
    return old.model_copy(update=urls)


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
    left = "closed to all but superusers" if closed else "still open: take its rights away by hand"
    return f"{old.database_place()}, {left}"
