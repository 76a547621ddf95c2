"""Martin and Martina Becker are two people: a payment without a number by the one is not for the other's order."""

from __future__ import annotations

import pytest

from paymatch.domain.matching.text.names import Likeness, best_likeness, parse_name
from tests.domain.matching.world import decided, order, outcome, posting

PAIRS = (
    ("Martin", "Martina"), ("Christian", "Christiane"), ("Andrea", "Andreas"), ("Julia", "Julian"), ("Mario", "Maria"),
    ("Jan", "Jana"), ("Paul", "Paula"), ("Luca", "Lucas"),
)  # fmt: skip


def likeness(payer: str, customer: str) -> Likeness:
    return best_likeness([parse_name(payer)], [parse_name(customer)])


@pytest.mark.parametrize(("one", "other"), [*PAIRS, *(pair[::-1] for pair in PAIRS)])
def test_another_end_is_another_first_name(one: str, other: str) -> None:
    assert likeness(f"{one} Becker", f"{other} Becker") is Likeness.SURNAME
    assert likeness(f"BECKER, {one.upper()}", f"{other} Becker") is Likeness.SURNAME
    customers = [order("10480", name=f"{other} Becker")]
    without, named = (decided(customers, [posting(text, name=f"{one} Becker")])[0] for text in ("", "10480"))
    assert outcome(without) == ("suggested", (("10480", 4990),))
    assert outcome(named) == ("matched", (("10480", 4990),))


@pytest.mark.parametrize(
    ("payer", "customer", "expected"),
    [
        ("BECKER MARTI", "Martina Becker", Likeness.VARIANT),  # cut off by the bank
        ("M. Becker", "Martina Becker", Likeness.CLOSE),
        ("Katarina Becker", "Katharina Becker", Likeness.CLOSE),  # typed otherwise
        ("Martina Beckers", "Martina Becker", Likeness.CLOSE),
        ("Martina Ivanov", "Martina Ivanova", Likeness.VARIANT),
        ("Mart?na Becker", "Martina Becker", Likeness.VARIANT),
    ],
)
def test_a_name_that_is_written_otherwise_is_the_same(payer: str, customer: str, expected: Likeness) -> None:
    assert likeness(payer, customer) is expected
