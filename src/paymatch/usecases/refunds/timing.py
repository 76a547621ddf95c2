"""Timing of refunds: speed, fallback of instant transfers, and last day (D-112, D-131)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Final

from paymatch.domain.money import EUR
from paymatch.domain.refunds.refunds import REFUND_LIFECYCLE, RefundEvent, RefundRefused, RefundStatus
from paymatch.domain.refunds.transfers import (
    INSTANT_NOT_POSSIBLE,
    AfterInstant,
    TransferKind,
    TransferSpeed,
    goes_at_once,
)
from paymatch.domain.shops.alerts import Alert, AlertKind
from paymatch.domain.shops.audit import AuditAction
from paymatch.domain.words.message import Message, Sum
from paymatch.store.refunds import refunds, speeds
from paymatch.store.refunds.refunds import RefundRow
from paymatch.store.refunds.unsent import filed_before
from paymatch.store.shops import shops
from paymatch.store.transactions import ShopTx
from paymatch.usecases.audit import record
from paymatch.usecases.refunds.refunds import lock_and_load

DAYS_AHEAD: Final = 4
"""How long before its last day a refund raises an alert: a weekend, and a bank day on each side."""
_NOT_SENT: Final = frozenset({RefundStatus.NEW, RefundStatus.BANKDETAILS_MISSING})


def choose_speed(tx: ShopTx, refund_id: str, speed: TransferSpeed) -> None:
    """As `set_speed`, but does nothing if the refund has this speed anyway. Other currencies have no speed."""
    refund = lock_and_load(tx, refund_id)
    instant = goes_at_once(refund.speed, shops.transfer_form(tx).speed, refund.attempt, TransferKind.SEPA)
    if refund.currency == EUR and instant != (speed is TransferSpeed.INSTANT):
        set_speed(tx, refund_id, speed)


def set_speed(tx: ShopTx, refund_id: str, speed: TransferSpeed | None) -> str:
    """Sets the refund's speed, None: the shop's setting; returns the refund as JSON. Repeating it changes nothing.

    RefundUnknown; RefundRefused once the refund is in a transfer file, and for instant transfers of other currencies.
    """
    refund = lock_and_load(tx, refund_id)
    if refund.status not in _NOT_SENT:
        raise RefundRefused(Message("refund-could-not-change-speed", status=refund.status))
    if speed is TransferSpeed.INSTANT and refund.currency != EUR:
        raise RefundRefused(Message("refund-instant-only-euro"))
    wanted = "" if speed is None else str(speed)
    if wanted != refund.speed:
        speeds.set_speed(tx, refund_id, wanted, tx.now)
        record(
            tx, tx.shop, AuditAction.REFUND_SPEED_SET, refund_id,
            before={"speed": refund.speed or "shop"}, after={"speed": wanted or "shop"},
        )  # fmt: skip
    return refunds.read(tx, refund_id)


def goes_on_as_normal(tx: ShopTx, refund: RefundRow, bank_code: str) -> bool:
    """Begins a normal transfer after the bank has refused the instant one, if the shop allows it; whether it did.

    The refund has just become ERROR. Only a reason about instant payment alone counts, and only once.
    """
    if refund.attempt > 1 or bank_code not in INSTANT_NOT_POSSIBLE:
        return False
    if shops.transfer_form(tx).instant_refused == AfterInstant.ASK:
        return False
    status = REFUND_LIFECYCLE.move(RefundStatus.ERROR, RefundEvent.INSTANT_NOT_POSSIBLE)
    refunds.begin_attempt(tx, refund.id, tx.now)
    speeds.follow_instant(tx, refund.id, status, tx.now)
    after = {"attempt": refund.attempt + 1, "speed": str(TransferSpeed.NORMAL), "bankCode": bank_code}
    record(tx, tx.shop, AuditAction.REFUND_SPEED_SET, refund.id, before={"speed": "instant"}, after=after)
    return True


def deadline_alerts(tx: ShopTx) -> Iterator[Alert]:
    """An alert per refund that has to be with the bank soon and is not yet."""
    days = shops.refund_deadline(tx)
    for row in filed_before(tx, tx.now - timedelta(days=days - DAYS_AHEAD)):
        last = tx.shop.day_of(row.created_at) + timedelta(days=days)
        said = Message(
            "alert-refund-deadline", refund=row.external_reference, order=row.order_number, day=last,
            amount=Sum(row.amount_minor, row.currency),
        )  # fmt: skip
        yield Alert(AlertKind.REFUND_DEADLINE, f"{row.id} {last}", said)
