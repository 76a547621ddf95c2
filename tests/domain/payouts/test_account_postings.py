"""Postings on a provider's account add up to the movement, and no fee works against its payment."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paymatch.domain.payouts.account_postings import AccountPart, parts_of
from paymatch.domain.payouts.movements import OF_ORDERS, Movement, MovementKind

_K = MovementKind


@pytest.mark.parametrize(
    ("kind", "gross", "fee", "parts"),
    [
        (_K.SALE, 5877, 35, (AccountPart(5842, 35, is_of_order=True),)),
        (_K.SALE, 5877, 0, (AccountPart(5877, is_of_order=True),)),
        (_K.SALE, 30, 35, (AccountPart(30, is_of_order=True), AccountPart(-35))),
        (_K.SALE, 35, 35, (AccountPart(35, is_of_order=True), AccountPart(-35))),
        (_K.REFUND, -2000, -20, (AccountPart(-1980, -20, is_of_order=True),)),
        (_K.CHARGEBACK, -2750, 2000, (AccountPart(-2750, is_of_order=True), AccountPart(-2000))),
        (_K.CHARGEBACK_REVERSED, 2750, -2000, (AccountPart(2750, is_of_order=True), AccountPart(2000))),
        (_K.FEE, 0, 200, (AccountPart(-200),)),
        (_K.PAYOUT, -50000, 39, (AccountPart(-50000, is_payout=True), AccountPart(-39))),
        (_K.ADJUSTMENT, 0, 0, ()),
    ],
)
def test_a_fee_is_withheld_from_the_payment_that_it_lowers(
    kind: MovementKind, gross: int, fee: int, parts: tuple[AccountPart, ...]
) -> None:
    assert parts_of(Movement(kind, "EUR", gross, fee)) == parts


@given(st.sampled_from(MovementKind), st.integers(-9999, 9999), st.integers(-9999, 9999))
def test_parts_add_up_to_net_and_credit_gross(kind: MovementKind, gross: int, fee: int) -> None:
    movement = Movement(kind, "EUR", gross, fee)
    parts = parts_of(movement)
    is_told_again = kind is MovementKind.CARRIED_OVER
    assert sum(each.amount_minor for each in parts) == (0 if is_told_again else movement.net_minor)
    assert all(each.amount_minor * each.withheld_minor >= 0 for each in parts)
    assert sum(each.credited_minor for each in parts) == (gross if kind in OF_ORDERS else 0)
