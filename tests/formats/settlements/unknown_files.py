"""Files of services that the package does not know, with the headings that such services use; contents are invented."""

# ruff: noqa: E501  # rows as the services write them
from __future__ import annotations

from typing import Final

FILES: Final = {
    "acquirer with debits, credits and four fees": (
        "Company Account,Merchant Account,Psp Reference,Merchant Reference,Payment Method,Creation Date,TimeZone,Type,Modification Reference,Gross Currency,Gross Debit (GC),Gross Credit (GC),Exchange Rate,Net Currency,Net Debit (NC),Net Credit (NC),Commission (NC),Markup (NC),Scheme Fees (NC),Interchange (NC),Payment Method Variant,Modification Merchant Reference,Batch Number,Reserved4\n"
        "Shop,ShopDE,P1,SO-101,visa,2026-11-18 10:12:44,CET,Settled,M1,EUR,,58.77,1,EUR,,58.01,,0.30,0.16,0.30,visastandarddebit,,71,\n"
        "Shop,ShopDE,P2,SO-102,ideal,2026-11-18 11:12:44,CET,Settled,M2,EUR,,100.00,1,EUR,,99.75,0.25,,,,ideal,,71,\n"
        "Shop,ShopDE,P1,SO-101,visa,2026-11-19 10:12:44,CET,Refunded,M3,EUR,20.00,,1,EUR,20.10,,,0.10,,,visastandarddebit,SO-101-R,71,\n"
        "Shop,ShopDE,P2,SO-102,visa,2026-11-19 12:12:44,CET,Chargeback,M4,EUR,100.00,,1,EUR,115.00,,15.00,,,,visa,,71,\n"
        "Shop,ShopDE,P2,SO-102,visa,2026-11-19 13:12:44,CET,SecondChargeback,M4b,EUR,1.00,,1,EUR,1.00,,,,,,visa,,71,\n"
        "Shop,ShopDE,P2,SO-102,visa,2026-11-19 13:12:44,CET,ChargebackReversed,M5,EUR,,100.00,1,EUR,,100.00,,,,,visa,,71,\n"
        "Shop,ShopDE,,,,2026-11-20 00:00:00,CET,Fee,M6,EUR,,,,EUR,3.00,,,,,,,,71,\n"
        "Shop,ShopDE,,,,2026-11-20 00:00:00,CET,InvoiceDeduction,M7,EUR,,,,EUR,5.00,,,,,,,,71,\n"
        "Shop,ShopDE,,,,2026-11-20 00:00:00,CET,DepositCorrection,M8,EUR,,,,EUR,10.00,,,,,,,,71,\n"
        "Shop,ShopDE,,,,2026-11-20 00:00:00,CET,Balancetransfer,M9,EUR,,,,EUR,0.00,4.00,,,,,,,71,\n"
        "Shop,ShopDE,,,,2026-11-20 00:00:00,CET,MerchantPayout,M10,EUR,,,,EUR,207.66,,,,,,,,71,\n"
    ),
    "acquirer in German": (
        "Händlernummer;Terminal-ID;Transaktionsdatum;Buchungsdatum;Kartenart;Kartennummer;Transaktionsart;Bruttobetrag;Disagio;Interchange;Nettobetrag;Währung;Referenznummer;Abrechnungsnummer;Auszahlungsdatum\n"
        "4711;T1;18.11.2026;19.11.2026;VISA;1234XX;Umsatz;58,77;0,82;0,12;57,95;EUR;SO-101;A4711002;20.11.2026\n"
        "4711;T1;18.11.2026;19.11.2026;VISA;1234XX;Gutschrift;-20,00;0,00;0,00;-20,00;EUR;SO-101;A4711002;20.11.2026\n"
    ),
    "acquirer in Switzerland": (
        "Transaction date;Contract;Card brand;Transaction type;Gross amount;Commission;Net amount;Currency;Merchant transaction reference;Payment reference;Value date\n"
        "18.11.2026;77;Mastercard;Purchase;1'058.77;10.82;1'047.95;CHF;SO-101;SIX-8811223;23.11.2026\n"
        "18.11.2026;77;Mastercard;Credit;-20.00;0.00;-20.00;CHF;SO-101;SIX-8811223;23.11.2026\n"
    ),
    "marketplace with four fees": (
        '"Datum der Transaktionserstellung";"Typ";"Bestellnummer";"Alte Bestellnummer";"Nutzername des Käufers";"Nettobetrag";"Auszahlungswährung";"Auszahlungsdatum";"Auszahlung Nr.";"Auszahlungsmethode";"Auszahlungsstatus";"Transaktionscode";"Angebotstitel";"Stückzahl";"Zwischensumme Artikel";"Verpackung und Versand";"Fixer Anteil der Verkaufsprovision";"Variabler Anteil der Verkaufsprovision";"Gebühr für sehr hohe Quote an „nicht wie beschriebenen Artikeln“";"Internationale Gebühr";"Transaktionsbetrag (inkl. Kosten)";"Transaktionswährung";"Wechselkurs";"Referenznummer";"Beschreibung"\n'
        '"18. Nov 2026";"Bestellung";"11-12345-67890";"";"mila";"51,65";"EUR";"23. Nov 2026";"6012345678";"Bank";"Ausgezahlt";"T-1";"Lampe";"1";"50,00";"8,77";"-0,35";"-6,77";"--";"--";"58,77";"EUR";"--";"--";"--"\n'
        '"19. Nov 2026";"Rückerstattung";"11-12345-67890";"";"mila";"-20,00";"EUR";"23. Nov 2026";"6012345678";"Bank";"Ausgezahlt";"T-2";"Lampe";"1";"-20,00";"--";"--";"--";"--";"--";"-20,00";"EUR";"--";"--";"--"\n'
        '"20. Nov 2026";"Sonstige Gebühr";"--";"";"";"-3,00";"EUR";"23. Nov 2026";"6012345678";"Bank";"Ausgezahlt";"T-3";"--";"--";"--";"--";"--";"--";"--";"--";"-3,00";"EUR";"--";"--";"Anzeigengebühr"\n'
        '"23. Nov 2026";"Auszahlung";"--";"";"";"-28,65";"EUR";"23. Nov 2026";"6012345678";"Bank";"Ausgezahlt";"T-4";"--";"--";"--";"--";"--";"--";"--";"--";"--";"EUR";"--";"--";"--"\n'
    ),
    "marketplace in German": (
        "Belegdatum;Bestellnummer;Buchungstyp;Artikel;Bruttobetrag;Provision;Auszahlungsbetrag;Belegnummer;Auszahlungsnummer\n"
        "18.11.2026;SO-101;Verkauf;Lampe;58,77;-8,82;49,95;B-1;OT-2026-47\n"
        "19.11.2026;SO-101;Retoure;Lampe;-58,77;8,82;-49,95;B-2;OT-2026-47\n"
    ),
    "marketplace with snake case": (
        "date,type,id_order,id_order_unit,id_booking,gross,fee,net,currency,payout_id,booking_text\n"
        "2026-11-18,sales,MABC123,1,B1,58.77,-8.00,50.77,EUR,KL-20261120,Verkauf\n"
        "2026-11-19,returns,MABC123,1,B2,-58.77,8.00,-50.77,EUR,KL-20261120,Retoure\n"
    ),
    "invoice service in capitals": (
        "SHOP_ID;PAYMENTDATE;SHOPSORDER_ID;INVOICE_NUMBER;DESCRIPTOR;ENTRYTYPE;REFERENCE;AMOUNT;CURRENCY;FEE;NET\n"
        "1;20.11.2026;SO-101;RE-1;D1;Umsatz;R1;58,77;EUR;0,82;57,95\n"
        "1;20.11.2026;SO-101;RE-1;D1;Retoure;R2;-20,00;EUR;0,00;-20,00\n"
    ),
    "invoice service for companies": (
        "payout_date,payout_reference,transaction_type,order_id,invoice_number,gross_amount,fee_net,fee_tax,fee_gross,payout_amount,currency\n"
        "2026-11-20,BIL-998811,invoice_payout,SO-101,RE-1,1190.00,20.00,3.80,23.80,1166.20,EUR\n"
        "2026-11-20,BIL-998811,credit_note,SO-101,RE-1,-119.00,0.00,0.00,0.00,-119.00,EUR\n"
    ),
    "invoice service in English": (
        "Settlement date;Settlement number;Order number;Invoice number;Transaction type;Gross amount;Fee;Net amount;Currency\n"
        "20-11-2026;SET778899;SO-101;RE-1;Capture;58,77;0,82;57,95;EUR\n"
        "20-11-2026;SET778899;SO-101;RE-1;Refund;-20,00;0,00;-20,00;EUR\n"
    ),
    "acquirer with a net payout": (
        "Buchungsdatum;Transaktionsdatum;VU-Nummer;Kartenart;Umsatzart;Umsatz brutto;Gebühr;Auszahlung netto;Währung;Händlerreferenz;Zahlungsreferenz\n"
        "19.11.2026;18.11.2026;88;girocard;Kauf;58,77;0,12;58,65;EUR;SO-101;VRP20261119001\n"
        "19.11.2026;18.11.2026;88;girocard;Storno;-58,77;-0,12;-58,65;EUR;SO-101;VRP20261119001\n"
    ),
    "gateway in German": (
        "Datum;Transaktionstyp;Kurz-ID;Unique-ID;Bestellnummer;Zahlungsart;Brutto;Gebühren;Netto;Währung;Auszahlungsreferenz\n"
        "18.11.2026 10:12:44;Debit;1234.5678.9012;31HA07;SO-101;VISA;58,77;-0,82;57,95;EUR;UNZER-4455667\n"
        "18.11.2026 10:12:44;Refund;1234.5678.9013;31HA08;SO-101;VISA;-20,00;0,00;-20,00;EUR;UNZER-4455667\n"
        "18.11.2026 10:12:44;Chargeback;1234.5678.9014;31HA09;SO-101;VISA;-38,77;-15,00;-53,77;EUR;UNZER-4455667\n"
    ),
    "French": (
        "Date;Type;Numéro de commande;Montant brut;Commission;Montant net;Devise;Numéro de versement;Date de versement\n"
        "18/11/2026;Vente;SO-101;58,77;-0,82;57,95;EUR;VRS-99881;23/11/2026\n"
        "19/11/2026;Remboursement;SO-101;-20,00;0,00;-20,00;EUR;VRS-99881;23/11/2026\n"
        "20/11/2026;Rétrofacturation;SO-101;-38,77;-15,00;-53,77;EUR;VRS-99881;23/11/2026\n"
        "21/11/2026;Frais mensuels;;0,00;3,00;-3,00;EUR;VRS-99881;23/11/2026\n"
        "23/11/2026;Versement;;-19,18;0,00;-19,18;EUR;VRS-99881;23/11/2026\n"
    ),
    "Italian": (
        "Data;Tipo;Numero ordine;Importo lordo;Commissione;Importo netto;Valuta;ID accredito;Data accredito\n"
        "18/11/2026;Vendita;SO-101;58,77;-0,82;57,95;EUR;ACC-99881;23/11/2026\n"
        "19/11/2026;Rimborso;SO-101;-20,00;0,00;-20,00;EUR;ACC-99881;23/11/2026\n"
    ),
    "Spanish": (
        "Fecha;Tipo;Número de pedido;Importe bruto;Comisión;Importe neto;Divisa;ID de pago;Fecha de pago\n"
        "18/11/2026;Venta;SO-101;58,77;-0,82;57,95;EUR;PAG-99881;23/11/2026\n"
        "19/11/2026;Reembolso;SO-101;-20,00;0,00;-20,00;EUR;PAG-99881;23/11/2026\n"
        "20/11/2026;Contracargo;SO-101;-38,77;-15,00;-53,77;EUR;PAG-99881;23/11/2026\n"
    ),
    "Dutch": (
        "Datum;Soort;Bestelnummer;Brutobedrag;Kosten;Nettobedrag;Valuta;Uitbetalingsnummer;Uitbetalingsdatum\n"
        "18-11-2026;Verkoop;SO-101;58,77;-0,82;57,95;EUR;UIT-99881;23-11-2026\n"
        "19-11-2026;Terugbetaling;SO-101;-20,00;0,00;-20,00;EUR;UIT-99881;23-11-2026\n"
    ),
    "Polish": (
        "Data;Rodzaj;Numer zamówienia;Kwota brutto;Prowizja;Kwota netto;Waluta;Numer wypłaty\n"
        "18.11.2026;Sprzedaż;SO-101;58,77;-0,82;57,95;PLN;WYP-99881\n"
        "19.11.2026;Zwrot;SO-101;-20,00;0,00;-20,00;PLN;WYP-99881\n"
    ),
}
"""Name -> the file."""
READ: Final = {
    "acquirer with debits, credits and four fees": [
        ("sale", "SO-101", 5877, 76, "EUR", "71"),
        ("sale", "SO-102", 10000, 25, "EUR", "71"),
        ("refund", "SO-101", -2000, 10, "EUR", "71"),
        ("chargeback", "SO-102", -10000, 1500, "EUR", "71"),
        ("chargeback", "SO-102", -100, 0, "EUR", "71"),
        ("chargeback reversed", "SO-102", 10000, 0, "EUR", "71"),
        ("fee", "", 0, 300, "EUR", "71"),
        ("adjustment", "", -500, 0, "EUR", "71"),
        ("adjustment", "", -1000, 0, "EUR", "71"),
        ("carried over", "", 400, 0, "EUR", "71"),
        ("payout", "", -20766, 0, "EUR", "71"),
    ],
    "acquirer in German": [
        ("sale", "SO-101", 5877, 82, "EUR", "A4711002"),
        ("refund", "SO-101", -2000, 0, "EUR", "A4711002"),
    ],
    "acquirer in Switzerland": [
        ("sale", "SO-101", 105877, 1082, "CHF", ""),
        ("adjustment", "SO-101", -2000, 0, "CHF", ""),
    ],
    "marketplace with four fees": [
        ("sale", "11-12345-67890", 5877, 712, "EUR", "6012345678"),
        ("refund", "11-12345-67890", -2000, 0, "EUR", "6012345678"),
        ("fee", "", 0, 300, "EUR", "6012345678"),
        ("payout", "", -2865, 0, "EUR", "6012345678"),
    ],
    "marketplace in German": [
        ("sale", "SO-101", 5877, 882, "EUR", "OT-2026-47"),
        ("refund", "SO-101", -5877, -882, "EUR", "OT-2026-47"),
    ],
    "marketplace with snake case": [
        ("sale", "MABC123", 5877, 800, "EUR", "KL-20261120"),
        ("refund", "MABC123", -5877, -800, "EUR", "KL-20261120"),
    ],
    "invoice service in capitals": [
        ("sale", "SO-101", 5877, 82, "EUR", ""),
        ("refund", "SO-101", -2000, 0, "EUR", ""),
    ],
    "invoice service for companies": [
        ("sale", "SO-101", 119000, 2380, "EUR", "BIL-998811"),
        ("refund", "SO-101", -11900, 0, "EUR", "BIL-998811"),
    ],
    "invoice service in English": [
        ("sale", "SO-101", 5877, 82, "EUR", "SET778899"),
        ("refund", "SO-101", -2000, 0, "EUR", "SET778899"),
    ],
    "acquirer with a net payout": [
        ("sale", "SO-101", 5877, 12, "EUR", ""),
        ("refund", "SO-101", -5877, -12, "EUR", ""),
    ],
    "gateway in German": [
        ("adjustment", "SO-101", 5795, 0, "EUR", "UNZER-4455667"),
        ("refund", "SO-101", -2000, 0, "EUR", "UNZER-4455667"),
        ("chargeback", "SO-101", -3877, 1500, "EUR", "UNZER-4455667"),
    ],
    "French": [
        ("sale", "SO-101", 5877, 82, "EUR", "VRS-99881"),
        ("refund", "SO-101", -2000, 0, "EUR", "VRS-99881"),
        ("chargeback", "SO-101", -3877, 1500, "EUR", "VRS-99881"),
        ("fee", "", 0, 300, "EUR", "VRS-99881"),
        ("payout", "", -1918, 0, "EUR", "VRS-99881"),
    ],
    "Italian": [
        ("sale", "SO-101", 5877, 82, "EUR", "ACC-99881"),
        ("refund", "SO-101", -2000, 0, "EUR", "ACC-99881"),
    ],
    "Spanish": [
        ("sale", "SO-101", 5877, 82, "EUR", "PAG-99881"),
        ("refund", "SO-101", -2000, 0, "EUR", "PAG-99881"),
        ("chargeback", "SO-101", -3877, 1500, "EUR", "PAG-99881"),
    ],
    "Dutch": [
        ("sale", "SO-101", 5877, 82, "EUR", "UIT-99881"),
        ("refund", "SO-101", -2000, 0, "EUR", "UIT-99881"),
    ],
    "Polish": [
        ("sale", "SO-101", 5877, 82, "PLN", "WYP-99881"),
        ("refund", "SO-101", -2000, 0, "PLN", "WYP-99881"),
    ],
}
"""Name -> kind, order, gross amount, fee, currency and payout of each row, as the proposal reads them."""
