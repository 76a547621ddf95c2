"""Tables of orders: their headings, their rows, and the limits at which reading ends."""

from __future__ import annotations

import io

import pytest
import xlsxwriter

from paymatch.domain.words.message import Message
from paymatch.formats.order_files.table import read_order_table
from paymatch.formats.statement import FileRefused

HEADINGS = "Order number;Customer;Amount\n"


def rows(count: int) -> bytes:
    return (HEADINGS + "".join(f"A-{place};Ada Berg;1.00\n" for place in range(count))).encode()


def refusal(data: bytes, most_bytes: int = 1024**2, most_rows: int = 3) -> Message:
    with pytest.raises(FileRefused) as caught:
        read_order_table(data, most_bytes, most_rows)
    return caught.value.message


def test_rows_begin_below_the_headings_and_are_as_wide() -> None:
    table = read_order_table(b"Export of Monday\n\n" + HEADINGS.encode() + b"A-1;Ada Berg;1.00;more\n\nA-2;'=Bo\n")
    assert table.headings == ("Order number", "Customer", "Amount")
    assert table.rows == ((4, ("A-1", "Ada Berg", "1.00")), (6, ("A-2", "=Bo", "")))


def test_as_many_rows_as_allowed_are_read_and_one_more_is_refused() -> None:
    assert len(read_order_table(rows(3), most_rows=3).rows) == 3
    assert refusal(rows(4)) == Message("file-too-many-rows", count=3)


def test_what_is_behind_the_last_row_is_not_read() -> None:
    far = b"\n" * 200_000  # beyond what is decoded at once
    broken = b'\x00;"\n'
    nul = Message("file-line", line=str(32 + len(far)), what=Message("table-nul"))
    assert refusal(rows(30) + far + broken, most_rows=30) == nul
    assert refusal(rows(31) + far + broken, most_rows=30) == Message("file-too-many-rows", count=30)


def test_a_workbook_of_too_many_rows_is_refused_too() -> None:
    data = io.BytesIO()
    with xlsxwriter.Workbook(data) as book:
        sheet = book.add_worksheet()
        for place, cells in enumerate([HEADINGS.strip().split(";"), *[["A", "Ada", "1.00"]] * 4]):
            sheet.write_row(place, 0, cells)
    assert refusal(data.getvalue()) == Message("file-too-many-rows", count=3)
    assert len(read_order_table(data.getvalue(), most_rows=4).rows) == 4


def test_a_large_file_is_refused_by_its_size_alone() -> None:
    assert refusal(b"\x00" * (1024**2 + 1)) == Message("file-more-megabytes", megabytes=1)


@pytest.mark.parametrize("data", [b"", b"\n" * 500, b"  \n \n"])
def test_a_file_without_text_has_no_rows(data: bytes) -> None:
    assert refusal(data) == Message("file-no-rows")
