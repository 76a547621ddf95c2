"""Exports of German banks: Sparkassen, DKB, Commerzbank, Deutsche Bank, Postbank, ING, comdirect, N26, Volksbanken."""

from __future__ import annotations

from typing import Final

from paymatch.formats.tables.profiles import CsvField, NamedProfile

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
    _F.ORIGINAL_AMOUNT: "Lastschrift Ursprungsbetrag",
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

_COMMERZBANK: Final = {
    _F.BOOKING_DATE: "Buchungstag",
    _F.VALUE_DATE: "Wertstellung",
    _F.TYPE: "Umsatzart",
    _F.TEXT: "Buchungstext",
    _F.AMOUNT: "Betrag",
    _F.CURRENCY: "Währung",
    _F.ACCOUNT: "IBAN Auftraggeberkonto|IBAN Kontoinhaber",
}

GERMAN_BANKS: Final[tuple[NamedProfile, ...]] = (
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
    *(
        NamedProfile("Commerzbank", _COMMERZBANK, f"Buchungstag|Umsatzart|Buchungstext|Betrag|{account}")
        for account in ("IBAN Auftraggeberkonto", "IBAN Kontoinhaber")
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
)
