"""Statements cut into days: each day's bookings with balances that lead from day to day."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
