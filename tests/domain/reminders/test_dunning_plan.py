"""The dunning plan: how it is written, and at which moments reminders go out."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paymatch.domain.calendar import is_bank_day, minus_bank_days, plus_bank_days
from paymatch.domain.money import EUR, Currency
from paymatch.domain.reminders.dunning_plan import DunningPlan, Level, PlanRefused, changed_plan, plan_in_words

BERLIN = "Europe/Berlin"
MOMENTS = st.integers(0, 3 * 365 * 1440).map(
    lambda minutes: datetime(2025, 1, 1, tzinfo=UTC) + timedelta(minutes=minutes)
)


def test_levels_are_days_with_fees_after_the_due_date_or_the_mail_before() -> None:
    plan = changed_plan(DunningPlan(), {"levels": "7, 21:2.50,+14:5.00", "grace-days": "5", "opens": "08:30"}, EUR)
    assert plan.levels == (Level(7), Level(21, 250), Level(14, 500, after_previous=True))
    assert (plan.grace_days, plan.opens, plan.closes) == (5, time(8, 30), time(17))
    assert changed_plan(DunningPlan(), {"levels": "7:250"}, Currency("JPY")).levels == (Level(7, 250),)
    assert changed_plan(DunningPlan(), {"levels": ""}, EUR).levels == ()
    longest = changed_plan(DunningPlan(), {"levels": "365:1000.00", "grace-days": "90", "oldest-days": "3650"}, EUR)
    assert longest.levels == (Level(365, 1000_00),)
    assert (longest.grace_days, longest.oldest_days) == (90, 3650)


def test_without_settings_there_are_three_reminders_a_week_three_and_five_after_the_due_date() -> None:
    assert DunningPlan().levels == (Level(7), Level(21), Level(35))


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"levels": "0"}, "levels: '0': 1 to 365 days are expected"),
        ({"levels": "7,7"}, "levels=7,7: days after the due date must grow from level to level"),
        ({"levels": "seven"}, "levels: 'seven' is not a level; 7, 21:2.50 or +14:5.00 is expected"),
        ({"levels": "7:2.505"}, "levels: '7:2.505': 2.505 has more decimals than EUR has"),
        ({"levels": "7:1000.01"}, "levels: '7:1000.01': the fee is at most 1000.00"),
        ({"levels": "1,2,3,4,5,6,7,8,9,10"}, "levels=1,2,3,4,5,6,7,8,9,10: at most 9 levels"),
        ({"levels": "366"}, "levels: '366': 1 to 365 days are expected"),
        ({"grace-days": "91"}, "grace-days=91: a whole number from 1 to 90 is expected"),
        ({"grace-days": "9" * 5000}, "grace-days=9999"),
        ({"grace-days": "٣"}, "grace-days=٣: a whole number from 1 to 90 is expected"),
        ({"opens": "17:00"}, "opens must be before closes"),
        ({"grace-days": "0"}, "grace-days=0: a whole number from 1 to 90 is expected"),
        ({"term-days": "x"}, "term-days=x: a whole number from 0 to 365 is expected"),
        ({"opens": "25:00"}, "opens=25:00: a time of day such as 09:00 is expected"),
        ({"opens": "18:00"}, "opens must be before closes"),
        ({"colour": "red"}, "A dunning plan has no 'colour'; it has: levels, opens, closes, term-days"),
    ],
)
def test_what_is_no_plan_is_refused(settings: dict[str, str], reason: str) -> None:
    with pytest.raises(PlanRefused) as refused:
        changed_plan(DunningPlan(), settings, EUR)
    assert str(refused.value).startswith(reason)


@given(
    st.lists(st.tuples(st.integers(1, 40), st.integers(0, 100_000), st.booleans()), max_size=9),
    st.integers(1, 90),
    st.times(time(0), time(12)),
)
def test_a_plan_reads_back_as_it_is_written(levels: list[tuple[int, int, bool]], grace: int, opens: time) -> None:
    days, found = 0, []
    for step, fee, after in levels:
        days += 0 if after else step
        found.append(Level(step if after else days, fee, after_previous=after))
    plan = DunningPlan(tuple(found), grace_days=grace, opens=opens.replace(second=0, microsecond=0))
    assert changed_plan(DunningPlan(), plan_in_words(plan, EUR), EUR) == plan


@given(MOMENTS)
def test_reminders_go_out_in_office_hours_of_bank_days_and_no_later_than_need_be(earliest: datetime) -> None:
    plan = DunningPlan()
    moment = plan.sending_moment(earliest, BERLIN)
    local = moment.astimezone(ZoneInfo(BERLIN))
    assert moment >= earliest and is_bank_day(local.date())
    assert plan.opens <= local.time() < plan.closes
    assert plan.sending_moment(moment, BERLIN) == moment
    if moment > earliest:
        assert local.time() == plan.opens
        for minutes in range(0, int((moment - earliest).total_seconds() // 60), 97):
            between = (earliest + timedelta(minutes=minutes)).astimezone(ZoneInfo(BERLIN))
            assert not (is_bank_day(between.date()) and plan.opens <= between.time() < plan.closes)


@pytest.mark.parametrize(
    ("earliest", "moment"),
    [
        ("2026-03-27T16:59", "2026-03-27T16:59"),  # a Friday
        ("2026-03-27T17:00", "2026-03-30T09:00"),  # the clock goes forward in between
        ("2026-04-02T17:00", "2026-04-07T09:00"),  # Good Friday to Easter Monday
        ("2026-10-23T18:00", "2026-10-26T09:00"),  # and back
        ("2026-12-24T17:30", "2026-12-28T09:00"),
    ],
)
def test_moments_around_holidays_and_clock_changes(earliest: str, moment: str) -> None:
    zone = ZoneInfo(BERLIN)
    found = DunningPlan().sending_moment(datetime.fromisoformat(earliest).replace(tzinfo=zone), BERLIN)
    assert found == datetime.fromisoformat(moment).replace(tzinfo=zone)


@given(st.dates(date(2025, 1, 1), date(2030, 1, 1)), st.integers(1, 20))
def test_bank_days_back_and_forth(day: date, count: int) -> None:
    back = minus_bank_days(day, count)
    assert is_bank_day(back) and back < day
    assert plus_bank_days(back, count) >= day
    assert plus_bank_days(back, count - 1) < day
