"""The mail to the owners of a shop before a bank's consent ends."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from paymatch.formats.mail.layout import Head, compose, one_line


@dataclass(frozen=True, slots=True)
class ConsentMail:
    """Which bank, and until when; `link` leads to its page, "" leaves the button out."""

    bank: str
    day: date
    link: str


def consent_subject(head: Head, mail: ConsentMail) -> str:
    """The subject as it is sent."""
    day = head.spoken.day(mail.day)
    return one_line(
        head.spoken.gettext(
            "%(shop)s: consent at %(bank)s expires on %(day)s", shop=head.brand.name, bank=mail.bank, day=day
        )
    )


def write_consent_mail(head: Head, mail: ConsentMail) -> bytes:
    """The message."""
    context = {"bank": one_line(mail.bank), "day": head.spoken.day(mail.day), "link": mail.link}
    return compose(head, "consent", consent_subject(head, mail), context, {})
