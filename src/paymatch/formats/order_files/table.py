"""The rows of an order table, CSV or XLSX: text cells below a row of headings, within limits."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

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


def read_order_table(data: bytes, most_bytes: int = MAX_BYTES, most_rows: int = MAX_ROWS) -> OrderTable:
    """The table of a file; FileRefused if it is none, or has too many rows."""
    if len(data) > most_bytes:
        raise FileRefused(Message("file-more-megabytes", megabytes=most_bytes // 1024**2))
    stream = io.BytesIO(data)
    rows = list(rows_of_workbook(stream)) if is_workbook(stream) else _rows_of_text(data)
    if not rows:
        raise FileRefused(Message("file-no-rows"))
    place = next((at for at, (_, cells) in enumerate(rows[:_HEADING_WITHIN]) if is_order_heading(cells)), 0)
    headings = _headings(rows[place][1])
    below = rows[place + 1 :]
    if len(below) > most_rows:
        raise FileRefused(Message("file-too-many-rows", count=most_rows))
    width = len(headings)
    return OrderTable(headings, tuple((row, _cells(cells, width)) for row, cells in below))


def _rows_of_text(data: bytes) -> list[tuple[int, list[str]]]:
    lines = list(lines_of(io.BytesIO(data)))
    if not any(line.strip() for line in lines):
        return []
    delimiter = delimiter_of(lines[:200])
    return [(row.line, list(row.cells)) for row in rows_of(lines, delimiter)]


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
