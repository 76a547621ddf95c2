"""Deciding says what it lacks, all of a day at once; told bit by bit, it decides as if it had known everything."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paymatch.domain.matching.decide import DecisionBatch, decide
from paymatch.domain.matching.lookup.batch import KnownOrders, Lacks
from paymatch.domain.matching.lookup.memory_index import MemoryIndex
from paymatch.domain.matching.model import Decision, OrderFacts, PostingFacts, ShopFacts
from paymatch.domain.matching.prepare import Prepared, prepare
from tests.domain.matching.world import decided, order, outcome, paid, posting

SHOP = ShopFacts(open_orders=200)
EVA = order("S-1001", 4990, "Eva Muster", customer_number="K77001")
CLAIRE = order("S-1002", 4990)
JAN = order("S-1003", 8900, "Jan Falk", customer_number="K77003")


def asked(
    orders: Sequence[OrderFacts], prepared: Prepared, later: frozenset[int]
) -> tuple[list[Lacks], list[Decision]]:
    """What a batch lacked that knew no order and not the keys `later`, and what it decided in the end."""
    index = MemoryIndex(orders)
    everything = index.known_orders(prepared.keys)
    hits = {key: found for key, found in everything.hits.items() if key not in later}
    known = KnownOrders(hits, everything.overflowed, {}, later)
    batch, lacked = DecisionBatch(prepared, known, SHOP, {}), []
    for lacks in batch.decide():
        lacked.append(lacks)
        found = {key: everything.hits[key] for key in lacks.keys if key in everything.hits}
        known.add_hits(lacks.keys, found, frozenset())
        known.add_orders(
            lacks.orders, {number: index.orders[number] for number in lacks.orders if number in index.orders}
        )
    return lacked, batch.in_order()


def test_a_day_asks_for_what_its_postings_lack_at_once() -> None:
    prepared = prepare(
        [posting("Bestellung S-1001", 4990, "Eva Muster", id="P1"), posting("S-1003", 8900, "Jan Falk", id="P2")]
    )
    lacked, decisions = asked([EVA, CLAIRE, JAN], prepared, frozenset())
    assert lacked == [Lacks(orders=frozenset({"S-1001", "S-1003"}))]
    assert [outcome(each) for each in decisions] == [
        ("matched", (("S-1001", 4990),)),
        ("matched", (("S-1003", 8900),)),
    ]


def test_an_amount_is_looked_up_for_whom_number_and_name_find_nothing() -> None:
    prepared = prepare([posting("Danke", 8900, "Nobody Known")])
    amount = frozenset({prepared.views[0].amount_key})
    lacked, (decision,) = asked([EVA, JAN], prepared, amount)
    assert lacked == [Lacks(keys=amount), Lacks(orders=frozenset({"S-1003"}))]
    assert [a.order_number for a in decision.suggestions[0].allocations] == ["S-1003"]


def test_an_amount_is_not_looked_up_for_whom_the_number_is_clear() -> None:
    prepared = prepare([posting("Bestellung S-1001", 4990, "Eva Muster")])
    lacked, _ = asked([EVA, CLAIRE], prepared, frozenset({prepared.views[0].amount_key}))
    assert lacked == [Lacks(orders=frozenset({"S-1001"}))]


def test_orders_that_are_gone_are_passed_over() -> None:
    prepared = prepare([posting("S-1001 S-1003", 8900, "Jan Falk")])
    known = MemoryIndex([EVA, JAN]).known_orders(prepared.keys)
    known.orders = {"S-1003": JAN}
    batch = DecisionBatch(prepared, known, SHOP, {})
    for lacks in batch.decide():
        assert lacks == Lacks(orders=frozenset({"S-1001"}))
        known.add_orders(lacks.orders, {})
    assert batch.in_order() == decided([JAN], [posting("S-1001 S-1003", 8900, "Jan Falk")], SHOP)


def test_deciding_without_being_told_is_refused() -> None:
    prepared = prepare([posting("Bestellung S-1001")])
    known = MemoryIndex([EVA]).known_orders(prepared.keys)
    known.orders = {}
    with pytest.raises(LookupError, match="S-1001"):
        decide(prepared, known, SHOP, {})


ORDERS = st.lists(
    st.sampled_from([EVA, CLAIRE, JAN, order("S-1004", 4990, **paid(EVA)), order("1005", 1990)]), unique=True
)
TEXTS = st.sampled_from(["", "S-1001", "Bestellung S-1003 und S-1001", "K77001", "Danke 1005", "S-1004 doppelt"])
POSTINGS = st.lists(
    st.tuples(
        TEXTS, st.sampled_from([4990, 8900, 1990, 13890, -4990]), st.sampled_from(["Eva Muster", "Jan Falk", "X"])
    ),
    min_size=1,
    max_size=5,
)


@given(ORDERS, POSTINGS, st.data())
def test_told_bit_by_bit_it_decides_as_if_it_had_known(
    orders: list[OrderFacts], said: list[tuple[str, int, str]], data: st.DataObject
) -> None:
    postings: list[PostingFacts] = [posting(*each, id=f"P{place}") for place, each in enumerate(said)]
    prepared = prepare(postings, SHOP)
    later = frozenset(data.draw(st.sets(st.sampled_from(sorted(prepared.keys)))))
    _, decisions = asked(orders, prepared, later)
    assert decisions == decided(orders, postings, SHOP)
