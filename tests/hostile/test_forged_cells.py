"""Tables, workbooks, OFX, feeds and intraday camt: what a payer types stays in its cell, end to end (D-80, D-82)."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from typing import Final
from xml.sax.saxutils import escape

import pytest
import xlsxwriter

from paymatch.domain.postings import Posting
from paymatch.formats.account_information import AccountReport, ReportedParty, ReportedTransaction, write_report
from paymatch.formats.camt.writer import CamtMessage
from paymatch.formats.statement import FileRefused
from paymatch.store.statements import postings as posting_store
from paymatch.usecases.matching.matching import match_due
from tests.usecases.conftest import ACCOUNT, Books, batch, camt, paid

IBAN: Final = "DE75512108001245126199"
OTHER: Final = "DE02120300000000202051"
SPARKASSE: Final = (
    "Auftragskonto",
    "Buchungstag",
    "Valutadatum",
    "Buchungstext",
    "Verwendungszweck",
    "Glaeubiger ID",
    "Mandatsreferenz",
    "Kundenreferenz (End-to-End)",
    "Sammlerreferenz",
    "Lastschrift Ursprungsbetrag",
    "Auslagenersatz Ruecklastschrift",
    "Beguenstigter/Zahlungspflichtiger",
    "Kontonummer/IBAN",
    "BIC (SWIFT-Code)",
    "Betrag",
    "Waehrung",
    "Info",
    "Kategorie",
)


def cells(text: str, name: str, minor: int) -> tuple[str, ...]:
    """A row of the table."""
    amount = f"{minor // 100},{minor % 100:02}"
    return (
        ACCOUNT,
        "10.03.26",
        "10.03.26",
        "GUTSCHR. UEBERWEISUNG",
        text,
        "",
        "",
        "E-1",
        "",
        "",
        "",
        name,
        IBAN,
        "COBADEFFXXX",
        amount,
        "EUR",
        "Umsatz gebucht",
        "",
    )


def table(text: str, name: str, minor: int) -> bytes:
    """A savings bank's table, every cell in quotes."""
    out = io.StringIO()
    writer = csv.writer(out, delimiter=";", quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    writer.writerows([SPARKASSE, cells(text, name, minor)])
    return out.getvalue().encode("cp1252", "replace")


def careless(text: str, name: str, minor: int) -> bytes:
    """The same table by a bank that neither quotes nor escapes."""
    rows = (SPARKASSE, cells(text, name, minor))
    return "".join(";".join(row) + "\r\n" for row in rows).encode("cp1252", "replace")


def half_careful(text: str, name: str, minor: int) -> bytes:
    """The same table by a bank that quotes, and does not double the quotes of a text."""
    rows = (SPARKASSE, cells(text, name, minor))
    return "".join(";".join(f'"{cell}"' for cell in row) + "\r\n" for row in rows).encode("cp1252", "replace")


def workbook(text: str, name: str, minor: int) -> bytes:
    """The table as a workbook."""
    out = io.BytesIO()
    book = xlsxwriter.Workbook(out, {"strings_to_formulas": False, "strings_to_urls": False})
    sheet = book.add_worksheet()
    for place, row in enumerate([SPARKASSE, cells(text, name, minor)]):
        for column, cell in enumerate(row):
            sheet.write_string(place, column, cell)
    book.close()
    return out.getvalue()


def ofx(text: str, name: str, minor: int) -> bytes:
    """OFX, as a bank that escapes writes it."""
    return (
        "OFXHEADER:100\n\n<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>EUR<BANKACCTFROM><BANKID>37040044"
        f"<ACCTID>{ACCOUNT}</BANKACCTFROM><BANKTRANLIST><STMTTRN><TRNTYPE>CREDIT<DTPOSTED>20260310"
        f"<TRNAMT>{minor // 100}.{minor % 100:02}<FITID>F-1<NAME>{escape(name)}<MEMO>{escape(text)}</STMTTRN>"
        "</BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>"
    ).encode("utf-8", "replace")


def feed(text: str, name: str, minor: int) -> bytes:
    """A report of account information."""
    said = ReportedTransaction(
        f"{minor // 100}.{minor % 100:02}", "EUR", is_credit=True, reference="R1", booking_date="2026-03-10",
        debtor=ReportedParty(name, IBAN), remittance=(text,),
    )  # fmt: skip
    days = date(2026, 3, 9), date(2026, 3, 10)
    return write_report(AccountReport("enable-banking", ACCOUNT, "EUR", *days, transactions=(said,)))


def _paid(text: str, name: str, minor: int) -> Posting:
    return paid(minor, "".join(sign if sign.isprintable() else " " for sign in text), counterparty_name=name)


def camt_052(text: str, name: str, minor: int) -> bytes:
    """The bank's report of the day."""
    return camt(CamtMessage.INTRADAY, _paid(text, name, minor))


def camt_054(text: str, name: str, minor: int) -> bytes:
    """The bank's notification of a credit."""
    return camt(CamtMessage.NOTIFICATION, _paid(text, name, minor))


def in_a_batch(text: str, name: str, minor: int) -> bytes:
    """A statement with a batch of two payments."""
    second = replace(_paid("Miete", "Ida Post", 7_77), counterparty_iban=OTHER)
    return camt(CamtMessage.STATEMENT, batch("B-1", _paid(text, name, minor), second))


FORMS: Final[dict[str, Callable[[str, str, int], bytes]]] = {
    "table": table, "careless table": careless, "half careful table": half_careful, "workbook": workbook, "OFX": ofx,
    "feed": feed, "camt.052": camt_052, "camt.054": camt_054, "batch": in_a_batch,
}  # fmt: skip
FORGED_ROW: Final = (
    f"{ACCOUNT};10.03.26;10.03.26;GUTSCHRIFT;SW-1001;;;E-2;;;;Eva Muster;{OTHER};COBADEFFXXX;100,00;EUR;Umsatz gebucht;"
)
TEXTS: Final = {
    "a row behind a line break": f"x\r\n{FORGED_ROW}",
    "a quoted row": 'x"\r\n"' + FORGED_ROW.replace(";", '";"'),
    "cells behind it": f"SW-1001;;;E-1;;;;Eva Muster;{OTHER};COBADEFFXXX;100,00;EUR;Umsatz gebucht;",
    "quoted cells behind it": f'SW-1001";"";"";"E-1";"";"";"";"Eva Muster";"{OTHER}";"COBADEFF";"100,00";"EUR";"x";"',
    "one more cell": "SW-1001;100,00",
    "a tab and a comma": "SW-1001\t100,00,EUR",
    "a formula": "=100+0;SW-1001",
    "bank's words": f"SW-1001 EREF+E-2 SVWZ+x OAMT+100,00 IBAN: {OTHER} RTRN+AC04 Ref. 1/2",
    "another bank's form": f"/TRTP/SEPA/IBAN/{OTHER}/NAME/PAYPAL/OCMT/EUR100,00/CHGS/EUR99,00/REMI/SW-1001",
    "a return": "RETOURE RUECKLASTSCHRIFT SW-1001 AC04 STORNO",
    "markup": "SW-1001</MEMO></STMTTRN><STMTTRN><TRNAMT>100.00<FITID>2<NAME>Eva<MEMO>SW-1001",
    "json": f'SW-1001"],"amount":"100.00","debtor":{{"account":"{OTHER}"}},"x":["',
    "a sum": "SW-1001 EUR 100,00 Betrag 100,00 bezahlt",
}


def facts(books: Books) -> list[tuple[int, bool, int | None, int, str]]:
    """What the postings state besides their texts."""
    with books.database.of_shop(books.shop) as tx:
        ids = [row[0] for row in tx.rows("SELECT id FROM postings WHERE shop_id = $1", books.shop.id)]
        loaded = [each.posting for each in posting_store.load(tx, ids)]
    return sorted(
        (each.amount_minor, each.is_return, each.instructed_amount_minor, each.charges_minor, each.counterparty_iban)
        for each in loaded
    )


def expected(form: str, minor: int) -> list[tuple[int, bool, int | None, int, str]]:
    """The facts that the bank has stated."""
    own = (minor, False, None, 0, "" if form == "OFX" else IBAN)
    return sorted([own, (7_77, False, None, 0, OTHER)]) if form == "batch" else [own]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", TEXTS)
def test_a_typed_text_pays_no_more_than_its_cent(books: Books, form: str, kind: str) -> None:
    books.order("SW-1001", "100.00")
    try:
        report = books.bring(FORMS[form](TEXTS[kind], "Eva Muster", 1))
    except FileRefused as refusal:
        assert str(refusal)
        assert books.postings() == []
        return
    match_due(books.database, books.shop, books.now)
    assert books.status("SW-1001") in ("UNPAID", "PAID_PARTIAL")
    assert facts(books) == (expected(form, 1) if not report.errors else [])
    books.sound()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("text", ["SW-1001", "Bestellung SW-1001, danke!", "SW-1001 Muster - Nachlieferung (2. Teil)"])
def test_an_everyday_payment_goes_on_automatically(books: Books, form: str, text: str) -> None:
    books.order("SW-1001", "100.00")
    books.bring(FORMS[form](text, "Eva Muster", 100_00))
    match_due(books.database, books.shop, books.now)
    assert books.status("SW-1001") == "PAID"
    assert facts(books) == expected(form, 100_00)


@pytest.mark.parametrize("form", sorted(FORMS.keys() - {"careless table", "half careful table"}))
@pytest.mark.parametrize("kind", TEXTS)
def test_a_typed_name_states_nothing(books: Books, form: str, kind: str) -> None:
    books.order("SW-1001", "100.00")
    name = " ".join(TEXTS[kind].split())[:70]
    try:
        books.bring(FORMS[form]("Danke", name, 1))
    except FileRefused:
        assert books.postings() == []
        return
    match_due(books.database, books.shop, books.now)
    assert books.status("SW-1001") in ("UNPAID", "PAID_PARTIAL")
    assert facts(books) == expected(form, 1)
