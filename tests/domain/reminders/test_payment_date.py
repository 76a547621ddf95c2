"""One payment date per order: mails, letters, codes and pages show it, and the plan waits for it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta

from hypothesis import given
from hypothesis import strategies as st

from paymatch.domain.orders.settlement import PaymentStatus
from paymatch.domain.reminders.dunning_plan import DunningPlan, Level
from paymatch.domain.reminders.payment_date import PaymentTerms, after_mail, date_asked_for, payment_date
from paymatch.domain.reminders.policy import OrderToRemind, PlannedReminder, Switches, next_mail

ZONE = "Europe/Berlin"
PLAN = DunningPlan()
TERMS = PaymentTerms(PLAN, ZONE)
START = date(2026, 11, 27)


def an_order(due: date | None = None, kind: str = "INVOICE") -> OrderToRemind:
    return OrderToRemind(
        "A-1", kind, PaymentStatus.UNPAID, 1_000, 0, "EUR", START, due, "a@example.com", False, 0, at(START),
        amount_minor=1_000, paid_in="EUR",
    )  # fmt: skip


def at(day: date) -> datetime:
    return datetime.combine(day, time(10), UTC)


def test_the_first_mail_asks_for_the_due_date_and_not_for_an_earlier_one() -> None:
    due = date(2026, 12, 11)
    assert payment_date(an_order(due), TERMS) == due
    assert date_asked_for(an_order(due), PlannedReminder(0, at(START)), at(START), TERMS) == due


def test_a_reminder_gives_some_days_and_names_no_day_after_the_next_reminder() -> None:
    order = replace(an_order(START), informed_at=at(START))
    first = START + timedelta(days=7)
    assert date_asked_for(order, PlannedReminder(1, at(first)), at(first), TERMS) == first + timedelta(days=10)
    late = START + timedelta(days=17)
    assert date_asked_for(order, PlannedReminder(1, at(late)), at(late), TERMS) == late + timedelta(days=6), (
        "the second reminder goes out a week later"
    )


def test_an_order_that_lapses_is_to_be_paid_before() -> None:
    order = replace(an_order(kind="PREPAYMENT"), informed_at=at(START))
    terms = replace(TERMS, lapse_after=7, reminded=False)
    assert payment_date(order, terms) == START + timedelta(days=7)
    assert payment_date(replace(order, status=PaymentStatus.PAID_PARTIAL), terms) == START + timedelta(days=14)


def test_a_letter_that_was_printed_days_later_says_what_the_page_says() -> None:
    named = START + timedelta(days=31)
    order = replace(
        an_order(START), informed_at=at(START), dunning_level=1, reminded_date=START + timedelta(days=24),
        letter_out_at=at(START + timedelta(days=24)), letter_pay_by=named,
    )  # fmt: skip
    assert payment_date(order, TERMS) == named


plans = st.builds(
    DunningPlan,
    levels=st.lists(
        st.builds(Level, days=st.integers(1, 20), after_previous=st.just(True)), min_size=1, max_size=4
    ).map(tuple),
    term_days=st.integers(0, 30),
    grace_days=st.integers(0, 10),
    pay_within_days=st.integers(1, 30),
)


@given(
    plan=plans, due=st.none() | st.integers(0, 60), lapse=st.none() | st.integers(1, 40),
    kind=st.sampled_from(["INVOICE", "PREPAYMENT"]), late=st.lists(st.integers(0, 12), min_size=5, max_size=5),
)  # fmt: skip
def test_mail_letter_code_page_and_plan_name_one_date(
    plan: DunningPlan, due: int | None, lapse: int | None, kind: str, late: list[int]
) -> None:
    """Through a whole course: what goes out names the date that the page shows then, and no reminder comes before."""
    terms = PaymentTerms(plan, ZONE, lapse)
    order = an_order(None if due is None else START + timedelta(days=due), kind)
    now, switches, asked = at(START), Switches(payment_information=True, reminders=True), START
    for delay in late:
        found = next_mail(order, plan, switches, None, now, ZONE)
        if not isinstance(found, PlannedReminder):
            break
        if found.level > 0 and payment_date(order, terms) != lapse_of(order, terms):
            assert found.at.date() > payment_date(order, terms), "the plan waits for the date"
        now = found.at + timedelta(days=delay)
        by_mail = date_asked_for(order, found, now, terms)
        by_letter = date_asked_for(order, replace(found, by_letter=True), now, terms)
        order = after_mail(order, replace(found, at=now), ZONE)
        asked = now.date()
        assert by_mail == by_letter == payment_date(order, terms)
        assert by_mail >= asked, "nobody is asked to pay by yesterday"


def lapse_of(order: OrderToRemind, terms: PaymentTerms) -> date | None:
    from paymatch.domain.reminders.payment_date import lapse_day

    return lapse_day(order, terms)
