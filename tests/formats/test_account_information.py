"""Reports by providers of account information as statements: witnesses, complete days, and what cannot be read."""

from __future__ import annotations

import io
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paymatch.domain.bank_feeds.entry_references import ReferencedEntry, booked_references
from paymatch.formats.account_information import (
    AccountReport,
    ReportedBalance,
    ReportedParty,
    ReportedTransaction,
    write_report,
)
from paymatch.formats.postings_of import postings_of
from paymatch.formats.read import format_named, read_statements, recognise
from paymatch.formats.statement import Entry, FileRefused, StatementEnd, StatementEvent, StatementHead, UnreadableEntry

IBAN, OTHER = "DE89370400440532013000", "DE75512108001245126199"


def report(*transactions: ReportedTransaction, **more: object) -> bytes:
    return write_report(
        AccountReport(
            "enable-banking", IBAN, "EUR", date(2026, 3, 1), date(2026, 3, 9), "Shop GmbH", transactions, **more  # type: ignore[arg-type]
        )
    )  # fmt: skip


def paid(amount: str = "12.30", day: str = "2026-03-09", **more: object) -> ReportedTransaction:
    return ReportedTransaction(amount, "EUR", True, "E1", booking_date=day, **more)  # type: ignore[arg-type]


def events(data: bytes) -> list[StatementEvent]:
    return [event for _, found in read_statements(io.BytesIO(data)) for event in found]


def test_complete_days_are_a_final_statement_and_later_ones_are_announced() -> None:
    data = report(
        paid(), paid("5.00", "2026-03-10"), balances=(ReportedBalance("CLBD", "100.00", "EUR", "2026-03-09"),)
    )
    found = recognise(io.BytesIO(data))
    assert found is not None
    assert (found.name, found.source) == ("enable-banking", "FINAL")
    head, first, end, later_head, later, _ = events(data)
    assert isinstance(head, StatementHead) and isinstance(later_head, StatementHead)
    assert (head.format, head.account, head.from_date, head.to_date) == (
        "enable-banking", IBAN, date(2026, 3, 1), date(2026, 3, 9)
    )  # fmt: skip
    assert isinstance(end, StatementEnd)
    assert [each.amount_minor for each in end.balances] == [10_000]
    assert (later_head.format, later_head.to_date) == ("enable-banking today", date(2026, 3, 10))
    known = format_named(later_head.format)
    assert (known.source, known.in_books) == ("INTRADAY", found.in_books)
    assert isinstance(first, Entry) and isinstance(later, Entry)
    assert (first.amount_minor, later.amount_minor) == (1_230, 500)


def test_days_without_bookings_are_known_as_well() -> None:
    assert [type(each) for each in events(report())] == [StatementHead, StatementEnd]


def test_the_bank_s_word_is_what_it_states_and_the_text_is_the_payer_s() -> None:
    said = paid(
        debtor=ReportedParty("Eva Muster", "DE75 5121 0800 1245 1261 99", "SOGEDEFF"),
        creditor=ReportedParty("Shop GmbH", IBAN),
        remittance=("OAMT+999,00 IBAN: FR1420041010050500013M02606", "/CNTP/NL91ABNA0417164300/"),
        creditor_reference="RF18539007547034",
        code="12/32",
    )
    head, entry, _ = events(report(said))
    assert isinstance(head, StatementHead) and isinstance(entry, Entry)
    (posting,) = postings_of(head, entry)
    assert (posting.counterparty_iban, posting.counterparty_name, posting.counterparty_bic) == (
        OTHER, "Eva Muster", "SOGEDEFF"
    )  # fmt: skip
    assert (posting.bank_reference, posting.structured_references) == ("E1", ("RF18539007547034",))
    assert posting.remittance_lines == said.remittance
    assert (posting.instructed_amount_minor, posting.charges_minor, posting.is_return, posting.bank_code) == (
        None, 0, False, "",
    )  # fmt: skip


def test_a_return_is_what_the_bank_s_code_calls_one() -> None:
    head, entry, _ = events(report(paid(code="PMNT/RCDT/RRTN")))
    assert isinstance(head, StatementHead) and isinstance(entry, Entry)
    assert postings_of(head, entry)[0].is_return


@pytest.mark.parametrize(
    "said",
    [
        ReportedTransaction("12.30", "EUR", True),  # no day
        ReportedTransaction("-12.30", "EUR", True, booking_date="2026-03-02"),
        ReportedTransaction("12.305", "EUR", True, booking_date="2026-03-02"),
        ReportedTransaction("12,30,1", "EUR", True, booking_date="2026-03-02"),
        ReportedTransaction("1", "USD", True, booking_date="2026-03-02"),
        ReportedTransaction("1", "ZZZ", True, booking_date="2026-03-02"),
    ],
)
def test_what_cannot_be_read_is_kept_for_a_person(said: ReportedTransaction) -> None:
    _, found, _ = events(report(said))
    assert isinstance(found, UnreadableEntry)
    assert said.amount in found.raw


def test_money_out_is_so_with_and_without_a_minus() -> None:
    for amount in ("4.00", "-4.00"):
        _, entry, _ = events(report(ReportedTransaction(amount, "EUR", False, booking_date="2026-03-02")))
        assert isinstance(entry, Entry)
        assert entry.amount_minor == -400


def test_a_broken_report_is_refused_as_a_whole() -> None:
    whole = report(paid())
    for broken in (whole[:-20], whole.replace(b'"first_date"', b'"x"'), whole.replace(b"2026-03-09", b"soon")):
        with pytest.raises(FileRefused, match="report"):
            events(broken)


_REFERENCES = st.text("abc", min_size=1, max_size=2)
_BOOKED = st.dictionaries(_REFERENCES, st.sampled_from("xyz"), max_size=6)


@given(_BOOKED)
def test_a_bank_that_renumbers_everything_books_nothing_twice(booked: dict[str, str]) -> None:
    renumbered = [ReferencedEntry(f"new {name}", content) for name, content in booked.items()]
    assert sorted(booked_references(booked, renumbered)) == sorted(booked)


@given(_BOOKED, st.lists(st.sampled_from("xyz"), max_size=4))
def test_equal_payments_beside_those_that_are_booked_are_new(booked: dict[str, str], more: list[str]) -> None:
    fresh = [ReferencedEntry(f"new {place}", content) for place, content in enumerate(more)]
    read = [*(ReferencedEntry(name, content) for name, content in booked.items()), *fresh]
    assert booked_references(booked, read) == [each.reference for each in read]


def test_a_nameless_entry_stays_nameless_and_others_take_the_vanished_name_once() -> None:
    read = [
        ReferencedEntry("", "x"),
        ReferencedEntry("n1", "x"),
        ReferencedEntry("n2", "x"),
        ReferencedEntry("n3", "y"),
    ]
    assert booked_references({"a": "x", "b": "y", "n3": "y"}, read) == ["", "a", "n2", "n3"]
