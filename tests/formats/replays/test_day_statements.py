"""Statements cut into days: each day's bookings with balances that lead from day to day."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from paymatch.domain.replays.old_decisions import OldDecision
from paymatch.domain.witnesses import BankWord
from paymatch.formats.replays.day_statements import DayStatement, day_statements, decode_statement, encode_statement
from paymatch.formats.replays.decision_table import read_decisions
from paymatch.formats.statement import Balance, Entry, EntryStatus, FileRefused, StatementEnd, StatementHead

FIRST = date(2026, 3, 2)
HEAD = StatementHead("camt.053", "001.08", "DE89370400440532013000", "EUR", statement_id="S1", electronic_sequence="7")


def entry(days: int, minor: int, place: int) -> Entry:
    day = FIRST + timedelta(days=days)
    return Entry(minor, "EUR", EntryStatus.BOOKED, day, day, place, 0, gvc=BankWord("166"))


def cut(entries: list[Entry], opening: int, closing: int) -> list[DayStatement]:
    last = max(each.booking_date for each in entries if each.booking_date)
    end = StatementEnd((Balance("OPBD", opening, "EUR", FIRST), Balance("CLBD", closing, "EUR", last)))
    return list(day_statements(iter([HEAD, *entries, end])))


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(-5000, 5000)), min_size=1, max_size=30), st.integers(0, 9999))
def test_no_booking_is_lost_and_balances_lead(drawn: list[tuple[int, int]], opening: int) -> None:
    entries = [entry(days, minor, place) for place, (days, minor) in enumerate(drawn)]
    parts = cut(entries, opening, opening + sum(minor for _, minor in drawn))
    assert sorted((each for part in parts for each in part.entries), key=lambda each: each.position) == entries
    days = [part.day for part in parts]
    assert days == sorted({each.booking_date for each in entries if each.booking_date})
    balance = opening
    for part in parts:
        before, after = (each.amount_minor for each in part.end.balances)
        assert before == balance
        balance = before + sum(each.amount_minor for each in part.entries)
        assert after == balance
        assert decode_statement(encode_statement(part)) == part


def test_a_statement_of_one_day_stays_as_it_is_and_wrong_balances_are_left_out() -> None:
    (whole,) = cut([entry(0, 100, 0), entry(0, 200, 1)], 0, 300)
    assert whole.head == HEAD
    parts = cut([entry(0, 100, 0), entry(1, 200, 1)], 0, 999)
    assert [part.end.balances for part in parts] == [(), ()]
    assert [(part.head.statement_id, part.head.electronic_sequence) for part in parts] == [("", ""), ("", "")]


@pytest.mark.parametrize("booked", [(3,), (3, 9)])
def test_bookings_do_not_wait_for_the_end_of_their_statement(booked: tuple[int, ...]) -> None:
    ends = FIRST + timedelta(days=29)
    entries = [entry(days, 100, place) for place, days in enumerate(booked)]
    head = replace(HEAD, from_date=FIRST, to_date=ends)
    end = StatementEnd((Balance("OPBD", 0, "EUR", FIRST), Balance("CLBD", 100 * len(booked), "EUR", ends)))
    parts = list(day_statements(iter([head, *entries, end])))
    assert [part.day for part in parts] == [*(FIRST + timedelta(days=days) for days in booked), ends]
    assert [len(part.entries) for part in parts] == [*(1 for _ in booked), 0]
    assert [(part.head.from_date, part.head.to_date) for part in parts][-1] == (
        FIRST + timedelta(days=booked[-1] + 1), ends,
    )  # fmt: skip
    assert [balance.amount_minor for balance in parts[-1].end.balances] == [100 * len(booked)] * 2


def test_an_entry_without_a_day_comes_with_the_last_ones() -> None:
    undated = replace(entry(0, 300, 2), booking_date=None, value_date=None)
    parts = cut([entry(0, 100, 0), undated, entry(1, 200, 1)], 0, 600)
    assert [[each.amount_minor for each in part.entries] for part in parts] == [[100], [300, 200]]


@pytest.mark.parametrize(
    ("table", "read"),
    [
        ("Referenz;Bestellnummer\nT-17;10427\n;\n", OldDecision(None, None, "10427", reference="T-17")),
        ("Zahlungsdatum;Zahlbetrag;Kunde;Rechnungsnummer\n13.03.26;7,50;Ada Berg;RE-1\nSumme;;;\n",
         OldDecision(date(2026, 3, 13), 750, "RE-1", "Ada Berg")),
        ("Paid at,Amount,Transaction ID,Order ID\n2026-03-13,7.50,T-17,10427\n",
         OldDecision(date(2026, 3, 13), 750, "10427", reference="T-17")),
        ("Valuta;Buchungstag;Betrag;Bestellnummer\n14.03.2026;13.03.2026;7,50;1\n;;7,50;\n",
         OldDecision(date(2026, 3, 13), 750, "1")),
    ],
)  # fmt: skip
def test_decisions_are_read_as_old_systems_export_them(table: str, read: OldDecision) -> None:
    rows = table.replace("Summe", "")
    assert list(read_decisions(rows.encode(), "EUR")) == [read]


def test_decisions_are_read_from_a_german_table() -> None:
    table = (
        "Buchungstag;Betrag;Auftraggeber;IBAN;Verwendungszweck;Bestellnummer\n"
        "13.03.2026;1.112,00;Ada Berg;DE89 3704;Danke;10427\n14.03.2026;7,50;;;;\n"
    )
    assert list(read_decisions(table.encode(), "EUR")) == [
        OldDecision(date(2026, 3, 13), 111200, "10427", "Ada Berg", "DE893704", "Danke"),
        OldDecision(date(2026, 3, 14), 750, ""),
    ]
    with pytest.raises(FileRefused, match="date, amount"):
        list(read_decisions(b"Order number;Payer\n1;Ada\n", "EUR"))
    with pytest.raises(FileRefused, match="Row 2"):
        list(read_decisions(b"Order number;Date;Amount\n1;never;2.00\n", "EUR"))
