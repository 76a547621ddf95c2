"""Terms of electronic invoices: an order's use of them, and their differences from it (D-96)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

import msgspec

from paymatch.domain.orders.invoice_terms import (
    Difference,
    InvoicedOrder,
    InvoiceTerms,
    contradicts,
    differences,
    remittance_key,
    taken_terms,
)
from paymatch.domain.words.message import as_text
from paymatch.formats.einvoices.upload import ExaminedInvoice
from paymatch.store.orders import invoices as store
from paymatch.store.orders.invoices import InvoiceRow
from paymatch.store.transactions import ShopTx
from paymatch.usecases.orders.consumer_credit import note_terms


class StoredTerms(msgspec.Struct, frozen=True, omit_defaults=True):
    """The data kept with an invoice file. `key` is a number that payments may name."""

    terms: InvoiceTerms | None = None
    unread: str = ""
    key: str = ""


@dataclass(frozen=True, slots=True)
class ComparedInvoice:
    """An electronic invoice and its order. `is_taken`: it does not contradict the order."""

    invoice_number: str
    terms: InvoiceTerms | None
    unread: str
    differences: tuple[Difference, ...]
    is_taken: bool


class _Submitted(msgspec.Struct):
    dueDate: str = ""  # noqa: N815  the contract's spelling
    invoiceNumbers: tuple[str, ...] = ()  # noqa: N815


_ENCODE: Final = msgspec.json.Encoder(enc_hook=as_text).encode


def take(tx: ShopTx, order_number: str, invoice_number: str, examined: ExaminedInvoice, now: datetime) -> str:
    """The data to keep with the file, as JSON; empty for a file without terms.

    If the shop wants it, the terms fill the empty fields of the order, which the caller has locked.
    """
    terms = examined.terms
    if terms is None:
        return _ENCODE(StoredTerms(unread=examined.unread)).decode() if examined.unread else ""
    today = tx.shop.today(now)
    order = _invoiced_order(tx, order_number, (invoice_number,))
    taken = taken_terms(terms, order, today) if tx.shop.invoice_terms else None
    if taken is None:
        return _ENCODE(StoredTerms(terms)).decode()
    if taken.due_date is not None or taken.discounts:
        kept = _ENCODE(taken).decode()
        store.set_taken_terms(tx, order_number, kept, taken.due_date, today)
        document = store.submitted_terms(tx, order_number).doc.encode()
        note_terms(tx, [(order_number, order.order_date, taken.due_date, document)])
    return _ENCODE(StoredTerms(terms, key=remittance_key(terms))).decode()


def compare(tx: ShopTx, order_number: str) -> list[ComparedInvoice]:
    """The order's electronic invoices by number, with their differences from the present order."""
    rows = [row for row in store.of_order(tx, order_number) if row.terms]
    if not rows:
        return []
    return [_comparison(row, _invoiced_order(tx, order_number, (row.invoice_number,))) for row in rows]


def _comparison(row: InvoiceRow, order: InvoicedOrder) -> ComparedInvoice:
    stored = msgspec.json.decode(row.terms, type=StoredTerms)
    found: list[Difference] = differences(stored.terms, order) if stored.terms is not None else []
    taken = stored.terms is not None and not stored.terms.is_credit_note and not contradicts(found)
    return ComparedInvoice(row.invoice_number, stored.terms, stored.unread, tuple(found), taken)


def _invoiced_order(tx: ShopTx, number: str, uploaded: Sequence[str]) -> InvoicedOrder:
    order = store.submitted_terms(tx, number)
    wire = msgspec.json.decode(order.doc, type=_Submitted)
    due = _day(wire.dueDate) if wire.dueDate else None
    numbers = tuple(dict.fromkeys((*uploaded, *wire.invoiceNumbers)))
    return InvoicedOrder(order.order_date, due, order.currency, order.amount_minor, numbers)


def _day(text: str) -> date:
    day, month, year = map(int, text.split("-"))
    return date(year, month, day)
