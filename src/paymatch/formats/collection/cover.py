"""Subject of a parcel for the agency, in a line and in a mail."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from paymatch.formats.languages.texts import LanguageTexts

_LONGEST: Final = 200  # characters of a line


@dataclass(frozen=True, slots=True)
class Cover:
    """The mail that a parcel is attached to."""

    subject: str
    text: str


def subject_of(spoken: LanguageTexts, kind: str, shop: str, order: str) -> str:
    """What a message of a kind (`handover`, `payment`, `withdrawal`) is about, in one line."""
    said = {
        "handover": spoken.gettext("%(shop)s: handover of order %(order)s", shop=shop, order=order),
        "payment": spoken.gettext("%(shop)s: payment of order %(order)s", shop=shop, order=order),
        "withdrawal": spoken.gettext("%(shop)s: withdrawal of order %(order)s", shop=shop, order=order),
    }
    return " ".join(said[kind].split())[:_LONGEST]


def cover_of(spoken: LanguageTexts, kind: str, shop: str, order: str) -> Cover:
    """The mail about a message of a kind."""
    subject, attached = subject_of(spoken, kind, shop, order), spoken.gettext("The attached file contains everything.")
    return Cover(subject, f"{subject}\n\n{attached}\n")
