"""Exports of banks in Austria and Switzerland."""
# ruff: noqa: E501  # lines as the banks write them

from __future__ import annotations

from typing import Final

from tests.formats.layouts.layout import AT, CH, PAYER, Layout, known

_AT: Final = (AT, "EUR")
_CH: Final = (CH, "CHF")
_NONE: Final = ("", "EUR")
_RENT: Final = (-120000, "2026-08-06", "BOOK", "", "", "Haus GmbH Miete")
_ORDER: Final = (104490, "2026-08-05", "BOOK", "", "", "Jörg Müller SW-10843")

ALPS: Final = (
    known(
        "George, semicolons and more columns, oldest first, UTF-16",
        "Buchungsdatum;Partnername;Partner IBAN;BIC/SWIFT;Partner Kontonummer;Bankleitzahl;Betrag;Währung;Buchungs-Details;Buchungsreferenz;Notiz;Highlights;Valutadatum;Virtuelle Kartennummer;Bezahlt mit;App;Zahlungsreferenz;Mandats ID;Creditor ID\n"
        f"05.08.2026;Jörg Müller;{PAYER};COBADEFF;;;1.044,90;EUR;SW-10843;201112608050ALB-000000000001;;;05.08.2026;;;;;;\n06.08.2026;Haus GmbH;{PAYER};COBADEFF;;;-1.200,00;EUR;Miete;201112608060ALB-000000000002;;;06.08.2026;;;;;;\n",
        {
            _NONE: (
                (104490, "2026-08-05", "BOOK", "Jörg Müller", PAYER, "SW-10843"),
                (-120000, "2026-08-06", "BOOK", "Haus GmbH", PAYER, "Miete"),
            )
        },
        encoding="utf-16",
    ),
    known(
        "ELBA: no headings, labels within the text, time of the booking at the end",
        '05.08.2026;"Gutschrift Überweisung Auftraggeber: Jörg Müller Verwendungszweck: SW-10843";05.08.2026;1.044,90;EUR;05.08.2026 08:15:00:123\r\n06.08.2026;"Onlinebanking Haus GmbH Miete";06.08.2026;-1.200,00;EUR;06.08.2026 09:15:00:456\r\n',
        {
            _NONE: (
                (
                    104490,
                    "2026-08-05",
                    "BOOK",
                    "",
                    "",
                    "Gutschrift Überweisung Auftraggeber: Jörg Müller Verwendungszweck: SW-10843",
                ),
                (-120000, "2026-08-06", "BOOK", "", "", "Onlinebanking Haus GmbH Miete"),
            )
        },
        encoding="cp1252",
    ),
    known(
        "ELBA: a single row",
        '\ufeff05.08.2026;"Jörg Müller SW-10843";05.08.2026;1.044,90;EUR;05.08.2026 08:15:00:123\n',
        {_NONE: (_ORDER,)},
    ),
    known(
        "BAWAG and easybank: no headings, own account in front, plus before money in",
        f"{AT};Jörg Müller SW-10843;05.08.2026;05.08.2026;+1.044,90;EUR\n{AT};Haus GmbH Miete;06.08.2026;06.08.2026;-1.200,00;EUR\n",
        {_AT: (_ORDER, _RENT)},
        encoding="cp1252",
    ),
    Layout(
        "Bank Austria, both sides of each payment with name and account",
        "Buchungsdatum;Valutadatum;Buchungstext;Interne Notiz;Währung;Betrag;Belegdaten;Belegnummer;Auftraggebername;Auftraggeberkonto;Auftraggeber BLZ;Empfängername;Empfängerkonto;Empfänger BLZ;Zahlungsgrund\n"
        f"06.08.2026;06.08.2026;ÜBERWEISUNG;;EUR;-1.200,00;;1;WIR;{AT};12000;Haus GmbH;{PAYER};;Miete\n05.08.2026;05.08.2026;GUTSCHRIFT;;EUR;1.044,90;;2;Jörg Müller;{PAYER};;WIR;{AT};12000;SW-10843\n",
        {
            _NONE: (
                (-120000, "2026-08-06", "BOOK", "Haus GmbH", PAYER, "Miete"),
                (104490, "2026-08-05", "BOOK", "Jörg Müller", PAYER, "SW-10843"),
            )
        },
    ),
    Layout(
        "Volksbank AT, all lines of the text in columns of their own",
        f"Eigenkonto;Buchungsdatum;Valuta;Betrag;Währung;Text 1;Text 2;Text 3\n{AT};05.08.2026;05.08.2026;1.044,90;EUR;Jörg Müller;SW-10843;\n{AT};06.08.2026;06.08.2026;-1.200,00;EUR;Haus GmbH;Miete;\n",
        {_AT: (_ORDER, _RENT)},
        encoding="cp1252",
    ),
    Layout(
        "Oberbank, debit and credit in words behind the amount",
        f"IBAN;{AT}\n\nBuchungstag;Valuta;Text;Betrag;S/H\n05.08.2026;05.08.2026;Jörg Müller SW-10843;1.044,90;H\n06.08.2026;06.08.2026;Haus GmbH Miete;1.200,00;S\n",
        {_AT: (_ORDER, _RENT)},
    ),
    known(
        "UBS of 2024: preamble, three descriptions, debit with a minus, single amounts of a collective order",
        "Kontonummer:;0123 00012345.01;\nIBAN:;CH93 0076 2011 6238 5295 7;\nVon:;2026-08-01;\nBis:;2026-08-06;\nAnfangssaldo:;1000.00;\nSchlusssaldo:;544.90;\nBewertet in:;CHF;\nAnzahl Transaktionen in diesem Zeitraum:;3;\n\n"
        "Abschlussdatum;Abschlusszeit;Buchungsdatum;Valutadatum;Währung;Belastung;Gutschrift;Einzelbetrag;Saldo;Transaktions-Nr.;Beschreibung1;Beschreibung2;Beschreibung3;Fussnoten\n"
        '2026-08-06;;2026-08-06;2026-08-06;CHF;-300.00;;;544.90;9932218TO7;"Sammelauftrag (2)";"e-banking-Sammelauftrag";"Transaktions-Nr. 9932218TO7";\n;;;;CHF;;;-100.00;;;"Strom AG";;;\n;;;;CHF;;;-200.00;;;"Wasser AG";;;\n'
        '2026-08-06;;2026-08-06;2026-08-06;CHF;-1\'200.00;;;844.90;9932218TO6;"Haus AG";"Miete";;\n2026-08-05;10:15:01;2026-08-05;2026-08-05;CHF;;1\'044.90;;2\'044.90;9932218TO5;"Jörg Müller";"SW-10843";;\n',
        {
            _CH: (
                (
                    -30000,
                    "2026-08-06",
                    "BOOK",
                    "",
                    "",
                    "Sammelauftrag (2) e-banking-Sammelauftrag Transaktions-Nr. 9932218TO7",
                ),
                (-120000, "2026-08-06", "BOOK", "", "", "Haus AG Miete"),
                _ORDER,
            )
        },
        balances=(100000, 54490),
        encoding="utf-8-sig",
    ),
    known(
        "PostFinance of 2024, quoted preamble, category columns, day first",
        'Datum von:;="01.08.2026"\nDatum bis:;="06.08.2026"\nBuchungsart:;="Alle Buchungen"\nKonto:;="CH9300762011623852957"\nWährung:;="CHF"\n\n'
        'Datum;Bewegungstyp;Avisierungstext;Gutschrift in CHF;Lastschrift in CHF;Label;Kategorie;Valuta;Saldo in CHF\n06.08.2026;Buchungsdetails;"Haus GmbH Miete";;-1200;;"Wohnen";06.08.2026;844.9\n05.08.2026;Buchungsdetails;"Jörg Müller SW-10843";1044.9;;;"";05.08.2026;2044.9\n\nDisclaimer:\nDies ist kein durch PostFinance AG erstelltes Dokument. PostFinance AG ist nicht verantwortlich für den Inhalt.\n',
        {_CH: (_RENT, _ORDER)},
        balances=(100000, 84490),
        encoding="utf-8-sig",
    ),
    known(
        "ZKB, details of a collective booking without a day",
        '"Datum";"Buchungstext";"Whg";"Betrag Detail";"ZKB-Referenz";"Referenznummer";"Belastung CHF";"Gutschrift CHF";"Valuta";"Saldo CHF";"Zahlungszweck";"Details"\n'
        '"06.08.2026";"Belastung: Haus GmbH";"";"";"Z262187";"";"1200.00";"";"06.08.2026";"844.90";"Miete";""\n"05.08.2026";"Gutschriften QR-Rechnung (2)";"";"";"Z262186";"";"";"1044.90";"05.08.2026";"2044.90";"";""\n"";"Jörg Müller";"CHF";"1000.00";"";"210000000003139471430009017";"";"";"";"";"";""\n"";"Ulla Kern";"CHF";"44.90";"";"210000000003139471430009022";"";"";"";"";"";""\n',
        {
            ("", "CHF"): (
                (-120000, "2026-08-06", "BOOK", "", "", "Miete"),
                (104490, "2026-08-05", "BOOK", "", "", ""),
            )
        },
        balances=(100000, 84490),
        encoding="utf-8-sig",
    ),
    known(
        "Raiffeisen CH, details below an entry, apostrophes between thousands",
        f"IBAN;Booked At;Text;Credit/Debit Amount;Balance;Valuta Date\n{CH};2026-08-05 00:00:00.0;Jörg Müller SW-10843;1'044.9;2'044.9;2026-08-05 00:00:00.0\n;;Details der Gutschrift;;;\n{CH};2026-08-06 00:00:00.0;Haus GmbH Miete;-1'200;844.9;2026-08-06 00:00:00.0\n",
        {_CH: (_ORDER, _RENT)},
        balances=(100000, 84490),
        encoding="cp1252",
    ),
    Layout(
        "Credit Suisse, total below, debit and credit without a sign",
        f"Buchungen\nKonto;{CH};CHF\nErstellt am;06.08.2026\n\nBuchungsdatum,Text,Belastung,Gutschrift,Valutadatum,Saldo\n".replace(
            ";", ","
        )
        + "05.08.2026,Jörg Müller SW-10843,,1044.90,05.08.2026,2044.90\n06.08.2026,Haus GmbH Miete,1200.00,,06.08.2026,844.90\nTotal,,1200.00,1044.90,,\n",
        {_CH: (_ORDER, _RENT)},
        balances=(100000, 84490),
    ),
    Layout(
        "Kantonalbank, text in the column of the headings' last word, tabs",
        f"Konto\t{CH}\nWährung\tCHF\n\nBuchung\tValuta\tBuchungstext\tBelastung\tGutschrift\tSaldo CHF\n06.08.2026\t06.08.2026\tHaus GmbH Miete\t1’200.00\t\t844.90\n05.08.2026\t05.08.2026\tJörg Müller SW-10843\t\t1’044.90\t2’044.90\n",
        {_CH: (_RENT, _ORDER)},
        balances=(100000, 84490),
    ),
    Layout(
        "Neon, foreign currency beside, rate and original amount",
        '"Date";"Amount";"Original amount";"Original currency";"Exchange rate";"Description";"Subject";"Category";"Tags";"Wise";"Spaces"\n"2026-08-06";"-1200.00";"";"";"";"Haus GmbH";"Miete";"housing";"";"no";"no"\n"2026-08-05";"1044.90";"1090.00";"EUR";"0.958";"Jörg Müller";"SW-10843";"income";"";"no";"no"\n',
        {_NONE: ((-120000, "2026-08-06", "BOOK", "", "", "Haus GmbH Miete"), _ORDER)},
    ),
)
