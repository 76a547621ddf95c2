"""Tables whose signs, quotation marks, dates or parts can be read in two ways: read by what proves one, or refused."""

# ruff: noqa: E501  # lines as a bank's file has them, and what is said of them
from __future__ import annotations

import io
from dataclasses import replace

import pytest

from paymatch.domain.money import AmountUnreadable
from paymatch.formats.bank_values import has_minus, printed_amount, side_in
from paymatch.formats.statement import Entry, EntryStatus, FileRefused, StatementEvent, UnreadableEntry
from paymatch.formats.tables.reader import CsvProfile, propose_profile, read_csv


def read(text: str) -> list[StatementEvent]:
    return list(read_csv(io.BytesIO(text.encode())))


def entries(text: str) -> list[tuple[str, int]]:
    """Day and amount of each entry that is booked."""
    booked = (event for event in read(text) if isinstance(event, Entry) and event.status is EntryStatus.BOOKED)
    return [(f"{entry.booking_date:%d.%m.}", entry.amount_minor) for entry in booked]


def reasons(text: str) -> list[str]:
    return [event.reason for event in read(text) if isinstance(event, UnreadableEntry)]


def refusal(text: str) -> str:
    with pytest.raises(FileRefused) as refused:
        read(text)
    return str(refused.value)


@pytest.mark.parametrize(
    ("out", "nothing"),
    [
        ("-5,00", "0,00"),
        ("5,00", "-"),
        ("5,00", "–"),
        ("EUR -5,00", ""),
        ("€-5,00", ""),
        ('="-5,00"', ""),
        ("5,00 S", ""),
    ],
)
def test_a_debit_column_is_money_out_however_it_is_filled(out: str, nothing: str) -> None:
    rows = [f"0{day}.03.2026;a;{nothing};{day},00" for day in (1, 2, 3)]
    text = "\n".join(("Datum;Text;Soll;Haben", *rows, f"04.03.2026;b;{out};{nothing}", ""))
    assert entries(text) == [("01.03.", 100), ("02.03.", 200), ("03.03.", 300), ("04.03.", -500)]
    assert reasons(text) == []


@pytest.mark.parametrize("minus", ["-", "−"])
def test_a_minus_beside_a_mark_of_money_in_takes_it_back(minus: str) -> None:
    text = f"Datum;Text;Betrag;S/H\n01.03.2026;a;10,00;H\n02.03.2026;b;5,00;S\n03.03.2026;c;{minus}10,00;H\n"
    assert entries(text) == [("01.03.", 1000), ("02.03.", -500), ("03.03.", -1000)]


def test_a_minus_beside_a_mark_of_money_out_is_read_if_all_have_one() -> None:
    head = "Datum;Text;Betrag;S/H\n01.03.2026;a;10,00;H\n"
    assert entries(f"{head}02.03.2026;b;-5,00;S\n03.03.2026;c;-6,00;S\n")[1:] == [("02.03.", -500), ("03.03.", -600)]
    mixed = f"{head}02.03.2026;b;5,00;S\n03.03.2026;c;-5,00;S\n04.03.2026;d;6,00;S\n"
    assert entries(mixed)[1:] == [("02.03.", -500), ("04.03.", -600)]
    assert reasons(mixed) == ["line 4: '-5,00': some amounts of money out have a minus, others have none"]


def test_amount_and_mark_may_not_contradict_each_other() -> None:
    text = "Datum;Text;Betrag;S/H\n01.03.2026;a;10,00 H;H\n02.03.2026;b;5,00 S;H\n03.03.2026;c;(5,00);H\n"
    assert entries(text) == [("01.03.", 1000)]
    assert reasons(text) == [
        "line 3: the amount '5,00 S' and the mark 'h' contradict each other",
        "line 4: the amount '(5,00)' and the mark 'h' contradict each other",
    ]
    text = "Datum;Text;Soll;Haben\n01.03.2026;a;5,00 S;\n02.03.2026;b;;5,00 S\n03.03.2026;c;;6,00 H\n"
    assert entries(text) == [("01.03.", -500), ("03.03.", 600)]
    assert reasons(text) == ["line 3: the amount '5,00 S' is in the column of the other side"]
    text = "Datum;Text;Soll;Haben\n01.03.2026;a;-5,00;\n02.03.2026;b;-7,00;\n03.03.2026;c;6,00 S;\n"
    assert entries(text) == [("01.03.", -500), ("02.03.", -700), ("03.03.", -600)]


@pytest.mark.parametrize("text", ["12,-", "12.–", "-5,00 S", "5,00- DR", "12 34,56", "1 2,50"])
def test_amounts_that_say_two_things_are_none(text: str) -> None:
    for mark in ",.":
        with pytest.raises(AmountUnreadable):
            printed_amount(text, mark, "EUR")


@pytest.mark.parametrize(
    ("text", "mark", "minor"),
    [
        ("1 234,56", ",", 123456), ("- 1\u202f234\u00a0567,8 €", ",", -123456780), ("12 345.00 CHF", ".", 1234500),
        ("EUR 1 000", ",", 100000), ("( 5,00 )", ",", -500), ("5,00 H", ",", 500), ("-5,00 H", ",", -500),
    ],
)  # fmt: skip
def test_blanks_group_by_three_digits_or_stand_apart(text: str, mark: str, minor: int) -> None:
    assert printed_amount(text, mark, "CHF" if "CHF" in text else "EUR") == minor


def test_what_an_amount_says_of_its_side() -> None:
    assert [has_minus(text) for text in ("-5,00", "EUR −5", "5,00-", "(5)", "+5", "5", "-", "x")] == [True] * 4 + [
        False
    ] * 4
    assert [side_in(text) for text in ("5,00 S", "5 CR", "5 EUR", "-5", "x")] == ["debit", "credit", "", "", ""]


@pytest.mark.parametrize(
    ("header", "into", "out"), [("B/D", "D", "B"), ("D/P", "P", "D"), ("D/A", "A", "D"), ("S/H", "CRDT", "DBIT")]
)
def test_marks_in_pairs(header: str, into: str, out: str) -> None:
    table = f"Datum;Text;Betrag;{header}\n01.03.2026;a;10,00;{into}\n02.03.2026;b;5,00;{out}\n03.03.2026;c;6,00;{out}\n"
    assert entries(table) == [("01.03.", 1000), ("02.03.", -500), ("03.03.", -600)]


def test_beside_an_unknown_mark_a_letter_of_several_meanings_says_nothing() -> None:
    table = "Datum;Text;Betrag;S/H\n01.03.2026;a;10,00;D\n02.03.2026;b;5,00;X\n"
    assert reasons(table) == [
        f"line {line}: {mark!r} means neither money in nor money out" for line, mark in ((2, "d"), (3, "x"))
    ]


def test_letters_that_nobody_knows_beside_amounts_without_sign() -> None:
    rows = "01.03.2026;a;10,00;{0}\n02.03.2026;b;5,00;{1}\n03.03.2026;c;6,00;{1}\n"
    said = refusal("Datum;Opis;Znesek;Oznaka\n" + rows.format("D", "B"))
    assert (
        said
        == "line 1: the amounts have no sign, and it is unclear what 'B' and 'D' mean in column 'Oznaka'; choose the columns once"
    )
    assert len(entries("Datum;Opis;Znesek;Moj\n" + rows.format("J", "N"))) == 3


def test_balances_prove_that_amounts_lack_their_sign() -> None:
    head = "Date,Description,Amount,Balance\n"
    wrong = head + "2026-03-01,a,100.00,1100.00\n2026-03-02,b,500.00,600.00\n2026-03-03,c,50.00,650.00\n"
    assert (
        refusal(wrong)
        == "the balances prove that some amounts are money out, and no sign or mark says so; choose the columns once"
    )
    newest_first = head + "2026-03-03,c,50.00,650.00\n2026-03-02,b,500.00,600.00\n2026-03-01,a,100.00,1100.00\n"
    assert refusal(newest_first) == refusal(wrong)
    right = head + "2026-03-01,a,100.00,1100.00\n2026-03-02,b,500.00,1600.00\n2026-03-03,c,50.00,1650.00\n"
    assert [minor for _, minor in entries(right)] == [10000, 50000, 5000]
    before_each_row = head + "2026-03-01,a,100.00,1000.00\n2026-03-02,b,500.00,1100.00\n2026-03-03,c,50.00,1600.00\n"
    assert [minor for _, minor in entries(before_each_row)] == [10000, 50000, 5000]
    of_something_else = head + "2026-03-01,a,100.00,7.00\n2026-03-02,b,500.00,8.00\n2026-03-03,c,50.00,650.00\n"
    assert [minor for _, minor in entries(of_something_else)] == [10000, 50000, 5000]


def test_a_stray_quotation_mark_takes_no_rows_into_its_cell() -> None:
    text = (
        'date;text;amount\n01.03.2026;"Anna;10,00\n02.03.2026;Bob;20,00\n03.03.2026;5" pipe;30,00\n04.03.2026;d;40,00\n'
    )
    assert entries(text) == [("01.03.", 1000), ("02.03.", 2000), ("03.03.", 3000), ("04.03.", 4000)]
    till_the_end = 'date;text;amount\n01.03.2026;a;1,00\n02.03.2026;"Anna;10,00\n03.03.2026;Bob;20,00\n'
    assert entries(till_the_end) == [("01.03.", 100), ("02.03.", 1000), ("03.03.", 2000)]


@pytest.mark.parametrize(
    "swallowing",
    [
        '01.03.2026;"Anna;10,00\n02.03.2026;Bob;20,00\n03.03.2026;pipe";30,00\n',
        '01.03.2026;"Anna;10,00\n02.03.2026;Bob;20,00\nof "it;30,00\n',
    ],
    ids=["closed as quoting is", "not each line is a row"],
)
def test_rows_that_may_be_the_text_of_a_cell_are_shown_to_a_person(swallowing: str) -> None:
    text = f"date;text;amount\n28.02.2026;a;1,00\n{swallowing}04.03.2026;d;40,00\n"
    assert entries(text) == [("28.02.", 100), ("04.03.", 4000)]
    assert reasons(text) == ["line 3: a quotation mark in it may have taken further rows into its cell"]


def test_a_note_that_looks_like_a_row_is_a_note_where_cells_are_quoted() -> None:
    text = (
        '"Datum","Text","Betrag"\n"01.03.2026","a\n""02.03.2026"",""b"",""9,00""","10,00"\n"03.03.2026","c","-1,00"\n'
    )
    assert entries(text) == [("01.03.", 1000), ("03.03.", -100)]
    plain = 'date,amount,text\n2026-03-01,1.00,"a, b, c\nd, e, f"\n2026-03-02,-1.00,x\n'
    assert entries(plain) == [("01.03.", 100), ("02.03.", -100)]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("13/01/2026;a;1,00\n01/14/2026;b;-2,00\n", "'13/01/2026' has the day first, '01/14/2026' the month; choose the order once"),
        ("13.01.2026;a;1,00\n01.14.2026;b;-2,00\n", ""),
        ("31/13/2026;a;1,00\n14/01/2026;b;-2,00\n", ""),
    ],
)  # fmt: skip
def test_dates_in_both_orders_are_refused(rows: str, said: str) -> None:
    text = f"Date;Text;Amount\n{rows}"
    if said:
        assert refusal(text) == f"line 1: {said}"
    else:
        assert len(entries(text)) == len(reasons(text)) == 1


def test_parts_of_a_second_decide_no_order() -> None:
    text = "Date,Text,Amount\n03/04/2026 10:00:00.123,a,1.00\n03/15/2026 10:00:00.123,b,-2.00\n"
    assert entries(text) == [("04.03.", 100), ("15.03.", -200)]


def test_days_of_one_digit_behind_the_year() -> None:
    assert entries("Date,Text,Amount\n2026/3/4,a,1.00\n2026-3-15,b,-2.00\n") == [("04.03.", 100), ("15.03.", -200)]


@pytest.mark.parametrize(
    ("header", "said"),
    [("Amount (USD);Amount (EUR)", "'Amount (USD)' and 'Amount (EUR)'"), ("Betrag;Betrag", "'Betrag' and 'Betrag'")],
)
def test_two_amounts_of_one_name_are_refused(header: str, said: str) -> None:
    text = f"Date;Text;{header}\n01.03.2026;a;1,00;0,90\n02.03.2026;b;-2,00;-1,80\n"
    assert refusal(text) == f"line 1: there are two amounts, {said}; choose the columns once"
    assert len(entries(text.replace("0,90", "1,00").replace("-1,80", "-2,00"))) == 2


def test_a_heading_above_the_header_is_one_as_well() -> None:
    head = "Datum;Text;Betrag\n"
    table = f"Konto 12345\nVorgemerkte Umsätze\n{head}05.03.2026;b;20,00\nGebuchte Umsätze\n{head}04.03.2026;a;-10,00\n"
    assert entries(table) == [("04.03.", -1000)]
    assert reasons(table) == []
    assert len(entries(table.replace("Vorgemerkte Umsätze", "Vorgemerkte Umsätze sind nicht enthalten"))) == 2
    for between in ("Seite 2", ";Danke für die Lieferung;", "Nicht gebuchte Umsätze"):
        assert entries(table.replace("Gebuchte Umsätze", f"{between}\n06.03.2026;c;30,00\nGebuchte Umsätze")) == [
            ("04.03.", -1000)
        ]


def test_entries_below_a_heading_of_pending_ones_are_pending() -> None:
    text = "Datum;Text;Betrag\nVorgemerkte Umsätze;;\n05.03.2026;b;20,00\nGebuchte Umsätze;;\n04.03.2026;a;-10,00\n"
    assert entries(text) == [("04.03.", -1000)]
    assert reasons(text) == []


_FIRST = "Konto DE02500105170137075030\nDatum;Text;Betrag;Saldo\n01.03.2026;a;10,00;110,00\n"
_OTHER = "Konto DE68210501700012345678\n"


def test_the_table_of_another_account_or_with_other_columns_is_not_read_by_the_first() -> None:
    said = refusal(f"{_FIRST}{_OTHER}Datum;Text;Betrag;Saldo\n02.03.2026;b;30,00;230,00\n")
    assert said == "line 5: the table of another account begins; import each account on its own"
    said = refusal(f"{_FIRST}Datum;Text;Saldo;Betrag\n02.03.2026;b;230,00;30,00\n")
    assert said == "line 4: a table with other columns begins; import each table on its own"
    again = f"{_FIRST}Datum;Text;Betrag;Saldo\n02.03.2026;b;-30,00;80,00\n"
    assert entries(again) == [("01.03.", 1000), ("02.03.", -3000)]


def test_sums_of_a_side_and_balances_dated_in_words_are_no_entries() -> None:
    text = "Datum;Text;Betrag\n02.03.2026;a;30,00\n03.03.2026;Summe Soll;-20,00\n03.03.2026;Summe Haben;30,00\n"
    assert entries(text) == [("02.03.", 3000)]
    assert reasons(text) == [f"line {line}: the row may be a sum or a payment" for line in (3, 4)]
    text = "Date,Text,Out,In,Balance\n1 Mar 2026,BALANCE BROUGHT FORWARD,,,9.00\n2 Mar 2026,a,,1.00,10.00\n"
    assert entries(text.replace("Out,In", "Paid out,Paid in")) == [("02.03.", 100)]
    assert reasons(text.replace("Out,In", "Paid out,Paid in")) == []


def test_an_export_without_entries_says_so_in_a_row() -> None:
    assert read("Datum;Text;Betrag\nKeine Umsätze;;\n")[-1] == read("Datum;Text;Betrag\n")[-1]


def test_swiss_amounts_by_their_currency_alone() -> None:
    assert entries("Datum;Text;Betrag\n01.03.2026;a;Fr. 1'234.50\n02.03.2026;b;Fr. -1'000.00\n") == [
        ("01.03.", 123450), ("02.03.", -100000),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("header", "into", "out"),
    [
        ("Direction", "IN", "OUT"),
        ("Type", "Deposit", "Withdrawal"),
        ("Richtung", "Eingang", "Ausgang"),
        ("X", "in", "out"),
    ],
)
def test_words_that_say_the_side_of_amounts_without_sign(header: str, into: str, out: str) -> None:
    table = f"Date,{header},Amount,Description\n2026-03-04,{into},10.00,Anna\n2026-03-05,{out},5.00,Bob\n"
    assert entries(table) == [("04.03.", 1000), ("05.03.", -500)]


def test_a_word_of_money_out_beside_others_and_amounts_without_sign_is_refused() -> None:
    table = "Datum;Umsatzart;Betrag;Text\n04.03.2026;Gutschrift;10,00;a\n05.03.2026;Lastschrift;5,00;b\n06.03.2026;Dauerauftrag;5,00;c\n"
    assert refusal(table) == (
        "line 1: the amounts have no sign, and 'lastschrift' is in column 'Umsatzart'; choose the columns once"
    )
    assert len(entries(table.replace("5,00;b", "-5,00;b"))) == 3


def test_an_amount_of_millions_is_no_account_where_no_header_tells() -> None:
    rows = "04.03.2026;Anna;-10,00;x\n05.03.2026;Bob;20,00;x\n06.03.2026;Carl;1.234.567,89;98765432\n"
    assert entries(rows) == [("04.03.", -1000), ("05.03.", 2000), ("06.03.", 123456789)]


def test_debits_beyond_the_first_rows_are_money_out_with_or_without_a_minus() -> None:
    credits = "".join(f"01.03.2026;a;;{number % 9 + 1},00\n" for number in range(2100))
    for minus in ("", "-"):
        table = f"Datum;Text;Soll;Haben\n{credits}02.03.2026;b;{minus}5,00;\n03.03.2026;c;{minus}6,00;\n"
        assert entries(table)[-2:] == [("02.03.", -500), ("03.03.", -600)]
    assert reasons(f"Datum;Text;Soll;Haben\n{credits}02.03.2026;b;5,00;\n03.03.2026;c;-6,00;\n") == [
        "line 2103: '-6,00': some amounts of money out have a minus, others have none"
    ]


def test_kept_columns_yield_to_what_a_file_proves_of_itself() -> None:
    kept = propose_profile(b"Date;Text;Soll;Haben\n03/04/2026;a;;5,00\n").profile
    assert (kept.date_order, kept.debit_signed) == ("dmy", None)
    assert CsvProfile.from_json(kept.to_json()) == kept
    other = b"Date;Text;Soll;Haben\n03/04/2026;a;-5,00;\n03/15/2026;b;-6,00;\n03/16/2026;c;;7,00\n"
    read = [
        entry for entry in read_csv(io.BytesIO(other), replace(kept, debit_signed=False)) if isinstance(entry, Entry)
    ]
    assert [(f"{entry.booking_date:%d.%m.}", entry.amount_minor) for entry in read] == [
        ("04.03.", -500), ("15.03.", -600), ("16.03.", 700),
    ]  # fmt: skip


def test_a_date_that_turns_those_above_it_refuses_the_file() -> None:
    rows = "".join(f"03/{number % 12 + 1:02}/2026,a,1.00\n" for number in range(2100))
    said = refusal(f"Date,Text,Amount\n{rows}03/15/2026,b,-5.00\n")
    assert said == (
        "line 2102: '03/15/2026' shows that the day does not come first, as in the dates above; choose the order once"
    )
    assert entries(f"Date,Text,Amount\n13/03/2026,b,-5.00\n{rows}")[0] == ("13.03.", -500)


@pytest.mark.parametrize(
    "header",
    ["Transaction date;Booking date", "Date;Posting date", "Datum transakce;Datum zaúčtování", "Datum;Buchungstag"],
)
def test_the_day_of_the_booking_comes_before_that_of_the_payment(header: str) -> None:
    table = f"{header};Text;Amount\n2026-03-01;2026-03-04;a;10.00\n2026-03-02;2026-03-05;b;-5.00\n"
    assert entries(table) == [("04.03.", 1000), ("05.03.", -500)]
    assert [day for day, _ in entries(table.replace(";2026-03-04", ";").replace(";2026-03-05", ";"))] == [
        "01.03.",
        "02.03.",
    ]


def test_a_sum_below_the_debits_says_nothing_of_their_sign() -> None:
    table = "Datum;Text;Soll;Haben\n01.03.2026;a;-5,00;\n02.03.2026;b;;7,00\nSumme;;5,00;7,00\n"
    assert entries(table) == [("01.03.", -500), ("02.03.", 700)]
    assert reasons(table) == []
    even = "Datum;Text;Soll;Haben\n01.03.2026;a;5,00;\n02.03.2026;b;-7,00;\n"
    assert entries(even) == [("01.03.", -500)]
    assert reasons(even) == ["line 3: '-7,00': some amounts of money out have a minus, others have none"]


def test_without_a_header_the_balance_tells_which_column_is_the_amount() -> None:
    rows = "04.03.2026;Anna;110,00;10,00\n05.03.2026;Bob;90,00;-20,00\n06.03.2026;Carl;95,00;5,00\n"
    assert entries(rows) == [("04.03.", 1000), ("05.03.", -2000), ("06.03.", 500)]
    newest_first = "".join(f"{line}\n" for line in reversed(rows.splitlines()))
    assert entries(newest_first) == [("06.03.", 500), ("05.03.", -2000), ("04.03.", 1000)]
    said = "line 1: several columns have amounts, and it is unclear which is which; choose the columns once"
    assert refusal(rows.replace("90,00", "91,00")) == said
    debits_lead_but_for_a_credit = (
        "-2029,98;0,00;-1000,00;a;04.03.2026\n-1029,98;0,00;-861,05;b;04.03.2026\n"
        "-168,93;1000,00;0,00;c;03.03.2026\n-1168,93;0,00;-1000,00;d;03.03.2026\n"
    )
    assert refusal(debits_lead_but_for_a_credit) == said
    assert refusal("01.03.2026;8,00;0,00;9,00\n02.03.2026;0,00;-1,00;8,00\n03.03.2026;0,00;-3,00;5,00\n") == said
    assert refusal("04.03.2026;Anna;10,00;-\n05.03.2026;Bob;20,00;-\n").startswith(
        "line 1: money in cannot be distinguished"
    )


def test_marks_and_currencies_as_people_write_them() -> None:
    table = "Date comptable;Type opération;Montant;Libellé\n04.03.2026;Crédit;10,00;a\n05.03.2026;Débit;5,00;b\n"
    assert entries(table) == [("04.03.", 1000), ("05.03.", -500)]
    assert [printed_amount(text, ",", "EUR") for text in ("-EUR 5,00", "EUR -5,00", "(EUR 5,00)", "5,00- EUR")] == [
        -500
    ] * 4
