"""Reasons of postings that a payout or a settlement file explains, read back from their stored text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from paymatch.domain.payouts.movements import MovementKind

_PAYOUT: Final = re.compile(
    r"payout (?P<id>.+): (?P<n>\d{1,9}) orders?, (?P<kept>-?[\d.]{1,20}) kept, rest (?P<rest>-?[\d.]{1,20})"
    r"(?:, short by (?P<short>-?[\d.]{1,20}))?"
)
_ROW: Final = re.compile(rf"(?P<service>[^:]+): (?P<kind>{'|'.join(MovementKind)})(?P<id> \S+)?")


@dataclass(frozen=True, slots=True)
class PayoutReason:
    """A payout that pays several orders; amounts as text in its currency, `short` empty if nothing is missing."""

    payout_id: str
    orders: int
    kept: str
    rest: str
    short: str


@dataclass(frozen=True, slots=True)
class RowReason:
    """A row of a payment service that belongs to no order; `payout_id` of a payout, else empty."""

    service: str
    kind: MovementKind
    payout_id: str


def read_reason(text: str) -> PayoutReason | RowReason | None:
    """What a stored reason says; None if it is not one of a payout or of a settlement file."""
    if found := _PAYOUT.fullmatch(text):
        return PayoutReason(found["id"], int(found["n"]), found["kept"], found["rest"], found["short"] or "")
    if found := _ROW.fullmatch(text):
        return RowReason(found["service"], MovementKind(found["kind"]), (found["id"] or "").strip())
    return None
