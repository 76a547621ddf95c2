"""Croatian payment code: the PDF417 of the HUB-3 slip (Croatian Banking Association, format HRVHUB30)."""

from __future__ import annotations

import io
from typing import Final

import pdf417gen

from paymatch.formats.codes.payments import CodedPayment, field

_AMOUNT_MAX: Final = 999_999_999_999_999  # fifteen digits
_COLUMNS: Final = 9
_SECURITY_LEVEL: Final = 4
_ROW_HEIGHT: Final = 3  # modules
_QUIET_ZONE: Final = 2  # modules around a PDF417 (ISO/IEC 15438)
_NO_REFERENCE: Final = "HR99"
"""Our references have letters, which the models of HR references do not take: the description carries them."""


def hub3_text(payment: CodedPayment) -> str:
    """What the code says: 14 lines, those of the payer left for the payer.

    PaymentCodeRefused unless the account is Croatian and the amount EUR.
    """
    return "".join(
        f"{line}\n"
        for line in (
            "HRVHUB30",
            "EUR",
            f"{payment.amount_of('EUR', _AMOUNT_MAX):015d}",
            *("", "", ""),  # payer's name, street, place
            field(payment.name, 25),
            field(payment.street, 25),
            field(payment.place, 27),
            payment.iban("HR"),
            _NO_REFERENCE,
            "",
            "OTHR",
            field(payment.remittance, 35),
        )
    )


def hub3_png(text: str, scale: int = 2) -> bytes:
    """The PDF417 as PNG, `scale` pixels per module."""
    out = io.BytesIO()
    pdf417gen.render_image(_code(text), scale=scale, ratio=_ROW_HEIGHT, padding=_QUIET_ZONE * scale).save(out, "PNG")
    return out.getvalue()


def hub3_svg(text: str) -> bytes:
    """The PDF417 as SVG with a viewBox: each row three modules high, as the standard recommends."""
    rows = _code(text)
    bars = "".join(
        f"M{column + _QUIET_ZONE},{row * _ROW_HEIGHT + _QUIET_ZONE}h1v{_ROW_HEIGHT}h-1z"
        for row, words in enumerate(rows)
        for column, bit in enumerate("".join(f"{word:b}" for word in words))
        if bit == "1"
    )
    width = sum(len(f"{word:b}") for word in rows[0]) + 2 * _QUIET_ZONE
    height = len(rows) * _ROW_HEIGHT + 2 * _QUIET_ZONE
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}">'
        f'<path fill="white" d="M0,0h{width}v{height}h-{width}z"/><path d="{bars}"/></svg>'
    ).encode()


def _code(text: str) -> list[list[int]]:
    rows: list[list[int]] = pdf417gen.encode(text, columns=_COLUMNS, security_level=_SECURITY_LEVEL, encoding="utf-8")
    return rows
