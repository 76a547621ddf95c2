"""The SEPA payment code: text after EPC069-12 version 002, and its QR code (D-9)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from paymatch.domain.bank_accounts import IbanRefused, is_creditor_reference, registered_iban
from paymatch.domain.money import EUR, Money, minor_to_text
from paymatch.domain.refusal import Refused
from paymatch.domain.words.message import Message, Sum
from paymatch.formats.codes.pictures import qr_code, qr_png, qr_svg

_BYTES_MAX: Final = 331  # EPC069-12: what QR version 13 holds at error correction M
_NEEDS_BIC: Final = frozenset({"AD", "AL", "CH", "GB", "LI", "MC", "MD", "ME", "MK", "RS", "SM", "VA"})
"""SEPA outside the European Economic Area, where version 002 wants the BIC; and LI, whose banks are reached by SIC."""
_NAME_MAX: Final = 70
_TEXT_MAX: Final = 140
_AMOUNT_MAX: Final = 99_999_999_999  # EUR 999999999.99


class PaymentCodeRefused(Refused):
    """This payment cannot have such a code; the text says why."""


@dataclass(frozen=True, slots=True)
class Payee:
    """Who is paid, and where. The BIC may be empty within the SEPA area."""

    name: str
    iban: str
    bic: str = ""


def epc_text(payee: Payee, amount: Money, reference: str) -> str:
    """What the code says. An ISO 11649 `reference` goes into its own field, any other into the remittance text.

    PaymentCodeRefused unless the amount is EUR 0.01 to 999999999.99 and name, IBAN and reference fit.
    """
    if amount.currency != EUR:
        raise PaymentCodeRefused(Message("payment-code-sepa-code-knows-eur", currency=amount.currency))
    if not 0 < amount.minor <= _AMOUNT_MAX:
        raise PaymentCodeRefused(Message("payment-code-sepa-code-takes-0", amount=Sum(amount.minor, amount.currency)))
    structured = is_creditor_reference(reference)
    text = "" if structured else one_line(reference)
    if len(text) > _TEXT_MAX:
        raise PaymentCodeRefused(
            Message("payment-code-reference-characters-most-fit", length=len(text), text_max=_TEXT_MAX)
        )
    fields = [
        "BCD",
        "002",
        "1",  # UTF-8
        "SCT",
        _bic(payee),
        _name(payee.name),
        checked_iban(payee.iban),
        f"EUR{minor_to_text(amount.minor, EUR)}",
        "",  # purpose
        reference.replace(" ", "").upper() if structured else "",
        text,
    ]
    code = "\n".join(fields).rstrip("\n")
    size = len(code.encode())
    if size > _BYTES_MAX:
        raise PaymentCodeRefused(Message("payment-code-name-reference-take-too", size=size, most=_BYTES_MAX))
    return code


def epc_png(text: str, scale: int = 8) -> bytes:
    """The QR code of an `epc_text` as PNG, `scale` pixels per module."""
    return qr_png(qr_code(text), scale)


def epc_svg(text: str) -> bytes:
    """The QR code of an `epc_text` as SVG with a viewBox, to be drawn in any size."""
    return qr_svg(qr_code(text))


def checked_iban(text: str) -> str:
    """The IBAN without spaces; PaymentCodeRefused if its country, length or check digits are wrong."""
    try:
        return registered_iban(text).iban
    except IbanRefused as error:
        raise PaymentCodeRefused(Message("payment-code-account-shop-not-valid", error=str(error))) from error


def one_line(text: str) -> str:
    """The text with every run of spaces and line breaks as one space: a field of a code is one line."""
    return " ".join(text.split())


def _bic(payee: Payee) -> str:
    """The BIC; outside the European Economic Area a code without one is refused by banks, so none is made."""
    iban, bic = checked_iban(payee.iban), payee.bic.replace(" ", "").upper()
    if bic or iban[:2] not in _NEEDS_BIC:
        return bic
    known = registered_iban(iban).bic
    if not known:
        raise PaymentCodeRefused(Message("payment-code-bic-shop-bank-unknown", iban=iban[:2]))
    return known


def _name(text: str) -> str:
    name = one_line(text)[:_NAME_MAX].rstrip()
    if not name:
        raise PaymentCodeRefused(Message("payment-code-shop-no-account-holder"))
    return name
