"""Which encoding the bytes of a text file are in, also where they do not say."""

from __future__ import annotations

import codecs
import re
from functools import partial
from typing import Final

_BOMS: Final = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
DETECTED: Final = frozenset({"utf-8", "cp1250", "cp1252"})
"""Encodings that are detected for each file, as the next one may be in another of them."""
WESTERN: Final = "cp1252"
_CENTRAL: Final = "cp1250"
_POLISH: Final = re.compile(
    rb"[A-Za-z\xea\xf3][\xa3\xa5\xaf\xb3\xb9\xbf][A-Za-z\xea\xf3]"  # within a word
    rb"|\xa3[A-Za-z\xca\xd3\xf3]"  # a word that begins with a Ł
    rb"|[A-Za-ln-z]\xb3"  # one that ends in ł; a cubic metre (m³) is none
)
_CZECH: Final = re.compile(
    rb"[A-Za-z][\xec\xf9][a-z]"  # ě and ů within a word, at the end of which Italian and French write ì and ù
    rb"|(?<![A-Za-z\xc0-\xff])\xc8(?!re)[a-z\xe1\xe9\xed]"  # a word that begins with Č, but not Ère
    rb"|\xe8[aeiou\xe1\xe9\xed]"  # č before a vowel, where è never occurs
    rb"|[A-Za-z\xc0-\xff][\x8d\x8f\x9d]|[\x8d\x8f\x9d][A-Za-z]|\xfa[a-z]*\xe8"  # ť, ź; ú and č in one word
)
_CARON: Final = re.compile(rb"[A-Za-z\xc0-\xff][\x8a\x8e\x9a\x9e]|[\x8a\x8e\x9a\x9e][A-Za-z\xc0-\xff]")
"""Š and ž, which both pages have at these places, and western languages hardly ever."""
_BESIDE_CARON: Final = re.compile(rb"[\xc6\xc8\xcf\xd0\xd2\xd8\xe6\xe8\xef\xf0\xf2\xf8]")  # ć č ď đ ň ř
_FINAL_C: Final = re.compile(rb"[a-z]i\xe6(?![A-Za-z\xc0-\xff])")  # ć at the end of names


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
    """windows-1250 if letters of central Europe show that stand for signs or foreign spellings elsewhere, else
    windows-1252. German, Hungarian and other letters that both pages have at the same places decide nothing."""
    if _POLISH.search(data) or _CZECH.search(data) or _FINAL_C.search(data):
        return _CENTRAL
    return _CENTRAL if _CARON.search(data) and _BESIDE_CARON.search(data) else WESTERN


def errors_in(page: str) -> str:
    """The `errors` of a UTF-8 decoder that reads what is not UTF-8 in this code page, windows-1250 or -1252."""
    return f"paymatch-{page}"


def _in_page(page: str, error: UnicodeError) -> tuple[str, int]:
    """UnicodeDecodeError if the page has no such letter either."""
    assert isinstance(error, UnicodeDecodeError)
    return error.object[error.start : error.end].decode(page), error.end


for _page in (WESTERN, _CENTRAL):
    codecs.register_error(errors_in(_page), partial(_in_page, _page))
