"""Tables of banks that no profile knows: one per way of writing, as banks of Europe do."""
# ruff: noqa: E501  # lines as a bank's file has them

from __future__ import annotations

import io
from datetime import date

import pytest

from paymatch.formats.statement import (
    Balance,
    Charge,
    Entry,
    EntryStatus,
    FileRefused,
    Party,
    StatementEnd,
    StatementHead,
    UnreadableEntry,
)
from paymatch.formats.tables.reader import CsvProfile, propose_profile, read_csv
from paymatch.formats.tables.values import date_order_in_sequence, decimal_mark_of


def read(text: str, encoding: str = "utf-8") -> list[object]:
    return list(read_csv(io.BytesIO(text.encode(encoding))))


def entries(text: str, encoding: str = "utf-8") -> list[Entry]:
    events = read(text, encoding)
    assert not [event for event in events if isinstance(event, UnreadableEntry)], events
    return [event for event in events if isinstance(event, Entry)]


def reasons(text: str) -> list[str]:
    return [event.reason for event in read(text) if isinstance(event, UnreadableEntry)]


def party_of(entry: Entry) -> Party:
    return entry.details[0].debtor if entry.amount_minor >= 0 else entry.details[0].creditor


def text_of(entry: Entry) -> str:
    return "".join(entry.details[0].remittance_lines)


NUMBER = "PL61109010140000071219812874"
BANKS = {
    "germany, bank of cooperatives until 2020": (
        "Buchungstag;Valuta;Auftraggeber/Zahlungsempfänger;Empfänger/Zahlungspflichtiger;Konto-Nr.;IBAN;BLZ;BIC;Vorgang/Verwendungszweck;Kundenreferenz;Währung;Umsatz; \n"
        '10.03.2026;10.03.2026;Shop;Max Muster;;DE02120300000000202051;;BYLADEM1001;"GUTSCHRIFT\nRechnung 4711";;EUR;19,90;H\n'
        "11.03.2026;11.03.2026;Shop;Eva;;;;;Miete;;EUR;5,00;S\n\n"
        "10.03.2026;;;;;;;;;Anfangssaldo;EUR;100,00;H\n11.03.2026;;;;;;;;;Endsaldo;EUR;114,90;H\n",
        [
            (1990, "EUR", "Max Muster", "DE02120300000000202051", "GUTSCHRIFT Rechnung 4711"),
            (-500, "EUR", "Eva", "", "Miete"),
        ],
    ),
    "germany, own and other account": (
        "Kontonummer;Buchungstag;Gegeniban;Name Gegenkonto;VWZ1;VWZ2;Umsatz;Währung\n"
        "1234;10.03.2026;DE02120300000000202051;Max;Rechnung 4711;vom 1.3.;19,90;EUR\n",
        [(1990, "EUR", "Max", "DE02120300000000202051", "Rechnung 4711 vom 1.3.")],
    ),
    "austria, payer and payee": (
        "Buchungsdatum;Buchungstext;Währung;Betrag;Auftraggebername;Auftraggeberkonto;Empfängername;Empfängerkonto;Zahlungsgrund\n"
        "10.03.2026;Gutschrift;EUR;19,90;Max;AT611904300234573201;Shop;AT022050302101023600;Rechnung 4711\n"
        "09.03.2026;Auftrag;EUR;-5,00;Shop;AT022050302101023600;Eva;DE02120300000000202051;Miete\n",
        [
            (1990, "EUR", "Max", "AT611904300234573201", "Rechnung 4711"),
            (-500, "EUR", "Eva", "DE02120300000000202051", "Miete"),
        ],
    ),
    "belgium": (
        "Rekeningnummer;Naam;Munt;Datum;Omschrijving;Bedrag;rekeningnummer tegenpartij;BIC tegenpartij;Naam tegenpartij;gestructureerde mededeling;Vrije mededeling\n"
        "BE68539007547034;Shop;EUR;10/03/2026;OVERSCHRIJVING;19,90;BE71 0961 2345 6769;GKCCBEBB;JAN PEETERS;;4711\n"
        "BE68539007547034;Shop;EUR;09/03/2026;BETALING;-5,00;BE71 0961 2345 6769;GKCCBEBB;EVA;;huur\n",
        [
            (1990, "EUR", "JAN PEETERS", "BE71096123456769", "OVERSCHRIJVING 4711"),
            (-500, "EUR", "EVA", "BE71096123456769", "BETALING huur"),
        ],
    ),
    "spain": (
        "FECHA OPERACIÓN;FECHA VALOR;CONCEPTO;IMPORTE EUR;SALDO\n13/03/2026;13/03/2026;GARCIA FACT 4711;19,90;119,90\n",
        [(1990, "EUR", "", "", "GARCIA FACT 4711")],
    ),
    "spain, debe and haber": (
        "Fecha;Concepto;Debe;Haber\n13/03/2026;GARCIA;;19,90\n12/03/2026;PAGO;5,00;\n",
        [(1990, "EUR", "", "", "GARCIA"), (-500, "EUR", "", "", "PAGO")],
    ),
    "italy": (
        "Data contabile;Data valuta;Descrizione;Accrediti;Addebiti;Descrizione estesa\n"
        "13/03/2026;13/03/2026;Bonifico;19,90;;ROSSI FATT 4711\n12/03/2026;12/03/2026;Pagamento;;-5,00;SHOP\n"
        "SALDO FINALE;;;1.234,56;;\n",
        [(1990, "EUR", "", "", "Bonifico ROSSI FATT 4711"), (-500, "EUR", "", "", "Pagamento SHOP")],
    ),
    "france": (
        'dateOp;dateVal;label;amount;accountNum\n2026-03-10;2026-03-10;"VIR DUPONT FACT 4711";"1 019,90";0001\n',
        [(101990, "EUR", "", "", "VIR DUPONT FACT 4711")],
    ),
    "poland, headers that begin with #": (
        "Bank;\n#Waluta;\nPLN;\n\n#Data operacji;#Opis operacji;#Tytuł;#Nadawca/Odbiorca;#Numer konta;#Kwota;\n"
        "2026-03-10;PRZELEW;FAKTURA 4711;JAN ŁĘCKI;'61109010140000071219812874';1 019,90;\n"
        "2026-03-09;ZAKUP;;SHOP;'';-5,00;\n\n;;;;#Saldo końcowe;1 119,90;\n",
        [(101990, "PLN", "JAN ŁĘCKI", NUMBER, "PRZELEW FAKTURA 4711"), (-500, "PLN", "SHOP", "", "ZAKUP")],
    ),
    "poland, a text that goes on in columns without a name": (
        '"Data operacji","Kwota","Waluta","Opis transakcji","",""\n'
        '"2026-03-10","+19.90","PLN","Rachunek nadawcy : 61 1090 1014 0000 0712 1981 2874","Nazwa nadawcy : JAN","Tytuł : FAKTURA 4711"\n'
        '"2026-03-09","-5.00","PLN","Tytuł : 0815","Lokalizacja : Łódź",""\n',
        [(1990, "PLN", "JAN", NUMBER, "FAKTURA 4711"), (-500, "PLN", "", "", "0815")],
    ),
    "sweden": (
        "Bokföringsdag;Belopp;Rubrik;Saldo;Valuta\n2026-03-10;1 019,900;Bg 1 ÅKE;1 119,900;SEK\n2026-03-09;-5,000;SHOP;100,000;SEK\n",
        [(101990, "SEK", "", "", "Bg 1 ÅKE"), (-500, "SEK", "", "", "SHOP")],
    ),
    "norway": (
        "Dato;Forklaring;Rentedato;Ut fra konto;Inn på konto\n13.03.2026;OLA FAKTURA 4711;13.03.2026;;19,90\n12.03.2026;BUTIKK;12.03.2026;5,00;\n",
        [(1990, "EUR", "", "", "OLA FAKTURA 4711"), (-500, "EUR", "", "", "BUTIKK")],
    ),
    "finland": (
        "Kirjauspäivä;Arvopäivä;Määrä;Saaja/Maksaja;Viesti\n13.03.2026;13.03.2026;19,90;MATTI;4711\n12.03.2026;12.03.2026;-5,00;KAUPPA;x\n",
        [(1990, "EUR", "MATTI", "", "4711"), (-500, "EUR", "KAUPPA", "", "x")],
    ),
    "portugal": (
        "Data Mov.;Data Valor;Descrição;Débito;Crédito;Saldo Contabilístico\n13-03-2026;13-03-2026;TRF 4711;;19,90;119,90\n12-03-2026;12-03-2026;LOJA;5,00;;100,00\n",
        [(1990, "EUR", "", "", "TRF 4711"), (-500, "EUR", "", "", "LOJA")],
    ),
    "denmark": (
        "Bogføringsdato;Tekst;Beløb;Saldo\n13.03.2026;JENS 4711;19,90;119,90\n12.03.2026;BUTIK;-5,00;100,00\n",
        [(1990, "EUR", "", "", "JENS 4711"), (-500, "EUR", "", "", "BUTIK")],
    ),
    "britain, reference is the payer's": (
        "Date,Counter Party,Reference,Type,Amount (GBP)\n10/03/2026,MAX,INV 4711,FASTER PAYMENT,19.90\n13/03/2026,EVA,RENT,FASTER PAYMENT,-5.00\n",
        [(1990, "GBP", "MAX", "", "INV 4711"), (-500, "GBP", "EVA", "", "RENT")],
    ),
    "britain, marks of texts": (
        "Date,Description,Value,Account Number\n13/03/2026,\"'MR SMITH , INV 4711\",=\"19.90\",'500000-12345678\n14/03/2026,\"'EVA\",-5.00,'500000-12345678\n",
        [(1990, "EUR", "", "", "MR SMITH , INV 4711"), (-500, "EUR", "", "", "EVA")],
    ),
    "online bank, payee's account in one row only": (
        "ID,Date,Amount,Currency,Description,Payment Reference,Payer Name,Payee Name,Payee Account Number\n"
        "T1,13-03-2026,19.90,EUR,Received,4711,MAX,,\nT2,12-03-2026,-5.00,EUR,Sent,rent,,EVA,DE02120300000000202051\n",
        [
            (1990, "EUR", "MAX", "", "Received 4711"),
            (-500, "EUR", "EVA", "DE02120300000000202051", "Sent rent"),
        ],
    ),
    "payment service, fee and net": (
        "id,Type,Amount,Fee,Net,Currency,Created (UTC),Description\n"
        "txn_1,charge,19.90,0.54,19.36,eur,2026-03-10 08:00,Order 4711\n",
        [(1936, "EUR", "", "", "Order 4711")],
    ),
}  # fmt: skip


@pytest.mark.parametrize("bank", BANKS)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "8 bit"])
def test_a_table_of_an_unknown_bank(bank: str, encoding: str) -> None:
    text, expected = BANKS[bank]
    code_page = "cp1250" if "poland" in bank else "cp1252"
    found = [
        (entry.amount_minor, entry.currency, party_of(entry).name, party_of(entry).account, text_of(entry))
        for entry in entries(text, code_page if encoding == "8 bit" else encoding)
    ]
    assert found == expected


PAYPAL = {
    "fr": "Date,Nom,Type,État,Devise,Avant commission,Commission,Net,Numéro de transaction,Objet,Solde",
    "nl": "Datum,Naam,Type,Status,Valuta,Bruto,Kosten,Net,Transactiereferentie,Onderwerp,Saldo",
    "it": "Data,Nome,Tipo,Stato,Valuta,Lordo,Tariffa,Netto,Codice transazione,Oggetto,Saldo",
    "es": "Fecha,Nombre,Tipo,Estado,Divisa,Bruto,Comisión,Neto,Id. de transacción,Asunto,Saldo",
}


@pytest.mark.parametrize("language", PAYPAL)
def test_paypal_in_other_languages(language: str) -> None:
    (entry,) = entries(f'{PAYPAL[language]}\n13/03/2026,Max,x,x,EUR,"19,90","-0,85","19,05",TX1,4711,"119,05"\n')
    assert (entry.amount_minor, entry.charges) == (1905, (Charge(85, "EUR", included=True),))
    assert (entry.bank_reference, party_of(entry).name, text_of(entry)) == ("TX1", "Max", "4711")
    assert entry.details[0].instructed_amount_minor == 1990


def test_revolut_takes_the_fee_beside_the_amount_and_leaves_open_rows_without_day() -> None:
    head = "Type,Product,Started Date,Completed Date,Description,Amount,Fee,Currency,State,Balance\n"
    rows = (
        "TOPUP,Current,2026-03-10 09:00:00,2026-03-10 09:00:05,From Max,19.90,0.00,EUR,COMPLETED,119.90\n"
        "TRANSFER,Current,2026-03-11 09:00:00,2026-03-11 09:00:05,To Eva,-5.00,0.20,EUR,COMPLETED,114.70\n"
        "TRANSFER,Current,2026-03-11 09:00:00,,To Bob,-7.00,0.00,EUR,REVERTED,\n"
        "CARD,Current,2026-03-12 09:00:00,,Shop,-3.00,0.00,EUR,PENDING,\n"
        "TOPUP,Current,2026-03-12 09:00:00,2026-03-12 09:00:05,From Max,1.00,0.00,EUR,COMPLETED,115.70\n"
    )
    events = read(head + rows)
    found = [(event.amount_minor, event.status) for event in events if isinstance(event, Entry)]
    booked, open_, void = EntryStatus.BOOKED, EntryStatus.PENDING, EntryStatus.INFORMATION
    assert found == [(1990, booked), (-520, booked), (-700, void), (-300, open_), (100, booked)]
    balances = (Balance("OPBD", 10000, "EUR", date(2026, 3, 10)), Balance("CLBD", 11570, "EUR", date(2026, 3, 12)))
    assert events[-1] == StatementEnd(balances)
    (_, paid, *_) = entries(head + rows)
    assert paid.charges == (Charge(20, "EUR", included=True),)


@pytest.mark.parametrize(
    "row",
    [
        "13.03.2026;Endsaldo am 13.03.2026;100,00", "13.03.2026;Endsaldo;100,00", ";Summe;100,00",
        "Kontostand;;100,00", "Datum;Text;Betrag", "13.03.2026;Solde final au 13/03/2026;100,00",
    ],
)  # fmt: skip
def test_balances_and_repeated_headers_are_no_entries_anywhere(row: str) -> None:
    text = f"Datum;Text;Betrag\n{row}\n10.03.2026;a;1,00\n{row}\n11.03.2026;b;2,00\n{row}\n"
    assert [entry.amount_minor for entry in entries(text)] == [100, 200]


def test_a_payment_with_a_name_is_an_entry_whatever_its_text() -> None:
    text = "Datum;Name;Text;Betrag\n10.03.2026;Max;Endsaldo;1,00\n11.03.2026;Total;;-2,00\n"
    assert [entry.amount_minor for entry in entries(text)] == [100, -200]
    assert reasons("Datum;Text;Betrag\n10.03.2026;Total;1,00\n") == ["line 2: the row may be a sum or a payment"]


def test_a_last_row_with_a_date_that_does_not_exist_is_kept() -> None:
    assert reasons("Datum;Text;Betrag\n10.03.2026;a;1,00\n31.02.2026;b;2,00\n") == [
        "line 3: the row has no date that can be read"
    ]


def test_a_table_of_which_no_row_could_be_read_is_refused() -> None:
    text = "Datum;Tag;Betrag\nx;10.03.2026;1,00\n"
    columns = (("booking_date", ("Datum",)), ("amount", ("Betrag",)))
    with pytest.raises(
        FileRefused, match="line 2: no row has a date in the column that was taken for the booking date"
    ):
        list(read_csv(io.BytesIO(text.encode()), CsvProfile("ours", columns)))


def test_lines_above_a_table_without_header_are_left_out() -> None:
    rows = "".join(f"{day}/03/2026;VIR {day};{day},00\n" for day in range(10, 20)).replace(";19,00", ";-19,00")
    assert [entry.amount_minor for entry in entries(f"Compte;****1234;EUR\n{rows}")][-2:] == [1800, -1900]


def test_a_currency_in_the_cell_is_that_of_the_amount() -> None:
    events = read("Datum;Text;Betrag\n10.03.2026;a;1,00 EUR\n10.03.2026;b;2,00 USD\n10.03.2026;c;3,00\n")
    facts = [
        event.currency if isinstance(event, StatementHead) else event.amount_minor
        for event in events
        if isinstance(event, StatementHead | Entry)
    ]
    assert facts == ["", 100, 300, "USD", 200]
    assert reasons("Datum;Text;Betrag;Währung\n10.03.2026;a;1,00 USD;EUR\n") == [
        "line 2: the amount '1,00 USD' is in another currency than EUR"
    ]


def test_a_type_beside_signed_amounts_is_no_sign() -> None:
    """The direct debit that comes back is money in, though its type says Lastschrift."""
    for header in ("Art", "Was"):
        text = f"Datum;{header};Text;Betrag\n10.03.2026;Lastschrift;a;-5,00\n11.03.2026;Lastschrift;b;5,00\n12.03.2026;Gutschrift;c;6,00\n"
        assert [entry.amount_minor for entry in entries(text)] == [-500, 500, 600]


def test_the_own_account_stands_in_every_row_with_a_date() -> None:
    rows = "".join(f"1{day}.03.2026;DE89370400440532013000;a;{day},00\n" for day in (1, 2))
    for header in ("Datum;IBAN;Text;Betrag", "Datum;Was;Text;Betrag"):
        head, *_ = read(f"{header}\n{rows};;Summe;3,00\n")
        assert isinstance(head, StatementHead)
        assert head.account == "DE89370400440532013000"
    for body in (f"{rows}13.03.2026;;b;3,00\n", "11.03.2026;DE89370400440532013000;a;1,00\n;;Summe;1,00\n"):
        head, first, *_ = read(f"Datum;Was;Text;Betrag\n{body}")
        assert isinstance(head, StatementHead)
        assert isinstance(first, Entry)
        assert (head.account, party_of(first).account) == ("", "DE89370400440532013000")


def test_a_minus_on_few_debits_takes_them_back() -> None:
    rows = "Datum;Soll;Haben\n10.03.2026;5,00;\n10.03.2026;6,00;\n10.03.2026;-3,00;\n10.03.2026;;7,00\n"
    assert [entry.amount_minor for entry in entries(rows)] == [-500, -600, 300, 700]


def test_commerzbank_names_its_account_and_the_end_to_end_id_of_money_out() -> None:
    text = (
        "Buchungstag;Wertstellung;Umsatzart;Buchungstext;Betrag;Währung;IBAN Kontoinhaber;Kategorie\n"
        "10.03.2026;10.03.2026;Gutschrift;Max Rechnung 4711 End-to-End-Ref.: E-77 Kundenreferenz: X;-19,90;EUR;DE89370400440532013000;x\n"
    )
    assert propose_profile(text.encode()).profile.name == "Commerzbank"
    head, entry, _ = read(text)
    assert isinstance(head, StatementHead)
    assert isinstance(entry, Entry)
    assert (head.account, entry.details[0].end_to_end_id, party_of(entry).account) == (
        "DE89370400440532013000",
        "E-77",
        "",
    )


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["1 019,900", "5,000"], (",", True)),
        (["0,500"], (",", True)),
        (["5,000", "10,000"], (".", False)),
        (["1'019.900"], (".", True)),
        (["1.019,900"], (",", True)),
    ],
)
def test_a_mark_that_cannot_group_is_the_decimal_mark(cells: list[str], expected: tuple[str, bool]) -> None:
    assert decimal_mark_of(cells) == expected


@pytest.mark.parametrize(
    ("cells", "order"),
    [
        (["03/10/2026", "03/11/2026", "04/01/2026"], "mdy"),
        (["10/03/2026", "11/03/2026", "01/04/2026"], "dmy"),
        (["03/10/2026", "03/10/2026"], "dmy"),
        (["03/10/2026", "01/12/2026", "02/11/2026"], "dmy"),
        ([], "dmy"),
    ],
)
def test_dates_that_prove_nothing_stand_in_sequence(cells: list[str], order: str) -> None:
    assert date_order_in_sequence(cells) == order


def test_what_a_table_does_not_prove_stands_in_its_head() -> None:
    head = read("Datum;Text;Betrag\n10/03/2026;a;1.000\n")[0]
    assert isinstance(head, StatementHead)
    assert head.guesses == (
        "no amount shows whether point or comma is the decimal mark; taken: ','",
        "no date shows whether the day or the month comes first; taken: the day",
    )
    sequence = read("Date,Text,Amount\n03/10/2026,a,1.00\n03/11/2026,a,1.00\n04/01/2026,a,1.00\n")
    assert isinstance(sequence[0], StatementHead)
    assert sequence[0].guesses == (
        "no date shows whether the day or the month comes first; taken: the month, with which the rows are in order",
    )
    proven = read("Datum;Text;Betrag\n13.03.2026;a;1,00\n")[0]
    assert isinstance(proven, StatementHead)
    assert proven.guesses == ()


def test_a_returned_direct_debit_of_a_sparkasse_says_what_was_debited() -> None:
    text = (
        '"Auftragskonto";"Buchungstag";"Buchungstext";"Verwendungszweck";"Kundenreferenz (End-to-End)";"Sammlerreferenz";'
        '"Lastschrift Ursprungsbetrag";"Auslagenersatz Ruecklastschrift";"Beguenstigter/Zahlungspflichtiger";"Betrag";"Waehrung"\n'
        '"DE89370400440532013000";"11.03.26";"RUECKLASTSCHRIFT";"x";"E9";"";"16,90";"3,00";"Bob";"-19,90";"EUR"\n'
    )
    (entry,) = entries(text)
    detail = entry.details[0]
    assert (entry.amount_minor, detail.returned, detail.original_end_to_end_id) == (-1990, True, "E9")
    assert (detail.instructed_amount_minor, detail.instructed_currency) == (1690, "EUR")
