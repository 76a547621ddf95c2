"""Exports: whole tables with a filter, the journal, and files for bookkeeping programs; streamed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any, BinaryIO, Final

import msgspec

from paymatch.domain.customers.credits import OF_CREDIT
from paymatch.domain.refusal import Refused
from paymatch.domain.reports.asked import PeriodQuery
from paymatch.domain.reports.ledger import (
    AccountRole,
    LedgerBooking,
    invoice_id,
)
from paymatch.domain.shops.shop import Shop
from paymatch.domain.words.message import Message, as_text
from paymatch.formats.accounting.beancount import write_beancount
from paymatch.formats.accounting.datev import DatevBatch, write_datev
from paymatch.formats.accounting.datev_documents import MOST_BYTES, MOST_DOCUMENTS, Document, write_documents
from paymatch.outbound.files import Files
from paymatch.store.customers import credits
from paymatch.store.customers.credits import AdjustmentRow
from paymatch.store.orders.orders import customer_of
from paymatch.store.reports import booked
from paymatch.store.reports import exports as store
from paymatch.store.shops import shops as shop_store
from paymatch.store.transactions import ShopTx
from paymatch.usecases.reports import cash, journal
from paymatch.usecases.reports.journal import setting_pairs

Row = dict[str, Any]
_CHUNK: Final = 500
_SETTINGS: Final = (
    "ledger_chart",
    "datev_consultant", "datev_client", "fiscal_year_month", "datev_tax_keys", "datev_rates", "datev_links",
)  # fmt: skip


class ExportRefused(Refused):
    """The export lacks a setting, or its days do not fit the format."""


def rows(
    tx: ShopTx,
    name: str,
    first: date,
    last: date,
    statuses: Sequence[str] = (),
    *,
    sales: bool = False,
    supplement: int | None = None,
) -> Iterable[Row]:
    """The rows of an exported table, streamed on demand; `sales` and `supplement` as in `bookings_of`."""
    match name:
        case "orders":
            return map(_order, store.orders(tx, first, last, statuses))
        case "postings":
            return cash.postings(tx, PeriodQuery(first, last, date.max), None, None)
        case "refunds":
            return map(_refund, store.refunds(tx, first, last, statuses))
        case "allocations":
            return map(_allocation, store.allocations(tx, first, last))
        case "fees":
            return map(_fee, store.allocations(tx, first, last, only_fees=True))
        case "credits":
            return map(_adjustment, credits.entries(tx, first, last))
        case "journal":
            return map(_booking, bookings_of(tx, first, last, sales=sales, supplement=supplement))
    raise ExportRefused(Message("export-unknown", name=repr(name)))


def _order(row: Any) -> Row:
    return {
        "number": row.number, "date": row.order_date, "dueDate": row.due_date, "type": row.type, "status": row.status,
        "customerNumber": journal.customer_number(row.doc), "customer": customer_of(row.doc),
        "amount": row.amount_minor, "credited": row.postings_minor, "refunded": row.refunded_minor,
        "open": row.open_minor, "currency": row.currency, "lastPosting": row.last_posting_date,
        "dunningLevel": row.dunning_level,
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


def _adjustment(row: AdjustmentRow) -> Row:
    return {
        "day": row.day, "number": row.order_number, "kind": str(row.kind),
        "amount": -row.minor if row.kind in OF_CREDIT else row.minor, "currency": row.currency, "by": row.by_name,
        "customer": row.customer,
    }  # fmt: skip


def _booking(booking: LedgerBooking) -> Row:
    return {
        "date": booking.date, "debit": booking.debit.number, "credit": booking.credit.number, "amount": booking.minor,
        "currency": booking.currency, "document": booking.document, "text": booking.text, "posting": booking.posting,
    }  # fmt: skip


def bookings_of(tx: ShopTx, first: date, last: date, *, sales: bool, supplement: int | None) -> Iterator[LedgerBooking]:
    """The bookings of a file: all of the days, with 0 those not sent in a supplement, else one supplement."""
    if supplement:
        return booked.entries(tx, first, last, sales=sales, supplement=supplement)
    return journal.bookings(tx, first, last, sales=sales, but_supplements=supplement == 0)


def _header_name(name: str, supplement: int | None) -> str:
    """The key of a file's stored header: a delivery's file is not the one that a person exports."""
    return name if supplement is None else f"{name} {supplement}"


def as_datev(
    tx: ShopTx, first: date, last: date, now: datetime, *, sales: bool = False, supplement: int | None = None
) -> Iterator[bytes]:
    """The bookings as a DATEV file; ExportRefused as in `check_datev`."""
    check_datev(tx, first, last, sales=sales)
    kept = booked.header(tx, _header_name("datev", supplement), first, last, sales=sales)
    batch = msgspec.json.decode(kept, type=DatevBatch) if kept else _datev_batch(tx, first, last, now)
    return write_datev(batch, bookings_of(tx, first, last, sales=sales, supplement=supplement))


def keep_header(
    tx: ShopTx, name: str, first: date, last: date, now: datetime, *, sales: bool, supplement: int | None = None
) -> None:
    """The header of a file of final days stays as it was first written."""
    match name:
        case "datev":
            header = msgspec.json.encode(_datev_batch(tx, first, last, now), enc_hook=as_text).decode()
        case "beancount":
            header = tx.shop.name
        case _:
            return
    booked.keep_header(tx, _header_name(name, supplement), first, last, sales=sales, header=header)


def _datev_batch(tx: ShopTx, first: date, last: date, now: datetime) -> DatevBatch:
    stored = shop_store.settings(tx, _SETTINGS)
    begin = _fiscal_year(first, stored["fiscal_year_month"])
    length = len(journal.ledger_accounts(tx).of(AccountRole.DEBTORS).number) - 1
    rates = _rates(stored["datev_rates"])
    return DatevBatch(
        stored["datev_consultant"], stored["datev_client"], begin, length, first, last, tx.shop.currency,
        stored["ledger_chart"], now, setting_pairs(stored["datev_tax_keys"]), rates, stored["datev_links"],
    )  # fmt: skip


def _rates(text: str) -> dict[str, Decimal]:
    """Currency, or month and currency -> how much of it one unit of the shop's is worth."""
    parts = (part.rpartition(":") for part in text.split(",") if part)
    return {name: Decimal(rate) for name, _, rate in parts}


def check_datev(tx: ShopTx, first: date, last: date, *, sales: bool = False) -> date:
    """The first day of the fiscal year of these days.

    ExportRefused if they are of two, or DATEV's numbers or the rate of a currency are missing.
    """
    stored = shop_store.settings(tx, _SETTINGS)
    if not stored["datev_consultant"] or not stored["datev_client"]:
        raise ExportRefused(Message("export-datev-needs-numbers-paymatch"))
    begin = _fiscal_year(first, stored["fiscal_year_month"])
    if _fiscal_year(last, stored["fiscal_year_month"]) != begin:
        raise ExportRefused(Message("export-datev-file-holds-one"))
    booked = store.currencies(tx, first, last, sales=sales)
    if missing := sorted(booked - {tx.shop.currency} - _rates(stored["datev_rates"]).keys()):
        raise ExportRefused(
            Message("export-datev-needs-rate-paymatch", missing=", ".join(missing), missing2=missing[0])
        )
    return begin


def as_datev_documents(tx: ShopTx, invoices: Iterable[Any], now: datetime, kept: Files, file: BinaryIO) -> int:
    """Writes the invoices, which a DATEV file links, as DATEV's document package; how many there are."""
    return write_documents(file, _invoices(tx.shop, invoices, kept), now)


def invoices_of(
    tx: ShopTx, first: date, last: date, *, sales: bool, postings: frozenset[str] | None = None
) -> Sequence[Any]:
    """The invoices that a DATEV file of these days, or of these postings, links; ExportRefused for too many."""
    rows = store.invoices(tx, first, last, sales=sales, postings=postings)
    if len(rows) > MOST_DOCUMENTS or sum(row.size_bytes for row in rows) > MOST_BYTES:
        raise ExportRefused(Message("export-datev-takes-4-999"))
    return rows


def _invoices(shop: Shop, rows: Iterable[Any], kept: Files) -> Iterator[tuple[Document, BinaryIO]]:
    for row in rows:
        document = Document(invoice_id(shop.id, row.order_number, row.invoice_number), row.file_key.rpartition(".")[2])
        with kept.open(row.file_key) as content:
            yield document, content


def _fiscal_year(day: date, month: int) -> date:
    """The first day of the fiscal year of the day."""
    return date(day.year - (day.month < month), month, 1)


def as_beancount(
    tx: ShopTx, first: date, last: date, *, sales: bool = False, supplement: int | None = None
) -> Iterator[bytes]:
    """The bookings as a ledger of beancount."""
    kept = booked.header(tx, _header_name("beancount", supplement), first, last, sales=sales)
    name = kept if kept is not None else tx.shop.name
    return write_beancount(name, bookings_of(tx, first, last, sales=sales, supplement=supplement))
