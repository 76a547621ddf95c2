"""The mail that asks a customer for the bank details of a refund (RFC 5322)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from email import policy
from email.message import EmailMessage
from email.utils import format_datetime
from textwrap import fill

from paymatch.domain.money import Money
from paymatch.formats.languages.templates import rendered
from paymatch.formats.languages.words import words
from paymatch.formats.mail.message import address, one_line


@dataclass(frozen=True, slots=True)
class DetailsMail:
    """Everything that the mail says; `wrong_account`: a bank has refused the account that was known."""

    message_id: str
    at: datetime
    sender: str
    sender_name: str
    reply_to: str
    recipient: str
    language: str
    country: str
    customer: str
    shop: str
    order_number: str
    ordered: date
    amount: Money
    link: str
    is_reminder: bool
    wrong_account: bool

    @property
    def subject(self) -> str:
        """The subject as it is sent."""
        spoken = words(self.language, self.country)
        if self.is_reminder:
            text = spoken.gettext(
                "Reminder: your bank details for the refund of order %(order)s", order=self.order_number
            )
        else:
            text = spoken.gettext("Your bank details for the refund of order %(order)s", order=self.order_number)
        return one_line(text)


def write_details_mail(mail: DetailsMail) -> bytes:
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
    message.set_content(_text(mail), cte="quoted-printable")
    message["Content-Language"] = mail.language
    return message.as_bytes()


def _text(mail: DetailsMail) -> str:
    context = {
        "name": one_line(mail.customer), "shop": one_line(mail.sender_name or mail.shop),
        "order": one_line(mail.order_number), "ordered": mail.ordered, "amount": mail.amount, "link": mail.link,
        "is_reminder": mail.is_reminder, "wrong_account": mail.wrong_account,
    }  # fmt: skip
    spoken = words(mail.language, mail.country)
    written = rendered("paymatch.formats.mail", "bank_details.txt", spoken, context)
    parts = [part.strip() for part in written.split("\n\n") if part.strip()]
    return "\n\n".join(fill(part, 76, break_long_words=False, break_on_hyphens=False) for part in parts) + "\n"
