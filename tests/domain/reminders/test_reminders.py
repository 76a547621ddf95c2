"""Which mail an order gets next, and why none."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paymatch.domain.calendar import is_bank_day, minus_bank_days, today_in
from paymatch.domain.customers.notices import pause_ends
from paymatch.domain.money import EUR, Money
from paymatch.domain.orders.settlement import OPEN_STATUSES, PaymentStatus
from paymatch.domain.refunds.refunds import NONE_OUTSTANDING, Outstanding
from paymatch.domain.reminders.dunning_plan import DunningPlan, Level
from paymatch.domain.reminders.policy import (
    BACK_OFF,
    LOOK_AGAIN,
    MAX_ATTEMPTS,
    BankData,
    OrderToRemind,
    PlannedReminder,
    Postponed,
    Switches,
    Why,
    next_mail,
    retry_at,
)

BERLIN = "Europe/Berlin"
PLAN = DunningPlan(levels=(Level(7), Level(21, 250), Level(10, 500, after_previous=True)))
BOTH, REMIND, NOTHING = Switches(True, True), Switches(False, True), Switches(False, False)
ORDERED = date(2026, 3, 2)
NEW = OrderToRemind(
    number="A-1", type="PREPAYMENT", status=PaymentStatus.UNPAID, open_minor=4990, tolerance_minor=0, currency="EUR",
    order_date=ORDERED, due_date=date(2026, 3, 16), email="erika@example.com", stop_reminder=False, dunning_level=0,
    known_at=datetime(2026, 3, 2, 9, tzinfo=UTC), paid_in="EUR",
)  # fmt: skip
DUE = datetime(2026, 3, 23, 9, tzinfo=UTC)  # a Monday at 10:00 in Berlin, seven days after the due date
BANK = BankData({"EUR": date(2026, 3, 20)})


def found(
    order: OrderToRemind = NEW, now: datetime = DUE, switches: Switches = REMIND, **more: Any
) -> PlannedReminder | Postponed:
    return next_mail(order, more.get("plan", PLAN), switches, more.get("bank", BANK), now, BERLIN)


def why(order: OrderToRemind = NEW, now: datetime = DUE, switches: Switches = REMIND, **more: Any) -> Why | None:
    answer = found(order, now, switches, **more)
    return answer.why if isinstance(answer, Postponed) else None


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def test_the_first_reminder_is_due_so_many_days_after_the_due_date() -> None:
    assert found(now=utc("2026-03-03T10:00")) == PlannedReminder(1, utc("2026-03-23T08:00"))
    assert found() == PlannedReminder(1, DUE)
    assert found(replace(NEW, due_date=None)) == PlannedReminder(1, DUE)  # the term of 14 days ends on the same day


@pytest.mark.parametrize("ordered", [date(1, 1, 1), date(9999, 12, 31)])
def test_orders_from_the_ends_of_the_calendar_are_decided_on(ordered: date) -> None:
    order = replace(NEW, order_date=ordered, due_date=None)
    if ordered.year == 1:
        assert why(order) is Why.TOO_OLD
    else:
        assert isinstance(planned := found(order), PlannedReminder)
        assert planned.at.year == 9000


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"type": "OTHER"}, Why.NOT_MANAGED),
        ({"type": "COD"}, Why.NOT_MANAGED),
        ({"open_minor": 50, "tolerance_minor": 50}, Why.WITHIN_TOLERANCE),
        ({"email": ""}, Why.NO_ADDRESS),
        ({"email": "a@b.example, c@d.example"}, Why.NO_ADDRESS),
        ({"stop_reminder": True}, Why.STOPPED),
        ({"dunning_level": 3}, Why.LAST_LEVEL),
        ({"paid_in": ""}, Why.NO_ACCOUNT),
        ({"refused_addresses": frozenset({"erika@example.com"})}, Why.ADDRESS_REFUSED),
        ({"due_date": date(2025, 9, 1)}, Why.TOO_OLD),
        ({"suggested_posting": "po_1"}, Why.SUGGESTED),
        ({"overpaid_order": "SO-1"}, Why.OVERPAID),
        ({"currency": "CHF", "paid_in": "CHF"}, Why.STATEMENTS),
    ],
)
def test_reasons_not_to_remind(changes: dict[str, Any], reason: Why) -> None:
    assert why(replace(NEW, **changes)) is reason


@pytest.mark.parametrize("held", [{"suggested_posting": "po_1"}, {"overpaid_order": "SO-1"}])
def test_money_that_waits_for_a_person_is_looked_for_on_the_next_bank_day(held: dict[str, Any]) -> None:
    """Each hour would cost as many looks as there are orders held; bank data, which comes by the hour, is another."""
    friday = utc("2026-03-27T09:30")
    waits = found(replace(NEW, **held), friday, bank=BankData({"EUR": date(2026, 3, 26)}))
    assert isinstance(waits, Postponed) and waits.again_at == utc("2026-03-30T07:00")
    late = found(now=friday, bank=BankData())
    assert isinstance(late, Postponed) and late.again_at == friday + LOOK_AGAIN


def under_way(minor: int, filed: str = "2026-03-20T12:00") -> Outstanding:
    return Outstanding(minor, utc(filed), frozenset({"rf_1"}), minor)


@pytest.mark.parametrize("days", [0, 13, 14, 100])
def test_nobody_is_asked_for_what_a_refund_gives_back(days: int) -> None:
    filed = utc("2026-03-23T09:00") - timedelta(days=days)
    order = replace(NEW, refunds=replace(under_way(4990), filed_at=filed))
    assert found(order) == Postponed(
        Why.REFUND, "a refund in progress covers the open amount: the customer is not asked for it"
    )
    assert why(order, utc("2026-03-03T10:00"), BOTH) is Why.REFUND  # payment information
    assert why(replace(order, amount_changed=True, informed_at=DUE), DUE, BOTH) is Why.REFUND  # a correction


@pytest.mark.parametrize(
    ("open_minor", "refunded", "tolerance", "nothing_owed"),
    [(4990, 4990, 0, True), (4990, 4989, 0, False), (4990, 4989, 1, True), (4990, 9000, 0, True), (4990, 0, 0, False)],
)
def test_what_is_owed_on_balance(open_minor: int, refunded: int, tolerance: int, nothing_owed: bool) -> None:
    refunds = under_way(refunded) if refunded else NONE_OUTSTANDING
    order = replace(NEW, open_minor=open_minor, tolerance_minor=tolerance, refunds=refunds)
    assert order.is_given_back == nothing_owed
    assert not replace(order, status=PaymentStatus.PAID).is_given_back
    assert order.to_refund == (Money(refunded, EUR) if refunded else None)


def test_a_refund_of_a_part_holds_reminders_back_for_two_weeks() -> None:
    order = replace(NEW, refunds=under_way(1000, "2026-03-20T12:00"))
    text = "a refund of a part of it is in progress: reminders wait until 2026-04-03"
    monday = utc("2026-04-06T07:00")  # 3 April is Good Friday, 6 April Easter Monday
    held = found(order)
    assert held == Postponed(Why.REFUND, text, monday + timedelta(days=1), {"until": "2026-04-03"})
    late = BankData({"EUR": date(2026, 4, 2)})
    assert why(order, utc("2026-04-03T11:59"), bank=late) is None  # it is no bank day: planned for the next one
    assert found(order, monday + timedelta(days=1), bank=late) == PlannedReminder(1, monday + timedelta(days=1))
    assert found(order, utc("2026-03-03T10:00")) == PlannedReminder(1, utc("2026-03-23T08:00"))  # decided on that day
    ends = replace(order, refunds=under_way(1000, "2026-03-09T09:00"))
    assert (why(ends, DUE - timedelta(minutes=1)), why(ends, DUE)) == (Why.REFUND, None)


@pytest.mark.parametrize("status", PaymentStatus)
def test_only_open_orders_are_reminded_of(status: PaymentStatus) -> None:
    assert (why(replace(NEW, status=status)) is None) == (status in OPEN_STATUSES)


@pytest.mark.parametrize(
    ("bank", "reason"),
    [
        (BankData({"EUR": date(2026, 3, 19)}), Why.STATEMENTS),  # Friday's statement is missing on Monday
        (BankData({}), Why.STATEMENTS),
        (BankData({"EUR": date(2026, 3, 20)}, {"EUR": frozenset({date(2026, 3, 2)})}), Why.STATEMENTS),
        (BankData({"EUR": date(2026, 3, 20)}, {"EUR": frozenset({date(2026, 3, 1)})}), None),  # before the order
        (BankData({"EUR": date(2026, 3, 20)}, {"CHF": frozenset({date(2026, 3, 2)})}), None),  # of another account
        (BankData({"EUR": date(2026, 3, 20)}, matching_waits=True), Why.MATCHING),
        (BankData({"EUR": date(2026, 3, 23)}), None),
    ],
)
def test_bank_data_must_be_whole(bank: BankData, reason: Why | None) -> None:
    assert why(bank=bank) is reason


def test_what_waits_is_looked_at_again() -> None:
    held = found(bank=BankData({}))
    assert isinstance(held, Postponed) and held.again_at == DUE + timedelta(hours=1)
    late = found(now=utc("2026-03-27T15:30"), bank=BankData({}))
    assert isinstance(late, Postponed) and late.again_at == utc("2026-03-30T07:00")  # in summer time
    assert found(replace(NEW, stop_reminder=True)) == Postponed(Why.STOPPED, "stopReminder is set")


def test_two_mails_keep_their_distance() -> None:
    late = replace(NEW, dunning_level=1, reminded_date=date(2026, 4, 10), informed_at=utc("2026-03-02T09:00"))
    assert found(late, utc("2026-04-10T12:00")) == PlannedReminder(2, utc("2026-04-17T07:00"))
    third = replace(late, dunning_level=2)
    assert found(third, utc("2026-04-10T12:00")) == PlannedReminder(3, utc("2026-04-20T07:00"))
    informed = replace(NEW, informed_at=utc("2026-03-20T12:00"))
    assert found(informed) == PlannedReminder(1, utc("2026-03-27T08:00"))


def test_levels_that_were_sent_elsewhere_count_and_the_next_keeps_its_distance() -> None:
    known = replace(NEW, dunning_level=2, known_at=utc("2026-03-20T12:00"))
    assert found(known) == PlannedReminder(3, utc("2026-03-30T07:00"))


def test_payment_information_goes_out_at_once_for_new_orders() -> None:
    night = utc("2026-03-07T23:30")  # a Saturday
    order = replace(NEW, order_date=date(2026, 3, 7))
    assert found(order, night, BOTH) == PlannedReminder(0, night)
    assert found(replace(order, stop_reminder=True), night, BOTH) == PlannedReminder(0, night)
    assert found(replace(order, informed_at=night), night, BOTH) == PlannedReminder(1, utc("2026-03-23T08:00"))
    assert why(replace(order, type="COD"), night, BOTH) is Why.NOT_MANAGED
    assert why(replace(order, paid_in=""), night, BOTH) is Why.NO_ACCOUNT
    for changes in ({"order_date": date(2026, 3, 3)}, {"status": PaymentStatus.PAID_PARTIAL}, {"dunning_level": 1}):
        answer = found(replace(order, **changes), night, BOTH)
        assert isinstance(answer, PlannedReminder) and answer.level > 0


@pytest.mark.parametrize(("days", "age", "level"), [(0, 0, 0), (0, 1, 1), (3, 3, 0), (3, 4, 1)])
def test_payment_information_goes_out_for_orders_of_so_many_days(days: int, age: int, level: int) -> None:
    """`information-days=0`: on the day of the order alone."""
    order = replace(NEW, order_date=date(2026, 3, 7) - timedelta(age))
    answer = found(order, utc("2026-03-07T11:00"), BOTH, plan=replace(PLAN, information_days=days))
    assert isinstance(answer, PlannedReminder) and answer.level == level


def test_a_shop_that_sends_nothing() -> None:
    assert why(switches=NOTHING) is Why.OFF
    assert why(switches=Switches(True, False)) is Why.OFF


MOMENTS = st.integers(0, 181 * 1440).map(lambda minutes: datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=minutes))
ORDERS = st.builds(
    OrderToRemind,
    number=st.just("A-1"),
    type=st.sampled_from(["INVOICE", "PREPAYMENT", "COD", "OTHER"]),
    status=st.sampled_from(PaymentStatus),
    open_minor=st.integers(-100, 1000),
    tolerance_minor=st.integers(0, 100),
    currency=st.just("EUR"),
    order_date=st.dates(date(2026, 1, 1), date(2026, 6, 1)),
    due_date=st.none() | st.dates(date(2026, 1, 1), date(2026, 12, 1)),
    email=st.sampled_from(["erika@example.com", "", "no address"]),
    stop_reminder=st.booleans(),
    dunning_level=st.integers(0, 9),
    known_at=MOMENTS,
    informed_at=st.none() | MOMENTS,
    reminded_date=st.none() | st.dates(date(2026, 1, 1), date(2026, 6, 1)),
    refused_addresses=st.sampled_from([frozenset(), frozenset({"erika@example.com"})]),
    suggested_posting=st.sampled_from(["", "po_1"]),
    paid_in=st.sampled_from(["EUR", ""]),
)
BANKS = st.builds(
    BankData,
    st.dictionaries(st.just("EUR"), st.dates(date(2026, 1, 1), date(2026, 7, 1)), max_size=1),
    st.dictionaries(
        st.sampled_from(["EUR", "CHF"]),
        st.frozensets(st.dates(date(2026, 1, 1), date(2026, 7, 1)), max_size=3),
        max_size=2,
    ),
    st.booleans(),
)


@given(
    ORDERS,
    BANKS,
    st.builds(Switches, st.booleans(), st.booleans()),
    MOMENTS,
)
def test_nobody_is_reminded_wrongly(order: OrderToRemind, bank: BankData, switches: Switches, now: datetime) -> None:
    answer = next_mail(order, PLAN, switches, bank, now, BERLIN)
    if isinstance(answer, Postponed):
        assert answer.again_at is None or answer.again_at > now
        assert answer.text
        return
    assert answer.at >= now and order.status in OPEN_STATUSES and order.open_minor > order.tolerance_minor
    assert order.type in ("INVOICE", "PREPAYMENT") and order.email == "erika@example.com"
    if answer.level == 0:
        assert switches.payment_information and order.informed_at is None and order.paid_in
        return
    assert switches.reminders and not order.stop_reminder and answer.level == order.dunning_level + 1 <= 3
    day = today_in(BERLIN, answer.at)
    assert is_bank_day(day) and day > order.base_date(PLAN)
    for before in (order.reminded_date, order.informed_at and today_in(BERLIN, order.informed_at)):
        assert before is None or (day - before).days >= PLAN.grace_days
    if answer.at == now:
        today = today_in(BERLIN, now)
        assert bank.covered_until["EUR"] >= minus_bank_days(today, 1) and not bank.matching_waits
        assert not any(order.order_date <= each <= today for each in bank.flagged_on_accounts(order.paid_in))
        assert not order.suggested_posting and order.paid_in and not order.refused_addresses


@given(ORDERS, MOMENTS)
def test_what_is_planned_is_due_then(order: OrderToRemind, now: datetime) -> None:
    """Looking again at the planned moment, with nothing changed, finds the same mail due."""
    answer = next_mail(order, PLAN, REMIND, None, now, BERLIN)
    if isinstance(answer, PlannedReminder) and answer.at > now:
        again = next_mail(order, PLAN, REMIND, None, answer.at, BERLIN)
        assert again == answer or (isinstance(again, Postponed) and again.why in _HELD_LATER)


_HELD_LATER = (Why.NO_ACCOUNT, Why.ADDRESS_REFUSED, Why.TOO_OLD, Why.SUGGESTED, Why.OVERPAID)


def test_a_mail_is_tried_for_almost_three_days() -> None:
    now, attempts = DUE, 0
    while True:
        attempts += 1
        again = retry_at(attempts, now)
        if again is None:
            break
        assert again - now == BACK_OFF[min(attempts, 3) - 1]
        now = again
    assert attempts == MAX_ATTEMPTS
    assert timedelta(days=2) < now - DUE < timedelta(days=3)


def test_a_new_amount_is_told_to_whom_another_one_was_told() -> None:
    changed = replace(NEW, informed_at=utc("2026-03-03T10:00"), amount_changed=True)
    night = utc("2026-03-07T23:00")  # a Saturday: information goes out at any hour
    assert found(changed, night, BOTH) == PlannedReminder(0, night, corrects=True)
    assert found(replace(changed, stop_reminder=True), night, BOTH) == PlannedReminder(0, night, corrects=True)
    assert found(replace(changed, amount_changed=False), night, BOTH) == PlannedReminder(1, utc("2026-03-23T08:00"))
    assert found(changed, night, REMIND) == PlannedReminder(1, utc("2026-03-23T08:00"))  # information is switched off
    refused = replace(changed, refused_addresses=frozenset({"erika@example.com"}))
    assert why(refused, DUE, BOTH) is Why.ADDRESS_REFUSED
    for held in ({"open_minor": 0}, {"status": PaymentStatus.PAID}, {"type": "CASH"}, {"wrong_person": True}):
        assert why(replace(changed, **held), night, BOTH) is not None
    corrected = replace(changed, amount_changed=False, corrected_at=utc("2026-03-22T10:00"))
    assert found(corrected, DUE, BOTH) == PlannedReminder(
        1, utc("2026-03-30T07:00")
    )  # a grace period after the correction


THANKS = Switches(False, True, thanks=True)
PAID = replace(NEW, status=PaymentStatus.PAID, open_minor=0, thanks_for=date(2026, 3, 9))


@pytest.mark.parametrize(
    ("changes", "thanked"),
    [
        ({}, True),  # the fourteenth day behind the payment
        ({"thanks_for": date(2026, 3, 23)}, True),
        ({"thanks_for": date(2026, 3, 8)}, False),
        ({"thanks_for": None}, False),
        ({"status": PaymentStatus.PAID_PARTIAL}, False),
        ({"status": PaymentStatus.CANCELLED}, False),
        ({"type": "COD"}, False),
        ({"wrong_person": True}, False),
        ({"email": ""}, False),
        ({"refused_addresses": frozenset({"erika@example.com"})}, False),
    ],
)
def test_who_has_paid_is_thanked_once_and_soon(changes: dict[str, Any], thanked: bool) -> None:
    answer = found(replace(PAID, **changes), switches=THANKS)
    assert (answer == PlannedReminder(0, DUE, thanks=True)) is thanked
    assert why(replace(PAID, **changes)) is not None  # the shop thanks nobody


def test_an_order_that_is_due_for_too_long_is_one_day_later_than_the_plan_says() -> None:
    plan = replace(PLAN, oldest_days=30)
    assert why(replace(NEW, due_date=date(2026, 2, 21)), plan=plan) is None
    assert why(replace(NEW, due_date=date(2026, 2, 20)), plan=plan) is Why.TOO_OLD


def test_the_first_day_with_incomplete_statements_is_named() -> None:
    days = frozenset({date(2026, 3, 23), date(2026, 3, 18)})
    held = found(bank=replace(BANK, flagged_days={"EUR": days}))
    assert isinstance(held, Postponed) and held.named == {"flagged": "2026-03-18"}
    assert why(bank=replace(BANK, flagged_days={"EUR": frozenset({date(2026, 3, 23)})})) is Why.STATEMENTS  # today
    assert why(bank=replace(BANK, flagged_days={"EUR": frozenset({date(2026, 3, 24)})})) is None


def test_what_holds_a_mail_back_says_when_it_is_looked_at_again() -> None:
    without = replace(NEW, paid_in="")
    night = utc("2026-03-02T23:00")
    for answer, again_at in (
        (found(without), DUE + timedelta(hours=1)),
        (found(without, night, BOTH), night + timedelta(hours=1)),  # information goes out at any hour
        (found(bank=replace(BANK, matching_waits=True)), DUE + timedelta(minutes=5)),
    ):
        assert isinstance(answer, Postponed) and answer.again_at == again_at


def test_reminders_wait_for_a_payment_that_the_customer_says_was_made() -> None:
    pause = pause_ends(DUE) - DUE
    assert why(replace(NEW, said_paid_at=DUE - pause)) is None
    said = found(replace(NEW, said_paid_at=DUE - pause + timedelta(minutes=1)))
    assert isinstance(said, Postponed)
    assert (said.why, said.again_at) == (Why.SAYS_PAID, DUE + timedelta(minutes=1))


def test_only_levels_that_were_sent_elsewhere_count_from_the_day_that_the_order_came() -> None:
    came = utc("2026-03-20T12:00")
    assert found(replace(NEW, known_at=came)) == PlannedReminder(1, DUE)
    first = replace(NEW, dunning_level=1, known_at=utc("2026-04-03T12:00"))
    assert found(first) == PlannedReminder(2, utc("2026-04-10T07:00"))


def test_a_level_behind_the_mail_before_never_comes_before_the_due_date_is_over() -> None:
    plan = replace(PLAN, levels=(Level(10, after_previous=True),))
    informed = replace(NEW, informed_at=utc("2026-03-02T12:00"))
    assert found(informed, utc("2026-03-03T10:00"), plan=plan) == PlannedReminder(1, utc("2026-03-17T08:00"))
