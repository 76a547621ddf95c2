"""Numbers: the forms in which an order's number may be written, and the checksums of numbers that have one."""

from __future__ import annotations

import re
from datetime import date
from enum import IntEnum
from functools import lru_cache
from typing import Final

MIN_DIGITS: Final = 3
QRR_LENGTH: Final = 27


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


def is_calendar_date(digits: str, near: date) -> bool:
    """True if eight digits read as a date (year first or last) about two years around `near`."""
    if len(digits) != 8 or not digits.isdigit():
        return False
    if abs(int(digits[:4]) - near.year) <= 2 and "01" <= digits[4:6] <= "12" and "01" <= digits[6:] <= "31":
        return True
    return abs(int(digits[4:]) - near.year) <= 2 and "01" <= digits[2:4] <= "12" and "01" <= digits[:2] <= "31"


def valid_rf(reference: str) -> bool:
    """True if `reference` (compact capitals) is an ISO 11649 creditor reference with a right checksum."""
    if not (5 <= len(reference) <= 25 and reference.startswith("RF") and reference.isalnum() and reference.isascii()):
        return False
    moved = reference[4:] + reference[:4]
    return int("".join(str(int(c, 36)) for c in moved)) % 97 == 1


def valid_iban(text: str) -> bool:
    """True if `text` (compact capitals) has the checksum of an IBAN (ISO 13616)."""
    return (
        15 <= len(text) <= 34
        and text.isalnum()
        and int("".join(str(int(c, 36)) for c in text[4:] + text[:4])) % 97 == 1
    )


_CARRY: Final = (0, 9, 4, 6, 8, 2, 7, 1, 3, 5)
_AFTER: Final = [{str(digit): _CARRY[(carry + digit) % 10] for digit in range(10)} for carry in range(10)]


def valid_qrr(digits: str) -> bool:
    """True if 27 or 16 digits carry a right check digit, modulo 10 recursive (Swiss QRR and ISR references)."""
    if len(digits) not in (16, QRR_LENGTH) or not (digits.isascii() and digits.isdigit()):
        return False
    filled = digits.lstrip("0")  # zeros at the front change nothing
    carry = 0
    for digit in filled[:-1]:
        carry = _AFTER[carry][digit]
    return filled != "" and (10 - carry) % 10 == int(filled[-1])
