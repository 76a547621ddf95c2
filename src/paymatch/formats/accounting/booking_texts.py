"""Text of a booking whose posting waits or was set aside: payer or payee, and purpose."""

from __future__ import annotations

from typing import Final

from paymatch.domain.postings import OWN_TRANSFER
from paymatch.formats.languages.texts import LanguageTexts

_LONGEST: Final = 60
"""Characters of DATEV's Buchungstext."""
_LONGEST_NAME: Final = 28


def booking_text(spoken: LanguageTexts, name: str, payment_text: str, reason: str, *, is_aside: bool) -> str:
    """`Eva Muster: rent for May`, in the language.

    The purpose is the reason for which a person set the posting aside; of one that waits, or without a reason of its
    own, what the bank's text says.
    """
    words = _words(spoken)
    said = words.get(reason, reason) if is_aside else ""
    own = reason in words and reason != OWN_TRANSFER
    purpose = " ".join(payment_text.split())
    if said and not (own and purpose):
        purpose = said.removeprefix(f"{name}: ")  # a payment service's own rows begin with its name
    text = ": ".join(part for part in (name, purpose or spoken.gettext("not matched yet")) if part)
    if name and len(text) > _LONGEST:
        text = f"{name[:_LONGEST_NAME].rstrip()}: {purpose}"
    return text


def _words(spoken: LanguageTexts) -> dict[str, str]:
    """Reasons of ours in the language."""
    return {
        "not an order payment": spoken.gettext("not an order payment"),
        OWN_TRANSFER: spoken.gettext("transfer between own accounts"),
    }
