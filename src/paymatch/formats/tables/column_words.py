"""Words of account exports in the languages of Europe, from `words.toml`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final, TypeVar

import msgspec

from paymatch.formats.tables.data_files import DataFileBroken, parse_data_file, read_data_file
from paymatch.formats.tables.profiles import CsvField, header_word, mark_word

_FILE: Final = "words.toml"
_MONTHS: Final = 12
_Strings = tuple[str, ...]
T = TypeVar("T")


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file's structure; the file explains each list."""

    net_headers: _Strings
    vague_references: _Strings
    other_side: _Strings
    booked: _Strings
    names: _Strings
    own_side: _Strings
    vague_totals: _Strings
    totals: _Strings
    total_days: _Strings
    credit_marks: _Strings
    debit_marks: _Strings
    mark_pairs: tuple[tuple[str, str], ...]
    pending: _Strings
    void: _Strings
    returns: _Strings
    months: tuple[_Strings, ...]
    headers: dict[CsvField, _Strings]


@dataclass(frozen=True, slots=True)
class ColumnWords:
    """The words of the file, ready for lookups; the file explains each set."""

    headers: Mapping[str, CsvField]
    joined_headers: Mapping[str, CsvField]  # without the blanks between words, as programs name columns: accountNumber
    net_headers: frozenset[str]
    vague_references: frozenset[str]
    other_side: re.Pattern[str]
    booked: re.Pattern[str]
    names: frozenset[str]
    own_side: frozenset[str]
    vague_totals: frozenset[str]
    totals: frozenset[str]
    total_days: frozenset[str]
    marks: Mapping[str, str]  # mark in lower case -> "credit" or "debit"
    mark_pairs: tuple[Mapping[str, str], ...]  # likewise, of marks that say something only beside each other
    pending: frozenset[str]
    void: frozenset[str]
    returns: tuple[str, ...]
    months: Mapping[str, int]  # name in lower case -> 1 to 12

    def marks_of(self, header: str, cells: Iterable[str]) -> Mapping[str, str]:
        """What the marks of a column mean: a pair if both of it are there, or the header (`B/D`) names it."""
        said = {mark_word(cell) for cell in cells if cell}
        named = set(header_word(header).split())
        pairs = (pair for pair in self.mark_pairs if said <= set(pair) and (said == set(pair) or named == set(pair)))
        return next(pairs, self.marks)


@cache
def words() -> ColumnWords:
    """The words that the package brings."""
    return _check_words(read_data_file(_FILE, _File))


def parse_words(text: str) -> ColumnWords:
    """The words of a file's text; DataFileBroken if a word is not in normalised form, or occurs twice."""
    return _check_words(parse_data_file(text, _FILE, _File))


def _check_words(file: _File) -> ColumnWords:
    compared = (
        *(file.net_headers, file.vague_references, file.vague_totals, file.totals, file.total_days),
        *(file.names, file.own_side),
        *(file.pending, file.void, file.returns, *file.headers.values()),
    )
    for word in (word for listed in compared for word in listed):
        if header_word(word) != word or not word:
            raise DataFileBroken(f"{_FILE}: {word!r} is written {header_word(word)!r} where it is compared")
    pairs = (mark for pair in file.mark_pairs for mark in pair)
    for mark in (*file.credit_marks, *file.debit_marks, *pairs):
        if mark_word(mark) != mark:
            raise DataFileBroken(f"{_FILE}: {mark!r} is written {mark_word(mark)!r} where it is compared")
    if len(file.months) != _MONTHS:
        raise DataFileBroken(f"{_FILE}: months: {len(file.months)} lists instead of {_MONTHS}")
    sides = (("credit", file.credit_marks), ("debit", file.debit_marks))
    marks = ((mark, side) for side, listed in sides for mark in listed)
    headers = _unique("headers", ((word, what) for what, listed in file.headers.items() for word in listed))
    return ColumnWords(
        headers=headers,
        joined_headers=_join_words(headers),
        net_headers=frozenset(file.net_headers),
        vague_references=frozenset(file.vague_references),
        other_side=re.compile("|".join(map(re.escape, file.other_side))),
        booked=re.compile("|".join(map(re.escape, file.booked))),
        names=frozenset(file.names),
        own_side=frozenset(file.own_side),
        vague_totals=frozenset(file.vague_totals),
        totals=frozenset(file.totals),
        total_days=frozenset(file.total_days),
        marks=_unique("marks", marks),
        mark_pairs=tuple({out: "debit", into: "credit"} for out, into in file.mark_pairs),
        pending=frozenset(file.pending),
        void=frozenset(file.void),
        returns=file.returns,
        months=_unique("months", ((name, number) for number, names in enumerate(file.months, 1) for name in names)),
    )


def _unique(what: str, pairs: Iterable[tuple[str, T]]) -> Mapping[str, T]:
    found: dict[str, T] = {}
    for word, value in pairs:
        if word in found:
            raise DataFileBroken(f"{_FILE}: {what}: {word!r} appears twice")
        found[word] = value
    return found


def _join_words(headers: Mapping[str, CsvField]) -> Mapping[str, CsvField]:
    """The headers of two words and more, written as one; without those that would mean two things."""
    means: dict[str, set[CsvField]] = {}
    for word, what in headers.items():
        if " " in word:
            means.setdefault(word.replace(" ", ""), set()).add(what)
    return {word: next(iter(fields)) for word, fields in means.items() if len(fields) == 1}
