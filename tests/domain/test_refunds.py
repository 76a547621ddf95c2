"""Refunds: every status meets every event; what the order's money covers (D-3, D-4, D-31)."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paymatch.domain.money import EUR
from paymatch.domain.refunds.refunds import (
    MAX_NOTE,
    NONE_OUTSTANDING,
    REFUND_LIFECYCLE,
    RESERVED,
    HoldReason,
    Outstanding,
    PendingRefundClaim,
    RefundEvent,
    RefundMoveRefused,
    RefundRefused,
    RefundStatus,
    check_by_hand,
    check_planned_date,
    initial_status,
    next_run_at,
    outstanding_refunds,
    refunds_covered_by,
)

S, E = RefundStatus, RefundEvent
ALLOWED = {
    (S.NEW, E.TRANSFER_RELEASED): S.IN_PROCESS,
    (S.NEW, E.TRANSFER_BOOKED): S.PROCESSED,
    (S.NEW, E.MERCHANT_CANCELLED): S.CANCELLED,
    (S.BANKDETAILS_MISSING, E.BANK_DETAILS_RECEIVED): S.NEW,
    (S.BANKDETAILS_MISSING, E.TRANSFER_BOOKED): S.PROCESSED,
    (S.BANKDETAILS_MISSING, E.MERCHANT_CANCELLED): S.CANCELLED,
    (S.IN_PROCESS, E.TRANSFER_BOOKED): S.PROCESSED,
    (S.IN_PROCESS, E.TRANSFER_REJECTED): S.ERROR,
    (S.PROCESSED, E.TRANSFER_REJECTED): S.ERROR,
    (S.IN_PROCESS, E.TRANSFER_RETURNED): S.RETURNED,
    (S.IN_PROCESS, E.FILE_DISCARDED): S.NEW,
    (S.PROCESSED, E.TRANSFER_RETURNED): S.RETURNED,
    (S.RETURNED, E.NEW_BANK_DETAILS): S.NEW,
    (S.ERROR, E.TRANSFER_BOOKED): S.PROCESSED,
    (S.ERROR, E.MERCHANT_CANCELLED): S.CANCELLED,
    (S.ERROR, E.NEW_BANK_DETAILS): S.NEW,
    (S.ERROR, E.INSTANT_NOT_POSSIBLE): S.NEW,
    (S.PROCESSED, E.DEBIT_UNDONE): S.IN_PROCESS,
    (S.RETURNED, E.DEBIT_UNDONE): S.IN_PROCESS,
    (S.RETURNED, E.RETURN_UNDONE): S.PROCESSED,
    (S.PROCESSED, E.UNSENT_DEBIT_UNDONE): S.NEW,
    (S.RETURNED, E.UNSENT_DEBIT_UNDONE): S.NEW,
    (S.NEW, E.PAYMENT_UNDONE): S.BANKDETAILS_MISSING,
    (S.PROCESSED, E.UNSENT_DEBIT_UNDONE_NO_DETAILS): S.BANKDETAILS_MISSING,
    (S.RETURNED, E.UNSENT_DEBIT_UNDONE_NO_DETAILS): S.BANKDETAILS_MISSING,
}


@pytest.mark.parametrize(("status", "event"), list(product(S, E)))
def test_every_status_meets_every_event(status: RefundStatus, event: RefundEvent) -> None:
    expected = ALLOWED.get((status, event))
    if expected is not None:
        assert REFUND_LIFECYCLE.move(status, event) is expected
        return
    with pytest.raises(RefundMoveRefused, match=f"Refund in status {status} does not take: {event}"):
        REFUND_LIFECYCLE.move(status, event)


def test_table_has_no_other_move() -> None:
    assert dict(REFUND_LIFECYCLE.moves) == ALLOWED


def test_nothing_leaves_cancelled_or_legacy() -> None:
    assert not [start for start, _ in REFUND_LIFECYCLE.moves if start in (S.CANCELLED, S.LEGACY)]


@pytest.mark.parametrize("known", [True, False])
def test_refund_begins_by_what_is_known(known: bool) -> None:
    assert initial_status(bank_details_known=known) is (S.NEW if known else S.BANKDETAILS_MISSING)


def test_planned_date_lies_in_the_future() -> None:
    check_planned_date(date(2026, 3, 3), date(2026, 3, 2))
    for day in (date(2026, 3, 2), date(2026, 3, 1)):
        with pytest.raises(RefundRefused, match=r"^Planned date must be in the future$"):
            check_planned_date(day, date(2026, 3, 2))


@pytest.mark.parametrize(("minor", "note"), [(1, "x"), (4990, "returned"), (100, "x" * MAX_NOTE)])
def test_what_a_person_may_file(minor: int, note: str) -> None:
    check_by_hand(minor, 4990, EUR, note)


@pytest.mark.parametrize(
    ("minor", "left", "note", "parameter", "words"),
    [
        (0, 4990, "x", "amount", "Between 0.01 and 49.90 is left to refund"),
        (-1, 4990, "x", "amount", "Between 0.01 and 49.90 is left to refund"),
        (4991, 4990, "", "amount", "Between 0.01 and 49.90 is left to refund"),
        (4990, 4990, "", "note", "A reason of 1 to 500 characters is needed"),
        (1, 1, "x" * 501, "note", "A reason of 1 to 500 characters is needed"),
    ],
)
def test_a_mistyped_amount_or_a_missing_reason_is_refused(
    minor: int, left: int, note: str, parameter: str, words: str
) -> None:
    with pytest.raises(RefundRefused) as refused:
        check_by_hand(minor, left, EUR, note)
    assert (str(refused.value), refused.value.parameter) == (words, parameter)


def _utc(month: int, day: int, hour: int, minute: int = 0) -> datetime:
    return datetime(2026, month, day, hour, minute, tzinfo=UTC)


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        (_utc(3, 3, 6, 59), _utc(3, 3, 7)),  # a Tuesday, in winter time
        (_utc(3, 3, 7), _utc(3, 4, 7)),  # the moment itself is over
        (_utc(3, 3, 23, 30), _utc(3, 4, 7)),  # the next day has begun in Berlin
        (_utc(3, 6, 7, 1), _utc(3, 9, 7)),  # over a weekend
        (_utc(3, 7, 5), _utc(3, 9, 7)),
        (_utc(3, 27, 12), _utc(3, 30, 6)),  # summer time has begun
        (_utc(4, 2, 12), _utc(4, 7, 6)),  # over Easter
        (_utc(10, 23, 12), _utc(10, 26, 7)),  # winter time has begun
    ],
)
def test_refunds_are_sent_at_eight_on_bank_days(now: datetime, expected: datetime) -> None:
    assert next_run_at(now, "Europe/Berlin") == expected
    assert next_run_at(expected - timedelta(microseconds=1), "Europe/Berlin") == expected


def test_only_a_missing_payment_needs_nobody() -> None:
    assert [each for each in HoldReason if not each.needs_a_person] == [HoldReason.NOT_COVERED]


@pytest.mark.parametrize(
    ("available", "claims", "expected"),
    [
        (100, [("a", 100, S.NEW)], {"a"}),
        (99, [("a", 100, S.NEW)], set()),
        (100, [("a", 60, S.NEW), ("b", 60, S.NEW)], {"a"}),
        (100, [("a", 60, S.BANKDETAILS_MISSING), ("b", 60, S.NEW)], {"a"}),
        (100, [("a", 60, S.NEW), ("b", 60, S.IN_PROCESS)], set()),  # what is at the bank comes first
        (100, [("a", 60, S.PROCESSED), ("b", 60, S.ERROR), ("c", 100, S.NEW)], {"c"}),
        (100, [("a", 150, S.NEW), ("b", 50, S.NEW)], {"b"}),  # what does not fit reserves nothing
        (0, [("a", 1, S.NEW)], set()),
        (-50, [("a", 1, S.NEW)], set()),
        (100, [], set()),
    ],
)
def test_what_the_money_covers(available: int, claims: list[tuple[str, int, RefundStatus]], expected: set[str]) -> None:
    assert refunds_covered_by(available, [PendingRefundClaim(*claim) for claim in claims]) == expected


CLAIMS = st.lists(st.tuples(st.integers(1, 1000), st.sampled_from(list(S))), max_size=8).map(
    lambda rows: [PendingRefundClaim(f"r{place}", minor, status) for place, (minor, status) in enumerate(rows)]
)


@given(st.integers(-500, 3000), CLAIMS)
def test_more_is_never_sent_than_there_is(available: int, claims: list[PendingRefundClaim]) -> None:
    found = refunds_covered_by(available, claims)
    sent = sum(claim.amount_minor for claim in claims if claim.refund_id in found)
    at_the_bank = sum(claim.amount_minor for claim in claims if claim.status is S.IN_PROCESS)
    assert sent == 0 or sent + at_the_bank <= available
    assert {claim.status for claim in claims if claim.refund_id in found} <= RESERVED - {S.IN_PROCESS}


@given(st.integers(-500, 3000), CLAIMS)
def test_who_came_first_is_served_first(available: int, claims: list[PendingRefundClaim]) -> None:
    """Without what is at the bank already, which goes before all others, later claims change nothing."""
    found = refunds_covered_by(available, claims)
    for place, claim in enumerate(claims):
        if all(later.status is not S.IN_PROCESS for later in claims[place + 1 :]):
            assert (claim.refund_id in refunds_covered_by(available, claims[: place + 1])) == (claim.refund_id in found)


@given(st.integers(0, 3000), st.integers(0, 500), CLAIMS)
def test_what_is_held_back_does_not_fit_into_what_is_left(
    available: int, more: int, claims: list[PendingRefundClaim]
) -> None:
    total = available + more
    found = refunds_covered_by(total, claims)
    sent = sum(claim.amount_minor for claim in claims if claim.refund_id in found or claim.status is S.IN_PROCESS)
    for claim in claims:
        if claim.status in RESERVED - {S.IN_PROCESS} and claim.refund_id not in found:
            assert claim.amount_minor > total - sent


FILED = datetime(2026, 3, 2, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("available", "claims", "expected"),
    [
        (0, [], NONE_OUTSTANDING),
        (0, [("a", 10, S.PROCESSED), ("b", 10, S.CANCELLED), ("c", 10, S.LEGACY)], NONE_OUTSTANDING),
        (0, [("a", 10, S.NEW)], Outstanding(10, FILED, frozenset({"a"}), 10)),
        (0, [("a", 10, S.BANKDETAILS_MISSING)], Outstanding(10, FILED, frozenset({"a"}), 10)),
        (10, [("a", 10, S.NEW)], Outstanding(10, FILED)),
        (10, [("a", 10, S.NEW), ("b", 5, S.NEW)], Outstanding(15, FILED, frozenset({"b"}), 5)),
        (0, [("a", 10, S.IN_PROCESS)], Outstanding(10, FILED)),  # at the bank: it waits for no payment
        (0, [("a", 10, S.ERROR), ("b", 7, S.RETURNED)], Outstanding(17, FILED)),
        (9, [("a", 10, S.IN_PROCESS), ("b", 5, S.NEW)], Outstanding(15, FILED, frozenset({"b"}), 5)),
    ],
)
def test_what_is_still_to_reach_the_customer(
    available: int, claims: list[tuple[str, int, RefundStatus]], expected: Outstanding
) -> None:
    assert outstanding_refunds(available, [PendingRefundClaim(*claim) for claim in claims], FILED) == expected
