"""Reminder fees that were demanded and paid are credited as fees; only what is above is overpaid (D-97)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from paymatch.domain.orders.reminder_fees import reminder_fee_parts
from paymatch.store.reminders import paid_fees as store
from paymatch.store.transactions import ShopTx


def credit_reminder_fees(tx: ShopTx, due: Mapping[str, int], now: datetime) -> bool:
    """Divides the payments of these orders between order and fees of reminders; True if a division has changed.

    `due` is what each order costs, in minor units of its currency. The caller holds the orders' locks.
    """
    demanded, parts = store.demanded(tx, list(due)), store.parts(tx, list(due))
    changed = []
    for number, of_order in sorted(parts.items()):
        stored = {part.posting_id: part.fee_minor for part in of_order if part.can_hold_fees}
        wanted = reminder_fee_parts(due[number], demanded.get(number, ()), of_order)
        changed += [(number, posting, fee) for posting, fee in wanted if stored.get(posting, 0) != fee]
    if changed:
        store.write(tx, changed, now)
    return bool(changed)
