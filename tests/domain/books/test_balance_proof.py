"""What the postings between two balances must add up to, with late bookings and repetitions."""

from __future__ import annotations

from datetime import date, timedelta

from paymatch.domain.books.balance_proof import ProvedSum, proved_sums
from paymatch.domain.books.overlap import Extent, stretches
from tests.domain.books.test_overlap import DAY, extent


def proved(*extents: Extent) -> list[ProvedSum]:
    return proved_sums(stretches({f"st{place}": each for place, each in enumerate(extents)}))


def day(number: int) -> date:
    return DAY + timedelta(days=number)


def test_two_statements_of_a_day_prove_its_sum() -> None:
    found = proved(extent(1990, number=7), extent(1990, number=8, opening=1990, opened=0))
    assert found == [ProvedSum(DAY, DAY, 3980, 0, ("st0", "st1"))]
    assert found[0].missing_minor({DAY: 3980}) == 0
    assert found[0].missing_minor({DAY: 1990}) == 1990


def test_what_is_booked_late_counts_where_the_balance_counts_it() -> None:
    late = extent((0, 3000), (1, 500), opening=3000, opened=0, closed=1)
    first, second = proved(extent(3000), late)
    booked = {DAY: 6000, day(1): 500}
    assert (first.missing_minor(booked), second.missing_minor(booked)) == (0, 0)
    assert (first.missing_minor({DAY: 3000, day(1): 500}), second.missing_minor({DAY: 3000, day(1): 500})) == (3000, 0)


def test_what_is_booked_ahead_of_the_closing_balance_counts_with_it() -> None:
    ahead = extent((0, 100), (2, 50), closed=0)
    first, second = proved(ahead, extent((3, 5), opening=150, opened=0, closed=3))
    booked = {DAY: 100, day(2): 50, day(3): 5}
    assert (first.missing_minor(booked), second.missing_minor(booked)) == (0, 0)


def test_repetitions_in_another_format_prove_the_same() -> None:
    chain = [
        extent((place, 10), opening=10 * place, opened=place - 1, closed=place, number=place + 1) for place in range(4)
    ]
    week = extent(*((place, 10) for place in range(4)), closed=3, file_format="camt.053")
    found = proved(*chain, *chain, week)
    assert [(each.first_date, each.expected_minor, each.moved_minor) for each in found] == [
        (day(place), 10, 0) for place in range(4)
    ]


def test_a_way_back_is_counted_as_often_as_it_was_gone() -> None:
    seven, eight = extent(1990, number=7), extent(-1990, number=8, opening=1990, opened=0)
    (found,) = proved(seven, eight, extent(1990, number=9, opened=0), seven)
    assert (found.expected_minor, found.missing_minor({DAY: 1990})) == (1990, 0)


def test_balances_that_lead_to_two_ends_of_a_day_prove_nothing() -> None:
    assert proved(extent(10), extent(25)) == []
