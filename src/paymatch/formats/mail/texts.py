"""What payment information and reminders say, in German and English; how amounts and dates are written there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from string import Template
from typing import Final

from paymatch.domain.money import Money, minor_to_text
from paymatch.domain.refusal import Refused

LANGUAGES: Final = ("de", "en")
MAX_SUBJECT: Final = 200
MAX_BODY: Final = 4000

PLACEHOLDERS: Final = frozenset(
    {"name", "shop", "order", "date", "amount", "open", "fee", "total", "until", "level", "reference", "link"}
)
"""What a text may hold as `$order` or `${order}`; `$$` is a dollar sign."""


class TextRefused(Refused):
    """A text of a shop cannot be used; the reason in words."""


@dataclass(frozen=True, slots=True)
class Wording:
    """Subject and words of a mail, with placeholders; paragraphs are parted by an empty line."""

    subject: str
    body: str


@dataclass(frozen=True, slots=True)
class Labels:
    """The words around the account that is to be paid to."""

    open: str
    fee: str
    earlier_fees: str
    total: str
    until: str
    payee: str
    reference: str
    code: str
    crossed: str
    page: str


LABELS: Final[Mapping[str, Labels]] = {
    "de": Labels(
        "Offener Betrag", "Mahngebühr", "Frühere Mahngebühren", "Zu zahlen", "Zahlbar bis", "Empfänger",
        "Verwendungszweck", "QR-Code für Ihre Banking-App",
        "Wenn Sie in den letzten Tagen schon gezahlt haben, betrachten Sie diese Nachricht bitte als erledigt.",
        "Ihre Bestellung und Zahlung im Überblick:",
    ),
    "en": Labels(
        "Open amount", "Reminder fee", "Earlier reminder fees", "To be paid", "Please pay by", "Payee",
        "Payment reference", "QR code for your banking app",
        "If you have paid in the last few days, please disregard this message.",
        "Your order and payment at a glance:",
    ),
}  # fmt: skip

_INFORMATION: Final = {
    "de": Wording(
        "Zahlungsinformation zu Ihrer Bestellung $order",
        "Guten Tag $name,\n\nvielen Dank für Ihre Bestellung $order vom $date. Bitte überweisen Sie den Betrag von"
        " $total bis zum $until.",
    ),
    "en": Wording(
        "How to pay for your order $order",
        "Hello $name,\n\nthank you for your order $order of $date. Please transfer $total by $until.",
    ),
}
_FIRST: Final = {
    "de": Wording(
        "Zahlungserinnerung zu Ihrer Bestellung $order",
        "Guten Tag $name,\n\nfür Ihre Bestellung $order vom $date haben wir noch keinen vollständigen Zahlungseingang"
        " gefunden. Offen sind $open. Bitte überweisen Sie den Betrag bis zum $until.",
    ),
    "en": Wording(
        "Payment reminder for your order $order",
        "Hello $name,\n\nwe have not yet found the full payment for your order $order of $date. $open is open."
        " Please transfer the amount by $until.",
    ),
}
_FURTHER: Final = {
    "de": Wording(
        "$level. Zahlungserinnerung zu Ihrer Bestellung $order",
        "Guten Tag $name,\n\nIhre Bestellung $order vom $date ist trotz unserer Erinnerung noch nicht bezahlt."
        " Offen sind $open. Bitte überweisen Sie den Betrag bis zum $until.",
    ),
    "en": Wording(
        "Payment reminder no. $level for your order $order",
        "Hello $name,\n\nyour order $order of $date is still unpaid in spite of our reminder. $open is open."
        " Please transfer the amount by $until.",
    ),
}
_LAST: Final = {
    "de": Wording(
        "Letzte Zahlungserinnerung zu Ihrer Bestellung $order",
        "Guten Tag $name,\n\nIhre Bestellung $order vom $date ist trotz mehrerer Erinnerungen noch nicht bezahlt."
        " Offen sind $open. Dies ist unsere letzte Erinnerung: Bitte überweisen Sie den Betrag bis zum $until, oder"
        " antworten Sie uns, wenn etwas nicht stimmt.",
    ),
    "en": Wording(
        "Last payment reminder for your order $order",
        "Hello $name,\n\nyour order $order of $date is still unpaid in spite of several reminders. $open is open."
        " This is our last reminder: please transfer the amount by $until, or reply if anything is wrong.",
    ),
}
_MONTHS: Final = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip


def language_of(order_language: str, shop_language: str) -> str:
    """The language of a mail: the order's if it is written here, else English; the shop's if the order has none."""
    wanted = (order_language or shop_language).lower().replace("_", "-").partition("-")[0]
    return wanted if wanted in LANGUAGES else "en"


def usual_wording(level: int, levels: int, language: str) -> Wording:
    """How a level is worded where the shop has no words of its own; `levels` is how many the plan has."""
    if level == 0:
        return _INFORMATION[language]
    if level == 1:
        return _FIRST[language]
    return (_LAST if level >= levels else _FURTHER)[language]


def checked_wording(subject: str, body: str) -> Wording:
    """Words of a shop. TextRefused if they are empty, too long, or hold something that is no placeholder."""
    subject, body = " ".join(subject.split()), body.replace("\r\n", "\n").strip()
    for name, text, most in (("subject", subject, MAX_SUBJECT), ("body", body, MAX_BODY)):
        if not 1 <= len(text) <= most:
            raise TextRefused(f"{name}: 1 to {most} characters are expected")
        if any(ord(char) < 32 and char not in "\n\t" for char in text):
            raise TextRefused(f"{name}: control characters cannot be sent")
        template = Template(text)
        if not template.is_valid():
            raise TextRefused(f"{name}: a dollar sign stands before a placeholder, or is written $$")
        unknown = sorted(set(template.get_identifiers()) - PLACEHOLDERS)
        if unknown:
            raise TextRefused(f"{name}: there is no ${unknown[0]}; there are ${', $'.join(sorted(PLACEHOLDERS))}")
    return Wording(subject, body)


def filled(text: str, values: Mapping[str, str]) -> str:
    """The text with its placeholders replaced; a value is never read again, whatever it holds."""
    return Template(text).substitute(values)


def amount_in_words(amount: Money, language: str) -> str:
    """`1.234,50 EUR` in German, `1,234.50 EUR` in English."""
    whole, point, digits = minor_to_text(amount.minor, amount.currency).partition(".")
    grouped = f"{int(whole):,}"
    if language == "de":
        return f"{grouped.replace(',', '.')},{digits} {amount.currency}"
    return f"{grouped}{point}{digits} {amount.currency}"


def date_in_words(day: date, language: str) -> str:
    """`09.03.2026` in German, `9 March 2026` in English."""
    return f"{day:%d.%m.%Y}" if language == "de" else f"{day.day} {_MONTHS[day.month - 1]} {day.year}"
