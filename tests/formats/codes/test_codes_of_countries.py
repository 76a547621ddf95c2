"""Payment codes of CZ, HR, RS, SI and SK: drawn, read back by an independent reader, compared field by field."""

from __future__ import annotations

import io
import lzma
import struct
import zlib
from dataclasses import replace
from typing import Any

import pikepdf
import pytest
import zxingcpp

from paymatch.domain.money import Currency, Money
from paymatch.formats.codes.choice import OF_COUNTRY, Code, CodeKind, usual_kind, write_code
from paymatch.formats.codes.epc_qr import Payee, PaymentCodeRefused
from paymatch.formats.codes.payments import CodedPayment
from paymatch.formats.codes.pictures import svg_pdf, svg_png
from tests.formats.codes.png import grey

REFERENCE = "RF18539007547034"
NAME = "Štěpán | Žlutý * Łódź\t& synové 100 %"
ACCOUNTS = {
    "CZ": ("CZ65 0800 0000 1920 0014 5399", "CZK"),
    "HR": ("HR12 1001 0051 8630 0016 0", "EUR"),
    "RS": ("RS35 2600 0560 1001 6113 79", "RSD"),
    "SI": ("SI56 2633 0001 2039 086", "EUR"),
    "SK": ("SK31 1200 0000 1987 4263 7541", "EUR"),
}


def payment(country: str) -> CodedPayment:
    iban, currency = ACCOUNTS[country]
    amount = Money(123450, Currency(currency))
    return CodedPayment(Payee(NAME, iban, "TATRSKBX"), amount, "RF18 5390 0754 7034", "Ulica 1", "10000 Mesto", "No. 7")


def read(code: Code) -> Any:
    """What the reader finds in the PNG; the same must be in the SVG."""
    (found,) = zxingcpp.read_barcodes(grey(code.png()))
    (drawn,) = zxingcpp.read_barcodes(grey(svg_png(code.svg(), 60, dpi=300)))
    assert (drawn.bytes, drawn.format) == (found.bytes, found.format)
    return found


def written(country: str) -> Code:
    return write_code(OF_COUNTRY[country, ACCOUNTS[country][1]], payment(country))


def test_spayd() -> None:
    found = read(written("CZ"))
    assert found.ec_level == "M"
    assert found.text.split("*") == [
        "SPD",
        "1.0",
        "ACC:CZ6508000000192000145399+TATRSKBX",
        "AM:1234.50",
        "CC:CZK",
        "RN:Štěpán | Žlutý %2A Łódź & synové 100",  # cut to 35 characters before it is escaped
        f"MSG:{REFERENCE} No. 7",
    ]


def sk_fields(text: str) -> list[str]:
    """The reader's way: base 32, the header of an .lzma file in front with the length known, the checksum."""
    bits = "".join(f"{'0123456789ABCDEFGHIJKLMNOPQRSTUV'.index(digit):05b}" for digit in text)
    content = bytes(int(bits[place : place + 8], 2) for place in range(0, len(bits) // 8 * 8, 8))
    assert content[:2] == b"\x01\x00"
    size = struct.unpack("<H", content[2:4])[0]
    header = b"\x5d" + struct.pack("<IQ", 128 * 1024, size)  # lc=3, lp=0, pb=2
    body = lzma.LZMADecompressor(lzma.FORMAT_ALONE).decompress(header + content[4:])
    assert len(body) == size
    assert struct.unpack("<I", body[:4])[0] == zlib.crc32(body[4:])
    return body[4:].decode().split("\t")


def test_pay_by_square() -> None:
    assert sk_fields(read(written("SK")).text) == [
        *["", "1", "1", "1234.50", "EUR", "", "", "", "", REFERENCE, f"{REFERENCE} No. 7"],
        *["1", "SK3112000000198742637541", "TATRSKBX", "0", "0"],
        *["Štěpán | Žlutý * Łódź & synové 100 %", "Ulica 1", "10000 Mesto"],
    ]


def test_upn_qr() -> None:
    found = read(written("SI"))
    assert (found.ec_level, found.extra["Version"]) == ("M", "15")
    lines = found.text.split("\n")  # by the ECI designator in the code
    assert lines == [
        *["UPNQR", "", "", "", "", "", "", "", "00000123450", "", "", "OTHR", f"{REFERENCE} No. 7", ""],
        *["SI56263300012039086", REFERENCE, "Štěpán | Žlutý * Łódź & synové 10", "Ulica 1", "10000 Mesto"],
        *["147", ""],
    ]
    assert int(lines[19]) == sum(len(line) + 1 for line in lines[:19])
    foreign = replace(payment("SI"), payee=replace(payment("SI").payee, name="Åsa"), reference="R-7")
    assert read(write_code(CodeKind.UPN_QR, foreign)).text.split("\n")[15:17] == ["SI99", "?sa"]


def test_hub3() -> None:
    found = read(written("HR"))
    assert str(found.format) == "PDF417"
    assert found.bytes.decode().split("\n") == [
        *["HRVHUB30", "EUR", "000000000123450", "", "", ""],
        *["Štěpán | Žlutý * Łódź & s", "Ulica 1", "10000 Mesto", "HR1210010051863000160"],
        *["HR99", "", "OTHR", f"{REFERENCE} No. 7", ""],
    ]


def test_nbs_ips() -> None:
    found = read(written("RS"))
    assert dict(field.split(":", 1) for field in found.text.split("|")) == {
        "K": "PR", "V": "01", "C": "1", "R": "260005601001611379", "I": "RSD1234,50", "SF": "221",
        "N": "Štěpán / Žlutý * Łódź & synové 100 %\nUlica 1\n10000 Mesto", "S": f"{REFERENCE} No. 7",
    }  # fmt: skip


LONG = "Žluťoučký kůň " * 12


def fields_of(country: str, code: Code) -> list[str]:
    """The fields as the country's standard parts them, read from the picture."""
    found = read(code)
    if country == "SK":
        return sk_fields(found.text)
    text = found.bytes.decode() if country == "HR" else found.text
    return str(text).split({"CZ": "*", "RS": "|"}.get(country, "\n"))


@pytest.mark.parametrize(
    ("country", "place", "begins", "most"),
    [("CZ", 5, "RN:", 35), ("HR", 6, "", 25), ("RS", 4, "N:", 70), ("SI", 16, "", 33), ("SK", 16, "", 70)],
)
def test_long_names_are_cut_and_a_missing_bic_is_left_out(country: str, place: int, begins: str, most: int) -> None:
    good = payment(country)
    long = replace(good, payee=Payee(LONG, good.payee.iban), street=LONG, place=LONG, text=LONG)
    kind = OF_COUNTRY[country, ACCOUNTS[country][1]]
    fields = fields_of(country, write_code(kind, long))
    assert fields[place].split("\n")[0] == begins + LONG[:most].rstrip()
    assert len(fields) == len(fields_of(country, write_code(kind, good)))
    assert not any("TATRSKBX" in each for each in fields)


@pytest.mark.parametrize(("country", "place", "amount"), [
    ("CZ", 3, "AM:9999999.99"), ("HR", 2, "999999999999999"), ("RS", 5, "I:RSD999999999999,99"),
    ("SI", 8, "99999999999"), ("SK", 3, "999999999999.99"),
])  # fmt: skip
def test_the_largest_and_the_smallest_amount_and_a_name_in_cyrillic(country: str, place: int, amount: str) -> None:
    good, kind = payment(country), OF_COUNTRY[country, ACCOUNTS[country][1]]
    digits = int("".join(char for char in amount if char.isdigit()))
    largest = replace(good, amount=replace(good.amount, minor=digits), payee=replace(good.payee, name="Петар Петровић"))
    fields = fields_of(country, write_code(kind, largest))
    assert fields[place] == amount
    name = "????? ????????" if country == "SI" else "Петар Петровић"  # ISO 8859-2 has no Cyrillic
    assert any(name in field for field in fields)
    smallest = fields_of(country, write_code(kind, replace(good, amount=replace(good.amount, minor=1))))
    assert int("".join(char for char in smallest[place] if char.isdigit())) == 1
    with pytest.raises(PaymentCodeRefused):
        write_code(kind, replace(largest, amount=replace(good.amount, minor=digits + 1)))


@pytest.mark.parametrize("country", ACCOUNTS)
def test_what_a_code_does_not_take(country: str) -> None:
    kind, good = OF_COUNTRY[country, ACCOUNTS[country][1]], payment(country)
    for bad in (
        replace(good, amount=Money(0, good.amount.currency)),
        replace(good, amount=Money(10**16, good.amount.currency)),
        replace(good, amount=Money(1, Currency("USD"))),
        replace(good, payee=replace(good.payee, name=" \n")),
        replace(good, payee=replace(good.payee, iban="DE89370400440532013000")),
        replace(good, payee=replace(good.payee, iban=good.payee.iban[:-1] + str(9 - int(good.payee.iban[-1])))),
    ):
        with pytest.raises(PaymentCodeRefused):
            write_code(kind, bad)


@pytest.mark.parametrize(
    ("country", "currency", "kind"),
    [
        ("DE", "EUR", CodeKind.EPC),
        ("SK", "EUR", CodeKind.EPC),  # D-9: QRCODE is the SEPA code wherever there is one
        ("CZ", "EUR", CodeKind.EPC),
        ("CZ", "CZK", CodeKind.SPAYD),
        ("RS", "RSD", CodeKind.NBS_IPS),
        ("DE", "CZK", None),
        ("PL", "PLN", None),
    ],
)
def test_which_code_is_usual(country: str, currency: str, kind: CodeKind | None) -> None:
    assert usual_kind(country, currency) is kind


def test_a_picture_as_pdf_has_its_own_size() -> None:
    with pikepdf.open(io.BytesIO(svg_pdf(written("SI").svg(), 60))) as pdf:
        (page,) = pdf.pages
        assert [round(float(edge) / 72 * 25.4) for edge in page.mediabox] == [0, 0, 60, 60]
