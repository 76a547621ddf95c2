"""Exports: whole tables with a filter, the journal, and files for bookkeeping programs; read as they are written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime
from itertools import islice
from typing import Any, Final

import msgspec

from paymatch.domain.orders.settlement import PaymentStatus
from paymatch.domain.refusal import Refused
from paymatch.domain.reports.asked import Asked
from paymatch.domain.reports.ledger import Booking, LedgerAccounts, Role, bookings_of, sale
from paymatch.domain.shops.shop import Shop
from paymatch.formats.accounting.beancount import write_beancount
from paymatch.formats.accounting.datev import Batch, write_datev
from paymatch.store import shops as shop_store
from paymatch.store.database import ShopId, Tx
from paymatch.store.orders.order_list import customer_of
from paymatch.store.reports import exports as store
from paymatch.usecases.reports import cash

Row = dict[str, Any]
_CHUNK: Final = 500
_SETTINGS: Final = (
    "ledger_chart", "ledger_bank", "ledger_debtors", "ledger_revenue", "ledger_fees", "ledger_clearing",
    "datev_consultant", "datev_client", "fiscal_year_month",
)  # fmt: skip


_SOLD: Final = tuple(
    str(each) for each in PaymentStatus if each not in {PaymentStatus.CANCELLED, PaymentStatus.DISAPPEARED}
)
"""Statuses of orders that are revenue."""


class ExportRefused(Refused):
    """The export lacks a setting, or its days do not fit the format."""


def rows(
    tx: Tx, shop: Shop, name: str, first: date, last: date, statuses: Sequence[str] = (), *, sales: bool = False
) -> Iterable[Row]:
    """The rows of an exported table, read as they are asked for; `sales` as of `bookings`."""
    shop_id = ShopId(shop.id)
    match name:
        case "orders":
            return map(_order, store.orders(tx, shop_id, first, last, statuses))
        case "postings":
            return cash.postings(tx, shop, Asked(first, last, date.max), None, None)
        case "refunds":
            return map(_refund, store.refunds(tx, shop_id, first, last, statuses))
        case "allocations":
            return map(_allocation, store.allocations(tx, shop_id, first, last))
        case "fees":
            return map(_fee, store.allocations(tx, shop_id, first, last, only_fees=True))
        case "journal":
            return map(_booking, bookings(tx, shop, first, last, sales=sales))
    raise ExportRefused(f"There is no export {name!r}")


def _order(row: Any) -> Row:
    return {
        "number": row.number, "date": row.order_date, "dueDate": row.due_date, "type": row.type, "status": row.status,
        "customerNumber": _customer_number(row.doc), "customer": customer_of(row.doc), "amount": row.amount_minor,
        "credited": row.postings_minor, "refunded": row.refunded_minor, "open": row.open_minor,
        "currency": row.currency, "lastPosting": row.last_posting_date, "dunningLevel": row.dunning_level,
    }  # fmt: skip


def _refund(row: Any) -> Row:
    return {
        "id": row.id, "externalReference": row.external_reference, "number": row.order_number,
        "plannedDate": row.planned_date, "executionDate": row.execution_date, "status": row.status,
        "amount": row.amount_minor, "currency": row.currency, "postingId": row.posting_id,
    }  # fmt: skip


def _allocation(row: Any) -> Row:
    return {
        "postingId": row.posting_id, "bookingDate": row.booking_date, "number": row.order_number, "kind": row.kind,
        "amount": row.amount_minor, "fee": row.withheld_minor, "feeKind": row.fee_kind or "", "currency": row.currency,
        "originator": row.counterparty_name, "by": "person" if row.by_hand else "matching", "at": row.created_at,
    }  # fmt: skip


def _fee(row: Any) -> Row:
    return _allocation(row) | {"credited": row.amount_minor + row.withheld_minor}


def _booking(booking: Booking) -> Row:
    return {
        "date": booking.date, "debit": booking.debit.number, "credit": booking.credit.number, "amount": booking.minor,
        "currency": booking.currency, "document": booking.document, "text": booking.text, "posting": booking.posting,
    }  # fmt: skip


class _Doc(msgspec.Struct):
    customerNumber: str = ""  # noqa: N815  the contract's spelling


def _customer_number(doc: str) -> str:
    try:
        return msgspec.json.decode(doc, type=_Doc).customerNumber
    except msgspec.ValidationError:
        return ""


def bookings(
    tx: Tx, shop: Shop, first: date, last: date, *, currency: str = "", sales: bool = False
) -> Iterator[Booking]:
    """The double-entry bookings of the postings booked on these days, those of one currency if it is named.

    With `sales` those of the orders of these days come first, but for cancelled and removed ones.
    """
    shop_id = ShopId(shop.id)
    accounts = ledger_accounts(tx, shop)
    if sales:
        for order in map(_order, store.orders(tx, shop_id, first, last, _SOLD)):
            if order["amount"] and (not currency or order["currency"] == currency):
                yield sale(order, accounts)
    explained = cash.postings(tx, shop, Asked(first, last, date.max), None, None)
    while chunk := list(islice(explained, _CHUNK)):
        numbers = {part[0] for row in chunk for part in row["orders"]}
        documents = store.documents(tx, shop_id, sorted(numbers))
        customers = {number: _customer_number(doc) for number, doc in documents.items()}
        for row in chunk:
            if not currency or row["currency"] == currency:
                yield from bookings_of(row, accounts, customers)


def ledger_accounts(tx: Tx, shop: Shop) -> LedgerAccounts:
    """The accounts that the shop books on."""
    stored = shop_store.settings(tx, ShopId(shop.id), _SETTINGS)
    banks = dict(part.split(":") for part in stored["ledger_bank"].split(",") if ":" in part)
    general = next((part for part in stored["ledger_bank"].split(",") if part and ":" not in part), "")
    numbers: dict[Role, str] = {role: stored[f"ledger_{role}"] for role in Role if role is not Role.BANK}
    return LedgerAccounts(stored["ledger_chart"], {**numbers, Role.BANK: general}, banks)


def as_datev(tx: Tx, shop: Shop, first: date, last: date, now: datetime, *, sales: bool = False) -> Iterator[bytes]:
    """The bookings in the shop's currency as a DATEV file; ExportRefused as of `check_datev`."""
    begin = check_datev(tx, shop, first, last)
    stored = shop_store.settings(tx, ShopId(shop.id), _SETTINGS)
    length = len(ledger_accounts(tx, shop).of(Role.DEBTORS).number) - 1
    batch = Batch(
        stored["datev_consultant"], stored["datev_client"], begin, length, first, last, shop.currency,
        stored["ledger_chart"], now,
    )  # fmt: skip
    return write_datev(batch, bookings(tx, shop, first, last, currency=shop.currency, sales=sales))


def check_datev(tx: Tx, shop: Shop, first: date, last: date) -> date:
    """The first day of the fiscal year of these days; ExportRefused if they are of two, or DATEV's numbers missing."""
    stored = shop_store.settings(tx, ShopId(shop.id), _SETTINGS)
    if not stored["datev_consultant"] or not stored["datev_client"]:
        raise ExportRefused("DATEV needs its numbers: `paymatch shop set SHOP datev-consultant=... datev-client=...`")
    begin = _fiscal_year(first, stored["fiscal_year_month"])
    if _fiscal_year(last, stored["fiscal_year_month"]) != begin:
        raise ExportRefused("A DATEV file holds one fiscal year: choose days of one")
    return begin


def _fiscal_year(day: date, month: int) -> date:
    """The first day of the fiscal year that the day lies in."""
    return date(day.year - (day.month < month), month, 1)


def as_beancount(tx: Tx, shop: Shop, first: date, last: date, *, sales: bool = False) -> Iterator[bytes]:
    """The bookings as a ledger of beancount."""
    return write_beancount(shop.name, bookings(tx, shop, first, last, sales=sales))
