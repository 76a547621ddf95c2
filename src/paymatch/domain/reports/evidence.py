"""The evidence for a payment's match, in one word for each family."""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class MatchedBy(StrEnum):
    """How a payment was matched to its order, in the order of the report."""

    REFERENCE = "payment reference"
    ORDER_NUMBER = "order number"
    INVOICE_NUMBER = "invoice number"
    OTHER_NUMBER = "another number"
    PAYER = "account or name"
    AMOUNT = "amount"
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
    ("amount-", MatchedBy.AMOUNT),
    ("sum-", MatchedBy.SEVERAL),
    ("refund", MatchedBy.REFUND),
    ("return", MatchedBy.REFUND),
)


TOGETHER: Final = " + "
"""The separator between the words of evidence for one match."""


def matched_by(codes: str) -> tuple[MatchedBy, ...]:
    """The families of the evidence for a match, in their order; other evidence only if there is nothing else.

    `codes` are separated by spaces. For postings matched by an earlier version, only the heaviest code.
    """
    found = {_family(code) for code in codes.split()}
    return tuple(each for each in AUTOMATIC if each in found - {MatchedBy.OTHER}) or (MatchedBy.OTHER,)


def _family(code: str) -> MatchedBy:
    return next((family for begin, family in _FAMILIES if code.startswith(begin)), MatchedBy.OTHER)
