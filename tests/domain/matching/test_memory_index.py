"""The lookup by keys: what an order is found by, in each state, and what is too common to mean anything."""

from __future__ import annotations

from dataclasses import replace

import pytest

from paymatch.domain.matching.lookup.keys import (
    MAX_HITS,
    NUMBER_AMOUNT,
    customer_parts,
    key,
    order_keys,
    split_keys,
)
from paymatch.domain.matching.lookup.memory_index import MemoryIndex
from paymatch.domain.matching.model import OrderFacts, OrderState
from paymatch.domain.matching.prepare import prepare
from tests.domain.matching.world import order, paid, posting

ORDER = order(
    "R-2026/00293",
    4990,
    "Claire Gotthard",
    invoice_numbers=("RG26-10493",),
    shipping_numbers=("00340434160837559566",),
    item_numbers=("P-21951",),
    customer_number="20009/clai_gotthard72",
)


def found(orders: list[OrderFacts], text: str, amount: int = 1, name: str = "") -> set[str]:
    index = MemoryIndex(orders)
    hits = index.known_orders(prepare([posting(text, amount, name)]).keys).hits
    return {number for numbers in hits.values() for number in numbers}


@pytest.mark.parametrize(
    ("text", "amount", "name"),
    [
        ("R-2026/00293", 1, ""),
        ("2026 00293", 1, ""),
        ("293", 1, ""),
        ("RG26-10493", 1, ""),
        ("00340434160837559566", 1, ""),
        ("Kd 20009", 1, ""),
        ("clai_gotthard72", 1, ""),
        ("Artikel P-21951", 4990, ""),
        ("", 1, "GOTTHARD CLAIRE"),
        ("", 4990, "Mahmoud Gotthard"),
        ("", 4990, "Hans Pruschke"),
    ],
)
def test_open_order_is_found(text: str, amount: int, name: str) -> None:
    assert found([ORDER], text, amount, name) == {"R-2026/00293"}


def test_settled_order_is_found_by_number_and_by_name_with_its_total_only() -> None:
    settled = replace(ORDER, **paid(ORDER))
    assert found([settled], "R-2026/00293") == {"R-2026/00293"}
    assert found([settled], "", 4990, "Claire Gotthard") == {"R-2026/00293"}
    assert found([settled], "", 4990, "Hans Pruschke") == set()
    assert found([settled], "", 1, "Claire Gotthard") == set()


def test_remainder_is_an_amount_to_be_found_by() -> None:
    partly = replace(ORDER, open_minor=2490, paid_minor=2500)
    assert found([partly], "", 2490, "Mahmoud Gotthard") == {"R-2026/00293"}
    assert found([partly], "", 4990, "Mahmoud Gotthard") == {"R-2026/00293"}


def test_nothing_is_found_by_an_amount_of_nothing() -> None:
    free = order("A1001", 0)
    assert found([replace(free, state=OrderState.SETTLED)], "", 0, "Claire Gotthard") == set()
    assert found([free], "", 0, "Hans Pruschke") == set()
    assert found([replace(ORDER, open_minor=-100, paid_minor=5090)], "", 100, "Hans Pruschke") == set()


def test_what_is_put_into_the_index_twice_is_there_once() -> None:
    others = [order("1001", 4990, "Eva Muster"), order("1002", 4990, "Eva Muster"), order("1003", 4990, "Eva Muster")]
    index = MemoryIndex([*others, others[1]])
    hits = index.known_orders(prepare([posting("", 4990, "Eva Muster")]).keys).hits
    assert {tuple(sorted(numbers)) for numbers in hits.values()} == {("1001", "1002", "1003")}
    for number in ("1002", "1001"):
        index.remove(number)
    assert {
        tuple(each) for each in index.known_orders(prepare([posting("", 4990, "Eva Muster")]).keys).hits.values()
    } == {("1003",)}


@pytest.mark.parametrize(
    ("customer", "parts"),
    [
        ("20009", ("20009",)),
        ("20009/clai_72", ("20009", "CLAI_72")),
        ("", ()),
        ("  ", ()),
        ("/x/", ("X",)),
        ("/ /", ()),
    ],
)
def test_a_marketplaces_user_name_is_a_part_of_the_customer_number(customer: str, parts: tuple[str, ...]) -> None:
    assert customer_parts(customer) == parts


def test_common_keys_overflow_and_give_nothing() -> None:
    orders = [order(str(10000 + i), 1990, f"Kunde {i}") for i in range(MAX_HITS + 1)]
    index = MemoryIndex(orders)
    prepared = prepare([posting("", 1990, "Hans Pruschke")])
    known = index.known_orders(prepared.keys)
    assert (known.hits, len(known.overflowed)) == ({}, 1)
    index.remove("10000")
    known = index.known_orders(prepared.keys)
    assert (len(next(iter(known.hits.values()))), known.overflowed) == (MAX_HITS, frozenset())


def test_update_moves_an_order_to_its_new_keys() -> None:
    index = MemoryIndex([ORDER])
    index.update(replace(ORDER, state=OrderState.CLOSED, amount_minor=100, open_minor=100))
    assert index.known_orders(order_keys(ORDER) - order_keys(index.orders["R-2026/00293"])).hits == {}
    index.remove("R-2026/00293")
    assert index.orders == {}
    assert index.known_orders(order_keys(ORDER)).hits == {}


def test_keys_are_signed_64_bit_bounded_in_number_and_stable() -> None:
    keys = order_keys(ORDER)
    assert len(keys) <= 30
    assert all(-(2**63) <= value < 2**63 for value in keys)
    assert key("n1833") == -7557934501277893892


def test_keys_of_one_posting_are_part_of_the_batch() -> None:
    prepared = prepare([posting("1833", id="A"), posting("1834", id="B")])
    assert prepared.keys == prepared.keys_of("A") | prepared.keys_of("B")
    assert key("n1833") in prepared.keys_of("A")
    assert key("n1833") not in prepared.keys_of("B")


def test_an_order_of_nothing_is_found_by_its_numbers_alone() -> None:
    free = order("R-2026/00293", 0)
    assert found([free], "R-2026/00293") == found([free], "", 1, "Claire Gotthard") == {"R-2026/00293"}
    closed = replace(free, state=OrderState.CLOSED)
    assert found([closed], "R-2026/00293") == {"R-2026/00293"}
    assert split_keys(free)[0] == order_keys(closed)
    assert [len(each) for each in split_keys(free)] == [6, 2]  # the number's forms; the name and the customer's number
    assert [len(each) for each in split_keys(order("R-2026/00293", 1))] == [7, 7]  # and both with the amount


def test_a_batch_of_some_of_its_postings_looks_up_their_keys_only() -> None:
    batch = prepare([posting("10480", id="P1"), posting("10490", id="P2")])
    some = batch.only({"P1"})
    assert [view.id for view in some.views] == ["P1"]
    assert some.keys == batch.keys_of("P1") == prepare([posting("10480", id="P1")]).keys
    assert batch.keys == batch.keys_of("P1") | batch.keys_of("P2")
    assert batch.only(()).keys == frozenset()


@pytest.mark.parametrize(("digits", "shared"), [("834", False), ("1834", False), ("21834", True)])
def test_the_last_digits_of_longer_numbers_alone_are_looked_up_with_the_amount(digits: str, shared: bool) -> None:
    """The whole number is found however short it is."""
    assert (key(f"{NUMBER_AMOUNT}1834:4990EUR") in order_keys(order(f"X{digits}Y", 4990))) is shared
