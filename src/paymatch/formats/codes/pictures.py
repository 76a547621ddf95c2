"""Codes as pictures: QR codes as PNG and SVG, and any SVG as PNG or as a PDF of its own size."""

from __future__ import annotations

import io
from typing import Final, Literal

import segno

from paymatch.formats.documents.typesetting import pdf_of, png_of

_QUIET_ZONE: Final = 4  # modules of white around the code that ISO/IEC 18004 asks for
_PAGE: Final = b"""#set document(date: none)
#set page(width: auto, height: auto, margin: 0pt)
#image(bytes(sys.inputs.picture), format: "svg", width: float(sys.inputs.width) * 1mm)"""


def qr_code(
    text: str,
    error: Literal["l", "m", "q", "h"] = "m",
    *,
    encoding: str = "utf-8",
    version: int | None = None,
    names_encoding: bool = False,
) -> segno.QRCode:
    """A QR code of exactly this error correction; without a version the smallest that fits.

    `names_encoding` puts the encoding's ECI designator in front, for standards that ask for it.
    """
    return segno.make_qr(
        text, error=error, encoding=encoding, version=version, eci=names_encoding, mode="byte", boost_error=False
    )


def qr_png(code: segno.QRCode, scale: int = 8) -> bytes:
    """The code as PNG, `scale` pixels per module."""
    out = io.BytesIO()
    code.save(out, kind="png", scale=scale, border=_QUIET_ZONE)
    return out.getvalue()


def qr_svg(code: segno.QRCode) -> bytes:
    """The code as SVG with a viewBox, to be drawn in any size."""
    out = io.BytesIO()
    code.save(out, kind="svg", border=_QUIET_ZONE, omitsize=True, light="white")
    return out.getvalue()


def svg_png(svg: bytes, width_mm: float, dpi: int = 200) -> bytes:
    """An SVG of ours as PNG of this width."""
    return png_of(_PAGE, _inputs(svg, width_mm), dpi)


def svg_pdf(svg: bytes, width_mm: float) -> bytes:
    """An SVG of ours as PDF of one page that is just as large."""
    return pdf_of(_PAGE, _inputs(svg, width_mm))


def _inputs(svg: bytes, width_mm: float) -> dict[str, str]:
    return {"picture": svg.decode(), "width": str(width_mm)}
