"""Short exports in the manner of banks; names, accounts and amounts are made up."""

# ruff: noqa: E501  # rows as the banks write them
from __future__ import annotations

from dataclasses import dataclass
from typing import Final

Facts = tuple[int, str, str, str, str, str, str]
"""Amount, currency, booking date, status, counterparty's name and account, remittance."""


@dataclass(frozen=True, slots=True)
class Export:
    profile: str
    text: str
    entries: tuple[Facts, ...]
    account: str = "DE53677979049691425502"
    encoding: str = "cp1252"


_OWN: Final = "DE53677979049691425502"
_CUSTOMER: Final = "DE32179238677995673254"
_SPARKASSE: Final = (
    '"Auftragskonto";"Buchungstag";"Valutadatum";"Buchungstext";"Verwendungszweck";"Glaeubiger ID";"Mandatsreferenz";'
    '"Kundenreferenz (End-to-End)";"Sammlerreferenz";"Lastschrift Ursprungsbetrag";"Auslagenersatz Ruecklastschrift";'
    '"Beguenstigter/Zahlungspflichtiger";"Kontonummer/IBAN";"BIC (SWIFT-Code)";"Betrag";"Waehrung";"Info"'
)
_SPARKASSE_ROWS: Final = (
    f'"{_OWN}";"04.08.26";"05.08.26";"GUTSCHR. UEBERWEISUNG";"SW-10843";"";"";"E2E-1";"";"";"";"Müller, Jörg";'
    f'"{_CUSTOMER}";"COBADEFFXXX";"44,90";"EUR";"Umsatz gebucht"',
    f'"{_OWN}";"04.08.26";"04.08.26";"ONLINE-UEBERWEISUNG";"Miete";"";"";"";"";"";"";"Haus GmbH";'
    f'"{_CUSTOMER}";"COBADEFFXXX";"-1.200,00";"EUR";"Umsatz vorgemerkt"',
)
_SPARKASSE_FACTS: Final = (
    (4490, "EUR", "2026-08-04", "BOOK", "Müller, Jörg", _CUSTOMER, "SW-10843"),
    (-120000, "EUR", "2026-08-04", "PDNG", "Haus GmbH", _CUSTOMER, "Miete"),
)
_DEUTSCHE: Final = (
    "Buchungstag;Wert;Umsatzart;Begünstigter / Auftraggeber;Verwendungszweck;{iban};BIC;Kundenreferenz;Mandatsreferenz;"
    "Gläubiger ID;Fremde Gebühren;Betrag;Abweichender Empfänger;Anzahl der Aufträge;Anzahl der Schecks;Soll;Haben;Währung\n"
    "4.8.2026;4.8.2026;SEPA-Gutschrift;Ekkehart Lorch;SW-10843;DE32179238677995673254;COBADEFF;E2E-1;;;;;;1;;;44,90;EUR\n"
    "5.8.2026;5.8.2026;SEPA-Überweisung;Haus GmbH;Miete;DE32179238677995673254;COBADEFF;;;;;;;1;;-1.200,00;;EUR\n"
    "Kontostand;5.8.2026;;;;;;;;;;;;;;;1.234,56;EUR\n"
)
_DEUTSCHE_FACTS: Final = (
    (4490, "EUR", "2026-08-04", "BOOK", "Ekkehart Lorch", _CUSTOMER, "SW-10843"),
    (-120000, "EUR", "2026-08-05", "BOOK", "Haus GmbH", _CUSTOMER, "Miete"),
)

EXPORTS: Final = (
    Export("Sparkasse CAMT v2", "\n".join((_SPARKASSE, *_SPARKASSE_ROWS)), _SPARKASSE_FACTS),
    Export(
        "Sparkasse CAMT v8",
        "\n".join((_SPARKASSE + ';"Kategorie"', *(row + ';"Sonstiges"' for row in _SPARKASSE_ROWS))) + "\n",
        _SPARKASSE_FACTS,
    ),
    Export(
        "Sparkasse MT940-CSV",
        '"Auftragskonto";"Buchungstag";"Valutadatum";"Buchungstext";"Verwendungszweck";"Beguenstigter/Zahlungspflichtiger";'
        '"Kontonummer";"BLZ";"Betrag";"Waehrung";"Info"\n'
        '"12345678";"04.08.26";"04.08.26";"GUTSCHRIFT";"EREF+E2E-1 SVWZ+SW-10843";"Lorch";"DE32179238677995673254";'
        '"COBADEFF";"44,90";"EUR";"Umsatz gebucht"\n',
        ((4490, "EUR", "2026-08-04", "BOOK", "Lorch", _CUSTOMER, "SW-10843"),),
        account="12345678",
    ),
    Export(
        "DKB",
        f'"Girokonto";"{_OWN}"\n"Kontostand vom 05.08.2026:";"1.234,56 €"\n""\n'
        '"Buchungsdatum";"Wertstellung";"Status";"Zahlungspflichtige*r";"Zahlungsempfänger*in";"Verwendungszweck";'
        '"Umsatztyp";"IBAN";"Betrag (€)";"Gläubiger-ID";"Mandatsreferenz";"Kundenreferenz"\n'
        '"05.08.26";"";"Vorgemerkt";"Wir";"Haus GmbH";"Miete";"Ausgang";"DE32179238677995673254";"-1.200";"";"";""\n'
        '"04.08.26";"04.08.26";"Gebucht";"Ekkehart Lorch";"Wir";"SW-10843";"Eingang";"DE32179238677995673254";"44,9";"";"";""\n',
        (
            (-120000, "EUR", "2026-08-05", "PDNG", "Haus GmbH", _CUSTOMER, "Miete"),
            (4490, "EUR", "2026-08-04", "BOOK", "Ekkehart Lorch", _CUSTOMER, "SW-10843"),
        ),
        encoding="utf-8-sig",
    ),
    Export(
        "DKB until 2023",
        f'"Kontonummer:";"{_OWN} / Girokonto";\n\n"Von:";"01.08.2020";\n"Bis:";"05.08.2020";\n'
        '"Kontostand vom 05.08.2020:";"1.234,56 EUR";\n\n'
        '"Buchungstag";"Wertstellung";"Buchungstext";"Auftraggeber / Begünstigter";"Verwendungszweck";"Kontonummer";"BLZ";'
        '"Betrag (EUR)";"Gläubiger-ID";"Mandatsreferenz";"Kundenreferenz";\n'
        '"04.08.2020";"04.08.2020";"Gutschrift";"LORCH";"SW-10843";"DE32179238677995673254";"COBADEFF";"44,90";"";"";"E1";\n',
        ((4490, "EUR", "2020-08-04", "BOOK", "LORCH", _CUSTOMER, "SW-10843"),),
    ),
    Export(
        "Commerzbank",
        "Buchungstag;Wertstellung;Umsatzart;Buchungstext;Betrag;Währung;Auftraggeberkonto;Bankleitzahl Auftraggeberkonto;"
        "IBAN Auftraggeberkonto;Kategorie\n"
        f"04.08.2026;04.08.2026;Gutschrift;Ekkehart Lorch SW-10843;44,90;EUR;123;50040000;{_OWN};Sonstiges\n",
        ((4490, "EUR", "2026-08-04", "BOOK", "", "", "Ekkehart Lorch SW-10843"),),
        encoding="utf-8-sig",
    ),
    Export(
        "Deutsche Bank",
        f"Umsätze Girokonto;;;Kundennummer: 100 1\n1.8.2026 - 5.8.2026;{_OWN}\nLetzter Kontostand;;;;1.190,00;EUR\n"
        + _DEUTSCHE.format(iban="IBAN"),
        _DEUTSCHE_FACTS,
    ),
    Export("Postbank", f"Umsätze;{_OWN}\n" + _DEUTSCHE.format(iban="IBAN / Kontonummer"), _DEUTSCHE_FACTS),
    Export(
        "Postbank until 2023",
        f'Kontonummer: ;{_OWN}\n\n"Buchungstag";"Wertstellung";"Umsatzart";"Buchungsdetails";"Auftraggeber";"Empfänger";'
        '"Betrag (€)";"Saldo (€)"\n'
        '"05.08.2022";"05.08.2022";"Überweisung";"Miete";"WIR";"Haus GmbH";"-1.200,00 €";"44,90 €"\n'
        '"04.08.2022";"04.08.2022";"Gutschrift";"SW-10843";"Lorch";"WIR";"44,90 €";"1.244,90 €"\n',
        (
            (-120000, "EUR", "2022-08-05", "BOOK", "Haus GmbH", "", "Miete"),
            (4490, "EUR", "2022-08-04", "BOOK", "Lorch", "", "SW-10843"),
        ),
        encoding="utf-8",
    ),
    Export(
        "ING-DiBa",
        f"Umsatzanzeige;Datei erstellt am: 05.08.2026 10:00\n\nIBAN;{_OWN}\nKontoname;Girokonto\nBank;ING\nKunde;Wir\n"
        "Zeitraum;01.08.2026 - 05.08.2026\nSaldo;1.244,90;EUR\n\nSortierung;Datum absteigend\n\n"
        "Buchung;Wertstellungsdatum;Auftraggeber/Empfänger;Buchungstext;Verwendungszweck;Saldo;Währung;Betrag;Währung\n"
        "05.08.2026;05.08.2026;Lorch;Gutschrift;SW-10843;1.244,90;EUR;44,90;EUR\n",
        ((4490, "EUR", "2026-08-05", "BOOK", "Lorch", "", "SW-10843"),),
    ),
    Export(
        "comdirect",
        ';\n"Umsätze Girokonto";"Zeitraum: 30 Tage";\n"Neuer Kontostand";"1.244,90 EUR";\n\n'
        '"Buchungstag";"Wertstellung (Valuta)";"Vorgang";"Buchungstext";"Umsatz in EUR";\n'
        '"offen";"05.08.2026";"Kartenverfügung";"Buchungstext: Laden Ulm";"-5,00";\n'
        '"04.08.2026";"04.08.2026";"Übertrag / Überweisung";'
        '"Auftraggeber: Ekkehart Lorch Buchungstext: SW-10843 Ref. 4A2B";"44,90";\n\n"Alter Kontostand";"1.200,00 EUR";\n',
        (
            (-500, "EUR", "", "PDNG", "", "", "Buchungstext: Laden Ulm"),
            (4490, "EUR", "2026-08-04", "BOOK", "Ekkehart Lorch", "", "SW-10843"),
        ),
        account="",
    ),
    Export(
        "N26",
        '"Booking Date","Value Date","Partner Name","Partner Iban",Type,"Payment Reference","Account Name","Amount (EUR)",'
        '"Original Amount","Original Currency","Exchange Rate"\n'
        "2026-08-04,2026-08-04,Ekkehart Lorch,DE32179238677995673254,Credit Transfer,SW-10843,Haupt,44.9,44.9,EUR,1.0\n",
        ((4490, "EUR", "2026-08-04", "BOOK", "Ekkehart Lorch", _CUSTOMER, "SW-10843"),),
        account="",
        encoding="utf-8",
    ),
    Export(
        "N26 until 2024",
        '"Date","Payee","Account number","Transaction type","Payment reference","Amount (EUR)","Amount (Foreign Currency)",'
        '"Type Foreign Currency","Exchange Rate"\n'
        '"2023-08-04","Lorch","DE32179238677995673254","Income","SW-10843","44.90","","",""\n',
        ((4490, "EUR", "2023-08-04", "BOOK", "Lorch", _CUSTOMER, "SW-10843"),),
        account="",
        encoding="utf-8",
    ),
    Export(
        "Volksbank",
        "Bezeichnung Auftragskonto;IBAN Auftragskonto;BIC Auftragskonto;Bankname Auftragskonto;Buchungstag;Valutadatum;"
        "Name Zahlungsbeteiligter;IBAN Zahlungsbeteiligter;BIC (SWIFT-Code) Zahlungsbeteiligter;Buchungstext;"
        "Verwendungszweck;Betrag;Waehrung;Saldo nach Buchung;Bemerkung;Kategorie;Steuerrelevant;Glaeubiger ID;Mandatsreferenz\n"
        f"Konto;{_OWN};GENODEM1GLS;GLS Bank;04.08.2026;04.08.2026;Ekkehart Lorch;{_CUSTOMER};COBADEFF;GUTSCHRIFT;SW-10843;"
        "44,90;EUR;1.244,90;;;;;\n",
        ((4490, "EUR", "2026-08-04", "BOOK", "Ekkehart Lorch", _CUSTOMER, "SW-10843"),),
        encoding="utf-8",
    ),
    Export(
        "Erste George",
        "Buchungsdatum,Partnername,Partner IBAN,BIC/SWIFT,Partner Kontonummer,Bankleitzahl,Betrag,Währung,Buchungs-Info,"
        "Buchungsreferenz,Notiz,Valutadatum\n"
        '04.08.2026,Lorch,DE32179238677995673254,COBADEFF,,,"44,90",EUR,SW-10843,201112608042AB,,04.08.2026\n',
        ((4490, "EUR", "2026-08-04", "BOOK", "Lorch", _CUSTOMER, "SW-10843"),),
        account="",
        encoding="utf-16",
    ),
    Export(
        "Raiffeisen ELBA",
        '04.08.2026;"Gutschrift SW-10843 Lorch";04.08.2026;44,90;EUR;04.08.2026 10:15:00:123\n'
        '05.08.2026;"Miete";05.08.2026;-1.200,00;EUR;05.08.2026 10:15:00:124\n',
        (
            (4490, "EUR", "2026-08-04", "BOOK", "", "", "Gutschrift SW-10843 Lorch"),
            (-120000, "EUR", "2026-08-05", "BOOK", "", "", "Miete"),
        ),
        account="",
    ),
    Export(
        "BAWAG",
        "AT611904300234573201;Gutschrift SW-10843;04.08.2026;04.08.2026;+44,90;EUR\n",
        ((4490, "EUR", "2026-08-04", "BOOK", "", "", "Gutschrift SW-10843"),),
        account="AT611904300234573201",
    ),
    Export(
        "PostFinance",
        "Datum von:;01.08.2026\nDatum bis:;05.08.2026\nBuchungsart:;Alle Buchungen\nKonto:;CH9300762011623852957\nWährung:;CHF\n\n"
        "Buchungsdatum;Avisierungstext;Gutschrift in CHF;Lastschrift in CHF;Valuta;Saldo in CHF\n"
        "04.08.2026;GUTSCHRIFT SW-10843;1'044.90;;04.08.2026;2044.90\n05.08.2026;MIETE;;-1200.00;05.08.2026;844.90\n\n"
        "Disclaimer:\nDies ist kein durch die Bank erstellter Beleg.\n",
        (
            (104490, "CHF", "2026-08-04", "BOOK", "", "", "GUTSCHRIFT SW-10843"),
            (-120000, "CHF", "2026-08-05", "BOOK", "", "", "MIETE"),
        ),
        account="CH9300762011623852957",
        encoding="utf-8",
    ),
    Export(
        "UBS",
        "Kontonummer:;0123 00012345.01\nIBAN:;CH93 0076 2011 6238 5295 7\nVon:;2026-08-01\nBis:;2026-08-05\n"
        "Anfangssaldo:;1000.00\nSchlusssaldo:;844.90\nBewertet in:;CHF\nAnzahl Transaktionen in diesem Zeitraum:;2\n\n"
        "Abschlussdatum;Abschlusszeit;Buchungsdatum;Valutadatum;Währung;Belastung;Gutschrift;Einzelbetrag;Saldo;"
        "Transaktions-Nr.;Beschreibung1;Beschreibung2;Beschreibung3;Fussnoten\n"
        '2026-08-05;;2026-08-05;2026-08-05;CHF;-1200.00;;;844.90;1234567ZC;"Haus AG";"Miete";"";\n'
        '2026-08-04;;2026-08-04;2026-08-04;CHF;;1044.90;;2044.90;1234566ZC;"Lorch";"SW-10843";"";\n',
        (
            (-120000, "CHF", "2026-08-05", "BOOK", "", "", "Haus AG Miete"),
            (104490, "CHF", "2026-08-04", "BOOK", "", "", "Lorch SW-10843"),
        ),
        account="CH9300762011623852957",
        encoding="utf-8",
    ),
    Export(
        "ZKB",
        '"Datum";"Buchungstext";"Whg";"Betrag Detail";"ZKB-Referenz";"Referenznummer";"Belastung CHF";"Gutschrift CHF";'
        '"Valuta";"Saldo CHF";"Zahlungszweck";"Details"\n'
        '"05.08.2026";"Sammelauftrag (2)";"";"";"Z262";"";"300.00";"";"05.08.2026";"1744.90";"";""\n'
        '"";"Haus AG";"CHF";"100.00";"";"";"";"";"";"";"Miete";""\n'
        '"";"Strom AG";"CHF";"200.00";"";"";"";"";"";"";"Strom";""\n'
        '"04.08.2026";"Gutschrift";"";"";"Z261";"210000000003139471430009017";"";"1044.90";"04.08.2026";"2044.90";"SW-10843";'
        '"Lorch"\n',
        (
            (-30000, "CHF", "2026-08-05", "BOOK", "", "", ""),
            (104490, "CHF", "2026-08-04", "BOOK", "Lorch", "", "SW-10843"),
        ),
        account="",
        encoding="utf-8",
    ),
    Export(
        "Raiffeisen CH",
        "IBAN;Booked At;Text;Credit/Debit Amount;Balance;Valuta Date\n"
        "CH9300762011623852957;2026-08-04 00:00:00.0;Gutschrift Lorch SW-10843;1044.9;2044.9;2026-08-04 00:00:00.0\n"
        ";;SW-10843 Lorch Ulm;;;\n"
        "CH9300762011623852957;2026-08-05 00:00:00.0;Miete;-1200;844.9;2026-08-05 00:00:00.0\n",
        (
            (104490, "CHF", "2026-08-04", "BOOK", "", "", "Gutschrift Lorch SW-10843"),
            (-120000, "CHF", "2026-08-05", "BOOK", "", "", "Miete"),
        ),
        account="CH9300762011623852957",
    ),
    Export(
        "ING NL",
        '"Datum","Naam / Omschrijving","Rekening","Tegenrekening","Code","Af Bij","Bedrag (EUR)","Mutatiesoort","Mededelingen"\n'
        '"20260804","E Lorch","NL91ABNA0417164300","DE32179238677995673254","OV","Bij","44,90","Overschrijving",'
        '"Naam: E Lorch Omschrijving: SW-10843 IBAN: DE32179238677995673254 Kenmerk: E2E-1 Valutadatum: 04-08-2026"\n'
        '"20260805","Haus BV","NL91ABNA0417164300","","GT","Af","1200,00","Online bankieren","Huur"\n',
        (
            (4490, "EUR", "2026-08-04", "BOOK", "E Lorch", _CUSTOMER, "SW-10843 E2E-1"),
            (-120000, "EUR", "2026-08-05", "BOOK", "Haus BV", "", "Huur"),
        ),
        account="NL91ABNA0417164300",
        encoding="utf-8",
    ),
    Export(
        "Rabobank",
        '"IBAN/BBAN","Munt","BIC","Volgnr","Datum","Rentedatum","Bedrag","Saldo na trn","Tegenrekening IBAN/BBAN",'
        '"Naam tegenpartij","Naam uiteindelijke partij","Naam initiërende partij","BIC tegenpartij","Code","Batch ID",'
        '"Transactiereferentie","Machtigingskenmerk","Incassant ID","Betalingskenmerk","Omschrijving-1","Omschrijving-2",'
        '"Omschrijving-3","Reden retour","Oorspr bedrag","Oorspr munt","Koers"\n'
        '"NL91ABNA0417164300","EUR","RABONL2U","000000000000009565","2026-08-04","2026-08-04","+44,90","+5257,28",'
        '"DE32179238677995673254","E Lorch","","","COBADEFF","cb","","E1","","","","SW-","10843","","","","",""\n',
        ((4490, "EUR", "2026-08-04", "BOOK", "E Lorch", _CUSTOMER, "SW-10843"),),
        account="NL91ABNA0417164300",
    ),
    Export(
        "ABN AMRO",
        "534334164\tEUR\t20260804\t1000,00\t1044,90\t20260804\t44,90\t/TRTP/SEPA OVERBOEKING/IBAN/DE32179238677995673254/"
        "BIC/COBADEFF/NAME/E LORCH/REMI/SW-10843/EREF/NOTPROVIDED\n",
        ((4490, "EUR", "2026-08-04", "BOOK", "E LORCH", _CUSTOMER, "SW-10843"),),
        account="534334164",
    ),
    Export(
        "bunq",
        '"Date","Amount","Account","Counterparty","Name","Description"\n'
        '"2026-08-04","1.044,90","NL91ABNA0417164300","DE32179238677995673254","Lorch","SW-10843"\n',
        ((104490, "EUR", "2026-08-04", "BOOK", "Lorch", _CUSTOMER, "SW-10843"),),
        account="NL91ABNA0417164300",
        encoding="utf-8",
    ),
    Export(
        "ASN",
        "04-08-2026,NL91ABNA0417164300,DE32179238677995673254,e lorch,,,,EUR,1000.00,EUR,44.90,04-08-2026,04-08-2026,8810,OVB,"
        "72030467,E2E-1,'SW-10843',1\n",
        ((4490, "EUR", "2026-08-04", "BOOK", "e lorch", _CUSTOMER, "SW-10843"),),
        account="NL91ABNA0417164300",
    ),
    Export(
        "PayPal",
        '"Datum","Uhrzeit","Zeitzone","Name","Typ","Status","Währung","Brutto","Gebühr","Netto","Absender E-Mail-Adresse",'
        '"Empfänger E-Mail-Adresse","Transaktionscode","Rechnungsnummer","Guthaben","Betreff","Auswirkung auf Guthaben"\n'
        '"04.08.2026","10:15:00","CEST","Ekkehart Lorch","Handyzahlung","Abgeschlossen","EUR","100,00","-2,94","97,06",'
        '"lorch@example.org","wir@example.org","8AB12345CD678901E","SW-10843","97,06","","Haben"\n'
        '"04.08.2026","10:16:00","CEST","Ulla Kern","Zahlung","Ausstehend","EUR","50,00","0,00","50,00","","","8AB2","SW-10844",'
        '"97,06","","Memo"\n'
        '"05.08.2026","10:16:00","CEST","Ulla Kern","Zahlung","Ausstehend","EUR","50,00","0,00","50,00","","","8AB3","SW-10845",'
        '"97,06","","Haben"\n',
        (
            (9706, "EUR", "2026-08-04", "BOOK", "Ekkehart Lorch", "", "SW-10843"),
            (5000, "EUR", "2026-08-04", "INFO", "Ulla Kern", "", "SW-10844"),
            (5000, "EUR", "2026-08-05", "PDNG", "Ulla Kern", "", "SW-10845"),
        ),
        account="",
        encoding="utf-8-sig",
    ),
)
