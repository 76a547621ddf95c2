"""Orders: the rules of a submission in the documented order of errors, and of setting paid (D-11 to D-13)."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from itertools import product

import pytest

from paymatch.domain.orders.settlement import Mark, PaymentStatus
from paymatch.domain.orders.submission import (
    OrderRefused,
    OrderUnknown,
    StoredOrder,
    Submission,
    check_set_paid,
    check_set_unpaid,
    check_submission,
    mark_after_submission,
)

TODAY = date(2026, 3, 2)
NEW = Submission("1", date(2026, 3, 1), None, 1990, "EUR", 0)
STANDING = StoredOrder(PaymentStatus.UNPAID, None, 1990, "EUR", False)
FUTURE = "Parameter date must not be in the future"
FAR = "Parameter dueDate must not be more than 6 months in the future"
LEVEL = "Parameter initialDunningLevel can only be given when creating a new order"


def refusal(submitted: Submission, stored: StoredOrder | None) -> tuple[str, str]:
    with pytest.raises(OrderRefused) as caught:
        check_submission(submitted, stored, TODAY)
    return str(caught.value), caught.value.parameter


@pytest.mark.parametrize("day", [date(2026, 3, 1), TODAY, date(1990, 1, 1)])
def test_date_up_to_today_is_taken(day: date) -> None:
    check_submission(replace(NEW, order_date=day), None, TODAY)


def test_date_in_the_future_is_refused_for_new_orders_only() -> None:
    tomorrow = replace(NEW, order_date=date(2026, 3, 3))
    assert refusal(tomorrow, None) == (FUTURE, "date")
    check_submission(tomorrow, STANDING, TODAY)


@pytest.mark.parametrize("stored", [None, STANDING])
def test_due_date_up_to_six_months(stored: StoredOrder | None) -> None:
    check_submission(replace(NEW, due_date=date(2026, 9, 2)), stored, TODAY)
    check_submission(replace(NEW, due_date=date(1990, 1, 1)), stored, TODAY)
    assert refusal(replace(NEW, due_date=date(2026, 9, 3)), stored) == (FAR, "dueDate")


def test_dunning_level_belongs_to_creation() -> None:
    check_submission(replace(NEW, initial_dunning_level=2), None, TODAY)
    assert refusal(replace(NEW, initial_dunning_level=2), STANDING) == (LEVEL, "initialDunningLevel")
    assert refusal(replace(NEW, initial_dunning_level=1), STANDING) == (LEVEL, "initialDunningLevel")


def test_a_resubmission_leaves_the_dunning_level_out_or_says_the_same() -> None:
    created = replace(STANDING, initial_dunning_level=2)
    for level in (0, 2):
        check_submission(replace(NEW, initial_dunning_level=level), created, TODAY)
    for level in (1, 3):
        assert refusal(replace(NEW, initial_dunning_level=level), created) == (LEVEL, "initialDunningLevel")


@pytest.mark.parametrize("status", list(PaymentStatus))
def test_amount_of_every_status(status: PaymentStatus) -> None:
    stored = replace(STANDING, status=status)
    check_submission(NEW, stored, TODAY)
    changed = replace(NEW, amount_minor=1991)
    if status in (PaymentStatus.CANCELLED, PaymentStatus.REFUNDED, PaymentStatus.COLLECTION):
        assert refusal(changed, stored) == (f"Could not update order (status {status})", "amount")
        other = replace(NEW, currency="CHF")
        assert refusal(other, stored) == (f"Could not update order (status {status})", "currency")
    else:
        check_submission(changed, stored, TODAY)
        check_submission(replace(NEW, currency="CHF"), stored, TODAY)


def test_currency_of_an_order_with_payments_stays() -> None:
    stored = replace(STANDING, has_allocations=True)
    text = "Could not update order (currency of an order with payments)"
    assert refusal(replace(NEW, currency="CHF"), stored) == (text, "currency")
    check_submission(replace(NEW, amount_minor=1), stored, TODAY)


def test_first_rule_that_is_not_met_answers() -> None:
    everything = Submission("1", date(2027, 1, 1), date(2028, 1, 1), 1, "CHF", 3)
    stored = replace(STANDING, status=PaymentStatus.CANCELLED, has_allocations=True)
    assert refusal(everything, None)[0] == FUTURE
    assert refusal(everything, stored)[0] == FAR
    assert refusal(replace(everything, due_date=None), stored)[0] == LEVEL
    last = replace(everything, due_date=None, initial_dunning_level=0)
    assert refusal(last, stored)[0] == "Could not update order (status CANCELLED)"
    stored = replace(stored, status=PaymentStatus.PAID)
    assert refusal(last, stored)[0] == "Could not update order (currency of an order with payments)"


@pytest.mark.parametrize("mark", [None, *Mark])
def test_submission_brings_legacy_and_disappeared_orders_back(mark: Mark | None) -> None:
    expected = None if mark in (Mark.LEGACY, Mark.DISAPPEARED) else mark
    assert mark_after_submission(mark) is expected


@pytest.mark.parametrize("status", list(PaymentStatus))
def test_set_paid_of_every_status(status: PaymentStatus) -> None:
    if status is PaymentStatus.PAID:
        with pytest.raises(OrderRefused, match=r"^Order already in paymentStatus PAID$"):
            check_set_paid(status)
    else:
        check_set_paid(status)


@pytest.mark.parametrize(("status", "mark"), list(product(PaymentStatus, [None, *Mark])))
def test_set_unpaid_of_every_status_and_mark(status: PaymentStatus, mark: Mark | None) -> None:
    if status is PaymentStatus.PAID and mark is Mark.PAID:
        check_set_unpaid(status, mark)
        return
    wanted = "manual paymentStatus" if status is PaymentStatus.PAID else "paymentStatus PAID"
    with pytest.raises(OrderRefused, match=f"^Order must have {wanted}$"):
        check_set_unpaid(status, mark)


def test_unknown_order_is_named() -> None:
    assert str(OrderUnknown("A/1 ü")) == "Order 'A/1 ü' not found"
