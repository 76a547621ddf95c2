"""The Swiss QR-bill as a picture: payment part with receipt (Swiss Implementation Guidelines QR-bill 2.3; D-9)."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from typing import Any, Final
from unicodedata import normalize

import qrbill
from qrbill.bill import mm

from paymatch.domain.money import Money, minor_to_text
from paymatch.domain.words.message import Message, Sum
from paymatch.formats.codes.epc_qr import PaymentCodeRefused, checked_iban, one_line
from paymatch.formats.codes.pictures import qr_code
from paymatch.formats.documents.typesetting import SANS_SERIF, pdf_of, png_of

_CURRENCIES: Final = frozenset({"CHF", "EUR"})
_LANGUAGES: Final = frozenset({"de", "en", "fr", "it"})
_AMOUNT_MAX: Final = 99_999_999_999  # 999999999.99
_TEXT_MAX: Final = 140
_KNOWN: Final = re.compile("[ -~\u00a1-\u017f\u0218-\u021b\u20ac]")
"""Basic Latin, Latin-1 Supplement, Latin Extended-A, four letters of Romanian, and the euro sign."""
CODE_WIDTH_MM: Final = 56
_WHITE_MM: Final = 5
_DPI: Final = 200
_SHEET: Final = f"""#set document(date: none)
#set text(font: {SANS_SERIF})
#set page(paper: "a4", margin: 0pt)
#place(bottom, image(bytes(sys.inputs.slip), format: "svg", width: 210mm))""".encode()
_PICTURE: Final = f"""#set text(font: {SANS_SERIF})
#set page(width: auto, height: auto, margin: (top: 3mm, rest: 0mm))
#image(bytes(sys.inputs.slip), format: "svg", width: 210mm)""".encode()
"""The scissors are half above the cutting line."""


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


def swiss_code_svg(bill: SwissBill) -> bytes:
    """The code of the bill alone, 46 x 46 mm with the Swiss cross, and 5 mm of white around it (guidelines, 6.4)."""
    modules = [list(row) for row in qr_code(swiss_text(bill)).matrix]
    count, size = len(modules), CODE_WIDTH_MM - 2 * _WHITE_MM
    dots = "".join(f"M{x},{y}h1v1h-1z" for y, row in enumerate(modules) for x, dark in enumerate(row) if dark)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {CODE_WIDTH_MM} {CODE_WIDTH_MM}">'
        f'<path fill="white" d="M0,0h{CODE_WIDTH_MM}v{CODE_WIDTH_MM}h-{CODE_WIDTH_MM}z"/>'
        f'<g transform="translate({_WHITE_MM},{_WHITE_MM})"><path transform="scale({size / count})" d="{dots}"/>'
        f'<g transform="translate({size / 2 - 3.5},{size / 2 - 3.5})"><path fill="white" d="M0,0h7v7h-7z"/>'
        '<path d="M.5,.5h6v6h-6z"/><path fill="white" d="M2.9,1.6h1.2v1.3h1.3v1.2h-1.3v1.3h-1.2v-1.3h-1.3v-1.2h1.3z"/>'
        "</g></g></svg>"
    ).encode()


def slip_svg(bill: SwissBill, language: str = "en", *, lines: bool = True) -> bytes:
    """The slip, 210 x 105 mm. `lines=False` leaves out the lines to cut along: for paper that is perforated there.

    Languages are de, en, fr and it; any other falls back to en. PaymentCodeRefused like `swiss_text`.
    """
    out = io.StringIO()
    _bill(bill, language if language in _LANGUAGES else "en", lines=lines).as_svg(out)
    return out.getvalue().encode()


def slip_png(svg: bytes) -> bytes:
    """A `slip_svg` as PNG, 3 mm higher than the slip, written in a typeface of the system that the guidelines allow."""
    return png_of(_PICTURE, {"slip": svg.decode()}, _DPI)


def slip_pdf(svg: bytes) -> bytes:
    """A sheet of A4 with the `slip_svg` at its foot, where perforated paper has it."""
    return pdf_of(_SHEET, {"slip": svg.decode()})


class _Slip(qrbill.QRBill):  # type: ignore[misc]  # the library has no types
    """The library's slip with the receipt's field for the payer at its height: 20 mm (guidelines, 3.6.2), not 25.

    At 25 it runs into the amount below it.
    """

    def draw_blank_rect(self, dwg: Any, grp: Any, x: Any, y: Any, width: Any, height: Any) -> None:
        """Draws the corners of an empty field."""
        super().draw_blank_rect(dwg, grp, x, y, width, mm(20) if width == mm(52) else height)


def _bill(bill: SwissBill, language: str, *, lines: bool) -> qrbill.QRBill:
    if bill.amount.currency not in _CURRENCIES:
        raise PaymentCodeRefused(Message("payment-code-swiss-qr-bill-knows", currency=bill.amount.currency))
    if not 0 < bill.amount.minor <= _AMOUNT_MAX:
        raise PaymentCodeRefused(
            Message("payment-code-swiss-qr-bill-takes", amount=Sum(bill.amount.minor, bill.amount.currency))
        )
    try:
        return _Slip(
            account=checked_iban(bill.iban),
            creditor=_address(bill.creditor),
            debtor=_address(bill.debtor) if bill.debtor else None,
            amount=minor_to_text(bill.amount.minor, bill.amount.currency),
            currency=bill.amount.currency,
            reference_number=bill.reference or None,
            additional_information=_write_fields(bill.text, _TEXT_MAX),
            language=language,
            top_line=lines,
            payment_line=lines,
        )
    except ValueError as error:
        raise PaymentCodeRefused(Message("text", value=str(error))) from error


def _address(address: SwissAddress) -> dict[str, str]:
    """The address cut to the lengths of the guidelines, table 6."""
    return {
        "name": _write_fields(address.name, 70),
        "street": _write_fields(address.street, 70),
        "house_num": _write_fields(address.house_number, 16),
        "pcode": _write_fields(address.postcode, 16),
        "city": _write_fields(address.city, 35),
        "country": address.country.upper(),
    }


def _write_fields(text: str, most: int) -> str:
    """The text on one line, cut to length, with a question mark for letters that the guidelines do not know (4.1.1)."""
    known = (char if _KNOWN.match(char) else "?" for char in normalize("NFC", one_line(text)))
    return "".join(known)[:most].rstrip()
