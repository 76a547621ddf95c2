"""Which encoding the bytes of a text file are in, also where they do not say."""

from __future__ import annotations

import codecs
import re
from functools import partial
from typing import Final

_BOMS: Final = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
DETECTED: Final = frozenset({"utf-8", "cp1250", "cp1252"})
"""Encodings that are found anew in each file, as the next one may be in another of them."""
WESTERN: Final = "cp1252"
_CENTRAL: Final = "cp1250"
_POLISH: Final = re.compile(
    rb"[A-Za-z\xea\xf3][\xa3\xa5\xaf\xb3\xb9\xbf][A-Za-z\xea\xf3]"  # within a word
    rb"|\xa3[A-Za-z\xca\xd3\xf3]"  # a word that begins with a Ł
    rb"|[A-Za-ln-z]\xb3"  # one that ends in ł; a cubic metre (m³) is none
)


def encoding_of(data: bytes, remembered: str = "") -> tuple[str, int]:
    """Encoding and length of the byte order mark: BOM, the remembered one, UTF-8 if it is, windows-1250 or -1252.

    UTF-16 without BOM is seen by its zero bytes. `data` may be cut in the middle of a character.
    """
    for mark, name in _BOMS:
        if data.startswith(mark):
            return name, len(mark)
    if data[1:200:2].count(0) > len(data[1:200:2]) // 2:
        return "utf-16-le", 0
    if remembered:
        return remembered, 0
    try:
        codecs.getincrementaldecoder("utf-8")().decode(data)
    except UnicodeDecodeError:
        return code_page_of(data), 0
    return "utf-8", 0


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
