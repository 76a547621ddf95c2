"""Files for bookkeeping programs: DATEV field by field, beancount by its own loader, sheets without formulas."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from datetime import UTC, date, datetime
from decimal import Decimal

from beancount import loader
from beancount.core.data import Open, Transaction

from paymatch.domain.reports.ledger import Booking, LedgerAccounts, Role, bookings_of
from paymatch.formats.accounting.beancount import write_beancount
from paymatch.formats.accounting.datev import COLUMNS, Batch, write_datev
from paymatch.formats.accounting.sheets import Shape, csv_chunks, write_xlsx

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


def bookings() -> list[Booking]:
    customers = {"61234/ü": "61234"}
    return [*bookings_of(PAYOUT, ACCOUNTS, customers), *bookings_of(REFUND, ACCOUNTS, customers)]


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
    own = LedgerAccounts("SKR03", {Role.FEES: "4900", Role.BANK: "1210"}, {})
    assert (own.fee("BANK_CHARGE").number, own.bank("DE01").number, own.of(Role.CLEARING).number) == (
        "4900", "1210", "1590",
    )  # fmt: skip


def test_datev_file_follows_the_published_format() -> None:
    batch = Batch(
        "29098", "55003", date(2026, 1, 1), 4, date(2026, 3, 1), date(2026, 3, 31), "EUR", "SKR04",
        datetime(2026, 4, 1, 8, 30, 15, 123_000, tzinfo=UTC),
    )  # fmt: skip
    text = b"".join(write_datev(batch, bookings())).decode("cp1252")
    assert text.endswith("\r\n") and "\n" not in text.replace("\r\n", "")
    header, names, *rows = text.removesuffix("\r\n").split("\r\n")
    assert header == (
        '"EXTF";700;21;"Buchungsstapel";13;20260401083015123;;"RE";"paymatch";"";29098;55003;20260101;4;20260301;'
        '20260331;"Zahlungen";"";1;0;0;"EUR";;"";;;"04";;;"";""'
    )
    assert len(COLUMNS) == 125 and len(set(COLUMNS)) == 125
    assert names == ";".join(f'"{name}"' for name in COLUMNS)
    patterns = {  # the field's number in the published description, and the form that it asks for
        1: r"\d{1,10},\d{2}", 2: '"[SH]"', 3: '"[A-Z]{3}"', 7: r"\d{1,9}", 8: r"\d{1,9}", 10: r"\d{4}",
        11: r'"[A-Za-z0-9$&%*+/-]{0,36}"', 14: '"(?:[^"]|""){0,60}"',
    }  # fmt: skip
    for row in rows:
        fields = re.findall(r'(?:^|;)("(?:[^"]|"")*"|[^;]*)', row)
        assert len(fields) == 125, row
        assert all(re.fullmatch(form, fields[number - 1]) for number, form in patterns.items()), row
    read = list(csv.DictReader(io.StringIO("\n".join([names, *rows])), delimiter=";"))
    first, fee, own, *_ = read
    assert (first["Konto"], first["Gegenkonto (ohne BU-Schlüssel)"], first["Belegdatum"]) == ("1800", "10000", "0403")
    assert (first["Umsatz (ohne Soll/Haben-Kz)"], first["Buchungstext"]) == ("97,00", 'Markt; "Platz"')
    assert (fee["Konto"], fee["Belegfeld 1"], fee["Beleginfo - Inhalt 2"]) == ("6770", "E-1005", "pst_1")
    assert (own["Belegfeld 1"], own["Beleginfo - Inhalt 1"]) == ("61234/-", "61234/ü")
    moved = sum(Decimal(row["Umsatz (ohne Soll/Haben-Kz)"].replace(",", ".")) for row in read)
    assert moved == Decimal(sum(each.minor for each in bookings())) / 100


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
