"""When daily work and refund runs are due, and how long a failing job waits."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta

import pytest

from paymatch.domain.refunds.refunds import next_run_at
from paymatch.domain.shops.shop import Shop
from paymatch.domain.shops.shop_jobs import daily_at, exports_at, print_run_at, retry_at, spread_over_hour
from tests.domain.shops.a_shop import a_shop

BERLIN = "Europe/Berlin"
AT = time(6, 0)


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("now", "due"),
    [
        ("2026-03-02 04:59", "2026-03-02 05:00"),
        ("2026-03-02 05:00", "2026-03-03 05:00"),  # strictly later
        ("2026-03-02 23:30", "2026-03-03 05:00"),  # already the third in Berlin
        ("2026-03-28 12:00", "2026-03-29 04:00"),  # summer time since two o'clock
        ("2026-10-24 12:00", "2026-10-25 05:00"),  # and back
        ("2028-02-28 12:00", "2028-02-29 05:00"),
        ("2026-12-31 12:00", "2027-01-01 05:00"),
    ],
)
def test_daily_work_keeps_the_time_of_day_of_the_shop(now: str, due: str) -> None:
    assert daily_at(AT, utc(now), BERLIN) == utc(due)


@pytest.mark.parametrize(
    ("now", "due"),
    [
        ("2026-03-02 06:59", "2026-03-02 07:00"),
        ("2026-03-02 07:00", "2026-03-03 07:00"),
        ("2026-03-06 07:00", "2026-03-09 07:00"),  # Friday: Monday
        ("2026-03-07 03:00", "2026-03-09 07:00"),  # Saturday
        ("2026-03-27 12:00", "2026-03-30 06:00"),  # summer time over the weekend
        ("2026-04-02 12:00", "2026-04-07 06:00"),  # behind Easter
        ("2026-12-24 12:00", "2026-12-28 07:00"),
        ("2026-12-31 12:00", "2027-01-04 07:00"),
    ],
)
def test_refunds_run_on_bank_days(now: str, due: str) -> None:
    assert next_run_at(utc(now), BERLIN) == utc(due)


def test_failing_job_waits_longer_each_time() -> None:
    now = utc("2026-03-02 12:00")
    waits = [retry_at(failures, now) - now for failures in range(1, 7)]
    assert waits == [timedelta(minutes=minutes) for minutes in (1, 5, 30, 120, 120, 120)]


def own_part_of_the_hour(shop: Shop) -> timedelta:
    """How long after the full hour the jobs of this shop begin: an hour's shops do not begin at once."""
    found = spread_over_hour(time(0), shop)
    assert found.hour == 0
    return timedelta(minutes=found.minute, seconds=found.second)


@pytest.mark.parametrize(
    ("every", "sandbox", "due"),
    [
        ("off", False, None),
        ("day", False, "2026-03-03 04:00"),
        ("month", False, "2026-03-03 04:00"),
        ("day", True, None),
    ],
)
def test_exports_leave_at_five_in_the_morning_and_never_from_a_sandbox(
    every: str, sandbox: bool, due: str | None
) -> None:
    shop = a_shop(export_every=every, sandbox=sandbox)
    assert exports_at(shop, utc("2026-03-02 12:00")) == (utc(due) + own_part_of_the_hour(shop) if due else None)


@pytest.mark.parametrize(
    ("hour", "sandbox", "due"),
    [(None, False, None), (0, False, "2026-03-02 23:00"), (15, False, "2026-03-02 14:00"), (15, True, None)],
)
def test_letters_go_into_a_print_run_at_the_hour_that_the_shop_says(
    hour: int | None, sandbox: bool, due: str | None
) -> None:
    shop = a_shop(letter_print_hour=hour, sandbox=sandbox)
    assert print_run_at(shop, utc("2026-03-02 12:00")) == (utc(due) + own_part_of_the_hour(shop) if due else None)
