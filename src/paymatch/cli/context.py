"""Shared context of the commands: settings, the opened database, the chosen shop, one clear line per refusal."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any, NoReturn, ParamSpec, TypeVar

import typer

from paymatch.cli.terminal import one_line, print_fields, print_json, print_table
from paymatch.domain.refusal import Refused
from paymatch.domain.shops.shop import SettingRefused
from paymatch.domain.words.message import Message

if TYPE_CHECKING:
    from paymatch.domain.shops.audit import Actor
    from paymatch.domain.shops.shop import Shop
    from paymatch.settings import Settings
    from paymatch.store.database import Database
    from paymatch.store.transactions import ShopTx
    from paymatch.store.work.id_prefixes import Numbered

P = ParamSpec("P")
R = TypeVar("R")
_SHOWN_IDS = 3
"""How many ids a refusal names."""
_LEAST_ID = 8
"""Characters of an id that name a shop."""


def command(function: Callable[P, R]) -> Callable[P, R]:
    """A command whose refusals end with one clear line, JSON where the command prints JSON, and exit code 1."""

    @wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except Exception as error:
            words = words_of(error)
            if words is None:
                raise
            fail(words, as_json=bool(kwargs.get("as_json")))

    return run


def words_of(error: Exception) -> str | None:
    """The error line for the caller of the command; None for Typer's own exits, and for bugs."""
    if isinstance(error, typer.Abort | typer.Exit | typer.TyperException | BrokenPipeError):
        return None  # broken pipe: the reader has seen enough, like `head`
    import psycopg

    from paymatch.store.transactions import LockNotAcquired

    if isinstance(error, LockNotAcquired):
        return "Could not acquire lock: another process works on the same rows, please try again"
    if isinstance(error, psycopg.OperationalError):
        return f"The database does not answer: {str(error).strip().splitlines()[0]}"
    if isinstance(error, Refused):
        return _with_what_is_taken(error)
    from paymatch.system_errors import in_a_sentence

    return in_a_sentence(error) if isinstance(error, OSError) else None


def _with_what_is_taken(refusal: Refused) -> str:
    """The refusal, and the accepted values if its text does not name them."""
    text = str(refusal)
    if any(value not in text for value in refusal.allowed):
        return f"{text} (one of {', '.join(refusal.allowed)})"
    return f"{text} (expected: {refusal.expected})" if refusal.expected and refusal.expected not in text else text


def fail(text: str, *, as_json: bool = False) -> NoReturn:
    """Writes one line to stderr, as JSON `{"error": ...}` if results are JSON, and ends with exit code 1."""
    tell_error(text, as_json=as_json)
    raise typer.Exit(1)


def tell_error(text: str, *, as_json: bool = False) -> None:
    """Writes one line about what went wrong to stderr."""
    import json

    words = one_line(text)
    typer.echo(json.dumps({"error": words}, ensure_ascii=False) if as_json else f"Error: {words}", err=True)


def loaded_settings() -> Settings:
    """The settings of this environment; variables that are not a setting are reported on stderr, one line each."""
    from paymatch.settings import load_settings, unknown_variables

    found = load_settings()
    for sentence in unknown_variables(os.environ):
        typer.echo(f"Warning: {sentence}", err=True)
    return found


def settings() -> Settings:
    """The settings of this environment; logs go to stderr and stay quiet below warnings."""
    from paymatch.logs import set_up_logs

    found = loaded_settings()
    set_up_logs(found.log_format, "warning" if found.log_level == "info" else found.log_level)
    return found


@contextmanager
def database_of_command(*, create: bool = False) -> Iterator[Database]:
    """The database, embedded or the operator's, for the duration of a command; only with `create` is one made."""
    from paymatch.installation import open_database

    with open_database(settings(), actor=whoever_runs_this(), create=create) as database:
        yield database


def whoever_runs_this() -> Actor:
    """The account that the command runs under, and the one that became root by sudo."""
    from paymatch.domain.shops.audit import Actor, ActorKind

    name, before = _account(os.geteuid()), os.environ.get("SUDO_USER", "")
    return Actor(ActorKind.COMMAND, f"{name} (sudo by {before})" if before and before != name else name)


def _account(uid: int) -> str:
    import pwd

    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"uid {uid}"


@contextmanager
def opened_shop(text: str) -> Iterator[tuple[Database, Shop]]:
    """The database and the shop that is meant; an empty text is the shop of PAYMATCH_SHOP, or the only one."""
    with database_of_command() as database:
        yield database, find_shop(database, text)


@contextmanager
def shop_transaction(text: str) -> Iterator[ShopTx]:
    """A transaction of the shop that is meant."""

    with opened_shop(text) as (database, shop), database.of_shop(shop) as tx:
        yield tx


def find_shop(database: Database, text: str) -> Shop:
    """The shop of an id, the beginning of an id or a name; for an empty text the default shop."""
    from paymatch.usecases.shops import shops

    chosen = text or settings().shop
    return shops.find(database, chosen) if chosen else shops.only_one(database)


def whole_id(tx: ShopTx, what: Numbered, text: str) -> str:
    """The only id of the shop that begins with a text; the text itself if none does, which the command then refuses.

    SettingRefused if several do, with the first of them.
    """
    from paymatch.store.work.id_prefixes import beginning_with

    found = beginning_with(tx, what, text, _SHOWN_IDS)
    if text not in found and not found and _is_named(tx.shop, text):
        noun = (
            what.removesuffix("s")
            .replace("order_sync", "synchronisation")
            .replace("order_import", "import")
            .replace("_", " ")
        )
        raise SettingRefused(Message("setting-shop-id-missing-command", text=repr(text), noun=noun))
    if text in found or not found:
        return text
    if len(found) > 1:
        raise SettingRefused(Message("setting-beginning-several-ids-such", text=repr(text), found=", ".join(found)))
    return found[0]


def _is_named(shop: Shop, text: str) -> bool:
    """Whether a text is the name or the id of this shop, or the beginning of its id as commands take it."""
    return text.casefold() == shop.name.casefold() or (len(text) >= _LEAST_ID and str(shop.id).startswith(text.lower()))


@command
def names_a_shop(text: str, *, as_json: bool) -> bool:
    """Whether a word of the command line is the id or the name of a shop; ends with exit code 1 without a database."""
    del as_json  # how `command` shows a refusal
    from paymatch.domain.shops.shop import ShopUnknown
    from paymatch.usecases.shops import shops

    with database_of_command() as database:
        try:
            shops.find(database, text)
        except ShopUnknown:
            return False
        except SettingRefused:  # several: the command says so
            return True
    return True


def confirm(question: str, *, yes: bool) -> None:
    """Returns if the person at the terminal agrees, or `--yes` says so; ends with exit code 1 otherwise.

    Without a terminal nothing is done: irreversible actions need `--yes`.
    """
    if yes:
        return
    question = one_line(question)
    if not sys.stdin.isatty():
        raise SettingRefused(Message("setting-cannot-undone-add-yes", question=question))
    typer.confirm(question, abort=True, err=True)


def show(value: Any, *, as_json: bool, columns: Sequence[str] = (), title: str = "") -> None:
    """Prints a result: JSON, a table of dicts with these columns, or its fields one per line."""
    if as_json:
        print_json(value)
    elif isinstance(value, list):
        print_table(value, columns or (list(value[0]) if value else ()), title=title)
    else:
        print_fields(value)


def parse_settings(pairs: Sequence[str]) -> dict[str, str]:
    """KEY=VALUE arguments as a dict; SettingRefused if one has no `=`."""
    found: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise SettingRefused(Message("setting-not-form-key-value", pair=repr(pair)))
        found[name.strip().lower()] = value.strip()
    return found
