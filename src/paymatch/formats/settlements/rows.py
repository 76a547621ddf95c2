"""Rows of a settlement file, one at a time with their line, and which of them is the heading."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import BinaryIO, Final

from paymatch.domain.words.faults import UnreadableValue
from paymatch.domain.words.message import Message
from paymatch.formats.settlements.layouts import Layout, heading_word
from paymatch.formats.statement import FileRefused
from paymatch.formats.text_decoding import WESTERN, encoding_of, errors_in

HEAD_BYTES: Final = 1 << 16
_MAX_HEADING: Final = 40  # rows above which a heading is looked for
_DELIMITERS: Final = ",;\t|"
_MAX_COLUMNS: Final = 512

Row = tuple[int, list[str]]
"""Line where the row begins, counted from 1, and its cells."""


class RowBroken(UnreadableValue):
    """A row that a broken file has cut, shifted or run together with the next."""


class RowWidths:
    """Compares rows with their heading: a cell beyond it, or a missing one that all rows above have, is a fault.

    Some programs leave out empty cells at the end of a row; those may be missing. `needed` are the places of cells that
    say what the row does.
    """

    def __init__(self, heading: Sequence[str], needed: Iterable[int]) -> None:
        self._width = _filled_width(heading)
        self._always_filled: set[int] | None = None
        self._needed = frozenset(needed)

    def check(self, cells: Sequence[str]) -> None:
        """RowBroken where the cells cannot be those of the headings."""
        width = _filled_width(cells)
        if width > self._width:
            raise RowBroken(Message("row-too-wide", cells=width, headings=self._width))
        filled = {place for place in self._always_filled or self._needed if place < width and cells[place].strip()}
        if self._always_filled and max(self._always_filled) >= len(cells):
            raise RowBroken(Message("row-cut", cells=len(cells), headings=self._width))
        self._always_filled = filled


def _filled_width(cells: Sequence[str]) -> int:
    width = len(cells)
    while width and not cells[width - 1].strip():
        width -= 1
    return width


@dataclass(frozen=True, slots=True)
class Recognised:
    """A file that is a settlement: its layout, and how its text is to be cut into rows."""

    layout: Layout
    delimiter: str
    encoding: str
    heading: int  # line of the heading
    has_quotes: bool = True  # Amazon writes quotation marks as they are


def recognise_settlement(stream: BinaryIO, layouts: Iterable[Layout]) -> Recognised | None:
    """What settlement the file is, by its headings; None if it is none of these. `stream` is put back."""
    start = stream.tell()
    head = stream.read(HEAD_BYTES)
    stream.seek(start)
    encoding, mark = encoding_of(head)
    text = head[mark:].decode(encoding, errors="ignore")
    if len(head) == HEAD_BYTES:
        text = text[: text.rfind("\n") + 1]
    known = tuple(layouts)
    for delimiter in _DELIMITERS:
        if delimiter not in text:
            continue
        has_quotes = delimiter != "\t" or '"\t"' in text
        for line, cells in _head_rows(text, delimiter, has_quotes=has_quotes):
            found = next((each for each in known if each.fits(cells)), None)
            if found is not None:
                return Recognised(found, delimiter, encoding, line, has_quotes)
    return None


def _head_rows(text: str, delimiter: str, *, has_quotes: bool) -> Iterator[Row]:
    try:
        for place, row in enumerate(_rows(io.StringIO(text, newline=""), delimiter, has_quotes=has_quotes)):
            if place >= _MAX_HEADING:
                return
            yield row
    except FileRefused:
        return  # with this delimiter it is no table


def rows_of(stream: BinaryIO, found: Recognised) -> Iterator[Row]:
    """All rows of the file that say something, heading included; FileRefused names the row that is no text."""
    errors = errors_in(WESTERN) if found.encoding == "utf-8" else "strict"  # a letter far below may be of an old page
    start = stream.tell()
    _, mark = encoding_of(stream.read(4))
    stream.seek(start + mark)
    wrapper = io.TextIOWrapper(stream, encoding=found.encoding, errors=errors, newline="")
    try:
        yield from _rows(wrapper, found.delimiter, has_quotes=found.has_quotes)
    finally:
        if not stream.closed:
            wrapper.detach()  # the stream is the caller's to close


def head_rows(stream: BinaryIO, found: Recognised) -> list[list[str]]:
    """The cells below the heading within the first 64 KB, to see how numbers and dates are written."""
    start = stream.tell()
    head = stream.read(HEAD_BYTES)
    stream.seek(start)
    text = head[encoding_of(head)[1] :].decode(found.encoding, errors="ignore")
    text = text[: text.rfind("\n") + 1] or text
    rows = _rows(io.StringIO(text, newline=""), found.delimiter, has_quotes=found.has_quotes)
    sample: list[list[str]] = []
    with suppress(FileRefused):  # a row that is cut here, or broken: reading the file names it
        sample += (cells for line, cells in rows if line > found.heading)
    return sample


def places_of(layout: Layout, cells: list[str]) -> dict[str, list[int]]:
    """Per kind of column the places in a row with this heading, best first; a `*` ends a beginning."""
    words = [heading_word(cell) for cell in cells]
    found: dict[str, list[int]] = {}
    for what, names in layout.columns.items():
        places: list[int] = []
        for name in names:
            wanted = heading_word(name)
            places += [
                place
                for place, word in enumerate(words)
                if (word == wanted or (name.endswith("*") and word.startswith(wanted))) and place not in places
            ]
        if places:
            found[what.value] = places
    return found


def _rows(lines: Iterable[str], delimiter: str, *, has_quotes: bool) -> Iterator[Row]:
    reader = csv.reader(
        _without_zeros(lines),
        delimiter=delimiter,
        quoting=csv.QUOTE_MINIMAL if has_quotes else csv.QUOTE_NONE,
        strict=True,
    )
    line = 1
    try:
        for cells in reader:
            if len(cells) > _MAX_COLUMNS:
                raise RowBroken(Message("row-columns", count=len(cells)))
            if any(cells):
                yield line, cells
            line = reader.line_num + 1
    except RowBroken as error:
        raise FileRefused(Message("file-row", row=str(line), what=error.message)) from None
    except UnicodeDecodeError as error:
        encoding = Message("file-not-all-in", encoding=error.encoding, error=error.reason)
        raise FileRefused(Message("file-row", row=str(line), what=encoding)) from None
    except csv.Error as error:
        what = Message("row-cell-long", most=csv.field_size_limit()) if "limit" in str(error) else Message("row-quotes")
        raise FileRefused(Message("file-row", row=str(line), what=what)) from None


def _without_zeros(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        if "\0" in line:
            raise RowBroken(Message("row-zero"))
        yield line


def tables_in(stream: BinaryIO) -> Iterator[list[list[str]]]:
    """The first rows of a file as each of the usual separators would cut them. `stream` is put back."""
    start = stream.tell()
    head = stream.read(HEAD_BYTES)
    stream.seek(start)
    encoding, mark = encoding_of(head)
    text = head[mark:].decode(encoding, errors="ignore")
    for delimiter in _DELIMITERS:
        if delimiter in text:
            yield [cells for _, cells in _head_rows(text, delimiter, has_quotes=True)]
