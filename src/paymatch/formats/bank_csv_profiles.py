"""How the columns of an account export map to what a bank says: a profile, kept as JSON, and those known by name."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from enum import StrEnum
from typing import Any, Final


class CsvField(StrEnum):
    """What a column can hold. `text` and `name` may have several columns, every other one."""

    BOOKING_DATE = "booking_date"
    VALUE_DATE = "value_date"
    AMOUNT = "amount"  # signed, or with a marker
    CREDIT = "credit"
    DEBIT = "debit"
    MARKER = "marker"  # S/H, Soll/Haben, D/C, Af/Bij, credit/debit
    GROSS = "gross"  # before `fee`; `amount` is then the net amount
    FEE = "fee"
    CURRENCY = "currency"
    NAME = "name"
    PAYER = "payer"  # name for money in, where payer and payee have a column each
    PAYEE = "payee"
    ULTIMATE_NAME = "ultimate_name"
    IBAN = "iban"
    BIC = "bic"
    TEXT = "text"
    STRUCTURED_REFERENCE = "structured_reference"
    END_TO_END_ID = "end_to_end_id"
    MANDATE = "mandate"
    CREDITOR_ID = "creditor_id"
    BANK_REFERENCE = "bank_reference"
    BATCH_ID = "batch_id"
    RETURN_REASON = "return_reason"
    ORIGINAL_AMOUNT = "original_amount"
    ORIGINAL_CURRENCY = "original_currency"
    BALANCE = "balance"
    TYPE = "type"
    STATUS = "status"
    EFFECT = "effect"  # PayPal: `Memo` rows do not touch the balance
    ACCOUNT = "account"


Columns = tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class CsvProfile:
    """How to read one bank's CSV. A column is named by its header, or by its place as `#1`, `#2` ..."""

    name: str
    columns: Columns  # (field, columns)
    delimiter: str = ";"
    encoding: str = ""  # "" to detect: BOM, strict UTF-8, windows-1252
    header: bool = True
    decimal_mark: str = ","
    date_order: str = "dmy"  # dmy, mdy, ymd
    currency: str = ""  # where no column and no header says it; "" takes the account's
    account: str = ""  # where no column and no line above the header says it
    credit_markers: tuple[str, ...] = ()
    debit_markers: tuple[str, ...] = ()
    blank_marker: str = ""  # what a row without marker is: "credit", "debit", or "" for unreadable
    debit_signed: bool = False  # the debit column writes money out with a minus
    positive_is_debit: bool = False  # card statements: a payment without sign is money out

    def columns_of(self, what: CsvField) -> tuple[str, ...]:
        return dict(self.columns).get(what.value, ())

    def to_json(self) -> str:
        """The profile as JSON, to be kept with the account."""
        return json.dumps(asdict(self) | {"columns": {what: list(names) for what, names in self.columns}})

    @classmethod
    def from_json(cls, text: str) -> CsvProfile:
        """The profile of `to_json`; ValueError if the text is none."""
        values = json.loads(text)
        if not isinstance(values, dict) or not isinstance(values.get("columns"), dict) or "name" not in values:
            raise ValueError("this is no CSV profile")
        unknown = set(values) - {entry.name for entry in fields(cls)}
        wrong = set(values["columns"]) - {what.value for what in CsvField}
        if unknown or wrong:
            raise ValueError(f"unknown in a CSV profile: {', '.join(sorted(unknown | wrong))}")
        return cls(**{key: _plain(value) for key, value in values.items()})


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return tuple((key, tuple(names)) for key, names in value.items())
    return tuple(value) if isinstance(value, list) else value


def header_word(text: str) -> str:
    """A header for comparison: lower case, accents and punctuation gone: `Betrag (€)` is `betrag eur`."""
    plain = text.replace("€", " eur ").replace("ß", "ss").replace("£", " gbp ").replace("ł", "l")
    plain = unicodedata.normalize("NFKD", plain.casefold())
    plain = "".join(character for character in plain if not unicodedata.combining(character))
    return " ".join(re.findall(r"[a-z0-9]+", plain))


@dataclass(frozen=True, slots=True)
class NamedProfile:
    """A bank's export that is recognised by its headers, or without headers by the look of its first columns."""

    name: str
    columns: Mapping[CsvField, str]  # headers separated by |; columns that an export lacks are left out
    needs: str = ""  # headers separated by | that must all be there
    pattern: tuple[str, ...] = ()  # regular expressions of the cells of a row without header
    delimiter: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)


_F = CsvField
_SPARKASSE: Final = {
    _F.ACCOUNT: "Auftragskonto",
    _F.BOOKING_DATE: "Buchungstag",
    _F.VALUE_DATE: "Valutadatum",
    _F.TYPE: "Buchungstext",
    _F.TEXT: "Verwendungszweck",
    _F.CREDITOR_ID: "Glaeubiger ID",
    _F.MANDATE: "Mandatsreferenz",
    _F.END_TO_END_ID: "Kundenreferenz (End-to-End)",
    _F.BATCH_ID: "Sammlerreferenz",
    _F.NAME: "Beguenstigter/Zahlungspflichtiger",
    _F.IBAN: "Kontonummer/IBAN|Kontonummer",
    _F.BIC: "BIC (SWIFT-Code)|BLZ",
    _F.AMOUNT: "Betrag",
    _F.CURRENCY: "Waehrung",
    _F.STATUS: "Info",
}
_DEUTSCHE_BANK: Final = {
    _F.BOOKING_DATE: "Buchungstag",
    _F.VALUE_DATE: "Wert",
    _F.TYPE: "Umsatzart",
    _F.NAME: "Begünstigter / Auftraggeber",
    _F.TEXT: "Verwendungszweck",
    _F.IBAN: "IBAN|IBAN / Kontonummer",
    _F.BIC: "BIC",
    _F.END_TO_END_ID: "Kundenreferenz",
    _F.MANDATE: "Mandatsreferenz",
    _F.CREDITOR_ID: "Gläubiger ID",
    _F.ULTIMATE_NAME: "Abweichender Empfänger",
    _F.DEBIT: "Soll",
    _F.CREDIT: "Haben",
    _F.CURRENCY: "Währung",
}
_UBS: Final = {
    _F.BOOKING_DATE: "Buchungsdatum",
    _F.VALUE_DATE: "Valutadatum",
    _F.CURRENCY: "Währung",
    _F.DEBIT: "Belastung",
    _F.CREDIT: "Gutschrift",
    _F.BALANCE: "Saldo",
    _F.BANK_REFERENCE: "Transaktions-Nr.",
    _F.TEXT: "Beschreibung1|Beschreibung2|Beschreibung3",
}

NAMED_PROFILES: Final[tuple[NamedProfile, ...]] = (
    NamedProfile(
        "Sparkasse CAMT v8", _SPARKASSE, "Auftragskonto|Kundenreferenz (End-to-End)|Sammlerreferenz|Betrag|Kategorie"
    ),
    NamedProfile("Sparkasse CAMT v2", _SPARKASSE, "Auftragskonto|Kundenreferenz (End-to-End)|Sammlerreferenz|Betrag"),
    NamedProfile("Sparkasse MT940-CSV", _SPARKASSE, "Auftragskonto|Beguenstigter/Zahlungspflichtiger|BLZ|Betrag"),
    NamedProfile(
        "DKB",
        {
            _F.BOOKING_DATE: "Buchungsdatum",
            _F.VALUE_DATE: "Wertstellung",
            _F.STATUS: "Status",
            _F.PAYER: "Zahlungspflichtige*r",
            _F.PAYEE: "Zahlungsempfänger*in",
            _F.TEXT: "Verwendungszweck",
            _F.TYPE: "Umsatztyp",
            _F.IBAN: "IBAN",
            _F.AMOUNT: "Betrag (€)|Betrag",
            _F.CREDITOR_ID: "Gläubiger-ID",
            _F.MANDATE: "Mandatsreferenz",
            _F.END_TO_END_ID: "Kundenreferenz",
        },
        "Buchungsdatum|Status|Zahlungspflichtige*r|Zahlungsempfänger*in",
    ),
    NamedProfile(
        "DKB until 2023",
        {
            _F.BOOKING_DATE: "Buchungstag",
            _F.VALUE_DATE: "Wertstellung",
            _F.TYPE: "Buchungstext",
            _F.NAME: "Auftraggeber / Begünstigter",
            _F.TEXT: "Verwendungszweck",
            _F.IBAN: "Kontonummer",
            _F.BIC: "BLZ",
            _F.AMOUNT: "Betrag (EUR)",
            _F.CREDITOR_ID: "Gläubiger-ID",
            _F.MANDATE: "Mandatsreferenz",
            _F.END_TO_END_ID: "Kundenreferenz",
        },
        "Buchungstag|Auftraggeber / Begünstigter|Betrag (EUR)|Kontonummer|BLZ",
    ),
    NamedProfile(
        "Commerzbank",
        {
            _F.BOOKING_DATE: "Buchungstag",
            _F.VALUE_DATE: "Wertstellung",
            _F.TYPE: "Umsatzart",
            _F.TEXT: "Buchungstext",
            _F.AMOUNT: "Betrag",
            _F.CURRENCY: "Währung",
            _F.ACCOUNT: "IBAN Auftraggeberkonto|IBAN Kontoinhaber",
        },
        "Buchungstag|Umsatzart|Buchungstext|Betrag|IBAN Auftraggeberkonto",
    ),
    NamedProfile(
        "Postbank", _DEUTSCHE_BANK, "Buchungstag|Wert|Begünstigter / Auftraggeber|IBAN / Kontonummer|Soll|Haben"
    ),
    NamedProfile("Deutsche Bank", _DEUTSCHE_BANK, "Buchungstag|Wert|Begünstigter / Auftraggeber|Soll|Haben"),
    NamedProfile(
        "Postbank until 2023",
        {
            _F.BOOKING_DATE: "Buchungstag",
            _F.VALUE_DATE: "Wertstellung",
            _F.TYPE: "Umsatzart",
            _F.TEXT: "Buchungsdetails",
            _F.PAYER: "Auftraggeber",
            _F.PAYEE: "Empfänger",
            _F.AMOUNT: "Betrag (€)",
            _F.BALANCE: "Saldo (€)",
        },
        "Umsatzart|Buchungsdetails|Auftraggeber|Empfänger|Betrag (€)",
    ),
    NamedProfile(
        "ING-DiBa",
        {
            _F.BOOKING_DATE: "Buchung",
            _F.VALUE_DATE: "Wertstellungsdatum|Valuta",
            _F.NAME: "Auftraggeber/Empfänger",
            _F.TYPE: "Buchungstext",
            _F.TEXT: "Verwendungszweck",
            _F.AMOUNT: "Betrag",
            _F.BALANCE: "Saldo",
            _F.CURRENCY: "Währung",
        },
        "Buchung|Auftraggeber/Empfänger|Buchungstext|Verwendungszweck|Betrag",
    ),
    NamedProfile(
        "comdirect",
        {
            _F.BOOKING_DATE: "Buchungstag",
            _F.VALUE_DATE: "Wertstellung (Valuta)",
            _F.TYPE: "Vorgang",
            _F.TEXT: "Buchungstext",
            _F.AMOUNT: "Umsatz in EUR",
        },
        "Buchungstag|Vorgang|Buchungstext|Umsatz in EUR",
    ),
    NamedProfile(
        "N26",
        {
            _F.BOOKING_DATE: "Booking Date|Date|Datum",
            _F.VALUE_DATE: "Value Date",
            _F.NAME: "Partner Name|Payee|Empfänger",
            _F.IBAN: "Partner Iban|Account number|Kontonummer",
            _F.TYPE: "Type|Transaction type|Transaktionstyp",
            _F.TEXT: "Payment Reference|Payment reference|Verwendungszweck",
            _F.AMOUNT: "Amount (EUR)|Betrag (EUR)",
        },
        "Booking Date|Partner Name|Partner Iban|Amount (EUR)",
    ),
    NamedProfile(
        "N26 until 2024",
        {
            _F.BOOKING_DATE: "Date|Datum",
            _F.NAME: "Payee|Empfänger",
            _F.IBAN: "Account number|Kontonummer",
            _F.TYPE: "Transaction type|Transaktionstyp",
            _F.TEXT: "Payment reference|Verwendungszweck",
            _F.AMOUNT: "Amount (EUR)|Betrag (EUR)",
        },
        "Datum|Transaktionstyp|Betrag (EUR)|Betrag (Fremdwährung)",
    ),
    NamedProfile(
        "N26 until 2024",
        {
            _F.BOOKING_DATE: "Date",
            _F.NAME: "Payee",
            _F.IBAN: "Account number",
            _F.TYPE: "Transaction type",
            _F.TEXT: "Payment reference",
            _F.AMOUNT: "Amount (EUR)",
        },
        "Date|Payee|Transaction type|Amount (EUR)",
    ),
    NamedProfile(
        "Volksbank",
        {
            _F.ACCOUNT: "IBAN Auftragskonto",
            _F.BOOKING_DATE: "Buchungstag",
            _F.VALUE_DATE: "Valutadatum",
            _F.NAME: "Name Zahlungsbeteiligter",
            _F.IBAN: "IBAN Zahlungsbeteiligter",
            _F.BIC: "BIC (SWIFT-Code) Zahlungsbeteiligter",
            _F.TYPE: "Buchungstext",
            _F.TEXT: "Verwendungszweck",
            _F.AMOUNT: "Betrag",
            _F.CURRENCY: "Waehrung",
            _F.BALANCE: "Saldo nach Buchung",
            _F.CREDITOR_ID: "Glaeubiger ID",
            _F.MANDATE: "Mandatsreferenz",
        },
        "IBAN Auftragskonto|Name Zahlungsbeteiligter|IBAN Zahlungsbeteiligter|Betrag",
    ),
    NamedProfile(
        "Erste George",
        {
            _F.BOOKING_DATE: "Buchungsdatum",
            _F.VALUE_DATE: "Valutadatum",
            _F.NAME: "Partnername|Partner Name",
            _F.IBAN: "Partner IBAN|Partner Kontonummer",
            _F.BIC: "BIC/SWIFT",
            _F.AMOUNT: "Betrag",
            _F.CURRENCY: "Währung",
            _F.TEXT: "Buchungs-Info|Zahlungsreferenz|Verwendungszweck",
            _F.BANK_REFERENCE: "Buchungsreferenz",
            _F.ACCOUNT: "Eigene IBAN|IBAN",
        },
        "Buchungsdatum|Partner IBAN|Buchungsreferenz|Betrag",
    ),
    NamedProfile(
        "PostFinance",
        {
            _F.BOOKING_DATE: "Buchungsdatum|Datum",
            _F.TEXT: "Avisierungstext",
            _F.TYPE: "Bewegungstyp",
            _F.CREDIT: "Gutschrift in CHF|Gutschrift in EUR",
            _F.DEBIT: "Lastschrift in CHF|Lastschrift in EUR",
            _F.VALUE_DATE: "Valuta",
            _F.BALANCE: "Saldo in CHF|Saldo in EUR",
        },
        "Avisierungstext|Valuta",
    ),
    NamedProfile("UBS", _UBS, "Abschlussdatum|Buchungsdatum|Belastung|Gutschrift|Transaktions-Nr."),
    NamedProfile(
        "ZKB",
        {
            _F.BOOKING_DATE: "Datum",
            _F.VALUE_DATE: "Valuta",
            _F.TEXT: "Zahlungszweck",
            _F.NAME: "Details",
            _F.TYPE: "Buchungstext",
            _F.BANK_REFERENCE: "ZKB-Referenz",
            _F.STRUCTURED_REFERENCE: "Referenznummer",
            _F.DEBIT: "Belastung CHF|Belastung EUR",
            _F.CREDIT: "Gutschrift CHF|Gutschrift EUR",
            _F.BALANCE: "Saldo CHF|Saldo EUR",
        },
        "Datum|Buchungstext|ZKB-Referenz",
    ),
    NamedProfile(
        "Raiffeisen CH",
        {
            _F.ACCOUNT: "IBAN",
            _F.BOOKING_DATE: "Booked At",
            _F.TEXT: "Text",
            _F.AMOUNT: "Credit/Debit Amount",
            _F.BALANCE: "Balance",
            _F.VALUE_DATE: "Valuta Date",
        },
        "IBAN|Booked At|Text|Credit/Debit Amount",
        options={"decimal_mark": ".", "date_order": "ymd", "currency": "CHF"},
    ),
    NamedProfile(
        "ING NL",
        {
            _F.BOOKING_DATE: "Datum|Date",
            _F.NAME: "Naam / Omschrijving|Name / Description",
            _F.ACCOUNT: "Rekening|Account",
            _F.IBAN: "Tegenrekening|Counterparty",
            _F.MARKER: "Af Bij|Debit/credit",
            _F.AMOUNT: "Bedrag (EUR)|Amount (EUR)",
            _F.TYPE: "Mutatiesoort|Transaction type",
            _F.TEXT: "Mededelingen|Notifications",
            _F.BALANCE: "Saldo na mutatie|Resulting balance",
        },
        "Datum|Naam / Omschrijving|Af Bij|Bedrag (EUR)",
    ),
    NamedProfile(
        "ING NL",
        {
            _F.BOOKING_DATE: "Date",
            _F.NAME: "Name / Description",
            _F.ACCOUNT: "Account",
            _F.IBAN: "Counterparty",
            _F.MARKER: "Debit/credit",
            _F.AMOUNT: "Amount (EUR)",
            _F.TYPE: "Transaction type",
            _F.TEXT: "Notifications",
            _F.BALANCE: "Resulting balance",
        },
        "Date|Name / Description|Debit/credit|Amount (EUR)",
    ),
    NamedProfile(
        "Rabobank",
        {
            _F.ACCOUNT: "IBAN/BBAN",
            _F.CURRENCY: "Munt",
            _F.BOOKING_DATE: "Datum",
            _F.VALUE_DATE: "Rentedatum",
            _F.AMOUNT: "Bedrag",
            _F.BALANCE: "Saldo na trn",
            _F.IBAN: "Tegenrekening IBAN/BBAN",
            _F.NAME: "Naam tegenpartij",
            _F.ULTIMATE_NAME: "Naam uiteindelijke partij",
            _F.BIC: "BIC tegenpartij",
            _F.TYPE: "Code",
            _F.BATCH_ID: "Batch ID",
            _F.END_TO_END_ID: "Transactiereferentie",
            _F.MANDATE: "Machtigingskenmerk",
            _F.CREDITOR_ID: "Incassant ID",
            _F.STRUCTURED_REFERENCE: "Betalingskenmerk",
            _F.TEXT: "Omschrijving-1|Omschrijving-2|Omschrijving-3",
            _F.RETURN_REASON: "Reden retour",
            _F.ORIGINAL_AMOUNT: "Oorspr bedrag",
            _F.ORIGINAL_CURRENCY: "Oorspr munt",
            _F.BANK_REFERENCE: "Volgnr",
        },
        "IBAN/BBAN|Munt|Volgnr|Rentedatum|Bedrag|Omschrijving-1",
        options={"date_order": "ymd"},
    ),
    NamedProfile(
        "bunq",
        {
            _F.BOOKING_DATE: "Date|Datum",
            _F.AMOUNT: "Amount|Bedrag",
            _F.ACCOUNT: "Account|Rekening",
            _F.IBAN: "Counterparty|Tegenrekening",
            _F.NAME: "Name|Naam",
            _F.TEXT: "Description|Omschrijving",
        },
        "Date|Amount|Account|Counterparty|Name|Description",
        options={"date_order": "ymd"},
    ),
    NamedProfile(
        "bunq",
        {
            _F.BOOKING_DATE: "Datum",
            _F.AMOUNT: "Bedrag",
            _F.ACCOUNT: "Rekening",
            _F.IBAN: "Tegenrekening",
            _F.NAME: "Naam",
            _F.TEXT: "Omschrijving",
        },
        "Datum|Bedrag|Rekening|Tegenrekening|Naam|Omschrijving",
        options={"date_order": "ymd"},
    ),
    NamedProfile(
        "PayPal",
        {
            _F.BOOKING_DATE: "Datum",
            _F.NAME: "Name",
            _F.TYPE: "Typ",
            _F.STATUS: "Status",
            _F.CURRENCY: "Währung",
            _F.GROSS: "Brutto",
            _F.FEE: "Gebühr|Entgelt",
            _F.AMOUNT: "Netto",
            _F.BANK_REFERENCE: "Transaktionscode",
            _F.TEXT: "Betreff|Hinweis|Artikelbezeichnung|Rechnungsnummer",
            _F.BALANCE: "Guthaben",
            _F.EFFECT: "Auswirkung auf Guthaben",
        },
        "Brutto|Netto|Transaktionscode|Währung",
    ),
    NamedProfile(
        "PayPal",
        {
            _F.BOOKING_DATE: "Date",
            _F.NAME: "Name",
            _F.TYPE: "Type",
            _F.STATUS: "Status",
            _F.CURRENCY: "Currency",
            _F.GROSS: "Gross",
            _F.FEE: "Fee",
            _F.AMOUNT: "Net",
            _F.BANK_REFERENCE: "Transaction ID",
            _F.TEXT: "Subject|Note|Item Title|Invoice Number",
            _F.BALANCE: "Balance",
            _F.EFFECT: "Balance Impact",
        },
        "Gross|Net|Transaction ID|Currency",
    ),
    NamedProfile(
        "Raiffeisen ELBA",
        {
            _F.BOOKING_DATE: "#1",
            _F.TEXT: "#2",
            _F.VALUE_DATE: "#3",
            _F.AMOUNT: "#4",
            _F.CURRENCY: "#5",
            _F.BANK_REFERENCE: "#6",
        },
        pattern=(
            r"\d\d\.\d\d\.\d{4}",
            ".*",
            r"\d\d\.\d\d\.\d{4}",
            r"[+-]?[\d.]+,\d\d",
            "[A-Z]{3}",
            r"\d\d\.\d\d\.\d{4} .*",
        ),
    ),
    NamedProfile(
        "BAWAG",
        {
            _F.ACCOUNT: "#1",
            _F.TEXT: "#2",
            _F.BOOKING_DATE: "#3",
            _F.VALUE_DATE: "#4",
            _F.AMOUNT: "#5",
            _F.CURRENCY: "#6",
        },
        pattern=(r"AT\d{18}", ".*", r"\d\d\.\d\d\.\d{4}", r"\d\d\.\d\d\.\d{4}", r"[+-]?[\d.]+,\d\d", "[A-Z]{3}"),
    ),
    NamedProfile(
        "ABN AMRO",
        {
            _F.ACCOUNT: "#1",
            _F.CURRENCY: "#2",
            _F.BOOKING_DATE: "#3",
            _F.VALUE_DATE: "#6",
            _F.AMOUNT: "#7",
            _F.TEXT: "#8",
        },
        pattern=(
            r"\d{9,10}|NL\d\d[A-Z]{4}\d{10}",
            "[A-Z]{3}",
            r"\d{8}",
            r"-?\d+,\d\d",
            r"-?\d+,\d\d",
            r"\d{8}",
            r"-?\d+,\d\d",
        ),
        options={"date_order": "ymd"},
    ),
    NamedProfile(
        "ASN",
        {
            _F.BOOKING_DATE: "#1",
            _F.ACCOUNT: "#2",
            _F.IBAN: "#3",
            _F.NAME: "#4",
            _F.CURRENCY: "#10",
            _F.AMOUNT: "#11",
            _F.VALUE_DATE: "#13",
            _F.TYPE: "#15",
            _F.BANK_REFERENCE: "#16",
            _F.END_TO_END_ID: "#17",
            _F.TEXT: "#18",
        },
        pattern=(
            r"\d\d-\d\d-\d{4}",
            r"NL\d\d[A-Z]{4}\d{10}",
            ".*",
            ".*",
            ".*",
            ".*",
            ".*",
            "[A-Z]{3}",
            ".*",
            "[A-Z]{3}",
            ".*",
        ),
        options={"decimal_mark": ".", "date_order": "dmy"},
    ),
)
