"""Endpoint 8: invoice files."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Final

from paymatch.api.call import Answer, ApiCall
from paymatch.api.endpoints.orders import read_order
from paymatch.api.errors import ApiRefused
from paymatch.api.fields import reference
from paymatch.api.multipart import file_part
from paymatch.api.router import endpoint
from paymatch.formats.invoice_file import FileType, check_invoice
from paymatch.store.database import ShopId
from paymatch.store.orders.invoices import InvoiceRow, find, known
from paymatch.usecases.orders import invoices, orders

UPLOAD_LIMIT: Final = 101 * 1000 * 1000
"""Bytes of a request body: the largest invoice that the setting allows, and its envelope."""


@endpoint(
    "POST",
    "order/{orderNumber}/invoice/{invoiceNumber}",
    writes=True,
    needs_order=True,
    detached=True,
    body_limit=UPLOAD_LIMIT,
)
def upload_invoice(call: ApiCall) -> Answer:
    """Endpoint 8: stores the file (D-16); a repeated upload is silently ignored. Checks: order, number, file."""
    number = reference("invoiceNumber", call.params["invoiceNumber"])
    if number is None:
        raise ApiRefused(400, "Missing parameter invoiceNumber", parameter="invoiceNumber")
    upload = file_part(call.headers.get("content-type", ""), call.body)
    invoice = check_invoice(upload.content, call.config.invoice_max_bytes)
    shop_id = ShopId(call.shop.id)
    with call.transaction() as tx:
        if known(tx, shop_id, call.number, number):
            return Answer(b"", "text/plain")
        invoices.check_quota(tx, call.shop, len(upload.content), call.config.invoice_quota_bytes)
    if invoice is FileType.PDF:
        invoices.check_pdf(upload.content)
    # The bytes are kept before the row that names them: a crash in between leaves a file that nobody knows, never a
    # row without its file.
    key = call.files.put(upload.content, invoice.suffix)
    digest = hashlib.sha256(upload.content).digest()
    row = InvoiceRow(call.number, number, key, invoice.media_type, len(upload.content), digest)
    stored = False
    try:
        with call.transaction() as tx:
            stored = invoices.add(tx, call.shop, row, call.clock, call.config.invoice_quota_bytes)
    finally:
        if not stored:
            call.files.delete(key)
    return Answer(b"", "text/plain")


@endpoint("GET", "order/{orderNumber}/invoice/{invoiceNumber}")
def read_invoice(call: ApiCall) -> Answer:
    """Our addition: the stored file, as an attachment. An order whose number looks like such a path is read first."""
    whole = f"{call.number}/invoice/{call.params['invoiceNumber']}"
    if orders.exists(call.tx, call.shop, whole):
        return read_order(replace(call, params={"orderNumber": whole}))
    row = find(call.tx, ShopId(call.shop.id), call.number, call.params["invoiceNumber"])
    if row is None:
        orders.require(call.tx, call.shop, call.number)
        raise ApiRefused(404, f"Invoice '{call.params['invoiceNumber']}' not found")
    with call.files.open(row.file_key) as stream:
        content = stream.read()
    name = "".join(char if char.isascii() and char.isalnum() else "_" for char in row.invoice_number)
    disposition = f'attachment; filename="{name}"'
    return Answer(
        content, row.media_type, (("Content-Disposition", disposition), ("Content-Security-Policy", "sandbox"))
    )
