"""Which refunds go by themselves: each limit at its edge, and the day's sum whatever comes (D-37)."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paymatch.domain.money_out import (
    NAMED_ACCOUNT_WAITS,
    WAITS_FOR_RELEASE,
    RefundLimits,
    RefundToSend,
    hold_reason,
    persons_needed,
)
from paymatch.domain.refunds import HoldReason

NOW = datetime(2026, 3, 3, 7, 0, tzinfo=UTC)
LIMITS = RefundLimits(50_000, 500_000, 1_000_000)
USUAL = RefundToSend(
    30_00,
    in_shop_currency=True,
    account_seen=True,
    account_paid_enough=True,
    arrived_enough=True,
    account_named_at=None,
    released_by=frozenset(),
)
SECOND = timedelta(seconds=1)


def reason(sent_today_minor: int = 0, limits: RefundLimits = LIMITS, **changes: Any) -> HoldReason | None:
    return hold_reason(replace(USUAL, **changes), limits, sent_today_minor, NOW)


@pytest.mark.parametrize(("minor", "expected"), [(1, None), (50_000, None), (50_001, HoldReason.ABOVE_LIMIT)])
def test_amount(minor: int, expected: HoldReason | None) -> None:
    assert reason(amount_minor=minor) is expected


@pytest.mark.parametrize(("sent", "expected"), [(0, None), (497_000, None), (497_001, HoldReason.DAY_LIMIT)])
def test_sum_of_the_day(sent: int, expected: HoldReason | None) -> None:
    assert reason(sent) is expected


def test_account_that_no_trusted_statement_shows() -> None:
    assert reason(account_seen=False) is HoldReason.ACCOUNT_NOT_SEEN


def test_account_that_paid_less_than_it_would_get() -> None:
    assert reason(account_paid_enough=False) is HoldReason.ACCOUNT_PAID_LESS


def test_less_has_arrived_for_the_order_than_goes_out() -> None:
    assert reason(arrived_enough=False) is HoldReason.ABOVE_ARRIVED


def test_a_second_attempt_never_leaves_without_a_release() -> None:
    assert reason(attempt=2) is HoldReason.SECOND_ATTEMPT
    assert reason(attempt=2, released_by=frozenset({"eva"})) is None
    assert reason(account_paid_enough=False, released_by=frozenset({"eva"})) is None


@pytest.mark.parametrize(
    ("age", "expected"),
    [
        (timedelta(0), HoldReason.ACCOUNT_NAMED),
        (NAMED_ACCOUNT_WAITS - SECOND, HoldReason.ACCOUNT_NAMED),
        (NAMED_ACCOUNT_WAITS, None),
    ],
)
def test_account_that_was_named(age: timedelta, expected: HoldReason | None) -> None:
    assert reason(account_named_at=NOW - age) is expected


def test_another_currency() -> None:
    assert reason(in_shop_currency=False) is HoldReason.OTHER_CURRENCY


@pytest.mark.parametrize(("minor", "persons"), [(1, 1), (1_000_000, 1), (1_000_001, 2)])
def test_four_eyes(minor: int, persons: int) -> None:
    assert persons_needed(minor, LIMITS) == persons
    people = frozenset({"eva", "karl"})
    assert reason(amount_minor=minor, released_by=people) is None
    one = reason(amount_minor=minor, released_by=frozenset({"eva"}))
    assert one is (None if persons == 1 else HoldReason.SECOND_RELEASE)


def test_a_release_outweighs_every_other_reason() -> None:
    everything: dict[str, Any] = {
        "amount_minor": 60_000,
        "in_shop_currency": False,
        "account_seen": False,
        "account_named_at": NOW,
    }
    assert reason(600_000, **everything) is HoldReason.ACCOUNT_NOT_SEEN
    assert reason(600_000, **everything, released_by=frozenset({"eva"})) is None


def test_limits_of_nothing_leave_all_to_persons() -> None:
    assert reason(limits=RefundLimits(0, 0, 0), amount_minor=1) is HoldReason.ABOVE_LIMIT
    assert persons_needed(1, RefundLimits(0, 0, 0)) == 2


def test_every_reason_of_the_rule_ends_with_a_release() -> None:
    assert {HoldReason.NOT_COVERED, HoldReason.NO_DETAILS}.isdisjoint(WAITS_FOR_RELEASE)
    assert all(each.needs_a_person for each in WAITS_FOR_RELEASE)


REFUNDS = st.lists(
    st.builds(
        RefundToSend,
        st.integers(1, 900),
        st.booleans(),
        st.booleans(),
        st.booleans(),
        st.booleans(),
        st.none() | st.integers(0, 48).map(lambda hours: NOW - timedelta(hours=hours)),
        st.sets(st.sampled_from(["eva", "karl"])).map(frozenset),
    ),
    max_size=30,
)


@given(REFUNDS, st.builds(RefundLimits, st.integers(0, 900), st.integers(0, 3000), st.integers(0, 900)))
def test_what_goes_by_itself_never_exceeds_the_limits(refunds: list[RefundToSend], limits: RefundLimits) -> None:
    sent = 0
    for refund in refunds:
        if hold_reason(refund, limits, sent, NOW) is not None:
            continue
        if refund.released_by:
            assert len(refund.released_by) >= persons_needed(refund.amount_minor, limits)
            continue
        sent += refund.amount_minor
        assert refund.amount_minor <= limits.each_minor
        assert refund.account_seen
        assert refund.arrived_enough
    assert sent <= limits.day_minor
