"""One posting takes so many steps at most, whatever its text names; what is beyond is a person's."""

from __future__ import annotations

import time

import pytest

from paymatch.domain.matching.decide import decide
from paymatch.domain.matching.lookup.batch import (
    BATCH_LIMIT,
    LIMIT,
    MAX_FOUND,
    MAX_KEYS,
    TOO_MUCH,
    WEIGHING,
    BatchWork,
    TooMuchWork,
    Work,
)
from paymatch.domain.matching.lookup.memory_index import MemoryIndex
from paymatch.domain.matching.model import FirstSuggestion, OrderFacts, PastPosting, PostingFacts, Related, ShopFacts
from paymatch.domain.matching.prepare import OrderView, prepare
from tests.domain.matching.world import BOOKED, decided, order, outcome, posting

SHARED_BY = 64
"""Orders that have the same invoice number: as many as a key may find."""


def shared_invoices(count: int, name: str = "Claire Gotthard") -> list[OrderFacts]:
    """So many invoice numbers, each of 64 orders of one customer, with amounts of which no two are equal."""
    return [
        order(f"ZZ{k:03}A{i:02}", 1000 + 13 * i + 999 * k, name, customer_number="C1", invoice_numbers=(invoice(k),))
        for k in range(count)
        for i in range(SHARED_BY)
    ]


def invoice(k: int) -> str:
    return str(10_000_000 + 7 * k)


def naming(count: int, **more: str) -> PostingFacts:
    """A posting whose text names so many invoices."""
    return posting(" ".join(map(invoice, range(count))), 999_999, **more)


def test_the_limits_are_what_may_be_spent() -> None:
    work, batch = Work(), BatchWork()
    work.add(LIMIT)
    with pytest.raises(TooMuchWork):
        work.add(1)
    batch.add(BATCH_LIMIT - 1)
    assert not batch.is_spent
    batch.add(1)
    assert batch.is_spent


def test_posting_that_names_thousands_of_orders_is_a_persons_and_the_others_are_decided() -> None:
    orders = [*shared_invoices(100), order("SW-20001", 4990)]
    plain = posting("SW-20001", id="P2")
    began = time.process_time()
    hostile, other = decided(orders, [naming(100), plain])
    assert time.process_time() - began < 2
    assert (*outcome(hostile), hostile.review_reason) == ("unmatched", (), TOO_MUCH)
    assert hostile.flags == ("too-much-work",)
    assert outcome(other) == outcome(decided(orders, [plain])[0]) == ("matched", (("SW-20001", 4990),))


@pytest.mark.parametrize("count", [1, 2, 4, 8, 16, 32, 64, 96])
def test_time_does_not_grow_with_what_is_named(count: int) -> None:
    orders = shared_invoices(count)
    began = time.process_time()
    decided(orders, [naming(count, name="Xaver Yilmaz")])
    assert time.process_time() - began < 2


def test_very_long_names_are_compared_within_the_limit() -> None:
    words = " ".join(f"{chr(65 + i % 26)}{chr(65 + i // 26)}{'XYZQ' * 2}" for i in range(500))
    orders = [order(f"ZZ{i:02}A", 1000 + i, words) for i in range(SHARED_BY)]
    began = time.process_time()
    (decision,) = decided(orders, [posting("", 1001, " ".join(reversed(words.split())))])
    assert time.process_time() - began < 2
    assert (decision.match, decision.review_reason) == (None, TOO_MUCH)


def test_very_long_texts_are_read_beside_few_orders_only() -> None:
    orders = shared_invoices(32)
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    words = " ".join(f"{a}{b}{c}Q" for a in letters for b in letters for c in letters[:14])
    text = " ".join(map(invoice, range(32)))
    began = time.process_time()
    (decision,) = decided(orders, [posting(f"{text} {words}", 999_999)])
    assert time.process_time() - began < 2
    assert decision.review_reason == TOO_MUCH


def test_decision_is_the_same_each_time_and_in_any_company() -> None:
    orders, hostile = shared_invoices(100), naming(100)
    alone = decided(orders, [hostile])[0]
    assert decided(orders, [posting("Danke", 4990, id="P0"), hostile])[1] == alone == decided(orders, [hostile])[0]


def test_payout_of_many_parcels_is_far_from_the_limit() -> None:
    parcels = [order(f"{20_000_000 + 11 * i}", 1000 + i, f"Kunde Nr{i}a") for i in range(110)]
    text = " ".join(each.number for each in parcels)
    (decision,) = decided(parcels, [posting(text, sum(each.open_minor for each in parcels), "DHL Paket GmbH")])
    assert outcome(decision)[0] == "matched"


@pytest.mark.parametrize(
    "hostile",
    [
        posting("", 4990, remittance_lines=tuple(str(10_000_000 + 7 * i) for i in range(8_000))),
        posting("x", 4990, structured_references=tuple(str(10_000_000 + 7 * i) for i in range(8_000))),
        posting("10000000/" + "/".join(str(100 + i) for i in range(9_000)), 4990),
        posting("Rate 1 von 12", 4990, " ".join(f"{chr(65 + i % 26)}{chr(65 + i // 26)}QX" for i in range(600))),
    ],
    ids=["lines", "references", "a list", "words of a name"],
)
def test_posting_with_thousands_of_keys_looks_none_of_them_up(hostile: PostingFacts) -> None:
    prepared = prepare([hostile])
    assert prepared.views[0].key_count > MAX_KEYS
    assert (prepared.keys, prepared.keys_of("P1")) == (frozenset(), frozenset())
    plain = posting("SW-20001", id="P2")
    decisions = decided([order("SW-20001", 4990)], [hostile, plain])
    assert [(outcome(each)[0], each.review_reason) for each in decisions] == [("unmatched", TOO_MUCH), ("matched", "")]


def in_turns(orders: list[OrderFacts], postings: list[PostingFacts]) -> list[list[str]]:
    """The postings that are decided together if each batch ends at its limit of work."""
    index, turns = MemoryIndex(orders), []
    while postings:
        prepared, work = prepare(postings), BatchWork()
        decisions = decide(prepared, index.known_orders(prepared.keys), ShopFacts(open_orders=200), {}, work)
        assert work.steps < 2 * (BATCH_LIMIT + LIMIT)  # those that others move are weighed twice
        turns.append([each.posting_id for each in decisions])
        postings = [each for each in postings if each.id not in turns[-1]]
    return turns


def test_batch_of_hostile_postings_is_decided_in_turns() -> None:
    numbers = tuple(map(invoice, range(MAX_KEYS)))
    hostile = [posting("", 4990, id=f"P{place:02}", structured_references=numbers) for place in range(50)]
    turns = in_turns([], hostile)
    assert [each for turn in turns for each in turn] == [each.id for each in hostile]
    assert [len(turn) for turn in turns] == [20, 20, 10]


def test_batch_of_usual_postings_is_decided_at_once() -> None:
    orders = [order(f"SW-2{place:04}", 4990 + place) for place in range(400)]
    usual = [posting(f"Bestellung SW-2{place:04}", 4990 + place, id=f"P{place:03}") for place in range(400)]
    assert in_turns(orders, usual) == [[each.id for each in usual]]


def test_return_waits_for_the_posting_that_it_gives_back_though_that_is_put_off() -> None:
    paid = posting("SW-20001", 4990, id="P9", end_to_end_id="E-1")
    back = posting("SW-20001", -4990, id="P0", original_end_to_end_id="E-1", is_return=True)
    hostile = posting("", 4990, id="P1", structured_references=tuple(map(invoice, range(MAX_KEYS))))
    prepared, work = prepare([back, hostile, paid]), BatchWork()
    work.add(BATCH_LIMIT - LIMIT)
    index = MemoryIndex([order("SW-20001", 4990)])
    related = {"P0": Related((PastPosting("P9", paid.posting),))}
    facts = ShopFacts(open_orders=200)
    assert [each.posting_id for each in decide(prepared, index.known_orders(prepared.keys), facts, related, work)] == [
        "P1"
    ]


def test_steps_are_counted_up_to_the_limit() -> None:
    work = Work()
    work.add(LIMIT)
    with pytest.raises(TooMuchWork):
        work.add(1)
    assert WEIGHING * MAX_FOUND == LIMIT


def test_the_limit_is_the_last_step_that_may_be_taken() -> None:
    work = Work()
    work.add(LIMIT)
    with pytest.raises(TooMuchWork):
        work.add(1)


def test_each_change_of_an_order_counts() -> None:
    """By the count a verdict of before is known to be out of date."""
    view = OrderView(order("1834"))
    view.contest()
    view.contest()  # it was contested before
    assert view.touched == 1
    view.propose(FirstSuggestion(BOOKED, "P1"))
    view.take(1000, 0)
    assert (view.touched, view.open, view.paid) == (3, 3990, 1000)


def test_steps_are_counted_by_what_is_looked_up_weighed_and_added_up() -> None:
    """Exactly, so that a loop that is forgotten, or counted twice, is seen."""
    orders = [order("10480"), order("10490", 3000), order("10491", 1990)]
    shop = ShopFacts(open_orders=200)
    expected = {
        ("", 4990): 554,
        ("10480", 4990): 755,
        ("10480 10490 10491", 9980): 1875,
        ("10480 10490 10491", 7990): 1879,  # four subsets: all three orders, then pairs until one fits
    }
    for (text, amount), steps in expected.items():
        prepared = prepare([posting(text, amount)], shop)
        decide(prepared, MemoryIndex(orders).known_orders(prepared.keys), shop, {})
        assert prepared.views[0].work.steps == steps, text
