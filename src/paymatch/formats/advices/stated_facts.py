"""Header facts above the rows of an advice: payer, account, number and date."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Final

from paymatch.domain.bank_accounts import is_iban
from paymatch.formats.tables.values import csv_date

_NUMBER: Final = re.compile(
    r"(?:avis(?:nummer|-?nr\.?)?|zahlungsavis|zahlungsreferenz|zahlungsbeleg|belegnummer|advice(?: (?:no|number))?|"
    r"payment (?:reference|no|number)|remittance advice|referenz der zahlung)\s*(?:no\.?|nr\.?)?\s*[:#]?\s*"
    r"([A-Za-z0-9][A-Za-z0-9/._-]{2,34})",
    re.IGNORECASE,
)
_PAYER: Final = re.compile(
    r"^\s*(?:zahler|auftraggeber|absender|von|payer|paid by|sender|from)\s*[:;|\t]\s*(.{2,70}?)\s*$", re.IGNORECASE
)
_IBAN: Final = re.compile(r"\b([A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?)\b")
_DAY: Final = re.compile(
    r"(?:datum|date|valuta|zahlungsdatum|zahltag|payment date)\D{0,12}(\d{1,4}[./-]\d{1,2}[./-]\d{2,4})", re.IGNORECASE
)
_MAX_LINE: Final = 300


@dataclass(slots=True)
class StatedFacts:
    """Each as the first line that states it; empty or None where none does."""

    number: str = ""
    payer: str = ""
    account: str = ""
    day: date | None = None


def facts_in(lines: Iterable[str]) -> StatedFacts:
    """What the lines outside the table say."""
    found = StatedFacts()
    for text in lines:
        line = text[:_MAX_LINE]
        if not found.number and (number := _NUMBER.search(line)) and any(sign.isdigit() for sign in number[1]):
            found.number = number[1]
        if not found.payer and (payer := _PAYER.match(line)):
            found.payer = payer[1].strip(' ;"')
            ibans = [each[1].replace(" ", "") for each in _IBAN.finditer(line)]
            found.account = next((each for each in ibans if is_iban(each)), found.account)
        if found.day is None and (day := _DAY.search(line)):
            stated = csv_date(day[1], "ymd" if len(re.split(r"[./-]", day[1])[0]) == 4 else "dmy")
            found.day = stated if isinstance(stated, date) else None
    return found
