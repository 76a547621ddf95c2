"""Files for bookkeeping programs: DATEV field by field, beancount by its own loader, sheets without formulas."""

from __future__ import annotations

import io
import zipfile
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from uuid import UUID

import pytest
from beancount import loader
from beancount.core.data import Open, Transaction
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from paymatch.domain.money import Currency, minor_to_decimal, plain_text
from paymatch.domain.reports.ledger import (
    AccountRole,
    LedgerAccount,
    LedgerAccounts,
    LedgerBooking,
    LedgerOrderFacts,
    book,
    bookings_of,
    invoice_id,
)
from paymatch.formats.accounting.beancount import write_beancount
from paymatch.formats.accounting.datev import DatevBatch, write_datev
from paymatch.formats.accounting.datev_documents import Document, write_documents
from paymatch.formats.accounting.sheets import Shape, csv_chunks, write_xlsx
from paymatch.formats.documents import cells
from paymatch.formats.documents.cells import text_cell
from tests.formats.accounting import datev_reader

ACCOUNTS = LedgerAccounts("SKR04", {}, {"DE02": "1810"})
PAYOUT = {
    "id": "pst_1", "bookingDate": date(2026, 3, 4), "account": "DE01", "currency": "EUR",
    "originator": 'Markt; "Platz"', "orders": [("E-1005", 9700, 300, "COMMISSION"), ("61234/ü", 5000, 0, None)],
    "aside": 0, "open": 250, "reason": "rest of\na payout",
}  # fmt: skip
REFUND = {
    "id": "pst_2", "bookingDate": date(2026, 3, 5), "account": "DE02", "originator": "Eva Muster", "currency": "EUR",
    "orders": [("E-1005", -1000, 0, None)], "aside": -490, "open": 0, "reason": "bank fee",
}  # fmt: skip


def bookings() -> list[LedgerBooking]:
    orders = {"61234/ü": LedgerOrderFacts("61234")}
    return [*bookings_of(PAYOUT, ACCOUNTS, orders), *bookings_of(REFUND, ACCOUNTS, orders)]


def test_postings_become_bookings_that_move_what_they_say() -> None:
    found = [(each.debit.number, each.credit.number, each.minor, each.document) for each in bookings()]
    assert found == [
        ("1800", "10000", 9700, "E-1005"),
        ("6770", "10000", 300, "E-1005"),
        ("1800", "61234", 5000, "61234/ü"),
        ("1800", "1370", 250, "pst_1"),
        ("10000", "1810", 1000, "E-1005"),
        ("1370", "1810", 490, "pst_2"),
    ]
    own = LedgerAccounts("SKR03", {AccountRole.FEES: "4900", AccountRole.BANK: "1210"}, {}, {"CASH_DISCOUNT": "8736"})
    assert (own.fee("BANK_CHARGE").number, own.bank("DE01").number, own.of(AccountRole.CLEARING).number) == (
        "4900", "1210", "1590",
    )  # fmt: skip
    assert own.fee("CASH_DISCOUNT").number == "8736"


BATCH = DatevBatch(
    "29098", "55003", date(2026, 1, 1), 4, date(2026, 3, 1), date(2026, 3, 31), "EUR", "SKR04",
    datetime(2026, 4, 1, 8, 30, 15, 123_000, tzinfo=UTC),
)  # fmt: skip


def test_datev_file_follows_the_published_format() -> None:
    content = b"".join(write_datev(BATCH, bookings()))
    assert content.decode("cp1252").split("\r\n")[0] == (
        '"EXTF";700;21;"Buchungsstapel";13;20260401083015123;;"RE";"paymatch";"";29098;55003;20260101;4;20260301;'
        '20260331;"Zahlungen";"";1;0;0;"EUR";;"";;;"04";;;"";""'
    )
    first, fee, own, *_ = read = datev_reader.read(content).bookings
    assert (first.debit, first.credit, first.amount, first.day) == ("1800", "10000", Decimal(97), date(2026, 3, 4))
    assert first.fields["Buchungstext"] == 'Markt; "Platz"'
    assert (fee.debit, fee.fields["Belegfeld 1"], fee.fields["Beleginfo - Inhalt 2"]) == ("6770", "E-1005", "pst_1")
    assert (own.fields["Belegfeld 1"], own.fields["Beleginfo - Inhalt 1"]) == ("61234/-", "61234/ü")
    assert {each.fields["Festschreibung"] for each in read} == {"0"}
    assert {name for each in read for name in each.fields} & {"BU-Schlüssel", "Beleglink", "Kurs"} == set()
    assert sum(each.base for each in read) == Decimal(sum(each.minor for each in bookings())) / 100


def test_datev_file_has_tax_keys_links_and_rates() -> None:
    revenue, debtor, discount = (
        ACCOUNTS.of(AccountRole.REVENUE),
        ACCOUNTS.debtor(""),
        LedgerAccount(AccountRole.FEES, "4736"),
    )
    day, invoice = date(2026, 3, 9), invoice_id(UUID(int=7), "A-1", "RE/1")
    sold = book(day, debtor, revenue, 11_900, "EUR", "A-1", "Eva", invoice=invoice)
    credit_note = book(day, debtor, revenue, -1_900, "EUR", "A-1", "Eva", invoice=invoice)
    paid = book(day, discount, debtor, 200, "EUR", "A-1", "Eva", "pst_1")
    dollars = book(day, ACCOUNTS.bank(""), debtor, 10_850, "USD", "B-1", "Bob", "pst_2")
    francs = book(day, ACCOUNTS.bank(""), debtor, 9_312, "CHF", "C-1", "Cem", "pst_3")
    yen = book(day, ACCOUNTS.bank(""), debtor, 16_000, "JPY", "D-1", "Dan", "pst_4")
    rates = {"USD": Decimal("1.0850"), "CHF": Decimal("0.9312"), "JPY": Decimal("160.00")}
    batch = replace(BATCH, tax_keys={"4400": "3", "4736": "0003"}, rates=rates, links="BEDI")
    sale, credit, cash_discount, *foreign = datev_reader.read(
        b"".join(write_datev(batch, [sold, credit_note, paid, dollars, francs, yen]))
    ).bookings
    assert (sale.debit, sale.credit, sale.amount, sale.fields["BU-Schlüssel"]) == (
        "10000",
        "4400",
        Decimal(119),
        "0003",
    )
    assert (credit.debit, credit.credit, credit.amount, credit.fields["BU-Schlüssel"]) == (
        "4400",
        "10000",
        Decimal(19),
        "0003",
    )
    assert sale.fields["Beleglink"] == credit.fields["Beleglink"] == f'BEDI "{invoice}"'
    assert "Beleglink" not in cash_discount.fields and cash_discount.fields["BU-Schlüssel"] == "0003"
    assert [(each.amount, each.currency, each.base) for each in foreign] == [
        (Decimal("108.50"), "USD", Decimal(100)), (Decimal(100), "EUR", Decimal(100)), (16_000, "JPY", Decimal(100)),
    ]  # fmt: skip
    assert foreign[0].fields["Kurs"] == "1,0850"
    assert foreign[1].fields["Beleginfo - Inhalt 3"] == "CHF 93,12, Kurs 0,9312"
    with pytest.raises(KeyError):
        b"".join(write_datev(BATCH, [dollars]))


def test_strict_reader_sees_what_is_not_as_published() -> None:
    """The reader that the other tests trust refuses files that differ in one thing."""
    content = b"".join(write_datev(BATCH, bookings()))
    for was, becomes in (
        (b'"S"', b'"X"'), (b"97,00", b"97.00"), (b"97,00", b"0,00"), (b";0403;", b";0404;;"), (b"\r\n", b"\n"),
        (b';"EUR";', b";EUR;"), (b'"E-1005"', b'"E.1005"'), (b";1800;", b";18000000;"), (b";0403;", b";3103"),
        (b"0403;", b"0402;0403;"), (b';"04";', b';"4";'), (b"Zusatzinformation- ", b"Zusatzinformation - "),
        (b';"Beleg";', b';"";'),
    ):  # fmt: skip
        assert was in content
        with pytest.raises(AssertionError):
            datev_reader.read(content.replace(was, becomes))


def test_invoices_are_packed_for_datev_under_the_ids_that_links_name() -> None:
    file = io.BytesIO()
    first, second = (Document(invoice_id(UUID(int=7), number, "RE/1"), "pdf") for number in ("A-1", "B-1"))
    assert write_documents(file, [(first, io.BytesIO(b"%PDF-1")), (second, io.BytesIO(b"%PDF-2"))], BATCH.created) == 2
    with zipfile.ZipFile(file) as archive:
        assert {name: archive.read(name) for name in archive.namelist() if name.endswith(".pdf")} == {
            f"{first.id}.pdf": b"%PDF-1", f"{second.id}.pdf": b"%PDF-2",
        }  # fmt: skip
        root = etree.fromstring(archive.read("document.xml"))
    space = "{http://xml.datev.de/bedi/tps/document/v06.0}"
    assert (root.tag, root.get("version")) == (f"{space}archive", "6.0")
    assert root.findtext(f"{space}header/{space}date") == "2026-04-01T08:30:15"
    told = [(each.get("guid"), each[0].get("name")) for each in root.iter(f"{space}document")]
    assert told == [(first.id, first.name), (second.id, second.name)]


def test_beancount_reads_the_ledger_without_an_error() -> None:
    text = b"".join(write_beancount('Shop "Nord"', bookings())).decode()
    entries, errors, options = loader.load_string(text)
    assert errors == [] and options["title"] == 'Shop "Nord"'
    sums: dict[str, Decimal] = {}
    for entry in entries:
        for leg in entry.postings if isinstance(entry, Transaction) else ():
            assert leg.units is not None and leg.units.number is not None and leg.units.currency == "EUR"
            sums[leg.account] = sums.get(leg.account, Decimal(0)) + leg.units.number
    assert sums == {
        "Assets:Bank:1800": Decimal("149.50"), "Assets:Bank:1810": Decimal("-14.90"),
        "Assets:Receivable:10000": Decimal("-90.00"), "Assets:Receivable:61234": Decimal("-50.00"),
        "Expenses:Fees:6770": Decimal("3.00"), "Assets:Clearing:1370": Decimal("2.40"),
    }  # fmt: skip
    assert {each.account for each in entries if isinstance(each, Open)} == sums.keys()


def test_no_text_of_a_table_becomes_a_formula() -> None:
    hidden = b"".join(csv_chunks(["a"], [["x;=1+1;y"]])).decode()
    assert hidden == "a\r\nx;'=1+1;y\r\n"  # a spreadsheet whose cells end at semicolons would show 2
    rows = [("=1+1", 3, Decimal("-2.50"), date(2026, 3, 1), None), ("@SUM", 4, Decimal("1.00"), date(2026, 3, 2), None)]
    text = b"".join(csv_chunks(["a", "b", "c", "d", "e"], rows)).decode()
    assert text == "a,b,c,d,e\r\n'=1+1,3,-2.50,2026-03-01,\r\n'@SUM,4,1.00,2026-03-02,\r\n"
    file = io.BytesIO()
    write_xlsx(file, "table", list("abcde"), [Shape.PLAIN, Shape.PLAIN, Shape.MONEY, Shape.DAY, Shape.PLAIN], rows)
    sheet = zipfile.ZipFile(file).read("xl/worksheets/sheet1.xml").decode()
    assert "<f>" not in sheet and "<t>=1+1</t>" in sheet and "<v>-2.50</v>" in sheet and "<v>46082</v>" in sheet


@given(st.text(alphabet='ab=+-@ ;,"\t\n＝\u00a0\ufeff', max_size=8))
def test_texts_are_guarded_as_the_expression_says(text: str) -> None:
    assert text_cell(text) == cells._BEGINS_FORMULA.sub(r"\1'", text)


@given(st.integers(-(10**12), 10**12), st.sampled_from(["EUR", "JPY", "KWD"]))
def test_amounts_of_long_tables_are_those_of_short_ones(minor: int, currency: str) -> None:
    assert plain_text(minor, Currency(currency)) == str(minor_to_decimal(minor, Currency(currency)))
