"""The electronic invoice within a PDF: ZUGFeRD and Factur-X attach it as XML (PDF/A-3)."""

from __future__ import annotations

from typing import Any, BinaryIO, Final

import pikepdf

from paymatch.domain.words.message import Message
from paymatch.formats.statement import FileRefused

NAMES: Final = ("factur-x.xml", "zugferd-invoice.xml", "xrechnung.xml")
"""How the standards call the attachment; some programs write it in capitals."""
MAX_XML_BYTES: Final = 10_000_000
_MAX_ATTACHED: Final = 100


def xml_in_pdf(stream: BinaryIO) -> bytes | None:
    """The attached electronic invoice; None if there is none. FileRefused if it is too large or cannot be unpacked."""
    with pikepdf.open(stream, suppress_warnings=True) as pdf:
        attached = {_name(key, file): file for key, file in list(pdf.attachments.items())[:_MAX_ATTACHED]}
        for name in NAMES:
            if name in attached:
                return _content(name, attached[name])
    return None


def _name(key: str, file: Any) -> str:
    return (file.filename or key).lower()


def _content(name: str, file: Any) -> bytes:
    try:
        content: bytes = file.get_file().read_bytes()
    except (pikepdf.PdfError, ValueError):
        raise FileRefused(Message("attachment-broken", name=name)) from None
    if len(content) > MAX_XML_BYTES:
        raise FileRefused(Message("attachment-large", name=name, megabytes=MAX_XML_BYTES // 1_000_000))
    return content
