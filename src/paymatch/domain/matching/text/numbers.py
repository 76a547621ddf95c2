"""Numbers of a text: the forms of an order's number, and digits that are not numbers (dates, accounts)."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator, Sequence
from datetime import date
from enum import IntEnum
from functools import lru_cache
from typing import Final

MIN_DIGITS: Final = 3
MIN_CODE: Final = 5
"""Characters of a code of letters and digits: shorter ones are read by chance (`2XL`, `12B`, `10KG`)."""


class Form(IntEnum):
    """How completely a number was written; a larger value means less."""

    FULL = 0  # as the shop has it, separators aside
    DIGITS = 1  # without its letters
    ZEROS = 2  # leading zeros of a part lost
    TAIL = 3  # only its last part


SEGMENT: Final = re.compile("[A-Z]+|[0-9]+")
PART: Final = re.compile("[A-Z0-9]+")
_LETTER_FOR_DIGIT: Final = re.compile(r"(?<=[0-9])[OQILSBZ]+(?=[0-9]|$)|(?<![A-Z])[OIL](?=[0-9])")
_DIGIT_OF: Final = str.maketrans("OQILSBZ", "0011582")
_MIXED: Final = re.compile("[0-9][A-Z]")
_RUN: Final = re.compile("[0-9]" * MIN_DIGITS)


@lru_cache(maxsize=2048)
def forms_of(flat_number: str) -> dict[str, Form]:
    """The compact forms in which a number may appear, with how complete each is. `flat_number` is in flat capitals."""
    if flat_number.isdigit() and flat_number[0] != "0":
        return {flat_number: Form.FULL}
    segments = SEGMENT.findall(flat_number)
    parts = PART.findall(flat_number)
    if any(map(is_code, parts)) or (len(parts) > 1 and _is_short_code(parts[-1])):
        return _forms_of_code(parts)
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


def is_code(part: str) -> bool:
    """True if letters follow on few digits in it, so that its digits mean nothing alone (`A7K3Q`, `3LDQH`)."""
    return len(part) >= MIN_CODE and _MIXED.search(part) is not None and _RUN.search(part) is None


def _is_short_code(last: str) -> bool:
    """True if the last part of a number has letters before few digits, which mean nothing alone (`KONF26-RAV33`)."""
    return len(last) >= MIN_CODE and last.isalnum() and not last.isalpha() and _RUN.search(last) is None


def is_code_part(last: str) -> bool:
    """True if the last part of a number is a code: its digits mean nothing alone, or it has none."""
    return len(last) >= MIN_CODE and last.isalnum() and not last.isdigit()


def _forms_of_code(parts: Sequence[str]) -> dict[str, Form]:
    """The forms of a number with a code in it: its last part may be written alone, its digits may not."""
    last = parts[-1]
    forms: dict[str, Form] = {}
    if is_code(last) or _is_short_code(last) or (last.isdigit() and len(last) >= MIN_DIGITS):
        forms[last] = Form.TAIL
    forms["".join(parts)] = Form.FULL
    return forms


def code_length(compact: str) -> int:
    """How many characters count like digits: those of a code whose letters are more than a prefix (`VND7DJ`)."""
    behind = compact.lstrip(string.ascii_uppercase)
    return len(compact) if not behind.isdigit() and len(compact) >= MIN_CODE else 0


def codes_between_signs(token: re.Match[str], text: str) -> Iterator[tuple[str, int, int]]:
    """The codes of a token in a text, each with its place: `BestellungKONF26-3LDQH` has lost its blank."""
    for part in PART.finditer(text, token.start(), token.end()):
        if part.span() != token.span() and is_code(part.group()):
            yield part.group(), *part.span()


def with_digits_for_letters(token: str) -> str:
    """The token with digits where its letters look like them: `SW-1O840`."""
    return _LETTER_FOR_DIGIT.sub(lambda match: match.group().translate(_DIGIT_OF), token)


class Spans:
    """Spans of a text, queried by place from left to right."""

    def __init__(self, spans: list[tuple[int, int]]) -> None:
        self._ahead = sorted(spans, reverse=True)
        self._until = 0  # the furthest end of the spans that began before the last place

    def hold(self, place: int) -> bool:
        """Whether the place is within one of them. Places must not decrease from call to call."""
        while self._ahead and self._ahead[-1][0] <= place:
            self._until = max(self._until, self._ahead.pop()[1])
        return place < self._until


DATES: Final = re.compile(
    r"(?<![0-9])(?:[0-3]?[0-9]\.[01]?[0-9]\.(?:20[0-9]{2}|[0-9]{2}(?![0-9]))?|20[0-9]{2}-[01][0-9]-[0-3][0-9]|"
    r"[0-3]?[0-9]/[01]?[0-9]/20[0-9]{2}|[0-2]?[0-9][.:][0-5][0-9] ?UHR)(?![0-9])"
)
CREDITOR_ID: Final = re.compile("(?<![A-Z0-9])[A-Z]{2}[0-9]{2} ?ZZZ ?[0-9A-Z]{5,28}")
"""A SEPA creditor identifier with the usual business code."""
_DIGITS: Final = re.compile("[0-9]+")


def ordinal_of(text: str, booked: date) -> int:
    """The date in `text` as ordinal, else 0; without a year, the last such day up to the month of `booked`."""
    if "UHR" in text or len(text) > len("2026-03-09"):
        return 0
    parts = [int(part) for part in _DIGITS.findall(text)]
    if len(parts) not in (2, 3):
        return 0
    if parts[0] > 31:
        parts.reverse()
    day, month = parts[0], parts[1]
    year = parts[2] if len(parts) == 3 else booked.year - (month > booked.month)
    try:
        return date(year + 2000 if year < 100 else year, month, day).toordinal()
    except ValueError:
        return 0


def is_calendar_date(digits: str, near: date) -> bool:
    """True if eight digits read as a date (year first or last) about two years around `near`."""
    if len(digits) != 8 or not digits.isdigit():
        return False
    if abs(int(digits[:4]) - near.year) <= 2 and "01" <= digits[4:6] <= "12" and "01" <= digits[6:] <= "31":
        return True
    return abs(int(digits[4:]) - near.year) <= 2 and "01" <= digits[2:4] <= "12" and "01" <= digits[:2] <= "31"
