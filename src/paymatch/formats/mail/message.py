"""The mail of a payment information or reminder, with the payment code in it."""

from __future__ import annotations

import base64
import struct
from dataclasses import dataclass
from datetime import date
from email import message_from_bytes, policy
from typing import Final

from paymatch.domain.money import Money
from paymatch.formats.languages.own_words import filled
from paymatch.formats.languages.words import grouped
from paymatch.formats.mail.layout import Head, composed, one_line
from paymatch.formats.mail.texts import Wording

_CODE_PIXELS: Final = 220
_SLIP_PIXELS: Final = 540
"""How wide a payment code and a Swiss payment slip are shown where there is room."""


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
            "until": spoken.day(self.pay_until), "reference": grouped(self.reference), "link": self.link,
        }  # fmt: skip
        return {name: _unbroken(value) for name, value in found.items()}

    @property
    def subject(self) -> str:
        """The subject as it is sent."""
        return one_line(filled(self.wording.subject, self._values()))

    def paragraphs(self) -> list[str]:
        """The words before the account."""
        found = [part.strip() for part in filled(self.wording.body, self._values()).split("\n\n") if part.strip()]
        if self.lapses is not None:
            spoken = self.head.spoken
            found.append(
                spoken.gettext(
                    "If your payment does not arrive, we will cancel the order, on %(day)s at the earliest.",
                    day=spoken.day(self.lapses),
                )
            )
        return found

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
            ("IBAN", grouped(self.iban)),
            ("BIC", self.bic),
            (spoken.gettext("Payment reference"), grouped(self.reference)),
        ]
        return [(label, value) for label, value in found if value]


def write_mail(mail: ReminderMail) -> bytes:
    """The message as it is sent and kept; the same mail gives the same bytes."""
    lines = mail.lines()
    width = max(len(label) for label, _ in lines) + 2
    context = {
        "paragraphs": mail.paragraphs(), "lines": lines,
        "table": "\n".join(f"{label + ':':<{width}}{value}" for label, value in lines),
        "link": mail.link, "names_link": bool(mail.link) and any(mail.link in part for part in mail.paragraphs()),
        "is_reminder": mail.level > 0, "code": bool(mail.code), "code_width": _width(mail.code),
    }  # fmt: skip
    return composed(mail.head, "reminder", mail.subject, context, {"code": mail.code} if mail.code else {})


def plain_text(content: bytes) -> str:
    """The plain text of a message of ours."""
    message = message_from_bytes(content, policy=policy.default)
    body = message.get_body(("plain",))
    return str(body.get_content()).replace("\r\n", "\n") if body is not None else ""


def html_page(content: bytes) -> str:
    """The HTML of a message of ours as a page that needs nothing else: its pictures stand in it."""
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
    """How wide the picture is shown in pixels: a slip is much wider than it is high (PNG, chunk IHDR)."""
    if not png:
        return 0
    width, height = struct.unpack(">II", png[16:24])
    return _SLIP_PIXELS if width > 1.3 * height else _CODE_PIXELS
