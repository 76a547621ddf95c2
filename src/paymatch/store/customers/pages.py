"""Data of an order's own page beside the order itself, in PostgreSQL: payments, invoices, refunds."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from paymatch.domain.customers.refund_requests import wants_details
from paymatch.domain.refunds.refunds import RefundStatus
from paymatch.store.connection import build
from paymatch.store.sealing import REFUND_PAYEE
from paymatch.store.transactions import ShopTx


@dataclass(frozen=True, slots=True)
class ReceivedPayment:
    """A payment, or one that was returned (below 0); in minor units of the order's currency."""

    day: date
    amount_minor: int


@dataclass(frozen=True, slots=True)
class ShownInvoice:
    """An invoice to download."""

    number: str
    file_key: str
    media_type: str
    size_bytes: int
    created_at: datetime


@dataclass(frozen=True, slots=True)
class ShownRefund:
    """A refund as its receiver sees it; the amount in minor units of its currency."""

    id: str
    status: RefundStatus
    amount_minor: int
    currency: str
    planned_date: date
    execution_date: date | None
    bank_code: str
    iban: str
    holder: str
    iban_given: bool
    account_version: int

    @property
    def wants_details(self) -> bool:
        """Whether the customer is asked for bank details."""
        return wants_details(self.status, self.bank_code)

    @property
    def may_be_redirected(self) -> bool:
        """Whether the customer may still correct the account that he has given himself."""
        return self.iban_given and self.status is RefundStatus.NEW


def received_payments(tx: ShopTx, number: str) -> list[ReceivedPayment]:
    """The order's payments, oldest first."""
    rows = tx.rows(
        "SELECT p.booking_date AS day, a.order_amount_minor AS amount_minor FROM allocations a"
        " JOIN postings p ON p.shop_id = a.shop_id AND p.id = a.posting_id"
        " WHERE a.shop_id = $1 AND a.order_number = $2 AND a.kind NOT IN ('refund', 'refund-return')"
        " ORDER BY p.booking_date, p.id LIMIT 100",
        tx.shop_id,
        number,
    )
    return [build(ReceivedPayment, row) for row in rows]


def invoices(tx: ShopTx, number: str) -> list[ShownInvoice]:
    """The order's invoices, latest first."""
    rows = tx.rows(
        "SELECT invoice_number AS number, file_key, media_type, size_bytes, created_at FROM invoices"
        " WHERE shop_id = $1 AND order_number = $2 ORDER BY created_at DESC, invoice_number LIMIT 50",
        tx.shop_id,
        number,
    )
    return [build(ShownInvoice, row) for row in rows]


def refunds(tx: ShopTx, number: str) -> list[ShownRefund]:
    """The order's refunds that are, or may still become, money for the customer; oldest first."""
    rows = tx.rows(
        "SELECT id, status, amount_minor, currency, planned_date, execution_date, bank_code, iban, holder, iban_given,"
        " account_version FROM refunds WHERE shop_id = $1 AND order_number = $2"
        " AND status NOT IN ('CANCELLED', 'LEGACY') ORDER BY filed LIMIT 50",
        tx.shop_id,
        number,
    )
    vault = tx.vault()
    return [
        build(ShownRefund, row, status=RefundStatus(row.status), iban=vault.open(REFUND_PAYEE, row.iban))
        for row in rows
    ]


def agency(tx: ShopTx, number: str) -> str:
    """The name of the agency that the order was handed over to; "" if it was not, or the agency has no name."""
    return str(
        tx.value("SELECT partner FROM collections WHERE shop_id = $1 AND order_number = $2", tx.shop_id, number) or ""
    )


def bank_data_at(tx: ShopTx) -> datetime | None:
    """When the shop's last statement came in; None before the first."""
    found: datetime | None = tx.value(
        "SELECT max(created_at) FROM imports WHERE shop_id = $1 AND status = 'BOOKED'", tx.shop_id
    )
    return found


def shipping_numbers(tx: ShopTx, number: str) -> list[str]:
    """The tracking numbers of the order's parcels; none before it was shipped, or if the shop names none."""
    rows = tx.rows(
        "SELECT json_array_elements_text(doc::json->'shippingNumbers') FROM orders WHERE shop_id = $1 AND number = $2"
        " LIMIT 20",
        tx.shop_id,
        number,
    )
    return [row[0] for row in rows]
