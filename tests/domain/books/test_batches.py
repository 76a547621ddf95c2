"""Batches: which sum is which set of payments."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

from hypothesis import given
from hypothesis import strategies as st

from paymatch.domain.books.batches import BatchKey, pair_batches
from paymatch.domain.postings import PostingSource

DAY = date(2026, 3, 10)
NEXT = DAY + timedelta(days=1)
SUM = BatchKey(6989, DAY, (), PostingSource.FINAL, "CSV")
ANNOUNCED = BatchKey(6989, DAY, ("260311000387X",), PostingSource.NOTIFICATION, "camt")
BOOKED = BatchKey(6989, DAY, ("260310000624X",), PostingSource.FINAL, "MT940")


def test_a_common_reference_comes_before_the_nearer_day() -> None:
    named = replace(BOOKED, booking_date=NEXT, references=ANNOUNCED.references)
    assert pair_batches([replace(SUM, booking_date=DAY), named], [ANNOUNCED]) == [None, 0]
    assert pair_batches([BOOKED, named], [ANNOUNCED]) == [None, 0]


def test_references_that_differ() -> None:
    assert pair_batches([BOOKED], [ANNOUNCED]) == [0]  # formats may name one batch differently
    assert pair_batches([replace(BOOKED, format="camt")], [ANNOUNCED]) == [None]
    assert pair_batches([replace(BOOKED, booking_date=NEXT)], [ANNOUNCED]) == [None]
    assert pair_batches([replace(SUM, booking_date=NEXT)], [ANNOUNCED]) == [0]


def test_a_day_that_a_table_lent_gives_way_to_a_reference() -> None:
    lent = replace(BOOKED, format="camt", lent_day=True)
    assert pair_batches([replace(BOOKED, booking_date=NEXT)], [lent]) == [0]
    assert pair_batches([replace(SUM, booking_date=NEXT)], [lent]) == [None]


def test_other_sums_and_days_are_other_batches() -> None:
    assert pair_batches([replace(SUM, amount_minor=6990)], [ANNOUNCED]) == [None]
    assert pair_batches([replace(SUM, booking_date=DAY + timedelta(days=4))], [ANNOUNCED]) == [None]
    assert pair_batches([replace(SUM, booking_date=DAY - timedelta(days=1))], [ANNOUNCED]) == [None]
    assert pair_batches([SUM], [replace(BOOKED, booking_date=NEXT)]) == [None]


@given(st.integers(0, 6), st.integers(0, 6))
def test_each_is_given_once(batches: int, others: int) -> None:
    found = pair_batches([SUM] * batches, [BOOKED] * others)
    assert sorted(place for place in found if place is not None) == list(range(min(batches, others)))
