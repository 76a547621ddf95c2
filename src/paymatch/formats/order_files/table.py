"""The rows of an order table, CSV or XLSX: text cells below a row of headings, within limits."""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import BinaryIO, Final

from paymatch.domain.words.message import Message
from paymatch.formats.order_files.columns import is_order_heading
from paymatch.formats.statement import FileRefused
from paymatch.formats.tables.text import delimiter_of, lines_of, rows_of
from paymatch.formats.tables.workbook import is_workbook, rows_of_workbook

MAX_BYTES: Final = 20 * 1024 * 1024
MAX_ROWS: Final = 20_000
_HEADING_WITHIN: Final = 20
_GUARD: Final = "'"
_GUARDED: Final = frozenset(' \u00a0\ufeff"=+@＝＋－＠-')


@dataclass(frozen=True, slots=True)
class OrderTable:
    """Headings, and the rows below them with their places in the file, counted from 1."""

    headings: tuple[str, ...]
    rows: tuple[tuple[int, tuple[str, ...]], ...]

    @property
    def layout(self) -> str:
        """The identity of this layout: its headings."""
        return hashlib.sha256("\n".join(self.headings).encode()).hexdigest()[:32]


def refuse_large(stream: BinaryIO, most_bytes: int = MAX_BYTES) -> None:
    """FileRefused if a file is larger than any that is read; `stream` is put back to its beginning."""
    size = stream.seek(0, os.SEEK_END)
    stream.seek(0)
    if size > most_bytes:
        raise FileRefused(Message("file-more-megabytes", megabytes=most_bytes // 1024**2))


def read_order_table(data: bytes, most_bytes: int = MAX_BYTES, most_rows: int = MAX_ROWS) -> OrderTable:
    """The table of a file; FileRefused if it is none, or has too many rows: those behind the last one are not read."""
    stream = io.BytesIO(data)
    refuse_large(stream, most_bytes)
    rows = rows_of_workbook(stream) if is_workbook(stream) else _rows_of_text(stream)
    first = list(islice(rows, _HEADING_WITHIN))
    if not first:
        raise FileRefused(Message("file-no-rows"))
    place = next((at for at, (_, cells) in enumerate(first) if is_order_heading(cells)), 0)
    headings = _headings(first[place][1])
    width = len(headings)
    below = islice(chain(first[place + 1 :], rows), most_rows + 1)
    found = tuple((row, _cells(cells, width)) for row, cells in below)
    if len(found) > most_rows:
        raise FileRefused(Message("file-too-many-rows", count=most_rows))
    return OrderTable(headings, found)


_SEEN: Final = 200
"""Lines that show which delimiter a table has."""


def _rows_of_text(stream: BinaryIO) -> Iterator[tuple[int, list[str]]]:
    lines = lines_of(stream)
    begin = list(islice(lines, _SEEN))
    if not any(line.strip() for line in begin) and not any(line.strip() for line in lines):
        return
    for row in rows_of(chain(begin, lines), delimiter_of(begin)):
        yield row.line, list(row.cells)


def _headings(cells: Sequence[str]) -> tuple[str, ...]:
    """The headings; one without a text is called by its place, and one that is there before too."""
    found: list[str] = []
    for place, text in enumerate(cells, 1):
        plain = " ".join(text.replace("\ufeff", "").split())[:100]
        found.append(plain if plain and plain not in found else f"#{place}")
    return tuple(found)


def _cells(cells: Sequence[str], width: int) -> tuple[str, ...]:
    plain = tuple(_plain(each) for each in cells[:width])
    return plain + ("",) * (width - len(plain))


def _plain(text: str) -> str:
    """A cell without the apostrophe that keeps a spreadsheet from taking its text for a formula."""
    text = text.strip()
    return text[1:].strip() if text[:1] == _GUARD and text[1:2] in _GUARDED else text
