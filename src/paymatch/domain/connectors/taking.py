"""Selection of a shop system's orders: which are imported, and what happens to imported ones (D-75)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from typing import Final
from zoneinfo import ZoneInfo

from paymatch.domain.connectors.systems import Connector, TakenAs
from paymatch.domain.orders.settlement import OPEN_STATUSES, PaymentStatus

OVERLAP: Final = timedelta(minutes=15)
"""The overlap read again at each poll: a long transaction of the shop becomes visible late, and clocks differ."""


class Verdict(StrEnum):
    """What to do with an order that the shop system returned."""

    TAKE = "take"  # submit it, new or changed
    TAKE_PAID = "take-paid"  # likewise, and it was marked as paid in the shop
    CANCEL = "cancel"
    LET_GO = "let-go"  # it is paid by another method now
    OTHER_METHOD = "other-method"  # not imported: its payment method is not in the table
    BEFORE_START = "before-start"  # not imported: placed before take-from
    CLOSED = "closed"  # not imported: cancelled or paid when it was first seen
    DRAFT = "draft"  # not imported yet: not placed, or its payment failed


@dataclass(frozen=True, slots=True)
class Seen:
    """The facts of a shop system's order that the rules need."""

    methods: tuple[str, ...]
    placed_on: date
    state: str
    is_draft: bool
    is_cancelled: bool
    paid_for: frozenset[str]
    """Types of orders whose shop state proves payment: goods on invoice are shipped before they are paid."""


@dataclass(frozen=True, slots=True)
class KnownConnectorOrder:
    """An imported order: the shop's state when it was last seen or written, and its payment status.

    `ours`: states that we have set in the shop, or have begun to set.
    """

    state: str
    status: PaymentStatus
    ours: frozenset[str] = frozenset()


def verdict(connector: Connector, seen: Seen, known: KnownConnectorOrder | None) -> tuple[Verdict, TakenAs | None]:
    """What to do with the order, and the type under which it is submitted."""
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
    """The moment in UTC from which the first poll asks for changes: the start of `take_from` in the shop's zone."""
    return datetime.combine(connector.take_from, time(), ZoneInfo(timezone)).astimezone(UTC)
