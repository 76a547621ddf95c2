"""Which statements show different payments: a table of what two of them say, and what that proves (D-81)."""

from __future__ import annotations

from datetime import date, timedelta
from random import Random

import pytest

from paymatch.domain.books.overlap import Course, Extent, Stretch, are_apart, newly_apart, number_of, stretches

DAY = date(2026, 11, 24)


def extent(
    *bookings: int | tuple[int, int],
    number: int | None = None,
    page: int | None = None,
    opening: int | None = 0,
    opened: int = -1,
    closed: int = 0,
    file_format: str = "MT940",
) -> Extent:
    """A statement; a booking is its amount, or its day after the first and its amount. `opening` None: no balances."""
    placed = [each if isinstance(each, tuple) else (0, each) for each in bookings]
    course = Course()
    for day, amount in placed:
        course.add(DAY + timedelta(days=day), amount)
    balances = None
    if opening is not None:
        days = DAY + timedelta(days=opened), DAY + timedelta(days=closed)
        balances = course.between(opening, days[0], opening + course.booked_minor, days[1])
    days_of = [DAY + timedelta(days=day) for day, _ in placed] or [DAY]
    return Extent(file_format, str(number or ""), number, page, min(days_of), max(days_of), balances)


def apart(*extents: Extent) -> bool:
    """Whether the first and the last are, where all of them are there."""
    found = stretches({str(place): each for place, each in enumerate(extents)})
    first, last = found["0"], found[str(len(extents) - 1)]
    assert are_apart(first, last) == are_apart(last, first)
    return are_apart(first, last)


WEEK = extent((0, 10), (1, 20), (2, 30), opening=100, closed=2)


@pytest.mark.parametrize(
    ("extents", "wanted"),
    [
        # balances chain
        ([extent(1990), extent(1990, opening=1990, opened=0)], True),
        ([extent(1990, number=7), extent(1990, number=8, opening=1990, opened=0)], True),
        ([extent(1990), extent(1990, opening=1990)], True),
        ([extent(1990), extent(1990, opening=1990, opened=0, file_format="camt.053")], True),
        ([extent(1990), extent((0, 1990), opening=1990, opened=0, closed=1)], True),
        ([extent(-150, opening=1000), extent(-150, opening=850, opened=0)], True),
        # the same day with the same balances
        ([extent(1990), extent(1990)], False),
        ([extent(1990, number=7), extent(1990, number=7)], False),
        ([extent(1990, number=7), extent(1990, number=8)], False),
        ([extent(1990, number=7), extent(1990, file_format="camt.053")], False),
        # a day that grew, and days that both show
        ([extent(1990, number=7), extent(1990, 500, number=8)], False),
        ([extent(500, 1990), extent(1990, opening=500)], False),
        ([WEEK, extent((1, 20), opening=110, opened=0, closed=1)], False),
        ([WEEK, extent((1, 20), (2, 30), (3, 5), number=3, opening=110, opened=0, closed=3)], False),
        ([WEEK, extent((2, 30), (3, 5), opening=130, opened=2, closed=3)], False),
        ([extent(10, 20, number=7), extent(20, 30, number=17, opening=10)], False),
        # a gap between them
        ([extent(1990), extent(1990, opening=3980, opened=0)], True),
        ([extent(1990, number=7), extent(1990, number=9, opening=3980, opened=0)], True),
        # there and back, with numbers and without
        ([extent(5, number=7), extent(-5, number=8, opening=5, opened=0), extent(5, number=9, opened=0)], True),
        ([extent(1990, number=7), extent(1990, number=9, opened=0)], False),
        ([extent(1990), extent(-1990, opening=1990, opened=0), extent(1990, opened=0)], False),
        ([extent(1990, number=7), extent(-990, number=8, opening=1990), extent(1990, number=9, opening=1000)], True),
        ([extent(1990, number=7), extent(1990, number=9, opening=1000)], False),
        # a booking that a longer statement of another format holds too
        ([extent((0, 50), (1, -5), (1, 5), closed=1, file_format="camt.053"),
          extent((1, -5), opening=50, opened=0, closed=1)], False),
        # a chain that leads from one format to another one
        ([extent(1990, number=7, file_format="camt.053"),
          extent(1990, number=8, opening=1990, opened=0, file_format="camt.053"),
          extent(1990, number=9, opening=3980, opened=0)], True),
        ([extent(1990, file_format="camt.053"), extent(1990, opening=1990, opened=0),
          extent(-990, opening=3980, opened=0, file_format="camt.053"), extent(1990, opening=2990, opened=0)], False),
        ([extent(1990, file_format="camt.053"), extent(1990, opening=1990, opened=0),
          extent(990, opening=3980, opened=0, file_format="camt.053"), extent(1990, opening=4970, opened=0)], True),
        ([extent(1990, file_format="camt.053"), extent(1990, opening=3980, opened=0)], False),
        # whole days of the one format, and the other one cuts a day with its bookings in another order
        ([extent(20, -20, 20, file_format="camt.053"), extent(20, 20), extent(5, opening=20, file_format="camt.053",
          opened=0, closed=1), extent(-15, opening=40, opened=0), extent(-5, opening=25, opened=0)], False),
        # pages
        ([extent(1990, number=7, page=1), extent(1990, number=7, page=2, opening=1990, opened=0)], True),
        ([extent(1990, number=7, page=1, opening=None), extent(1990, number=7, page=2, opening=None)], True),
        ([extent(1990, number=7, page=1, opening=None), extent(1990, number=7, page=1, opening=None)], False),
        # numbers without balances
        ([extent(1990, number=7, opening=None), extent(1990, number=8, opening=None)], True),
        ([extent(1990, number=7, opening=None), extent(1990, number=8, opening=None, file_format="camt.053")], False),
        ([extent((0, 1), (2, 1), number=7, opening=None), extent((1, 1), number=8, opening=None)], False),
        ([extent(1990, opening=None), extent(1990, opening=None)], False),
    ],
)  # fmt: skip
def test_what_proves_that_payments_differ(extents: list[Extent], wanted: bool) -> None:
    assert apart(*extents) is wanted


def test_a_closing_balance_that_returns_by_chance_is_no_chain() -> None:
    """Wednesday closes with the balance with which Tuesday opened: the week from Tuesday holds that Wednesday."""
    wednesday = extent((2, 5), opening=55, opened=1, closed=2)
    from_tuesday = extent((1, -5), (2, 5), (4, 40), opening=60, opened=0, closed=4)
    assert not apart(wednesday, from_tuesday)


def test_a_statement_that_does_not_add_up_proves_nothing_by_its_balances() -> None:
    course = Course()
    course.add(DAY, 100)
    assert course.between(0, DAY, 99, DAY) is None


@pytest.mark.parametrize(
    ("text", "number"), [("7", 7), ("00007", 7), ("0", None), ("", None), ("S1", None), ("²", None), ("1" * 10, None)]
)
def test_numbers(text: str, number: int | None) -> None:
    assert number_of(text) == number


def test_places_do_not_depend_on_the_order_in_which_statements_came() -> None:
    chain = [extent(10, number=number, page=1, opening=10 * number, opened=0) for number in range(1, 9)]
    named = {str(number): each for number, each in enumerate([*chain, chain[2], WEEK])}

    def told(found: dict[str, Stretch]) -> dict[str, tuple[int, int | None, int]]:
        return {name: (each.place, each.run, each.turn) for name, each in found.items()}

    wanted = told(stretches(named))
    assert len({place for place, _, _ in wanted.values()}) == len(chain) + 1
    for seed in range(5):
        names = Random(seed).sample(sorted(named), len(named))
        assert told(stretches({name: named[name] for name in names})) == wanted


def test_what_a_statement_in_between_changes() -> None:
    seven, nine = extent(1990, number=7), extent(1990, number=9, opened=0)
    eight, later = extent(-1990, number=8, opening=1990, opened=0), extent((9, 5), number=10, opening=1990, closed=9)
    without = {"seven": seven, "nine": nine, "later": later}
    assert newly_apart(stretches(without), stretches({**without, "eight": eight})) == {"seven", "nine"}
    assert newly_apart(stretches({"eight": eight}), stretches({"eight": eight, "nine": nine})) == set()


def test_what_a_statement_in_between_changes_over_formats() -> None:
    ends = {
        "first": extent(1990, file_format="camt.053"),
        "last": extent(1990, opening=3980, opened=0),
        "later": extent((9, 5), opening=5970, opened=8, closed=9),
    }
    with_others = {**ends, "between": extent(1990, opening=1990, opened=0)}
    assert newly_apart(stretches(ends), stretches(with_others)) == {"first", "last"}
