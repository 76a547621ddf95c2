"""What the bank says of our own refunds: booked debits execute them, credits bring them back (D-4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from paymatch.domain.references import REFUND_PREFIX
from paymatch.domain.refunds import RefundEvent, RefundMoveRefused, RefundStatus, next_status
from paymatch.domain.shops import Shop
from paymatch.store import orders as order_store
from paymatch.store import postings as posting_store
from paymatch.store import refunds as store
from paymatch.store.database import ShopId, Tx
from paymatch.store.postings import AllocationRow, DecidedRow, StoredPosting


@dataclass(slots=True)
class Settled:
    """Postings that were ours, and the orders whose books they changed."""

    postings: set[str] = field(default_factory=set)
    orders: list[str] = field(default_factory=list)


def settle_own_refunds(tx: Tx, shop: Shop, waiting: Sequence[StoredPosting], now: datetime) -> Settled:
    """Moves the refunds whose EndToEndId stands in a posting; the caller settles the orders.

    A debit executes the refund, a credit gives it back, whatever the text says: no order is looked for by text.
    """
    shop_id, result = ShopId(shop.id), Settled()
    named = {stored.id: _reference(stored) for stored in waiting}
    references = sorted({reference for reference in named.values() if reference})
    if not references:
        return result
    held = store.orders_of(tx, shop_id, references)
    order_store.lock(tx, shop_id, held)
    refunds = store.by_reference(tx, shop_id, references)
    allocations: list[AllocationRow] = []
    decided: list[DecidedRow] = []
    for stored in waiting:
        refund = refunds.get(named[stored.id])
        if refund is None or not _fits(stored, refund):
            continue
        outgoing = stored.posting.amount_minor < 0
        event = RefundEvent.TRANSFER_BOOKED if outgoing else RefundEvent.TRANSFER_RETURNED
        status = _next(refund.status, event)
        if status is None:
            continue
        day = stored.posting.booking_date if outgoing else None
        code = stored.posting.return_reason
        store.move(tx, shop_id, refund.id, status, now, execution_date=day, bank_code=code, posting_id=stored.id)
        refunds[refund.reference] = refund.moved(status)
        order_minor = refund.order_amount_minor * (-1 if outgoing else 1)
        kind = "refund" if outgoing else "refund-return"
        allocations.append(
            AllocationRow(stored.id, refund.order_number, stored.posting.amount_minor, order_minor, kind, False)
        )
        decided.append(DecidedRow(stored.id, "matched", _explanation(refund.reference, outgoing)))
        result.postings.add(stored.id)
        result.orders.append(refund.order_number)
    posting_store.add_allocations(tx, shop_id, allocations, now)
    posting_store.write_decisions(tx, shop_id, decided, now)
    return result


def _reference(stored: StoredPosting) -> str:
    """The refund reference that a posting carries, or ""."""
    for text in (stored.posting.end_to_end_id, stored.posting.original_end_to_end_id):
        if text.startswith(REFUND_PREFIX):
            return text
    return ""


def _fits(stored: StoredPosting, refund: store.RefundRow) -> bool:
    """The amount is the refund's; what comes back may be less by the charges of the banks."""
    posting = stored.posting
    if posting.currency != refund.currency:
        return False
    if posting.amount_minor < 0:
        return -posting.amount_minor == refund.amount_minor
    return refund.amount_minor * 3 // 4 <= posting.amount_minor <= refund.amount_minor


def _next(status: RefundStatus, event: RefundEvent) -> RefundStatus | None:
    """The bank may book what we have not marked as released, if a file was handed over by hand."""
    try:
        return next_status(status, event)
    except RefundMoveRefused:
        return None


def _explanation(reference: str, outgoing: bool) -> str:
    words = "executes" if outgoing else "brings back"
    return (
        '{"flags":["refund"],"heldBack":"","probability":1.0,"evidence":[{"code":"refund_reference","weight":20.0,'
        f'"words":"the end-to-end id {reference} {words} a refund of this service"}}],"suggestions":[]}}'
    )
