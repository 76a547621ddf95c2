"""References that customers and banks carry for us: the ISO 11649 creditor reference, the refund reference (D-19)."""

from __future__ import annotations

from typing import Final

LOOK_ALIKE_FREE: Final = "234679ACDEFGHJKMNPQRTUVWXY"
"""26 characters that a customer cannot mistake for one another when copying by hand: no 0/O, 1/I/L, 5/S, 8/B, Z."""

REFERENCE_LENGTH: Final = 10
"""Payload of a payment reference: 26**10 = 1.4e14 values, so that random ones do not meet within a shop."""

REFUND_PREFIX: Final = "PMR"
"""Every refund reference begins with it: a bank line that carries it is ours."""


def creditor_reference(payload: str) -> str:
    """`RF` + two check digits + payload (ISO 11649, ISO 7064 mod 97-10); the payload is 1 to 21 of A-Z and 0-9."""
    check = 98 - _mod_97(payload + "RF00")
    return f"RF{check:02d}{payload}"


def is_creditor_reference(text: str) -> bool:
    """True if the text, without spaces, is a valid ISO 11649 reference."""
    compact = text.replace(" ", "").upper()
    if not (5 <= len(compact) <= 25 and compact.startswith("RF") and compact.isascii() and compact.isalnum()):
        return False
    return compact[2:4].isdigit() and _mod_97(compact[4:] + compact[:4]) == 1


def refund_reference(payload: str) -> str:
    """The refund's referenceNumber and EndToEndId: fixed prefix, at most 35 characters (D-19)."""
    return f"{REFUND_PREFIX}{payload}"


def end_to_end_id(reference: str, attempt: int) -> str:
    """What the bank carries: the refund's reference, from the second attempt on with its number, so that late news of
    an earlier attempt is never taken for news of this one (D-31)."""
    return reference if attempt == 1 else f"{reference}-{attempt}"


def refund_attempt(text: str) -> tuple[str, int] | None:
    """(refund reference, attempt) of an EndToEndId of ours; None for every other text."""
    if not text.startswith(REFUND_PREFIX):
        return None
    reference, dash, attempt = text.partition("-")
    if not dash:
        return reference, 1
    if not (attempt.isascii() and attempt.isdigit() and len(attempt) < 5 and int(attempt) > 1):
        return None
    return reference, int(attempt)


def _mod_97(text: str) -> int:
    return int("".join(str(int(char, 36)) for char in text)) % 97
