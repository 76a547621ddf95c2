"""Slovak payment code: PAY by square 1.1 (Slovak Banking Association): fields, checksum, LZMA, base 32."""

from __future__ import annotations

import lzma
import struct
import zlib
from typing import Final

from paymatch.domain.money import minor_to_text
from paymatch.formats.codes.payments import CodedPayment, field

_HEADER: Final = bytes((0x01, 0x00))
"""Four times four bits: type 0 (PAY), version 1 (1.1.0, with the payee's name), document type 0, reserved."""
_LZMA: Final = ({"id": lzma.FILTER_LZMA1, "lc": 3, "lp": 0, "pb": 2, "dict_size": 128 * 1024},)
_DIGITS: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUV"
_AMOUNT_MAX: Final = 99_999_999_999_999  # 15 characters


def pay_by_square_text(payment: CodedPayment) -> str:
    """What the code says. The reference is the originator's reference information, and in the note for the payer.

    PaymentCodeRefused unless the account is Slovak and the amount EUR.
    """
    content = "\t".join(_fields(payment)).encode()
    checked = struct.pack("<I", zlib.crc32(content)) + content
    packed = lzma.compress(checked, format=lzma.FORMAT_RAW, filters=list(_LZMA))
    return _base32(_HEADER + struct.pack("<H", len(checked)) + packed)


def _fields(payment: CodedPayment) -> tuple[str, ...]:
    amount = payment.amount_of("EUR", _AMOUNT_MAX)
    return (
        "",  # invoice id
        "1",  # payments
        "1",  # a payment order
        minor_to_text(amount, payment.amount.currency),
        "EUR",
        f"{payment.pay_by:%Y%m%d}" if payment.pay_by else "",
        "",  # variable symbol: digits only
        "",  # constant symbol
        "",  # specific symbol
        field(payment.compact_reference, 35),
        field(payment.remittance, 140),
        "1",  # accounts
        payment.iban("SK"),
        payment.payee.bic.replace(" ", "").upper(),
        "0",  # no standing order
        "0",  # no direct debit
        field(payment.name, 70),
        field(payment.street, 70),
        field(payment.place, 70),
    )


def _base32(content: bytes) -> str:
    """Five bits a digit, 0 to V (base32hex without padding, RFC 4648), filled up with zeros on the right."""
    bits = "".join(f"{byte:08b}" for byte in content)
    bits += "0" * (-len(bits) % 5)
    return "".join(_DIGITS[int(bits[place : place + 5], 2)] for place in range(0, len(bits), 5))
