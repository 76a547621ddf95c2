"""Which accounts have paid an order, how much each of them, and what went back to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from paymatch.domain.statement_channels import TRUSTED
from paymatch.store.database import ShopId, Tx
from paymatch.store.rows import build
from paymatch.store.sealing import POSTING_PARTY, REFUND_PAYEE, TRANSFER_PAYEE

CARRIES_AN_IBAN: Final = "p.counterparty_has_iban"


@dataclass(frozen=True, slots=True)
class Payment:
    """An account that paid an order, and how much; `own` is the shop's account that it was paid to."""

    order_number: str
    order_amount_minor: int
    iban: str  # "" where the customer's own account is unknown (D-5)
    bic: str
    holder: str
    own: str


def payments_of(tx: Tx, shop: ShopId, numbers: Sequence[str]) -> dict[str, list[Payment]]:
    """Who paid the orders, latest payment first."""
    rows = tx.rows(
        "SELECT a.order_number, a.order_amount_minor,"
        f" CASE WHEN NOT p.collective AND {CARRIES_AN_IBAN} THEN p.counterparty_iban ELSE '' END AS iban,"
        " coalesce(p.facts::json->>'counterparty_bic', '') AS bic, p.counterparty_name AS holder,"
        " p.account AS own"
        " FROM allocations a JOIN postings p ON p.shop_id = a.shop_id AND p.id = a.posting_id"
        " WHERE a.shop_id = $1 AND a.order_number = ANY($2) AND a.amount_minor > 0 AND a.kind = 'payment'"
        " ORDER BY p.booking_date DESC, p.id DESC",
        shop,
        list(numbers),
    )
    vault, found = tx.vault(shop), dict[str, list[Payment]]()
    for row in rows:
        payment = build(Payment, row, iban=vault.open(POSTING_PARTY, row.iban))
        found.setdefault(payment.order_number, []).append(payment)
    return found


def sent_back(tx: Tx, shop: ShopId, numbers: Sequence[str]) -> dict[tuple[str, str], int]:
    """(order, account) -> what went back to it, in the order's minor units: refunds that stand in a transfer file or
    were executed, returned payments, other debits. Under the account "" what does not say whose it was.

    A refund that came back only by the word of a file that did not come by a trusted way is still there (D-37).
    """
    vault, found = tx.vault(shop), Counter[tuple[str, str]]()
    for number, iban, minor in tx.rows(
        "SELECT order_number, iban, order_amount_minor FROM refunds WHERE shop_id = $1 AND order_number = ANY($2)"
        " AND status IN ('IN_PROCESS', 'PROCESSED')",
        shop,
        list(numbers),
    ):
        found[number, vault.open(REFUND_PAYEE, iban)] += minor
    for number, iban, minor in tx.rows(
        "SELECT r.order_number, t.iban, r.order_amount_minor FROM refunds r JOIN transfers t ON t.shop_id = r.shop_id"
        " AND t.refund_id = r.id WHERE r.shop_id = $1 AND r.order_number = ANY($2) AND t.return_posting_id <> ''"
        " AND (t.attempt < r.attempt OR r.status = 'RETURNED')"
        " AND NOT EXISTS (SELECT FROM statement_lines l JOIN imports i ON i.shop_id = l.shop_id AND i.id = l.import_id"
        " WHERE l.shop_id = $1 AND l.posting_id = t.return_posting_id AND i.channel = ANY($3))",
        shop,
        list(numbers),
        sorted(TRUSTED),
    ):
        found[number, vault.open(TRANSFER_PAYEE, iban)] += minor
    for number, iban, minor in tx.rows(
        f"SELECT a.order_number, CASE WHEN {CARRIES_AN_IBAN} THEN p.counterparty_iban ELSE '' END, a.order_amount_minor"
        " FROM allocations a JOIN postings p ON p.shop_id = a.shop_id AND p.id = a.posting_id"
        " WHERE a.shop_id = $1 AND a.order_number = ANY($2) AND a.kind IN ('return', 'outgoing')",
        shop,
        list(numbers),
    ):
        found[number, vault.open(POSTING_PARTY, iban)] -= minor
    return found
