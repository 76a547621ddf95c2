"""The text layer of a PDF, line by line; scanned pages have none, and none is guessed."""

from __future__ import annotations

from typing import Final

import pypdfium2

from paymatch.domain.words.message import Message
from paymatch.formats.statement import FileRefused

MAX_PAGES: Final = 200
_MOST: Final = 2_000_000


def is_pdf(data: bytes) -> bool:
    """True if the bytes begin a PDF."""
    return data[:1024].lstrip().startswith(b"%PDF")


def text_of_pdf(data: bytes) -> str:
    """The text of all pages; FileRefused if it is encrypted, damaged, too long or without text."""
    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        raise FileRefused(Message("pdf-unreadable", error=" ".join(str(error).split())[:100])) from None
    try:
        if len(document) > MAX_PAGES:
            raise FileRefused(Message("pdf-pages", count=MAX_PAGES))
        text = "\n".join(_text_of_page(document[place]) for place in range(len(document)))
    except pypdfium2.PdfiumError as error:
        raise FileRefused(Message("pdf-unreadable", error=" ".join(str(error).split())[:100])) from None
    finally:
        document.close()
    if not text.strip():
        raise FileRefused(Message("pdf-picture"))
    return text[:_MOST]


def _text_of_page(page: pypdfium2.PdfPage) -> str:
    text_page = page.get_textpage()
    try:
        return str(text_page.get_text_bounded()).replace("\r\n", "\n").replace("\x00", "")
    finally:
        text_page.close()
        page.close()
