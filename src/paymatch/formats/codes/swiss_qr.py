"""The Swiss QR-bill as a picture: payment part with receipt (Swiss Implementation Guidelines QR-bill 2.3; D-9)."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import Final

import qrbill
import typst

from paymatch.domain.money import Money, minor_to_text
from paymatch.formats.codes.epc_qr import PaymentCodeRefused, checked_iban, one_line

_CURRENCIES: Final = frozenset({"CHF", "EUR"})
_LANGUAGES: Final = frozenset({"de", "en", "fr", "it"})
_AMOUNT_MAX: Final = 99_999_999_999  # 999999999.99
_TEXT_MAX: Final = 140
_PAGE: Final = b"""#set page(width: 210mm, height: 105mm, margin: 0pt)
#image(bytes(sys.inputs.slip), format: "svg", width: 210mm)"""


@dataclass(frozen=True, slots=True)
class SwissAddress:
    """A structured address: since November 2025 the only kind that Swiss banks take."""

    name: str
    postcode: str
    city: str
    country: str  # ISO 3166 alpha-2
    street: str = ""
    house_number: str = ""


@dataclass(frozen=True, slots=True)
class SwissBill:
    """What is asked for. A QR-IBAN wants a QRR reference; any other IBAN an ISO 11649 reference, or none and a text."""

    iban: str
    creditor: SwissAddress
    amount: Money
    reference: str
    debtor: SwissAddress | None = None
    text: str = ""


def swiss_text(bill: SwissBill) -> str:
    """What the QR code of the bill says; PaymentCodeRefused where the guidelines allow no such bill."""
    return str(_bill(bill, "en", lines=True).qr_data())


def slip_svg(bill: SwissBill, language: str = "en", *, lines: bool = True) -> bytes:
    """The slip, 210 x 105 mm. `lines=False` leaves out the lines to cut along: for paper that is perforated there.

    Languages are de, en, fr and it; any other falls back to en. PaymentCodeRefused like `swiss_text`.
    """
    out = io.StringIO()
    _bill(bill, language if language in _LANGUAGES else "en", lines=lines).as_svg(out)
    return out.getvalue().encode()


def slip_png(svg: bytes, dpi: int = 200) -> bytes:
    """A `slip_svg` as PNG. Letters are those of the system's Arial or Helvetica where it has one."""
    picture = typst.compile(_PAGE, format="png", ppi=dpi, sys_inputs={"slip": svg.decode()})
    assert isinstance(picture, bytes), "the slip is one page"
    return picture


def _bill(bill: SwissBill, language: str, *, lines: bool) -> qrbill.QRBill:
    if bill.amount.currency not in _CURRENCIES:
        raise PaymentCodeRefused(f"the Swiss QR-bill knows CHF and EUR only, not {bill.amount.currency}")
    if not 0 < bill.amount.minor <= _AMOUNT_MAX:
        raise PaymentCodeRefused(f"the Swiss QR-bill takes 0.01 to 999999999.99, not {bill.amount}")
    try:
        return qrbill.QRBill(
            account=checked_iban(bill.iban),
            creditor=_address(bill.creditor),
            debtor=_address(bill.debtor) if bill.debtor else None,
            amount=minor_to_text(bill.amount.minor, bill.amount.currency),
            currency=bill.amount.currency,
            reference_number=bill.reference or None,
            additional_information=one_line(bill.text)[:_TEXT_MAX],
            language=language,
            top_line=lines,
            payment_line=lines,
        )
    except ValueError as error:
        raise PaymentCodeRefused(str(error)) from error


def _address(address: SwissAddress) -> dict[str, str]:
    """The address cut to the lengths of the guidelines, table 6."""
    return {
        "name": one_line(address.name)[:70],
        "street": one_line(address.street)[:70],
        "house_num": one_line(address.house_number)[:16],
        "pcode": one_line(address.postcode)[:16],
        "city": one_line(address.city)[:35],
        "country": address.country.upper(),
    }
