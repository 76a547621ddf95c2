"""Moving the database to another server: copied while it is not in use, and proven equal, table by table (D-70)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile

from paymatch.domain.refusal import Refused
from paymatch.domain.words.message import Message
from paymatch.store.work import dumps, equality

Tell = Callable[[str, int], None]
"""Gets the present step and its number of bytes, or rows."""


class DatabaseMoveRefused(Refused):
    """The database cannot be moved; the text says why. The old one is unchanged."""


@dataclass(frozen=True, slots=True)
class Moved:
    """The copied data, found equal in both places."""

    tables: int
    rows: int
    database_bytes: int  # of the dump, compressed


def move(source: str, target: str, programs: Path, folder: Path, tell: Tell) -> Moved:
    """Fills the empty database `target` with everything in `source`, and compares both.

    The URLs are of roles that row-level security does not bind; `folder` has room for the dump. MoveRefused while the
    source is in use, if the target is not empty, or if the two differ in the end; DumpRefused.
    """
    for url in (source, target):
        dumps.check_role(url)
    if dumps.migrations_in(target):
        raise DatabaseMoveRefused(Message("database-new-not-empty-nothing"))
    _refuse_users(source)
    size = 0
    with TemporaryFile(dir=folder) as dump:
        for piece in dumps.pg_dump_stream(source, programs):
            dump.write(piece)
            size += len(piece)
            tell("read", size)
        dump.seek(0)
        dumps.restore(target, programs, dump, "", lambda done: tell("written", done))
    there = equality.digests(target, lambda rows: tell("rows compared", rows))
    here = equality.digests(source, lambda rows: tell("rows compared again", rows))
    _refuse_users(source)
    differing = sorted(name for name in here.keys() | there.keys() if here.get(name) != there.get(name))
    if differing:
        raise DatabaseMoveRefused(Message("database-databases-differ-first-something", table=differing[0]))
    return Moved(len(here), sum(rows for rows, _ in here.values()), size)


def _refuse_users(url: str) -> None:
    users = equality.users_of(url)
    if users:
        raise DatabaseMoveRefused(Message("database-in-use", users=", ".join(users)))
