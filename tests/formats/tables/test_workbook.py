"""Workbooks are tables: values as they were typed, within limits, row by row."""

from __future__ import annotations

import tracemalloc
import zipfile
from collections.abc import Sequence
from datetime import datetime
from io import BytesIO

import pytest
import xlsxwriter

from paymatch.formats.read import read_statements
from paymatch.formats.statement import Entry, FileRefused
from paymatch.formats.tables.workbook import WorkbookLimits, csv_of_workbook, is_workbook, rows_of_workbook

_NS = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def _book(sheet: str, **parts: str) -> BytesIO:
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.xml", parts.get("workbook", f'<workbook xmlns="{_NS}"/>'))
        if "shared" in parts:
            archive.writestr("xl/sharedStrings.xml", parts["shared"])
        archive.writestr("xl/worksheets/sheet1.xml", sheet)
    return out


def _sheet(rows: str) -> str:
    return f'<worksheet xmlns="{_NS}"><sheetData>{rows}</sheetData></worksheet>'


def _written(rows: Sequence[Sequence[object]], **options: object) -> BytesIO:
    out = BytesIO()
    book = xlsxwriter.Workbook(out, options)
    sheet, day = book.add_worksheet(), book.add_format({"num_format": "dd.mm.yyyy hh:mm"})
    for place, row in enumerate(rows):
        for column, cell in enumerate(row):
            if isinstance(cell, datetime):
                sheet.write_datetime(place, column, cell, day)
            else:
                sheet.write(place, column, cell)
    book.close()
    out.seek(0)
    return out


@pytest.mark.parametrize("options", [{}, {"date_1904": True}], ids=["1900", "1904"])
def test_numbers_and_moments_are_what_was_typed(options: dict[str, object]) -> None:
    rows: list[list[object]] = [
        ["Day", "Amount", "Text"],
        [datetime(2026, 11, 18), 119.9, "a;b\nc"],  # noqa: DTZ001
        [],
        [datetime(2026, 11, 18, 10, 12, 44), 1049, 'say "x"'],  # noqa: DTZ001
    ]
    table = csv_of_workbook(_written(rows, **options)).read().decode()
    assert table == (
        'Day;Amount;Text\n2026-11-18;119.90;"a;b c"\n\n2026-11-18 10:12:44;1049;"say ""x"""\n'
    )  # row 4 is line 4


def test_a_statement_in_a_workbook_is_the_statement() -> None:
    rows: list[list[object]] = [
        ["Buchungstag", "Valutadatum", "Name Zahlungsbeteiligter", "IBAN Zahlungsbeteiligter", "Verwendungszweck",
         "Betrag", "Waehrung", "Saldo nach Buchung"],
        [datetime(2026, 11, 18), datetime(2026, 11, 18), "Eva Muster", "DE75512108001245126199",  # noqa: DTZ001
         "Rechnung SO-1", 58.77, "EUR", 158.77],
        [datetime(2026, 11, 19), datetime(2026, 11, 19), "Ida Muster", "DE75512108001245126199",  # noqa: DTZ001
         "Rechnung SO-2", -8.5, "EUR", 150.27],
    ]  # fmt: skip
    ((_, events),) = read_statements(_written(rows))
    assert [each.amount_minor for each in events if isinstance(each, Entry)] == [5877, -850]


@pytest.mark.parametrize(
    ("book", "reason"),
    [
        (_book(_sheet('<row r="1"><c r="A1"><v>1</v></c></row>' * 11)), "the workbook has more than 10 rows"),
        (_book(_sheet("x" * 40_000)), "the workbook is too large"),
        (_book(_sheet("")), "the workbook is empty"),
        (_book(_sheet("<row>")), "the workbook is damaged: "),
        (_book(_sheet('<row r="1"><c r="A1" t="s"><v>7</v></c></row>')), "the workbook is damaged: "),
        (_book(_sheet('<row r="1"><c r="A1" t="s"><v>-1</v></c></row>')), "the workbook is damaged: text '-1'"),
        (_book(_sheet('<row r="1"><c r="A1"><v>1E999999</v></c></row>')), "the workbook is damaged: number '1E999999'"),
        (_book(_sheet('<row r="1"><c r="A1"><v>NaN</v></c></row>')), "the workbook is damaged: number 'NaN'"),
        (
            _book(_sheet('<row r="1"><c r="B1"><v>1</v></c><c r="A1"><v>2</v></c></row>')),
            "the workbook is damaged: cell 'A1' comes late",
        ),
        (
            _book(_sheet('<row r="1"><c r="A1"><v>1</v></c><c r="A1"><v>2</v></c></row>')),
            "the workbook is damaged: cell 'A1' comes late",
        ),
        (_book(_sheet('<row r="1"><c r="1A"><v>7</v></c></row>')), "the workbook is damaged: cell '1A'"),
        (_book(_sheet('<row r="1"><c r="A1"><v>many</v></c></row>')), "the workbook is damaged: "),
        (
            _book(f'<!DOCTYPE x [<!ENTITY a "b">]>{_sheet("<row/>")}'),
            "the workbook contains a DOCTYPE, which is not allowed",
        ),
        (
            _book(_sheet("<row/>"), workbook=f'<!DOCTYPE x [<!ENTITY a "b">]><workbook xmlns="{_NS}"/>'),
            "the workbook contains a DOCTYPE, which is not allowed",
        ),
    ],
)
def test_what_is_no_sound_workbook_is_refused(book: BytesIO, reason: str) -> None:
    assert is_workbook(book)
    with pytest.raises(FileRefused) as refusal:
        list(rows_of_workbook(book, WorkbookLimits(rows=10, unpacked=32_000)))
    assert str(refusal.value).startswith(reason)


def test_memory_does_not_grow_with_the_rows() -> None:
    peaks = []
    for rows in (1_000, 8_000):
        cells = "".join(f'<row r="{n}"><c r="A{n}"><v>{n}</v></c></row>' for n in range(1, rows + 1))
        book = _book(_sheet(cells))
        tracemalloc.start()
        assert sum(1 for _ in rows_of_workbook(book)) == rows
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 2 * peaks[0]
