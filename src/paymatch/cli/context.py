"""What the commands share: the opened database, one clear line for every refusal, results as JSON or as a table."""

from __future__ import annotations

import csv
import os
import pwd
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import Annotated, Any, Final, NoReturn, ParamSpec, TypeVar

import msgspec
import psycopg
import typer
from rich.console import Console
from rich.table import Table

from paymatch.app import open_database
from paymatch.domain.refusal import Refused
from paymatch.domain.shops.audit import Actor, ActorKind
from paymatch.domain.shops.shop import SettingRefused
from paymatch.logs import set_up_logs
from paymatch.settings import Settings, load_settings
from paymatch.store.database import Database, LockNotAcquired

P = ParamSpec("P")
R = TypeVar("R")
AsCsv = Annotated[bool, typer.Option("--csv", help="Print CSV.")]
_NUMBER: Final = re.compile(r"-?\d+(\.\d+)?", re.ASCII)


def command(function: Callable[P, R]) -> Callable[P, R]:
    """A command whose refusals end with one clear line and exit code 1."""

    @wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except LockNotAcquired:
            fail("Could not acquire lock: another process works on the same rows, please try again")
        except Refused as error:
            fail(str(error))
        except psycopg.OperationalError as error:
            fail(f"The database does not answer: {str(error).strip().splitlines()[0]}")
        except OSError as error:
            fail(str(error))

    return run


def fail(text: str) -> NoReturn:
    """Writes one line to stderr and ends with exit code 1."""
    typer.echo(f"Error: {' '.join(text.split())}", err=True)
    raise typer.Exit(1)


@contextmanager
def opened() -> Iterator[Database]:
    """The migrated database, embedded or the operator's, for the duration of a command."""
    with open_database(settings(), actor=_whoever_runs_this()) as database:
        yield database


def _whoever_runs_this() -> Actor:
    """The account that the command runs under, and the one that became root by sudo."""
    name, before = _account(os.geteuid()), os.environ.get("SUDO_USER", "")
    return Actor(ActorKind.COMMAND, f"{name} (sudo by {before})" if before and before != name else name)


def _account(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"uid {uid}"


def settings() -> Settings:
    """The settings of this environment; logs go to stderr and stay quiet below warnings."""
    found = load_settings()
    set_up_logs(found.log_format, "warning" if found.log_level == "info" else found.log_level)
    return found


def show(value: Any, *, as_json: bool, columns: Sequence[str] = (), title: str = "") -> None:
    """Prints a result: JSON, a table of dicts with these columns, or its fields one per line."""
    if as_json:
        sys.stdout.write(msgspec.json.format(msgspec.json.encode(value, enc_hook=str), indent=2).decode() + "\n")
        return
    console = wide_console()
    if isinstance(value, list):
        table = Table(title=title or None)
        names = columns or (list(value[0]) if value else ())
        for name in names:
            table.add_column(name)
        for row in value:
            table.add_row(*(_cell(row.get(name)) for name in names))
        console.print(table)
        return
    for name, each in value.items():
        console.print(f"{name}: {_cell(each)}", highlight=False)


def show_list(rows: Sequence[Mapping[str, Any]], columns: Sequence[str], *, as_json: bool, as_csv: bool) -> None:
    """Prints a list as JSON, as CSV with these columns, or as a table of them. SettingRefused if both are wanted."""
    if as_json and as_csv:
        raise SettingRefused("--json or --csv, not both")
    if not as_csv:
        show(list(rows), as_json=as_json, columns=columns)
        return
    out = csv.writer(sys.stdout)
    out.writerow(columns)
    out.writerows([_csv_cell(row.get(name)) for name in columns] for row in rows)


def _csv_cell(value: Any) -> str:
    """The value as text that a spreadsheet takes for text, not for a formula."""
    text = _cell(value)
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") and not _NUMBER.fullmatch(text) else text


def wide_console() -> Console:
    """The terminal, or enough room for a table where the output goes into a file or another program."""
    return Console() if sys.stdout.isatty() else Console(width=200)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, msgspec.Raw):
        return bytes(value).decode()
    if isinstance(value, list | tuple | dict):
        return msgspec.json.encode(value, enc_hook=str).decode()
    return str(value)


def parse_settings(pairs: Sequence[str]) -> dict[str, str]:
    """KEY=VALUE arguments as a dict; SettingRefused if one has no `=`."""
    found: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise SettingRefused(f"{pair!r} is not of the form KEY=VALUE")
        found[name.strip().lower()] = value.strip()
    return found
