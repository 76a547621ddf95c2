"""Decisions on postings that come together: which is decided first, and what that leaves for the others.

Written and read like the tables of the engine's parts (`pinned_tables.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import timedelta
from itertools import product
from typing import Final

from paymatch.domain.matching.model import AllocationProposal, OrderFacts, OrderState, PastPosting, Related
from tests.domain.matching.decision_text import told
from tests.domain.matching.pinned_decisions import CARRIER, INITIAL, OWN, RELATIVE, SHOP, STRANGER
from tests.domain.matching.world import BOOKED, decided, order, paid, posting

FIRST: Final = order("10480")
TWIN: Final = order("10490", order_date=FIRST.order_date + timedelta(4))
ORDERS: Final[dict[str, list[OrderFacts]]] = {
    "one": [FIRST],
    "twins": [FIRST, TWIN],
    "one and a relative's": [FIRST, order("10490", name=RELATIVE)],
    "one and a stranger's": [FIRST, order("10490", name="Hans Pruschke")],
    "one and double": [FIRST, order("10490", 9980)],
    "one and what is paid": [FIRST, replace(TWIN, **paid(TWIN))],
    "one and what is cancelled": [FIRST, replace(TWIN, state=OrderState.CLOSED)],
}
TEXTS: Final = ("", "10480", "10490", "10480 10490", "Rate 1 von 2")


def two_postings() -> Iterator[str]:
    """Two payments of one day: by their texts and payers, for one order or two."""
    for (said, orders), one, other, payer in product(ORDERS.items(), TEXTS, TEXTS, (OWN, STRANGER)):
        given = [posting(one, id="P1"), posting(other, id="P2", name=payer)]
        first, second = map(told, decided(orders, given, SHOP))
        yield f"{said}: {one} & {other} / {payer} -> {first} & {second}"


def two_days() -> Iterator[str]:
    """A payment, and one of the day before or behind it, of another amount."""
    days, minors = (-1, 1), (4990, 2495, 9980, 3000)
    for (said, orders), text, day, minor, payer in product(
        ORDERS.items(), TEXTS[:3], days, minors, (INITIAL, RELATIVE)
    ):
        other = posting("", minor, payer, id="P2", booking_date=BOOKED + timedelta(day))
        first, second = map(told, decided(orders, [posting(text, id="P1"), other], SHOP))
        yield f"{said}: {text} & {day} {minor} / {payer} -> {first} & {second}"


def payment_and_return() -> Iterator[str]:
    """A payment, or what was paid before, with its return or a refund in one batch."""
    earlier = posting("10480", id="P0", counterparty_iban="DE1", end_to_end_id="E1", booking_date=BOOKED - timedelta(3))
    past = Related((PastPosting("P0", earlier.posting, (AllocationProposal("10480", 4990, 4990),)),))
    for (said, orders), text, minor in product(ORDERS.items(), ("", "10480", "RETOURE 10480"), (-4990, -5375, -2000)):
        pays = posting("10480", id="P1", counterparty_iban="DE1", end_to_end_id="E1")
        back = posting(text, minor, id="P2", counterparty_iban="DE1", original_end_to_end_id="E1", is_return=True)
        own = Related((PastPosting("P1", pays.posting),))
        both = " & ".join(map(told, decided(orders, [back, pays], SHOP, {"P2": own})))
        were_paid = [replace(orders[0], **paid(orders[0])), *orders[1:]]
        before = " & ".join(map(told, decided(were_paid, [back, pays], SHOP, {"P2": past})))
        yield f"{said}: {text} {minor} -> {both} / {before}"


def crowds() -> Iterator[str]:
    """More orders of a name or an amount than are looked up."""
    for size, text, payer in product((63, 64, 65), ("", "20001", "20001 20002"), (OWN, INITIAL, STRANGER, CARRIER)):
        orders = [order(f"2{at:04}", order_date=FIRST.order_date - timedelta(at % 9)) for at in range(size)]
        (decision,) = decided(orders, [posting(text, name=payer)], SHOP)
        yield f"{size}: {text} / {payer} -> {told(decision)}"
        (more,) = decided(orders, [posting(text, 6000, payer)], SHOP)
        yield f"{size}: {text} 6000 / {payer} -> {told(more)}"


def _tables(*tables: Callable[[], Iterable[str]]) -> dict[str, Callable[[], Iterable[str]]]:
    return {table.__name__.replace("_", "-"): table for table in tables}


BATCHES: Final = _tables(two_postings, two_days, payment_and_return, crowds)
