"""Readable parts of an unreadable entry: its wrong part, and the values that only need to be confirmed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import date
from typing import Any, Final

from paymatch.domain.bank_accounts import is_iban
from paymatch.domain.words.message import Message

_MOST: Final = 4_000
"""Characters of a line that are looked at."""
_BETWEEN_COLUMNS: Final = str.maketrans(";|", "\t\t")
_QUOTES: Final = str.maketrans('"“”', "'''")
_SWIFT_LINE: Final = re.compile(r":61:(\d{2})(\d{4})(\d{4})?(?:R?[CD][A-Z]?)?([^\n]{1,40}?)(?=[NFS][A-Z\d]{3}|\n|$)")
"""A statement line of MT940: year, value date, booking date, and what should be the amount before its type."""
_SWIFT_FIELD: Final = re.compile(r"\?(\d\d)([^?]*)")
_SWIFT_TEXT: Final = frozenset(["20", "21", "22", "23", "24", "25", "26", "27", "28", "29", "60", "61", "62", "63"])


def marked(raw: str, reason: Any) -> tuple[str, str, str]:
    """The line before its wrong part, that part, and behind it; the part is empty where the reason names none."""
    for part in _cell_names(reason):
        if 1 < len(part) <= 60 and part in raw:
            before, _, behind = raw.partition(part)
            return before, part, behind
    if found := _SWIFT_LINE.search(raw[:_MOST]):
        return raw[: found.start(4)], found[4], raw[found.end(4) :]
    return raw, "", ""


def readable_values(raw: str, wrong: str) -> Mapping[str, Any]:
    """Day, IBAN, name and text that the line says plainly, as initial values of its form."""
    if found := _SWIFT_LINE.search(raw[:_MOST]):
        return _swift_values(found[1], found[3] or found[2], raw[found.end() : _MOST].replace("\n", ""))
    columns = [each.strip().strip('"') for each in raw[:_MOST].translate(_BETWEEN_COLUMNS).split("\t")]
    days = [day for each in columns if (day := _day(each)) is not None]
    values: dict[str, Any] = {"day": days[0]} if days else {}
    rest = [each for each in columns if each and each != wrong and _day(each) is None]
    if iban := next((each for each in rest if is_iban(each.replace(" ", "").upper())), ""):
        values["iban"] = iban
    said = [each for each in rest if each != iban and len(each) > 3 and any(map(str.isalpha, each))]
    if len(columns) > 1 and said:
        values["name"] = said[0][:140]
        values["text"] = max(said[1:], key=len, default="")[:500]
    return values


def _swift_values(year: str, day: str, details: str) -> Mapping[str, Any]:
    """What a statement line of MT940 and the numbered fields of its details (?20, ?31, ?32) say."""
    fields = _SWIFT_FIELD.findall(details)
    text = "".join(said for number, said in fields if number in _SWIFT_TEXT).removeprefix("SVWZ+")
    values = {
        "day": _day(f"{day[2:]}.{day[:2]}.{year}"),
        "iban": next((said for number, said in fields if number == "31" and is_iban(said)), ""),
        "name": " ".join(said.strip() for number, said in fields if number in ("32", "33"))[:140], "text": text[:500],
    }  # fmt: skip
    return {name: value for name, value in values.items() if value}


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
