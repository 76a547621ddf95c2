"""Which refunds are sent automatically: every reason that holds one, each limit at its edge, the day's sum (D-37)."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paymatch.domain.refunds.money_out import (
    NAMED_ACCOUNT_WAITS,
    WAITS_FOR_RELEASE,
    RefundFacts,
    RefundLimits,
    ReleaseFacts,
    TransferFacts,
    TransferPayee,
    TrustFacts,
    hold_reason,
    persons_needed,
)
from paymatch.domain.refunds.refunds import HoldReason

NOW = datetime(2026, 3, 3, 7, 0, tzinfo=UTC)
LIMITS = RefundLimits(50_000, 500_000, 1_000_000)
TRUSTED = TrustFacts(
    in_shop_currency=True, account_seen=True, account_paid_enough=True, arrived_enough=True, account_named_at=None
)
GERMAN, SWISS = "DE89370400440532013000", "CH9300762011623852957"
PAYEE = TransferPayee(GERMAN, "COBADEFFXXX", "Eva Muster", "Zwickau", "DE")
TRANSFER = TransferFacts(30_00, "EUR", earlier_may_have_left=False, payee=PAYEE, own_iban="DE02120300000000202051")
RELEASE = ReleaseFacts(30_00, LIMITS, frozenset(), TRUSTED)
HONEST = RefundFacts(covered=True, transfer=TRANSFER, release=RELEASE)
SECOND = timedelta(seconds=1)
R = HoldReason


def reason(
    sent_today_minor: int = 0,
    limits: RefundLimits = LIMITS,
    amount_minor: int = 30_00,
    released_by: frozenset[str] = frozenset(),
    **changes: Any,
) -> HoldReason | None:
    """Of a refund whose transfer could be written."""
    trust = replace(TRUSTED, sent_minor=sent_today_minor, **changes)
    return hold_reason(replace(HONEST, release=ReleaseFacts(amount_minor, limits, released_by, trust)), NOW)


def transfer(**changes: Any) -> RefundFacts:
    return replace(HONEST, transfer=replace(TRANSFER, **changes))


def trust(**changes: Any) -> RefundFacts:
    return replace(HONEST, release=replace(RELEASE, trust=replace(TRUSTED, **changes)))


def released(people: set[str], minor: int) -> RefundFacts:
    return replace(HONEST, release=ReleaseFacts(minor, LIMITS, frozenset(people)))


ABROAD = {"currency": "CHF", "own_iban": "DE02120300000000202051"}
CASES: list[tuple[HoldReason, RefundFacts, RefundFacts]] = [
    (R.NOT_COVERED, replace(HONEST, covered=False), HONEST),
    (R.EARLIER_TRANSFER, transfer(earlier_may_have_left=True), HONEST),
    (R.NO_DETAILS, transfer(payee=None), HONEST),
    (R.NO_ACCOUNT, transfer(own_iban=""), HONEST),
    (R.OWN_ACCOUNT, transfer(payee_is_own=True), HONEST),
    (R.NO_SHOP_NAME, transfer(own_name=""), HONEST),
    (R.NO_HOLDER, transfer(payee=replace(PAYEE, name="")), HONEST),
    (R.TOO_LARGE, transfer(amount_minor=100_000_000_000), transfer(amount_minor=99_999_999_999)),
    (R.NOT_SEPA, transfer(payee=replace(PAYEE, iban="0532013000")), HONEST),
    (
        R.NOT_SEPA,
        transfer(payee=replace(PAYEE, iban="TR330006100519786457841326")),
        transfer(payee=replace(PAYEE, iban=SWISS)),
    ),
    (R.NO_BANK, transfer(**ABROAD, payee=replace(PAYEE, iban=SWISS, bic="")), transfer(payee=replace(PAYEE, bic=""))),
    (R.NO_BANK, transfer(**ABROAD, payee=replace(PAYEE, iban=SWISS, bic="x")), transfer(**ABROAD)),
    (R.NO_TOWN, transfer(**ABROAD, payee=replace(PAYEE, town="")), transfer(payee=replace(PAYEE, town=""))),
    (R.NO_TOWN, transfer(**ABROAD, payee=replace(PAYEE, country="")), transfer(payee=replace(PAYEE, country=""))),
    (R.SECOND_RELEASE, released({"eva"}, 1_000_001), released({"eva", "karl"}, 1_000_001)),
    (R.SECOND_RELEASE, released({"eva"}, 1_000_001), released({"eva"}, 1_000_000)),
    (R.RESTORED, trust(restored=True), HONEST),
    (R.LEFT_OTHERWISE, trust(left_otherwise=True), HONEST),
    (R.SECOND_ATTEMPT, trust(attempt=2), trust(attempt=1)),
    (R.ACCOUNT_NOT_SEEN, trust(account_seen=False), HONEST),
    (
        R.ACCOUNT_NAMED,
        trust(account_named_at=NOW - NAMED_ACCOUNT_WAITS + SECOND),
        trust(account_named_at=NOW - NAMED_ACCOUNT_WAITS),
    ),
    (R.ACCOUNT_PAID_LESS, trust(account_paid_enough=False), HONEST),
    (R.ABOVE_ARRIVED, trust(arrived_enough=False), HONEST),
    (R.ACCOUNT_OF_SEVERAL, trust(pays_for_several=True), HONEST),
    (R.UNUSUAL_RATE, trust(unusual_rate=True), HONEST),
    (R.OTHER_CURRENCY, trust(in_shop_currency=False), HONEST),
    (
        R.ABOVE_LIMIT,
        replace(HONEST, release=replace(RELEASE, amount_minor=50_001)),
        replace(HONEST, release=replace(RELEASE, amount_minor=50_000)),
    ),
    (R.DAY_LIMIT, trust(sent_minor=497_001), trust(sent_minor=497_000)),
]
"""Reason, a refund that is held for it, and its honest twin, which is sent."""


@pytest.mark.parametrize(("expected", "held", "twin"), CASES)
def test_every_reason_holds_a_refund_and_not_its_honest_twin(
    expected: HoldReason, held: RefundFacts, twin: RefundFacts
) -> None:
    assert hold_reason(held, NOW) is expected
    assert hold_reason(twin, NOW) is None


def test_the_table_has_every_reason() -> None:
    assert {expected for expected, _, _ in CASES} == set(HoldReason)


def test_a_release_ends_what_waits_for_a_person_and_nothing_else() -> None:
    for expected, held, _ in CASES:
        both = None if held.release is None else replace(held.release, released_by=frozenset({"eva", "karl"}))
        after = hold_reason(replace(held, release=both), NOW)
        assert after is (None if expected in WAITS_FOR_RELEASE else expected)


def test_a_refund_that_is_not_due_is_held_by_missing_cover_only() -> None:
    assert hold_reason(RefundFacts(covered=False), NOW) is R.NOT_COVERED
    assert hold_reason(RefundFacts(covered=True), NOW) is None


def test_a_sandbox_needs_no_release_but_an_account() -> None:
    assert hold_reason(RefundFacts(covered=True, transfer=TRANSFER), NOW) is None
    assert hold_reason(RefundFacts(True, replace(TRANSFER, payee=None)), NOW) is R.NO_DETAILS


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
        ReleaseFacts,
        st.integers(1, 900),
        st.builds(RefundLimits, st.integers(0, 900), st.integers(0, 3000), st.integers(0, 900)),
        st.sets(st.sampled_from(["eva", "karl"])).map(frozenset),
        st.builds(
            TrustFacts,
            st.booleans(),
            st.booleans(),
            st.booleans(),
            st.booleans(),
            st.none() | st.integers(0, 48).map(lambda hours: NOW - timedelta(hours=hours)),
        ),
    ),
    max_size=30,
)


@given(REFUNDS, st.builds(RefundLimits, st.integers(0, 900), st.integers(0, 3000), st.integers(0, 900)))
def test_what_is_sent_automatically_never_exceeds_the_limits(refunds: list[ReleaseFacts], limits: RefundLimits) -> None:
    sent = 0
    for refund in refunds:
        assert refund.trust is not None
        facts = replace(refund, limits=limits, trust=replace(refund.trust, sent_minor=sent))
        if hold_reason(replace(HONEST, release=facts), NOW) is not None:
            continue
        if refund.released_by:
            assert len(refund.released_by) >= persons_needed(refund.amount_minor, limits)
            continue
        sent += refund.amount_minor
        assert refund.amount_minor <= limits.each_minor
        assert refund.trust.account_seen
        assert refund.trust.arrived_enough
    assert sent <= limits.day_minor
