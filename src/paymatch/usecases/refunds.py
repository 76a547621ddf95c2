"""Refunds: what a shop asks for (API document, endpoint 7)."""

from __future__ import annotations

from datetime import datetime

from paymatch.domain.orders import OrderRefused, OrderUnknown
from paymatch.domain.references import refund_reference
from paymatch.domain.refunds import RefundRefused, SubmittedRefund, check_planned_date, initial_status
from paymatch.domain.shops import Shop
from paymatch.store import orders as order_store
from paymatch.store import refunds as store
from paymatch.store.database import ShopId, Tx
from paymatch.store.ids import new_id, new_reference_payload

_REFERENCE_LENGTH = 16


def create(tx: Tx, shop: Shop, order_number: str, submitted: SubmittedRefund, clock: datetime) -> str:
    """The stored refund as JSON. Checks in order: order, planned date, currency, external reference.

    OrderUnknown; RefundRefused; OrderRefused. A refund may be filed on an order that is not yet paid (D-3).
    """
    shop_id = ShopId(shop.id)
    order_store.lock(tx, shop_id, [order_number])
    currency = order_store.currency(tx, shop_id, order_number)
    if currency is None:
        raise OrderUnknown(order_number)
    check_planned_date(submitted.planned_date, shop.today(clock))
    if submitted.currency != currency:
        raise OrderRefused(f"Parameter currency must be {currency}, the currency of the order", parameter="currency")
    existing = store.reference_of(tx, shop_id, submitted.external_reference)
    if existing is None:
        account = store.payer_account(tx, shop_id, order_number)
        now = shop.now(clock)
        refund_id = new_id("rf", now)
        stored = store.add(
            tx,
            shop_id,
            refund_id,
            order_number,
            submitted,
            reference=refund_reference(new_reference_payload(_REFERENCE_LENGTH)),
            status=initial_status(bank_details_known=account is not None),
            account=account,
            now=now,
        )
        if stored:
            return store.read(tx, shop_id, refund_id)
        existing = store.reference_of(tx, shop_id, submitted.external_reference)
    raise RefundRefused(f"Refund already exists: {existing}")
