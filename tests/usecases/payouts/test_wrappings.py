"""Settlements in a ZIP bundle or an Excel workbook are the settlements that they hold."""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Callable
from datetime import UTC, date, datetime

import pytest
import xlsxwriter

from paymatch.formats.camt.writer import CamtMessage
from paymatch.formats.statement import FileRefused
from paymatch.usecases.payouts.layout_mapping import map_layout
from tests.formats.settlements import files
from tests.usecases.conftest import Books, camt, paid
from tests.usecases.payouts.test_unknown_services import MARKET

Packed = Callable[[str], bytes]


def xlsx(text: str) -> bytes:
    """A workbook with numbers as numbers and days as days."""
    out = io.BytesIO()
    book = xlsxwriter.Workbook(out)
    sheet, day = book.add_worksheet(), book.add_format({"num_format": "dd.mm.yyyy"})
    for place, row in enumerate(csv.reader(io.StringIO(text))):
        for column, cell in enumerate(row):
            if cell.replace(".", "").lstrip("-").isdigit() and cell.count(".") == 1:
                sheet.write_number(place, column, float(cell))
            elif cell.startswith("Nov "):
                sheet.write_datetime(place, column, datetime.strptime(cell, "%b %d, %Y"), day)  # noqa: DTZ007
            else:
                sheet.write_string(place, column, cell)
    book.close()
    return out.getvalue()


def packed(*members: tuple[str, bytes]) -> bytes:
    """A ZIP bundle."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return out.getvalue()


def _zip(text: str) -> bytes:
    return packed(("settlement.csv", text.encode()))


def _zipped_xlsx(text: str) -> bytes:
    return packed(("settlement.xlsx", xlsx(text)))


@pytest.fixture(autouse=True)
def _november(books: Books) -> None:
    books.now = datetime(2026, 11, 25, 9, tzinfo=UTC)


@pytest.mark.parametrize("wrapped", [str.encode, _zip, xlsx, _zipped_xlsx], ids=["csv", "zip", "xlsx", "xlsx in zip"])
@pytest.mark.parametrize("mapped_by", [str.encode, _zip, xlsx], ids=["csv", "zip", "xlsx"])
def test_a_marketplace_that_is_mapped_once_works_in_every_wrapping(
    books: Books, mapped_by: Packed, wrapped: Packed
) -> None:
    books.order("SO-1", "58.77", marketplaceNumber="11-12345-67890")
    stream = io.BytesIO(mapped_by(MARKET))
    map_layout(books.database, books.shop, stream, "Marktbude", books.now, save=True)
    report = books.bring(wrapped(MARKET))
    assert (report.version, report.new) == ("Marktbude, settlement, 1 payout", 3)
    assert books.status("SO-1") == "PAID"
    amounts = books.rows("SELECT amount_minor FROM postings WHERE shop_id = $1 ORDER BY 1")
    assert amounts == [(-3165,), (-2000,), (5165,)]
    books.sound()


@pytest.mark.parametrize("wrapped", [str.encode, _zip, xlsx], ids=["csv", "zip", "xlsx"])
def test_a_marketplace_that_is_not_mapped_yet_is_refused_with_the_way(books: Books, wrapped: Packed) -> None:
    with pytest.raises(FileRefused, match=r"Order number.*; if it is a settlement .*, say once how it is read$"):
        books.bring(wrapped(MARKET))
    orders = "Order number,Date,Gross,Net,Customer\nSO-1,18.11.2026,119.00,100.00,Eva Muster\n"
    with pytest.raises(FileRefused, match=r"a connector to the shop system$"):
        books.bring(wrapped(orders))


def test_a_bundle_may_hold_settlements_and_statements(books: Books) -> None:
    for number, amount in (("SO-101", "58.77"), ("SO-102", "58.77"), ("SO-103", "1058.77"), ("SO-104", "58.77")):
        books.order(number, amount)
    day = date(2026, 11, 24)
    statement = camt(CamtMessage.STATEMENT, paid(5877, "SO-104", booking_date=day), days=(day, day))
    alone = [books_of(books, content) for content in (files.SUMUP.encode(), files.SHOPIFY.encode(), statement)]
    bundle = packed(
        ("sumup.csv", files.SUMUP.encode()), ("bank.xml", statement), ("shopify.csv", files.SHOPIFY.encode())
    )  # fmt: skip
    report = books.bring(bundle)
    assert report.new == sum(alone)
    assert report.new_accounts == ["sumup:SumUp", "shopify:Shopify Payments"]
    assert (books.status("SO-103"), books.status("SO-104")) == ("PAID", "PAID")
    books.sound()
    with pytest.raises(FileRefused, match=r"^sumup\.csv: row 5: the net amount is not the gross amount less the fee"):
        books.bring(packed(("sumup.csv", files.SUMUP.replace('"57,95"', '"58,77"').encode())))


def books_of(books: Books, content: bytes) -> int:
    """How many postings the file alone would bring."""
    return books.bring(content, dry_run=True).new
