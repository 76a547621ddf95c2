"""The mail as it goes out: well-formed, safe against what stands in an order, the same every time."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.utils import parseaddr, parsedate_to_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paymatch.domain.money import EUR, Currency, Money
from paymatch.formats.codes.epc_qr import Payee, epc_png, epc_text
from paymatch.formats.mail.message import ReminderMail, plain_text, write_mail
from paymatch.formats.mail.texts import (
    LANGUAGES,
    TextRefused,
    Wording,
    amount_in_words,
    checked_wording,
    date_in_words,
    filled,
    language_of,
    usual_wording,
)
from tests.formats.codes.png import read_code

MAIL = ReminderMail(
    message_id="<ml_1@shop.example>", at=datetime(2026, 3, 23, 9, tzinfo=UTC), sender="post@shop.example",
    sender_name="Müller & Söhne", reply_to="hilfe@shop.example", recipient="erika@example.com", language="de",
    wording=usual_wording(2, 3, "de"), level=2, customer="Erika Mustermann", shop="Shop", order_number="A-1001",
    order_date=date(2026, 3, 2), amount=Money(4990, EUR), open=Money(123450, EUR), fee=Money(250, EUR),
    earlier_fees=Money(0, EUR), pay_until=date(2026, 4, 2), payee="Shop GmbH", iban="DE89370400440532013000",
    bic="COBADEFFXXX", reference="RF18539007547034",
)  # fmt: skip


def read(mail: ReminderMail) -> EmailMessage:
    return message_from_bytes(write_mail(mail), policy=policy.default)


def test_headers() -> None:
    message = read(MAIL)
    assert {name: str(value) for name, value in message.items() if name not in ("Content-Type", "MIME-Version")} == {
        "From": "Müller & Söhne <post@shop.example>",
        "To": "Erika Mustermann <erika@example.com>",
        "Reply-To": "hilfe@shop.example",
        "Subject": "2. Zahlungserinnerung zu Ihrer Bestellung A-1001",
        "Date": "Mon, 23 Mar 2026 09:00:00 +0000",
        "Message-ID": "<ml_1@shop.example>",
        "Auto-Submitted": "auto-generated",
        "Content-Language": "de",
    }
    assert parsedate_to_datetime(message["Date"]) == MAIL.at
    assert all(line.endswith(b"\r") and len(line) < 1000 for line in write_mail(MAIL).split(b"\n")[:-1])
    assert write_mail(MAIL).isascii()


def test_the_plain_text_in_german() -> None:
    assert plain_text(write_mail(MAIL)) == (
        "Guten Tag Erika Mustermann,\n\n"
        "Ihre Bestellung A-1001 vom 02.03.2026 ist trotz unserer Erinnerung noch\n"
        "nicht bezahlt. Offen sind 1.234,50 EUR. Bitte überweisen Sie den Betrag bis\nzum 02.04.2026.\n\n"
        "Offener Betrag:   1.234,50 EUR\n"
        "Mahngebühr:       2,50 EUR\n"
        "Zu zahlen:        1.237,00 EUR\n"
        "Zahlbar bis:      02.04.2026\n"
        "Empfänger:        Shop GmbH\n"
        "IBAN:             DE89 3704 0044 0532 0130 00\n"
        "BIC:              COBADEFFXXX\n"
        "Verwendungszweck: RF18 5390 0754 7034\n\n"
        "Wenn Sie in den letzten Tagen schon gezahlt haben, betrachten Sie diese\nNachricht bitte als erledigt.\n\n"
        "Müller & Söhne\n"
    )


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("level", [0, 1, 2, 3])
def test_every_usual_text_fills_without_a_rest(language: str, level: int) -> None:
    wording = usual_wording(level, 3, language)
    assert checked_wording(wording.subject, wording.body) == wording
    message = read(replace(MAIL, language=language, level=level, wording=wording))
    text = plain_text(message.as_bytes())
    assert "$" not in text + str(message["Subject"]) and "A-1001" in text and "DE89 3704" in text
    assert "1.234,50 EUR" in text or "1,234.50 EUR" in text


def test_the_code_in_the_mail_pays_the_total() -> None:
    text = epc_text(Payee("Shop GmbH", MAIL.iban, MAIL.bic), MAIL.total, MAIL.reference)
    message = read(replace(MAIL, code=epc_png(text, scale=4)))
    (image,) = [part for part in message.walk() if part.get_content_type() == "image/png"]
    (html,) = [part for part in message.walk() if part.get_content_type() == "text/html"]
    assert image["Content-ID"] == "<code>" and 'src="cid:code"' in html.get_content()
    assert read_code(image.get_content()).split("\n")[7] == "EUR1237.00"


def test_names_cannot_write_headers_nor_html() -> None:
    evil = 'Eve\r\nBcc: all@example.com\r\n\r\n<script>alert("$order")</script>'
    mail = replace(MAIL, customer=evil, sender_name=evil, shop=evil, order_number=evil, payee=evil)
    message = read(mail)
    assert message["Bcc"] is None and len(message.get_all("To", [])) == 1
    assert [parseaddr(str(message[name]))[1] for name in ("From", "To")] == ["post@shop.example", "erika@example.com"]
    html = next(part for part in message.walk() if part.get_content_type() == "text/html").get_content()
    assert "<script" not in html and "&lt;script&gt;" in html
    assert "$order" in plain_text(write_mail(mail))  # what stands in an order is never a placeholder


@given(st.text(max_size=60), st.text(max_size=60))
def test_whatever_is_called_however(name: str, number: str) -> None:
    content = write_mail(replace(MAIL, customer=name, sender_name=name, order_number=number, payee=number))
    assert content == write_mail(replace(MAIL, customer=name, sender_name=name, order_number=number, payee=number))
    message = message_from_bytes(content, policy=policy.default)
    assert set(message.keys()) == set(read(MAIL).keys()) and not message.defects
    assert "RF18 5390 0754 7034" in plain_text(content)


@pytest.mark.parametrize(
    ("subject", "body", "reason"),
    [
        ("", "x", "subject: 1 to 200 characters are expected"),
        ("x", " ", "body: 1 to 4000 characters are expected"),
        ("$order", "pay $ now", "body: a dollar sign stands before a placeholder, or is written $$"),
        ("$order", "$password", "body: there is no $password; there are $amount, $date,"),
        ("$order", "${order.__class__}", "body: a dollar sign stands before a placeholder"),
        ("$order", "bell \x07", "body: control characters cannot be sent"),
    ],
)
def test_texts_of_shops_that_cannot_be_used(subject: str, body: str, reason: str) -> None:
    with pytest.raises(TextRefused) as refused:
        checked_wording(subject, body)
    assert str(refused.value).startswith(reason)


def test_a_text_of_a_shop() -> None:
    wording = checked_wording("Your order\n$order", "Dear ${name},\r\n\r\nit costs $$ $open.\n\n$reference")
    assert wording == Wording("Your order $order", "Dear ${name},\n\nit costs $$ $open.\n\n$reference")
    mail = replace(MAIL, wording=wording, language="en")
    assert mail.subject == "Your order A-1001"
    assert mail.paragraphs() == ["Dear Erika Mustermann,", "it costs $ 1,234.50 EUR.", "RF18 5390 0754 7034"]
    assert filled("$name", {"name": "$order"}) == "$order"


def test_languages_amounts_and_dates() -> None:
    wanted = [("de", "en"), ("de-AT", "en"), ("DE_de", "en"), ("", "de"), ("fr", "de"), ("", "fr"), ("en", "de")]
    assert [language_of(*each) for each in wanted] == ["de", "de", "de", "de", "en", "en", "en"]
    assert amount_in_words(Money(123456789, EUR), "de") == "1.234.567,89 EUR"
    assert amount_in_words(Money(100, Currency("JPY")), "en") == "100.00 JPY"
    assert (date_in_words(date(2026, 3, 9), "de"), date_in_words(date(2026, 3, 9), "en")) == (
        "09.03.2026", "9 March 2026",
    )  # fmt: skip
