"""The mail as it goes out: well-formed, safe against an order's contents, the same every time."""

from __future__ import annotations

import re
import struct
from dataclasses import replace
from datetime import UTC, date, datetime
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.utils import parseaddr, parsedate_to_datetime
from gettext import GNUTranslations
from importlib import resources
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paymatch.domain.money import EUR, Money
from paymatch.domain.shops.brand import Brand, Logo
from paymatch.domain.shops.colours import colour_of
from paymatch.formats.codes.epc_qr import Payee, epc_png, epc_text
from paymatch.formats.languages.own_words import fill_placeholders
from paymatch.formats.languages.texts import LANGUAGES, language_of, words
from paymatch.formats.letters.texts import PaymentRequestText, reminder
from paymatch.formats.mail.bank_details import DetailsMail, write_details_mail
from paymatch.formats.mail.consents import ConsentMail, write_consent_mail
from paymatch.formats.mail.exports import write_exports_mail
from paymatch.formats.mail.layout import Head
from paymatch.formats.mail.message import ReminderMail, SeveralMail, plain_text
from paymatch.formats.mail.texts import SEVERAL, TextRefused, Wording, checked_wording, usual_wording
from tests.formats.codes.png import read_code
from tests.languages import SHOP, WANTED

HEAD = Head(
    message_id="<ml_1@shop.example>", at=datetime(2026, 3, 23, 9, tzinfo=UTC), sender="post@shop.example",
    reply_to="hilfe@shop.example", recipient="erika@example.com", customer="Erika Mustermann", language="de",
    country="DE", brand=Brand("Müller & Söhne"),
)  # fmt: skip
MAIL = ReminderMail(
    head=HEAD, wording=usual_wording("2", 3, "de"), level=2, order_number="A-1001", order_date=date(2026, 3, 2),
    amount=Money(4990, EUR), open=Money(123450, EUR), fee=Money(250, EUR), earlier_fees=Money(0, EUR),
    pay_until=date(2026, 4, 2), payee="Shop GmbH", iban="DE89370400440532013000", bic="COBADEFFXXX",
    reference="RF18539007547034",
)  # fmt: skip
LOGO = Logo(epc_png("logo", scale=1), 58, 58)


def read(mail: ReminderMail) -> EmailMessage:
    return message_from_bytes(mail.write(), policy=policy.default)


def html_of(message: EmailMessage) -> str:
    return str(next(part for part in message.walk() if part.get_content_type() == "text/html").get_content())


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
    assert parsedate_to_datetime(message["Date"]) == HEAD.at
    assert all(line.endswith(b"\r") and len(line) < 1000 for line in MAIL.write().split(b"\n")[:-1])
    assert MAIL.write().isascii()


def test_the_plain_text_in_german() -> None:
    assert plain_text(MAIL.write()) == (
        "Guten Tag Erika Mustermann,\n\n"
        "Ihre Bestellung A-1001 vom 2.\u00a0März 2026 ist trotz unserer Erinnerung noch\n"
        "nicht bezahlt. Offen sind noch 1.234,50\u00a0€. Bitte überweisen Sie 1.237,00\u00a0€\n"
        "bis zum 2.\u00a0April 2026.\n\n"
        "Offener Betrag:   1.234,50\u00a0€\n"
        "Mahngebühr:       2,50\u00a0€\n"
        "Zu zahlen:        1.237,00\u00a0€\n"
        "Zahlbar bis:      2.\u00a0April 2026\n"
        "Empfänger:        Shop GmbH\n"
        "IBAN:             DE89 3704 0044 0532 0130 00\n"
        "BIC:              COBADEFFXXX\n"
        "Verwendungszweck: RF18 5390 0754 7034\n\n"
        "Wenn Sie in den letzten Tagen schon gezahlt haben, betrachten Sie diese\n"
        "Nachricht bitte als gegenstandslos.\n\n"
        "Müller & Söhne\n"
    )


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("level", [0, 1, 2, 3])
def test_every_usual_text_fills_without_a_rest(language: str, level: int) -> None:
    wording = usual_wording(str(level), 3, language)
    assert checked_wording(str(level), wording.subject, wording.body) == wording
    message = read(replace(MAIL, head=replace(HEAD, language=language), level=level, wording=wording))
    text, html = plain_text(message.as_bytes()), html_of(message)
    for shown in (text, html):
        assert "$" not in shown and "{{" not in shown + str(message["Subject"]) and "%(" not in shown
        assert "DE89 3704 0044 0532 0130 00" in shown and "Erika Mustermann" in shown
        assert words(language, "DE").amount(MAIL.total) in shown
    assert "A-1001" in message["Subject"] and f'<html lang="{language}">' in html


@pytest.mark.parametrize(("level", "levels", "said"), [
    (2, 2, "despite our reminder."), (2, 3, "despite our reminder."), (3, 4, "despite our reminders."),
    (3, 3, "despite our reminders."), (9, 9, "despite our reminders."),
])  # fmt: skip
def test_a_reminder_counts_those_that_came_before_it(level: int, levels: int, said: str) -> None:
    """In mails and in letters, the last level of a short plan included."""
    assert said in usual_wording(str(level), levels, "en").body
    money = Money(1000, EUR)
    request = PaymentRequestText(money, Money(0, EUR), Money(0, EUR), date(2026, 4, 2), "Shop", "", "", "")
    assert said in "\n".join(reminder(words("en"), level, levels, "A-1", date(2026, 3, 2), request).paragraphs)


def test_a_long_value_goes_on_below_its_beginning() -> None:
    payee = "Gesellschaft für außerordentlich lange Firmennamen mbH & Co. KG a.A."
    text = plain_text(replace(MAIL, payee=payee).write())
    assert (
        "Empfänger:        Gesellschaft für außerordentlich lange Firmennamen mbH &\n"
        "                  Co. KG a.A.\n"
        "IBAN:             DE89 3704 0044 0532 0130 00\n"
    ) in text


def test_paragraphs_of_a_mail_to_owners_are_apart() -> None:
    head = replace(HEAD, language="en", customer="")
    consent = plain_text(write_consent_mail(head, ConsentMail("Sparkasse", date(2026, 4, 2), "https://a.example/b")))
    assert consent == (
        "The consent to read the accounts of Müller & Söhne at Sparkasse expires on\n2\u00a0April 2026. After that, no"
        " statements arrive and reminders are paused.\n\nRenew the consent at the bank. It takes about two minutes.\n\n"
        "Renew the consent:\nhttps://a.example/b\n\nMüller & Söhne\n"
    )
    exports = plain_text(write_exports_mail(head, "March 2026", ["a.csv", "b.csv"], "https://a.example/c"))
    assert exports == (
        "The exports of Müller & Söhne for March 2026 are attached.\n\na.csv\nb.csv\n\n"
        "Open the exports:\nhttps://a.example/c\n\nMüller & Söhne\n"
    )


def test_every_template_of_mail_exists_as_html_and_as_text_in_the_common_layout() -> None:
    folder = resources.files("paymatch.formats.mail").joinpath("templates")
    files = {each.name: each.read_text("utf-8") for each in folder.iterdir()}
    names = {name.removesuffix(".html") for name in files if name.endswith(".html")} - {"base", "parts"}
    assert names == {name.removesuffix(".txt") for name in files if name.endswith(".txt")} - {"base"}
    for name in names:
        for kind in ("html", "txt"):
            assert files[f"{name}.{kind}"].startswith(f'{{% extends "base.{kind}" %}}\n'), (name, kind)


def test_no_line_breaks_before_a_colon_in_french() -> None:
    head, link = replace(HEAD, language="fr"), "https://pay.shop.example/p/x"
    mail = replace(MAIL, head=head, wording=usual_wording("2", 3, "fr"), link=link)
    text = plain_text(mail.write())
    assert [line.partition("\u00a0:")[0] for line in text.splitlines() if "\u00a0:" in line] == [
        "Montant dû", "Frais de rappel", "Total à payer", "À payer au plus tard le", "Bénéficiaire", "IBAN", "BIC",
        "Référence de paiement", "Voir la commande et le paiement",
    ]  # fmt: skip
    assert text.count(":") == 10  # and that of the link
    several = plain_text(SeveralMail(head, usual_wording(SEVERAL, 3, "fr"), (mail, mail)).write())
    assert several.count(":") == several.count("\u00a0:") + 2


def test_no_line_breaks_before_french_marks() -> None:
    catalogue = words("fr").catalogue
    assert isinstance(catalogue, GNUTranslations)
    said: dict[Any, str] = catalogue._catalog  # type: ignore[attr-defined]
    assert len(said) > 100
    wrong = re.compile(r"[ \w’)][:;!?](\s|$)")
    assert [text for english, text in said.items() if english and wrong.search(text)] == []


def test_the_code_in_the_mail_pays_the_total() -> None:
    text = epc_text(Payee("Shop GmbH", MAIL.iban, MAIL.bic), MAIL.total, MAIL.reference)
    message = read(replace(MAIL, code=epc_png(text, scale=4)))
    (image,) = [part for part in message.walk() if part.get_content_type() == "image/png"]
    assert image["Content-ID"] == "<code>" and 'src="cid:code" width="220"' in html_of(message)
    assert read_code(image.get_content()).split("\n")[7] == "EUR1237.00"


def test_names_cannot_write_headers_nor_html() -> None:
    evil = 'Eve\r\nBcc: all@example.com\r\n\r\n<script>alert("$order")</script>'
    brand = Brand(evil, email=evil, phone=evil, website=evil, footer=evil, logo=LOGO)
    head = replace(HEAD, customer=evil, brand=brand)
    mail = replace(MAIL, head=head, order_number=evil, payee=evil, link=evil)
    message = read(mail)
    assert message["Bcc"] is None and len(message.get_all("To", [])) == 1
    assert [parseaddr(str(message[name]))[1] for name in ("From", "To")] == ["post@shop.example", "erika@example.com"]
    details = write_details_mail(DetailsMail(head, evil, MAIL.order_date, MAIL.amount, evil, False, False))
    for written in (message, message_from_bytes(details, policy=policy.default)):
        assert written["Bcc"] is None and "&lt;script&gt;" in html_of(written)
        assert "<script" not in html_of(written) and "{{" not in html_of(written)
    assert "$order" in plain_text(mail.write())  # an order's contents are never a placeholder


@given(st.text(max_size=60), st.text(max_size=60))
def test_whatever_is_called_however(name: str, number: str) -> None:
    head = replace(HEAD, customer=name, brand=Brand(name, footer=number))
    mail = replace(MAIL, head=head, order_number=number, payee=number)
    content = mail.write()
    assert content == mail.write()
    message = message_from_bytes(content, policy=policy.default)
    assert set(message.keys()) == set(read(MAIL).keys()) and not message.defects
    assert "RF18 5390 0754 7034" in plain_text(content)


@pytest.mark.parametrize(
    ("subject", "body", "reason"),
    [
        ("", "x", "subject: 1 to 200 characters are expected"),
        ("x", " ", "body: 1 to 4000 characters are expected"),
        ("$order", "pay $ now", "body: a dollar sign comes before a placeholder, or is written $$"),
        ("$order", "$password", "body: there is no placeholder password; there are amount, date,"),
        ("$order", "${order.__class__}", "body: a dollar sign comes before a placeholder"),
        ("{{ ordr }}", "x", "subject: there is no placeholder ordr; there are amount, date,"),
        ("$order", "{{ order.__class__.__mro__ }}", "body: placeholders and conditions can be used, not getattr"),
        ("$order", "{{ order['x'] }}", "body: placeholders and conditions can be used, not getitem"),
        ("$order", "{{ cycler.__init__.__globals__ }}", "body: placeholders and conditions can be used, not getattr"),
        ("$order", "{{ self }}", "body: there is no placeholder self"),
        ("$order", "{{ order.upper() }}", "body: placeholders and conditions can be used, not call"),
        ("$order", "{% for x in order %}x{% endfor %}", "body: placeholders and conditions can be used, not for"),
        ("$order", "{% set name = order %}", "body: placeholders and conditions can be used, not assign"),
        ("$order", "{% include 'base.txt' %}", "body: placeholders and conditions can be used, not include"),
        ("$order", "{{ 9 ** 9 ** 9 }}", "body: placeholders and conditions can be used, not pow"),
        ("$order", "{{ order|attr('x') }}", "body: there is no filter attr here; there are capitalize, lower,"),
        ("$order", "{{ order|upper(name) }}", "body: there is no filter upper here"),
        ("$order", "{{ order", "body: line 1: unexpected end of template"),
        ("$order", "{% if name %}Dear", "body: line 1: Unexpected end of template"),
        ("$order", "{{ " + "(" * 1500 + "order" + ")" * 1500 + " }}", "body: it is nested too deeply"),
        ("$order", "{{ 0x" + "f" * 3900 + " }}", "body: it contains a number or a character that cannot be written"),
        ("$order", "{{ '\\ud800' }}", "body: it contains a number or a character that cannot be written"),
        ("$order", "{{ name < 1 if name }}", "body: texts alone can be compared"),
        ("$order", "{{ 'a' == 'b' < 'c' and order in (not name) }}", "body: texts alone can be compared"),
        ("$order", "{% for x in range(10**9) %}x{% endfor %}", "body: placeholders and conditions can be used, not"),
        ("$order", "{{ 'x' * 10**9 }}", "body: placeholders and conditions can be used, not mul"),
        ("$order", "{{ order|center(1000000000) }}", "body: there is no filter center here"),
        ("$order", "{{ '%999999999d'|format(1) }}", "body: there is no filter format here"),
        ("$order", "{{ order ~ order }}", "body: placeholders and conditions can be used, not concat"),
        ("$order", "{{ [order, order] }}", "body: placeholders and conditions can be used, not list"),
        ("$order", "{{ {'a': order} }}", "body: placeholders and conditions can be used, not dict"),
        ("$order", "{{ order is defined }}", "body: placeholders and conditions can be used, not test"),
        (
            "$order",
            "{% macro m() %}{{ m() }}{% endmacro %}",
            "body: placeholders and conditions can be used, not macro",
        ),
        ("$order", "{% extends 'base.txt' %}", "body: placeholders and conditions can be used, not extends"),
        ("$order", "{% import 'base.txt' as b %}", "body: placeholders and conditions can be used, not import"),
        ("$order", "{% block b %}{{ self.b() }}{% endblock %}", "body: placeholders and conditions can be used, not"),
        ("$order", "{% with a=order %}{{ a }}{% endwith %}", "body: placeholders and conditions can be used, not with"),
        ("$order", "{{ lipsum }}{{ namespace }}{{ joiner }}", "body: there is no placeholder lipsum"),
        ("$order", "{{ request }}{{ config }}", "body: there is no placeholder request"),
        ("$order", "bell \x07", "body: control characters cannot be sent"),
    ],
)
def test_texts_of_shops_that_cannot_be_used(subject: str, body: str, reason: str) -> None:
    with pytest.raises(TextRefused) as refused:
        checked_wording("1", subject, body)
    assert str(refused.value).startswith(reason)


def test_a_text_of_a_shop() -> None:
    wording = checked_wording("1", "Your order\n$order", "Dear ${name},\r\n\r\nit costs $$ $open.\n\n$reference")
    assert wording == Wording("Your order $order", "Dear ${name},\n\nit costs $$ $open.\n\n$reference")
    mail = replace(MAIL, wording=wording, head=replace(HEAD, language="en"))
    assert mail.subject == "Your order A-1001"
    assert mail.paragraphs() == ["Dear Erika Mustermann,", "it costs $ €1,234.50.", "RF18 5390 0754 7034"]
    assert (
        fill_placeholders("{{ name }} $name", {"name": "$order {{ order }}"}) == "$order {{ order }} $order {{ order }}"
    )
    assert fill_placeholders("{$name} {{ '$name' }}", {"name": "a"}) == "{a} $name"


def test_words_of_a_shop_with_conditions() -> None:
    body = (
        "{% if name %}Dear {{ name|upper }},{% else %}Hello,{% endif %}\n\n{{ 'Last!' if level == '2' else 'Please' }}"
    )
    mail = replace(MAIL, wording=checked_wording("1", "$order", body))
    assert mail.paragraphs() == ["Dear ERIKA MUSTERMANN,", "Last!"]
    nobody = replace(mail, head=replace(HEAD, customer=""), level=1)
    assert nobody.paragraphs() == ["Hello,", "Please"]


def test_the_shop_is_recognised() -> None:
    brand = Brand("Shop", colour_of("#ffd000"), "help@shop.example", footer="Shop GmbH\nBerlin", logo=LOGO)
    message = read(replace(MAIL, head=replace(HEAD, brand=brand)))
    (picture,) = [part for part in message.walk() if part.get_content_type() == "image/png"]
    assert (picture["Content-ID"], picture.get_content()) == ("<logo>", LOGO.png)
    html = html_of(message)
    assert '<img src="cid:logo" alt="Shop" width="29" height="29">' in html
    assert "border-top: 5px solid #ffd000" in html and "Shop GmbH<br>Berlin" in html
    assert not re.search(r"(src|href)=\"(?!cid:|https://)|url\(|<table", html), "nothing is loaded from elsewhere"
    assert plain_text(message.as_bytes()).endswith("\n\nShop\nhelp@shop.example\n\nShop GmbH\nBerlin\n")


def test_a_wide_code_is_shown_wide() -> None:
    wide = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", 909, 455)
    assert 'src="cid:code" width="540"' in html_of(read(replace(MAIL, code=wide)))


def test_languages() -> None:
    wanted = [("de", "en"), ("de-AT", "en"), ("DE_de", "en"), ("", "de"), ("sv", "de"), ("", "sv"), ("fr", "de")]
    assert [language_of(*each) for each in wanted] == ["de", "de", "de", "de", "de", "en", "fr"]
    assert {order: language_of(order, SHOP) for order in WANTED} == WANTED
