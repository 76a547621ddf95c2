"""Which payment code an account has: the SEPA code for EUR, else that of its country (D-9)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import segno

from paymatch.domain.money import EUR
from paymatch.formats.codes import hub3, nbs_ips, pay_by_square, spayd, upn_qr
from paymatch.formats.codes.epc_qr import epc_text
from paymatch.formats.codes.payments import CodedPayment
from paymatch.formats.codes.pictures import qr_code, qr_png, qr_svg


class CodeKind(StrEnum):
    """Payment codes that are text in a picture; the Swiss QR-bill is a slip of its own."""

    EPC = "EPC069-12"
    SPAYD = "SPAYD"
    PAY_BY_SQUARE = "PAY by square"
    UPN_QR = "UPN QR"
    HUB3 = "HUB-3"
    NBS_IPS = "NBS IPS"

    @property
    def width_mm(self) -> float:
        """How wide it is printed: a PDF417 is wide, and a UPN QR always has 77 modules."""
        return {CodeKind.HUB3: 62.0, CodeKind.UPN_QR: 44.0}.get(self, 38.0)

    @property
    def carries_address(self) -> bool:
        """Whether the code has the payee's street and place."""
        return self not in (CodeKind.EPC, CodeKind.SPAYD)


OF_COUNTRY: Final[Mapping[tuple[str, str], CodeKind]] = {
    ("CZ", "CZK"): CodeKind.SPAYD,
    ("HR", "EUR"): CodeKind.HUB3,
    ("RS", "RSD"): CodeKind.NBS_IPS,
    ("SI", "EUR"): CodeKind.UPN_QR,
    ("SK", "EUR"): CodeKind.PAY_BY_SQUARE,
}
"""(country of the account, currency) -> the code that banking apps of the country read."""

_TEXT: Final[Mapping[CodeKind, Callable[[CodedPayment], str]]] = {
    CodeKind.EPC: lambda payment: epc_text(payment.payee, payment.amount, payment.reference),
    CodeKind.SPAYD: spayd.spayd_text,
    CodeKind.PAY_BY_SQUARE: pay_by_square.pay_by_square_text,
    CodeKind.UPN_QR: upn_qr.upn_text,
    CodeKind.HUB3: hub3.hub3_text,
    CodeKind.NBS_IPS: nbs_ips.nbs_text,
}


@dataclass(frozen=True, slots=True)
class Code:
    """A payment code: its kind and what it says."""

    kind: CodeKind
    text: str

    def png(self, scale: int = 8) -> bytes:
        """The code as PNG, `scale` pixels per module."""
        return hub3.hub3_png(self.text, scale) if self.kind is CodeKind.HUB3 else qr_png(self._qr(), scale)

    def svg(self) -> bytes:
        """The code as SVG, to be drawn in any size."""
        return hub3.hub3_svg(self.text) if self.kind is CodeKind.HUB3 else qr_svg(self._qr())

    def _qr(self) -> segno.QRCode:
        return upn_qr.qr(self.text) if self.kind is CodeKind.UPN_QR else qr_code(self.text)


def usual_kind(country: str, currency: str) -> CodeKind | None:
    """The code that is shown by default: EPC069-12 for EUR, else the country's; None if there is neither."""
    return CodeKind.EPC if currency == EUR else OF_COUNTRY.get((country, currency))


def write_code(kind: CodeKind, payment: CodedPayment) -> Code:
    """The code of a payment; PaymentCodeRefused if it takes no such payment."""
    return Code(kind, _TEXT[kind](payment))
