"""References that customers and banks carry for us: the payment reference's payload, the refund reference (D-19)."""

from __future__ import annotations

from typing import Final

LOOK_ALIKE_FREE: Final = "234679ACDEFGHJKMNPQRTUVWXY"
"""26 characters that a customer cannot mistake for one another when copying by hand: no 0/O, 1/I/L, 5/S, 8/B, Z."""

REFERENCE_LENGTH: Final = 10
"""Payload of a payment reference: 26**10 = 1.4e14 values, so that random ones do not meet within a shop."""

REFUND_PREFIX: Final = "PMR"
"""Every refund reference begins with it: a bank line that carries it is ours."""


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
