"""The mail of a payment information or reminder: plain text and simple HTML with the payment code in it (RFC 5322)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from email import message_from_bytes, policy
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import format_datetime
from html import escape
from textwrap import fill
from typing import Final, cast

from paymatch.domain.money import Currency, Money
from paymatch.formats.mail.texts import LABELS, Wording, amount_in_words, date_in_words, filled

_STYLE: Final = "font-family:sans-serif;font-size:15px;line-height:1.5;color:#222"
_CELL: Final = "padding:2px 16px 2px 0;vertical-align:top"


@dataclass(frozen=True, slots=True)
class ReminderMail:
    """Everything that a mail says. Amounts in the order's currency; `code` is a PNG, empty where there is none."""

    message_id: str
    at: datetime
    sender: str
    sender_name: str
    reply_to: str
    recipient: str
    language: str
    wording: Wording
    level: int
    customer: str
    shop: str
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

    @property
    def total(self) -> Money:
        """What is asked for: what is open, and the fees of all reminders so far."""
        return self.open + self.fee + self.earlier_fees

    def _values(self) -> dict[str, str]:
        def money(amount: Money) -> str:
            return amount_in_words(amount, self.language)

        found = {
            "name": self.customer, "shop": self.shop, "order": self.order_number, "amount": money(self.amount),
            "open": money(self.open), "fee": money(self.fee), "total": money(self.total), "level": str(self.level),
            "date": date_in_words(self.order_date, self.language),
            "until": date_in_words(self.pay_until, self.language), "reference": _grouped(self.reference),
            "link": self.link,
        }  # fmt: skip
        return {name: one_line(value) for name, value in found.items()}

    @property
    def subject(self) -> str:
        """The subject as it is sent."""
        return one_line(filled(self.wording.subject, self._values()))

    def paragraphs(self) -> list[str]:
        """The words before the account."""
        return [part.strip() for part in filled(self.wording.body, self._values()).split("\n\n") if part.strip()]

    def lines(self) -> list[tuple[str, str]]:
        """What is to be paid, and where to: label and value."""
        labels = LABELS[self.language]
        zero = Money(0, Currency(self.open.currency))
        found = [(labels.open, amount_in_words(self.open, self.language))]
        for label, fee in ((labels.earlier_fees, self.earlier_fees), (labels.fee, self.fee)):
            if fee != zero:
                found.append((label, amount_in_words(fee, self.language)))
        if self.total != self.open:
            found.append((labels.total, amount_in_words(self.total, self.language)))
        found += [
            (labels.until, date_in_words(self.pay_until, self.language)),
            (labels.payee, one_line(self.payee)),
            ("IBAN", _grouped(self.iban)),
            ("BIC", self.bic),
            (labels.reference, _grouped(self.reference)),
        ]
        return [(label, value) for label, value in found if value]


def write_mail(mail: ReminderMail) -> bytes:
    """The message as it is sent and kept; the same mail gives the same bytes."""
    message = EmailMessage(policy=policy.SMTP.clone(cte_type="7bit"))
    message["From"] = address(mail.sender_name or mail.shop, mail.sender)
    message["To"] = address(mail.customer, mail.recipient)
    if mail.reply_to:
        message["Reply-To"] = address("", mail.reply_to)
    message["Subject"] = mail.subject
    message["Date"] = format_datetime(mail.at)
    message["Message-ID"] = mail.message_id
    message["Auto-Submitted"] = "auto-generated"  # RFC 3834: no automatic answers, please
    message.set_content(_plain(mail), cte="quoted-printable")
    message.add_alternative(_html(mail), subtype="html", cte="quoted-printable")
    parts = cast(list[EmailMessage], message.get_payload())
    if mail.code:
        parts[1].add_related(mail.code, "image", "png", cid="<code>", filename="code.png", disposition="inline")
    message["Content-Language"] = mail.language  # behind the parts, which would take it along
    for place, part in enumerate(each for each in message.walk() if each.is_multipart()):
        part.set_boundary(f"=_{place}_{mail.message_id.strip('<>').partition('@')[0]}")
    return message.as_bytes()


def plain_text(content: bytes) -> str:
    """The plain text of a message of ours."""
    message = message_from_bytes(content, policy=policy.default)
    body = message.get_body(("plain",))
    return str(body.get_content()).replace("\r\n", "\n") if body is not None else ""


def one_line(text: str) -> str:
    """The text on one line, without control characters: nothing in it can begin a header of its own."""
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())


def address(name: str, mailbox: str) -> Address:
    """The address with its name, as it stands in a header."""
    user, _, domain = mailbox.rpartition("@")
    return Address(one_line(name)[:100], user, domain)


def _grouped(text: str) -> str:
    """In groups of four, as IBANs and creditor references are written."""
    return " ".join(text[start : start + 4] for start in range(0, len(text), 4))


def _plain(mail: ReminderMail) -> str:
    lines = mail.lines()
    width = max(len(label) for label, _ in lines) + 2
    table = "\n".join(f"{label + ':':<{width}}{value}" for label, value in lines)
    labels = LABELS[mail.language]
    words = [_wrapped(part) for part in mail.paragraphs()]
    words.append(table)
    if mail.link and "$link" not in mail.wording.body:
        words.append(f"{labels.page}\n{mail.link}")
    if mail.level:
        words.append(_wrapped(labels.crossed))
    return "\n\n".join([*words, one_line(mail.sender_name or mail.shop)]) + "\n"


def _wrapped(paragraph: str) -> str:
    return "\n".join(fill(line, 76, break_long_words=False, break_on_hyphens=False) for line in paragraph.split("\n"))


def _html(mail: ReminderMail) -> str:
    labels = LABELS[mail.language]
    words = "".join(f"<p>{escape(part).replace(chr(10), '<br>')}</p>\n" for part in mail.paragraphs())
    rows = "".join(
        f'<tr><td style="{_CELL}">{escape(label)}</td><td style="{_CELL}"><b>{escape(value)}</b></td></tr>\n'
        for label, value in mail.lines()
    )
    code = ""
    if mail.code:
        code = f'<p><img src="cid:code" alt="{escape(labels.code)}" style="max-width:100%" width="220"></p>\n'
        code += f"<p><small>{escape(labels.code)}</small></p>\n"
    closing = f"<p>{escape(labels.crossed)}</p>\n" if mail.level else ""
    if mail.link:
        closing = f'<p><a href="{escape(mail.link)}">{escape(labels.page.rstrip(":"))}</a></p>\n{closing}'
    name = escape(one_line(mail.sender_name or mail.shop))
    return (
        f'<!DOCTYPE html>\n<html lang="{mail.language}"><head><meta charset="utf-8"><title>{escape(mail.subject)}'
        f'</title></head>\n<body style="{_STYLE}">\n{words}<table style="border-collapse:collapse">\n{rows}</table>\n'
        f"{code}{closing}<p>{name}</p>\n</body></html>\n"
    )
