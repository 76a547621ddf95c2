"""DATEV format, category 21 (Buchungsstapel), format version 13, as DATEV publishes it.

https://developer.datev.de/datev/platform/de/dtvf/formate/buchungsstapel: fields separated by semicolons, texts in
quotation marks, a decimal comma, CR LF, Windows-1252. The first line is the header (31 fields), the second names the
125 columns.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

from paymatch.domain.money import currency_of, minor_to_text
from paymatch.domain.reports.ledger import Booking

_HEADER_VERSION: Final = 700
_CATEGORY: Final = 21
_FORMAT_VERSION: Final = 13
_MAX_TEXT: Final = 60
_MAX_DOCUMENT: Final = 36
_MAX_MINOR: Final = 999_999_999_999
"""The largest amount of the field Umsatz: ten digits before the comma."""
_NOT_IN_DOCUMENT: Final = re.compile(r"[^A-Za-z0-9$&%*+/-]")
"""What the field Belegfeld 1 does not take."""


def _pairs(name: str, inner: str, count: int) -> list[str]:
    return [each for n in range(1, count + 1) for each in (f"{name} - Art {n}", f"{inner} - Inhalt {n}")]


COLUMNS: Final = (
    "Umsatz (ohne Soll/Haben-Kz)", "Soll/Haben-Kennzeichen", "WKZ Umsatz", "Kurs", "Basis-Umsatz",
    "WKZ Basis-Umsatz", "Konto", "Gegenkonto (ohne BU-Schlüssel)", "BU-Schlüssel", "Belegdatum", "Belegfeld 1",
    "Belegfeld 2", "Skonto", "Buchungstext", "Postensperre", "Diverse Adressnummer", "Geschäftspartnerbank",
    "Sachverhalt", "Zinssperre", "Beleglink", *_pairs("Beleginfo", "Beleginfo", 8), "KOST1 - Kostenstelle",
    "KOST2 - Kostenstelle", "Kost-Menge", "EU-Land u. UStID (Bestimmung)", "EU-Steuersatz (Bestimmung)",
    "Abw. Versteuerungsart", "Sachverhalt L+L", "Funktionsergänzung L+L", "BU 49 Hauptfunktionstyp",
    "BU 49 Hauptfunktionsnummer", "BU 49 Funktionsergänzung", *_pairs("Zusatzinformation", "Zusatzinformation", 20),
    "Stück", "Gewicht", "Zahlweise", "Forderungsart", "Veranlagungsjahr", "Zugeordnete Fälligkeit", "Skontotyp",
    "Auftragsnummer", "Buchungstyp", "USt-Schlüssel (Anzahlungen)", "EU-Land (Anzahlungen)",
    "Sachverhalt L+L (Anzahlungen)", "EU-Steuersatz (Anzahlungen)", "Erlöskonto (Anzahlungen)", "Herkunft-Kz",
    "Buchungs GUID", "KOST-Datum", "SEPA-Mandatsreferenz", "Skontosperre", "Gesellschaftername", "Beteiligtennummer",
    "Identifikationsnummer", "Zeichnernummer", "Postensperre bis", "Bezeichnung SoBil-Sachverhalt",
    "Kennzeichen SoBil-Buchung", "Festschreibung", "Leistungsdatum", "Datum Zuord. Steuerperiode", "Fälligkeit",
    "Generalumkehr (GU)", "Steuersatz", "Land", "Abrechnungsreferenz", "BVV-Position",
    "EU-Land u. UStID (Ursprung)", "EU-Steuersatz (Ursprung)", "Abw. Skontokonto",
)  # fmt: skip
_TEXT_COLUMNS: Final = frozenset(
    {"Soll/Haben-Kennzeichen", "WKZ Umsatz", "Belegfeld 1", "Buchungstext"}
    | {f"Beleginfo - {part} {n}" for part in ("Art", "Inhalt") for n in (1, 2)}
)
_PLACES: Final = {name: place for place, name in enumerate(COLUMNS)}


@dataclass(frozen=True, slots=True)
class Batch:
    """What the header says: whose bookings of which days, within one fiscal year, in one currency."""

    consultant: str
    client: str
    fiscal_year: date
    account_length: int
    first: date
    last: date
    currency: str
    chart: str
    created: datetime


def write_datev(batch: Batch, bookings: Iterable[Booking]) -> Iterator[bytes]:
    """The file, line by line. Characters that Windows-1252 lacks become question marks."""
    yield _line(_header(batch))
    yield _line([_quoted(name) for name in COLUMNS])
    for booking in bookings:
        yield _line(_row(booking))


def _header(batch: Batch) -> list[str]:
    created = f"{batch.created:%Y%m%d%H%M%S}{batch.created.microsecond // 1000:03d}"
    return [
        _quoted("EXTF"), str(_HEADER_VERSION), str(_CATEGORY), _quoted("Buchungsstapel"), str(_FORMAT_VERSION), created,
        "", _quoted("RE"), _quoted("paymatch"), _quoted(""), batch.consultant, batch.client, _day(batch.fiscal_year),
        str(batch.account_length), _day(batch.first), _day(batch.last), _quoted("Zahlungen"), _quoted(""), "1", "0",
        "0", _quoted(batch.currency), "", _quoted(""), "", "", _quoted(batch.chart.removeprefix("SKR")), "", "",
        _quoted(""), _quoted(""),
    ]  # fmt: skip


def _row(booking: Booking) -> list[str]:
    assert 0 < booking.minor <= _MAX_MINOR, "no ledger of ours holds more"
    values = {
        "Umsatz (ohne Soll/Haben-Kz)": minor_to_text(booking.minor, currency_of(booking.currency)).replace(".", ","),
        "Soll/Haben-Kennzeichen": "S",
        "WKZ Umsatz": booking.currency,
        "Konto": booking.debit.number,
        "Gegenkonto (ohne BU-Schlüssel)": booking.credit.number,
        "Belegdatum": f"{booking.date:%d%m}",
        "Belegfeld 1": _NOT_IN_DOCUMENT.sub("-", booking.document)[:_MAX_DOCUMENT],
        "Buchungstext": booking.text[:_MAX_TEXT],
        "Beleginfo - Art 1": "Beleg",
        "Beleginfo - Inhalt 1": booking.document,
        "Beleginfo - Art 2": "Bankbuchung" if booking.posting else "",
        "Beleginfo - Inhalt 2": booking.posting,
    }
    row = [""] * len(COLUMNS)
    for name, value in values.items():
        row[_PLACES[name]] = _quoted(value) if name in _TEXT_COLUMNS and value else value
    return row


def _quoted(text: str) -> str:
    """A text field: quotation marks doubled, control characters left out."""
    plain = "".join(char if char.isprintable() else " " for char in text)
    return '"' + plain.replace('"', '""') + '"'


def _day(day: date) -> str:
    return f"{day:%Y%m%d}"


def _line(fields: Iterable[str]) -> bytes:
    return (";".join(fields) + "\r\n").encode("cp1252", "replace")
