"""Letters: what shows in the window, how long they get, and that nothing in an order is read as markup."""

from __future__ import annotations

import io
from dataclasses import replace
from datetime import date
from pathlib import Path

import pikepdf
import pytest
import zxingcpp

from paymatch.domain.money import EUR, Money
from paymatch.domain.reminders.letters import PostalAddress
from paymatch.formats.codes.choice import CodeKind, write_code
from paymatch.formats.codes.epc_qr import Payee
from paymatch.formats.codes.payments import CodedPayment
from paymatch.formats.codes.swiss_qr import slip_svg
from paymatch.formats.languages.texts import LANGUAGES, LanguageTexts, words
from paymatch.formats.letters import texts
from paymatch.formats.letters.bundle import IndexLine, index_csv, join_letters
from paymatch.formats.letters.letter import Letter, PaymentRow, Picture, write_letter
from paymatch.formats.letters.paper import SHEETS, Box, Paper, usual_paper
from paymatch.formats.letters.texts import PaymentRequestText
from tests.contract.test_invoices_and_images import png
from tests.formats.codes.test_swiss_qr import BILL
from tests.formats.letters.looks import has_ink, page

LONG = "Dr. Maximiliane-Theresia von und zu Musterhausen-Grubenstein-Langenfeld-Oberbreitenbach"
LETTER = Letter(
    paper=Paper.DIN_5008, language="de", brand="Müller & Söhne", accent="#0f6b4f", accent_text="#0f6b4f",
    sender="Müller & Söhne · Beispielweg 12 · 10115 Berlin",
    recipient=["Beispiel GmbH & Co. KG", LONG, "Unter den Linden 1", "10117 Berlin", "FRANKREICH"],
    details=[("Datum", "02.03.2026"), ("Bestellung", "A-1")], subject="Zahlungserinnerung", paragraphs=["Guten Tag,"],
    closing=["Mit freundlichen Grüßen"], page="Seite {page} von {pages}", running="Müller & Söhne · A-1",
    footer=["HRB 1234"], item_names=("Artikelnummer", "Artikel"),
    payment=[PaymentRow("Zu zahlen", "12,30 €", strong=True)], code_caption="Code",
)  # fmt: skip
HOSTILE = [
    '#panic("x")',
    '*#import "/etc/passwd"*',
    '$ x $ ] } #eval("1+1")',
    "\\u{0} \x00\x1b[31m",
    "<slip> @ref #[x]",
]


@pytest.mark.parametrize("paper", Paper)
def test_the_window_shows_sender_and_address_and_nothing_else(paper: Paper, tmp_path: Path) -> None:
    sheet, letter = SHEETS[paper], replace(LETTER, paper=paper)
    pixels = page(tmp_path, write_letter(letter).pdf)
    window, address, sender = sheet.window, sheet.address, sheet.sender
    assert has_ink(pixels, address)
    assert has_ink(pixels, sender)
    assert not has_ink(pixels, Box(window.x, window.y, window.width, sender.y - window.y))  # above
    assert not has_ink(pixels, Box(window.x, window.y, address.x - window.x - 0.5, window.height))  # left of it
    end = address.x + address.width
    assert not has_ink(pixels, Box(end + 0.5, window.y, window.x + window.width - end - 0.5, window.height))
    below = address.y + address.height
    assert not has_ink(pixels, Box(window.x, below, window.width, sheet.body_y - below - 0.5))
    assert has_ink(pixels, Box(25, sheet.body_y, 100, 6))  # the subject
    for mark in sheet.fold_marks:
        assert has_ink(pixels, Box(4, mark - 0.5, 4, 1))
    assert (sheet.hole_mark is None) or has_ink(pixels, Box(4, sheet.hole_mark - 0.5, 6, 1))


@pytest.mark.parametrize("paper", Paper)
def test_a_long_line_of_an_address_is_broken_where_the_window_has_room(paper: Paper, tmp_path: Path) -> None:
    """It is drawn narrower, which is hard to read, only where even small type does not fit."""
    sheet = SHEETS[paper]
    address = sheet.address

    def drawn(recipient: list[str]) -> memoryview:
        return page(tmp_path, write_letter(replace(LETTER, paper=paper, recipient=recipient)).pdf)

    def lowest(recipient: list[str]) -> int:
        pixels, steps = drawn(recipient), range(int(address.height))
        return max(step for step in steps if has_ink(pixels, Box(address.x, address.y + step, address.width, 1)))

    long, end = "Manufaktur für feine Tees und Porzellan aus Ostfriesland GmbH", ["Unter den Linden 1", "10117 Berlin"]
    assert lowest([long, *end]) - lowest(["Manufaktur GmbH", *end]) in (3, 4)
    below = address.y + address.height
    assert not has_ink(drawn([LONG] * 6), Box(sheet.window.x, below, sheet.window.width, sheet.body_y - below - 0.5))


@pytest.mark.parametrize("paper", Paper)
def test_the_block_of_details_leaves_the_subject_its_room(paper: Paper, tmp_path: Path) -> None:
    """With all that may stand there, and an address of mail as long as they come."""
    spoken, sheet = words("de", "DE"), SHEETS[paper]
    details = texts.details(
        spoken,
        date(2026, 3, 2),
        "A-1",
        "K-1",
        "RE-1",
        phone="+49 30 901820",
        email="kundenservice@grosse-manufaktur.example",
    )
    assert [name for name, _ in details][-2:] == ["Telefon", "E-Mail"]
    assert len(texts.details(spoken, date(2026, 3, 2), "A-1", "")) == 2
    pixels = page(tmp_path, write_letter(replace(LETTER, paper=paper, details=details)).pdf)
    below = sheet.details.y + sheet.details.height
    assert not has_ink(pixels, Box(sheet.details.x, below, sheet.details.width, sheet.body_y - below - 0.5))
    right = sheet.details.x + sheet.details.width
    assert not has_ink(pixels, Box(right + 0.5, sheet.details.y, 2, sheet.details.height))


def test_an_address_of_mail_goes_on_behind_its_at(tmp_path: Path) -> None:
    """Never in the middle of a word, as nobody types it then."""
    details = [("E-Mail", "hallo@teehaus-windmuehle-hamburg.example")]
    box = SHEETS[Paper.DIN_5008].details
    pixels = page(tmp_path, write_letter(replace(LETTER, details=details)).pdf)
    assert has_ink(pixels, Box(box.x + 12, box.y, 12, 2.5))
    assert not has_ink(pixels, Box(box.x + 28, box.y, box.width - 28, 2.5)), "beside hallo@"
    assert has_ink(pixels, Box(box.x + 28, box.y + 3, box.width - 28, 3))


@pytest.mark.parametrize("text", HOSTILE)
def test_what_stands_in_an_order_is_never_markup(text: str) -> None:
    """As plain text everywhere: the letter has one page, and names no file."""
    letter = replace(
        LETTER, recipient=[text] * 9, subject=text, paragraphs=[text], details=[(text, text)], sender=text, brand=text,
        items=[(text, text)], payment=[PaymentRow(text, text)], footer=[text], running=text, closing=[text],
    )  # fmt: skip
    found = write_letter(letter)
    assert found.pages == 1
    assert found == write_letter(letter)  # and the same letter is the same file
    assert b"root:" not in found.pdf


def test_many_items_and_a_slip_on_the_last_page(tmp_path: Path) -> None:
    """The slip is at the foot of the last page, never on text; its code can be read."""
    items = [(f"A-{number}", f"Artikel {number}") for number in range(70)]
    logo = Picture(png(), 1, 1)
    letter = replace(LETTER, items=items, slip_svg=slip_svg(BILL, "de"), paper=Paper.SWISS_RIGHT, logo=logo)
    found = write_letter(letter)
    assert found.pages == 3
    last = page(tmp_path, found.pdf, 3, dpi=150)
    (code,) = zxingcpp.read_barcodes(last)
    assert code.text.splitlines()[:2] == ["SPC", "0200"]
    gap = page(tmp_path, found.pdf, 3)
    assert not has_ink(gap, Box(0, 297 - 105 - 4, 210, 3))
    assert zxingcpp.read_barcodes(page(tmp_path, found.pdf, 2, dpi=150)) == []


def test_a_short_letter_with_a_slip_is_one_page_with_footer_and_nothing_twice(tmp_path: Path) -> None:
    """Account and reference stand on the slip."""
    rows = texts.payment_rows(words("de", "CH"), PaymentRequestText(
        Money(11995, EUR), Money(250, EUR), Money(100, EUR), date(2026, 3, 12), "Shop", "CH93", "", "RF18"
    ))  # fmt: skip
    paragraphs = ["Guten Tag,", "Ihre Bestellung", "Offen sind noch", "Dies ist unsere letzte Erinnerung."]
    letter = replace(
        LETTER, payment=rows, slip_svg=slip_svg(BILL, "de"), paper=Paper.SWISS_RIGHT, paragraphs=paragraphs
    )
    found = write_letter(letter)
    assert found.pages == 1
    pixels = page(tmp_path, found.pdf)
    assert has_ink(pixels, Box(25, 297 - 105 - 8, 165, 6)), "the footer"
    without = replace(letter, slip_svg=b"")
    assert write_letter(without).pdf != write_letter(replace(without, payment=rows[:5])).pdf
    assert found.pdf == write_letter(replace(letter, payment=rows[:5])).pdf


def test_a_long_address_of_a_page_stays_off_its_code(tmp_path: Path) -> None:
    link = f"https://pay.shop.example/p/{'Wm' * 27}"
    payment = CodedPayment(Payee("S", "DE89370400440532013000"), Money(1, EUR), "RF18539007547034")
    code = write_code(CodeKind.EPC, payment)
    letter = replace(LETTER, payment=[PaymentRow("Ihre Seite", link, strong=True)], code_svg=code.svg())
    with_code = page(tmp_path, write_letter(letter).pdf, dpi=150)
    (found,) = zxingcpp.read_barcodes(with_code)
    assert found.text == code.text
    assert not has_ink(page(tmp_path, write_letter(letter).pdf), Box(70, 118, 3, 40)), "beside the code"


def test_the_longest_iban_is_on_one_line_whatever_the_names(tmp_path: Path) -> None:
    """A name is wrapped, as a number in two lines is mistyped."""
    payment = CodedPayment(Payee("S", "DE89370400440532013000"), Money(1, EUR), "RF18539007547034")
    code = write_code(CodeKind.EPC, payment).svg()
    iban = "MT84 MALT 0110 0001 2345 MTLC AST0 01S"
    rows = [PaymentRow("Wcześniejsze opłaty za przypomnienia", "1,00 €"), PaymentRow("IBAN", iban)]
    drawn = [
        page(tmp_path, write_letter(replace(LETTER, payment=[rows[0], PaymentRow("IBAN", value)], code_svg=code)).pdf)
        for value in (iban, iban.replace(" ", "\u00a0"))  # which cannot be broken
    ]
    assert bytes(drawn[0]) == bytes(drawn[1])


def test_the_code_can_be_scanned_from_paper(tmp_path: Path) -> None:
    payment = CodedPayment(Payee("Shop", "DE89370400440532013000"), Money(1230, EUR), "RF18539007547034")
    code = write_code(CodeKind.EPC, payment)
    pdf = write_letter(replace(LETTER, code_svg=code.svg(), code_width_mm=code.kind.width_mm)).pdf
    (found,) = zxingcpp.read_barcodes(page(tmp_path, pdf, dpi=150))
    assert found.text == code.text


def test_papers_of_countries() -> None:
    assert [usual_paper(each) for each in ("DE", "CH", "LI", "FR")] == [
        Paper.DIN_5008, Paper.SWISS_RIGHT, Paper.SWISS_RIGHT, Paper.DIN_5008,
    ]  # fmt: skip


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_says_everything(language: str) -> None:
    """No sentence is left in English, none is empty, and it has every value."""
    spoken, english = words(language), words("en")

    def said(how: LanguageTexts) -> list[str]:
        zero = Money(0, EUR)
        payment = PaymentRequestText(
            Money(1230, EUR), Money(250, EUR), zero, date(2026, 3, 12), "S", "DE89", "", "RF18"
        )
        found: list[str] = [
            texts.greeting(how, "Eva"),
            texts.greeting(how, ""),
            texts.regards(how, ""),
            texts.crossed_payment_text(how),
        ]
        for level in (1, 2, 3):
            each = texts.reminder(how, level, 3, "A-1", date(2026, 3, 2), payment)
            found += [each.subject, *each.paragraphs]
        for cover in (payment, None):
            each = texts.invoice_cover(how, "RE-1", "A-1", date(2026, 3, 2), cover)
            found += [each.subject, *each.paragraphs]
        each = texts.information(how, "A-1", date(2026, 3, 2), payment)
        return [*found, each.subject, *each.paragraphs, texts.page_words(how), texts.code_caption(how)]

    own, usual = said(spoken), said(english)
    assert all(own)
    if language != "en":
        assert [text for text, other in zip(own, usual, strict=True) if text == other] == []
    assert "{page}" in texts.page_words(spoken)
    assert any(spoken.amount(Money(1480, EUR)) in text for text in own)  # with the fee


def test_fees_are_rows_of_their_own() -> None:
    payment = PaymentRequestText(
        Money(1230, EUR),
        Money(250, EUR),
        Money(100, EUR),
        date(2026, 3, 12),
        "Shop",
        "DE89370400440532013000",
        "",
        "RF18",
    )
    rows = [(row.name, row.value.replace("\xa0", " "), row.strong) for row in texts.payment_rows(words("en"), payment)]
    assert rows == [
        ("Open amount", "€12.30", False), ("Earlier reminder fees", "€1.00", False), ("Reminder fee", "€2.50", False),
        ("Total to pay", "€15.80", True), ("Please pay by", "12 March 2026", False), ("Payee", "Shop", False),
        ("IBAN", "DE89 3704 0044 0532 0130 00", False), ("Payment reference", "RF18", False),
    ]  # fmt: skip


def test_the_country_is_named_abroad_only() -> None:
    address = PostalAddress("Firma", "Eva Käufer", "Rue 1", "67000", "Strasbourg", "FR")
    assert texts.recipient(address, "FR", "fr") == ["Firma", "Eva Käufer", "Rue 1", "67000 Strasbourg"]
    assert texts.recipient(address, "DE", "de")[-1] == "FRANKREICH"
    assert replace(address, street=" ", company="", name="").problem == "the address has no name and no street"
    assert replace(address, city="").text == ""


def test_letters_of_a_run_begin_on_the_front_of_a_sheet() -> None:
    one, two = write_letter(LETTER).pdf, write_letter(replace(LETTER, items=[("1", "x")] * 60)).pdf
    for duplex, counts in ((False, [1, 2, 1]), (True, [2, 2, 2])):
        whole, found = join_letters([io.BytesIO(one), io.BytesIO(two), io.BytesIO(one)], duplex=duplex)
        with pikepdf.open(io.BytesIO(whole)) as pdf:
            assert (found, len(pdf.pages)) == (counts, sum(counts))


def test_no_cell_of_the_index_is_a_formula() -> None:
    line = IndexLine(1, "lt_1", "=1+1", "REMINDER", 1, 2, "DE", "@SUM(A1)\nKöln")
    assert index_csv([line]).decode("utf-8-sig").splitlines()[1] == "1,lt_1,'=1+1,REMINDER,1,2,DE,\"'@SUM(A1), Köln\""
