"""docs/api.md, Invoices and Images, with D-9 and D-16: invoice files in, images for payment out."""

from __future__ import annotations

import base64
import errno
import os
import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
import zxingcpp

from paymatch.outbound.files import Files
from tests.contract.bank import pay
from tests.contract.client import Reply, ShopClient, encoded
from tests.formats.codes.png import grey, read_code

N = "IV-80001"
PDF = (
    b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
    b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]>>endobj\n"
    b"xref\n0 4\n0000000000 65535 f \n0000000009 00000 n \n0000000052 00000 n \n0000000101 00000 n \n"
    b"trailer<</Size 4/Root 1 0 R>>\nstartxref\n164\n%%EOF\n"
)
IBAN = "DE89370400440532013000"


def png() -> bytes:
    """A picture of one pixel."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    head = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    parts = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"\0\0")) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + parts


def form(content: bytes, *, field: str = "file", name: str = "invoice.pdf", boundary: str = "xxBOUNDARYxx") -> bytes:
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="{field}"; filename="{name}"\r\n'
    return head.encode() + b"Content-Type: application/pdf\r\n\r\n" + content + f"\r\n--{boundary}--\r\n".encode()


def upload(shop: ShopClient, body: bytes, invoice: str = "RE-1", *, number: str = N, media: str = "") -> Reply:
    media = media or "multipart/form-data; boundary=xxBOUNDARYxx"
    return shop.post(f"order/{encoded(number)}/invoice/{encoded(invoice)}", body, content_type=media)


def stored_files(files: Files) -> int:
    root: Path = files._root  # type: ignore[attr-defined]
    return sum(1 for path in root.rglob("*") if path.is_file())


@pytest.mark.parametrize("content", [PDF, png()], ids=["pdf", "png"])
def test_08_upload_answers_an_empty_body_and_keeps_the_file(shop: ShopClient, content: bytes) -> None:
    shop.submit(N)
    reply = upload(shop, form(content))
    assert (reply.status, reply.body, reply.headers["Content-Length"]) == (200, b"", "0")
    assert shop.count("invoices") == 1
    read = shop.get(f"order/{N}/invoice/RE-1")
    assert (read.status, read.body) == (200, content)
    assert read.headers["Content-Disposition"] == f'attachment; filename="RE-1.{"pdf" if content is PDF else "png"}"'
    assert read.headers["X-Content-Type-Options"] == "nosniff"
    assert read.headers["Content-Security-Policy"] == "sandbox"


@pytest.mark.parametrize("before", [b"", b"\r\n", b"This is a message of several parts.\r\n", b"--xxBOUNDARY\r\n"])
def test_08_what_stands_before_the_first_boundary_is_ignored(shop: ShopClient, before: bytes) -> None:  # RFC 2046
    shop.submit(N)
    assert upload(shop, before + form(PDF)).status == 200
    assert shop.get(f"order/{N}/invoice/RE-1").body == PDF


def test_08_full_disk_keeps_nothing_and_says_to_try_again(
    shop: ShopClient, files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    shop.submit(N)
    before = stored_files(files)
    with monkeypatch.context() as filled:
        filled.setattr(os, "fsync", full)
        reply = upload(shop, form(PDF))
    assert reply.error == (503, "The storage of files takes nothing at the moment, please retry")
    assert reply.headers["Retry-After"] == "2"
    assert (shop.count("invoices"), stored_files(files)) == (0, before)
    assert upload(shop, form(PDF)).status == 200


def test_08_repeated_upload_is_silently_ignored(shop: ShopClient, files: Files) -> None:
    shop.submit(N)
    upload(shop, form(PDF))
    before = stored_files(files)
    with shop.unchanged():
        assert upload(shop, form(png())).status == 200
    assert shop.get(f"order/{N}/invoice/RE-1").body == PDF
    assert stored_files(files) == before
    assert upload(shop, form(png()), "RE-2").status == 200
    assert shop.count("invoices") == 2


@pytest.mark.parametrize("invoice", ["RE/2026/1", "a#b%c d", "ü" * 128, "invoice"])
def test_08_invoice_number_of_any_characters(shop: ShopClient, invoice: str) -> None:
    shop.submit("a/b ü")
    assert upload(shop, form(PDF), invoice, number="a/b ü").status == 200
    assert shop.rows("SELECT order_number, invoice_number FROM invoices WHERE shop_id = $1") == [("a/b ü", invoice)]
    assert shop.get(f"order/{encoded('a/b ü')}/invoice/{encoded(invoice)}").body == PDF


def test_08_too_long_invoice_number_is_refused(shop: ShopClient) -> None:
    shop.submit(N)
    with shop.unchanged():
        assert upload(shop, form(PDF), "x" * 129).error == (400, "Parameter invoiceNumber too long (max 128)")


NO_FILE = [
    (b"", "multipart/form-data; boundary=xxBOUNDARYxx"), (form(PDF), "application/json"), (form(PDF), "text/plain"),
    (form(PDF, field="other"), ""), (form(PDF), "multipart/form-data"), (form(PDF, boundary="another"), ""),
    (b"--xxBOUNDARYxx--\r\n", ""), (b"garbage", ""), (form(PDF)[:60], ""), (b"\x00\xff" * 100, ""),
    (b'--xxBOUNDARYxx\r\nContent-Disposition: form-data; name="file"\r\n\r\nplain field\r\n--xxBOUNDARYxx--\r\n', ""),
    (b"--xxBOUNDARYxx\r\n\r\nno header\r\n--xxBOUNDARYxx--\r\n", ""),
    (form(PDF), "multipart/form-data; boundary=" + "x" * 5000), (form(PDF), "multipart/form-data; boundary=\xff"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "media"), NO_FILE, ids=range(len(NO_FILE)))
def test_08_file_missing(shop: ShopClient, files: Files, body: bytes, media: str) -> None:
    shop.submit(N)
    before = stored_files(files)
    with shop.unchanged():
        assert upload(shop, body, media=media).error == (400, "File missing")
    assert stored_files(files) == before


UNREADABLE = "multipart/form-data that can be read: "


@pytest.mark.parametrize(
    ("body", "media", "expected"),
    [
        (form(PDF), "application/json", "multipart/form-data with the part 'file'"),
        (form(PDF, field="other"), "", "the part 'file' with a file in it"),
        (
            b"--xxBOUNDARYxx\r\n\r\nno header\r\n--xxBOUNDARYxx--\r\n",
            "",
            UNREADABLE + 'Field name not found in Content-Disposition: "None"',
        ),
        (b"garbage", "", UNREADABLE + "Expected boundary character 45, got 103 at index 2"),
    ],
    ids=["media type", "other part", "no header", "garbage"],
)
def test_08_the_part_that_cannot_be_read_is_named(shop: ShopClient, body: bytes, media: str, expected: str) -> None:
    shop.submit(N)
    refused = upload(shop, body, media=media).json
    assert refused == {"error": "File missing", "parameter": "file", "expected": expected}


@pytest.mark.parametrize(("body", "media"), [*NO_FILE, (form(b""), "")], ids=range(len(NO_FILE) + 1))
def test_08_a_repeat_is_ignored_before_its_file_is_looked_at(shop: ShopClient, body: bytes, media: str) -> None:
    shop.submit(N)
    upload(shop, form(PDF))
    with shop.unchanged():
        repeated = upload(shop, body, media=media)
    assert (repeated.status, repeated.body) == (200, b"")
    assert shop.get(f"order/{N}/invoice/RE-1").body == PDF


@pytest.mark.parametrize("more", ["", "; filename*=UTF-8''Rechnung.pdf"])
def test_08_file_needs_no_name(shop: ShopClient, more: str) -> None:
    shop.submit(N)
    named = b'; filename="invoice.pdf"'
    assert upload(shop, form(PDF).replace(named, more.encode())).status == 200
    assert shop.get(f"order/{N}/invoice/RE-1").body == PDF
    with shop.unchanged():
        assert upload(shop, form(b"").replace(named, more.encode()), "RE-2").error == (400, "File size 0")


def test_08_file_size_0(shop: ShopClient) -> None:
    shop.submit(N)
    with shop.unchanged():
        assert upload(shop, form(b"")).error == (400, "File size 0")


def test_08_file_too_large(shop: ShopClient) -> None:  # D-16
    shop.submit(N)
    with shop.unchanged():
        assert upload(shop, form(PDF + b" " * 10_000_000)).error == (400, "File too large")
        reply = shop.post(
            f"order/{N}/invoice/RE-1", b"", content_type="multipart/form-data; boundary=x", content_length="200000000"
        )
        assert reply.error == (400, "File too large")


@pytest.mark.parametrize("content", [b"MZ\x90\x00", b"<html>%PDF-1.4</html>", b"PK\x03\x04", b"%PDF-1.4", b"hello"])
def test_08_file_type_not_allowed(shop: ShopClient, files: Files, content: bytes) -> None:  # D-16
    shop.submit(N)
    before = stored_files(files)
    with shop.unchanged():
        assert upload(shop, form(content)).error == (400, "File type not allowed")
    assert stored_files(files) == before


def test_08_order_not_found_answers_before_the_file(shop: ShopClient) -> None:
    assert upload(shop, b"").error == (404, f"Order '{N}' not found")


def test_08_unknown_invoice_is_not_found(shop: ShopClient) -> None:
    assert shop.get(f"order/{N}/invoice/RE-1").error == (404, f"Order '{N}' not found")
    shop.submit(N)
    assert shop.get(f"order/{N}/invoice/RE-1").error == (404, "Invoice 'RE-1' not found")


@pytest.fixture
def payee(make_shop: Callable[..., ShopClient]) -> ShopClient:
    return make_shop(ibans=[IBAN])


def test_13_image_is_a_qr_code_with_the_open_amount(payee: ShopClient) -> None:  # D-9
    payee.submit(N, amount=100)
    pay(payee, N, 4000)
    reply = payee.get(f"image/{N}")
    assert reply.status == 200
    assert (reply.json["type"], reply.json["format"]) == ("QRCODE", "png")
    lines = read_code(base64.b64decode(reply.json["data"])).splitlines()
    assert lines[:4] == ["BCD", "002", "1", "SCT"]
    assert lines[5:8] == ["Contract shop", IBAN, "EUR60.00"]
    assert lines[9].startswith("RF")
    assert payee.get(f"image/{N}?type=QRCODE").body == reply.body


def test_13_accept_asks_for_the_raw_image(payee: ShopClient) -> None:  # D-9
    payee.submit(N)
    raw = payee.get(f"image/{N}", accept="image/png")
    assert raw.headers["Content-Type"] == "image/png"
    assert raw.body == base64.b64decode(payee.get(f"image/{N}").json["data"])
    svg = payee.get(f"image/{N}", accept="image/svg+xml")
    assert svg.headers["Content-Type"] == "image/svg+xml"
    assert b"<svg" in svg.body


@pytest.mark.parametrize("kind", ["qrcode", "BARCODE", "%00"])
def test_13_unknown_type_is_refused(payee: ShopClient, kind: str) -> None:  # D-22
    assert payee.get(f"image/{N}?type={kind}").error == (404, f"Order '{N}' not found")
    payee.submit(N)
    assert payee.get(f"image/{N}?type={kind}").error == (400, "Parameter type is not valid")


@pytest.mark.parametrize("action", ["setpaid", "cancel"])
def test_13_nothing_payable_is_refused(payee: ShopClient, action: str) -> None:  # D-9
    payee.submit(N)
    status = payee.post(f"order/{N}/{action}").json["paymentStatus"]
    assert payee.get(f"image/{N}").error == (400, f"Nothing payable (status {status})")


def test_13_order_not_found(payee: ShopClient) -> None:
    assert payee.get(f"image/{N}").error == (404, f"Order '{N}' not found")


def test_13_account_that_nobody_confirmed_is_in_no_image(shop: ShopClient) -> None:  # D-24
    shop.submit(N, amount=100)
    pay(shop, N, 4000)
    error = (400, "Image not possible: the shop has no bank account in EUR")
    assert shop.get(f"image/{N}").error == error


def test_13_currency_without_an_account_or_a_code_is_refused(payee: ShopClient) -> None:
    payee.submit(N, currency="USD")
    assert payee.get(f"image/{N}").error == (400, "Image not possible: the shop has no bank account in USD")


@pytest.mark.parametrize(
    ("iban", "currency", "kind", "begins"),
    [
        ("CZ6508000000192000145399", "CZK", "QRCODE", "SPD*1.0*ACC:CZ65"),
        ("RS35260005601001611379", "RSD", "QRCODE", "K:PR|V:01|C:1|R:260005601001611379"),
        ("CH5800791123000889012", "CHF", "QRCODE", "SPC\r\n0200\r\n1\r\nCH5800791123000889012"),
        ("SI56263300012039086", "EUR", "QRCODE", "BCD\n002\n1\nSCT"),
        ("SI56263300012039086", "EUR", "NATIONAL", "UPNQR\n"),
        ("HR1210010051863000160", "EUR", "NATIONAL", "HRVHUB30\nEUR\n"),
        ("SK3112000000198742637541", "EUR", "NATIONAL", "04"),
        ("CH5800791123000889012", "CHF", "PAYMENTSLIP", "SPC\r\n0200"),
    ],
)
def test_13_code_of_the_account(
    make_shop: Callable[..., ShopClient], iban: str, currency: str, kind: str, begins: str
) -> None:  # D-9
    shop = make_shop(ibans=[iban], currency=currency, country=iban[:2])
    shop.change(postcode="8000", city="Zürich")
    shop.submit(N, currency=currency)
    (found,) = zxingcpp.read_barcodes(grey(shop.get(f"image/{N}?type={kind}", accept="image/png").body))
    assert found.bytes.startswith(begins.encode())
    pdf = shop.get(f"image/{N}?type={kind}", accept="application/pdf")
    assert pdf.headers["Content-Type"] == "application/pdf"
    assert pdf.body.startswith(b"%PDF-")


def test_13_country_without_a_code_is_refused(payee: ShopClient) -> None:
    payee.submit(N)
    text = "Image not possible: no payment code for EUR on accounts in DE"
    assert payee.get(f"image/{N}?type=NATIONAL").error == (400, text)


def test_08_first_invoice_goes_by_letter_if_the_shop_is_configured_for_it(shop: ShopClient) -> None:  # D-52
    """Once per order: not for a repeated upload, not for a second invoice, not without letters=on."""
    shop.submit(N)
    upload(shop, form(PDF), "RE-0")
    assert shop.count("letters") == 0
    shop.change(letters="on")
    other = "IV-80002"
    shop.submit(other, billing={"lastName": "Muster", "street": "Weg 1", "city": "Köln", "countryCode": "DE"})
    for invoice in ("RE-1", "RE-1", "RE-2"):
        assert upload(shop, form(PDF), invoice, number=other).body == b""
    upload(shop, form(PDF), "RE-00")  # its first one came before letters were on
    found = shop.rows("SELECT order_number, invoice_number, kind, status FROM letters WHERE shop_id = $1")
    assert found == [(other, "RE-1", "INVOICE", "NEW")]


def test_02_reminders_by_letter_are_told_apart(shop: ShopClient) -> None:
    shop.submit(N)
    shop.run(
        "INSERT INTO reminders (shop_id, order_number, dunning_level, sent_date, fee_minor, email, letter)"
        " VALUES ($1, $2, 1, '2026-03-02', 250, false, true)",
        N,
    )
    (found,) = shop.read(N, "includePaymentReminders=true")["paymentReminders"]
    assert (found["email"], found["letter"], found["reminderFee"]) == (False, True, "2.50")
