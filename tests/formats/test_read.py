"""Files are recognised by content, bundles opened within limits."""
# ruff: noqa: E501  # a case per line

from __future__ import annotations

import gzip
import io
import struct
import zipfile
from collections.abc import Iterator

import pytest

from paymatch.formats.bundle import BundleLimits, members_of, unpack_gzip
from paymatch.formats.read import TABLE, read_statements, recognise
from paymatch.formats.statement import Entry, FileRefused
from tests.formats.camt.camt_samples import GERMAN, camt053, simple_entry

CAMT = camt053(GERMAN)
MT940 = ":20:STARTUMSE\r\n:25:10020030/1234567\r\n:28C:00001/001\r\n:60F:C260302EUR1,00\r\n:62F:C260302EUR1,00\r\n-"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (CAMT.encode(), "camt.053"),
        (b"\xef\xbb\xbf \r\n" + CAMT.encode(), "camt.053"),
        (f'<?xml version="1.0" encoding="UTF-16"?>{CAMT}'.encode("utf-16"), "camt.053"),
        (CAMT.encode("utf-16-be"), "camt.053"),
        (f'<?xml version="1.0" encoding="ISO-8859-1"?><!-- ä --><?x y?>{CAMT}'.encode("latin-1"), "camt.053"),
        (CAMT.replace("BkToCstmrStmt", "BkToCstmrAcctRptV01").encode(), "camt.052"),
        (CAMT.replace("</", "</n:").replace("<B", "<n:B").replace("BkToCstmrStmt", "BkToCstmrDbtCdtNtfctn").encode(), "camt.054"),
        (f"<Env><AppHdr>{'<x/>' * 100}</AppHdr>{CAMT}</Env>".encode(), "camt.053"),
        (MT940.encode(), "MT940"),
        (b"{1:F01BANKDEFFXXXX0000000000}{2:I940BANKDEFFXXXXN}{4:\r\n" + MT940.encode() + b"}", "MT940"),
        (b"ABNANL2A\r\n940\r\nABNANL2A\r\n" + MT940.encode(), "MT940"),
        (b"\r\n\r\n  " + MT940.replace("\r\n", "\n").encode(), "MT940"),
        (b":60F:C100318EUR380115,12\r\n", "MT940"),
        (b"{1:F01X}{2:O9421200260302BANK}{4:\r\n:20:X\r\n", "MT942"),
        (b":20:X\r\n:25:1/2\r\n:28C:1\r\n:34F:EUR0,\r\n:13D:2603021200+0100\r\n:61:260302C1,00NTRF\r\n", "MT942"),
        ("Datum;Text;Betrag\r\n02.03.2026;Müller;1,00\r\n".encode("cp1252"), "CSV"),
        (b'"Date","Amount","Text"\n', "CSV"),
        (b'Date,Text,Amount\n2026-03-10,A,"1,234.56"\n2026-03-10,Fee,-5.00\n', "CSV"),
        (b'Date,Text,Amount\n2026-03-10,A,"1,234.56"\n', "CSV"),
        ("Date\tAmount\n1\t2\n".encode("utf-16"), "CSV"),
        (b"OFXHEADER:100\nDATA:OFXSGML\n\n<OFX><X>", "OFX"),
        (b'<?xml version="1.0"?>\n<?OFX OFXHEADER="200"?>\n<OFX></OFX>', "OFX"),
        (b"<OFX></OFX>", "OFX"),
    ],
)  # fmt: skip
def test_a_format_is_recognised_by_its_content(content: bytes, expected: str) -> None:
    """And the stream's position is unchanged."""
    stream = io.BytesIO(content)
    found = recognise(stream)
    assert found is not None
    assert found.name == expected
    assert stream.tell() == 0


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "the file is empty"),
        (b"\xef\xbb\xbf \r\n", "the file is empty"),
        (b"%PDF-1.7 ...", "the file is a PDF document"),
        (b"\x1f\x8b\x08", "the file is compressed by gzip within another archive"),
        (b"\xd0\xcf\x11\xe0\xa1", "the file is an old Excel or Word document"),
        (b"\x89PNG\r\n", "the file is a picture"),
        (CAMT.replace("BkToCstmrStmt", "CstmrCdtTrfInitn").encode(), "the file is a payment order (pain.001)"),
        (CAMT.replace("BkToCstmrStmt", "CstmrPmtStsRpt").encode(), "the file is a payment status report (pain.002)"),
        (b"<rss></rss>", "the file is XML with the root element rss"),
        (b"<!DOCTYPE html><html></html>", "the file is a web page"),
        (b"<!DOCTYPE Document []><Document/>", "line 1: <!DOCTYPE is not allowed"),
        (b"< 5 EUR; 1", "line 1: the file begins like XML but is not XML"),
        (b'{"entries": [1, 2]}', "the file is JSON"),
        (b"Dear Sir or Madam\nplease find\n", "the file is neither camt, MT940, OFX, ZIP, gzip nor a table"),
        (b"!Type:Bank\nD20/11/2026\nT1,234.50\nT2,0,0\n^\n", "the file is a QIF file; ask the bank for camt.053"),
        (b"{\\rtf1 Kontoauszug}", "the file is an RTF document"),
        (b"0000020112672505" + b" " * 111 + b"2\r\n1" + b"0" * 127 + b"\r\n", "the file is a Belgian CODA file"),
        (b"0130004" + b" " * 113 + b"\n0430004" + b" " * 113 + b"\n", "the file is a French CFONB file"),
        (b"11004900015000123456261101261120200000000100000978300SHOP\r\n", "the file is a Spanish file of Norma 43"),
        (b" RH03069SHOP 201126RHFILE\r\n 610000001\r\n", "the file is an Italian CBI file"),
        (b"Received: from bank\r\nSubject: 1, 2, 3\r\n\r\na, b, c\r\n", "the file is a mail"),
        (b"From: shop@example.org\r\nSubject: 1, 2, 3\r\n\r\na, b, c\r\n", "the file is a mail"),
        (
            b'<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.060.001.03"><AcctRptgReq/></Document>',
            "the file is the message camt.060, not a bank statement",
        ),
        (b"MZ\x90\x00\x03\x00;\x00;\n;\x00;", "the file is binary and of no known format"),
    ],
)
def test_what_is_no_bank_file_is_called_by_its_name(content: bytes, reason: str) -> None:
    with pytest.raises(FileRefused) as refusal:
        recognise(io.BytesIO(content))
    assert str(refusal.value).startswith(reason)


def test_a_table_that_begins_with_its_period_is_no_mail() -> None:
    table = b"From: 01/11/2026 to 20/11/2026\n\nDate;Text;Amount\n20/11/2026;a;5.00\n"
    assert recognise(io.BytesIO(table)) is TABLE


def _zip(*members: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> io.BytesIO:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as bundle:
        for name, content in members:
            bundle.writestr(name, content)
    stream.seek(0)
    return stream


def _amounts(stream: io.BytesIO) -> Iterator[tuple[str, list[int]]]:
    for name, events in read_statements(stream, "upload"):
        yield name, [event.amount_minor for event in events if isinstance(event, Entry)]


def test_a_bundle_gives_its_members_in_order() -> None:
    """Without folders, side files and the PDF prints of the same statements."""
    stream = _zip(
        ("day/", b""), ("day/1.xml", camt053(simple_entry("1.00")).encode()), ("1.pdf", b"%PDF-1.4"),
        ("__MACOSX/x", b"?"), (".DS_Store", b"?"), ("day/._1.xml", b"?"), ("desktop.ini", b"?"), ("day/1.xml.p7s", b"?"),
        ("2.dat", camt053(simple_entry("2.00")).encode("utf-16")),
    )  # fmt: skip
    assert list(_amounts(stream)) == [("day/1.xml", [100]), ("2.dat", [200])]
    assert list(_amounts(io.BytesIO(CAMT.encode()))) == [("upload", [1990])]


def _flagged_encrypted() -> io.BytesIO:
    data = bytearray(_zip(("a.xml", b"x")).getvalue())
    data[data.index(b"PK\x01\x02") + 8] |= 1
    return io.BytesIO(bytes(data))


def _with_count(count: int) -> io.BytesIO:
    data = bytearray(_zip(("a.xml", b"x")).getvalue())
    struct.pack_into("<H", data, data.rindex(b"PK\x05\x06") + 10, count)
    return io.BytesIO(bytes(data))


def _damaged() -> io.BytesIO:
    data = bytearray(_zip(("a.xml", CAMT.encode()), method=zipfile.ZIP_STORED).getvalue())
    data[data.index(b"19.90")] = ord("9")
    return io.BytesIO(bytes(data))


@pytest.mark.parametrize(
    ("stream", "reason"),
    [
        (_zip(*[(f"{n}.xml", b"x") for n in range(101)]), "the ZIP bundle has more than 100 members"),
        (_with_count(60_000), "the ZIP bundle has more than 100 members"),
        (_zip(("a.xml", b"\0" * 2_000_000)), "a.xml: unpacks to more than 100 times its packed size"),
        (_zip(("a.zip", _zip(("b.xml", CAMT.encode())).getvalue())), "a.zip: a ZIP bundle within another archive is not opened"),
        (_zip(("../a.xml", CAMT.encode())), "the ZIP bundle has a member whose name leads elsewhere: '../a.xml'"),
        (_zip(("/a.xml", CAMT.encode())), "the ZIP bundle has a member whose name leads elsewhere"),
        (_zip(("c:\\a.xml", CAMT.encode())), "the ZIP bundle has a member whose name leads elsewhere"),
        (_flagged_encrypted(), "a.xml: is encrypted"),
        (_zip(("a.xml", b"x"), method=zipfile.ZIP_BZIP2), "a.xml: is packed by a method that is not accepted"),
        (_zip(("[Content_Types].xml", b"x"), ("word/document.xml", b"x")), "the file is an Office document"),
        (_zip(("[Content_Types].xml", b"x"), ("xl/workbook.xml", b"x")), "the workbook is damaged"),
        (_zip(("a.xlsx", _zip(("xl/workbook.xml", b"<a/>")).getvalue())), "a.xlsx: the workbook is empty"),
        (_zip(("a.pdf", b"%PDF-1.4")), "the ZIP bundle contains PDF documents only"),
        (_zip(), "the ZIP bundle is empty"),
        (_zip(("a.txt", b"hello")), "a.txt: the file is neither"),
        (_zip(("a.xml", CAMT.encode()[:-9])), "a.xml: line 8: the XML is broken"),
        (_damaged(), "the ZIP bundle is damaged: Bad CRC-32 for file 'a.xml'"),
        (io.BytesIO(b"PK\x03\x04" + b"\0" * 50), "the ZIP bundle is damaged: it has no end"),
    ],
)  # fmt: skip
def test_a_bundle_beyond_its_limits_is_refused(stream: io.BytesIO, reason: str) -> None:
    """Limits are those of the directory, before anything is unpacked."""
    with pytest.raises(FileRefused) as refusal:
        list(_amounts(stream))
    assert str(refusal.value).startswith(reason)


def test_a_bundle_cut_off_or_changed_anywhere_is_refused_or_read() -> None:
    content = _zip(("a.xml", CAMT.encode()), ("b.xml", CAMT.encode())).getvalue()
    whole = [("a.xml", [1990]), ("b.xml", [1990])]
    for length in range(len(content)):
        with pytest.raises(FileRefused):
            list(_amounts(io.BytesIO(content[:length])))
    for place in range(0, len(content), 3):
        changed = bytearray(content)
        changed[place] ^= 0x55
        try:
            found = list(_amounts(io.BytesIO(bytes(changed))))
        except FileRefused:
            continue
        assert [amounts for _, amounts in found] == [amounts for _, amounts in whole]


def test_gzip_of_one_file_is_read_like_the_file() -> None:
    packed = gzip.compress(CAMT.encode())
    assert list(_amounts(io.BytesIO(packed))) == [("upload", [1990])]
    halves = gzip.compress(CAMT.encode()[:99]) + gzip.compress(CAMT.encode()[99:])  # RFC 1952: members follow another
    assert list(_amounts(io.BytesIO(halves))) == [("upload", [1990])]


_PACKED = gzip.compress(CAMT.encode())


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"\x1f\x8b", "the gzip file is damaged"),
        (gzip.compress(b""), "the file is empty"),
        (_PACKED + b"x", "the gzip file is damaged"),
        (gzip.compress(b"\0" * 3_000_000), "the gzip file unpacks to more than 100 times its packed size"),
        (gzip.compress(_PACKED), "the file is compressed by gzip within another archive"),
        (gzip.compress(_zip(("a.xml", CAMT.encode())).getvalue()), "a ZIP bundle within another archive is not opened"),
        (_zip(("a.xml.gz", _PACKED)).getvalue(), "a.xml.gz: the file is compressed by gzip within another archive"),
        (gzip.compress(b"%PDF-1.7 ..."), "the file is a PDF document"),
    ],
)
def test_gzip_is_refused_with_the_reason(content: bytes, reason: str) -> None:
    with pytest.raises(FileRefused) as refusal:
        list(_amounts(io.BytesIO(content)))
    assert str(refusal.value).startswith(reason)


def test_gzip_cut_off_or_changed_anywhere_is_refused_or_read() -> None:
    for length in range(1, len(_PACKED)):
        with pytest.raises(FileRefused):
            list(_amounts(io.BytesIO(_PACKED[:length])))
    for place in range(len(_PACKED)):
        changed = bytearray(_PACKED)
        changed[place] ^= 0x55
        try:
            found = list(_amounts(io.BytesIO(bytes(changed))))
        except FileRefused:
            continue
        assert found == [("upload", [1990])]


def test_gzip_has_the_limit_of_a_member() -> None:
    packed = io.BytesIO(gzip.compress(bytes(range(256)) * 12_000, compresslevel=0))
    with pytest.raises(FileRefused) as refusal:
        unpack_gzip(packed, BundleLimits(member_bytes=2_000_000))
    assert str(refusal.value) == "the gzip file unpacks to more than 1 MB"


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        (BundleLimits(member_bytes=2_000_000), "a.xml: unpacks to more than 1 MB"),
        (BundleLimits(total_bytes=4_000_000), "the ZIP bundle unpacks to more than 3 MB"),
        (BundleLimits(members=1), "the ZIP bundle has more than 1 members"),
    ],
)
def test_limits_can_be_set(limits: BundleLimits, reason: str) -> None:
    stream = _zip(("a.xml", b"x" * 3_000_000), ("b.xml", b"x" * 3_000_000), method=zipfile.ZIP_STORED)
    with pytest.raises(FileRefused) as refusal:
        list(members_of(stream, limits))
    assert str(refusal.value) == reason
    assert BundleLimits() == BundleLimits(members=100, member_bytes=52_428_800, total_bytes=209_715_200, ratio=100)
