"""States of a case, statutory interest, settings of an agency."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paymatch.domain.collection.agency import Agency, Channel, as_texts, change_agency
from paymatch.domain.collection.cases import (
    AT_AGENCY,
    CASE_LIFECYCLE,
    EVENT_OF,
    INITIAL,
    CaseEvent,
    CaseMoveRefused,
    CaseStatus,
)
from paymatch.domain.collection.default_interest import (
    added_rate,
    first_unknown,
    interest_minor,
    known_rates,
    last_known,
    periods,
    published_rates,
)
from paymatch.domain.shops.shop import SettingRefused

RATES = (*published_rates(), (date(2040, 7, 1), Decimal("3.50")))


def test_every_state_is_reached_and_every_report_leads_to_the_state_that_it_names() -> None:
    reached = {INITIAL}
    for _ in CaseStatus:
        reached |= {
            CASE_LIFECYCLE.move(start, event, number="A")
            for start in reached
            for event in CaseEvent
            if _takes(start, event)
        }
    assert reached == set(CaseStatus)
    for status, event in EVENT_OF.items():
        assert CASE_LIFECYCLE.move(CaseStatus.SUBMITTED, event, number="A") is status


def _takes(start: CaseStatus, event: CaseEvent) -> bool:
    try:
        CASE_LIFECYCLE.move(start, event, number="A")
    except CaseMoveRefused:
        return False
    return True


def test_what_the_shop_withdrew_takes_nothing_but_another_handover() -> None:
    assert [event for event in CaseEvent if _takes(CaseStatus.WITHDRAWN, event)] == [CaseEvent.HANDED_OVER]
    with pytest.raises(CaseMoveRefused, match="The collection of order 'A-1' is WITHDRAWN and does not take: paid"):
        CASE_LIFECYCLE.move(CaseStatus.WITHDRAWN, CaseEvent.PAID, number="A-1")


def test_a_case_is_accepted_or_rejected_once() -> None:
    later = [each for each in AT_AGENCY if each is not CaseStatus.SUBMITTED]
    assert not any(_takes(start, event) for start in later for event in (CaseEvent.TAKEN, CaseEvent.REFUSED))


def test_interest_of_a_year_for_consumers_and_companies() -> None:
    # 2024: base rate 3.62 until 30 June (182 days), 3.37 from then on (184 days); a leap year has 366 days.
    since, until = date(2023, 12, 31), date(2024, 12, 31)
    assert [(each.first, each.last, each.percent) for each in periods(RATES, 100_000, since, until, company=False)] == [
        (date(2024, 1, 1), date(2024, 6, 30), Decimal("8.62")),
        (date(2024, 7, 1), date(2024, 12, 31), Decimal("8.37")),
    ]
    # 1000 * (8.62 % * 182 + 8.37 % * 184) / 365 = 85.176... and four points more for companies
    assert interest_minor(RATES, 100_000, since, until, company=False) == 8518
    assert interest_minor(RATES, 100_000, since, until, company=True) == 12529


def test_no_interest_up_to_the_due_date() -> None:
    assert interest_minor(RATES, 100_000, date(2026, 3, 9), date(2026, 3, 9), company=False) == 0
    assert periods(RATES, 100_000, date(2026, 3, 9), date(2026, 3, 10), company=False)[0].first == date(2026, 3, 10)


@given(st.integers(0, 10**9), st.dates(date(2013, 1, 1), date(2030, 1, 1)), st.integers(0, 2000), st.integers(0, 2000))
def test_interest_of_two_spans_is_that_of_both_together(minor: int, since: date, first: int, second: int) -> None:
    middle, end = since + timedelta(days=first), since + timedelta(days=first + second)
    parts = [periods(RATES, minor, since, middle, company=False), periods(RATES, minor, middle, end, company=False)]
    whole = periods(RATES, minor, since, end, company=False)
    total = sum((each.interest for part in parts for each in part), Decimal(0))
    assert abs(total - sum((each.interest for each in whole), Decimal(0))) < Decimal("0.001")
    assert sum((each.last - each.first).days + 1 for each in whole) == first + second


def test_base_rates_are_in_order() -> None:
    days = [day for day, _ in published_rates()]
    assert days == sorted(set(days))
    assert all((day.day, day.month) in ((1, 1), (1, 7)) for day in days)


def test_interest_of_2026_with_the_published_rates() -> None:
    found = periods(published_rates(), 100_000, date(2026, 6, 20), date(2026, 7, 10), company=True)
    assert [(each.first, each.last, each.percent) for each in found] == [
        (date(2026, 6, 21), date(2026, 6, 30), Decimal("10.27")),
        (date(2026, 7, 1), date(2026, 7, 10), Decimal("10.52")),
    ]


def test_no_interest_is_claimed_by_a_rate_that_nobody_knows() -> None:
    known = [(date(2025, 7, 1), Decimal("1.27"))]
    assert (first_unknown(known), last_known(known)) == (date(2026, 1, 1), date(2025, 12, 31))
    (only,) = periods(known, 100_000, date(2025, 12, 21), date(2026, 3, 1), company=False)
    assert (only.first, only.last, only.percent) == (date(2025, 12, 22), date(2025, 12, 31), Decimal("6.27"))
    assert interest_minor(known, 100_000, date(2025, 12, 31), date(2026, 3, 1), company=False) == 0
    later = [*known, (date(2026, 1, 1), Decimal("2.00"))]
    assert last_known(later) == date(2026, 6, 30)
    found = periods(later, 100_000, date(2025, 12, 21), date(2026, 7, 9), company=False)
    assert [(each.last, each.percent) for each in found] == [
        (date(2025, 12, 31), Decimal("6.27")),
        (date(2026, 6, 30), Decimal("7.00")),
    ]


def test_a_rate_is_added_behind_those_that_are_known() -> None:
    first = first_unknown(published_rates())
    assert added_rate(known_rates([]), first.isoformat(), "-0,5") == (first, Decimal("-0.5"))
    mine = [(first, Decimal("1.5")), (date(2020, 1, 1), Decimal(9))]
    assert known_rates(mine) == (*published_rates(), (first, Decimal("1.5"))), "what is published stands"
    assert added_rate(known_rates(mine), first.isoformat(), "2.25") == (first, Decimal("2.25")), "a correction"


@pytest.mark.parametrize(
    ("day", "percent", "words"),
    [
        ("1.7.2026", "1.27", "is not a date"),
        ("2024-07-01", "1.27", "are bundled with paymatch"),
        ("2099-01-01", "1.27", "The next base rate is that of"),
        (first_unknown(published_rates()).isoformat(), "1.275", "is not a base rate"),
        (first_unknown(published_rates()).isoformat(), "127", "is not a base rate"),
        (first_unknown(published_rates()).isoformat(), "25", "is not a base rate"),
        (first_unknown(published_rates()).isoformat(), "", "is not a base rate"),
    ],
)
def test_a_rate_that_cannot_be_is_refused(day: str, percent: str, words: str) -> None:
    with pytest.raises(SettingRefused, match=words):
        added_rate(published_rates(), day, percent)


def test_an_agency_is_changed_and_shown_in_the_same_words() -> None:
    settings = {"name": "Agency Ltd", "channel": "mail", "address": "cases@agency.example", "after-days": "14"}
    agency = change_agency(Agency(), settings | {"interest": "on"})
    assert agency == Agency("Agency Ltd", Channel.MAIL, "cases@agency.example", "", 14, interest=True)
    assert change_agency(Agency(), as_texts(agency)) == agency
    assert change_agency(agency, {"after-days": "off"}).after_days is None


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({}, "name is needed: the agency's, as the API shows it"),
        ({"name": "A", "channel": "fax"}, "channel is one of: folder, mail, http"),
        ({"name": "A", "channel": "mail", "address": "nobody"}, "address is needed: the mail address that takes new"),
        ({"name": "A", "channel": "http"}, "address is needed: the URL that takes new cases"),
        ({"name": "A", "after-days": "0"}, "after-days is a number of days from 1 to 365, or off"),
        ({"name": "A", "interest": "yes"}, "interest is on or off"),
        ({"name": "A\x1b[31m"}, "name may have 255 printable characters"),
        ({"fee": "1"}, "There is no setting 'fee'; settings are: name, channel"),
    ],
)
def test_an_agency_that_does_not_fit_is_refused(settings: dict[str, str], words: str) -> None:
    with pytest.raises(SettingRefused, match=words.replace("(", r"\(")):
        change_agency(Agency(), settings)


@pytest.mark.parametrize(("text", "fits"), [("x" * 255, True), ("x" * 256, False), ("a\nb", False)])
def test_texts_of_an_agency_have_255_printable_characters(text: str, fits: bool) -> None:
    if fits:
        assert change_agency(Agency(), {"name": text}).name == text
    else:
        with pytest.raises(SettingRefused, match="name may have 255 printable characters"):
            change_agency(Agency(), {"name": text})


@pytest.mark.parametrize(
    ("text", "days"), [("1", 1), ("365", 365), ("off", None), ("0", ""), ("366", ""), ("-1", ""), ("\u0663", "")]
)
def test_days_before_the_handover_are_1_to_365_or_off(text: str, days: int | str | None) -> None:
    if days != "":
        assert change_agency(Agency("Inkasso"), {"after-days": text}).after_days == days
    else:
        with pytest.raises(SettingRefused, match="after-days is a number of days from 1 to 365, or off"):
            change_agency(Agency("Inkasso"), {"after-days": text})


def test_published_rates_stand_against_those_that_were_added() -> None:
    last, percent = published_rates()[-1]
    following = first_unknown(published_rates())
    assert known_rates([(last, Decimal(9)), (following, Decimal(1))]) == (*published_rates(), (following, Decimal(1)))
    with pytest.raises(SettingRefused, match="are bundled with paymatch"):
        added_rate(published_rates(), last.isoformat(), str(percent))
    assert added_rate(published_rates(), following.isoformat(), "1.27") == (following, Decimal("1.27"))
