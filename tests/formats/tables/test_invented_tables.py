"""Tables in the manner of no bank in particular: whatever is read of one is what was written, or it is not read.

`TABLES=20000` reads as many.
"""

# ruff: noqa: E501  # headers as a bank's file has them
from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random
from typing import Final

import pytest

from paymatch.formats.statement import Entry, FileRefused, StatementHead, UnreadableEntry
from paymatch.formats.tables.reader import read_csv
from tests.length import times

TABLES: Final = int(os.environ.get("TABLES", times(300, 1200)))
PARTS: Final = 4
_NUMBER: Final = re.compile(r"ID\d{4}x")
_HEADS: Final[Mapping[str, str]] = {
    "de": "Buchungstag Valuta Verwendungszweck Betrag Soll Haben S/H Name IBAN Saldo Währung Umsatzart",
    "en": "Date Value_date Description Amount Paid_out Paid_in Debit/Credit Name IBAN Balance Currency Type",
    "fr": "Date_comptable Date_valeur Libellé Montant Débit Crédit Sens Nom IBAN_contrepartie Solde Devise Type_opération",
    "it": "Data_contabile Data_valuta Descrizione Importo Dare Avere Dare/Avere Controparte IBAN_controparte Saldo Divisa Tipo",
    "hr": "Datum_knjiženja Datum_valute Opis_plaćanja Iznos Isplata Uplata D/P Partner IBAN_partnera Stanje Valuta_konta Vrsta",
}
_FIELDS: Final = (
    "date",
    "value",
    "text",
    "amount",
    "out",
    "into",
    "mark",
    "name",
    "iban",
    "balance",
    "currency",
    "type",
)
_MARKS: Final = {"de": "SH", "en": ("DR", "CR"), "fr": "DC", "it": "DA", "hr": "DP"}
_TYPES: Final = {
    "de": ("Lastschrift", "Gutschrift"), "en": ("Debit", "Credit"), "fr": ("Débit", "Crédit"),
    "it": ("Debito", "Credito"), "hr": ("Isplata", "Uplata"),
}  # fmt: skip
_SIGNS: Final = ("-{}", "−{}", "{}-", "({})", "{} S", "mark", "type", "columns", "columns -", "columns 0", "columns –")
_DAYS: Final[tuple[Callable[[date], str], ...]] = (
    lambda day: f"{day:%d.%m.%Y}", lambda day: f"{day:%d/%m/%Y}", lambda day: f"{day:%m/%d/%Y}",
    lambda day: f"{day:%Y-%m-%d}", lambda day: f"{day.year}/{day.month}/{day.day}", lambda day: f"{day:%Y%m%d}",
    lambda day: f"{day:%d.%m.%y}", lambda day: f"{day:%d %b %Y}", lambda day: f"{day:%Y-%m-%dT10:11:12.123Z}",
    lambda day: f"{day:%m/%d/%Y} 10:11:12.123",
)  # fmt: skip


@dataclass(frozen=True)
class Written:
    """A table, and by the number in its text the day and the amount of each entry."""

    content: bytes
    entries: Mapping[str, tuple[date, int]]


class Writer:
    """How this table writes what it holds."""

    def __init__(self, chance: Random) -> None:
        self._chance = chance
        self._country = chance.choice(list(_HEADS))
        self._sign = chance.choice(_SIGNS)
        self._mark = chance.choice(",.")
        self._group = chance.choice(("", "'", " ", "\u00a0", "." if self._mark == "," else ","))
        self._currency = chance.choice(("{}", "{}", "{} €", "€{}", "EUR {}"))
        self._day = chance.choice(_DAYS)

    def write(self) -> Written:
        chance, entries = self._chance, dict[str, tuple[date, int]]()
        day, balance, share = date(2026, chance.randint(1, 12), 3), chance.randint(-99999, 500000), chance.random()
        fields, rows = self._fields(), []
        for place in range(chance.randint(2, 25)):
            day += timedelta(days=chance.choice((0, 0, 1, 2, 9)))
            minor = chance.choice((chance.randint(1, 99999), chance.randint(10**5, 10**9), 100_000))
            minor *= -1 if chance.random() < share else 1
            balance += minor
            entries[f"ID{place:04}x"] = day, minor
            rows.append([self._cell(field, day, minor, balance, f"ID{place:04}x") for field in fields])
        file = io.StringIO()
        delimiter, always = chance.choice(";;\t,|"), chance.random() < 0.5
        writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
        if always:
            writer = csv.writer(file, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL)
        if chance.random() < 0.9:
            heads = dict(zip(_FIELDS, (word.replace("_", " ") for word in _HEADS[self._country].split()), strict=True))
            writer.writerow([heads[field] for field in fields])
        writer.writerows(rows if chance.random() < 0.6 else rows[::-1])
        return Written(file.getvalue().encode(), entries)

    def _fields(self) -> list[str]:
        chance = self._chance
        fields = [
            "date",
            "text",
            *(each for each in ("value", "name", "iban", "balance", "currency") if chance.random() < 0.5),
        ]
        fields += ["out", "into"] if self._sign.startswith("columns") else ["amount"]
        fields += [self._sign] if self._sign in ("mark", "type") else []
        chance.shuffle(fields)
        return fields

    def _cell(self, field: str, day: date, minor: int, balance: int, number: str) -> str:
        texts = (number, f"Rechnung {number} danke", f"Order {number}, thanks; bye", f'"x" {number}')
        digits = self._digits(minor)
        plain = self._currency.format(digits)
        if field in ("out", "into"):
            nothing = (
                "0" + self._mark + "00" if self._sign == "columns 0" else self._sign.removeprefix("columns").strip()
            )
            minus = "-" if minor < 0 and self._sign == "columns 0" else ""
            return f"{minus}{digits}" if (field == "out") == (minor < 0) else nothing
        return {
            "date": self._day(day),
            "value": self._day(day),
            "text": self._chance.choice(texts),
            "amount": self._sign.format(plain) if minor < 0 and "{" in self._sign else plain,
            "mark": _MARKS[self._country][minor > 0],
            "type": _TYPES[self._country][minor > 0],
            "balance": f"{'-' if balance < 0 else ''}{self._digits(balance)}",
            "currency": "EUR",
            "iban": "DE02500105170137075030",
            "name": "O'Neill & Co",
        }[field]

    def _digits(self, minor: int) -> str:
        whole = f"{abs(minor) // 100:,}".replace(",", self._group)
        return f"{whole}{self._mark}{abs(minor) % 100:02}"


def _difference(written: Written) -> list[str]:
    """What was read otherwise than it was written; of days, where no note says that they are not proven."""
    try:
        events = list(read_csv(io.BytesIO(written.content)))
    except FileRefused:
        return []
    found = [event for event in events if isinstance(event, Entry)]
    said = {match[0]: entry for entry in found if (match := _NUMBER.search("".join(entry.details[0].remittance_lines)))}
    noted = any(
        isinstance(event, StatementHead) and event.guesses for event in events
    )  # which of day and month is first
    wrong = [
        f"{number}: {entry.booking_date} {entry.amount_minor} for {day} {minor}"
        for number, entry in said.items()
        for day, minor in [written.entries[number]]
        if entry.amount_minor != minor or (entry.booking_date != day and not noted)
    ]
    unread = sum(isinstance(event, UnreadableEntry) for event in events)
    if len(said) != len(found) or len(found) + unread != len(written.entries):
        wrong.append(f"{len(found)} read and {unread} not of {len(written.entries)}")
    return wrong


@pytest.mark.parametrize("part", range(PARTS))
def test_what_is_read_of_a_table_is_what_was_written(part: int) -> None:
    wrong = {
        seed: difference
        for seed in range(part, TABLES, PARTS)
        if (difference := _difference(Writer(Random(seed)).write()))
    }
    assert wrong == {}
