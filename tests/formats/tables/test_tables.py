"""CSV exports: one per bank that is known by name, and the detection of all others."""

from __future__ import annotations

import io
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paymatch.domain.money import AmountUnreadable
from paymatch.domain.witnesses import BankWord
from paymatch.formats.bank_values import printed_amount
from paymatch.formats.statement import (
    Balance,
    Charge,
    Detail,
    Entry,
    EntryStatus,
    FileRefused,
    Party,
    StatementEnd,
    StatementHead,
    UnreadableEntry,
)
from paymatch.formats.tables.reader import CsvProfile, propose_profile, read_csv
from paymatch.formats.tables.values import Yearless, csv_date, date_order_of, decimal_mark_of
from tests.formats.tables.exports import EXPORTS, Export


def read(text: str | bytes, profile: CsvProfile | None = None) -> list[object]:
    data = text.encode() if isinstance(text, str) else text
    return list(read_csv(io.BytesIO(data), profile))


def entries(text: str | bytes, profile: CsvProfile | None = None) -> list[Entry]:
    events = read(text, profile)
    assert not [event for event in events if isinstance(event, UnreadableEntry)], events
    return [event for event in events if isinstance(event, Entry)]


def _party(entry: Entry) -> Party:
    detail = entry.details[0]
    return detail.debtor if entry.amount_minor >= 0 else detail.creditor


@pytest.mark.parametrize("export", EXPORTS, ids=lambda export: export.profile)
def test_export_of_a_known_bank(export: Export) -> None:
    data = export.text.encode(export.encoding)
    proposal = propose_profile(data)
    assert (proposal.profile.name, proposal.confidence, proposal.refusal) == (export.profile, 1.0, None)
    events = read(data)
    heads = [event for event in events if isinstance(event, StatementHead)]
    assert [(head.account, head.version) for head in heads] == [(export.account, export.profile)]
    found = [
        (
            entry.amount_minor,
            entry.currency,
            str(entry.booking_date or ""),
            entry.status.value,
            _party(entry).name,
            _party(entry).account,
            "".join(entry.details[0].remittance_lines),
        )
        for entry in events
        if isinstance(entry, Entry)
    ]
    assert found == list(export.entries)
    assert not [event for event in events if isinstance(event, UnreadableEntry)]


@pytest.mark.parametrize("export", EXPORTS, ids=lambda export: export.profile)
def test_profile_survives_json_and_reads_the_same(export: Export) -> None:
    data = export.text.encode(export.encoding)
    profile = propose_profile(data).profile
    again = CsvProfile.from_json(profile.to_json())
    assert again == profile
    assert read(data, again) == read(data)


def test_json_of_something_else_is_refused() -> None:
    for text in (
        "[]",
        "{}",
        '{"name": "x", "columns": {"nonsense": ["A"]}}',
        '{"name": "x", "columns": {}, "more": 1}',
    ):
        with pytest.raises(ValueError, match="CSV profile"):
            CsvProfile.from_json(text)


def test_fields_of_a_sparkasse_row() -> None:
    (export,) = [export for export in EXPORTS if export.profile == "Sparkasse CAMT v8"]
    entry = entries(export.text.encode(export.encoding))[0]
    assert entry.details == (
        Detail(
            amount_minor=4490,
            currency="EUR",
            end_to_end_id="E2E-1",
            debtor=Party("Müller, Jörg", BankWord("DE32179238677995673254"), "COBADEFFXXX"),
            remittance_lines=("SW-10843",),
        ),
    )
    assert (entry.booking_text, entry.value_date) == ("GUTSCHR. UEBERWEISUNG", date(2026, 8, 5))


def test_paypal_amount_is_net_with_gross_and_fee_beside_it() -> None:
    (export,) = [export for export in EXPORTS if export.profile == "PayPal"]
    entry = entries(export.text.encode(export.encoding))[0]
    detail = entry.details[0]
    assert (entry.amount_minor, entry.charges) == (9706, (Charge(294, "EUR", included=True),))
    assert (detail.instructed_amount_minor, detail.instructed_currency) == (10000, "EUR")
    assert entry.bank_reference == "8AB12345CD678901E"


def test_balances_are_taken_when_every_row_proves_them() -> None:
    head = "Buchungstag;Verwendungszweck;Betrag;Saldo;Währung\n"
    rows = ["03.08.2026;a;10,00;110,00;EUR\n", "04.08.2026;b;-30,00;80,00;EUR\n", "05.08.2026;c;5,00;85,00;EUR\n"]
    expected = (
        Balance("OPBD", 10000, "EUR", date(2026, 8, 3)),
        Balance("CLBD", 8500, "EUR", date(2026, 8, 5)),
    )
    assert read(head + "".join(rows))[-1] == StatementEnd(expected)
    assert read(head + "".join(reversed(rows)))[-1] == StatementEnd(expected)
    assert read(head + rows[0] + rows[2])[-1] == StatementEnd()


def test_rows_of_several_accounts_and_currencies_are_statements_of_their_own() -> None:
    text = "Konto IBAN;Datum;Betrag;Währung;Text\n"
    text += "A1;03.08.2026;1,00;EUR;x\nA2;03.08.2026;2,00;EUR;x\nA1;03.08.2026;1,00;EUR;x\nA1;03.08.2026;3,00;USD;x\n"
    events = read(text)
    facts = [
        (event.account, event.currency) if isinstance(event, StatementHead) else (event.position, event.amount_minor)
        for event in events
        if isinstance(event, StatementHead | Entry)
    ]
    assert facts == [("A1", "EUR"), (0, 100), (1, 100), ("A2", "EUR"), (0, 200), ("A1", "USD"), (0, 300)]


def test_unreadable_rows_are_kept_and_lines_below_are_left_out() -> None:
    text = (
        "Datum;Betrag;Text\n03.08.2026;1,00;a\n04.08.2026;1..00;b\n05.08.2026;;c\nkaputt;2,00;d\n06.08.2026;3,00;e\n"
        "Alter Kontostand;;100,00\nKontostand;104,00;\n"
    )
    found = [
        (event.amount_minor, "") if isinstance(event, Entry) else (None, event.reason)
        for event in read(text)
        if isinstance(event, Entry | UnreadableEntry)
    ]
    assert found == [
        (100, ""),
        (None, "line 3: '1..00' is not an amount"),
        (None, "line 4: the row has no amount"),
        (None, "line 5: the row has no date that can be read"),
        (300, ""),
    ]


def test_dates_without_year_take_it_from_the_period_above() -> None:
    text = "Zeitraum;20.12.2025 - 10.01.2026\nDatum;Text;Betrag\n28.12.;a;1,00\n31.12.;b;2,00\n02.01.;c;3,00\n"
    assert [entry.booking_date for entry in entries(text)] == [date(2025, 12, 28), date(2025, 12, 31), date(2026, 1, 2)]


def test_dates_without_year_take_it_from_the_value_date() -> None:
    text = "Datum;Valuta;Text;Betrag\n31.12.;02.01.2026;a;1,00\n"
    assert [entry.booking_date for entry in entries(text)] == [date(2025, 12, 31)]


def test_dates_without_any_year_are_unreadable() -> None:
    events = read("Datum;Text;Betrag\n31.12.;a;1,00\n")
    assert [event.reason for event in events if isinstance(event, UnreadableEntry)] == [
        "line 2: the year of the date '31.12.' is unclear"
    ]


def test_markers_debit_and_credit_columns_and_quoted_line_ends() -> None:
    marked = 'Datum,Betrag,S/H,Text\n03.08.2026,"1.234,50",S,"Zeile 1\nZeile 2"\n04.08.2026,"2,00",H,x\n'
    assert [(entry.amount_minor, entry.line) for entry in entries(marked)] == [(-123450, 2), (200, 4)]
    assert entries(marked)[0].details[0].remittance_lines == ("Zeile 1 ", "Zeile 2")
    columns = "Datum;Soll;Haben;Text\n03.08.2026;1,00;;a\n04.08.2026;;2,00;b\n"
    assert [entry.amount_minor for entry in entries(columns)] == [-100, 200]
    signed = "Datum;Soll;Haben;Text\n03.08.2026;-1,00;;a\n04.08.2026;;2,00;b\n"
    assert [entry.amount_minor for entry in entries(signed)] == [-100, 200]
    both = read("Datum;Soll;Haben;Text\n03.08.2026;1,00;2,00;a\n04.08.2026;;2,00;b\n")
    assert [event.reason for event in both if isinstance(event, UnreadableEntry)] == [
        "line 2: the row has both a debit and a credit"
    ]


@pytest.mark.parametrize(
    ("header", "amount", "minor", "currency"),
    [
        ("Date,Description,Amount (GBP)", "1,234.50", 123450, "GBP"),
        ("Date,Libellé,Montant EUR", "-12.00", -1200, "EUR"),
        ("Data,Causale,Importo EUR", "12.30", 1230, "EUR"),
        ("Data operacji,Opis operacji,Kwota PLN", "12.30", 1230, "PLN"),
        ("Datum,Omschrijving,Bedrag (EUR)", "12.30", 1230, "EUR"),
        ("Datum,Buchungstext,Betrag in JPY", "1200", 1200, "JPY"),
        ("Datum,Buchungstext,Betrag KWD", "1.250", 1250, "KWD"),
    ],
)
def test_header_words_of_other_languages(header: str, amount: str, minor: int, currency: str) -> None:
    (entry,) = entries(f'{header}\n2026-08-03,text,"{amount}"\n')
    assert (entry.amount_minor, entry.currency) == (minor, currency)


def test_file_without_date_or_amount_column_names_what_was_seen() -> None:
    with pytest.raises(FileRefused, match="line 1: no column for amount; columns seen: Datum, Name, Ort"):
        read("Datum;Name;Ort\n03.08.2026;a;b\n04.08.2026;c;d\n")
    with pytest.raises(FileRefused, match="no column for date and amount; columns seen: Sorte, Name, Ort; orders"):
        read("Sorte;Name;Ort\nx;a;b\n")


def test_file_without_header_and_sign_is_not_guessed_but_read_with_a_profile() -> None:
    text = "03.08.2026;a;;12,00\n04.08.2026;b;13,00;\n"
    proposal = propose_profile(text.encode())
    assert (
        proposal.refusal
        == "money in cannot be distinguished from money out: no header, no sign, no marker; choose the columns once"
    )
    assert (proposal.confidence, proposal.preview) == (
        0.3,
        (("03.08.2026", "a", "", "12,00"), ("04.08.2026", "b", "13,00", "")),
    )
    with pytest.raises(FileRefused, match="money in cannot be distinguished from money out"):
        read(text)
    columns = (("booking_date", ("#1",)), ("text", ("#2",)), ("credit", ("#3",)), ("debit", ("#4",)))
    profile = CsvProfile("ours", columns, header=False, currency="EUR", account="AT1")
    assert [entry.amount_minor for entry in entries(text, profile)] == [-1200, 1300]


def test_cut_last_row_is_refused_or_unreadable() -> None:
    text = "Datum;Text;Betrag\n03.08.2026;a;12,00\n04.08.2026;b;13,5"
    events = read(text)
    assert [event.reason for event in events if isinstance(event, UnreadableEntry)] == [
        "line 3: the file ends here, its last cell may be cut"
    ]
    with pytest.raises(FileRefused, match="line 3: the file ends in the middle of a row"):
        read("Datum;Text;Betrag\n03.08.2026;a;12,00\n04.08.2026;b")


def test_encodings() -> None:
    text = "Buchungstag;Auftraggeber;Betrag;Währung\n03.08.2026;Müller;1,00;EUR\n"
    for encoding in ("utf-8", "utf-8-sig", "cp1252", "utf-16"):
        (entry,) = entries(text.encode(encoding))
        assert _party(entry).name == "Müller", encoding
    late = text + "03.08.2026;Meier;1,00;EUR\n" * 20_000
    data = (
        late.replace("Währung", "Waehrung").replace("Müller", "Mueller").encode() + b"04.08.2026;M\xfcller;2,00;EUR\n"
    )
    assert _party(entries(data)[-1]).name == "Müller"


@pytest.mark.parametrize(
    ("text", "mark", "minor"),
    [
        ("1.234,56", ",", 123456),
        ("1 234,56", ",", 123456),
        ("1\u00a0234,56 €", ",", 123456),
        ("1'234.56", ".", 123456),
        ("CHF 1’234.56", ".", 123456),
        ("-1,234.56", ".", -123456),
        ("−12,00", ",", -1200),
        ("12,00-", ",", -1200),
        ("(12.00)", ".", -1200),
        ("12,00 S", ",", -1200),
        ("12,00 H", ",", 1200),
        ("12.00DR", ".", -1200),
        ("+ £1,100.00", ".", 110000),
        ("¤ 42,00", ",", 4200),
        (",50", ",", 50),
        ("7", ",", 700),
        ("1.000", ",", 100000),
    ],
)
def test_amount(text: str, mark: str, minor: int) -> None:
    assert printed_amount(text, mark, "EUR") == minor


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        ("", ","),
        ("-", ","),
        ("12..34", "."),
        ("1,23,4", ","),
        ("1.23", ","),
        ("12.345,678", ","),
        ("1,234", ","),
        ("abc", ","),
        ("--1", ","),
        ("-1-", ","),
        ("(1", ","),
        ("9999999999999999,00", ","),
        ("1e5", "."),
        ("١٢", ","),
        ("1,00 X", ","),
        ("$5.00", "."),  # no one's euros
        ("5,00 kr", ","),
    ],
)
def test_amount_that_is_not_sure_is_unreadable(text: str, mark: str) -> None:
    with pytest.raises(AmountUnreadable):
        printed_amount(text, mark, "EUR")


@pytest.mark.parametrize(("text", "currency"), [("$5.00", "USD"), ("5.00 $", "CAD"), ("kr 5.00", "SEK")])
def test_a_sign_of_several_currencies_is_taken_for_each_of_them(text: str, currency: str) -> None:
    assert printed_amount(text, ".", currency) == 500


@given(st.integers(-(10**14), 10**14), st.sampled_from([(",", "."), (".", ","), (".", "'"), (",", " ")]))
def test_amounts_written_with_groups_are_read_back(minor: int, marks: tuple[str, str]) -> None:
    whole, cents = divmod(abs(minor), 100)
    text = f"{'-' if minor < 0 else ''}{whole:,}".replace(",", marks[1]) + f"{marks[0]}{cents:02d}"
    assert printed_amount(text, marks[0], "EUR") == minor
    assert decimal_mark_of([text]) == (marks[0], True)


@pytest.mark.parametrize(
    ("text", "order", "expected"),
    [
        ("03.08.2026", "dmy", date(2026, 8, 3)),
        ("3.8.26", "dmy", date(2026, 8, 3)),
        ("08/03/2026", "mdy", date(2026, 8, 3)),
        ("2026-08-03", "dmy", date(2026, 8, 3)),
        ("2026-08-03 12:30:00.0", "ymd", date(2026, 8, 3)),
        ("2026-08-03T12:30:00Z", "dmy", date(2026, 8, 3)),
        ("20260803", "ymd", date(2026, 8, 3)),
        ("03-Aug-2026", "dmy", date(2026, 8, 3)),
        ("3. März 2026", "dmy", date(2026, 3, 3)),
        ("10 Feb 18", "dmy", date(2018, 2, 10)),
        ("Aug 3, 2026", "mdy", date(2026, 8, 3)),
        ("09.03.", "dmy", Yearless(3, 9)),
        ("31.02.2026", "dmy", None),
        ("0000-00-00", "dmy", None),
        ("1111/11/11", "dmy", None),
        ("12,00", "dmy", None),
        ("", "dmy", None),
    ],
)
def test_date(text: str, order: str, expected: date | Yearless | None) -> None:
    assert csv_date(text, order) == expected


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["03/08/2026", "13/08/2026"], ("dmy", True)),
        (["08/03/2026", "08/13/2026"], ("mdy", True)),
        (["03.08.2026"], ("dmy", True)),
        (["03/08/2026"], ("dmy", False)),
        (["2026-08-03"], ("dmy", True)),
    ],
)
def test_date_order(cells: list[str], expected: tuple[str, bool]) -> None:
    assert date_order_of(cells) == expected


def test_pending_and_void_rows() -> None:
    text = "Datum;Text;Betrag;Status\n03.08.2026;a;1,00;Gebucht\n"
    text += "04.08.2026;b;2,00;Vorgemerkt\n04.08.2026;c;3,00;Storniert\n"
    assert [entry.status for entry in entries(text)] == [
        EntryStatus.BOOKED,
        EntryStatus.PENDING,
        EntryStatus.INFORMATION,
    ]


def test_a_type_that_is_only_debit_or_credit_is_the_sign() -> None:
    text = "Date,Type,Description,Amount\n2026-03-10,Debit,Fee,5.00\n2026-03-10,Credit,Invoice 1,10.00\n"
    assert [entry.amount_minor for entry in entries(text)] == [-500, 1000]
    signed = text.replace("Fee,5.00", "Fee,-5.00")
    assert [entry.amount_minor for entry in entries(signed)] == [-500, 1000]


def test_debit_and_credit_in_euros() -> None:
    text = "Date;Libellé;Débit euros;Crédit euros\n10/03/2026;VIR DUPONT;;+1 234,56\n10/03/2026;FRAIS;-5,00;\n"
    assert [entry.amount_minor for entry in entries(text)] == [123456, -500]
