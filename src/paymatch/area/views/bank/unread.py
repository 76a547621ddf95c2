"""Readable parts of an unreadable entry: its wrong part, and the values that only need to be confirmed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import date
from typing import Any, Final

from paymatch.domain.bank_accounts import is_iban
from paymatch.domain.words.message import Message
from paymatch.formats.mt940.damaged import damaged_entry

_MOST: Final = 4_000
"""Characters of a line that are looked at."""
_BETWEEN_COLUMNS: Final = str.maketrans(";|", "\t\t")
_QUOTES: Final = str.maketrans('"“”', "'''")


def marked(raw: str, reason: Any) -> tuple[str, str, str]:
    """The line before its wrong part, that part, and the rest; the part is empty if the reason names none."""
    for part in _cell_names(reason):
        if 1 < len(part) <= 60 and part in raw:
            before, _, behind = raw.partition(part)
            return before, part, behind
    if entry := damaged_entry(raw[:_MOST]):
        start, end = entry.wrong
        return raw[:start], raw[start:end], raw[end:]
    return raw, "", ""


def readable_values(raw: str, wrong: str) -> Mapping[str, Any]:
    """Day, IBAN, name and text that the line says plainly, as initial values of its form."""
    if entry := damaged_entry(raw[:_MOST]):
        said = {"day": _day(entry.day), "iban": entry.iban, "name": entry.name[:140], "text": entry.text[:500]}
        return {name: value for name, value in said.items() if value}
    columns = [each.strip().strip('"') for each in raw[:_MOST].translate(_BETWEEN_COLUMNS).split("\t")]
    days = [day for each in columns if (day := _day(each)) is not None]
    values: dict[str, Any] = {"day": days[0]} if days else {}
    rest = [each for each in columns if each and each != wrong and _day(each) is None]
    if iban := next((each for each in rest if is_iban(each.replace(" ", "").upper())), ""):
        values["iban"] = iban
    words = [each for each in rest if each != iban and len(each) > 3 and any(map(str.isalpha, each))]
    if len(columns) > 1 and words:
        values["name"] = words[0][:140]
        values["text"] = max(words[1:], key=len, default="")[:500]
    return values


def _cell_names(reason: Any) -> Iterator[str]:
    """What the reason quotes, or names as a value."""
    if isinstance(reason, Message):
        yield from (str(value) for value in reason.values.values())
    yield from str(reason).translate(_QUOTES).split("'")[1::2]


def _day(text: str) -> date | None:
    """The day that 09.11.2026, 09.11.26 or 2026-11-09 names; None for anything else."""
    parts = text.split(".") if "." in text else text.split("-")[::-1]
    if len(parts) != 3 or not all(part.isascii() and part.isdigit() and len(part) <= 4 for part in parts):
        return None
    day, month, year = (int(part) for part in parts)
    with suppress(ValueError):
        return date(year + (2000 if year < 100 else 0), month, day)
    return None
