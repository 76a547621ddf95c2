"""What a statement shows: when it only repeats another, in which order it is put, and what the books take from it."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from itertools import permutations
from typing import Any

import pytest

from paymatch.domain.books.statement_lines import ShownBy, ShownEntry, resolve_lines
from paymatch.domain.postings import PostingSource
from tests.domain.books.file_formats import CAMT, SWIFT_MT
from tests.usecases.conftest import paid

FINAL, NEWS, EARLY = PostingSource.FINAL, PostingSource.NOTIFICATION, PostingSource.INTRADAY
DAY = date(2026, 3, 10)
BY_053, BY_054, MT940 = ShownBy("a", FINAL, CAMT), ShownBy("b", NEWS, CAMT), ShownBy("m", FINAL, SWIFT_MT)
LINE = paid(1990, "SO-1")


@pytest.mark.parametrize(
    ("by", "line", "expected"),
    [
        (ShownBy("d", FINAL, CAMT), LINE, True),
        (ShownBy("d", NEWS, CAMT), LINE, False),
        (ShownBy("d", FINAL, SWIFT_MT), LINE, False),
        (ShownBy("d", FINAL, CAMT), paid(1990, "SO-2"), False),
        (ShownBy("d", NEWS, CAMT), paid(1990, "SO-2"), False),
    ],
)
def test_an_entry_repeats_what_a_statement_of_its_kind_says_word_for_word(
    by: ShownBy, line: Any, expected: Any
) -> None:
    assert ShownEntry(BY_053, 0, (LINE,)).repeats(ShownEntry(by, 0, (line,))) is expected


def test_entries_are_put_in_order_by_all_that_they_say() -> None:
    """What a line leaves open comes behind what another says there."""
    said = [
        replace(LINE, value_date=DAY, original_amount_minor=1990),
        replace(LINE, value_date=DAY, original_amount_minor=2000),
        replace(LINE, value_date=DAY),
        replace(LINE, value_date=DAY + timedelta(1)),
        replace(LINE, value_date=None),
    ]
    entries = [ShownEntry(BY_053, 0, (line,)) for line in said]
    for order in permutations(entries):
        assert sorted(order, key=lambda entry: entry.content) == entries


def test_books_say_what_the_richest_line_says_and_the_days_of_the_most_binding_one() -> None:
    """For any number of equal lines, in any order of reading."""
    short, full = replace(LINE, remittance_lines=("SO",)), replace(LINE, remittance_lines=("SO-1 Danke",))
    announced = replace(full, booking_date=DAY - timedelta(1), value_date=DAY - timedelta(1))
    lines = [(BY_053, short), (ShownBy("d", FINAL, CAMT), short), (ShownBy("e", FINAL, CAMT), full)]
    for order in permutations([*lines, (BY_054, announced)]):
        found = resolve_lines(order)
        assert (found.posting, found.source, found.format) == (full, FINAL, "camt")
    for order in permutations([(MT940, short), (BY_054, announced)]):
        found = resolve_lines(order)
        assert (found.posting, found.source, found.format) == (full, FINAL, "camt")
    assert resolve_lines([(BY_054, announced)]).source is NEWS
    assert resolve_lines([(BY_054, announced)], [(MT940, short)]).posting == full
