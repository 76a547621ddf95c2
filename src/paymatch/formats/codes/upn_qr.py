"""Slovenian payment code: UPN QR (Bank Association of Slovenia, technical standard of the UPN QR form)."""

from __future__ import annotations

from typing import Final

import segno

from paymatch.domain.bank_accounts import is_creditor_reference
from paymatch.formats.codes.payments import CodedPayment, field
from paymatch.formats.codes.pictures import qr_code

ENCODING: Final = "iso-8859-2"
_VERSION: Final = 15  # of the QR code: fixed by the standard, as is error correction M
_AMOUNT_MAX: Final = 99_999_999_999  # eleven digits
_NO_REFERENCE: Final = "SI99"
_FIELDS_BEFORE_SUM: Final = 19


def upn_text(payment: CodedPayment) -> str:
    """What the code says: 19 fields, their checksum, and the reserve; the payer's own fields are left for the payer.

    PaymentCodeRefused unless the account is Slovenian and the amount EUR 0.01 to 999999999.99.
    """
    structured = is_creditor_reference(payment.reference)
    fields = [
        "UPNQR",
        *("", "", "", ""),  # payer's IBAN, deposit, withdrawal, payer's reference
        *("", "", ""),  # payer's name, street, place
        f"{payment.amount_of('EUR', _AMOUNT_MAX):011d}",
        "",  # date of payment
        "",  # urgent
        "OTHR",
        _write_fields(payment.remittance, 42),
        f"{payment.pay_by:%d.%m.%Y}" if payment.pay_by else "",
        payment.iban("SI"),
        payment.compact_reference if structured else _NO_REFERENCE,
        _write_fields(payment.name, 33),
        _write_fields(payment.street, 33),
        _write_fields(payment.place, 33),
    ]
    assert len(fields) == _FIELDS_BEFORE_SUM
    lines = "".join(f"{each}\n" for each in fields)
    return f"{lines}{len(lines):03d}\n"


def qr(text: str) -> segno.QRCode:
    """The text as the standard wants it: version 15, ISO 8859-2 named by its ECI designator."""
    return qr_code(text, encoding=ENCODING, version=_VERSION, names_encoding=True)


def _write_fields(text: str, most: int) -> str:
    """The field with a question mark for what ISO 8859-2 cannot write."""
    return field(text, most).encode(ENCODING, "replace").decode(ENCODING)
