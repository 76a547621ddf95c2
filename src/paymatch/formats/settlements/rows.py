"""Rows of a settlement file, one at a time with their line, and which of them is the heading."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO, Final

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
    wrapper = io.TextIOWrapper(stream, encoding=_with_mark(found.encoding), errors=errors, newline="")
    try:
        yield from _rows(wrapper, found.delimiter, has_quotes=found.has_quotes)
    except UnicodeDecodeError as error:
        raise FileRefused(Message("file-not-all-in", encoding=found.encoding, error=error.reason)) from None
    finally:
        if not stream.closed:
            wrapper.detach()  # the stream is the caller's to close


def head_rows(stream: BinaryIO, found: Recognised) -> list[list[str]]:
    """The cells below the heading within the first 64 KB, to see how numbers and dates are written."""
    start = stream.tell()
    head = stream.read(HEAD_BYTES)
    stream.seek(start)
    text = head.decode(_with_mark(found.encoding), errors="ignore")
    text = text[: text.rfind("\n") + 1] or text
    rows = _rows(io.StringIO(text, newline=""), found.delimiter, has_quotes=found.has_quotes)
    return [cells for line, cells in rows if line > found.heading]


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
    reader = csv.reader(lines, delimiter=delimiter, quoting=csv.QUOTE_MINIMAL if has_quotes else csv.QUOTE_NONE)
    line = 1
    try:
        for cells in reader:
            if len(cells) > _MAX_COLUMNS:
                raise FileRefused(Message("file-row", row=str(line), what=Message("row-columns", count=len(cells))))
            if any(cells):
                yield line, cells
            line = reader.line_num + 1
    except csv.Error as error:
        raise FileRefused(Message("file-row", row=str(line), what=Message("text", value=str(error)))) from None


def _with_mark(encoding: str) -> str:
    return "utf-8-sig" if encoding == "utf-8" else encoding.removesuffix("-le").removesuffix("-be")


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
