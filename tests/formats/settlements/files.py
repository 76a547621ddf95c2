"""Settlement files in the manner of payment services and marketplaces; orders, names and amounts are invented."""

# ruff: noqa: E501  # rows as the providers write them
from __future__ import annotations

from typing import Final

STRIPE_PAYOUTS_RECONCILED: Final = """\
automatic_payout_id,automatic_payout_effective_at,balance_transaction_id,created_utc,currency,gross,fee,net,reporting_category,source_id,description,customer_facing_amount,customer_facing_currency,charge_id,payment_metadata[order_id]
po_1QLbWm4c,2026-11-16 00:00:00,txn_1a,2026-11-14 09:12:44,eur,42.60,0.89,41.71,charge,ch_1a,Tea,42.60,eur,ch_1a,SO-101
po_1QLbWm4c,2026-11-16 00:00:00,txn_1b,2026-11-14 16:40:00,eur,27.50,0.66,26.84,charge,ch_1b,Order SO-102,27.50,eur,ch_1b,
po_1QLbWm4c,2026-11-16 00:00:00,txn_1c,2026-11-15 08:03:10,eur,39.90,0.85,39.05,charge,ch_1c,,42.00,usd,ch_1c,SO-103
po_1QN2xK9d,2026-11-17 00:00:00,txn_1d,2026-11-16 10:00:00,eur,-42.60,0.00,-42.60,refund,re_1a,REFUND FOR CHARGE,-42.60,eur,ch_1a,
po_1QN2xK9d,2026-11-17 00:00:00,txn_1e,2026-11-16 11:00:00,eur,-27.50,20.00,-47.50,dispute,du_1b,Chargeback,-27.50,eur,ch_1b,
po_1QN2xK9d,2026-11-17 00:00:00,txn_1f,2026-11-16 12:00:00,eur,27.50,-20.00,47.50,dispute_reversal,du_1b,Won,27.50,eur,ch_1b,
po_1QN2xK9d,2026-11-17 00:00:00,txn_1g,2026-11-16 13:00:00,eur,-2.00,0.00,-2.00,fee,,Radar (November),,,,
po_1QN2xK9d,2026-11-17 00:00:00,txn_1h,2026-11-16 14:00:00,eur,100.00,0.10,99.90,charge,ch_1h,SO-104,100.00,eur,ch_1h,SO-104
po_1QN2xK9d,2026-11-17 00:00:00,txn_1i,2026-11-16 15:00:00,eur,-10.00,0.00,-10.00,risk_reserved_funds,,,,,,
"""
STRIPE_ACTIVITY: Final = """\
net,reporting_category,balance_transaction_id,source_id,available_on,fee,gross,currency,created
41.71,charge,txn_1a,ch_1a,2026-11-16,0.89,42.60,eur,2026-11-14 10:12:44
26.84,charge,txn_1b,ch_1b,2026-11-16,0.66,27.50,eur,2026-11-14 17:40:00
"""
STRIPE_NO_KIND: Final = """\
balance_transaction_id,source_id,created_utc,available_on_utc,net,fee
txn_1a,ch_1a,2026-11-14 09:12:44,2026-11-16,41.71,0.89
txn_1d,re_1a,2026-11-16 10:00:00,2026-11-18,-42.60,0.00
"""
STRIPE_PAYOUTS: Final = """\
payout_id,effective_at,balance_transaction_id,currency,gross,fee,net,reporting_category,trace_id
po_1QLbWm4c,2026-11-16 00:00:00,txn_9a,eur,107.60,0.00,107.60,payout,STRIPE8G4K2
"""
PAYPAL_DE: Final = """\
\ufeff"Datum","Uhrzeit","Zeitzone","Name","Typ","Status","Währung","Brutto","Gebühr","Netto","Transaktionscode","Zugehöriger Transaktionscode","Rechnungsnummer","Guthaben","Auswirkung auf Guthaben"
"18.11.2026","10:12:44","Europe/Berlin","Mila Kora","PayPal Express-Zahlung","Abgeschlossen","EUR","58,77","-1,81","56,96","7AB12345CD678901E","","SO-101","1.056,96","Haben"
"18.11.2026","11:00:00","Europe/Berlin","Mila Kora","Allgemeine Autorisierung","Ausstehend","EUR","58,77","0,00","58,77","7AUTH","","SO-101","1.056,96","Memo"
"19.11.2026","09:00:00","Europe/Berlin","Onno Harms","Website-Zahlung","Abgeschlossen","EUR","100,00","-0,10","99,90","7AB2","","SO-102","1.156,86","Haben"
"20.11.2026","09:00:00","Europe/Berlin","Mila Kora","Rückzahlung","Abgeschlossen","EUR","-58,77","0,00","-58,77","7AB3","7AB12345CD678901E","","1.098,09","Soll"
"21.11.2026","09:00:00","Europe/Berlin","Onno Harms","Rückbuchung","Abgeschlossen","EUR","-100,00","0,00","-100,00","7AB4","7AB2","","998,09","Soll"
"21.11.2026","09:00:01","Europe/Berlin","","Rückbuchungsgebühr","Abgeschlossen","EUR","-14,00","0,00","-14,00","7AB5","7AB2","","984,09","Soll"
"22.11.2026","09:00:00","Europe/Berlin","","Von Nutzer eingeleitete Abbuchung","Abgeschlossen","EUR","-500,00","0,00","-500,00","7AB6","","","484,09","Soll"
"22.11.2026","10:00:00","Europe/Berlin","Kistenhaus","PayPal Express-Zahlung","Abgeschlossen","EUR","-20,00","0,00","-20,00","7AB7","","","464,09","Soll"
"""
PAYPAL_EN: Final = """\
"Date","Time","TimeZone","Name","Type","Status","Currency","Gross","Fee","Net","Transaction ID","Reference Txn ID","Invoice Number","Balance","Balance Impact"
"11/03/2026","10:00:00","PST","","General Currency Conversion","Completed","EUR","55.00","0.00","55.00","8C3","8C1","","1,055.00","Credit"
"11/03/2026","10:00:00","PST","","General Currency Conversion","Completed","USD","-57.85","0.00","-57.85","8C2","8C1","","0.00","Debit"
"11/03/2026","09:59:00","PST","Ada Bell","Express Checkout Payment","Completed","USD","60.00","-2.15","57.85","8C1","","SO-105","57.85","Credit"
"""
PAYPAL_SETTLEMENT: Final = """\
"RH",2026/11/19 01:00:00 +0100,"A","X1Y2Z3",009
"FH",01
"SH",2026/11/18 00:00:00 +0100,2026/11/18 23:59:59 +0100,"X1Y2Z3",""
"CH","Transaction ID","Invoice ID","PayPal Reference ID","PayPal Reference ID Type","Transaction Event Code","Transaction Initiation Date","Transaction Completion Date","Transaction Debit or Credit","Gross Transaction Amount","Gross Transaction Currency","Fee Debit or Credit","Fee Amount","Fee Currency","Custom  Field","Consumer ID"
"SB","7AB12345CD678901E","SO-101","","","T0006",2026/11/18 10:12:44 +0100,2026/11/18 10:12:44 +0100,"CR",5877,"EUR","DR",181,"EUR","",""
"SB","7AB3","","7AB12345CD678901E","TXN","T1107",2026/11/18 12:00:00 +0100,2026/11/18 12:00:00 +0100,"DR",1000,"EUR","CR",20,"EUR","",""
"SB","7AB8","SO-109","","","T0006",2026/11/18 13:00:00 +0100,2026/11/18 13:00:00 +0100,"CR",5877,"JPY","DR",181,"JPY","",""
"SF","EUR",5877,1000,20,181,100000,104716
"SF","JPY",5877,0,0,181,0,5696
"SC",3
"RF","EUR",5877,1000,20,181,100000,104716
"RC",3
"FF",1
"""
_KLARNA_TOTALS: Final = (
    "total_sale_amount;total_fee_amount;total_return_amount;total_reversal_amount;total_holdback_amount;total_release_amount;"
    "opening_debt_balance;total_deposit_amount;total_repay_amount;closing_debt_balance;total_settlement_amount;"
    "payment_reference;settlement_currency;payout_date;merchant_settlement_type;merchant_id\n"
)
_KLARNA_ROWS: Final = "type;capture_date;payment_reference;short_order_id;order_id;capture_id;merchant_reference1;amount;posting_currency;refund_id;detailed_type\n"
KLARNA: Final = (
    _KLARNA_TOTALS
    + "158.77;4.76;20.00;0.00;0.00;0.00;0.00;0.00;0.00;0.00;134.01;987654321;EUR;2026-11-20T00:00:00Z;NET;K123\n"
    + _KLARNA_ROWS
    + "SALE;2026-11-18T09:12:44Z;987654321;KL7Q2W;c504;8e93;SO-101;58.77;EUR;;PURCHASE\n"
    + "FEE;2026-11-18T09:12:44Z;987654321;KL7Q2W;c504;8e93;SO-101;1.41;EUR;;PURCHASE_FEE_PERCENTAGE\n"
    + "SALE;2026-11-18T10:00:00Z;987654321;KL8Q2W;c505;8e94;SO-102;100.00;EUR;;PURCHASE\n"
    + "FEE;2026-11-18T09:12:44Z;987654321;KL7Q2W;c504;8e93;SO-101;0.35;EUR;;PURCHASE_FEE_FIXED\n"
    + "FEE;2026-11-18T10:00:00Z;987654321;KL8Q2W;c505;8e94;SO-102;3.00;EUR;;PURCHASE_FEE_PERCENTAGE\n"
    + "RETURN;2026-11-19T10:00:00Z;987654321;KL7Q2W;c504;8e93;SO-101;20.00;EUR;r1;RETURN\n"
)
KLARNA_SIGNED: Final = (
    KLARNA.replace(";1.41;", ";-1.41;")
    .replace(";0.35;", ";-0.35;")
    .replace(";3.00;", ";-3.00;")
    .replace(";20.00;EUR;r1", ";-20.00;EUR;r1")
)
KLARNA_BELOW_ZERO: Final = (
    _KLARNA_TOTALS
    + "0.00;0.00;20.00;0.00;0.00;0.00;5.00;20.00;0.00;25.00;0.00;987654322;EUR;2026-11-27T00:00:00Z;NET;K123\n"
    + _KLARNA_ROWS
    + "RETURN;2026-11-25T10:00:00Z;987654322;KL7Q2W;c504;8e93;SO-101;-20.00;EUR;r2;RETURN\n"
)
MOLLIE: Final = """\
"Date","Payment method","Currency","Amount","Status","ID","Description","Consumer name","Consumer bank account","Consumer BIC","Settlement currency","Settlement amount","Settlement reference","Amount refunded"
"2026-11-18 10:12:44","ideal","EUR","58.77","Paid","tr_7U","Order SO-101","Mila Kora","NL91ABNA0417164300","ABNANL2A","EUR","58.77","1234567.2611.01","20.00"
"2026-11-18 11:12:44","creditcard","USD","60.00","Paid","tr_8U","Order SO-102","Ada Bell","","","EUR","55.00","1234567.2611.01","0.00"
"2026-11-19 10:12:44","refund","EUR","-20.00","Paid","re_1U","Order SO-101","Mila Kora","","","EUR","-20.00","1234567.2611.01",""
"2026-11-19 11:12:44","chargeback","EUR","-55.00","Charged back","chb_1","Order SO-102","Ada Bell","","","EUR","-55.00","1234567.2611.01",""
"2026-11-20 00:00:00","","EUR","-0.73","","","Withheld transaction fees MOL-2026-0012345","","","","EUR","-0.73","1234567.2611.01",""
"""
_V2: Final = "settlement-id\tsettlement-start-date\tsettlement-end-date\tdeposit-date\ttotal-amount\tcurrency\ttransaction-type\torder-id\tmerchant-order-id\tadjustment-id\tshipment-id\tmarketplace-name\tamount-type\tamount-description\tamount\tfulfillment-id\tposted-date\tposted-date-time\torder-item-code\n"


def _v2(kind: str, order: str, own: str, part: str, detail: str, amount: str, item: str = "1") -> str:
    return f"81021822748\t\t\t\t\t\t{kind}\t{order}\t{own}\t\tD1\tAmazon.de\t{part}\t{detail}\t{amount}\tMFN\t20.11.2026\t20.11.2026 10:00:00 UTC\t{item}\n"


AMAZON_V2: Final = (
    _V2
    + "81021822748\t10.11.2026 00:00:00 UTC\t24.11.2026 00:00:00 UTC\t26.11.2026 00:00:00 UTC\t109,00\tEUR\n"
    + _v2("Order", "303-1234567-1234567", "SO-101", "ItemPrice", "Principal", "88,00")
    + _v2("Order", "303-1234567-1234567", "SO-101", "ItemPrice", "Principal", "88,00", "2")
    + _v2("Order", "303-1234567-1234567", "SO-101", "Promotion", "Principal", "-6,00")
    + _v2("Order", "303-1234567-1234567", "SO-101", "ItemFees", "Commission", "-13,20")
    + _v2("Order", "303-1234567-1234567", "SO-101", "ItemFees", "Commission", "-13,20", "2")
    + _v2("Refund", "303-7654321-7654321", "", "ItemPrice", "Principal", "-30,00")
    + _v2("Refund", "303-7654321-7654321", "", "ItemFees", "Commission", "4,50")
    + _v2("Refund", "303-7654321-7654321", "", "ItemFees", "RefundCommission", "-0,90")
    + _v2("other-transaction", "", "", "other-transaction", "Current Reserve Amount", "-50,00", "")
    + _v2("other-transaction", "", "", "other-transaction", "Previous Reserve Amount Balance", "80,80", "")
    + _v2("ServiceFee", "", "", "Cost of Advertising", "TransactionTotalAmount", "-39,00", "")
)
AMAZON_V2_BELOW_ZERO: Final = (
    _V2
    + "81021822748\t10.11.2026 00:00:00 UTC\t24.11.2026 00:00:00 UTC\t26.11.2026 00:00:00 UTC\t-39,00\tEUR\n"
    + _v2("ServiceFee", "", "", "Cost of Advertising", "TransactionTotalAmount", "-39,00", "")
)
AMAZON_RANGE_DE: Final = """\
"Enthält alle Transaktionen in EUR"
"Definitionen:"
"Verkaufsgebühren: Gebühren für Angebote, Provision"
"Andere Transaktionsgebühren: Versandgebühren"
""
"Alle Zeiten in UTC"
"Datum/Uhrzeit","Abrechnungsnummer","Typ","Bestellnummer","SKU","Beschreibung","Menge","Marketplace","Versand","Ort der Bestellung","Bundesland","Postleitzahl","Steuererhebungsmodell","Umsätze","Produktumsatzsteuer","Gutschrift für Versandkosten","Steuer auf Versandgutschrift","Gutschrift für Geschenkverpackung","Steuer auf Geschenkverpackungsgutschriften","Rabatte aus Werbeaktionen","Steuer auf Aktionsrabatte","Einbehaltene Steuer auf Marketplace","Verkaufsgebühren","Gebühren zu Versand durch Amazon","Andere Transaktionsgebühren","Andere","Gesamt"
"20.11.2026 10:00:00 UTC","81021822748","Bestellung","303-1234567-1234567","ART-1","Lampe","1","amazon.de","Verkäufer","","","","","73,95","14,05","0","0","0","0","-6","0","0","-13,20","0","0","0","68,80"
"20.11.2026 10:00:00 UTC","81021822748","Bestellung","303-1234567-1234567","ART-2","Lampe","1","amazon.de","Verkäufer","","","","","73,95","14,05","0","0","0","0","0","0","0","-13,20","0","0","0","74,80"
"20.11.2026 11:00:00 UTC","81021822748","Servicegebühr","","","Werbekosten","","","","","","","","0","0","0","0","0","0","0","0","0","0","0","-39,00","0","-39,00"
"24.11.2026 11:00:00 UTC","81021822748","Übertrag","","","An Konto mit der Endung: 123","","","","","","","","0","0","0","0","0","0","0","0","0","0","0","0","-104,60","-104,60"
"""
AMAZON_RANGE_EN: Final = """\
"Includes Amazon Marketplace transactions"
"date/time","settlement id","type","order id","sku","description","quantity","marketplace","fulfilment","product sales","product sales tax","postage credits","shipping credits tax","gift wrap credits","giftwrap credits tax","promotional rebates","promotional rebates tax","marketplace withheld tax","selling fees","fba fees","other transaction fees","other","total"
"20 Nov 2026 10:00:00 UTC","81021822749","Order","202-1234567-1234567","A","Lamp","1","amazon.co.uk","Seller","1,050.00","210.00","0","0","0","0","0","0","-210.00","-157.50","0","0","0","892.50"
"21 Nov 2026 10:00:00 UTC","81021822749","Refund","202-1234567-1234567","A","Lamp","1","amazon.co.uk","Seller","-1,050.00","-210.00","0","0","0","0","0","0","210.00","126.00","0","0","0","-924.00"
"""
SHOPIFY: Final = """\
Transaction Date,Type,Order,Card Brand,Card Source,Payout Status,Payout Date,Payout ID,Available On,Amount,Fee,Net,Checkout,Payment Method Name,Presentment Amount,Presentment Currency,Currency,VAT
2026-11-19 10:12:44 +0100,charge,#1003,visa,online,pending,2026-11-25,,2026-11-25,10.00,0.40,9.60,#4370,card,10.00,EUR,EUR,0.00
2026-11-18 12:12:44 +0100,refund,#1002,visa,online,paid,2026-11-24,148156579998,2026-11-24,-20.00,0.00,-20.00,#4369,card,-22.00,USD,EUR,0.00
2026-11-18 11:12:44 +0100,charge,#1002,visa,online,paid,2026-11-24,148156579998,2026-11-24,55.00,1.53,53.47,#4369,card,60.00,USD,EUR,0.00
2026-11-18 10:12:44 +0100,charge,#1001,visa,online,paid,2026-11-24,148156579998,2026-11-24,58.77,1.53,57.24,#4368,card,58.77,EUR,EUR,0.00
"""
SUMUP: Final = """\
Zeitstempel,Transaktionscode,Transaktionsart,Status,Kartentyp,Letzte 4 Ziffern,Beschreibung,Betrag,Währung,Steuerbetrag,Trinkgeldbetrag,Gebührenbetrag,Auszahlungsbetrag,Auszahlungsdatum,Auszahlungs-ID
18.11.2026 10:12:44,TAAA1,Zahlung,Erfolgreich,VISA,4242,Order SO-101,"58,77",EUR,"0,00","0,00","0,82",,,
18.11.2026 10:20:00,TAAA2,Zahlung,Fehlgeschlagen,VISA,4242,Order SO-102,"58,77",EUR,"0,00","0,00","0,82",,,
19.11.2026 10:12:44,TAAA3,Zahlung,Erfolgreich,VISA,4242,Order SO-103,"1.058,77",EUR,"0,00","0,00","14,82",,,
24.11.2026 05:00:00,TAAA1,Auszahlung,Ausgezahlt,,,,"58,77",EUR,,,"0,82","57,95",24.11.2026,SUMUP PID1283966 PAYOUT 251126
"""
SUMUP_API: Final = """\
id,type,amount,date,currency,fee,status,reference,transaction_code
1,REFUND_DEDUCTION,10.00,2026-11-24,EUR,0.00,SUCCESSFUL,TAAA0,TAAA0
2,PAYOUT,57.95,2026-11-24,EUR,0.82,SUCCESSFUL,SUMUP PID1283966 PAYOUT 251126,TAAA1
"""
WISE: Final = """\
"TransferWise ID",Date,"Date Time",Amount,Currency,Description,"Payment Reference","Running Balance","Exchange From","Exchange To","Exchange Rate","Payer Name","Payee Name","Payee Account Number",Merchant,"Card Last Four Digits","Card Holder Full Name",Attachment,Note,"Total fees","Exchange To Amount","Transaction Type","Transaction Details Type"
TRANSFER-3,20-11-2026,20-11-2026 09:12:44.125,-500.39,EUR,Sent money to Teehaus,,558.38,,,,,Teehaus,DE1,,,,,,0.39,,DEBIT,TRANSFER
TRANSFER-2,18-11-2026,18-11-2026 09:12:44.125,58.77,EUR,Received money from Mila Kora,SO-101,1058.77,,,,Mila Kora,,,,,,,,0.00,,CREDIT,DEPOSIT
"""
UNKNOWN: Final = """\
Buchung;Beleg;Auftrag;Brutto;Disagio;Netto;Abrechnung
18.11.2026;B1;SO-101;58,77;0,82;57,95;A-2026-11-18
18.11.2026;B2;SO-102;100,00;2,00;98,00;A-2026-11-18
19.11.2026;B3;SO-101;-20,00;0,00;-20,00;A-2026-11-18
"""
