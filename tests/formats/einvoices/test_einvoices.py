"""Electronic invoices are read by their business terms; what cannot be read is said in one sentence."""

from __future__ import annotations

from datetime import date
from io import BytesIO

import pytest

from paymatch.domain.orders.invoice_terms import DiscountOffer, InvoiceTerms
from paymatch.formats.einvoices.in_pdf import xml_in_pdf
from paymatch.formats.einvoices.reading import read_einvoice
from paymatch.formats.einvoices.upload import examine_pdf, examine_xml
from paymatch.formats.invoice_file import FileType, check_invoice
from paymatch.formats.statement import FileRefused
from tests.formats.einvoices.samples import cii, pdf_with, ubl

TWO = "#SKONTO#TAGE=7#PROZENT=3.00#\n#SKONTO#TAGE=14#PROZENT=2.00#BASISBETRAG=100.00#\n"
OFFERS = (DiscountOffer(date(2026, 3, 9), 300, 11_900), DiscountOffer(date(2026, 3, 16), 200, 10_000))


def read(xml: bytes) -> InvoiceTerms:
    return read_einvoice(BytesIO(xml))


@pytest.mark.parametrize(("xml", "syntax"), [(ubl(terms=TWO), "UBL"), (cii(terms=TWO), "CII")])
def test_both_syntaxes_say_the_same(xml: bytes, syntax: str) -> None:
    assert check_invoice(xml, 1_000_000) is FileType.XML
    assert read(xml) == InvoiceTerms(
        syntax,
        "RE-17",
        date(2026, 3, 2),
        "EUR",
        11_900,
        11_900,
        date(2026, 4, 30),
        TWO.strip(),
        "KD4711-17",
        False,
        OFFERS,
    )


def test_discounts_in_elements_are_read() -> None:
    more = (
        '<ram:ApplicableTradePaymentDiscountTerms><ram:BasisPeriodMeasure unitCode="DAY">14</ram:BasisPeriodMeasure>'
        "<ram:BasisAmount>100.00</ram:BasisAmount><ram:CalculationPercent>2</ram:CalculationPercent>"
        "</ram:ApplicableTradePaymentDiscountTerms>"
    )
    assert read(cii(more=more)).discounts == (OFFERS[1],)
    unread = read(cii(more=more.replace("DAY", "MON")))
    assert (unread.discounts, unread.unread) == ((), ("ApplicableTradePaymentDiscountTerms",))


@pytest.mark.parametrize(
    "line",
    [
        "#SKONTO#TAGE=14#PROZENT=0.00#", "#SKONTO#TAGE=14#PROZENT=100.00#", "#SKONTO#TAGE=-1#PROZENT=2.00#",
        "#SKONTO#TAGE=999#PROZENT=2.00#", "#SKONTO#TAGE=14#", "#SKONTO#TAGE=14#PROZENT=2.00#BASISBETRAG=0.00#",
    ],
)  # fmt: skip
def test_a_line_that_cannot_be_read_is_no_discount(line: str) -> None:
    terms = read(ubl(terms=line))
    assert terms.discounts == ()
    assert len(terms.unread) == 1


def test_a_sentence_about_discount_is_shown_only() -> None:
    terms = read(ubl(terms="2 % Skonto bei Zahlung binnen 14 Tagen"))
    assert (terms.discounts, terms.unread) == ((), ())
    assert terms.payment_terms == "2 % Skonto bei Zahlung binnen 14 Tagen"


@pytest.mark.parametrize("name", ["factur-x.xml", "ZUGFeRD-invoice.xml", "xrechnung.xml"])
def test_the_invoice_in_a_pdf_is_read(name: str) -> None:
    pdf = pdf_with(cii(terms=TWO), name)
    assert check_invoice(pdf, 1_000_000) is FileType.PDF
    found = examine_pdf([BytesIO(pdf)], None)
    assert found["terms"]["amount_due_minor"] == 11_900
    assert len(found["terms"]["discounts"]) == 2


def test_a_pdf_without_an_invoice_states_nothing() -> None:
    assert xml_in_pdf(BytesIO(pdf_with(None))) is None
    assert xml_in_pdf(BytesIO(pdf_with(cii(), "notes.xml"))) is None
    assert examine_pdf([BytesIO(pdf_with(None))], None) == {}


def test_a_pdf_whose_invoice_is_broken_is_kept() -> None:
    found = examine_pdf([BytesIO(pdf_with(b"<?xml version='1.0'?><a>"))], None)
    assert "why_not" not in found
    assert found["unread"].startswith("line 1: the XML is broken")


DOCTYPE = b'<?xml version="1.0"?>\n<!DOCTYPE a [<!ENTITY b "c">]>\n'


@pytest.mark.parametrize(
    ("xml", "why"),
    [
        (DOCTYPE + ubl().partition(b"\n")[2], "line 2: <!DOCTYPE is not allowed in an imported file"),
        (ubl()[:-20], "line 10: the XML is broken: "),
        (ubl().replace(b"<cbc:ID>RE-17</cbc:ID>", b""), "BT-1 (invoice number) is missing"),
        (ubl(due_date="2026-02-30"), "line 5: BT-9 (due date) is not a date: 2026-02-30"),
        (ubl(due="119,00"), "line 10: BT-115 (amount due) is not an amount: 119,00"),
        (ubl(due="119.005"), "line 10: BT-115 (amount due): 119.005 has more decimals than EUR has"),
        (ubl(currency="EUX"), "line 7: BT-5 (currency) is unknown: EUX"),
        (b"<Invoice/>", "line 1: Invoice is not an invoice in UBL or CII"),
        (b"<Invoice>" + b"<a>" * 400 + b"</a>" * 400 + b"</Invoice>", "line 1: the XML is broken: Excessive depth"),
    ],
)
def test_bad_xml_gets_one_sentence(xml: bytes, why: str) -> None:
    with pytest.raises(FileRefused) as refused:
        read(xml)
    assert str(refused.value).startswith(why)
    assert examine_xml([BytesIO(xml)], None)["why_not"].startswith(why)


def test_credit_notes_are_told() -> None:
    assert read(cii(code="381")).is_credit_note
    note = ubl().replace(b"Invoice-2", b"CreditNote-2").replace(b"<Invoice ", b"<CreditNote ")
    assert read(note.replace(b"</Invoice>", b"</CreditNote>")).is_credit_note
