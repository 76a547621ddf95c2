"""Invoices are recognised by their content (D-16)."""

from __future__ import annotations

import struct
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paymatch.formats.codes.epc_qr import epc_png
from paymatch.formats.invoice_file import FileType, InvoiceRefused, check_invoice

PDF = (
    b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\n"
    b"xref\n0 3\n0000000000 65535 f \n0000000009 00000 n \n0000000053 00000 n \n"
    b"trailer<</Size 3/Root 1 0 R>>\nstartxref\n101\n%%EOF\n"
)
PNG = epc_png("an invoice")


def _segment(marker: int, content: bytes) -> bytes:
    return bytes([0xFF, marker]) + struct.pack(">H", len(content) + 2) + content


def _jpeg(width: int = 8, height: int = 8) -> bytes:
    frame = b"\x08" + struct.pack(">HH", height, width) + b"\x01\x01\x11\x00"
    return b"".join(
        [
            b"\xff\xd8",
            _segment(0xE0, b"JFIF\0\x01\x01\0\0\x01\0\x01\0\0"),
            _segment(0xDB, bytes(65)),
            b"\xff" + _segment(0xC0, frame),
            _segment(0xDA, b"\x01\x01\0\0\x3f\0"),
            b"\x12\x34\xff\xd9",
        ]
    )


def _png(width: int, height: int) -> bytes:
    header = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    chunks = [header, b"IDAT" + zlib.compress(b"\0"), b"IEND"]
    body = b"".join(
        struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk)) for chunk in chunks
    )
    return b"\x89PNG\r\n\x1a\n" + body


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (PDF, FileType.PDF),
        (b"\r\n" + PDF, FileType.PDF),
        (b"\xef\xbb\xbf" + PDF + b"\0" * 500, FileType.PDF),
        (PDF.replace(b"%PDF-1.4", b"%PDF-2.0"), FileType.PDF),
        (PNG, FileType.PNG),
        (_png(2480, 3508), FileType.PNG),
        (_jpeg(), FileType.JPEG),
        (_jpeg() + b"\0\n", FileType.JPEG),
    ],
)
def test_accepted(data: bytes, expected: FileType) -> None:
    assert check_invoice(data, len(data)) is expected


@pytest.mark.parametrize(
    ("data", "max_bytes", "text"),
    [
        (None, 0, "File missing"),
        (b"", 0, "File size 0"),
        (PDF, len(PDF) - 1, "File too large"),
        (b"x" * 11, 10, "File too large"),
        (b"MZ\x90\0", 100, "File type not allowed"),
        (b"<html>%PDF-1.4</html>", 100, "File type not allowed"),
        (b"<script>1</script>" + PDF, 1000, "File type not allowed"),
        (PDF[:-40], 1000, "File type not allowed"),
        (PDF.replace(b"\n101\n", b"\n99999\n"), 1000, "File type not allowed"),
        (b"%PDF-1.4 startxref 0 %%EOF", 1000, "File type not allowed"),
        (PNG[:-12], 10_000, "File type not allowed"),
        (PNG[:8], 10_000, "File type not allowed"),
        (PNG + PDF, 10_000, "File type not allowed"),
        (_png(0, 10), 10_000, "File type not allowed"),
        (_png(100_000, 100_000), 10_000, "File type not allowed"),
        (_jpeg(65535, 65535), 10_000, "File type not allowed"),
        (_jpeg(0, 8), 10_000, "File type not allowed"),
        (_jpeg()[:-2], 10_000, "File type not allowed"),
        (b"\xff\xd8\xff\xd9", 10_000, "File type not allowed"),
        (b"GIF89a", 10_000, "File type not allowed"),
        (b"PK\x03\x04", 10_000, "File type not allowed"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", 10_000, "File type not allowed"),
    ],
)
def test_refused(data: bytes | None, max_bytes: int, text: str) -> None:
    with pytest.raises(InvoiceRefused) as refused:
        check_invoice(data, max_bytes)
    assert str(refused.value) == text


@given(
    head=st.sampled_from([b"", PNG[:8], PNG[:33], b"\xff\xd8\xff", _jpeg()[:30], b"%PDF-1.7\n"]),
    body=st.binary(max_size=200),
    tail=st.sampled_from([b"", b"\xff\xd9", b"\0\0\0\0IEND\xaeB`\x82", b"startxref\n5\n%%EOF"]),
)
def test_any_bytes_get_an_answer(head: bytes, body: bytes, tail: bytes) -> None:
    try:
        found = check_invoice(head + body + tail, 1000)
    except InvoiceRefused as refused:
        assert str(refused) in {"File size 0", "File type not allowed"}
    else:
        assert found in set(FileType)


def test_media_types() -> None:
    assert [each.media_type for each in FileType] == ["application/pdf", "image/png", "image/jpeg", "application/xml"]
