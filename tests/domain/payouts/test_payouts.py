"""Payouts add up to the cent, in any order of files and with overlapping downloads."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paymatch.domain.payouts.movements import (
    Movement,
    MovementContradiction,
    MovementKind,
    StatedPayout,
    combine,
    distinct,
    same_movement,
)
from paymatch.domain.payouts.payouts import Payout, payouts_of
from paymatch.domain.payouts.proofs import ReadingUnproved, RunningBalance
from tests.domain.payouts.weeks import Weeks, weeks

_K = MovementKind


def test_a_payout_is_what_its_rows_leave() -> None:
    sale = Movement(_K.SALE, "EUR", 4260, 89, "t1", payout_id="po_1", payout_date=date(2026, 11, 16))
    fee = Movement(_K.FEE, "EUR", 0, 200, "t2", payout_id="po_1", payout_date=date(2026, 11, 16))
    (payout,) = payouts_of([fee, sale])
    assert (payout.amount_minor, payout.kept_minor, payout.orders, payout.rest_minor) == (3971, 289, 1, 0)
    assert payout.sent_on == date(2026, 11, 16)


def test_a_payout_without_rows_draws_on_the_balance() -> None:
    (payout,) = payouts_of([], [StatedPayout("po_manual", "EUR", 5000, date(2026, 11, 16))])
    assert (payout.carried_in_minor, payout.rest_minor, payout.rows) == (5000, 0, 0)
    row = Movement(_K.PAYOUT, "EUR", -5000, 0, "po_9", at=datetime(2026, 11, 16, tzinfo=UTC))
    sale = Movement(_K.SALE, "EUR", 100, 0, "t1", payout_id="po_1")
    assert [(each.payout_id, each.amount_minor, each.rest_minor) for each in payouts_of([row, sale])] == [
        ("po_1", 100, 0),
        ("po_9", 5000, 0),
    ]


def test_what_a_payout_takes_beyond_its_rows_is_carried_in() -> None:
    sale = Movement(_K.SALE, "EUR", 4260, 89, "t1", payout_id="987654321")
    (payout,) = payouts_of([sale], [StatedPayout("987654321", "EUR", 5000, date(2026, 11, 16))])
    assert (payout.net_minor, payout.carried_in_minor, payout.rest_minor) == (4171, 5000 - 4171, 0)


def test_a_payout_row_with_its_id_is_the_payout() -> None:
    sale = Movement(_K.SALE, "EUR", 4260, 89, "t1", payout_id="po_1")
    out = Movement(_K.PAYOUT, "EUR", -4171, 0, "t2", payout_id="po_1", at=datetime(2026, 11, 17, tzinfo=UTC))
    (payout,) = payouts_of([out, sale])
    assert (payout.amount_minor, payout.sent_on, payout.rest_minor) == (4171, date(2026, 11, 17), 0)


def test_withdrawals_take_what_came_in_before() -> None:
    def at(day: int) -> datetime:
        return datetime(2026, 11, day, tzinfo=UTC)

    rows = [
        Movement(_K.SALE, "EUR", 10000, 300, "t1", at=at(1)),
        Movement(_K.PAYOUT, "EUR", -5000, 0, "w1", at=at(2)),
        Movement(_K.SALE, "EUR", 2000, 50, "t2", at=at(3)),
        Movement(_K.PAYOUT, "EUR", -6000, 39, "w2", at=at(4)),
        Movement(_K.SALE, "USD", 700, 0, "t3", at=at(4)),
    ]
    first, second = payouts_of(reversed(rows))
    assert (first.payout_id, first.amount_minor, first.carried_in_minor, first.carried_out_minor) == (
        "w1",
        5000,
        0,
        4700,
    )
    assert (second.amount_minor, second.carried_in_minor, second.carried_out_minor) == (6000, 4700, 611)
    assert (second.fee_minor, second.kept_minor, second.rest_minor) == (39, 89, 0)


def test_sightings_of_one_transaction_complete_each_other() -> None:
    early = Movement(_K.SALE, "EUR", 1000, 40, "t1", order_reference="#1003", row=9)
    late = Movement(_K.SALE, "EUR", 1000, 40, "t1", payout_id="148156579999", payout_date=date(2026, 11, 25), row=2)
    both = same_movement(early, late)
    assert (both.order_reference, both.payout_id, both.payout_date) == ("#1003", "148156579999", date(2026, 11, 25))
    assert both == same_movement(late, early)
    with pytest.raises(MovementContradiction, match="row 2: the transaction t1 has other amounts than in another row"):
        distinct([early, replace(late, gross_minor=1001)])


def test_rows_without_an_id_are_movements_of_their_own() -> None:
    row = Movement(_K.SALE, "EUR", 1000)
    assert distinct([row, row]) == [row, row]


def test_fees_of_no_sale_stay_apart() -> None:
    fees = [Movement(_K.FEE, "EUR", 0, 10, f"t{n}", group="c1 sale") for n in range(2)]
    assert combine(fees) == fees


@pytest.mark.parametrize("is_newest_first", [False, True])
def test_a_running_balance_has_two_ends(is_newest_first: bool) -> None:
    rows = [(500, 1500), (-200, 1300), (100, 1400)]
    assert RunningBalance().ends is None
    balance = RunningBalance()
    for place, (net, after) in enumerate(reversed(rows) if is_newest_first else rows):
        balance.add(place + 2, net, after)
    assert balance.ends == (1000, 1400)
    with pytest.raises(ReadingUnproved) as refusal:
        balance.add(5, 1, 77)
    assert refusal.value.row == 5


def _figures(payouts: list[Payout]) -> list[tuple[str, int, int, int, int, int]]:
    return [
        (each.payout_id, each.amount_minor, each.net_minor, each.carried_in_minor, each.carried_out_minor, each.orders)
        for each in payouts
    ]


@given(weeks(), st.randoms(use_true_random=False))
def test_any_order_and_overlap_of_downloads_gives_the_same_payouts(said: Weeks, random: Random) -> None:
    once = payouts_of(said.movements, said.stated)
    again = said.movements + random.sample(said.movements, random.randint(0, len(said.movements)))
    random.shuffle(again)
    totals = said.stated * 2
    random.shuffle(totals)
    assert _figures(payouts_of(again, totals)) == _figures(once)
    assert all(each.rest_minor == 0 for each in once)
    assert sum(each.amount_minor for each in once) + once[-1].carried_out_minor == sum(
        each.net_minor for each in said.movements
    )


@given(weeks(states_totals=False))
def test_implied_payouts_leave_no_rest(said: Weeks) -> None:
    found = payouts_of(said.movements)
    assert [each.rest_minor for each in found] == [0] * len(found)
    assert {each.payout_id: each.amount_minor for each in found if each.is_transfer} == {
        said.truth[each.posting_id]: each.amount_minor for each in said.postings
    }
