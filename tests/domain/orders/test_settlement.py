"""Payment status: a table over all marks, and what holds for every ledger (D-1 to D-3)."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paymatch.domain.orders.settlement import OPEN_STATUSES, Ledger, Mark, PaymentStatus, open_minor, payment_status

P = PaymentStatus
CASES = [
    # due, paid, refunded, tolerance -> status without a mark
    (10000, 0, 0, 0, P.UNPAID),
    (10000, 1, 0, 0, P.PAID_PARTIAL),
    (10000, 9999, 0, 0, P.PAID_PARTIAL),
    (10000, 10000, 0, 0, P.PAID),
    (10000, 10001, 0, 0, P.PAID),
    (10000, -1, 0, 0, P.UNPAID),  # more was returned than had been paid
    (10000, 9998, 0, 1, P.PAID_PARTIAL),
    (10000, 9999, 0, 1, P.PAID),
    (10000, 0, 0, 20000, P.UNPAID),  # a tolerance alone pays nothing
    (10000, 1, 0, 20000, P.PAID),
    (0, 0, 0, 0, P.PAID),
    (-500, 0, 0, 0, P.PAID),
    (0, 100, 0, 0, P.PAID),
    (10000, 10000, 1, 0, P.REFUNDED_PARTIAL),
    (10000, 10000, 9999, 0, P.REFUNDED_PARTIAL),
    (10000, 10000, 10000, 0, P.REFUNDED),
    (10000, 10000, 10001, 0, P.REFUNDED),
    (10000, 12000, 2000, 0, P.PAID),  # a pure overpayment
    (10000, 12000, 2001, 0, P.REFUNDED_PARTIAL),
    (10000, 12000, 12000, 0, P.REFUNDED),
    (10000, 5000, 1000, 0, P.REFUNDED_PARTIAL),
    (10000, 5000, 5000, 0, P.REFUNDED),
    (10000, 10000, 1, 1, P.PAID),
    (0, 5000, 5000, 0, P.REFUNDED),
    (0, 5000, 1000, 0, P.PAID),
    (10000, 0, 100, 0, P.REFUNDED),  # refunded, and the payment came back as well
]
FIXED = {Mark.PAID: P.PAID, Mark.CANCELLED: P.CANCELLED, Mark.DISAPPEARED: P.DISAPPEARED, Mark.LEGACY: P.LEGACY}


@pytest.mark.parametrize(("case", "mark"), list(product(CASES, [None, *Mark])))
def test_every_case_under_every_mark(case: tuple[int, int, int, int, PaymentStatus], mark: Mark | None) -> None:
    *values, expected = case
    if mark in FIXED:
        expected = FIXED[mark]
    elif mark is Mark.COLLECTION and expected in OPEN_STATUSES:
        expected = P.COLLECTION
    assert payment_status(Ledger(*values), mark) is expected


MINOR = st.integers(0, 10**12)
LEDGERS = st.builds(Ledger, st.integers(-(10**6), 10**12), st.integers(-(10**6), 10**12), MINOR, st.integers(0, 10**4))


@given(LEDGERS, st.sampled_from([None, *Mark]))
def test_every_ledger_has_a_status(ledger: Ledger, mark: Mark | None) -> None:
    assert payment_status(ledger, mark) in P


@given(MINOR, MINOR.filter(bool), MINOR)
def test_refunds_that_reach_the_payments_make_refunded(due: int, paid: int, more: int) -> None:
    assert payment_status(Ledger(due, paid, paid + more), None) is P.REFUNDED


@given(st.integers(1, 10**9), st.integers(1, 10**9), st.data())
def test_refunds_below_the_payments_make_refunded_partial_unless_only_too_much_went_back(
    due: int, paid: int, data: st.DataObject
) -> None:
    refunded = data.draw(st.integers(1, max(1, paid - 1)))
    if refunded >= paid:
        return
    expected = P.PAID if paid - refunded >= due else P.REFUNDED_PARTIAL
    assert payment_status(Ledger(due, paid, refunded), None) is expected


@given(st.integers(1, 10**9), st.integers(0, 10**9))
def test_without_refunds_the_payments_decide(due: int, paid: int) -> None:
    expected = P.PAID if paid >= due else P.PAID_PARTIAL if paid else P.UNPAID
    assert payment_status(Ledger(due, paid, 0), None) is expected


@given(LEDGERS, st.integers(0, 10**9))
def test_more_money_never_makes_less_of_a_payment(ledger: Ledger, more: int) -> None:
    if ledger.refunded_minor:
        return
    order = [P.UNPAID, P.PAID_PARTIAL, P.PAID]
    before = payment_status(ledger, None)
    richer = Ledger(ledger.due_minor, ledger.paid_minor + more, 0, ledger.tolerance_minor)
    assert order.index(payment_status(richer, None)) >= order.index(before)


@given(LEDGERS)
def test_collection_is_left_only_by_being_settled(ledger: Ledger) -> None:
    computed = payment_status(ledger, None)
    found = payment_status(ledger, Mark.COLLECTION)
    assert found is (P.COLLECTION if computed in OPEN_STATUSES else computed)


@given(LEDGERS)
def test_open_and_net_add_up_to_what_is_due(ledger: Ledger) -> None:
    assert open_minor(ledger) + ledger.net_minor == ledger.due_minor
    assert ledger.net_minor == ledger.paid_minor - ledger.refunded_minor
