"""Invoice files of orders in PostgreSQL: which are there, and where their bytes lie."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from paymatch.store.database import ShopId, Tx
from paymatch.store.rows import build


@dataclass(frozen=True, slots=True)
class InvoiceRow:
    """An uploaded invoice; `file_key` is the random name behind the files door."""

    order_number: str
    invoice_number: str
    file_key: str
    media_type: str
    size_bytes: int
    sha256: bytes


def known(tx: Tx, shop: ShopId, order_number: str, invoice_number: str) -> bool:
    """True if this invoice of the order was uploaded before."""
    return (
        tx.row(
            "SELECT 1 FROM invoices WHERE shop_id = $1 AND order_number = $2 AND invoice_number = $3",
            shop,
            order_number,
            invoice_number,
        )
        is not None
    )


def kept_bytes(tx: Tx, shop: ShopId) -> int:
    """What all invoices of the shop take together."""
    return int(tx.value("SELECT coalesce(sum(size_bytes), 0)::bigint FROM invoices WHERE shop_id = $1", shop))


def add(tx: Tx, shop: ShopId, invoice: InvoiceRow, now: datetime) -> bool:
    """Stores the invoice; False if another call has just stored it."""
    return bool(
        tx.run(
            "INSERT INTO invoices VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING",
            shop, invoice.order_number, invoice.invoice_number, invoice.file_key, invoice.media_type,
            invoice.size_bytes, invoice.sha256, now,
        )
    )  # fmt: skip


def find(tx: Tx, shop: ShopId, order_number: str, invoice_number: str) -> InvoiceRow | None:
    """The invoice, or None."""
    row = tx.row(
        "SELECT order_number, invoice_number, file_key, media_type, size_bytes, sha256 FROM invoices"
        " WHERE shop_id = $1 AND order_number = $2 AND invoice_number = $3",
        shop,
        order_number,
        invoice_number,
    )
    return build(InvoiceRow, row) if row else None
