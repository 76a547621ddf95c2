"""Texts in eight bits that do not say which code page they are in."""

from __future__ import annotations

import codecs
import re
from functools import partial
from typing import Final

WESTERN: Final = "cp1252"
_CENTRAL: Final = "cp1250"
_POLISH: Final = re.compile(
    rb"[A-Za-z\xea\xf3][\xa3\xa5\xaf\xb3\xb9\xbf][A-Za-z\xea\xf3]"  # within a word
    rb"|\xa3[A-Za-z\xca\xd3\xf3]"  # a word that begins with a Ł
    rb"|[A-Za-ln-z]\xb3"  # one that ends in ł; a cubic metre (m³) is none
)


def code_page_of(data: bytes) -> str:
    """windows-1250 if Polish letters show that stand for signs such as `³` and `¿` elsewhere, else windows-1252."""
    return _CENTRAL if _POLISH.search(data) else WESTERN


def errors_in(page: str) -> str:
    """The `errors` of a UTF-8 decoder that reads what is not UTF-8 in this code page, windows-1250 or -1252."""
    return f"paymatch-{page}"


def _in_page(page: str, error: UnicodeError) -> tuple[str, int]:
    """UnicodeDecodeError if the page has no such letter either."""
    assert isinstance(error, UnicodeDecodeError)
    return error.object[error.start : error.end].decode(page), error.end


for _page in (WESTERN, _CENTRAL):
    codecs.register_error(errors_in(_page), partial(_in_page, _page))
