"""Invented weeks of an account at a payment service: sales, refunds, reserves, debts and twins."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta

from hypothesis import strategies as st

from paymatch.domain.calendar import plus_bank_days
from paymatch.domain.payouts.movements import Movement, MovementKind, StatedPayout
from paymatch.domain.payouts.ties import BankPosting

_K = MovementKind
MONDAY = date(2026, 10, 5)


@dataclass(frozen=True)
class Weeks:
    """What the provider's files say, what the bank booked, and which posting is which payout."""

    movements: list[Movement]
    stated: list[StatedPayout]
    postings: list[BankPosting]
    truth: dict[int, str]


@st.composite
def weeks(draw: st.DrawFn, *, states_totals: bool = True, names_ids: bool = False) -> Weeks:
    """Weeks that end with a payout, or below zero with a debt that the next week pays."""
    movements: list[Movement] = []
    stated: list[StatedPayout] = []
    postings: list[BankPosting] = []
    truth: dict[int, str] = {}
    carried = 0
    for week in range(draw(st.integers(1, 5))):
        payout_id = f"po_{week:08d}"
        sent = MONDAY + timedelta(days=7 * week + 7)
        rows = draw(_rows(week, payout_id))
        net = sum(each.net_minor for each in rows)
        amount = max(carried + net, 0) if states_totals else max(net, 0)
        movements += [replace(each, payout_date=sent) for each in rows]
        if states_totals:
            left = carried + net - amount
            stated.append(StatedPayout(payout_id, "EUR", amount, sent, carried, left))
            carried = left
        if amount:
            number = len(postings) + 1
            lag = draw(st.integers(1, 3))
            text = payout_id.upper() if names_ids else "transfer"
            booked = plus_bank_days(sent, lag)
            postings.append(BankPosting(number, "EUR", amount, booked, "KLARNA BANK AB", text))
            truth[number] = payout_id
    return Weeks(movements, stated, postings, truth)


@st.composite
def _rows(draw: st.DrawFn, week: int, payout_id: str) -> list[Movement]:
    found: list[Movement] = []
    kinds = st.sampled_from(
        [_K.SALE, _K.SALE, _K.SALE, _K.REFUND, _K.CHARGEBACK, _K.RESERVE_HELD, _K.RESERVE_RELEASED, _K.FEE]
    )
    for place in range(draw(st.integers(1, 6))):
        kind = draw(kinds)
        gross = draw(st.sampled_from([1000, 1990, 5877, 20000]))
        fee = draw(st.integers(0, 300)) if kind is _K.SALE else 0
        if kind is _K.FEE:
            gross, fee = 0, draw(st.integers(1, 500))
        at = datetime.combine(MONDAY + timedelta(days=7 * week + place % 5), time(9, place), UTC)
        found.append(
            Movement(
                kind,
                "EUR",
                gross if kind in {_K.SALE, _K.RESERVE_RELEASED, _K.FEE} else -gross,
                fee,
                f"txn_{week}_{place}",
                order_reference=f"SO-{week}{place}",
                payout_id=payout_id,
                at=at,
                row=place + 2,
            )
        )
    return found
