"""Texts in eight bits that do not say which code page they are in."""

from __future__ import annotations

import re
from typing import Final

WESTERN: Final = "cp1252"
_POLISH: Final = re.compile(
    rb"[A-Za-z\xea\xf3][\xa3\xa5\xaf\xb3\xb9\xbf][A-Za-z\xea\xf3]"  # within a word
    rb"|\xa3[A-Za-z\xca\xd3\xf3]"  # a word that begins with a Ł
    rb"|[A-Za-ln-z]\xb3"  # one that ends in ł; a cubic metre (m³) is none
)


def code_page_of(data: bytes) -> str:
    """windows-1250 if Polish letters show that stand for signs such as `³` and `¿` elsewhere, else windows-1252."""
    return "cp1250" if _POLISH.search(data) else WESTERN
