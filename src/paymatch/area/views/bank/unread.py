"""What can be read of an entry that could not be: its wrong part, and the values that only need to be confirmed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from typing import Any, Final

from paymatch.domain.bank_accounts import is_iban
from paymatch.domain.words.message import Message

_MOST: Final = 4_000
"""Characters of a line that are looked at."""
_DAY: Final = re.compile(r"\b([0-3]?\d)\.([01]?\d)\.(\d{4}|\d{2})\b|\b(\d{4})-([01]\d)-([0-3]\d)\b")
_COLUMN: Final = re.compile(r"[;\t|]")
_LETTERS: Final = re.compile(r"[^\W\d_]{2}")


def marked(raw: str, reason: Any) -> tuple[str, str, str]:
    """The line before its wrong part, that part, and behind it; the part is empty where the reason names none."""
    values = [str(value) for value in reason.values.values()] if isinstance(reason, Message) else []
    quoted = re.findall(r"['\"“]([^'\"”]{1,60})['\"”]", str(reason))
    for part in (*values, *quoted):
        if len(part) > 1 and part in raw:
            before, _, behind = raw.partition(part)
            return before, part, behind
    return raw, "", ""


def readable_values(raw: str, wrong: str) -> Mapping[str, Any]:
    """Day, IBAN, name and text that the line says plainly, as initial values of its form."""
    columns = [each.strip().strip('"') for each in _COLUMN.split(raw[:_MOST])]
    found: dict[str, Any] = {}
    if (day := _first_day(columns)) is not None:
        found["day"] = day
    rest = [each for each in columns if each and each != wrong and not _DAY.fullmatch(each)]
    if iban := next((each for each in rest if is_iban(each.replace(" ", "").upper())), ""):
        found["iban"] = iban
    words = [each for each in rest if each != iban and _LETTERS.search(each) and len(each) > 3]
    if len(columns) > 1 and words:
        found["name"] = words[0][:140]
        found["text"] = max(words[1:], key=len, default="")[:500]
    return found


def _first_day(columns: list[str]) -> date | None:
    for each in columns:
        if (match := _DAY.fullmatch(each)) is None:
            continue
        day, month, year, *iso = match.groups()
        numbers = [int(part) for part in (iso if iso[0] else (year, month, day))]
        try:
            return date(numbers[0] + (2000 if numbers[0] < 100 else 0), numbers[1], numbers[2])
        except ValueError:
            continue
    return None
