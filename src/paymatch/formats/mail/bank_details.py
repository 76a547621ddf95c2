"""The mail that asks a customer for the bank details of a refund."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from paymatch.domain.money import Money
from paymatch.formats.mail.layout import Head, compose, one_line


@dataclass(frozen=True, slots=True)
class DetailsMail:
    """Everything that the mail says; `wrong_account`: a bank has refused the account that was known."""

    head: Head
    order_number: str
    ordered: date
    amount: Money
    link: str
    is_reminder: bool
    wrong_account: bool

    @property
    def subject(self) -> str:
        """The subject as it is sent."""
        spoken = self.head.spoken
        if self.is_reminder:
            text = spoken.gettext(
                "Reminder: your bank details for the refund of order %(order)s", order=self.order_number
            )
        else:
            text = spoken.gettext("Your bank details for the refund of order %(order)s", order=self.order_number)
        return one_line(text)

    def paragraphs(self) -> list[str]:
        """Whom the mail is for, and why it is written."""
        spoken, name = self.head.spoken, one_line(self.head.customer)
        values = {
            "amount": spoken.amount(self.amount), "order": one_line(self.order_number), "day": spoken.day(self.ordered),
        }  # fmt: skip
        if self.wrong_account:
            why = spoken.gettext(
                "We tried to transfer your refund of %(amount)s for order %(order)s of %(day)s, but your bank"
                " rejected the transfer to the account that we have.",
                **values,
            )
        elif self.is_reminder:
            why = spoken.gettext(
                "We would like to transfer your refund of %(amount)s for order %(order)s of %(day)s, but we still do"
                " not have your bank details.",
                **values,
            )
        else:
            why = spoken.gettext(
                "We would like to transfer a refund of %(amount)s for order %(order)s of %(day)s to you, but we do not"
                " have your bank details.",
                **values,
            )
        return [spoken.gettext("Hello %(name)s,", name=name) if name else spoken.gettext("Hello,"), why]


def write_details_mail(mail: DetailsMail) -> bytes:
    """The message as it is sent and kept; the same mail gives the same bytes."""
    context = {"paragraphs": mail.paragraphs(), "link": mail.link}
    return compose(mail.head, "bank_details", mail.subject, context, {})
