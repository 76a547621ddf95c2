"""Accounts that pay for several customers: which names are one customer's (D-5, D-37)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paymatch.domain.refunds.shared_accounts import PaidOrder, pays_for_several

HOLDER = "Sternfels Abwicklung"


def paid(holder: str, *names: tuple[str, ...]) -> list[PaidOrder]:
    """Orders 0, 1, ... of customers with these names, paid by the holder's account."""
    return [PaidOrder(str(place), holder, each) for place, each in enumerate(names)]


@pytest.mark.parametrize(
    ("holder", "names", "shared"),
    [
        (HOLDER, [("Jonas Berg",), ("Lena Roth",)], True),
        (HOLDER, [("Jonas Berg",), ("Jonas Roth",)], True),  # a first name in common
        (HOLDER, [("Jonas Berg",), ("Ida Berg",)], False),
        (HOLDER, [("Jonas Berg",), ("J. Berg",)], False),
        (HOLDER, [("Jonas Berg",), ("Berg Jonas",)], False),
        (HOLDER, [("Jonas Berg",)], False),
        (HOLDER, [("Jonas Berg",), ()], False),  # an erased person
        (HOLDER, [(), ("Jonas Berg",), ("Lena Roth",)], False),  # whose refund is of the erased person's order
        ("Jonas Berg", [("Jonas Berg",), ("Lena Roth",), ("Mia Klein",)], False),
        ("Jonas Berg", [("Mia Klein",), ("Lena Roth",), ("Jonas Berg",)], True),
        ("Jonas Berg", [("Lena Roth",), ("Jonas Berg",), ("Ida Berg",)], False),
        (HOLDER, [("Jonas Berg", "Berghof GmbH"), ("Lena Roth", "Berghof GmbH")], False),
        (HOLDER, [("Nordlicht Logistik GmbH",), ("Suedwind Logistik GmbH",)], True),
        (HOLDER, [("Jonas Berg",), ("Lena Roth",), ("Jonas Berg", "Lena Roth")], False),  # the last one connects them
        ("Ivan Petrov", [("Иван Петров",), ("Lena Roth",), ("Mia Klein",)], False),  # as his bank must write him
        ("Iwan Petrow", [("Иван Петров",), ("Lena Roth",), ("Mia Klein",)], False),
        ("Ivan Petrov", [("Мария Петрова",), ("Lena Roth",), ("Mia Klein",)], False),  # his family
        ("Ivan Petrov", [("Иван Сидоров",), ("Lena Roth",), ("Mia Klein",)], True),
        ("Copoc Ahha", [("Сорос Анна",), ("Lena Roth",), ("Mia Klein",)], True),  # only looks alike
        ("Ivan Petrov", [("Ivan P\u0435trov",), ("Lena Roth",), ("Mia Klein",)], True),
    ],
)
def test_whose_account(holder: str, names: list[tuple[str, ...]], shared: bool) -> None:
    """Of a refund of the first order."""
    assert pays_for_several(paid(holder, *names), "0") is shared


def test_an_order_that_the_account_has_not_paid() -> None:
    assert not pays_for_several(paid(HOLDER, ("Jonas Berg",), ("Lena Roth",)), "2")


@pytest.mark.parametrize(("of_whom", "shared"), [(("Ida Berg",), False), (("Mia Klein",), True)])
def test_the_confirmation_is_for_one_customer(of_whom: tuple[str, ...], shared: bool) -> None:
    orders = paid(HOLDER, ("Jonas Berg",), ("Lena Roth",))
    assert pays_for_several([*orders, PaidOrder("9", HOLDER, of_whom, confirmed=True)], "0") is shared


_CUSTOMERS = st.sampled_from([("Jonas Berg",), ("Lena Roth",), ("Ida Berg", "Berghof GmbH"), ("Mia Klein",), ()])


@given(st.lists(_CUSTOMERS, min_size=1, max_size=7), st.randoms())
def test_the_sequence_of_payments_does_not_matter(names: list[tuple[str, ...]], chance: object) -> None:
    orders = paid(HOLDER, *names)
    shuffled = orders.copy()
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    for order in orders:
        assert pays_for_several(orders, order.number) == pays_for_several(shuffled, order.number)
