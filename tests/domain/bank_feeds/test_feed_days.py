"""The last bank days of a feed: in time, late, missing, quiet, not due yet, and before the start."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paymatch.domain.bank_feeds.feed_days import DAYS_SHOWN, CoveredDays, FeedDayState, FeedSoFar, feed_days
from paymatch.domain.calendar import is_bank_day, plus_bank_days

_S = FeedDayState
TODAY = date(2026, 11, 17)  # a Tuesday
BEGUN = date(2026, 1, 7)


def next_day(day: date) -> date:
    return plus_bank_days(day, 1)


def nov(day: int) -> date:
    return date(2026, 11, day)


def one_day(day: date, came: date) -> CoveredDays:
    return CoveredDays(day, day, came)


def states(feed: FeedSoFar, today: date = TODAY, count: int = 6) -> list[tuple[int, str]]:
    return [(each.day.day, str(each.state)) for each in feed_days(feed, {}, today, count)]


def test_daily_statements_that_come_the_morning_after() -> None:
    statements = [one_day(nov(day), next_day(nov(day))) for day in (10, 11, 12, 13, 16)]
    feed = FeedSoFar(statements, BEGUN, (), is_late=False, due_on=next_day)
    expected = [(day, "in-time") for day in (10, 11, 12, 13, 16)]
    assert states(feed) == [*expected, (17, "expected")]


def test_one_that_came_a_day_late_and_a_gap_that_balances_prove() -> None:
    statements = [one_day(nov(10), nov(12)), one_day(nov(11), nov(12)), one_day(nov(16), nov(17))]
    feed = FeedSoFar(statements, BEGUN, {nov(12), nov(13), nov(14), nov(15)}, is_late=False, due_on=next_day)
    assert states(feed) == [
        (10, "late"), (11, "in-time"), (12, "missing"), (13, "missing"), (16, "in-time"), (17, "expected"),
    ]  # fmt: skip


def test_day_without_statement_is_quiet_where_nothing_is_missing() -> None:
    statements = [one_day(nov(10), nov(11)), CoveredDays(nov(12), nov(13), nov(16))]
    feed = FeedSoFar(statements, BEGUN, (), is_late=False, due_on=None)
    assert states(feed)[:4] == [(10, "in-time"), (11, "quiet"), (12, "in-time"), (13, "in-time")]


@pytest.mark.parametrize(
    ("is_late", "last"), [(True, ["missing", "missing", "expected", "expected"]), (False, ["expected"] * 4)]
)
def test_silence_is_missing_only_where_the_feed_is_late(is_late: bool, last: list[str]) -> None:
    feed = FeedSoFar([one_day(nov(10), nov(11)), one_day(nov(11), nov(12))], BEGUN, (), is_late, next_day)
    assert [state for _day, state in states(feed)] == ["in-time", "in-time", *last]


def test_history_that_a_new_account_brings_is_before_its_start_and_not_late() -> None:
    whole_year = CoveredDays(date(2025, 11, 17), nov(16), TODAY)
    feed = FeedSoFar([whole_year], TODAY, (), is_late=False, due_on=None)
    assert states(feed) == [
        (10, "before"), (11, "before"), (12, "before"), (13, "before"), (16, "in-time"), (17, "expected"),
    ]  # fmt: skip


def test_first_of_several_files_counts_and_postings_are_named() -> None:
    twice = [one_day(nov(16), nov(18)), CoveredDays(nov(13), nov(16), nov(17))]
    feed = FeedSoFar(twice, BEGUN, (), is_late=False, due_on=next_day)
    [friday, monday, _tuesday] = feed_days(feed, {nov(16): 14}, TODAY, 3)
    assert (friday.state, friday.came_on, friday.postings) == (_S.LATE, nov(17), 0)
    assert (monday.state, monday.came_on, monday.postings) == (_S.IN_TIME, nov(17), 14)


def test_weekly_statements_are_in_time_by_their_rhythm() -> None:
    week = CoveredDays(nov(9), nov(13), nov(16))
    feed = FeedSoFar([week], BEGUN, (), is_late=False, due_on=lambda day: day + timedelta(days=13))
    assert states(feed)[:4] == [(day, "in-time") for day in (10, 11, 12, 13)]


@given(today=st.dates(date(2020, 1, 1), date(2040, 1, 1)), late=st.booleans())
def test_only_bank_days_are_shown_in_their_order(today: date, late: bool) -> None:
    feed = FeedSoFar([], date(2019, 1, 1), (), late, next_day)
    days = [each.day for each in feed_days(feed, {}, today)]
    assert len(days) == DAYS_SHOWN and days == sorted(set(days))
    assert all(is_bank_day(day) for day in days)
    assert days[-1] <= today < plus_bank_days(days[-1], 1)
