"""Numbers of one and two digits, as a shop has them in its first weeks: `Bestellung 7`, `SW-7`."""

from __future__ import annotations

import pytest

from paymatch.domain.matching.model import OrderFacts, PostingFacts
from tests.domain.matching.decision_text import told
from tests.domain.matching.world import decided, order, posting

STRANGER = "Hans Pruschke"

CASES: dict[str, tuple[list[OrderFacts], PostingFacts, str]] = {
    "a word and a digit name the payer's order among equal ones": (
        [order("7"), order("8")], posting("Bestellung 8"),
        "matched runner-up-against | 0.993 8 4990 | amount-exact 7.50, number-order-full 5.00, name-equal "
        "11.00, date-age -0.20",
    ),
    "so does the whole of a short number with letters": (
        [order("SW-7"), order("SW-8")], posting("SW-7 Danke"),
        "matched runner-up-against | 0.993 SW-7 4990 | amount-exact 7.50, number-order-full 5.00, name-equal "
        "11.00, date-age -0.20",
    ),
    "the payer's own order is asked about where another one of theirs is named": (
        [order("7", 1990), order("8")], posting("Bestellung 7"),
        "suggested has-number | 0.975 8 4990 | amount-exact 7.50, name-equal 11.00, date-age -0.20",
    ),
    "and where a stranger's order is named that fits as well": (
        [order("7", name=STRANGER), order("8")], posting("Bestellung 7"),
        "suggested may-have-number | 0.983 8 4990 | 0.000 7 4990 | amount-exact 7.50, name-equal 11.00, "
        "date-age -0.20",
    ),
    "and where a stranger's order of another amount is named": (
        [order("12", 1990, name=STRANGER), order("13")], posting("Re 12"),
        "suggested may-have-number | 0.985 13 4990 | amount-exact 7.50, name-equal 11.00, date-age -0.20",
    ),
    "and where the number has letters": (
        [order("SW-7", name=STRANGER), order("SW-8")], posting("SW-7"),
        "suggested may-have-number | 0.983 SW-8 4990 | 0.000 SW-7 4990 | amount-exact 7.50, name-equal 11.00, "
        "date-age -0.20",
    ),
    "a number that is nobody's counts for nothing": (
        [order("8")], posting("Bestellung 7"),
        "matched | 1.000 8 4990 | amount-exact 7.50, name-equal 11.00, date-age -0.20",
    ),
    "nor does a digit without a word": (
        [order("7", name=STRANGER), order("8")], posting("7 Tassen"),
        "matched | 1.000 8 4990 | amount-exact 7.50, name-equal 11.00, date-age -0.20",
    ),
    "nor one that is a part of a longer number": (
        [order("7", name=STRANGER), order("8")], posting("Rechnung 7/2026"),
        "matched | 1.000 8 4990 | amount-exact 7.50, name-equal 11.00, date-age -0.20",
    ),
    "nor one of a date": (
        [order("7", name=STRANGER), order("8")], posting("Bestellung vom 7.3."),
        "matched | 1.000 8 4990 | amount-exact 7.50, name-equal 11.00, date-age -0.20, date-other -0.50",
    ),
    "nor letters with digits inside of a longer number": (
        [order("R-24", name=STRANGER), order("R-25")], posting("R-24-117"),
        "matched | 1.000 R-25 4990 | amount-exact 7.50, name-equal 11.00, date-age -0.20",
    ),
    "a stranger who names an order is asked about": (
        [order("7"), order("8")], posting("Bestellung 8", name=STRANGER),
        "suggested unnamed-other-name | 0.950 8 4990 | amount-exact 7.50, number-order-full 5.00, name-other "
        "-3.00, date-age -0.20",
    ),
    "two orders are named with one word": (
        [order("1", 1990), order("2", 3000)], posting("Rechnung 1 und 2"),
        "matched | 1.000 1 1990, 2 3000 | sum-exact 9.00, number-order-full 5.00, number-order-full 5.00, "
        "name-equal 11.00",
    ),
    "a number needs no word where nothing else is said": (
        [order("7"), order("8")], posting("8"),
        "matched runner-up-against | 0.993 8 4990 | amount-exact 7.50, number-order-full 5.00, name-equal "
        "11.00, date-age -0.20",
    ),
    "a relative's order that is all that is said is asked about": (
        [order("7", name="Peter Gotthard"), order("8")], posting("7"),
        "suggested names-order | 0.922 8 4990 | 0.014 7 4990 | amount-exact 7.50, name-equal 11.00, date-age -0.20",
    ),
    "and a stranger's": (
        [order("7", name=STRANGER), order("8")], posting("#7"),
        "suggested may-have-number | 0.983 8 4990 | 0.000 7 4990 | amount-exact 7.50, name-equal 11.00, date-age -0.20",
    ),
    "a number that is the payer's order's as well is claimed by nobody": (
        [order("16", name=STRANGER), order("SW-16")], posting("Bestell Nr 16"),
        "matched | 1.000 SW-16 4990 | amount-exact 7.50, number-order-digits 1.81, name-equal 11.00, date-age"
        " -0.20",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_short_number(name: str) -> None:
    orders, given, expected = CASES[name]
    assert [told(decision) for decision in decided(orders, [given])] == [expected]
