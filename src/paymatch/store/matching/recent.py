"""The shop's latest orders, and whose orders an account has paid lately: reasons to ask a person (D-148, D-149)."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date
from typing import Final

from paymatch.domain.matching.lookup.keys import compact_of
from paymatch.domain.matching.model import PaidCustomer
from paymatch.store.matching.order_facts import paid_customer
from paymatch.store.sealing import POSTING_PARTY
from paymatch.store.transactions import ShopTx

_NEWEST: Final = 200


def newest_orders(tx: ShopTx, until: date) -> tuple[tuple[date, str], ...]:
    """(order date, number in flat capitals without separators) of the latest orders up to the day."""
    rows = tx.rows(
        "SELECT order_date, number FROM orders WHERE shop_id = $1 AND order_date <= $2"
        " ORDER BY order_date DESC, number DESC LIMIT $3",
        *(tx.shop_id, until, _NEWEST),
    )
    return tuple((ordered, compact_of(number)) for ordered, number in rows)


_PAID: Final = """
SELECT w.iban, found.doc FROM unnest($2::text[]) w(iban), LATERAL (
    SELECT (SELECT o.doc FROM allocations a JOIN orders o ON o.shop_id = $1 AND o.number = a.order_number
            WHERE a.shop_id = $1 AND a.posting_id = p.id AND a.kind = 'payment' LIMIT 1) AS doc
    FROM postings p WHERE p.shop_id = $1 AND p.counterparty_iban = w.iban AND p.counterparty_iban <> ''
      AND p.amount_minor > 0 AND p.status = 'matched' AND NOT p.collective ORDER BY p.booking_date DESC LIMIT 5) found
WHERE found.doc IS NOT NULL"""


def paid_customers(tx: ShopTx, ibans: Collection[str]) -> dict[str, tuple[PaidCustomer, ...]]:
    """IBAN -> customers of the orders that it paid with its latest five matched payments."""
    vault, found = tx.vault(), dict[str, dict[PaidCustomer, None]]()
    stored = {text: iban for iban in ibans for text in vault.lookups(POSTING_PARTY, iban)}
    for text, doc in tx.rows(_PAID, tx.shop_id, list(stored)):
        found.setdefault(stored[text], {})[paid_customer(doc)] = None
    return {iban: tuple(customers) for iban, customers in found.items()}
