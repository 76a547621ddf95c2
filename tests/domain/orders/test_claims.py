"""What a payout leaves unexplained, and which orders on delivery are to be claimed from whom."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paymatch.domain.orders.claims import (
    CollectiveSum,
    ExplainedPayout,
    PaidOut,
    Shipped,
    claims,
    explain_payout,
    shape,
)

TODAY = date(2026, 4, 30)
PARCEL = "RR469802356DE"
PAYOUT = CollectiveSum(
    "P1",
    date(2026, 4, 20),
    "Deutsche Post AG",
    9600,
    "EUR",
    (PaidOut("A1", 10000, ("LX252849682DE", PARCEL)),),
    withheld_minor=400,
)


def shipped(number: str, days_ago: int, *parcels: str, open_minor: int = 1990) -> Shipped:
    day = TODAY - timedelta(days_ago)
    return Shipped(number, parcels, day - timedelta(1), day, open_minor, "EUR")


@pytest.mark.parametrize(
    ("amount", "expected"),
    [
        (10000, ExplainedPayout(10000, 0, 0, 0)),
        (9600, ExplainedPayout(10000, 400, 0, 0)),
        (9300, ExplainedPayout(10000, 700, 0, 0)),
        (9299, ExplainedPayout(10000, 0, 701, 0)),
        (12500, ExplainedPayout(10000, 0, 0, 2500)),
    ],
)
def test_what_explains_a_payout(amount: int, expected: ExplainedPayout) -> None:
    both = (PaidOut("A1", 6000), PaidOut("A2", 4000))
    assert explain_payout(replace(PAYOUT, amount_minor=amount, orders=both, withheld_minor=None), 100) == expected


@pytest.mark.parametrize(
    ("amount", "expected"), [(8300, ExplainedPayout(10000, 1700, 0, 0)), (8299, ExplainedPayout(10000, 0, 1701, 0))]
)
def test_a_single_parcel_costs_more(amount: int, expected: ExplainedPayout) -> None:
    assert explain_payout(replace(PAYOUT, amount_minor=amount, withheld_minor=None), 100) == expected


@pytest.mark.parametrize(
    ("amount", "withheld", "expected"),
    [(9600, 400, ExplainedPayout(10000, 400, 0, 0)), (8260, 1740, ExplainedPayout(10000, 1740, 0, 0)),
     (9700, 400, ExplainedPayout(10000, 400, 0, 100))],
)  # fmt: skip
def test_what_was_booked_as_a_fee_is_the_fee(amount: int, withheld: int, expected: ExplainedPayout) -> None:
    assert explain_payout(replace(PAYOUT, amount_minor=amount, withheld_minor=withheld), 100) == expected


def test_a_payout_without_orders_is_unexplained() -> None:
    assert explain_payout(replace(PAYOUT, orders=(), withheld_minor=None), 100) == ExplainedPayout(0, 0, 0, 9600)


@given(st.lists(st.integers(0, 10**7), max_size=30), st.integers(1, 10**8), st.sampled_from([1, 100]))
def test_nothing_gets_lost(amounts: list[int], amount: int, unit: int) -> None:
    orders = tuple(PaidOut(f"A{i}", minor) for i, minor in enumerate(amounts))
    found = explain_payout(replace(PAYOUT, amount_minor=amount, orders=orders, withheld_minor=None), unit)
    assert found.gross_minor - found.fee_minor - found.missing_minor + found.unexplained_minor == amount
    assert min(found.fee_minor, found.missing_minor, found.unexplained_minor) == 0


def test_shapes_tell_carriers_apart() -> None:
    numbers = ("RR469802356DE", "rr 4698-0235-6 de", "00340434332131936", "1Z999AA10123456784", "")
    assert [shape(number) for number in numbers] == ["RR9DE", "RR9DE", "17", "1Z3AA11", ""]


def test_orders_are_claimed_from_who_paid_out_such_numbers() -> None:
    orders = [shipped("A2", 14, "LX111111111DE"), shipped("A3", 40, "0034043433213193600"), shipped("A4", 13, PARCEL)]
    found = claims(orders, [PAYOUT], TODAY, 14)
    assert [(c.order.number, c.days_waiting, c.payer, c.last_payout) for c in found] == [
        ("A3", 40, "", None), ("A2", 14, "Deutsche Post AG", date(2026, 4, 20)),
    ]  # fmt: skip


def test_a_proposal_teaches_no_carrier_and_the_last_payout_counts() -> None:
    proposed = replace(PAYOUT, posting="P2", booked=date(2026, 4, 28), payer="GLS", withheld_minor=None)
    later = replace(PAYOUT, posting="P3", booked=date(2026, 4, 25))
    (claim,) = claims([shipped("A2", 20, "LX111111111DE")], [proposed, later, PAYOUT], TODAY, 14)
    assert (claim.payer, claim.last_payout) == ("Deutsche Post AG", date(2026, 4, 25))


def test_nothing_open_is_nothing_to_claim() -> None:
    assert claims([shipped("A2", 20, open_minor=0)], [PAYOUT], TODAY, 14) == []
    assert [each.order.open_minor for each in claims([shipped("A2", 20, open_minor=1)], [PAYOUT], TODAY, 14)] == [1]


def test_a_cent_short_is_a_fee_and_nothing_short_is_none() -> None:
    one = replace(PAYOUT, withheld_minor=None)
    assert explain_payout(replace(one, amount_minor=9999), 100) == ExplainedPayout(10000, 1, 0, 0)
    assert explain_payout(replace(one, amount_minor=10000), 100) == ExplainedPayout(10000, 0, 0, 0)
    assert explain_payout(replace(one, amount_minor=10001), 100) == ExplainedPayout(10000, 0, 0, 1)
