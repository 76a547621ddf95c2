"""The layout of every mail: in the shop's name, logo and colour, as plain text and as HTML, the same bytes each time.

RFC 5322 and 2046; pictures are in the message itself (RFC 2392) and nothing is loaded from elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from email import policy
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import format_datetime
from textwrap import fill
from types import MappingProxyType
from typing import Any, Final, cast

from paymatch.domain.shops.brand import Brand
from paymatch.domain.shops.colours import ink_on
from paymatch.formats.languages.templates import render
from paymatch.formats.languages.texts import LanguageTexts, words

_WIDTH: Final = 76


@dataclass(frozen=True, slots=True)
class Head:
    """Sender, recipient and language of a mail; `country` (ISO 3166) is the customer's, "" if it is unknown."""

    message_id: str
    at: datetime
    sender: str
    reply_to: str
    recipient: str
    customer: str
    language: str
    country: str
    brand: Brand

    @property
    def spoken(self) -> LanguageTexts:
        """How the customer's language is written there."""
        return words(self.language, self.country)


def compose(
    head: Head,
    template: str,
    subject: str,
    context: Mapping[str, Any],
    pictures: Mapping[str, bytes],
    documents: Mapping[str, bytes] = MappingProxyType({}),
) -> bytes:
    """The message of `template`.txt and `template`.html.

    `pictures` are PNG by the id under which HTML shows them, `documents` attached PDFs by their names.
    """
    brand = head.brand
    shown = dict(context) | {
        "subject": subject, "name": one_line(head.customer), "brand": brand, "shop": one_line(brand.name),
        "footer": [one_line(line) for line in brand.footer.splitlines() if line.strip()],
        "contact": [one_line(each) for each in (brand.email, brand.phone, brand.website) if each],
        "accent": brand.accent, "on_accent": ink_on(brand.accent),
    }  # fmt: skip
    message = EmailMessage(policy=policy.SMTP.clone(cte_type="7bit"))
    message["From"] = address(brand.name, head.sender)
    message["To"] = address(head.customer, head.recipient)
    if head.reply_to:
        message["Reply-To"] = address("", head.reply_to)
    message["Subject"] = header_text(subject)
    message["Date"] = format_datetime(head.at)
    message["Message-ID"] = head.message_id
    message["Auto-Submitted"] = "auto-generated"  # RFC 3834: no automatic answers, please
    message.set_content(_wrap(_render(head, f"{template}.txt", shown)), cte="quoted-printable")
    message.add_alternative(_render(head, f"{template}.html", shown), subtype="html", cte="quoted-printable")
    html = cast(list[EmailMessage], message.get_payload())[1]
    logo = {"logo": brand.logo.png} if brand.logo else {}
    for name, png in {**logo, **pictures}.items():
        html.add_related(png, "image", "png", cid=f"<{name}>", filename=f"{name}.png", disposition="inline")
    for name, pdf in documents.items():
        message.add_attachment(pdf, "application", "pdf", filename=name)
    message["Content-Language"] = head.language  # after the parts, which would otherwise include it
    for place, part in enumerate(each for each in message.walk() if each.is_multipart()):
        part.set_boundary(f"=_{place}_{head.message_id.strip('<>').partition('@')[0]}")
    return message.as_bytes()


def columns(lines: Sequence[tuple[str, str]], colon: str) -> str:
    """Labels and values in two columns of plain text; a value that is too long goes on below its beginning."""
    width = max(len(label) for label, _ in lines) + len(colon) + 1
    return "\n".join(
        fill(
            f"{label + colon:<{width}}{value}", _WIDTH, subsequent_indent=" " * width,
            break_long_words=False, break_on_hyphens=False,
        )
        for label, value in lines
    )  # fmt: skip


def one_line(text: str) -> str:
    """The text on one line, without control characters: nothing in it can begin a header of its own."""
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())


def header_text(text: str) -> str:
    """The text for a header: on one line, and without the beginning of an encoded word (RFC 2047).

    The email package decodes encoded words that it is given: `=?utf-8?q?A=0ABcc:_x=40y?=` became a header of its own.
    """
    return one_line(text).replace("=?", "= ?")


def address(name: str, mailbox: str) -> Address:
    """The address with its name, in the form of a header."""
    user, _, domain = mailbox.rpartition("@")
    return Address(header_text(name)[:100], user, domain)


def _render(head: Head, file: str, context: Mapping[str, Any]) -> str:
    return render("paymatch.formats.mail", file, head.spoken, context)


def _wrap(text: str) -> str:
    """Lines of at most 76 characters; between paragraphs one empty line, however many the template has left."""
    parts = [part.strip("\n") for part in text.split("\n\n") if part.strip()]
    lines = [
        "\n".join(fill(line, _WIDTH, break_long_words=False, break_on_hyphens=False) for line in part.split("\n"))
        for part in parts
    ]
    return "\n\n".join(lines) + "\n"
