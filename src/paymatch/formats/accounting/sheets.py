"""Tables as CSV and XLSX: typed cells, no text that a spreadsheet takes for a formula, flat memory."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any, BinaryIO, Final

import xlsxwriter

from paymatch.formats.documents.cells import text_cell

Cell = str | int | Decimal | date | datetime | None

_CHUNK: Final = 64_000


class Shape(StrEnum):
    """How a spreadsheet shows a column."""

    PLAIN = ""
    MONEY = "#,##0.00"
    DAY = "yyyy-mm-dd"
    MOMENT = "yyyy-mm-dd hh:mm"


def csv_chunks(header: Sequence[str], rows: Iterable[Sequence[Cell]]) -> Iterator[bytes]:
    """The table as CSV (RFC 4180) in UTF-8, in pieces as the rows are read; days as in ISO 8601.

    A moment that has a time zone says it: `2026-03-02 08:42:00+00:00`.
    """
    return csv_lines(header, ([csv_text(value) for value in row] for row in rows))


def csv_lines(header: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[bytes]:
    """The same of cells that are texts already, as `csv_text` makes them."""
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(header)
    for row in rows:
        writer.writerow(row)
        if buffer.tell() > _CHUNK:
            yield buffer.getvalue().encode()
            buffer.seek(0)
            buffer.truncate()
    yield buffer.getvalue().encode()


def csv_text(value: Cell) -> str:
    """A cell as text. A text that a spreadsheet would take for a formula begins with an apostrophe; numbers do not."""
    if value is None:
        return ""
    if isinstance(value, datetime):
        return value.isoformat(sep=" ", timespec="seconds")
    if isinstance(value, date):
        return value.isoformat()
    return text_cell(value) if isinstance(value, str) else str(value)


def write_xlsx(
    file: BinaryIO, name: str, header: Sequence[str], shapes: Sequence[Shape], rows: Iterable[Sequence[Cell]]
) -> None:
    """Writes the table as XLSX (ECMA-376): numbers and days as such, all else as text.

    Moments have no time zone there: one that they are handed over with is left out.
    """
    options = {"constant_memory": True, "strings_to_formulas": False, "remove_timezone": True}
    book = xlsxwriter.Workbook(file, options)
    formats = {shape: book.add_format({"num_format": shape.value}) for shape in Shape if shape}
    sheet = book.add_worksheet(name[:31])  # the most that a spreadsheet takes
    for place, title in enumerate(header):
        sheet.write_string(0, place, title)
    for number, row in enumerate(rows, 1):
        for place, value in enumerate(row):
            _write(sheet, number, place, value, formats.get(shapes[place]))
    book.close()


def _write(sheet: Any, row: int, place: int, value: Cell, style: Any) -> None:
    if value is None:
        return
    if isinstance(value, datetime | date):
        sheet.write_datetime(row, place, value, style)
    elif isinstance(value, Decimal | int) and not isinstance(value, bool):
        sheet.write_number(row, place, value, style)
    else:
        sheet.write_string(row, place, str(value))
