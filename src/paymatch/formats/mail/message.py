"""The mails about orders: how to pay one or several, with payment codes in them, and thanks for a payment."""

from __future__ import annotations

import base64
import struct
from dataclasses import dataclass
from datetime import date
from email import message_from_bytes, policy
from typing import Any, Final

from paymatch.domain.money import Money
from paymatch.formats.languages.own_words import fill_placeholders
from paymatch.formats.languages.texts import group_digits
from paymatch.formats.mail.layout import Head, columns, compose, one_line
from paymatch.formats.mail.texts import Wording

_CODE_PIXELS: Final = 220
_WIDE_PIXELS: Final = 540
"""How wide a square payment code and a wide one (HUB-3) are shown where there is room."""


@dataclass(frozen=True, slots=True)
class ReminderMail:
    """Everything that a mail says. Amounts in the currency that is paid; `code` is a PNG, empty where there is none."""

    head: Head
    wording: Wording
    level: int
    order_number: str
    order_date: date
    amount: Money
    open: Money
    fee: Money
    earlier_fees: Money
    pay_until: date
    payee: str
    iban: str
    bic: str
    reference: str
    code: bytes = b""
    link: str = ""  # to the order's own page; "" where there is none
    refund: Money | None = None  # that is transferred once the payment has arrived; None: there is none
    lapses: date | None = None  # when the order is cancelled at the earliest; None if this mail does not warn of it

    @property
    def total(self) -> Money:
        """What is asked for: what is open, and the fees of all reminders so far."""
        return self.open + self.fee + self.earlier_fees

    def _values(self) -> dict[str, str]:
        spoken, head = self.head.spoken, self.head
        found = {
            "name": head.customer, "shop": head.brand.name, "order": self.order_number,
            "amount": spoken.amount(self.amount), "open": spoken.amount(self.open), "fee": spoken.amount(self.fee),
            "total": spoken.amount(self.total), "level": str(self.level), "date": spoken.day(self.order_date),
            "until": spoken.day(self.pay_until), "reference": group_digits(self.reference), "link": self.link,
        }  # fmt: skip
        return {name: _unbroken(value) for name, value in found.items()}

    @property
    def subject(self) -> str:
        """The subject as it is sent."""
        return one_line(fill_placeholders(self.wording.subject, self._values()))

    def paragraphs(self) -> list[str]:
        """The words before the account."""
        return _paragraphs(fill_placeholders(self.wording.body, self._values())) + self.notes()

    def notes(self) -> list[str]:
        """The text after the words of a mail, for own and default words: refunds, and consequences of not paying."""
        return [note for note in (self.refund_words(), self.lapse_words()) if note]

    def refund_words(self) -> str:
        """The refund to the customer; "" if there is none."""
        if self.refund is None:
            return ""
        spoken = self.head.spoken
        return spoken.gettext(
            "Once your payment has arrived, we will refund %(amount)s to you.", amount=spoken.amount(self.refund)
        )

    def lapse_words(self) -> str:
        """The consequences of not paying; "" if this mail does not warn of them."""
        if self.lapses is None:
            return ""
        spoken = self.head.spoken
        return spoken.gettext(
            "If your payment does not arrive, we will cancel the order, on %(day)s at the earliest.",
            day=spoken.day(self.lapses),
        )

    def lines(self) -> list[tuple[str, str]]:
        """What is to be paid, and where to: label and value."""
        spoken = self.head.spoken
        found = [(spoken.gettext("Open amount"), spoken.amount(self.open))]
        fees = (
            (spoken.gettext("Earlier reminder fees"), self.earlier_fees),
            (spoken.gettext("Reminder fee"), self.fee),
        )
        found += [(label, spoken.amount(fee)) for label, fee in fees if fee.minor]
        if self.total != self.open:
            found.append((spoken.gettext("Total to pay"), spoken.amount(self.total)))
        found += [
            (spoken.gettext("Please pay by"), spoken.day(self.pay_until)),
            (spoken.gettext("Payee"), one_line(self.payee)),
            ("IBAN", group_digits(self.iban)),
            ("BIC", self.bic),
            (spoken.gettext("Payment reference"), group_digits(self.reference)),
        ]
        return [(label, value) for label, value in found if value]

    def shown(self, place: int = 0) -> dict[str, Any]:
        """What templates need of the order; `place` distinguishes several orders of one mail."""
        lines = self.lines()
        return {
            "lines": lines, "table": columns(lines, self.head.spoken.colon),
            "link": self.link, "code": f"code{place or ''}" if self.code else "", "code_width": _width(self.code),
        }  # fmt: skip

    def write(self) -> bytes:
        """The message as it is sent and kept; the same mail gives the same bytes."""
        paragraphs = self.paragraphs()
        context = self.shown() | {
            "paragraphs": paragraphs, "is_reminder": self.level > 0,
            "names_link": bool(self.link) and any(self.link in part for part in paragraphs),
        }  # fmt: skip
        return compose(self.head, "reminder", self.subject, context, {"code": self.code} if self.code else {})


@dataclass(frozen=True, slots=True)
class SeveralMail:
    """Payment information and reminders about several orders of one customer, in one currency.

    The subject of each order's own mail is the title of its part.
    """

    head: Head
    wording: Wording
    parts: tuple[ReminderMail, ...]

    def _values(self) -> dict[str, str]:
        spoken = self.head.spoken
        total = Money(sum(part.total.minor for part in self.parts), self.parts[0].total.currency)
        found = {
            "name": self.head.customer, "shop": self.head.brand.name, "total": spoken.amount(total),
            "orders": ", ".join(part.order_number for part in self.parts),
            "until": spoken.day(min(part.pay_until for part in self.parts)),
        }  # fmt: skip
        return {name: _unbroken(value) for name, value in found.items()}

    @property
    def subject(self) -> str:
        """The subject as it is sent."""
        return one_line(fill_placeholders(self.wording.subject, self._values()))

    def write(self) -> bytes:
        """The message as it is sent and kept; the same mail gives the same bytes."""
        parts = [
            part.shown(place) | {"title": part.subject, "notes": part.notes()}
            for place, part in enumerate(self.parts, 1)
        ]
        context = {
            "paragraphs": _paragraphs(fill_placeholders(self.wording.body, self._values())), "parts": parts,
            "is_reminder": any(part.level for part in self.parts),
        }  # fmt: skip
        codes = {shown["code"]: part.code for shown, part in zip(parts, self.parts, strict=True) if part.code}
        return compose(self.head, "several", self.subject, context, codes)


@dataclass(frozen=True, slots=True)
class ThanksMail:
    """Thanks for a payment that has paid an order in full."""

    head: Head
    wording: Wording
    order_number: str
    order_date: date
    amount: Money
    link: str = ""

    def _values(self) -> dict[str, str]:
        spoken = self.head.spoken
        found = {
            "name": self.head.customer, "shop": self.head.brand.name, "order": self.order_number,
            "date": spoken.day(self.order_date), "amount": spoken.amount(self.amount), "link": self.link,
        }  # fmt: skip
        return {name: _unbroken(value) for name, value in found.items()}

    @property
    def subject(self) -> str:
        """The subject as it is sent."""
        return one_line(fill_placeholders(self.wording.subject, self._values()))

    def write(self) -> bytes:
        """The message as it is sent and kept; the same mail gives the same bytes."""
        paragraphs = _paragraphs(fill_placeholders(self.wording.body, self._values()))
        names_link = bool(self.link) and any(self.link in part for part in paragraphs)
        context = {"paragraphs": paragraphs, "link": self.link, "names_link": names_link}
        return compose(self.head, "thanks", self.subject, context, {})


CustomerMail = ReminderMail | SeveralMail | ThanksMail


def _paragraphs(text: str) -> list[str]:
    return [part.strip() for part in text.split("\n\n") if part.strip()]


def plain_text(content: bytes) -> str:
    """The plain text of a message of ours."""
    message = message_from_bytes(content, policy=policy.default)
    body = message.get_body(("plain",))
    return str(body.get_content()).replace("\r\n", "\n") if body is not None else ""


def html_page(content: bytes) -> str:
    """The HTML of our message as a self-contained page, with its pictures inside."""
    message = message_from_bytes(content, policy=policy.default)
    body = message.get_body(("html",))
    page = str(body.get_content()) if body is not None else ""
    for part in message.walk():
        if part.get_content_maintype() == "image":
            name = str(part["Content-ID"]).strip("<>")
            picture = base64.b64encode(part.get_content()).decode()
            page = page.replace(f"cid:{name}", f"data:{part.get_content_type()};base64,{picture}")
    return page


def _unbroken(text: str) -> str:
    """One line; spaces at which an amount must not break off stay what they are."""
    return "\u00a0".join(one_line(part) for part in text.split("\u00a0"))


def _width(png: bytes) -> int:
    """How wide the picture is shown in pixels: a PDF417 is much wider than it is high (PNG, chunk IHDR)."""
    if not png:
        return 0
    width, height = struct.unpack(">II", png[16:24])
    return _WIDE_PIXELS if width > 1.3 * height else _CODE_PIXELS
