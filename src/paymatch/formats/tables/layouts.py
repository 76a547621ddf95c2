"""Differences between a statement and a list of orders: layouts of banks, and headings of no statement (D-82)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Final

import msgspec

from paymatch.formats.tables.column_words import words
from paymatch.formats.tables.columns import TableFile, field_of
from paymatch.formats.tables.data_files import DataFileBroken, read_data_file
from paymatch.formats.tables.profiles import CsvField, header_word

_FILE: Final = "lists.toml"
_Strings = tuple[str, ...]
_FREE: Final = frozenset({CsvField.TEXT, CsvField.NAME, CsvField.PAYER, CsvField.PAYEE})
"""Columns in which people write what they like."""


class _Layout(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    headings: _Strings


class _Lists(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file as it is written; what each list means is said there."""

    headings: dict[str, _Strings]
    order_states: _Strings
    things: _Strings
    beside_things: _Strings
    layout: tuple[_Layout, ...]


@cache
def _lists() -> _Lists:
    found = read_data_file(_FILE, _Lists)
    for word in (
        *found.order_states,
        *found.things,
        *found.beside_things,
        *(word for listed in found.headings.values() for word in listed),
    ):
        if header_word(word) != word or not word:
            raise DataFileBroken(f"{_FILE}: {word!r} is written {header_word(word)!r} where it is compared")
    return found


@cache
def _list_headings() -> frozenset[str]:
    return frozenset(word for listed in _lists().headings.values() for word in listed)


@cache
def _order_states() -> frozenset[str]:
    return frozenset(_lists().order_states) - words().pending - words().void


def known_layout(headings: Iterable[str]) -> str:
    """The bank whose exports have all of these headings; "" if no layout is known by them."""
    there = {header_word(heading) for heading in headings}
    known = (each for each in _lists().layout if {header_word(heading) for heading in each.headings} <= there)
    return next((each.name for each in known), "")


def list_headings(names: Sequence[str], table: TableFile | None) -> tuple[str, ...]:
    """The headings of a table that orders, invoices, customers, prices, articles or their states have, as written.

    A column `Status` is a bank's as long as no cell of it is the state of an order: `shipped`, `unpaid`. Without a
    table only the headings count.
    """
    found = []
    for index, name in enumerate(names):
        cells = {header_word(cell) for cell in table.column(index)} if table else set()
        if _is_of_a_list(header_word(name)) or (field_of(name) not in _FREE and cells & _order_states()):
            found.append(name.strip())
    return tuple(found)


def _is_of_a_list(heading: str) -> bool:
    """Whether no bank gives it to a column: it is known, or names one thing, with words beside it in any order."""
    if heading in _list_headings():
        return True
    named = [word for word in heading.split() if word not in _lists().beside_things]
    return len(named) == 1 and named[0] in _lists().things


def headings_of(names: Sequence[str], width: int) -> tuple[str, ...]:
    """How the layout of a table is remembered: its headings for comparison, or its width if it has none."""
    return tuple(sorted(header_word(name) for name in names)) if names else (f"#{width}",)
