"""Rows that are entries but cannot be read for certain, and rows that look like entries and are none."""
# ruff: noqa: E501  # lines as a bank's file has them

from __future__ import annotations

import io

import pytest

from paymatch.formats.statement import Entry, EntryStatus, StatementEvent, StatementHead, UnreadableEntry
from paymatch.formats.tables.reader import read_csv
from paymatch.formats.tables.values import csv_date, date_order_of


def read(text: str) -> list[StatementEvent]:
    return list(read_csv(io.BytesIO(text.encode())))


def amounts(events: list[StatementEvent]) -> list[int]:
    return [event.amount_minor for event in events if isinstance(event, Entry)]


def reasons(events: list[StatementEvent]) -> list[str]:
    return [event.reason for event in events if isinstance(event, UnreadableEntry)]


@pytest.mark.parametrize(
    ("table", "read_amounts", "unread"),
    [
        (
            "Datum;Text;Betrag;Info\n20.11.2026;Rechnung; 4711;5,00;x\n19.11.2026;b;6,00;y\n",
            [600],
            ["line 2: the row has more cells than the header, which has 4"],
        ),
        (
            "Datum,Text,Betrag\n20.11.2026,a,5,50\n19.11.2026,b,-6,25\n",
            [],
            [
                "line 2: the row has more cells than the header, which has 3",
                "line 3: the row has more cells than the header, which has 3",
            ],
        ),
        ("Datum;Text;Betrag\n20.11.2026;a;5,00;;\n19.11.2026;b;6,00;\n", [500, 600], []),
    ],
    ids=["a delimiter within the text", "a decimal comma that divides cells", "empty cells behind the last column"],
)
def test_cells_beyond_the_header_have_moved_the_amount(table: str, read_amounts: list[int], unread: list[str]) -> None:
    events = read(table)
    assert amounts(events) == read_amounts
    assert reasons(events) == unread


@pytest.mark.parametrize(
    ("row", "lost"),
    [
        (";Bert;DE02500105170137075030;SO-2;6,00", True),
        ("30 Brumaire 2026;Bert;;SO-2;6,00", True),
        ("den 31.02.2026;Bert;;SO-2;6,00", True),
        ("20260231;Bert;;SO-2;6,00", True),
        ("Summe;;;;6,00", False),
        ("2 Umsätze;;;;6,00", False),
        ("Saldo 20.11.2026;;;;6,00", False),
        (";;;;6,00", False),
        ("Seite 1 von 2;;;;", False),
    ],
)
def test_an_entry_without_a_readable_date_is_kept_behind_the_last_one(row: str, lost: bool) -> None:
    events = read(f"Datum;Name;IBAN;Text;Betrag\n20.11.2026;Anna;DE02120300000000202051;SO-1;5,00\n{row}\n")
    assert amounts(events) == [500]
    assert reasons(events) == (["line 3: the row has no date that can be read"] if lost else [])


@pytest.mark.parametrize(
    ("table", "read_amounts", "line"),
    [
        (
            "20/11/2026;100,00;Virement;;VIR SEPA MARTIN PAUL;SO-4711;0;Divers\n19/11/2026;-5,00;Frais;;COTISATION;;0;Divers\n"
            "20/11/2026;1095,00;;01234 123456X;\n",
            [10000, -500],
            3,
        ),
        (
            '20-11-2026,19-11-2026,\'61109010140000071219812874,SKLEP SP. Z O.O.,PLN,"2234,50","1000,00",2,\n'
            '20-11-2026,20-11-2026,Zamowienie SO-4711,JAN KOWALSKI,\'60102010260000042270201111,"1234,50","2234,50",1,\n'
            '19-11-2026,19-11-2026,Oplata,,,"-5,00","1000,00",2,\n',
            [123450, -500],
            1,
        ),
    ],
    ids=["the last row", "the first row"],
)
def test_a_balance_in_a_table_without_header_is_no_payment(table: str, read_amounts: list[int], line: int) -> None:
    events = read(table)
    assert amounts(events) == read_amounts
    assert reasons(events) == [f"line {line}: the row looks unlike all others; it may be a balance"]


def test_a_fee_without_payer_looks_like_the_others() -> None:
    events = read(
        "20.11.2026;SO-1;Anna;DE02120300000000202051;5,00\n19.11.2026;SO-2;Bert;DE02500105170137075030;6,00\n"
        "18.11.2026;Gebuehr;;;-1,00\n"
    )
    assert amounts(events) == [500, 600, -100]
    assert reasons(events) == []


def test_all_texts_of_a_table_without_header_are_kept() -> None:
    events = read(
        "20.11.2026;Gutschrift einer langen Ueberweisung;SO-4711;Anna;5,00\n"
        "19.11.2026;Gutschrift einer langen Ueberweisung;SO-4712;Bert;-6,00\n"
    )
    texts = [event.details[0].remittance_lines for event in events if isinstance(event, Entry)]
    assert texts == [("SO-4711 ", "Anna"), ("SO-4712 ", "Bert")]


def test_a_line_with_a_date_above_the_entries_is_no_header() -> None:
    events = read(
        "Compte;Compte;****1234;20/11/2026;;1 095,00\n"
        + "".join(f"{day}/11/2026;VIREMENT RECU;VIR SEPA SO-{day};1{day},00\n" for day in range(20, 14, -1))
        + "14/11/2026;FRAIS;FRAIS DE TENUE;-5,00\n"
    )
    assert amounts(events) == [12000, 11900, 11800, 11700, 11600, 11500, -500]
    assert reasons(events) == []


def test_beside_an_unknown_mark_an_empty_one_says_nothing() -> None:
    events = read("Datum;Text;Betrag;S/H\n20.11.2026;a;5,00;H\n19.11.2026;b;6,00;X\n18.11.2026;c;7,00;\n")
    assert amounts(events) == [500]
    assert reasons(events) == [
        "line 3: 'x' means neither money in nor money out",
        "line 4: '' means neither money in nor money out",
    ]


@pytest.mark.parametrize(
    ("header", "cells", "currency", "instructed"),
    [
        ("Betrag;Originalbetrag;Originalwährung", "5,00;5,40;USD", "", (540, "USD")),
        ("Betrag EUR;Betrag in Fremdwährung;Fremdwährung", "5,00;5,40;USD", "EUR", (540, "USD")),
        ("Betrag;Währung;Originalbetrag;Originalwährung", "5,00;CHF;5,40;USD", "CHF", (540, "USD")),
    ],
)
def test_the_original_currency_is_not_that_of_the_amount(
    header: str, cells: str, currency: str, instructed: tuple[int, str]
) -> None:
    events = read(f"Datum;Text;{header}\n20.11.2026;SO-1;{cells}\n19.11.2026;SO-2;{cells}\n")
    heads = [event.currency for event in events if isinstance(event, StatementHead)]
    details = [event.details[0] for event in events if isinstance(event, Entry)]
    assert heads == [currency]
    assert amounts(events) == [500, 500]
    assert [(detail.instructed_amount_minor, detail.instructed_currency) for detail in details] == [instructed] * 2


def test_a_row_in_another_currency_than_the_amounts_are_headed_is_unreadable() -> None:
    events = read("Datum;Text;Betrag (EUR);Währung\n20.11.2026;a;5,00;EUR\n19.11.2026;b;6,00;USD\n")
    assert amounts(events) == [500]
    assert reasons(events) == ["line 3: the amounts are headed EUR, but the row says USD"]


@pytest.mark.parametrize("status", ["Venter", "Autorizzato", "Non contabilizzato", "Reserviert", "On hold", "Blokada"])
def test_what_is_not_booked_yet_is_pending(status: str) -> None:
    events = read(f"Dato;Tekst;Beløb;Status\n20.11.2026;a;5,00;Udført\n19.11.2026;b;6,00;{status}\n")
    entries = [event for event in events if isinstance(event, Entry)]
    assert [entry.status for entry in entries] == [EntryStatus.BOOKED, EntryStatus.PENDING]


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Fr., 20.11.2026", "2026-11-20"),
        ("Fri, 20 Nov 2026", "2026-11-20"),
        ("18.nov.2026", "2026-11-18"),
        ("19/ott/2026", "2026-10-19"),
        ("19-ene-2026", "2026-01-19"),
        ("18 de noviembre de 2026", "2026-11-18"),
        ("3 października 2026", "2026-10-03"),
        ("3. prosince 2026", "2026-12-03"),
        ("2026.11.20.", "2026-11-20"),
    ],
)
def test_dates_with_words(text: str, day: str) -> None:
    assert str(csv_date(text, "dmy")) == day


@pytest.mark.parametrize(
    ("cells", "order"),
    [
        (["26-11-20", "26-11-19"], "ymd"),
        (["20-11-26", "19-11-26"], "dmy"),
        (["11/20/26", "11/19/26"], "mdy"),
        (["20.11.26", "20.11.27"], "dmy"),
        (["26-11-20"], "dmy"),
    ],
)
def test_a_year_of_two_digits_comes_first_where_days_lie_closer_together_so(cells: list[str], order: str) -> None:
    assert date_order_of(cells) == (order, True)
