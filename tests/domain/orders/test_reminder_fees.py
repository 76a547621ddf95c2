"""What of an order's payments pays its reminders: first the order, then fees that were asked for, once (D-97)."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paymatch.domain.orders.reminder_fees import CreditedPart, DemandedFee, OrderToPay, reminder_fee_parts

DAY = date(2026, 3, 20)


def part(minor: int, days: int = 1, name: str = "P", *, can_hold_fees: bool = True) -> CreditedPart:
    return CreditedPart(f"{name}{days}", DAY + timedelta(days=days), minor, can_hold_fees)


ASKED = (DemandedFee(DAY, 250), DemandedFee(DAY + timedelta(days=14), 500))


@pytest.mark.parametrize(
    ("parts", "fees"),
    [
        ([part(10_000)], [0]),
        ([part(10_250)], [250]),
        ([part(10_100)], [100]),
        ([part(10_900)], [250]),  # the second reminder was not sent yet: the rest is overpaid
        ([part(10_900, 15)], [750]),
        ([part(10_250, -1)], [0]),  # no fee had been asked for
        ([part(5_000), part(5_250, 2)], [0, 250]),
        ([part(10_000), part(250, 2), part(250, 3)], [0, 250, 0]),
        ([part(10_250), part(-10_250, 2)], [250, -250]),
        ([part(10_250), part(-10_250, 2), part(10_250, 3)], [250, -250, 250]),
        ([part(10_250, can_hold_fees=False)], [0]),
    ],
)
def test_the_order_is_paid_first(parts: list[CreditedPart], fees: list[int]) -> None:
    assert [fee for _, fee in reminder_fee_parts(OrderToPay(10_000), ASKED, parts)] == fees


@pytest.mark.parametrize(
    ("parts", "adjusted", "refunded", "fees"),
    [
        ([part(5_250)], 5_000, 0, [250]),  # credit has paid a half of the order
        ([part(5_000)], 5_000, 0, [0]),
        ([part(11_000)], -750, 0, [250]),  # what is above order and fee was kept as credit
        ([part(10_500, -9, "A"), part(-10_500, -8, "A"), part(10_500, 1, "B")], -500, 0, [0, 0, 0]),
        ([part(10_250)], 0, 250, [0]),  # the fee was given back
        ([part(10_250)], 0, 150, [100]),
        ([part(10_900)], 0, 650, [250]),  # the overpayment was given back
        ([part(10_900)], 0, 900, [0]),  # and the fee with it
        ([part(10_900)], 0, 800, [100]),
        ([part(10_250)], 0, 3_000, [250]),  # goods came back, and the order still costs as much
        ([part(10_250)], 0, 10_000, [250]),
        ([part(10_250)], 0, 10_100, [150]),
        ([part(10_250)], 0, 10_250, [0]),
        ([part(10_100), part(400, 15)], 0, 400, [100, 0]),  # of 1.00 and 4.00 the later one
        ([part(10_000)], 0, 250, [0]),
    ],
)
def test_credit_and_refunds_count(parts: list[CreditedPart], adjusted: int, refunded: int, fees: list[int]) -> None:
    order = OrderToPay(10_000, adjusted, refunded)
    assert [fee for _, fee in reminder_fee_parts(order, ASKED, parts)] == fees


amounts = st.integers(-30_000, 30_000).filter(bool)


@given(st.lists(st.tuples(amounts, st.integers(-20, 40)), max_size=6), st.integers(0, 20_000))
def test_fees_are_never_more_than_asked_nor_than_what_is_above_the_order(rows: list[tuple[int, int]], due: int) -> None:
    parts = [part(minor, days, f"P{place}-") for place, (minor, days) in enumerate(rows)]
    found = dict(reminder_fee_parts(OrderToPay(due), ASKED, parts))
    credited = 0
    for each in sorted(parts, key=lambda one: (one.booking_date, one.posting_id)):
        fee = found[each.posting_id]
        assert 0 <= fee * (1 if each.minor > 0 else -1) <= abs(each.minor)
        credited += fee
        assert 0 <= credited <= 750
    if all(each.minor > 0 for each in parts):
        asked = max((sum(f.minor for f in ASKED if f.sent_date <= each.booking_date) for each in parts), default=0)
        assert credited <= min(asked, max(sum(each.minor for each in parts) - due, 0))
