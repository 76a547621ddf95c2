"""Invoice files (D-16)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from paymatch.api import errors
from paymatch.api.body.multipart import file_part
from paymatch.api.call import ApiAnswer, ApiCall, known_order
from paymatch.api.contents import BINARY, NOTHING, file_body, json_of
from paymatch.api.endpoints.orders import read_order
from paymatch.api.parameters import IncludeFlags
from paymatch.api.refusals import LOCKED, ORDER_UNKNOWN, TOO_LONG, ours
from paymatch.api.router import endpoint
from paymatch.api.sections import INVOICES
from paymatch.formats.contract.json_schema import ref
from paymatch.formats.contract.values import missing_parameter, reference
from paymatch.formats.invoice_file import FILE_TOO_LARGE, FILE_TYPE_NOT_ALLOWED, check_invoice, file_stem
from paymatch.store.orders.invoices import InvoiceRow, find, is_known
from paymatch.usecases.orders import invoices, orders

UPLOAD_LIMIT: Final = 101 * 1000 * 1000
"""Bytes of a request body: the largest invoice that the setting allows, and its envelope."""


def _numbered_file(call: ApiCall) -> tuple[str, Callable[[], bytes]]:
    """The invoice's number, and how its file is read: a repeat for a known number is ignored before that."""
    number = reference("invoiceNumber", call.params["invoiceNumber"])
    if number is None:
        raise missing_parameter("invoiceNumber")
    return number, lambda: file_part(call.headers.get("content-type", ""), call.body).content


@endpoint(
    "POST",
    "order/{orderNumber}/invoice/{invoiceNumber}",
    INVOICES,
    "Upload an invoice",
    "PDF, PNG, JPEG or XRechnung (XML in UBL or CII). A repeated upload for the same invoice number is silently"
    " ignored."
    " The terms of an XRechnung, and of a ZUGFeRD or Factur-X invoice in a PDF, fill what the order leaves empty.",
    body=file_body(_numbered_file, UPLOAD_LIMIT, refusals=(TOO_LONG,), too_large=FILE_TOO_LARGE),
    answer=NOTHING,
    refusals=(
        ORDER_UNKNOWN,
        LOCKED,
        ours(400, FILE_TOO_LARGE, "Invoice larger than the setting allows."),
        ours(400, FILE_TYPE_NOT_ALLOWED, "Invoice that is not a PDF, PNG, JPEG or electronic invoice by its content."),
        ours(
            400,
            "File not allowed: <why>",
            "PDF with JavaScript, actions that start programs or files that are not XML; encrypted or broken. XML that"
            " cannot be read, with the line or the business term.",
        ),
        ours(
            400,
            "Invoices of this shop take too much room (max <n> MB)",
            "The shop's invoices would take more than the operator allows.",
        ),
        ours(503, errors.FILES_AWAY, "The disk of files is full, or the bucket does not answer; nothing is kept."),
    ),
    needs=known_order,
    detached=True,
    repeatable=True,
)
def upload_invoice(call: ApiCall, body: tuple[str, Callable[[], bytes]]) -> ApiAnswer:
    """Stores the file (D-16); a repeat is silently ignored. Checks: order, number, repeat, file."""
    number, read_file = body
    with call.transaction() as tx:
        if is_known(tx, call.number, number):
            return ApiAnswer(b"", "text/plain")
    content = read_file()
    invoice = check_invoice(content, call.config.invoice_max_bytes)
    with call.transaction() as tx:
        invoices.check_quota(tx, len(content), call.config.invoice_quota_bytes)
    examined = invoices.examine(content, invoice)
    # The bytes are kept before the row that names them: a crash in between leaves an orphaned file, never a row without
    # its file.
    key = call.files.put(content, invoice.suffix)
    digest = hashlib.sha256(content).digest()
    row = InvoiceRow(call.number, number, key, invoice.media_type, len(content), digest)
    stored = False
    try:
        with call.transaction() as tx:
            stored = invoices.add(tx, row, call.config.invoice_quota_bytes, examined)
    finally:
        if not stored:
            call.files.delete(key)
    return ApiAnswer(b"", "text/plain")


@endpoint(
    "GET",
    "order/{orderNumber}/invoice/{invoiceNumber}",
    INVOICES,
    "Download an invoice",
    "The stored file as an attachment.",
    answer={
        "application/pdf": {"schema": BINARY},
        "image/png": {"schema": BINARY},
        "image/jpeg": {"schema": BINARY},
        "application/xml": {"schema": BINARY},
        **json_of(ref("Order")),  # an order whose number looks like this path
    },
    refusals=(ORDER_UNKNOWN, ours(404, "Invoice '<n>' not found", "The order has no such invoice.")),
)
def read_invoice(call: ApiCall) -> ApiAnswer:
    """Our addition: the stored file, as an attachment. An order whose number looks like such a path is read first."""
    whole = f"{call.number}/invoice/{call.params['invoiceNumber']}"
    if orders.exists(call.tx, whole):
        return read_order(replace(call, params={"orderNumber": whole}), IncludeFlags())
    row = find(call.tx, call.number, call.params["invoiceNumber"])
    if row is None:
        orders.require(call.tx, call.number)
        raise invoices.InvoiceUnknown(call.params["invoiceNumber"])
    with call.files.open(row.file_key) as stream:
        content = stream.read()
    name = f"{file_stem(row.invoice_number)}.{row.file_key.rpartition('.')[2]}"
    disposition = f'attachment; filename="{name}"'
    return ApiAnswer(
        content, row.media_type, (("Content-Disposition", disposition), ("Content-Security-Policy", "sandbox"))
    )
