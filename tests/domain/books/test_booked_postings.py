"""The postings of a booked entry: one, or the payments of a batch, and which lines are kept with each."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from paymatch.domain.books.booked_postings import postings_of_entry
from paymatch.domain.books.fold import BookedEntry
from paymatch.domain.books.statement_lines import ShownBy, ShownEntry
from paymatch.domain.postings import PostingSource
from tests.domain.books.file_formats import CAMT, CSV, SWIFT_MT
from tests.usecases.conftest import paid

DAY = date(2026, 3, 10)
FINAL, NEWS = PostingSource.FINAL, PostingSource.NOTIFICATION
ONE, OTHER = paid(1000, "SO-1"), paid(2000, "SO-2")
SUM = ShownEntry(ShownBy("a", FINAL, CAMT), 0, (paid(3000, "", bank_reference="B1"),))
PARTS = ShownEntry(ShownBy("b", NEWS, CAMT), 0, (ONE, OTHER))
REVERSED = ShownEntry(ShownBy("c", NEWS, CAMT), 0, (OTHER, ONE))


def test_the_payments_of_a_batch_hold_their_lines_and_the_first_those_of_its_sum() -> None:
    first, second = postings_of_entry(BookedEntry(DAY, [SUM, PARTS, REVERSED]))
    assert (first.lines, second.lines) == ([(PARTS, 0), (REVERSED, 1)], [(PARTS, 1), (REVERSED, 0)])
    assert (first.sums, second.sums) == ([(SUM, 0)], [(SUM, 0)])
    assert list(first.own_lines) == [(PARTS, 0), (REVERSED, 1), (SUM, 0)]
    assert list(second.own_lines) == [(PARTS, 1), (REVERSED, 0)]


def test_a_batch_that_a_person_decided_as_one_payment_stays_one() -> None:
    """Its payments, line by line, are kept with it and name days only."""
    held = ShownEntry(SUM.statement, 0, SUM.lines, ("p1",), frozenset({"p1"}))
    (whole,) = postings_of_entry(BookedEntry(DAY, [held, PARTS]))
    assert (whole.lines, whole.sums) == ([(held, 0)], [(PARTS, 0), (PARTS, 1)])
    assert list(whole.own_lines) == [(held, 0), (PARTS, 0), (PARTS, 1)]


def test_a_payment_holds_all_lines_that_show_it() -> None:
    again = ShownEntry(ShownBy("d", NEWS, SWIFT_MT), 0, SUM.lines)
    (posting,) = postings_of_entry(BookedEntry(DAY, [SUM, again]))
    assert (list(posting.own_lines), posting.sums) == ([(SUM, 0), (again, 0)], [])


def test_a_payment_is_recognised_by_what_a_statement_of_that_format_says_of_it() -> None:
    short = ShownEntry(ShownBy("d", NEWS, SWIFT_MT), 0, (replace(ONE, remittance_lines=("SO",)),))
    full = ShownEntry(ShownBy("a", FINAL, CAMT), 0, (ONE,))
    booked = BookedEntry(DAY, [full, short])
    assert booked.key(SWIFT_MT) == short.key != full.key
    assert booked.key(CAMT) == booked.key(CSV) == full.key


def test_a_batch_is_recognised_by_the_references_of_all_its_entries() -> None:
    booked = BookedEntry(DAY, [SUM, PARTS])
    assert SUM.key.names and not set(SUM.key.names) & set(PARTS.key.names)
    assert booked.key(CAMT) == PARTS.key._replace(names=(*PARTS.key.names, *SUM.key.names))
    assert BookedEntry(DAY, [PARTS]).key(CAMT) == PARTS.key


def test_an_entry_is_in_none_of_its_statements_twice() -> None:
    booked = BookedEntry(DAY, [SUM, PARTS])
    assert booked.may_be_in([REVERSED.statement])
    assert not booked.may_be_in([REVERSED.statement, PARTS.statement])
    page, next_page = (ShownBy(f"p{number}", FINAL, CAMT, "S1", number) for number in (1, 2))
    assert not BookedEntry(DAY, [ShownEntry(page, 0, (ONE,)), PARTS]).may_be_in([next_page])
