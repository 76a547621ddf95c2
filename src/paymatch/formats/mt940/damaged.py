"""What a statement line of MT940 that cannot be read still says plainly, for a person who types the rest."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from paymatch.domain.bank_accounts import is_iban

_LINE: Final = re.compile(r":61:(\d{2})(\d{4})(\d{4})?(?:R?[CD][A-Z]?)?([^\n]{1,40}?)(?=[NFS][A-Z\d]{3}|\n|$)")
"""Year, value date, booking date, and what should be the amount before the transaction type."""
_FIELD: Final = re.compile(r"\?(\d\d)([^?]*)")
_OF_TEXT: Final = frozenset(["20", "21", "22", "23", "24", "25", "26", "27", "28", "29", "60", "61", "62", "63"])


@dataclass(frozen=True, slots=True)
class DamagedEntry:
    """`wrong`: (start, end) of what should be the amount; `day` as dd.mm.yy; "" for what the line does not say."""

    wrong: tuple[int, int]
    day: str
    iban: str
    name: str
    text: str


def damaged_entry(raw: str) -> DamagedEntry | None:
    """The entry of a field :61: with its numbered details (?20, ?31, ?32); None if the text has no such field."""
    found = _LINE.search(raw)
    if found is None:
        return None
    year, value_date, booking_date, _ = found.groups()
    day = booking_date or value_date
    fields = _FIELD.findall(raw[found.end() :].replace("\n", ""))
    return DamagedEntry(
        found.span(4),
        f"{day[2:]}.{day[:2]}.{year}",
        next((said for number, said in fields if number == "31" and is_iban(said)), ""),
        " ".join(said.strip() for number, said in fields if number in ("32", "33")),
        "".join(said for number, said in fields if number in _OF_TEXT).removeprefix("SVWZ+"),
    )
