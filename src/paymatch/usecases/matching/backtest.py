"""Backtest: past postings decided again with the orders' state of that time, compared with the real bookings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import groupby
from typing import Any

from paymatch.domain.matching import learn
from paymatch.domain.matching.decide import decide
from paymatch.domain.matching.lookup.memory_index import MemoryIndex
from paymatch.domain.matching.model import (
    Caution,
    Decision,
    MatchOutcome,
    OrderFacts,
    OrderState,
    PastPosting,
    PostingFacts,
    Related,
    ShopFacts,
)
from paymatch.domain.matching.prepare import prepare
from paymatch.domain.matching.returns import may_give_back
from paymatch.domain.money import Currency, minor_to_text
from paymatch.domain.orders.fees import ChargeLimit
from paymatch.domain.postings import Posting
from paymatch.domain.shops.shop import Shop
from paymatch.store.database import Database
from paymatch.store.matching import backtest as store
from paymatch.store.statements.postings import AllocationRow, StoredPosting
from paymatch.usecases.matching.learning import state_of, text_facts


@dataclass(frozen=True, slots=True)
class BacktestDifference:
    """A posting that the engine would decide differently from its booking."""

    posting_id: str
    booking_date: date
    amount: str
    text: str
    would: str  # matched, suggested, unmatched
    would_pay: tuple[str, ...]
    booked: str
    booked_for: tuple[str, ...]
    by_hand: bool


def backtest(database: Database, shop: Shop, *, since: date | None = None, caution: str = "") -> dict[str, Any]:
    """The engine's decisions on the shop's postings since the day, and every difference to the books.

    Orders have their state of that time: without the period's payments, and cancelled only from their cancellation on.
    `caution` tries another setting than the shop's. Nothing is changed.
    """
    with database.of_shop(shop) as tx:
        facts = ShopFacts(
            caution=Caution(caution or shop.caution),
            tolerance_minor=shop.tolerance_minor,
            fee_tolerance_minor=shop.fee_tolerance_minor,
            charge_limit=ChargeLimit(shop.bank_charge_basis_points, shop.bank_charge_limit_minor),
            **text_facts(tx),
            discount_basis_points=shop.discount_basis_points,
        )
        state = state_of(tx)
        postings = store.postings(tx, since)
        allocations = store.allocations_by_posting(tx, since)
        orders = store.orders_before(tx, since)
        closed_on = store.closed_days(tx)
    replay = _Replay(orders, closed_on, learn.shop_facts(facts, state, ()))
    differences: list[BacktestDifference] = []
    counts: Counter[str] = Counter()
    for day, group in groupby(postings, key=lambda stored: stored.posting.booking_date):
        todays = list(group)
        for stored, decision in zip(todays, replay.decide(day, todays), strict=True):
            booked = allocations.get(stored.id, ())
            verdict = _verdict(decision, stored, booked)
            counts[verdict] += 1
            if verdict not in ("agrees", "agrees: no order"):
                differences.append(_difference(stored, decision, booked))
    return {
        "postings": sum(counts.values()),
        "verdicts": dict(sorted(counts.items())),
        "differences": differences,
    }


class _Replay:
    """Orders in memory, updated by the engine's decisions."""

    def __init__(self, orders: Sequence[OrderFacts], closed_on: dict[str, date], shop: ShopFacts) -> None:
        self._index = MemoryIndex(orders)
        self._closing = sorted((day, number) for number, day in closed_on.items())
        self._shop = shop
        self._past: list[PastPosting] = []

    def decide(self, day: date, todays: Sequence[StoredPosting]) -> list[Decision]:
        """The day's decisions, in the day's order."""
        while self._closing and self._closing[0][0] <= day:
            _, number = self._closing.pop(0)
            if number in self._index.orders:
                self._index.update(replace(self._index.orders[number], state=OrderState.CLOSED))
        prepared = prepare([PostingFacts(p.id, p.posting, p.posting.amount_minor) for p in todays], self._shop)
        related = {p.id: Related(self._earlier(p.posting)) for p in todays if may_give_back(p.posting)}
        decisions = decide(prepared, self._index.known_orders(prepared.keys), self._shop, related)
        for stored, decision in zip(todays, decisions, strict=True):
            match = decision.match
            self._past.append(PastPosting(stored.id, stored.posting, match.allocations if match else ()))
            for allocation in match.allocations if match else ():
                self._pay(allocation.order_number, allocation.pays_minor, day)
        return decisions

    def _earlier(self, posting: Posting) -> tuple[PastPosting, ...]:
        """Postings of the other sign that this one may reverse."""
        return tuple(
            past
            for past in self._past
            if past.posting.amount_minor == -posting.amount_minor
            or (past.posting.counterparty_iban and past.posting.counterparty_iban == posting.counterparty_iban)
        )

    def _pay(self, number: str, minor: int, day: date) -> None:
        order = self._index.orders[number]
        left = order.open_minor - minor
        state = order.state
        if state is not OrderState.CLOSED:
            state = OrderState.OPEN if left > 0 else OrderState.SETTLED
        moved = replace(order, open_minor=left, paid_minor=order.paid_minor + minor, state=state)
        self._index.update(moved)


def _verdict(decision: Decision, stored: StoredPosting, booked: Sequence[AllocationRow]) -> str:
    would = {a.order_number for a in decision.match.allocations} if decision.match else set()
    really = {row.order_number for row in booked}
    if would and would == really:
        return "agrees"
    if would and not really:
        return "would match; booked for no order"
    if would:
        return "would match another order"
    if really:
        suggested = {a.order_number for p in decision.suggestions[:1] for a in p.allocations}
        who = "by hand" if stored.by_hand else "automatically"
        return f"would suggest it, booked {who}" if suggested == really else f"would not match, booked {who}"
    return "agrees: no order"


def _difference(stored: StoredPosting, decision: Decision, booked: Sequence[AllocationRow]) -> BacktestDifference:
    best = decision.match or (decision.suggestions[0] if decision.suggestions else None)
    return BacktestDifference(
        posting_id=stored.id,
        booking_date=stored.posting.booking_date,
        amount=minor_to_text(stored.posting.amount_minor, Currency(stored.posting.currency)),
        text=stored.posting.shown_text,
        would=str(decision.outcome if decision.match is None else MatchOutcome.MATCHED),
        would_pay=tuple(a.order_number for a in best.allocations) if best else (),
        booked=stored.status,
        booked_for=tuple(row.order_number for row in booked),
        by_hand=stored.by_hand,
    )
