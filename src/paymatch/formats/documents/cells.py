"""Cells of tables that people open in a spreadsheet."""

from __future__ import annotations

from typing import Final

_BEGINS_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


def text_cell(text: str) -> str:
    """The text; behind an apostrophe if a spreadsheet would take it for a formula (OWASP, CSV injection)."""
    return f"'{text}" if text.startswith(_BEGINS_FORMULA) else text
