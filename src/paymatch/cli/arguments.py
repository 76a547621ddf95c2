"""Arguments and options that many commands have, and how their values are read."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO, Final, TypeVar, cast

import typer

from paymatch.cli.listing import AsCsv, AsJson
from paymatch.domain.shops.shop import SettingRefused
from paymatch.domain.words.message import Message

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from enum import StrEnum

    State = TypeVar("State", bound=StrEnum)

__all__ = [
    "AsCsv",
    "AsJson",
    "ConnectionArgument",
    "Day",
    "ShopArgument",
    "Yes",
    "name_of",
    "opened_file",
    "read_amount",
    "read_day",
    "read_states",
]

ShopArgument = Annotated[
    str,
    typer.Argument(
        metavar="SHOP",
        help="Id or name of the shop; by default that of PAYMATCH_SHOP, or the only one.",
        default_factory=str,
        show_default=False,
    ),
]
STANDARD_INPUT: Final = "-"
ConnectionArgument = Annotated[
    str, typer.Argument(metavar="ID", help="Id of the connection; by default the only one.", show_default=False)
]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
DAY: Final = "YYYY-MM-DD"
Day = Annotated[str, typer.Option(metavar=DAY)]


@contextmanager
def opened_file(path: Path) -> Iterator[BinaryIO]:
    """The file for reading; `-` is standard input."""
    if path.name != STANDARD_INPUT:
        with path.open("rb") as stream:
            yield stream
        return
    from tempfile import TemporaryFile

    with TemporaryFile() as kept:  # files are read from the beginning more than once
        shutil.copyfileobj(sys.stdin.buffer, kept)
        kept.seek(0)
        yield cast("BinaryIO", kept)


def name_of(path: Path) -> str:
    """What a file is called in reports."""
    return "standard input" if path.name == STANDARD_INPUT else path.name


def read_day(text: str) -> date | None:
    """The day of `2026-03-01`, or as the API writes it `01-03-2026`; None for an empty text. SettingRefused else."""
    from paymatch.domain.calendar import parse_date

    if not text:
        return None
    for read in (date.fromisoformat, parse_date):
        try:
            return read(text)
        except ValueError:
            continue
    raise SettingRefused(Message("setting-invalid-date-format-should", text=text, day=DAY))


def read_amount(text: str, currency: str) -> int | None:
    """Minor units of `12.30` in a currency; None for an empty text. SettingRefused if it cannot be read."""
    from paymatch.domain.money import AmountUnreadable, currency_of, text_to_minor

    try:
        return text_to_minor(text, currency_of(currency)) if text else None
    except AmountUnreadable as error:
        raise SettingRefused(error.message) from None


def read_states(texts: Sequence[str] | None, states: type[State]) -> list[State]:
    """The states of these names in upper or lower case; SettingRefused with the names that exist."""
    known: dict[str, Any] = {each.value.lower(): each for each in _members(states)}
    try:
        return [known[text.lower()] for text in texts or ()]
    except KeyError as error:
        raise SettingRefused(
            Message("setting-unknown-status", status=str(error), states=", ".join(_members(states)))
        ) from None


def _members(states: type[State]) -> Iterable[State]:
    return states
