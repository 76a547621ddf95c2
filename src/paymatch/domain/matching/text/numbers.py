"""Numbers: the forms in which an order's number may be written."""

from __future__ import annotations

import re
import string
from enum import IntEnum
from functools import lru_cache
from typing import Final

MIN_DIGITS: Final = 3
MIN_CODE: Final = 5
"""Characters of a code of letters and digits: shorter ones are read by chance (`2XL`, `12B`, `10KG`)."""


class Form(IntEnum):
    """How completely a number was written; a larger value is less."""

    FULL = 0  # as the shop has it, separators aside
    DIGITS = 1  # without its letters
    ZEROS = 2  # leading zeros of a part lost
    TAIL = 3  # only its last part


SEGMENT: Final = re.compile("[A-Z]+|[0-9]+")


@lru_cache(maxsize=2048)
def forms_of(flat_number: str) -> dict[str, Form]:
    """The compact texts by which a number may appear, with how complete each is. `flat_number` is in flat capitals."""
    if flat_number.isdigit() and flat_number[0] != "0":
        return {flat_number: Form.FULL}
    segments = SEGMENT.findall(flat_number)
    if len(segments) == 1:
        only = segments[0]
        stripped = only.lstrip("0")
        return {only: Form.FULL} if stripped == only or not stripped else {only: Form.FULL, stripped: Form.ZEROS}
    forms: dict[str, Form] = {}
    digits = [segment for segment in segments if segment.isdigit()]
    bare = [segment.lstrip("0") or "0" for segment in digits]
    if digits:
        if len(digits[-1]) >= MIN_DIGITS:
            tail = bare[-1]
            if len(tail) >= 2:
                forms[tail] = Form.TAIL
            forms[digits[-1]] = Form.TAIL
        forms["".join(segment.lstrip("0") if segment.isdigit() else segment for segment in segments)] = Form.ZEROS
        forms["".join(bare)] = Form.ZEROS
        forms["".join(digits)] = Form.DIGITS
    forms["".join(segments)] = Form.FULL
    return {text: form for text, form in forms.items() if len(text) >= 2}


def code_length(compact: str) -> int:
    """How many characters say as much as digits: those of a code whose letters are no mere prefix (`VND7DJ`)."""
    behind = compact.lstrip(string.ascii_uppercase)
    return len(compact) if not behind.isdigit() and len(compact) >= MIN_CODE else 0
