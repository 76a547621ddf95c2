"""Invariants of money out, as questions to the database (D-37)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final, NamedTuple

from paymatch.domain.refunds.refunds import MAX_RETURN_CHARGE
from paymatch.store.sealing import TRANSFER_PAYEE
from paymatch.store.transactions import ShopTx

RULES: Final[tuple[tuple[str, str], ...]] = (
    (
        "each attempt of a refund is sent once",
        "SELECT t.refund_id, t.end_to_end_id || ' was sent while ' || e.end_to_end_id || ' had not come back'"
        " FROM transfers t JOIN transfers e ON e.shop_id = $1 AND e.refund_id = t.refund_id"
        " WHERE t.shop_id = $1 AND ($2::timestamptz IS NULL OR t.created_at > $2) AND t.status <> 'DISCARDED'"
        " AND e.status IN ('RELEASED', 'BOOKED') AND (e.attempt < t.attempt OR"
        " (e.attempt = t.attempt AND e.end_to_end_id < t.end_to_end_id))",
    ),
    (
        "what a return lacks without a person is at most a bank's charge",
        "SELECT a.posting_id, 'order ' || a.order_number || ', withheld ' || a.withheld_minor || ' of '"
        " || a.order_amount_minor FROM allocations a JOIN postings p ON p.shop_id = $1 AND p.id = a.posting_id"
        " WHERE a.shop_id = $1 AND a.kind = 'refund-return' AND NOT a.by_hand"
        " AND ($2::timestamptz IS NULL OR a.created_at > $2)"
        f" AND a.withheld_minor > {MAX_RETURN_CHARGE} * 10 ^ p.digits",
    ),
)
"""(rule, statement of the shop and the moment from which on transfers count, NULL for all)."""


class SentMoney(NamedTuple):
    """Amounts paid to an account for an order without a release, less returns; in minor units."""

    order_number: str
    iban: str
    currency: str
    minor: int


def orders_with_unreleased(tx: ShopTx, since: datetime | None) -> list[str]:
    """Numbers of the orders with a transfer that no person released, made since then or at any time."""
    rows = tx.rows(
        "SELECT DISTINCT r.order_number FROM transfers t JOIN refunds r ON r.shop_id = $1 AND r.id = t.refund_id"
        " WHERE t.shop_id = $1 AND NOT t.released AND t.status <> 'DISCARDED'"
        " AND ($2::timestamptz IS NULL OR t.created_at > $2) ORDER BY 1",
        tx.shop_id,
        since,
    )
    return [row[0] for row in rows]


def sent_without_release(tx: ShopTx, numbers: Sequence[str]) -> list[SentMoney]:
    """Amounts paid out for these orders without a release, by account."""
    vault, found = tx.vault(), dict[tuple[str, str, str], int]()
    for number, iban, currency, minor in tx.rows(
        "SELECT r.order_number, t.iban, r.currency, t.amount_minor - coalesce(p.amount_minor, 0) FROM transfers t"
        " JOIN refunds r ON r.shop_id = $1 AND r.id = t.refund_id"
        " LEFT JOIN postings p ON p.shop_id = $1 AND p.id = t.return_posting_id AND t.return_posting_id <> ''"
        " WHERE t.shop_id = $1 AND r.order_number = ANY($2) AND NOT t.released"
        " AND t.status IN ('RELEASED', 'BOOKED', 'RETURNED') ORDER BY r.order_number, t.end_to_end_id",
        tx.shop_id,
        list(numbers),
    ):
        key = (number, vault.open(TRANSFER_PAYEE, iban), currency)
        found[key] = found.get(key, 0) + minor
    return [SentMoney(*key, minor) for key, minor in found.items()]
