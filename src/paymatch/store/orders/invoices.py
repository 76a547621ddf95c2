"""Invoice files of orders in PostgreSQL: the known ones, and the place of their bytes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

from paymatch.store.connection import build
from paymatch.store.orders.orders import lock_space
from paymatch.store.transactions import ShopTx

_QUOTA_LOCK: Final = 2051  # above the buckets of order numbers
_ROOM: Final = """
SELECT coalesce(invoice_quota_mb * 1000000::bigint, $2) AS quota,
       (SELECT coalesce(sum(size_bytes), 0)::bigint FROM invoices WHERE shop_id = $1) AS kept
FROM shops WHERE shop_id = $1"""


@dataclass(frozen=True, slots=True)
class InvoiceRow:
    """An uploaded invoice; `file_key` is the random name behind the files door."""

    order_number: str
    invoice_number: str
    file_key: str
    media_type: str
    size_bytes: int
    sha256: bytes
    terms: str = ""  # payment terms of an electronic invoice, as JSON


def is_known(tx: ShopTx, order_number: str, invoice_number: str) -> bool:
    """True if this invoice of the order was uploaded before."""
    return (
        tx.row(
            "SELECT 1 FROM invoices WHERE shop_id = $1 AND order_number = $2 AND invoice_number = $3",
            tx.shop_id,
            order_number,
            invoice_number,
        )
        is not None
    )


def lock_quota(tx: ShopTx) -> None:
    """Locks the shop's invoices against additions until the transaction ends; taken after the lock of the order."""
    tx.run("SELECT pg_advisory_xact_lock($1, $2)", lock_space(tx.shop_id), _QUOTA_LOCK)


def room_left(tx: ShopTx, default: int) -> tuple[int, int]:
    """(bytes left for further invoices of the shop, bytes allowed in total); `default` if the shop has no setting."""
    row = tx.row(_ROOM, tx.shop_id, default)
    assert row is not None
    return row.quota - row.kept, row.quota


def add(tx: ShopTx, invoice: InvoiceRow, now: datetime) -> bool:
    """Stores the invoice; False if another call has just stored it."""
    return bool(
        tx.run(
            "INSERT INTO invoices VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING",
            tx.shop_id, invoice.order_number, invoice.invoice_number, invoice.file_key, invoice.media_type,
            invoice.size_bytes, invoice.sha256, now, invoice.terms,
        )
    )  # fmt: skip


def find(tx: ShopTx, order_number: str, invoice_number: str) -> InvoiceRow | None:
    """The invoice, or None."""
    row = tx.row(
        "SELECT order_number, invoice_number, file_key, media_type, size_bytes, sha256, terms FROM invoices"
        " WHERE shop_id = $1 AND order_number = $2 AND invoice_number = $3",
        tx.shop_id,
        order_number,
        invoice_number,
    )
    return build(InvoiceRow, row) if row else None


def count_printable(tx: ShopTx, order_number: str) -> int:
    """The number of the order's uploaded invoices that a letter can show."""
    statement = (
        "SELECT count(*) FROM invoices WHERE shop_id = $1 AND order_number = $2 AND media_type <> 'application/xml'"
    )
    return int(tx.value(statement, tx.shop_id, order_number))


@dataclass(frozen=True, slots=True)
class SubmittedTerms:
    """The order's own terms that its invoice also states; `doc` is its wire document."""

    order_date: date
    currency: str
    amount_minor: int
    doc: str


def submitted_terms(tx: ShopTx, order_number: str) -> SubmittedTerms:
    """Those of an order that is there."""
    row = tx.row(
        "SELECT order_date, currency, amount_minor, doc FROM orders WHERE shop_id = $1 AND number = $2",
        tx.shop_id,
        order_number,
    )
    assert row is not None
    return build(SubmittedTerms, row)


def set_taken_terms(tx: ShopTx, order_number: str, terms: str, due: date | None, today: date) -> None:
    """Stores these invoice terms (JSON) with the order; `due` is its due date unless it was submitted with one."""
    tx.run(
        "INSERT INTO order_past (shop_id, order_number, since_date, until_date, status, type, order_date, due_date,"
        " currency, amount_minor, postings_minor, refunded_minor) SELECT o.shop_id, o.number, o.since_date, $4,"
        " o.status, o.type, o.order_date, o.due_date, o.currency, o.amount_minor, o.postings_minor, o.refunded_minor"
        " FROM orders o WHERE o.shop_id = $1 AND o.number = $2 AND o.since_date < $4 AND $3::date IS NOT NULL"
        " AND o.due_date IS DISTINCT FROM $3 ON CONFLICT DO NOTHING",
        tx.shop_id, order_number, due, today,
    )  # fmt: skip
    tx.run(
        "UPDATE orders SET invoice_terms = $3, due_date = coalesce($4::date, due_date),"
        " since_date = CASE WHEN $4::date IS NOT NULL AND due_date IS DISTINCT FROM $4"
        " THEN greatest(since_date, $5) ELSE since_date END WHERE shop_id = $1 AND number = $2",
        tx.shop_id, order_number, terms, due, today,
    )  # fmt: skip


def of_order(tx: ShopTx, order_number: str) -> list[InvoiceRow]:
    """The order's invoices by their numbers."""
    rows = tx.rows(
        "SELECT order_number, invoice_number, file_key, media_type, size_bytes, sha256, terms FROM invoices"
        " WHERE shop_id = $1 AND order_number = $2 ORDER BY invoice_number",
        tx.shop_id,
        order_number,
    )
    return [build(InvoiceRow, row) for row in rows]
