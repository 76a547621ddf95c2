"""Invoices as files: which types are accepted, recognised by content and never by name (D-16)."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from enum import StrEnum
from typing import Final

from paymatch.domain.refusal import Refused
from paymatch.domain.words.message import Message

FILE_MISSING: Final = Message("invoice-file-missing")
FILE_EMPTY: Final = Message("invoice-file-empty")
FILE_TOO_LARGE: Final = Message("invoice-file-too-large")
FILE_TYPE_NOT_ALLOWED: Final = Message("invoice-file-type")

_PDF_HEAD_WITHIN: Final = 1024  # ISO 32000-1, annex H: readers accept the header within the first 1024 bytes
_PDF_END_WITHIN: Final = 2048
_ZIP_END_WITHIN: Final = 22 + 65_535  # APPNOTE 4.3.16: the end record and its comment
_XML_HEAD_WITHIN: Final = 8192  # generators write comments in front of the root element
_INVOICE_ROOT: Final = re.compile(
    rb"<(?:\w{1,40}:)?(?:Invoice|CreditNote|CrossIndustryInvoice|CrossIndustryDocument)[\s>]"
)
_PIXELS_MAX: Final = 200_000_000  # a page of A4 at 1200 dpi has 139 million


class InvoiceRefused(Refused):
    """The file is not taken; the text is the API's."""

    def __init__(self, message: Message, *, expected: str = "") -> None:
        super().__init__(message, parameter="file", expected=expected)


class FileType(StrEnum):
    """What an invoice may be; the value is the file's extension."""

    PDF = "pdf"
    PNG = "png"
    JPEG = "jpg"
    XML = "xml"

    @property
    def suffix(self) -> str:
        return self.value

    @property
    def media_type(self) -> str:
        return _MEDIA[self]


_MEDIA: Final = {
    FileType.PDF: "application/pdf",
    FileType.PNG: "image/png",
    FileType.JPEG: "image/jpeg",
    FileType.XML: "application/xml",
}


def file_stem(number: str) -> str:
    """The file name for a document with this number, without its extension: valid on every system."""
    stem = "".join(char if char.isascii() and (char.isalnum() or char in "-_.") else "_" for char in number)
    return stem.strip(".")[:80] or "invoice"


def check_invoice(data: bytes | None, max_bytes: int) -> FileType:
    """The type of an acceptable invoice.

    InvoiceRefused in this order: `File missing` (None), `File size 0`, `File too large`, `File type not allowed`.
    The structure is checked without decompression: a decompression bomb does no harm here.
    """
    if data is None:
        raise InvoiceRefused(FILE_MISSING)
    if not data:
        raise InvoiceRefused(FILE_EMPTY)
    if len(data) > max_bytes:
        raise InvoiceRefused(FILE_TOO_LARGE)
    for file_type, looks_like in _LOOKS.items():
        if looks_like(data) and not _is_archive_too(data):
            return file_type
    raise InvoiceRefused(FILE_TYPE_NOT_ALLOWED, expected=_expected_type(data))


def _expected_type(data: bytes) -> str:
    """What a file should be that is none of the types: which part of it is wrong, where it begins like one of them."""
    if data[:8] == b"\x89PNG\r\n\x1a\n":
        return "a whole PNG: its header, its chunks or the end (IEND) are broken or missing"
    if data[:3] == b"\xff\xd8\xff":
        return "a whole JPEG: its segments, the frame or the end mark are broken or missing"
    if b"%PDF-" not in data[:_PDF_HEAD_WITHIN]:
        return "a PDF, PNG, JPEG or XRechnung (UBL or CII) by its content"
    if data[: data.find(b"%PDF-")].strip(b"\xef\xbb\xbf \t\r\n\0"):
        return "a PDF that begins with %PDF-: something else is in front of it"
    tail = data[-_PDF_END_WITHIN:]
    if b"%%EOF" not in tail:
        return "a whole PDF: the end (%%EOF) is missing, the file is cut"
    if tail[tail.rfind(b"%%EOF") + len(b"%%EOF") :].strip(b"\0 \t\r\n"):
        return "a PDF that ends with %%EOF: something else is behind it"
    return "a whole PDF: its cross reference (startxref) or its objects are missing"


def _is_archive_too(data: bytes) -> bool:
    """Whether the file can be opened as a ZIP (and a program in it be run): its directory ends at the file's end."""
    place = data.rfind(b"PK\x05\x06", max(0, len(data) - _ZIP_END_WITHIN))
    return place >= 0 and place + 22 + int.from_bytes(data[place + 20 : place + 22], "little") == len(data)


def _is_pdf(data: bytes) -> bool:
    """A header, an end, and where the cross reference begins: a table, or an object that is a stream of it."""
    if re.search(rb"%PDF-[12]\.\d", data[:_PDF_HEAD_WITHIN]) is None:
        return False
    tail = data[-_PDF_END_WITHIN:]
    end = tail.rfind(b"%%EOF")
    found = re.findall(rb"startxref\s+(\d{1,10})\s+%%EOF", tail)
    if end < 0 or not found:
        return False
    # A file that is neither a page of text nor an image can carry a PDF around itself (an HTML page, a program).
    lead = data[: data.find(b"%PDF-")].lstrip(b"\xef\xbb\xbf \t\r\n\0")
    if tail[end + len(b"%%EOF") :].strip(b"\0 \t\r\n"):
        return False  # what follows is for another program
    return not lead and int(found[-1]) < len(data) and b" obj" in data


def _is_png(data: bytes) -> bool:
    """Signature, header first with sane dimensions, chunks that fill the file exactly, the end last."""
    if data[:8] != b"\x89PNG\r\n\x1a\n" or data[12:16] != b"IHDR" or len(data) < 33:
        return False
    width, height = struct.unpack(">II", data[16:24])
    if not 0 < width * height <= _PIXELS_MAX:
        return False
    place, names = 8, []
    while place + 12 <= len(data) and b"IEND" not in names:
        size = int.from_bytes(data[place : place + 4], "big")
        names.append(data[place + 4 : place + 8])
        place += size + 12
    return place <= len(data) and names[-1] == b"IEND" and b"IDAT" in names and not data[place:].strip(b"\0\r\n")


def _is_jpeg(data: bytes) -> bool:
    """Start, a walk along the segments to the frame (with sane dimensions) and on to the scan, the end mark."""
    if data[:3] != b"\xff\xd8\xff" or b"\xff\xd9" not in data[-64:]:
        return False
    place, framed = 2, False
    while place + 4 <= len(data):
        if data[place] != 0xFF:
            return False
        marker = data[place + 1]
        if marker == 0xFF:  # fill byte
            place += 1
            continue
        if marker == 0xDA:  # start of scan: compressed data from here on
            return framed
        size = int.from_bytes(data[place + 2 : place + 4], "big")
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", data[place + 5 : place + 9].ljust(4, b"\0"))
            framed = width > 0 and height * width <= _PIXELS_MAX
        place += 2 + size
        if size < 2:
            return False
    return False


def _is_invoice_xml(data: bytes) -> bool:
    """The beginning of an XML file whose root element is an electronic invoice's; what it says is read elsewhere."""
    head = data[:_XML_HEAD_WITHIN]
    for mark, codec in ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        if head.startswith(mark):
            head = head[2:].decode(codec, "replace").encode()
    head = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    return head.startswith(b"<") and _INVOICE_ROOT.search(head) is not None


_LOOKS: Final[dict[FileType, Callable[[bytes], bool]]] = {
    FileType.PDF: _is_pdf,
    FileType.PNG: _is_png,
    FileType.JPEG: _is_jpeg,
    FileType.XML: _is_invoice_xml,
}
