"""Refunds: their life as a table, and when one may be executed (API document, Refund status; D-3 to D-5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Final

from paymatch.domain.money import Currency


class RefundStatus(StrEnum):
    NEW = "NEW"
    BANKDETAILS_MISSING = "BANKDETAILS_MISSING"
    IN_PROCESS = "IN_PROCESS"
    PROCESSED = "PROCESSED"
    RETURNED = "RETURNED"
    ERROR = "ERROR"
    CANCELLED = "CANCELLED"
    LEGACY = "LEGACY"


class RefundEvent(StrEnum):
    BANK_DETAILS_RECEIVED = "bank details received"
    TRANSFER_RELEASED = "transfer released"  # it stands in a transfer file that was handed over
    TRANSFER_BOOKED = "transfer booked"  # booked debit with our EndToEndId, or ACSC/ACCC
    TRANSFER_REJECTED = "transfer rejected"  # RJCT
    TRANSFER_RETURNED = "transfer returned"  # credit with return information and our EndToEndId
    MERCHANT_CANCELLED = "merchant cancelled"
    NEW_BANK_DETAILS = "new bank details"  # the customer was asked again after an account reason


@dataclass(frozen=True, slots=True)
class SubmittedRefund:
    """A well-formed refund as the shop asks for it; the amount in minor units of `currency`."""

    external_reference: str
    amount_minor: int
    currency: Currency
    digits: int
    planned_date: date


class RefundRefused(Exception):
    """A rule of the API document is not met; the text is the contract's `error`."""


class RefundMoveRefused(Exception):
    """The refund cannot make this move from where it stands."""

    def __init__(self, status: RefundStatus, event: RefundEvent) -> None:
        super().__init__(f"Refund in status {status} does not take: {event}")


_S, _E = RefundStatus, RefundEvent

MOVES: Final[Mapping[tuple[RefundStatus, RefundEvent], RefundStatus]] = {
    (_S.BANKDETAILS_MISSING, _E.BANK_DETAILS_RECEIVED): _S.NEW,  # API document
    (_S.NEW, _E.TRANSFER_RELEASED): _S.IN_PROCESS,  # D-4
    (_S.IN_PROCESS, _E.TRANSFER_BOOKED): _S.PROCESSED,  # D-4
    (_S.IN_PROCESS, _E.TRANSFER_REJECTED): _S.ERROR,  # D-4
    (_S.PROCESSED, _E.TRANSFER_RETURNED): _S.RETURNED,  # D-4
    (_S.IN_PROCESS, _E.TRANSFER_RETURNED): _S.RETURNED,  # D-4
    (_S.NEW, _E.MERCHANT_CANCELLED): _S.CANCELLED,  # D-4
    (_S.BANKDETAILS_MISSING, _E.MERCHANT_CANCELLED): _S.CANCELLED,  # D-4
    (_S.ERROR, _E.MERCHANT_CANCELLED): _S.CANCELLED,  # D-4
    (_S.RETURNED, _E.NEW_BANK_DETAILS): _S.NEW,  # D-4: a new attempt
    (_S.ERROR, _E.NEW_BANK_DETAILS): _S.NEW,  # D-4: a new attempt
}

RESERVED: Final = frozenset({_S.NEW, _S.BANKDETAILS_MISSING, _S.IN_PROCESS})
"""Refunds whose money is spoken for but not yet gone (D-3)."""


def next_status(status: RefundStatus, event: RefundEvent) -> RefundStatus:
    """Status of the refund after `event`; RefundMoveRefused if the table has no such move."""
    try:
        return MOVES[status, event]
    except KeyError:
        raise RefundMoveRefused(status, event) from None


def initial_status(*, bank_details_known: bool) -> RefundStatus:
    """NEW, or BANKDETAILS_MISSING while the customer's IBAN is unknown (API document, endpoint 7; D-5)."""
    return _S.NEW if bank_details_known else _S.BANKDETAILS_MISSING


def check_planned_date(planned: date, today: date) -> None:
    """RefundRefused unless the planned date lies in the future; `today` is the day in the shop's time zone."""
    if planned <= today:
        raise RefundRefused("Planned date must be in the future")
