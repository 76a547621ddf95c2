"""The shop's latest orders, and whose orders an account has paid lately: reasons to ask a person (D-148, D-149)."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date
from typing import Final

from paymatch.domain.matching.lookup.keys import compact_of
from paymatch.domain.matching.model import PaidCustomer
from paymatch.store.key_lookups import row_by_key, rows_by_key
from paymatch.store.matching.order_facts import paid_customer
from paymatch.store.sealing import POSTING_PARTY
from paymatch.store.transactions import ShopTx

_NEWEST: Final = 100


def newest_orders(tx: ShopTx, until: date) -> tuple[tuple[date, str], ...]:
    """(order date, number in flat capitals without separators) of the latest orders up to the day."""
    rows = tx.rows(
        "SELECT order_date, number FROM orders WHERE shop_id = $1 AND order_date <= $2"
        " ORDER BY order_date DESC, number DESC LIMIT $3",
        *(tx.shop_id, until, _NEWEST),
    )
    return tuple((ordered, compact_of(number)) for ordered, number in rows)


_LATEST: Final = 10
_PAID: Final = f"""
SELECT w.iban, o.doc FROM unnest($2::text[]) w(iban) CROSS JOIN LATERAL (
    SELECT id, amount_minor, status, collective FROM postings WHERE shop_id = $1
      AND counterparty_iban BETWEEN w.iban AND w.iban AND counterparty_iban <> ''
    ORDER BY counterparty_iban DESC, booking_date DESC LIMIT {_LATEST}) p
  CROSS JOIN {rows_by_key("allocations", "posting_id", "p.id", "order_number", limit="1")} a
  CROSS JOIN {row_by_key("orders", "number", "a.order_number", "doc")} o
WHERE p.amount_minor > 0 AND p.status = 'matched' AND NOT p.collective"""


def paid_customers(tx: ShopTx, ibans: Collection[str]) -> dict[str, tuple[PaidCustomer, ...]]:
    """IBAN -> customers of the orders that it paid, among its latest ten payments."""
    vault, found = tx.vault(), dict[str, dict[PaidCustomer, None]]()
    stored = {text: iban for iban in ibans for text in vault.lookups(POSTING_PARTY, iban)}
    for text, doc in tx.rows(_PAID, tx.shop_id, list(stored)):
        found.setdefault(stored[text], {})[paid_customer(doc)] = None
    return {iban: tuple(customers) for iban, customers in found.items()}
