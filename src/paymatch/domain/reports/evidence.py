"""Evidence that a payment was matched by, in one word for each family."""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class MatchedBy(StrEnum):
    """How a payment found its order; the order is that of the report."""

    REFERENCE = "payment reference"
    ORDER_NUMBER = "order number"
    INVOICE_NUMBER = "invoice number"
    OTHER_NUMBER = "another number"
    PAYER = "known account or name, and amount"
    SEVERAL = "several orders, sum"
    REFUND = "refund or returned payment"
    OTHER = "other evidence"
    PERSON = "a person"
    OPEN = "not matched yet"


AUTOMATIC: Final = tuple(each for each in MatchedBy if each not in {MatchedBy.PERSON, MatchedBy.OPEN})
"""Ways without a person."""

_FAMILIES: Final = (
    ("number-reference", MatchedBy.REFERENCE),
    ("number-order", MatchedBy.ORDER_NUMBER),
    ("number-invoice", MatchedBy.INVOICE_NUMBER),
    ("number-", MatchedBy.OTHER_NUMBER),
    ("iban-", MatchedBy.PAYER),
    ("name-", MatchedBy.PAYER),
    ("surname-", MatchedBy.PAYER),
    ("amount-", MatchedBy.PAYER),
    ("sum-", MatchedBy.SEVERAL),
    ("refund", MatchedBy.REFUND),
    ("return", MatchedBy.REFUND),
)


def matched_by(code: str) -> MatchedBy:
    """The family of the evidence that weighed most."""
    return next((family for begin, family in _FAMILIES if code.startswith(begin)), MatchedBy.OTHER)
