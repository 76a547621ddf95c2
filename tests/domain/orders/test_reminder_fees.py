"""What of an order's payments pays its reminders: first the order, then fees that were asked for, once (D-97)."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paymatch.domain.orders.reminder_fees import CreditedPart, DemandedFee, reminder_fee_parts

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
    assert [fee for _, fee in reminder_fee_parts(10_000, ASKED, parts)] == fees


amounts = st.integers(-30_000, 30_000).filter(bool)


@given(st.lists(st.tuples(amounts, st.integers(-20, 40)), max_size=6), st.integers(0, 20_000))
def test_fees_are_never_more_than_asked_nor_than_what_is_above_the_order(rows: list[tuple[int, int]], due: int) -> None:
    parts = [part(minor, days, f"P{place}-") for place, (minor, days) in enumerate(rows)]
    found = dict(reminder_fee_parts(due, ASKED, parts))
    credited = 0
    for each in sorted(parts, key=lambda one: (one.booking_date, one.posting_id)):
        fee = found[each.posting_id]
        assert 0 <= fee * (1 if each.minor > 0 else -1) <= abs(each.minor)
        credited += fee
        assert 0 <= credited <= 750
    if all(each.minor > 0 for each in parts):
        asked = max((sum(f.minor for f in ASKED if f.sent_date <= each.booking_date) for each in parts), default=0)
        assert credited <= min(asked, max(sum(each.minor for each in parts) - due, 0))
