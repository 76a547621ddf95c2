"""Cells of tables that people open in a spreadsheet."""

from __future__ import annotations

import re
from typing import Final

_BEGINS_FORMULA: Final = re.compile(r"(^|[;,\t\r\n])(?=[ \u00a0\ufeff\"]*[=+@＝＋－＠-])")
"""At the beginning, and after what another spreadsheet takes for the end of a cell: `;` ends it in one language, `,`
in another, and where a table is read with the wrong one, quotation marks around a cell protect nothing."""


_MAY_BEGIN: Final = frozenset(' \u00a0\ufeff"=+@＝＋－＠-')
_ENDS_CELL: Final = re.compile(r"[;,\t\r\n]")


def text_cell(text: str) -> str:
    """The text; with an apostrophe before what a spreadsheet would take for a formula (OWASP, CSV injection)."""
    if text[:1] not in _MAY_BEGIN and not _ENDS_CELL.search(text):
        return text
    return _BEGINS_FORMULA.sub(r"\1'", text)
