"""The Swiss QR-bill, read back by an independent reader."""

from __future__ import annotations

import io
from dataclasses import replace

import pikepdf
import pytest
from lxml import etree
from qrbill.bill import mm

from paymatch.domain.money import EUR, Currency, Money
from paymatch.formats.codes.epc_qr import PaymentCodeRefused
from paymatch.formats.codes.swiss_qr import SwissAddress, SwissBill, slip_pdf, slip_png, slip_svg, swiss_text
from tests.formats.codes.png import read_code

CHF = Currency("CHF")
BILL = SwissBill(
    iban="CH58 0079 1123 0008 8901 2",
    creditor=SwissAddress("Muster AG", "8000", "Zürich", "CH", "Bahnhofstrasse", "1"),
    amount=Money(123450, CHF),
    reference="RF18539007547034",
    debtor=SwissAddress("Jürg Käufer", "3000", "Bern", "ch"),
    text="Order 4711\nThank you",
)
QR_IBAN = "CH44 3199 9123 0008 8901 2"
QRR = "210000000003139471430009017"


def test_what_the_code_says() -> None:
    nobody = [""] * 7
    assert swiss_text(BILL).split("\r\n") == [
        *["SPC", "0200", "1", "CH5800791123000889012"],
        *["S", "Muster AG", "Bahnhofstrasse", "1", "8000", "Zürich", "CH"],
        *nobody,
        *["1234.50", "CHF"],
        *["S", "Jürg Käufer", "", "", "3000", "Bern", "CH"],
        *["SCOR", "RF18539007547034", "Order 4711 Thank you", "EPD"],
    ]


@pytest.mark.parametrize(
    ("bill", "kind", "reference"),
    [
        (BILL, "SCOR", "RF18539007547034"),
        (replace(BILL, reference=""), "NON", ""),
        (replace(BILL, iban=QR_IBAN, reference=QRR), "QRR", QRR),
    ],
)
def test_kinds_of_reference(bill: SwissBill, kind: str, reference: str) -> None:
    assert swiss_text(bill).split("\r\n")[27:29] == [kind, reference]


@pytest.mark.parametrize(
    ("bill", "text"),
    [
        (replace(BILL, iban=QR_IBAN), "A QR-IBAN requires a QRR reference number"),
        (replace(BILL, reference=QRR), "A QRR reference number is only allowed for a QR-IBAN"),
        (replace(BILL, reference="4711"), "The reference number is invalid"),
        (replace(BILL, iban="DE89370400440532013000"), "IBAN must start with: CH, LI"),
        (replace(BILL, amount=Money(1, Currency("USD"))), "the Swiss QR-bill knows CHF and EUR only, not USD"),
        (replace(BILL, amount=Money(0, EUR)), "the Swiss QR-bill takes 0.01 to 999999999.99, not 0.00 EUR"),
        (
            replace(BILL, creditor=SwissAddress("", "8000", "Zürich", "CH")),
            "The creditor address is invalid: An address name should have between 1 and 70 characters.",
        ),
    ],
)
def test_refusals(bill: SwissBill, text: str) -> None:
    with pytest.raises(PaymentCodeRefused) as refused:
        swiss_text(bill)
    assert str(refused.value) == text


def test_the_picture_says_the_text() -> None:
    assert read_code(slip_png(slip_svg(BILL, "de"))) == swiss_text(BILL)


def test_perforated_paper_gets_no_lines_and_the_same_code() -> None:
    slip, printed = slip_svg(BILL), slip_svg(BILL, lines=False)
    assert slip.count(b"stroke-dasharray") == 2
    assert printed.count(b"stroke-dasharray") == 0
    assert read_code(slip_png(printed)) == swiss_text(BILL)


def test_the_largest_amount() -> None:
    bill = replace(BILL, amount=replace(BILL.amount, minor=99_999_999_999))
    assert read_code(slip_png(slip_svg(bill, "de"))).split("\r\n")[18:20] == ["999999999.99", "CHF"]
    with pytest.raises(PaymentCodeRefused):
        swiss_text(replace(BILL, amount=replace(BILL.amount, minor=100_000_000_000)))


def test_slips_are_written_without_serifs() -> None:
    """Guidelines, 3.4: Arial, Frutiger, Helvetica or Liberation Sans."""
    with pikepdf.open(io.BytesIO(slip_pdf(slip_svg(BILL, "de")))) as pdf:
        named = {str(each.get("/BaseFont")) for each in pdf.objects if isinstance(each, pikepdf.Dictionary)}
    fonts = {name.partition("+")[2] for name in named if "+" in name}
    assert fonts
    assert not any("Libertinus" in name or "Serif" in name for name in fonts)


def test_the_receipt_s_empty_field_ends_above_the_amount() -> None:
    """Guidelines, 3.6.2: 52 x 20 mm."""
    drawn = etree.fromstring(slip_svg(replace(BILL, debtor=None), "de", lines=False))
    corners = [each.attrib for each in drawn.iter("{*}line")]
    left = min(float(line["x1"]) for line in corners)
    edge = [float(line[end]) for line in corners for end in ("y1", "y2") if float(line["x1"]) == left]
    assert max(edge) - min(edge) == pytest.approx(mm(20), abs=0.01)
    (amount,) = (each for each in drawn.iter("{*}text") if each.text == "Währung" and float(each.attrib["x"]) == left)
    assert max(edge) < float(amount.attrib["y"]) - mm(2)


@pytest.mark.parametrize(("language", "word"), [("de", "Empfangsschein"), ("fr", "Récépissé"), ("pl", "Receipt")])
def test_languages(language: str, word: str) -> None:
    assert f">{word}<" in slip_svg(BILL, language).decode()


def test_long_and_foreign_names_are_cut_and_written_as_the_guidelines_say() -> None:
    creditor = SwissAddress("Zo\u0308e " + "Šťastný " * 12, "8" * 20, "Genève " * 8, "CH", "Ulița " * 15, "1" * 20)
    bill = replace(BILL, creditor=creditor, debtor=replace(BILL.debtor or creditor, name="Иван \u201eQ\u201c €"))
    read = read_code(slip_png(slip_svg(bill, "de"))).split("\r\n")
    name = "Zöe " + "Šťastný " * 12
    assert read[4:11] == ["S", name[:70].rstrip(), ("Ulița " * 12)[:70].rstrip(), "1" * 16, "8" * 16,
                          ("Genève " * 5)[:35].rstrip(), "CH"]  # fmt: skip
    assert read[21] == "???? ?Q? €"
    assert "\r\n".join(read) == swiss_text(bill)
