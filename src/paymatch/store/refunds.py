"""Refunds in PostgreSQL."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any, Final

from paymatch.domain.refunds import RefundStatus, SubmittedRefund
from paymatch.store.database import ShopId, Tx
from paymatch.store.order_json import REFUND

CARRIES_AN_IBAN: Final = "p.counterparty_iban ~ '^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$'"


@dataclass(frozen=True, slots=True)
class PayerAccount:
    """Where a customer's money came from, and so may go back to (D-5)."""

    iban: str
    bic: str
    holder: str


@dataclass(frozen=True, slots=True)
class RefundRow:
    """A refund with what its moves need; amounts in minor units."""

    id: str
    order_number: str
    reference: str
    amount_minor: int
    currency: str
    order_amount_minor: int
    status: RefundStatus
    planned_date: date
    iban: str
    bic: str
    holder: str

    def moved(self, status: RefundStatus) -> RefundRow:
        """The same refund in another status."""
        return replace(self, status=status)


_ROW: Final = """r.id, r.order_number, r.reference, r.amount_minor, r.currency, r.order_amount_minor, r.status,
    r.planned_date, r.iban, r.bic, r.holder"""


def _refund(row: tuple[Any, ...]) -> RefundRow:
    values = list(row)
    values[6] = RefundStatus(values[6])
    return RefundRow(*values)


def reference_of(tx: Tx, shop: ShopId, external_reference: str) -> str | None:
    """The referenceNumber of the refund with this externalReference; None if there is none."""
    found: str | None = tx.value(
        "SELECT reference FROM refunds WHERE shop_id = $1 AND external_reference = $2", shop, external_reference
    )
    return found


def payer_account(tx: Tx, shop: ShopId, order_number: str) -> PayerAccount | None:
    """The account of the latest payment of the order that is the customer's own (D-5)."""
    row = tx.row(
        "SELECT p.counterparty_iban, p.facts::json->>'counterparty_bic', p.counterparty_name"
        " FROM allocations a JOIN postings p ON p.shop_id = a.shop_id AND p.id = a.posting_id"
        " WHERE a.shop_id = $1 AND a.order_number = $2 AND a.amount_minor > 0 AND NOT p.collective"
        f" AND {CARRIES_AN_IBAN} ORDER BY p.booking_date DESC, p.id DESC LIMIT 1",
        shop,
        order_number,
    )
    return PayerAccount(row[0], row[1] or "", row[2]) if row else None


def add(
    tx: Tx,
    shop: ShopId,
    refund_id: str,
    order_number: str,
    submitted: SubmittedRefund,
    *,
    reference: str,
    status: RefundStatus,
    account: PayerAccount | None,
    now: datetime,
) -> bool:
    """Stores the refund; False if another call has just stored one with the same externalReference."""
    return bool(
        tx.run(
            "INSERT INTO refunds (shop_id, id, order_number, external_reference, reference, amount_minor, currency,"
            " digits, order_amount_minor, planned_date, status, iban, bic, holder, created_at, updated_at)"
            " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $6, $9, $10, $11, $12, $13, $14, $14)"
            " ON CONFLICT (shop_id, external_reference) DO NOTHING",
            shop, refund_id, order_number, submitted.external_reference, reference, submitted.amount_minor,
            submitted.currency, submitted.digits, submitted.planned_date, status, account.iban if account else "",
            account.bic if account else "", account.holder if account else "", now,
        )
    )  # fmt: skip


def read(tx: Tx, shop: ShopId, refund_id: str) -> str:
    """The refund as the API shows it."""
    found: str | None = tx.value(f"SELECT {REFUND} FROM refunds r WHERE r.shop_id = $1 AND r.id = $2", shop, refund_id)
    assert found is not None
    return found


def orders_of(tx: Tx, shop: ShopId, references: list[str]) -> list[str]:
    """Numbers of the orders that the refunds with these references belong to."""
    rows = tx.rows(
        "SELECT DISTINCT order_number FROM refunds WHERE shop_id = $1 AND reference = ANY($2)", shop, references
    )
    return sorted(row[0] for row in rows)


def by_reference(tx: Tx, shop: ShopId, references: list[str]) -> dict[str, RefundRow]:
    """The refunds with these references (EndToEndIds), locked until the transaction ends."""
    rows = tx.rows(
        f"SELECT {_ROW} FROM refunds r WHERE r.shop_id = $1 AND r.reference = ANY($2) ORDER BY r.id FOR UPDATE",
        shop,
        references,
    )
    return {row[2]: _refund(row) for row in rows}


def move(
    tx: Tx,
    shop: ShopId,
    refund_id: str,
    status: RefundStatus,
    now: datetime,
    *,
    execution_date: date | None = None,
    bank_code: str = "",
    posting_id: str = "",
) -> None:
    """Writes the status that `domain.refunds.next_status` gave, and what the bank said with it."""
    tx.run(
        "UPDATE refunds SET status = $3, updated_at = $4, execution_date = coalesce($5, execution_date),"
        " bank_code = CASE WHEN $6 = '' THEN bank_code ELSE $6 END,"
        " posting_id = CASE WHEN $7 = '' THEN posting_id ELSE $7 END WHERE shop_id = $1 AND id = $2",
        shop,
        refund_id,
        status,
        now,
        execution_date,
        bank_code,
        posting_id,
    )
