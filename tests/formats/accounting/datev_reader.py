"""A strict reader of DATEV files, made from the published description alone: header, columns, and each field's form.

https://developer.datev.de, DATEV-Format, Formatbeschreibung: Header (version 700) and Buchungsstapel (version 13).
Names, their order and which are texts were compared with an independent reading of DATEV's own files
(docs/decisions/069-datev.md).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Final

_DAY: Final = r"20\d{2}(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])"
_GERMAN_DAY: Final = r"(0[1-9]|[12]\d|3[01])(0[1-9]|1[0-2])20\d{2}"
_MONEY: Final = r"(?!0{1,10},00)\d{1,10},\d{2}"


def text(longest: int, inner: str = ".") -> str:
    """A text in quotation marks, in which those of the text are doubled."""
    return f'"(?:""|(?!"){inner}){{0,{longest}}}"'


HEADER: Final = (
    '"(EXTF|DTVF)"', "700", "21", '"Buchungsstapel"', "13",
    r"20\d{2}(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])([01]\d|2[0-3])[0-5]\d[0-5]\d\d{3}", "", text(2, r"\w"),
    text(25, r"\w"), text(25, r"\w"), r"\d{4,7}", r"\d{1,5}", _DAY, "[4-8]", _DAY, _DAY, text(30, r"[\w.\-/ ]"),
    '"([A-Z]{2}){0,2}"', "[12]", "(0|30|40|50|64)", "[01]", '"[A-Z]{3}"', "", '""', "", "", r'"(\d{2}){0,2}"',
    r"\d{0,4}", "", '""', text(16),
)  # fmt: skip
"""The 31 fields of the first line, in their order."""

_COLUMNS: Final = (
    ("Umsatz (ohne Soll/Haben-Kz)", _MONEY), ("Soll/Haben-Kennzeichen", '"[SH]"'), ("WKZ Umsatz", '"[A-Z]{3}"'),
    ("Kurs", r"[1-9]\d{0,3},\d{2,6}"), ("Basis-Umsatz", _MONEY), ("WKZ Basis-Umsatz", '"[A-Z]{3}"'),
    ("Konto", r"(?!0{1,9}$)\d{1,9}"), ("Gegenkonto (ohne BU-Schlüssel)", r"(?!0{1,9}$)\d{1,9}"),
    ("BU-Schlüssel", r'"\d{4}"'), ("Belegdatum", r"(0[1-9]|[12]\d|3[01])(0[1-9]|1[0-2])"),
    ("Belegfeld 1", text(36, r"[A-Za-z0-9_$&%*+\-/]")), ("Belegfeld 2", text(12, r"[A-Za-z0-9_$&%*+\-/]")),
    ("Skonto", r"[1-9]\d{0,7},\d{2}"), ("Buchungstext", text(60)), ("Postensperre", "[01]"),
    ("Diverse Adressnummer", text(9, r"\w")), ("Geschäftspartnerbank", r"\d{3}"), ("Sachverhalt", r"\d{2}"),
    ("Zinssperre", "[01]"), ("Beleglink", text(210)),
    *((f"Beleginfo - {part} {n}", text(longest))
      for n in range(1, 9) for part, longest in (("Art", 20), ("Inhalt", 210))),
    ("KOST1 - Kostenstelle", text(36, r"[\w ]")), ("KOST2 - Kostenstelle", text(36, r"[\w ]")),
    ("Kost-Menge", r"\d{12},\d{4}"), ("EU-Land u. UStID (Bestimmung)", text(15)),
    ("EU-Steuersatz (Bestimmung)", r"\d{2},\d{2}"), ("Abw. Versteuerungsart", '"[IKPS]"'),
    ("Sachverhalt L+L", r"\d{1,3}"), ("Funktionsergänzung L+L", r"\d{0,3}"), ("BU 49 Hauptfunktionstyp", r"\d"),
    ("BU 49 Hauptfunktionsnummer", r"\d{0,2}"), ("BU 49 Funktionsergänzung", r"\d{0,3}"),
    *((f"Zusatzinformation{part} {n}", text(longest))
      for n in range(1, 21) for part, longest in ((" - Art", 20), ("- Inhalt", 210))),
    ("Stück", r"\d{0,8}"), ("Gewicht", r"\d{1,8},\d{2}"), ("Zahlweise", r"\d{0,2}"),
    ("Forderungsart", text(10, r"\w")), ("Veranlagungsjahr", r"20\d{2}"), ("Zugeordnete Fälligkeit", _GERMAN_DAY),
    ("Skontotyp", r"\d"), ("Auftragsnummer", text(30)), ("Buchungstyp", '"[A-Z]{2}"'),
    ("USt-Schlüssel (Anzahlungen)", r"\d{0,4}"), ("EU-Land (Anzahlungen)", '"[A-Z]{2}"'),
    ("Sachverhalt L+L (Anzahlungen)", r"\d{0,3}"), ("EU-Steuersatz (Anzahlungen)", r"\d{1,2},\d{2}"),
    ("Erlöskonto (Anzahlungen)", r"\d{4,8}"), ("Herkunft-Kz", '"[A-Z]{2}"'), ("Buchungs GUID", text(36)),
    ("KOST-Datum", _GERMAN_DAY), ("SEPA-Mandatsreferenz", text(35)), ("Skontosperre", "[01]"),
    ("Gesellschaftername", text(76)), ("Beteiligtennummer", r"\d{4}"), ("Identifikationsnummer", text(11)),
    ("Zeichnernummer", text(20)), ("Postensperre bis", _GERMAN_DAY), ("Bezeichnung SoBil-Sachverhalt", text(30)),
    ("Kennzeichen SoBil-Buchung", r"\d{1,2}"), ("Festschreibung", "[01]"), ("Leistungsdatum", _GERMAN_DAY),
    ("Datum Zuord. Steuerperiode", _GERMAN_DAY), ("Fälligkeit", _GERMAN_DAY), ("Generalumkehr (GU)", '"[01]"'),
    ("Steuersatz", r"\d{1,2},\d{2}"), ("Land", '"[A-Z]{2}"'), ("Abrechnungsreferenz", text(50)),
    ("BVV-Position", "[1-5]"), ("EU-Land u. UStID (Ursprung)", text(15)), ("EU-Steuersatz (Ursprung)", r"\d{2},\d{2}"),
    ("Abw. Skontokonto", r"\d{1,9}"),
)  # fmt: skip
"""The 125 columns with the form of each: as the file holds them, the quotation marks included."""
REQUIRED: Final = frozenset(
    {"Umsatz (ohne Soll/Haben-Kz)", "Soll/Haben-Kennzeichen", "Konto", "Gegenkonto (ohne BU-Schlüssel)", "Belegdatum"}
)
_TOGETHER: Final = (
    ("Basis-Umsatz", "WKZ Basis-Umsatz"), ("Kurs", "Basis-Umsatz"), ("Geschäftspartnerbank", "SEPA-Mandatsreferenz"),
    *((f"Beleginfo - Art {n}", f"Beleginfo - Inhalt {n}") for n in range(1, 9)),
    *((f"Zusatzinformation - Art {n}", f"Zusatzinformation- Inhalt {n}") for n in range(1, 21)),
)  # fmt: skip
"""Columns of which both are filled, or none."""
_LINK: Final = re.compile(r'(BEDI|DDMS|DORG) "[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}"')
_FIELD: Final = re.compile(r'("(?:[^"]|"")*"|[^;"]*)(;|$)')


@dataclass(frozen=True, slots=True)
class Read:
    """A booking: debit and credit account, the amount in its currency and in the base currency."""

    debit: str
    credit: str
    amount: Decimal
    currency: str
    base: Decimal
    day: date
    fields: Mapping[str, str]  # the filled ones, without quotation marks


@dataclass(frozen=True, slots=True)
class Batch:
    """A file: its header's fields and its bookings."""

    header: tuple[str, ...]
    bookings: tuple[Read, ...]


def read(content: bytes) -> Batch:
    """The file's bookings; AssertionError with the place of whatever is not as published."""
    lines = content.decode("cp1252").split("\r\n")
    assert lines.pop() == "" and not any("\n" in line or "\r" in line for line in lines), "lines end with CR LF"
    header, names, *rows = lines
    said = _header(header)
    assert len(_COLUMNS) == 125 and names == ";".join(name for name, _ in _COLUMNS), "names of the columns"
    return Batch(tuple(said), tuple(_booking(number, row, said) for number, row in enumerate(rows, 3)))


def _header(line: str) -> list[str]:
    fields = list(_fields(line))
    assert len(fields) == len(HEADER) == 31, len(fields)
    for number, (form, value) in enumerate(zip(HEADER, fields, strict=True), 1):
        assert re.fullmatch(form, value, re.ASCII), f"header, field {number}: {value}"
    assert fields[12] <= fields[14] <= fields[15], "the days lie in the fiscal year, in their order"
    return [value.strip('"') for value in fields]


def _booking(number: int, line: str, header: list[str]) -> Read:
    raw = list(_fields(line))
    assert len(raw) == 125, (number, len(raw))
    fields = {}
    for (name, form), value in zip(_COLUMNS, raw, strict=True):
        is_text = form.startswith('"')
        empty = '""' if is_text else ""
        if value == empty:
            assert name not in REQUIRED, f"line {number}: {name} is required"
            continue
        assert re.fullmatch(form, value), f"line {number}: {name}: {value}"
        fields[name] = value[1:-1].replace('""', '"') if is_text else value
    for one, other in _TOGETHER:
        assert (one in fields) == (other in fields), f"line {number}: {one} without {other}"
    return _checked(number, fields, header)


def _checked(number: int, fields: dict[str, str], header: list[str]) -> Read:
    length, base_currency = int(header[13]), header[21]
    konto, contra = fields["Konto"], fields["Gegenkonto (ohne BU-Schlüssel)"]
    assert {len(konto), len(contra)} <= {length, length + 1}, f"line {number}: length of {konto}, {contra}"
    link = fields.get("Beleglink")
    assert link is None or _LINK.fullmatch(link), f"line {number}: {link}"
    amount = _decimal(fields["Umsatz (ohne Soll/Haben-Kz)"])
    currency = fields.get("WKZ Umsatz", base_currency)
    if currency == base_currency:
        assert "Kurs" not in fields, f"line {number}: a rate for the base currency"
        base = amount
    else:
        assert fields.get("WKZ Basis-Umsatz") == base_currency, f"line {number}: {currency} without its base amount"
        base = _decimal(fields["Basis-Umsatz"])
        assert abs(amount / _decimal(fields["Kurs"]) - base) <= Decimal("0.01"), f"line {number}: rate"
    debit, credit = (konto, contra) if fields["Soll/Haben-Kennzeichen"] == "S" else (contra, konto)
    return Read(debit, credit, amount, currency, base, _day(number, fields["Belegdatum"], header), fields)


def _day(number: int, written: str, header: list[str]) -> date:
    """The year is found by the fiscal year."""
    begin, first, last = (datetime.strptime(header[place], "%Y%m%d").date() for place in (12, 14, 15))  # noqa: DTZ007
    day = date(begin.year, int(written[2:]), int(written[:2]))
    if day < begin:
        day = day.replace(year=begin.year + 1)
    assert first <= day <= last, f"line {number}: {day} is not between {first} and {last}"
    return day


def _fields(line: str) -> Iterator[str]:
    place = 0
    while True:
        found = _FIELD.match(line, place)
        assert found, f"broken at {place}: {line[place : place + 40]}"
        yield found[1]
        place = found.end()
        if not found[2]:
            assert place == len(line), f"broken at {place}: {line[place : place + 40]}"
            return


def _decimal(text: str) -> Decimal:
    return Decimal(text.replace(",", "."))
