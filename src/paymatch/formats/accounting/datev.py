"""DATEV format, category 21 (Buchungsstapel), format version 13, as DATEV publishes it.

https://developer.datev.de, DATEV-Format, Formatbeschreibung, Header and Buchungsstapel: fields separated by semicolons,
texts in quotation marks even if they are empty, a decimal comma, CR LF, Windows-1252. The first line is the header
(31 fields), the second names the 125 columns.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import ROUND_HALF_UP, Decimal
from typing import Final

from paymatch.domain.money import currency_of, digits_of, minor_to_decimal
from paymatch.domain.reports.ledger import LedgerBooking
from paymatch.formats.languages.latin_letters import in_latin_letters

_HEADER_VERSION: Final = 700
_CATEGORY: Final = 21
_FORMAT_VERSION: Final = 13
_MAX_TEXT: Final = 60
_MAX_DOCUMENT: Final = 36
_MAX_INFO: Final = 210
_MAX_MINOR: Final = 999_999_999_999
"""The largest amount of the field Umsatz: ten digits before the comma."""
_LEAST_RATE: Final = Decimal(1)
"""The field Kurs begins with a digit from 1 to 9: a currency worth more than the base currency cannot have a rate."""
_LETTERS: Final = {"ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ı": "i", "ő": "ö", "Ő": "Ö", "ű": "ü", "Ű": "Ü"}
_NOT_IN_DOCUMENT: Final = re.compile(r"[^A-Za-z0-9$&%*+/-]")
"""Characters that the field Belegfeld 1 does not allow."""


def _pairs(name: str, inner: str, count: int) -> list[str]:
    return [each for n in range(1, count + 1) for each in (f"{name} - Art {n}", f"{name}{inner} {n}")]


COLUMNS: Final = (
    "Umsatz (ohne Soll/Haben-Kz)", "Soll/Haben-Kennzeichen", "WKZ Umsatz", "Kurs", "Basis-Umsatz",
    "WKZ Basis-Umsatz", "Konto", "Gegenkonto (ohne BU-Schlüssel)", "BU-Schlüssel", "Belegdatum", "Belegfeld 1",
    "Belegfeld 2", "Skonto", "Buchungstext", "Postensperre", "Diverse Adressnummer", "Geschäftspartnerbank",
    "Sachverhalt", "Zinssperre", "Beleglink", *_pairs("Beleginfo", " - Inhalt", 8), "KOST1 - Kostenstelle",
    "KOST2 - Kostenstelle", "Kost-Menge", "EU-Land u. UStID (Bestimmung)", "EU-Steuersatz (Bestimmung)",
    "Abw. Versteuerungsart", "Sachverhalt L+L", "Funktionsergänzung L+L", "BU 49 Hauptfunktionstyp",
    "BU 49 Hauptfunktionsnummer", "BU 49 Funktionsergänzung", *_pairs("Zusatzinformation", "- Inhalt", 20),
    "Stück", "Gewicht", "Zahlweise", "Forderungsart", "Veranlagungsjahr", "Zugeordnete Fälligkeit", "Skontotyp",
    "Auftragsnummer", "Buchungstyp", "USt-Schlüssel (Anzahlungen)", "EU-Land (Anzahlungen)",
    "Sachverhalt L+L (Anzahlungen)", "EU-Steuersatz (Anzahlungen)", "Erlöskonto (Anzahlungen)", "Herkunft-Kz",
    "Buchungs GUID", "KOST-Datum", "SEPA-Mandatsreferenz", "Skontosperre", "Gesellschaftername", "Beteiligtennummer",
    "Identifikationsnummer", "Zeichnernummer", "Postensperre bis", "Bezeichnung SoBil-Sachverhalt",
    "Kennzeichen SoBil-Buchung", "Festschreibung", "Leistungsdatum", "Datum Zuord. Steuerperiode", "Fälligkeit",
    "Generalumkehr (GU)", "Steuersatz", "Land", "Abrechnungsreferenz", "BVV-Position",
    "EU-Land u. UStID (Ursprung)", "EU-Steuersatz (Ursprung)", "Abw. Skontokonto",
)  # fmt: skip
"""As the line of column names in DATEV's sample file spells them."""
_PLACES: Final = {name: place for place, name in enumerate(COLUMNS)}
_TEXTS: Final = frozenset(
    {2, 3, 6, 9, 11, 12, 14, 16, *range(20, 39), 40, 42, *range(48, 88), 91, 95, 96, 98, 102, 103, 105, 107, 109}
    | {110, 112, 118, 120, 121, 123}
)
"""Numbers of the fields that are texts."""
_EMPTY: Final = ['""' if number in _TEXTS else "" for number in range(1, len(COLUMNS) + 1)]
_EMPTY[_PLACES["Festschreibung"]] = "0"  # nothing would lock the batch


@dataclass(frozen=True, slots=True)
class DatevBatch:
    """What the header says, and how bookings are written: days of one fiscal year, in one base currency.

    `tax_keys` are BU-Schlüssel by account; `rates` say how much of a currency one unit of the base currency is worth;
    `links` is the program in which invoices are linked (BEDI, DDMS), "" for none.
    """

    consultant: str
    client: str
    fiscal_year: date
    account_length: int
    first: date
    last: date
    currency: str
    chart: str
    created: datetime
    tax_keys: Mapping[str, str] = field(default_factory=dict)
    rates: Mapping[str, Decimal] = field(default_factory=dict)
    links: str = ""

    def rate_on(self, day: date, currency: str) -> Decimal:
        """The rate of the day's month, named `2026-10:USD`, else the one of all months; KeyError without any."""
        return self.rates.get(f"{day:%Y-%m}:{currency}") or self.rates[currency]


def write_datev(batch: DatevBatch, bookings: Iterable[LedgerBooking]) -> Iterator[bytes]:
    """The file, line by line. Characters that Windows-1252 lacks become question marks.

    KeyError for a booking in another currency without a rate.
    """
    yield _line(_header(batch))
    yield _line(COLUMNS)
    for booking in bookings:
        yield _line(_row(batch, booking))


def _header(batch: DatevBatch) -> list[str]:
    created = f"{batch.created:%Y%m%d%H%M%S}{batch.created.microsecond // 1000:03d}"
    return [
        _quote("EXTF"), str(_HEADER_VERSION), str(_CATEGORY), _quote("Buchungsstapel"), str(_FORMAT_VERSION), created,
        "", _quote("RE"), _quote("paymatch"), _quote(""), batch.consultant, batch.client, _day(batch.fiscal_year),
        str(batch.account_length), _day(batch.first), _day(batch.last), _quote("Zahlungen"), _quote(""), "1", "0",
        "0", _quote(batch.currency), "", _quote(""), "", "", _quote(batch.chart.removeprefix("SKR")), "", "",
        _quote(""), _quote(""),
    ]  # fmt: skip


def _row(batch: DatevBatch, booking: LedgerBooking) -> list[str]:
    assert 0 < booking.minor <= _MAX_MINOR, "no ledger of ours holds more"
    debit, credit = booking.debit.number, booking.credit.number
    values = {
        "Soll/Haben-Kennzeichen": '"S"',
        "Konto": debit,
        "Gegenkonto (ohne BU-Schlüssel)": credit,
        "Belegdatum": f"{booking.date:%d%m}",
        "Belegfeld 1": _quote(_document(booking.document)),
        "Buchungstext": _quote(booking.text[:_MAX_TEXT]),
        "Beleginfo - Art 1": '"Beleg"',
        "Beleginfo - Inhalt 1": _quote(booking.document[:_MAX_INFO]),
        **_amount(batch, booking),
    }
    if booking.posting:
        values |= {"Beleginfo - Art 2": '"Bankbuchung"', "Beleginfo - Inhalt 2": _quote(booking.posting)}
    if key := batch.tax_keys.get(credit) or batch.tax_keys.get(debit):
        values["BU-Schlüssel"] = f'"{key:0>4}"'
    if booking.invoice and batch.links:
        values["Beleglink"] = _quote(f'{batch.links} "{booking.invoice}"')
    row = _EMPTY.copy()
    for name, value in values.items():
        row[_PLACES[name]] = value
    return row


def _document(number: str) -> str:
    """A document's number in the characters that DATEV allows; Greek and Cyrillic letters are written in Latin ones."""
    return _NOT_IN_DOCUMENT.sub("-", in_latin_letters(number))[:_MAX_DOCUMENT]


def _amount(batch: DatevBatch, booking: LedgerBooking) -> dict[str, str]:
    """The fields of the amount: with rate and base amount in another currency.

    Where the field of the rate cannot take it, the amount is in the base currency, and a note says what it was.
    """
    if booking.currency == batch.currency:
        return {"Umsatz (ohne Soll/Haben-Kz)": _amount_text(booking.minor, 2 - _scale(booking.currency)),
                "WKZ Umsatz": f'"{booking.currency}"'}  # fmt: skip
    rate = booking.rate or batch.rate_on(booking.rate_date or booking.date, booking.currency)
    own = minor_to_decimal(booking.minor, currency_of(booking.currency))
    base = max((own / rate).quantize(Decimal("0.01"), ROUND_HALF_UP), Decimal("0.01"))
    base_text = f"{base:.2f}".replace(".", ",")
    if rate >= _LEAST_RATE:
        return {
            "Umsatz (ohne Soll/Haben-Kz)": f"{own:.2f}".replace(".", ","), "WKZ Umsatz": f'"{booking.currency}"',
            "Kurs": f"{rate:f}".replace(".", ","), "Basis-Umsatz": base_text, "WKZ Basis-Umsatz": f'"{batch.currency}"',
        }  # fmt: skip
    note = f"{booking.currency} {own:f}, Kurs {rate:f}".replace(".", ",")
    return {
        "Umsatz (ohne Soll/Haben-Kz)": base_text, "WKZ Umsatz": f'"{batch.currency}"',
        "Beleginfo - Art 3": '"Fremdwährung"', "Beleginfo - Inhalt 3": _quote(note),
    }  # fmt: skip


def _scale(currency: str) -> int:
    return digits_of(currency_of(currency))


def _amount_text(minor: int, missing: int) -> str:
    """Minor units with two decimals and a comma; `missing` digits are added, or cut if negative."""
    cents = minor * 10**missing if missing >= 0 else (minor + 5 * 10 ** (-missing - 1)) // 10**-missing
    return f"{cents // 100},{cents % 100:02d}"


def _quote(text: str) -> str:
    """A text field: quotation marks doubled, control characters left out."""
    plain = text if text.isprintable() else "".join(char if char.isprintable() else " " for char in text)
    return '"' + plain.replace('"', '""') + '"'


def _day(day: date) -> str:
    return f"{day:%Y%m%d}"


def _line(fields: Iterable[str]) -> bytes:
    return (";".join(map(_in_windows_letters, fields)) + "\r\n").encode("cp1252", "replace")


def _in_windows_letters(text: str) -> str:
    """The text in the letters of windows-1252: Greek and Cyrillic ones written in Latin, accents it lacks taken off."""
    if text.isascii():
        return text
    return "".join(map(_windows_letter, in_latin_letters(text)))


def _windows_letter(character: str) -> str:
    if character.encode("cp1252", "ignore"):
        return character
    bare = unicodedata.normalize("NFKD", character)[:1]
    return _LETTERS.get(character) or (bare if bare.encode("cp1252", "ignore") else "?")
