"""Exports of Austrian, Swiss and Dutch banks, of PayPal and Revolut."""

from __future__ import annotations

from typing import Final

from paymatch.formats.tables.profiles import CsvField, NamedProfile

_F = CsvField
_PAYPAL: Final = {
    _F.BOOKING_DATE: "Datum|Date|Data|Fecha",
    _F.NAME: "Name|Nom|Naam|Nome|Nombre|Nazwa|Imię i nazwisko",
    _F.TYPE: "Typ|Type|Tipo|Beschreibung|Description",
    _F.STATUS: "Status|État|Stato|Estado|Stan",
    _F.CURRENCY: "Währung|Currency|Devise|Valuta|Divisa|Waluta",
    _F.GROSS: "Brutto|Gross|Avant commission|Brut|Bruto|Lordo",
    _F.FEE: "Gebühr|Entgelt|Fee|Commission|Frais|Kosten|Tariffa|Comisión|Tarifa|Opłata",
    _F.AMOUNT: "Netto|Net|Neto",
    _F.BANK_REFERENCE: (
        "Transaktionscode|Transaction ID|Numéro de transaction|Transactiereferentie|Codice transazione|"
        "Id. de transacción|Numer transakcji"
    ),
    _F.TEXT: (
        "Betreff|Hinweis|Artikelbezeichnung|Rechnungsnummer|Subject|Note|Item Title|Invoice Number|Objet|"
        "Titre de l'objet|Numéro de facture|Onderwerp|Factuurnummer|Oggetto|Numero fattura|Asunto|Número de factura"
    ),
    _F.BALANCE: "Guthaben|Balance|Solde|Saldo",
    _F.EFFECT: "Auswirkung auf Guthaben|Balance Impact",
}
_REVOLUT: Final = {
    _F.BOOKING_DATE: "Completed Date|Datum des Abschlusses",
    _F.TYPE: "Type|Art",
    _F.TEXT: "Description|Beschreibung",
    _F.AMOUNT: "Amount|Betrag",
    _F.FEE: "Fee|Gebühr",
    _F.CURRENCY: "Currency|Währung",
    _F.STATUS: "State|Status",
    _F.BALANCE: "Balance|Kontostand",
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

OTHER_BANKS: Final[tuple[NamedProfile, ...]] = (
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
    *(
        NamedProfile("PayPal", _PAYPAL, needs)
        for needs in (
            "Brutto|Netto|Transaktionscode|Währung",
            "Gross|Net|Transaction ID|Currency",
            "Avant commission|Net|Numéro de transaction|Devise",
            "Bruto|Net|Transactiereferentie|Valuta",
            "Lordo|Netto|Codice transazione|Valuta",
            "Bruto|Neto|Id. de transacción|Divisa",
            "Brutto|Netto|Numer transakcji|Waluta",
        )
    ),
    *(
        NamedProfile("Revolut", _REVOLUT, needs, options={"fee_apart": True})
        for needs in (
            "Product|Started Date|Completed Date|Amount|Fee|State",
            "Produkt|Datum des Beginns|Datum des Abschlusses|Betrag|Gebühr",
        )
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
