"""Exports of banks in Germany."""
# ruff: noqa: E501  # lines as the banks write them

from __future__ import annotations

from typing import Final

from tests.formats.layouts.layout import DE, PAYER, Layout, known

_ME: Final = (DE, "EUR")
_NONE: Final = ("", "EUR")

GERMANY: Final = (
    known(
        "Sparkasse CSV-CAMT v2, years of two digits, pending row, chargeback with its own fee",
        '"Auftragskonto";"Buchungstag";"Valutadatum";"Buchungstext";"Verwendungszweck";"Glaeubiger ID";"Mandatsreferenz";"Kundenreferenz (End-to-End)";"Sammlerreferenz";"Lastschrift Ursprungsbetrag";"Auslagenersatz Ruecklastschrift";"Beguenstigter/Zahlungspflichtiger";"Kontonummer/IBAN";"BIC (SWIFT-Code)";"Betrag";"Waehrung";"Info"\r\n'
        f'"{DE}";"06.08.26";"06.08.26";"RUECKLASTSCHRIFT";"SW-10845 Konto erloschen";"DE98ZZZ09999999999";"M-1";"E2E-3";"";"50,00";"3,00";"Kern, Ulla";"{PAYER}";"COBADEFFXXX";"-53,00";"EUR";"Umsatz gebucht"\r\n'
        f'"{DE}";"06.08.26";"06.08.26";"GUTSCHR. UEBERWEISUNG";"SW-10846";"";"";"";"";"";"";"Anna Groß";"{PAYER}";"COBADEFFXXX";"12,00";"EUR";"Umsatz vorgemerkt"\r\n'
        f'"{DE}";"05.08.26";"05.08.26";"GUTSCHR. UEBERWEISUNG";"SW-10843";"";"";"E2E-1";"";"";"";"Jörg Müller";"{PAYER}";"COBADEFFXXX";"1.044,90";"EUR";"Umsatz gebucht"\r\n',
        {
            _ME: (
                (-5300, "2026-08-06", "BOOK", "Kern, Ulla", PAYER, "SW-10845 Konto erloschen"),
                (1200, "2026-08-06", "PDNG", "Anna Groß", PAYER, "SW-10846"),
                (104490, "2026-08-05", "BOOK", "Jörg Müller", PAYER, "SW-10843"),
            )
        },
        encoding="cp1252",
    ),
    known(
        "DKB, amounts without trailing zeros and with the sign of the currency",
        f'"Girokonto";"{DE}"\n"Zeitraum:";"01.08.2026 - 06.08.2026"\n"Kontostand vom 06.08.2026:";"1.044,90 €"\n""\n'
        '"Buchungsdatum";"Wertstellung";"Status";"Zahlungspflichtige*r";"Zahlungsempfänger*in";"Verwendungszweck";"Umsatztyp";"IBAN";"Betrag (€)";"Gläubiger-ID";"Mandatsreferenz";"Kundenreferenz"\n'
        f'"06.08.26";"06.08.26";"Gebucht";"WIR";"Haus GmbH";"Miete";"Ausgang";"{PAYER}";"-1.200 €";"";"";""\n'
        f'"05.08.26";"05.08.26";"Gebucht";"Jörg Müller";"WIR";"SW-10843";"Eingang";"{PAYER}";"1.044,9 €";"";"";"E2E-1"\n',
        {
            _ME: (
                (-120000, "2026-08-06", "BOOK", "Haus GmbH", PAYER, "Miete"),
                (104490, "2026-08-05", "BOOK", "Jörg Müller", PAYER, "SW-10843"),
            )
        },
        encoding="utf-8-sig",
    ),
    known(
        "ING with preamble, without the column of balances",
        "Umsatzanzeige;Datei erstellt am: 06.08.2026 10:12\n\nIBAN;DE53 6779 7904 9691 4255 02\nKontoname;Girokonto\nBank;ING\nKunde;WIR\nZeitraum;01.08.2026 - 06.08.2026\nSaldo;1.044,90;EUR\n\nSortierung;Datum absteigend\n\n"
        "In der CSV-Datei finden Sie alle bereits gebuchten Umsätze. Die vorgemerkten Umsätze werden nicht aufgenommen.\n\n"
        "Buchung;Valuta;Auftraggeber/Empfänger;Buchungstext;Verwendungszweck;Betrag;Währung\n"
        "06.08.2026;06.08.2026;Haus GmbH;Überweisung;Miete;-1.200,00;EUR\n05.08.2026;05.08.2026;Jörg Müller;Gutschrift;SW-10843;1.044,90;EUR\n",
        {
            _ME: (
                (-120000, "2026-08-06", "BOOK", "Haus GmbH", "", "Miete"),
                (104490, "2026-08-05", "BOOK", "Jörg Müller", "", "SW-10843"),
            )
        },
        encoding="cp1252",
    ),
    known(
        "ING, business account with categories and notes",
        f"Umsatzanzeige;Datei erstellt am: 06.08.2026 10:12\n\nIBAN;{DE}\nKontoname;Girokonto\nBank;ING\nKunde;WIR\nZeitraum;01.08.2026 - 06.08.2026\nSaldo;844,90;EUR\n\nSortierung;Datum absteigend\n\n\n"
        "Buchung;Wertstellungsdatum;Auftraggeber/Empfänger;Buchungstext;Kategorie;Notiz;Verwendungszweck;Saldo;Währung;Betrag;Währung\n"
        "06.08.2026;06.08.2026;Haus GmbH;Überweisung;Wohnen;;Miete;844,90;EUR;-1.200,00;EUR\n05.08.2026;05.08.2026;Jörg Müller;Gutschrift;;;SW-10843;2.044,90;EUR;1.044,90;EUR\n",
        {
            _ME: (
                (-120000, "2026-08-06", "BOOK", "Haus GmbH", "", "Miete"),
                (104490, "2026-08-05", "BOOK", "Jörg Müller", "", "SW-10843"),
            )
        },
        balances=(100000, 84490),
        encoding="cp1252",
    ),
    known(
        "Commerzbank, its older headings, comma as delimiter",
        "Buchungstag,Wertstellung,Umsatzart,Buchungstext,Betrag,Währung,Auftraggeberkonto,Bankleitzahl Auftraggeberkonto,IBAN Auftraggeberkonto,Kategorie\n"
        f'05.08.2026,05.08.2026,Gutschrift,"Jörg Müller SW-10843 End-to-End-Ref.: E2E-1",1044.90,EUR,123,50040000,{DE},\n06.08.2026,06.08.2026,Lastschrift,"Haus GmbH Miete",-1200.00,EUR,123,50040000,{DE},\n',
        {
            _ME: (
                (104490, "2026-08-05", "BOOK", "", "", "Jörg Müller SW-10843 End-to-End-Ref.: E2E-1"),
                (-120000, "2026-08-06", "BOOK", "", "", "Haus GmbH Miete"),
            )
        },
    ),
    known(
        "Deutsche Bank, debit and credit columns, closing balance as a footer",
        f"Umsätze Business AktivKonto;;;Kundennummer: 100 1\n\n01.08.2026 - 06.08.2026;{DE}\nLetzter Kontostand;;;;1.000,00;EUR\nVorgemerkte und noch nicht gebuchte Umsätze sind nicht Bestandteil dieser Übersicht.\n"
        "Buchungstag;Wert;Umsatzart;Begünstigter / Auftraggeber;Verwendungszweck;IBAN;BIC;Kundenreferenz;Mandatsreferenz ;Gläubiger ID;Fremde Gebühren;Betrag;Abweichender Empfänger;Anzahl der Aufträge;Anzahl der Schecks;Soll;Haben;Währung\n"
        f'06.08.2026;06.08.2026;"SEPA-Überweisung an";Haus GmbH;Miete;{PAYER};COBADEFF;;;;;;;1;;-1.200,00;;EUR\n05.08.2026;05.08.2026;"SEPA-Überweisung von";Jörg Müller;SW-10843;{PAYER};COBADEFF;E2E-1;;;;;;1;;;1.044,90;EUR\nKontostand;06.08.2026;;;844,90;EUR\n',
        {
            _ME: (
                (-120000, "2026-08-06", "BOOK", "Haus GmbH", PAYER, "Miete"),
                (104490, "2026-08-05", "BOOK", "Jörg Müller", PAYER, "SW-10843"),
            )
        },
        encoding="utf-8-sig",
    ),
    known(
        "Postbank of 2024, days without leading zeros, footer",
        f"Umsätze\nKonto;Filial-/Kontonummer;IBAN;Währung\nBusiness Giro;123 456;{DE};EUR\n\n1.8.2026 - 6.8.2026\nLetzter Kontostand;;;;1.000,00;EUR\nVorgemerkte und noch nicht gebuchte Umsätze sind nicht Bestandteil dieser Übersicht.\n"
        "Buchungstag;Wert;Umsatzart;Begünstigter / Auftraggeber;Verwendungszweck;IBAN / Kontonummer;BIC;Kundenreferenz;Mandatsreferenz;Gläubiger ID;Fremde Gebühren;Betrag;Abweichender Empfänger;Anzahl der Aufträge;Anzahl der Schecks;Soll;Haben;Währung\n"
        f"6.8.2026;6.8.2026;SEPA Überweisung;Haus GmbH;Miete;{PAYER};COBADEFF;;;;;-1.200,00;;;;-1.200,00;;EUR\n5.8.2026;5.8.2026;SEPA Überweisung;Jörg Müller;SW-10843;{PAYER};COBADEFF;E2E-1;;;;1.044,90;;;;;1.044,90;EUR\nKontostand;6.8.2026;;;844,90;EUR\n",
        {
            _ME: (
                (-120000, "2026-08-06", "BOOK", "Haus GmbH", PAYER, "Miete"),
                (104490, "2026-08-05", "BOOK", "Jörg Müller", PAYER, "SW-10843"),
            )
        },
    ),
    known(
        "comdirect, open row, names within the text, older balance below",
        ';\n"Umsätze Girokonto";"Zeitraum: 60 Tage";\n"Neuer Kontostand";"844,90 EUR";\n\n"Buchungstag";"Wertstellung (Valuta)";"Vorgang";"Buchungstext";"Umsatz in EUR";\n'
        '"offen";"06.08.2026";"Lastschrift / Belastung";" Auftraggeber: Strom AG Buchungstext: Abschlag Ref. X1/2";"-80,00";\n'
        f'"06.08.2026";"06.08.2026";"Übertrag / Überweisung";"Empfänger: Haus GmbHKto/IBAN: {PAYER} BLZ/BIC: COBADEFFXXX  Buchungstext: Miete Ref. A2C/1";"-1.200,00";\n'
        '"05.08.2026";"05.08.2026";"Übertrag / Überweisung";"Auftraggeber: Jörg Müller Buchungstext: SW-10843 Ref. A1B/9";"1.044,90";\n\n"Alter Kontostand";"1.000,00 EUR";\n',
        {
            _NONE: (
                (-8000, "", "PDNG", "Strom AG", "", "Abschlag"),
                (-120000, "2026-08-06", "BOOK", "Haus GmbH", PAYER, "Miete"),
                (104490, "2026-08-05", "BOOK", "Jörg Müller", "", "SW-10843"),
            )
        },
        encoding="cp1252",
    ),
    Layout(
        "Consorsbank",
        "Buchung;Valuta;Sender / Empfänger;IBAN / Konto-Nr.;BIC / BLZ;Buchungstext;Verwendungszweck;Betrag in EUR\n"
        f"06.08.2026;06.08.2026;Haus GmbH;{PAYER};COBADEFF;EURO-UEBERW.;Miete;-1.200,00\n05.08.2026;05.08.2026;Jörg Müller;{PAYER};COBADEFF;GUTSCHRIFT;SW-10843;1.044,90\n",
        {
            _NONE: (
                (-120000, "2026-08-06", "BOOK", "Haus GmbH", PAYER, "Miete"),
                (104490, "2026-08-05", "BOOK", "Jörg Müller", PAYER, "SW-10843"),
            )
        },
    ),
    known(
        "VR bank and GLS, text broken within quotation marks, running balance",
        "Bezeichnung Auftragskonto;IBAN Auftragskonto;BIC Auftragskonto;Bankname Auftragskonto;Buchungstag;Valutadatum;Name Zahlungsbeteiligter;IBAN Zahlungsbeteiligter;BIC (SWIFT-Code) Zahlungsbeteiligter;Buchungstext;Verwendungszweck;Betrag;Waehrung;Saldo nach Buchung;Bemerkung;Gekennzeichneter Umsatz;Glaeubiger ID;Mandatsreferenz\r\n"
        f'Geschäftskonto;{DE};GENODEM1GLS;GLS Bank;06.08.2026;06.08.2026;Haus GmbH;{PAYER};COBADEFF;Überweisung;Miete;-1200,00;EUR;844,90;;;;\r\nGeschäftskonto;{DE};GENODEM1GLS;GLS Bank;05.08.2026;05.08.2026;Jörg Müller;{PAYER};COBADEFF;Gutschrift;"SW-10843\nvielen Dank";1044,90;EUR;2044,90;;;;\r\n',
        {
            _ME: (
                (-120000, "2026-08-06", "BOOK", "Haus GmbH", PAYER, "Miete"),
                (104490, "2026-08-05", "BOOK", "Jörg Müller", PAYER, "SW-10843 vielen Dank"),
            )
        },
        balances=(100000, 84490),
        encoding="utf-8-sig",
    ),
    Layout(
        "Volksbank until 2021: preamble, column S/H without a name, opening and closing balance as rows",
        "Volksbank Musterstadt eG\n\nUmsatzanzeige\n\nBLZ:;12345678;;Datum:;06.08.2026\nKonto:;1234567890;;Uhrzeit:;10:11:12\nAbfrage von:;WIR;;Kontoinhaber:;WIR\n\n"
        "Zeitraum:;;von:;01.08.2026;bis:;06.08.2026\nBetrag in Euro:;;von:;;bis:;\n\n"
        "Buchungstag;Valuta;Auftraggeber/Zahlungsempfänger;Empfänger/Zahlungspflichtiger;Konto-Nr.;IBAN;BLZ;BIC;Vorgang/Verwendungszweck;Kundenreferenz;Währung;Umsatz; \n"
        f'05.08.2026;05.08.2026;WIR;Jörg Müller;;{PAYER};;COBADEFF;"Überweisungsgutschr.\nSW-10843";;EUR;1.044,90;H\n'
        f'06.08.2026;06.08.2026;WIR;Haus GmbH;;{PAYER};;COBADEFF;"Überweisung\nMiete";;EUR;1.200,00;S\n\n'
        "01.08.2026;;;;;;;;;Anfangssaldo;EUR;1.000,00;H\n06.08.2026;;;;;;;;;Endsaldo;EUR;844,90;H\n",
        {
            _NONE: (
                (104490, "2026-08-05", "BOOK", "Jörg Müller", PAYER, "Überweisungsgutschr. SW-10843"),
                (-120000, "2026-08-06", "BOOK", "Haus GmbH", PAYER, "Überweisung Miete"),
            )
        },
        encoding="cp1252",
    ),
    Layout(
        "Sparda bank until 2022: sums below the entries",
        f"Umsatzabfrage\nKontonummer;{DE}\n\nBuchungstag;Wertstellungstag;Verwendungszweck;Umsatz;Währung\n"
        "06.08.2026;06.08.2026;HAUS GMBH Miete;-1.200,00;EUR\n05.08.2026;05.08.2026;JÖRG MÜLLER SW-10843;1.044,90;EUR\n\nKontostand;;;844,90;EUR\n",
        {
            _ME: (
                (-120000, "2026-08-06", "BOOK", "", "", "HAUS GMBH Miete"),
                (104490, "2026-08-05", "BOOK", "", "", "JÖRG MÜLLER SW-10843"),
            )
        },
        encoding="cp1252",
    ),
    Layout(
        "HypoVereinsbank, a second column for a long name of the other side, UTF-16",
        "Kontonummer;Buchungsdatum;Valuta;Empfaenger 1;Empfaenger 2;Verwendungszweck;Betrag;Waehrung\n"
        f"{DE};06.08.2026;06.08.2026;Haus GmbH;;Miete;-1.200,00;EUR\n{DE};05.08.2026;05.08.2026;Jörg Müller;;SW-10843;1.044,90;EUR\n",
        {
            _ME: (
                (-120000, "2026-08-06", "BOOK", "Haus GmbH", "", "Miete"),
                (104490, "2026-08-05", "BOOK", "Jörg Müller", "", "SW-10843"),
            )
        },
        encoding="utf-16",
    ),
    Layout(
        "Targobank: no headings, amounts with a plus only where they are negative",
        '06.08.2026;06.08.2026;"Haus GmbH";"Überweisung Miete";-1.200,00;844,90;EUR\n05.08.2026;05.08.2026;"Jörg Müller";"Gutschrift SW-10843";1.044,90;2.044,90;EUR\n04.08.2026;04.08.2026;"Ulla Kern";"Gutschrift SW-10842";10,00;1.000,00;EUR\n',
        {
            _NONE: (
                (-120000, "2026-08-06", "BOOK", "", "", "Haus GmbH Überweisung Miete"),
                (104490, "2026-08-05", "BOOK", "", "", "Jörg Müller Gutschrift SW-10843"),
                (1000, "2026-08-04", "BOOK", "", "", "Ulla Kern Gutschrift SW-10842"),
            )
        },
        balances=(99000, 84490),
        encoding="cp1252",
    ),
    Layout(
        "Kontist",
        "Buchungsdatum,Wertstellungsdatum,Empfänger/Absender,IBAN,Verwendungszweck,Betrag,Kategorie,E2E-ID,Notiz,Buchungstyp\n"
        f'2026-08-06,2026-08-06,Haus GmbH,{PAYER},Miete,"-1200,00",Betriebsausgabe,,,SEPA_CREDIT_TRANSFER\n2026-08-05,2026-08-05,Jörg Müller,{PAYER},SW-10843,"1044,90",Einnahme,E2E-1,,SEPA_CREDIT_TRANSFER\n',
        {
            _NONE: (
                (-120000, "2026-08-06", "BOOK", "Haus GmbH", PAYER, "Miete"),
                (104490, "2026-08-05", "BOOK", "Jörg Müller", PAYER, "SW-10843"),
            )
        },
    ),
    known(
        "Qonto, English, time behind the day, declined row, VAT columns",
        "Status,Settlement date (UTC),Settlement date,Operation date (UTC),Operation date,Transaction ID,Counterparty name,Payment method,Total amount,Currency,Local amount,Local amount currency,Initiator,Note,Reference,Card name,Account IBAN,VAT amount\n"
        f'Executed,06-08-2026 08:00:00,06-08-2026 10:00:00,06-08-2026 08:00:00,06-08-2026 10:00:00,wir-1-transaction-2,Haus GmbH,Transfer,"-1200,00",EUR,"-1200,00",EUR,Wir,,Miete,,{DE},0\nDeclined,,,06-08-2026 07:00:00,06-08-2026 09:00:00,wir-1-transaction-9,Shop,Card,"-5,00",EUR,"-5,00",EUR,Wir,,,Karte,{DE},0\n'
        f'Executed,05-08-2026 08:00:00,05-08-2026 10:00:00,05-08-2026 08:00:00,05-08-2026 10:00:00,wir-1-transaction-1,Jörg Müller,Transfer,"1044,90",EUR,"1044,90",EUR,,,SW-10843,,{DE},0\n',
        {
            _ME: (
                (-120000, "2026-08-06", "BOOK", "Haus GmbH", "", "Miete"),
                (-500, "", "INFO", "Shop", "", ""),
                (104490, "2026-08-05", "BOOK", "Jörg Müller", "", "SW-10843"),
            )
        },
    ),
    Layout(
        "Finom, amount in the account's currency beside that of the operation",
        "Date,Completed at,Type,Counterparty,Counterparty IBAN,Description,Amount,Currency,Original amount,Original currency,Status,Account IBAN\n"
        f"2026-08-06,2026-08-06,Outgoing transfer,Haus GmbH,{PAYER},Miete,-1200.00,EUR,-1200.00,EUR,Completed,{DE}\n2026-08-05,2026-08-05,Incoming transfer,Jörg Müller,{PAYER},SW-10843,1044.90,EUR,1130.00,USD,Completed,{DE}\n",
        {
            _ME: (
                (-120000, "2026-08-06", "BOOK", "Haus GmbH", PAYER, "Miete"),
                (104490, "2026-08-05", "BOOK", "Jörg Müller", PAYER, "SW-10843"),
            )
        },
    ),
    Layout(
        "Holvi, days with the name of the month",
        "Payment date,Date,Currency,Amount,Counterparty,Description,Reference,Message,Filing ID\n"
        '6 Aug 2026,6 Aug 2026,EUR,-1200.00,Haus GmbH,Miete,,,f0000000000000000000000000000002\n5 Aug 2026,5 Aug 2026,EUR,"1,044.90",Jörg Müller,Order,SW-10843,danke,f0000000000000000000000000000001\n',
        {
            _NONE: (
                (-120000, "2026-08-06", "BOOK", "Haus GmbH", "", "Miete"),
                (104490, "2026-08-05", "BOOK", "Jörg Müller", "", "Order SW-10843 danke"),
            )
        },
    ),
    known(
        "N26, original amount in another currency",
        '"Booking Date","Value Date","Partner Name","Partner Iban",Type,"Payment Reference","Account Name","Amount (EUR)","Original Amount","Original Currency","Exchange Rate"\n'
        f'2026-08-05,2026-08-05,"Jörg Müller",{PAYER},"Credit Transfer","SW-10843","Hauptkonto",1044.90,,,\n2026-08-06,2026-08-06,"Laden Ltd",,"Presentment","","Hauptkonto",-12.35,-10.50,GBP,0.8502\n',
        {
            _NONE: (
                (104490, "2026-08-05", "BOOK", "Jörg Müller", PAYER, "SW-10843"),
                (-1235, "2026-08-06", "BOOK", "Laden Ltd", "", ""),
            )
        },
    ),
    Layout(
        "Fyrst and Norisbank: the older headings of Deutsche Bank, sides without a sign in the debit column",
        f"Umsätze;{DE}\nBuchungstag;Wert;Umsatzart;Verwendungszweck;Soll;Haben;Währung\n06.08.2026;06.08.2026;Überweisung;Haus GmbH Miete;-1.200,00;;EUR\n05.08.2026;05.08.2026;Gutschrift;Jörg Müller SW-10843;;1.044,90;EUR\n",
        {
            _ME: (
                (-120000, "2026-08-06", "BOOK", "", "", "Haus GmbH Miete"),
                (104490, "2026-08-05", "BOOK", "", "", "Jörg Müller SW-10843"),
            )
        },
    ),
    Layout(
        "C24, headings without a currency, sign of the currency in the amount",
        "Transaktionstyp,Buchungsdatum,Karteneinsatz,Betrag,Zahlungsempfänger,IBAN,BIC,Verwendungszweck,Beschreibung,Kontonummer,Kontoname,Kategorie,Unterkategorie\n"
        f'Überweisung,06.08.2026,,"-1.200,00 €",Haus GmbH,{PAYER},COBADEFF,Miete,,{DE},Smartkonto,,\nGutschrift,05.08.2026,,"1.044,90 €",Jörg Müller,{PAYER},COBADEFF,SW-10843,,{DE},Smartkonto,,\n',
        {
            _ME: (
                (-120000, "2026-08-06", "BOOK", "Haus GmbH", PAYER, "Miete"),
                (104490, "2026-08-05", "BOOK", "Jörg Müller", PAYER, "SW-10843"),
            )
        },
    ),
    Layout(
        "Santander DE, minus behind the amount",
        f"Kontonummer:;{DE}\n\nBuchungsdatum;Valutadatum;Buchungstext;Name;Betrag;Währung\n06.08.26;06.08.26;Miete;Haus GmbH;1.200,00-;EUR\n05.08.26;05.08.26;SW-10843;Jörg Müller;1.044,90+;EUR\n",
        {
            _ME: (
                (-120000, "2026-08-06", "BOOK", "Haus GmbH", "", "Miete"),
                (104490, "2026-08-05", "BOOK", "Jörg Müller", "", "SW-10843"),
            )
        },
        encoding="cp1252",
    ),
    known(
        "headings only: a period without entries",
        '"Auftragskonto";"Buchungstag";"Valutadatum";"Buchungstext";"Verwendungszweck";"Glaeubiger ID";"Mandatsreferenz";"Kundenreferenz (End-to-End)";"Sammlerreferenz";"Lastschrift Ursprungsbetrag";"Auslagenersatz Ruecklastschrift";"Beguenstigter/Zahlungspflichtiger";"Kontonummer/IBAN";"BIC (SWIFT-Code)";"Betrag";"Waehrung";"Info"\r\n',
        {_NONE: ()},
    ),
    known(
        "Sparkasse, three accounts and two currencies in one file",
        '"Auftragskonto";"Buchungstag";"Valutadatum";"Buchungstext";"Verwendungszweck";"Beguenstigter/Zahlungspflichtiger";"Kontonummer";"BLZ";"Betrag";"Waehrung";"Info"\r\n'
        f'"{DE}";"06.08.26";"06.08.26";"GUTSCHRIFT";"SW-1";"A";"{PAYER}";"COBADEFF";"1,00";"EUR";"Umsatz gebucht"\r\n"{PAYER}";"06.08.26";"06.08.26";"GUTSCHRIFT";"SW-2";"B";"{DE}";"COBADEFF";"2,00";"EUR";"Umsatz gebucht"\r\n"{DE}";"06.08.26";"06.08.26";"GUTSCHRIFT";"SW-3";"C";"{PAYER}";"COBADEFF";"3,00";"USD";"Umsatz gebucht"\r\n"{DE}";"06.08.26";"06.08.26";"GUTSCHRIFT";"SW-4";"D";"{PAYER}";"COBADEFF";"4,00";"EUR";"Umsatz gebucht"\r\n',
        {
            _ME: (
                (100, "2026-08-06", "BOOK", "A", PAYER, "SW-1"),
                (400, "2026-08-06", "BOOK", "D", PAYER, "SW-4"),
            ),
            (PAYER, "EUR"): ((200, "2026-08-06", "BOOK", "B", DE, "SW-2"),),
            (DE, "USD"): ((300, "2026-08-06", "BOOK", "C", PAYER, "SW-3"),),
        },
        encoding="cp1252",
    ),
)
