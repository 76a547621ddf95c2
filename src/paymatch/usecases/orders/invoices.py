"""Invoice files of orders: the known ones, and finding orders by their numbers (docs/api.md, Invoices; D-16)."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from typing import Final

import msgspec

from paymatch import confined
from paymatch.confined import Crashed, Overrun, ProcessBudget, WorkFailed
from paymatch.domain.refusal import Unknown
from paymatch.domain.words.message import Message
from paymatch.formats.einvoices.upload import ExaminedInvoice, examine_pdf, examine_xml
from paymatch.formats.invoice_file import FileType, InvoiceRefused
from paymatch.formats.invoice_pdf import UNREADABLE
from paymatch.store.orders import invoices as store
from paymatch.store.orders import orders as order_store
from paymatch.store.orders.invoices import InvoiceRow
from paymatch.store.transactions import ShopTx
from paymatch.usecases.letter_requests import order_first_invoice
from paymatch.usecases.orders import invoice_terms
from paymatch.usecases.settlement import order_keys

PDF_BUDGET: Final = ProcessBudget(memory_bytes=512 * 1024**2, cpu_seconds=10, wall_seconds=30)
"""An ordinary invoice takes some milliseconds."""
NO_TERMS: Final = ExaminedInvoice()


class InvoiceUnknown(Unknown):
    """The order has no such invoice."""

    def __init__(self, number: str) -> None:
        super().__init__(Message("invoice-not-found", number=number))


def examine(content: bytes, file_type: FileType) -> ExaminedInvoice:
    """The terms of an electronic invoice: an XML file, or attached to a PDF. Pictures state none.

    InvoiceRefused if a PDF has active content, is encrypted, or cannot be examined, and if an XML file cannot be read.
    """
    work = {FileType.PDF: examine_pdf, FileType.XML: examine_xml}.get(file_type)
    if work is None:
        return NO_TERMS
    with tempfile.TemporaryFile() as file:
        file.write(content)
        file.flush()
        try:
            file.seek(0)
            found = msgspec.convert(confined.run(work, PDF_BUDGET, [file]), ExaminedInvoice)
        except (Overrun, Crashed, WorkFailed):
            found = ExaminedInvoice(why_not=UNREADABLE)
    if found.why_not:
        raise InvoiceRefused(Message("invoice-file-not-allowed", why_not=found.why_not))
    return found


def check_quota(tx: ShopTx, size: int, default: int) -> None:
    """InvoiceRefused if the shop's invoices would exceed their quota; `default` is the operator's."""
    left, quota = store.room_left(tx, default)
    if size > left:
        raise InvoiceRefused(Message("invoice-quota", most=quota // 1000000))


def add(
    tx: ShopTx,
    invoice: InvoiceRow,
    default_quota: int,
    examined: ExaminedInvoice = NO_TERMS,
) -> bool:
    """Stores the invoice, so postings that name its number find the order; the first may be sent by letter.

    False if another call has just stored it. LockNotAcquired if other work holds the order. InvoiceRefused beyond the
    quota: the check before writing the file is repeated, now that no other call can add one.
    """
    now, number = tx.now, invoice.order_number
    order_store.lock(tx, [number])
    store.lock_quota(tx)
    check_quota(tx, invoice.size_bytes, default_quota)
    if store.is_known(tx, number, invoice.invoice_number):
        return False
    kept = invoice_terms.take(tx, number, invoice.invoice_number, examined, tx.wall_time)
    if not store.add(tx, replace(invoice, terms=kept), now):
        return False
    order_keys.renew(tx, number, now)
    order_first_invoice(tx, number, invoice.invoice_number, now, invoice.media_type)
    return True
