"""An uploaded invoice as a process of its own looks at it: why it must not be kept, and the terms that it states."""

from __future__ import annotations

from io import BytesIO
from typing import Any, BinaryIO

import msgspec

from paymatch.domain.orders.invoice_terms import InvoiceTerms
from paymatch.formats.einvoices.in_pdf import xml_in_pdf
from paymatch.formats.einvoices.reading import read_einvoice
from paymatch.formats.invoice_pdf import inspect
from paymatch.formats.statement import FileRefused


class ExaminedInvoice(msgspec.Struct, frozen=True, omit_defaults=True):
    """`why_not` says why the file must not be kept. `terms` are what it states; `unread` why that cannot be read."""

    why_not: str = ""
    terms: InvoiceTerms | None = None
    unread: str = ""


def examine_pdf(files: list[BinaryIO], tell: object) -> Any:
    """A PDF; one whose attached invoice cannot be read is kept like a PDF without one."""
    why = inspect(files, tell)
    if why:
        return msgspec.to_builtins(ExaminedInvoice(why_not=why))
    files[0].seek(0)
    try:
        attached = xml_in_pdf(files[0])
        terms = None if attached is None else read_einvoice(BytesIO(attached))
    except FileRefused as error:
        return msgspec.to_builtins(ExaminedInvoice(unread=str(error)))
    return msgspec.to_builtins(ExaminedInvoice(terms=terms))


def examine_xml(files: list[BinaryIO], _tell: object) -> Any:
    """An XML file: it is an electronic invoice, or it is refused."""
    try:
        return msgspec.to_builtins(ExaminedInvoice(terms=read_einvoice(files[0])))
    except FileRefused as error:
        return msgspec.to_builtins(ExaminedInvoice(why_not=str(error)))
