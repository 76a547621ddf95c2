"""The whole database as a stream, by PostgreSQL's own pg_dump and pg_restore."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Final

import psycopg
from psycopg.conninfo import conninfo_to_dict

from paymatch.domain.refusal import Refused
from paymatch.domain.words.message import Message
from paymatch.store.service_role import create_group_roles

_PIECE: Final = 1 << 20

_DUMP: Final = ("pg_dump", "--format=custom", "--no-owner", "--no-unlogged-table-data", "--exclude-extension=*")
_SCRIPT: Final = ("pg_restore", "--no-owner", "--file=-")
_RUN: Final = ("psql", "--no-psqlrc", "--quiet", "--single-transaction", "--set=ON_ERROR_STOP=1", "--file=-")

_NEWER_SETTINGS: Final[Mapping[int, bytes]] = {17: b"SET transaction_timeout = 0;\n"}
"""The script's first setting that older servers do not know; it only sets the default."""

_FREE: Final = "SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user"


class DumpRefused(Refused):
    """The database cannot be dumped or restored; the text ends with PostgreSQL's own words."""


def check_role(url: str) -> None:
    """DumpRefused if row-level security binds the role of `url`: it would read, or change, only some of the rows."""
    with psycopg.connect(url, autocommit=True) as connection:
        if connection.execute(_FREE).fetchone() != (True,):
            raise DumpRefused(Message("dump-database-role-bound-row", user=connection.info.user))


def pg_dump_stream(url: str, programs: Path) -> Iterator[bytes]:
    """The database as of one moment, in pg_dump's custom format, piece by piece; others continue reading and writing.

    DumpRefused.
    """
    with tempfile.TemporaryFile() as words:
        process = _start(_DUMP, url, programs, words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        with _ending(process):
            yield from _pieces(process)
            if process.wait() != 0:
                raise DumpRefused(Message("dump-database-could-not-dumped", words=_error_text(words)))


def restore(url: str, programs: Path, dump: IO[bytes], afterwards: str, tell: Callable[[int], None]) -> None:
    """Fills an empty database from a dump of `dumped`, and runs `afterwards`: all in one transaction, or nothing.

    `dump` is a file of the system; `tell` gets the number of bytes of SQL run. DumpRefused.
    """
    with psycopg.connect(url, autocommit=True) as connection:
        create_group_roles(connection)
        version = connection.info.server_version // 10_000
    with tempfile.TemporaryFile() as words:
        script = _start(_SCRIPT, url, programs, words, stdin=dump, stdout=subprocess.PIPE)
        run = _start(_RUN, url, programs, words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        assert run.stdin is not None
        with _ending(script), _ending(run):
            done = 0
            with suppress(BrokenPipeError):  # it has ended, and says why
                for piece in compatible_script(_pieces(script), version):
                    run.stdin.write(piece)
                    done += len(piece)
                    tell(done)
                if script.wait() == 0:  # else the end is missing, and nothing is committed
                    run.stdin.write(b"RESET search_path;\n" + afterwards.encode())  # the script empties it
                    run.stdin.close()
                    run.wait()
            if run.poll() != 0:
                raise DumpRefused(Message("dump-database-could-not-restored", words=_error_text(words)))


def compatible_script(script: Iterator[bytes], version: int) -> Iterator[bytes]:
    """The script without settings at its beginning that a server of this major version does not know yet."""
    first = next(script, b"")
    for since, setting in _NEWER_SETTINGS.items():
        if version < since:
            first = first.replace(setting, b"", 1)
    yield first
    yield from script


def migrations_in(url: str) -> list[str]:
    """Names of the migrations that the database has, in order; empty for an empty database."""
    with psycopg.connect(url, autocommit=True) as connection:
        known = connection.execute("SELECT to_regclass('migrations')").fetchone()
        if known is None or known[0] is None:
            return []
        return [row[0] for row in connection.execute("SELECT name FROM migrations WHERE name LIKE '%.sql' ORDER BY 1")]


def version_of(url: str) -> str:
    """The version of the server, such as `18.1`."""
    with psycopg.connect(url, autocommit=True) as connection:
        row = connection.execute("SHOW server_version").fetchone()
    assert row is not None
    return str(row[0])


def _start(
    command: Sequence[str], url: str, programs: Path, words: IO[bytes], *, stdin: IO[bytes] | int, stdout: int
) -> subprocess.Popen[bytes]:
    """The program, with the connection in its environment: other users of the machine read arguments."""
    name, *arguments = command
    return subprocess.Popen(  # noqa: S603  fixed programs and options, no shell
        [str(programs / "bin" / name), *arguments], stdin=stdin, stdout=stdout, stderr=words, env=_environment(url)
    )


@contextmanager
def _ending(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Ends the process with the block, even if it fails."""
    try:
        yield
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(BrokenPipeError):
                    pipe.close()


def _pieces(process: subprocess.Popen[bytes]) -> Iterator[bytes]:
    assert process.stdout is not None
    while piece := process.stdout.read(_PIECE):
        yield piece


_VARIABLES: Final[Mapping[str, str]] = {
    "host": "PGHOST", "hostaddr": "PGHOSTADDR", "port": "PGPORT", "dbname": "PGDATABASE", "user": "PGUSER",
    "password": "PGPASSWORD", "sslmode": "PGSSLMODE", "sslrootcert": "PGSSLROOTCERT", "sslcert": "PGSSLCERT",
    "sslkey": "PGSSLKEY", "options": "PGOPTIONS", "channel_binding": "PGCHANNELBINDING",
    "target_session_attrs": "PGTARGETSESSIONATTRS", "connect_timeout": "PGCONNECT_TIMEOUT",
}  # fmt: skip


def _environment(url: str) -> dict[str, str]:
    """libpq's variables for the URL. DumpRefused for a part of it that has none."""
    parts = conninfo_to_dict(url)
    unknown = sorted(parts.keys() - _VARIABLES.keys())
    if unknown:
        raise DumpRefused(Message("dump-database-url-which-cannot", names=", ".join(unknown)))
    own = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", "PGAPPNAME": "paymatch backup"}
    return own | {_VARIABLES[name]: str(value) for name, value in parts.items() if value is not None}


def _error_text(words: IO[bytes]) -> str:
    words.seek(0)
    text = words.read(20_000).decode("utf-8", "replace")
    return " / ".join(line for line in text.splitlines() if line.strip())[-1500:] or "it was stopped"
