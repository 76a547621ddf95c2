"""Tables in the languages of Europe that no profile knows: columns are recognised by header and cells."""
# ruff: noqa: E501  # lines as a bank's file has them

from __future__ import annotations

import io

import pytest

from paymatch.formats.statement import Entry, StatementHead, UnreadableEntry
from paymatch.formats.tables.reader import read_csv
from paymatch.formats.text_decoding import code_page_of

Facts = tuple[int, str, str, str, str, str]
"""Amount, booking date, name and account of the other side, remittance, structured reference."""

TABLES: dict[str, tuple[str, list[Facts]]] = {
    "czechia": (
        "Datum splatnosti;Datum odepsání z jiné banky;Protiúčet a kód banky;Název protiúčtu;Částka;Originální částka;VS;Identifikace transakce;Systémový popis;Popis pro příjemce\n"
        "10.03.2026;10.03.2026;123456789/0800;NOVÁK JIŘÍ;+499,00;;2026001;002-1003;Příchozí úhrada;objednávka\n",
        [(49900, "2026-03-10", "NOVÁK JIŘÍ", "123456789/0800", "2026001 objednávka", "")],
    ),
    "czechia, a name of the row beside the name of the other account": (
        "číslo účtu;datum zaúčtování;částka;měna;číslo účtu protistrany;kód banky;název účtu protistrany;variabilní symbol;název;zpráva\n"
        "CZ6508000000192000145399;20.11.2026;1 234,50;CZK;123456789;0800;NOVAK JAN;20264711;příchozí;SO-4711\n",
        [(123450, "2026-11-20", "NOVAK JAN", "123456789", "20264711 SO-4711", "")],
    ),
    "austria, details of the booking beside the payment reference": (
        "Buchungsdatum,Partnername,Partner IBAN,BIC/SWIFT,Betrag,Währung,Buchungs-Details,Buchungsreferenz,Valutadatum,Zahlungsreferenz\n"
        '20.11.2026,Huber Franz,AT611904300234573201,BKAUATWW,"1.234,50",EUR,SO-4711,201112611200012345678,20.11.2026,ZR-77\n',
        [(123450, "2026-11-20", "Huber Franz", "AT611904300234573201", "SO-4711 ZR-77", "")],
    ),
    "a payment provider with a field of the shop": (
        "id,Type,Amount,Fee,Net,Currency,Created (UTC),Description,order_id (metadata)\n"
        "txn_1,charge,100.00,3.20,96.80,eur,2026-11-20 10:00,Payment,SO-4711\n",
        [(9680, "2026-11-20", "", "", "Payment SO-4711", "")],
    ),
    "slovakia": (
        "Dátum zaúčtovania;Suma;Mena;Typ transakcie;Protiúčet;Názov protiúčtu;Variabilný symbol;Správa pre prijímateľa\n"
        "10.03.2026;49,90;EUR;Prijatá platba;SK3112000000198742637541;Jozef Mäkký;2026001;objednávka č. 7\n"
        "13.03.2026;-1,20;EUR;Poplatok;;Banka;;\n",
        [
            (4990, "2026-03-10", "Jozef Mäkký", "SK3112000000198742637541", "2026001 objednávka č. 7", ""),
            (-120, "2026-03-13", "Banka", "", "", ""),
        ],
    ),
    "hungary": (
        "Számlaszám;Könyvelés dátuma;Értéknap;Tranzakció típusa;Ellenoldali név;Ellenoldali számlaszám;Összeg;Pénznem;Közlemény;Egyenleg\n"
        "11773016-01234567;2026.03.10.;2026.03.10.;ÁTUTALÁS;KOVÁCS JÁNOS;11600006-00000000-12345678;12 500;HUF;rendelés 2026001;112 500\n"
        "11773016-01234567;2026.03.13.;2026.03.13.;DÍJ;BANK;;-300;HUF;;112 200\n",
        [
            (1250000, "2026-03-10", "KOVÁCS JÁNOS", "11600006-00000000-12345678", "rendelés 2026001", ""),
            (-30000, "2026-03-13", "BANK", "", "", ""),
        ],
    ),
    "croatia": (
        "Datum;Opis;Uplata;Isplata;Stanje\n"
        "10.03.2026.;IVAN HORVATIĆ narudžba 2026001;49,90;;1.049,90\n13.03.2026.;Naknada;;1,20;1.048,70\n",
        [
            (4990, "2026-03-10", "", "", "IVAN HORVATIĆ narudžba 2026001", ""),
            (-120, "2026-03-13", "", "", "Naknada", ""),
        ],
    ),
    "slovenia": (
        "Datum;Datum valute;Namen;Naziv prejemnika/plačnika;Račun;Sklic;Breme;Dobro;Stanje\n"
        "10.03.2026;10.03.2026;naročilo 2026001;JANEZ NOVAK;SI56192001234567892;SI00 2026001;;49,90;1.049,90\n"
        "13.03.2026;13.03.2026;Provizija;BANKA;;;1,20;;1.048,70\n",
        [
            (4990, "2026-03-10", "JANEZ NOVAK", "SI56192001234567892", "naročilo 2026001", "SI00 2026001"),
            (-120, "2026-03-13", "BANKA", "", "Provizija", ""),
        ],
    ),
    "romania": (
        "Data tranzactiei;Data valutei;Descriere;Nume partener;IBAN partener;Debit;Credit;Sold contabil\n"
        "2026-03-10;2026-03-10;comanda 2026001;POPESCU ION;RO49AAAA1B31007593840000;;249,90;1.249,90\n"
        "2026-03-13;2026-03-13;Comision;;;-5,00;;1.244,90\n",
        [
            (24990, "2026-03-10", "POPESCU ION", "RO49AAAA1B31007593840000", "comanda 2026001", ""),
            (-500, "2026-03-13", "", "", "Comision", ""),
        ],
    ),
    "estonia, balances and turnover as rows of their own": (
        '"Kliendi konto";"Reatüüp";"Kuupäev";"Saaja/Maksja";"Selgitus";"Summa";"Valuuta";"Deebet/Kreedit";"Arhiveerimistunnus";"Tehingu tüüp";"Viitenumber"\n'
        '"EE382200221020145685";"10";"01.03.2026";"";"Algsaldo";"1000,00";"EUR";"K";"";"AS";""\n'
        '"EE382200221020145685";"20";"10.03.2026";"Mari Maasikas";"tellimus 2026001";"49,90";"EUR";"K";"2026031000123456";"MK";"20260014"\n'
        '"EE382200221020145685";"20";"11.03.2026";"Pank AS";"Teenustasu";"1,20";"EUR";"D";"2026031100123457";"TT";""\n'
        '"EE382200221020145685";"82";"31.03.2026";"";"Käive";"1,20";"EUR";"D";"";"K2";""\n'
        '"EE382200221020145685";"86";"31.03.2026";"";"Lõppsaldo";"1048,70";"EUR";"K";"";"LS";""\n',
        [
            (4990, "2026-03-10", "Mari Maasikas", "", "tellimus 2026001", "20260014"),
            (-120, "2026-03-11", "Pank AS", "", "Teenustasu", ""),
        ],
    ),
    "lithuania": (
        '"Sąskaitos Nr.","Data","Gavėjas","Paaiškinimai","Suma","Valiuta","D/K","Įrašo Nr.","Įmokos kodas"\n'
        '"LT121000011101001000","2026-03-10","Jonas Jonaitis","uzsakymas 2026001","49.90","EUR","K","2026031000012345",""\n'
        '"LT121000011101001000","2026-03-11","Bankas","Mokestis","1.20","EUR","D","2026031100012346",""\n',
        [
            (4990, "2026-03-10", "Jonas Jonaitis", "", "uzsakymas 2026001", ""),
            (-120, "2026-03-11", "Bankas", "", "Mokestis", ""),
        ],
    ),
    "latvia": (
        "Datums;Saņēmējs/Maksātājs;Maksājuma mērķis;Debets;Kredīts;Valūta;Atlikums\n"
        "10.03.2026;JANIS BERZINS;pasutijums 2026001;;49,90;EUR;1049,90\n13.03.2026;BANKA;Komisija;1,20;;EUR;1048,70\n",
        [
            (4990, "2026-03-10", "JANIS BERZINS", "", "pasutijums 2026001", ""),
            (-120, "2026-03-13", "BANKA", "", "Komisija", ""),
        ],
    ),
    "norway, in and out with both accounts": (
        "Dato;Beskrivelse;Rentedato;Inn;Ut;Til konto;Fra konto;\n"
        "10.03.2026;Ola Nordmann ordre 2026001;10.03.2026;499,00;;12345678903;98765432109;\n"
        "13.03.2026;Gebyr;13.03.2026;;-12,00;;12345678903;\n",
        [
            (49900, "2026-03-10", "", "98765432109", "Ola Nordmann ordre 2026001", ""),
            (-1200, "2026-03-13", "", "", "Gebyr", ""),
        ],
    ),
    "ireland, a text in numbered columns": (
        "Posted Account,Posted Transactions Date,Description1,Description2,Description3,Debit Amount,Credit Amount,Balance\n"
        '123456-12345678,10/03/26,J MURPHY,2026001,,,49.90,"1,049.90"\n123456-12345678,13/03/26,FEE,,,1.20,,"1,048.70"\n',
        [(4990, "2026-03-10", "", "", "J MURPHY 2026001", ""), (-120, "2026-03-13", "", "", "FEE", "")],
    ),
    "spain, more of the text in a column of its own": (
        "Fecha;Fecha valor;Movimiento;Más datos;Importe;Saldo\n"
        "10/03/2026;10/03/2026;TRANSF. A SU FAVOR;GARCIA JUAN PEDIDO 2026001;49,90EUR;1.049,90EUR\n",
        [(4990, "2026-03-10", "", "", "TRANSF. A SU FAVOR GARCIA JUAN PEDIDO 2026001", "")],
    ),
    "the bank's own number beside the payer's reference": (
        "Settlement date,Status,Transaction ID,Counterparty name,Total amount,Currency,Reference,IBAN\n"
        "10-03-2026 09:00:00,Settled,abc-1-transaction-1,JEAN DUPONT,49.90,EUR,2026001,FR7630006000011234567890189\n"
        "13-03-2026 09:00:00,Settled,abc-1-transaction-2,SHOP,-12.00,EUR,,\n",
        [
            (4990, "2026-03-10", "JEAN DUPONT", "FR7630006000011234567890189", "2026001", ""),
            (-1200, "2026-03-13", "SHOP", "", "", ""),
        ],
    ),
    "germany, signed amounts below debit/credit": (
        "Kontonummer;Datum/Zeit;Buchungstag;Wertstellung;Soll/Haben;Buchungsart;Empfänger/Auftraggeber Name;Empfänger/Auftraggeber IBAN;Vwz.0;Vwz.1;Vwz.2\n"
        "1250123456;10.03.2026 09:10:00;10.03.2026;10.03.2026;49,90;GUTSCHRIFT;Max Muster;DE32179238677995673254;Bestellung;2026001;\n"
        "1250123456;13.03.2026 09:10:00;13.03.2026;13.03.2026;-1,20;ENTGELT;BANK;;Entgelt;;\n",
        [
            (4990, "2026-03-10", "Max Muster", "DE32179238677995673254", "Bestellung 2026001", ""),
            (-120, "2026-03-13", "BANK", "", "Entgelt", ""),
        ],
    ),
    "germany, a program's table with both accounts": (
        "IBAN;BIC;Konto;Gegenkonto IBAN;Gegenkonto BIC;Gegenkonto Inhaber;Betrag;Valuta;Datum;Verwendungszweck;Verwendungszweck 2\n"
        "DE53677979049691425502;;Giro;DE32179238677995673254;COBADEFFXXX;Max Muster;49,90;10.03.2026;10.03.2026;Bestellung;2026001\n"
        "DE53677979049691425502;;Giro;;;Bank;-1,20;13.03.2026;13.03.2026;Entgelt;\n",
        [
            (4990, "2026-03-10", "Max Muster", "DE32179238677995673254", "Bestellung 2026001", ""),
            (-120, "2026-03-13", "Bank", "", "Entgelt", ""),
        ],
    ),
    "greece": (
        "Α/Α;Ημερομηνία;Αιτιολογία;Κατάστημα;Αρ. συναλλαγής;Ποσό;Πρόσημο ποσού\n"
        "1;10/03/2026;ΜΕΤΑΦΟΡΑ ΠΑΡΑΓΓΕΛΙΑ 2026001;099;123;49,90;Π\n2;13/03/2026;ΕΞΟΔΑ;099;124;1,20;Χ\n",
        [(4990, "2026-03-10", "", "", "ΜΕΤΑΦΟΡΑ ΠΑΡΑΓΓΕΛΙΑ 2026001", ""), (-120, "2026-03-13", "", "", "ΕΞΟΔΑ", "")],
    ),
    "bulgaria": (
        "Дата;Основание;Контрагент;Дебит;Кредит;Салдо\n"
        "10.03.2026;поръчка 2026001;Иван Иванов;;49,90;1049,90\n13.03.2026;Такса;Банка;1,20;;1048,70\n",
        [
            (4990, "2026-03-10", "Иван Иванов", "", "поръчка 2026001", ""),
            (-120, "2026-03-13", "Банка", "", "Такса", ""),
        ],
    ),
    "denmark, payer or payee": (
        "Dato;Tekst;Beløb;Saldo;Valuta;Afsender/Modtager;Meddelelse\n"
        "10-03-2026;Overførsel;499,00;1.499,00;DKK;Hans Jensen;ordre 2026001\n13-03-2026;Gebyr;-12,00;1.487,00;DKK;;\n",
        [
            (49900, "2026-03-10", "Hans Jensen", "", "Overførsel ordre 2026001", ""),
            (-1200, "2026-03-13", "", "", "Gebyr", ""),
        ],
    ),
    "finland, dashes where nothing is": (
        "Kirjauspäivä;Maksupäivä;Summa;Tapahtumalaji;Maksaja;Saajan nimi;Saajan tilinumero;Viitenumero;Viesti\n"
        "10.03.2026;10.03.2026;49,90;TILISIIRTO;VIRTANEN MATTI;SHOP OY;FI2112345600000785;-;'tilaus 2026001'\n"
        "13.03.2026;13.03.2026;-1,20;PALVELUMAKSU;SHOP OY;PANKKI;;-;-\n",
        [
            (4990, "2026-03-10", "VIRTANEN MATTI", "FI2112345600000785", "tilaus 2026001", ""),
            (-120, "2026-03-13", "PANKKI", "", "", ""),
        ],
    ),
    "names in words of code": (
        "booking_date,valuta_date,amount_eur,recipient_or_sender,iban,bic,description,booking_type\n"
        "2026-03-10,2026-03-10,49.90,Max Muster,DE32179238677995673254,COBADEFFXXX,Bestellung 2026001,TRANSFER\n",
        [(4990, "2026-03-10", "Max Muster", "DE32179238677995673254", "Bestellung 2026001", "")],
    ),
    "a header that is called a name": (
        "Buchungsdatum;Betrag;Währung;Verwendungszweck;Name der Gegenpartei;IBAN der Gegenpartei;Name des Kontos\n"
        "10.03.2026;+49,90;EUR;Bestellung 2026001;Max Muster;DE32179238677995673254;Shop\n"
        "13.03.2026;-1,20;EUR;Entgelt;Bank;;Shop\n",
        [
            (4990, "2026-03-10", "Max Muster", "DE32179238677995673254", "Bestellung 2026001", ""),
            (-120, "2026-03-13", "Bank", "", "Entgelt", ""),
        ],
    ),
    "a counterparty that is a name and no account": (
        "Date,Amount,Currency,Counterparty,Description,Message\n"
        '"10 Mar 2026","49.90","EUR","Max Muster","Payment","Bestellung 2026001"\n',
        [(4990, "2026-03-10", "Max Muster", "", "Payment Bestellung 2026001", "")],
    ),
    "incoming and outgoing amounts, of which one is zero": (
        "Transaktionsdatum,Transaktionstyp,Zahlungsempfänger,Referenz,Status,Eingehender Betrag,Ausgehender Betrag,Währung\n"
        "10/03/2026 09:10,Eingang,Max Muster,Bestellung 2026001,Ausgeführt,49.90,0.00,EUR\n"
        "13/03/2026 09:10,Ausgang,Lieferant,R1,Ausgeführt,0.00,1.20,EUR\n",
        [
            (4990, "2026-03-10", "Max Muster", "", "Bestellung 2026001", ""),
            (-120, "2026-03-13", "Lieferant", "", "R1", ""),
        ],
    ),
    "switzerland, all of the text in the booking text": (
        "Kontonummer: CH93 0076 2011 6238 5295 7;;;\nSaldo: CHF 1048.70;;;\n;;;\nDatum;Buchungstext;Betrag;Valuta\n"
        "10.03.26;Max Muster, Bestellung 2026001;49.90;10.03.26\n13.03.26;Spesen;-1.20;13.03.26\n",
        [
            (4990, "2026-03-10", "", "", "Max Muster, Bestellung 2026001", ""),
            (-120, "2026-03-13", "", "", "Spesen", ""),
        ],
    ),
    "america, a balance among the entries": (
        "Date,Description,Amount,Running Bal.\n"
        '03/01/2026,Beginning balance as of 03/01/2026,,"1,000.00"\n03/10/2026,"J SMITH 2026001","49.90","1,049.90"\n'
        '03/13/2026,"SHOP","-12.00","1,037.90"\n',
        [(4990, "2026-03-10", "", "", "J SMITH 2026001", ""), (-1200, "2026-03-13", "", "", "SHOP", "")],
    ),
}
_EIGHT_BIT = {
    **dict.fromkeys(("czechia", "slovakia", "hungary", "croatia", "slovenia"), "cp1250"),
    **dict.fromkeys(("norway, in and out with both accounts",), "cp1252"),
}


def _facts(data: bytes) -> list[Facts]:
    events = list(read_csv(io.BytesIO(data)))
    assert not [event for event in events if isinstance(event, UnreadableEntry)], events
    found = []
    for entry in (event for event in events if isinstance(event, Entry)):
        detail = entry.details[0]
        party = detail.debtor if entry.amount_minor >= 0 else detail.creditor
        text = " ".join(line.strip() for line in detail.remittance_lines)
        references = " ".join(reference for _, reference in detail.structured_references)
        found.append((entry.amount_minor, str(entry.booking_date), party.name, str(party.account), text, references))
    return found


@pytest.mark.parametrize("country", TABLES)
def test_a_table(country: str) -> None:
    text, expected = TABLES[country]
    assert _facts(text.encode()) == expected


@pytest.mark.parametrize("country", _EIGHT_BIT)
def test_a_table_in_the_code_page_of_its_country(country: str) -> None:
    text, expected = TABLES[country]
    assert _facts(text.encode(_EIGHT_BIT[country])) == expected


def test_the_account_of_the_statement_is_not_taken_for_the_other_side() -> None:
    text, _ = TABLES["germany, a program's table with both accounts"]
    heads = [event for event in read_csv(io.BytesIO(text.encode())) if isinstance(event, StatementHead)]
    assert [head.account for head in heads] == ["DE53677979049691425502"]


@pytest.mark.parametrize(
    "text",
    [
        "Částka", "Měna", "průvod", "naročilo", "Račun", "Horvatić", "Černý", "příchozí úhrada účet", "ťažký", "žluťoučký",
        "Kovačević", "číslo", "Łódź", "zapłata",
    ],
)  # fmt: skip
def test_letters_of_central_europe_tell_their_code_page(text: str) -> None:
    assert code_page_of(text.encode("cp1250")) == "cp1250"


@pytest.mark.parametrize(
    "text",
    [
        "règlement très près où août père", "È così più perché lunedì", "señor único", "Größe Müller", "Øster ærø Præstø",
        "smörgås", "transações ção", "naïve façade", "Žanr Jõe", "Ère nouvelle", "Sœur", "ciència", "m³ 5 °C ½ § ©",
        "þórður",
    ],
)  # fmt: skip
def test_letters_of_the_west_and_north_tell_theirs(text: str) -> None:
    assert code_page_of(text.encode("cp1252")) == "cp1252"
