"""Selection of a shop system's orders: which are imported, and what happens to those that were (D-75)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from typing import Final
from zoneinfo import ZoneInfo

from paymatch.domain.connectors.systems import Connector, TakenAs
from paymatch.domain.orders.settlement import OPEN_STATUSES, PaymentStatus

OVERLAP: Final = timedelta(minutes=15)
"""Asked for again at each look: a long transaction of the shop becomes visible late, and clocks differ."""


class Verdict(StrEnum):
    """What is done with an order that the shop system has shown."""

    TAKE = "take"  # submit it, new or changed
    TAKE_PAID = "take-paid"  # likewise, and somebody has marked it as paid in the shop
    CANCEL = "cancel"
    LET_GO = "let-go"  # it is paid by another method now
    OTHER_METHOD = "other-method"  # not taken: its payment method is not in the table
    BEFORE_START = "before-start"  # not taken: placed before take-from
    CLOSED = "closed"  # not taken: cancelled or paid when it was first seen
    DRAFT = "draft"  # not taken yet: not placed, or its payment failed


@dataclass(frozen=True, slots=True)
class Seen:
    """What the rules look at in an order of a shop system."""

    methods: tuple[str, ...]
    placed_on: date
    state: str
    is_draft: bool
    is_cancelled: bool
    paid_for: frozenset[str]
    """Types of orders for which its state says that it is paid: goods on invoice are also sent before that."""


@dataclass(frozen=True, slots=True)
class KnownConnectorOrder:
    """An order that was taken before: the shop's state when it was last seen or written, and its payment status.

    `ours`: states that we have set in the shop, or have begun to set.
    """

    state: str
    status: PaymentStatus
    ours: frozenset[str] = frozenset()


def verdict(connector: Connector, seen: Seen, known: KnownConnectorOrder | None) -> tuple[Verdict, TakenAs | None]:
    """What is done with the order, and the type that it is submitted with."""
    kind = connector.type_of(seen.methods)
    if seen.is_cancelled:
        return (Verdict.CLOSED if known is None else Verdict.CANCEL), kind
    if seen.is_draft:
        return Verdict.DRAFT, kind
    if kind is None:
        return (Verdict.OTHER_METHOD if known is None else Verdict.LET_GO), None
    is_paid = kind in seen.paid_for
    if known is None:
        if seen.placed_on < connector.take_from:
            return Verdict.BEFORE_START, kind
        return (Verdict.CLOSED if is_paid else Verdict.TAKE), kind
    by_somebody = is_paid and seen.state not in {known.state, *known.ours} and known.status in OPEN_STATUSES
    return (Verdict.TAKE_PAID if by_somebody else Verdict.TAKE), kind


def first_look(connector: Connector, timezone: str) -> datetime:
    """From when on the first look asks for changes: the beginning of the day of `take_from` in the shop's zone, UTC."""
    return datetime.combine(connector.take_from, time(), ZoneInfo(timezone)).astimezone(UTC)
