"""PDFs and pictures that typst draws of a template.

A template is ours and fixed, and names no file; everything else reaches it as texts in `sys.inputs`. What a customer
wrote can neither become markup nor name a file of the system, and nothing is fetched.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final

import typst

SANS_SERIF: Final = '("Liberation Sans", "Arial", "Helvetica", "DejaVu Sans", "Libertinus Serif")'
"""Typefaces as a template names them, those that the guidelines of the Swiss QR-bill allow first (3.4)."""


def pdf_of(template: bytes, inputs: Mapping[str, str]) -> bytes:
    """The template with these texts as PDF.

    The same texts give the same bytes on one machine, if the template sets `document(date: none)`.
    """
    drawn = typst.compile(template, format="pdf", font_paths=_fonts(), sys_inputs=dict(inputs))
    assert isinstance(drawn, bytes), "a PDF is one file"
    return drawn


def png_of(template: bytes, inputs: Mapping[str, str], dpi: int) -> bytes:
    """The template's one page with these texts as PNG."""
    drawn = typst.compile(template, format="png", ppi=dpi, font_paths=_fonts(), sys_inputs=dict(inputs))
    assert isinstance(drawn, bytes), "a picture is one page"
    return drawn


@cache
def _fonts() -> typst.Fonts:
    """Typefaces are searched once: those of the system, and those that typst bundles if it has none."""
    return typst.Fonts()
