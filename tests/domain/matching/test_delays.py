"""When a shop's orders are paid: learnt from its last payments, blended with what is usual."""

from __future__ import annotations

from datetime import date
from math import exp

import pytest

from paymatch.domain.matching.model import Delay
from paymatch.domain.matching.rank.delays import Delays, delay_of
from tests.domain.matching.world import ORDERED, order

EARLY = [Delay(age, age - 14) for age in (1, 2, 2, 3) for _ in range(50)]
LATE = [Delay(age, age - 14) for age in (19, 20, 20, 21) for _ in range(50)]


def test_a_delay_counts_from_the_order_and_from_the_day_it_is_due() -> None:
    assert delay_of(order("A1001"), date(2026, 3, 9)) == Delay(7, None)
    assert delay_of(order("A1001", due_date=date(2026, 3, 16)), date(2026, 3, 9)) == Delay(7, -7)
    assert delay_of(order("A1001", order_date=ORDERED), date(2026, 3, 1)) == Delay(-1, None)


@pytest.mark.parametrize(("past", "likelier", "other"), [(EARLY, 2, 20), (LATE, 20, 2)])
def test_the_shops_own_delays_say_which_order_is_paid_now(past: list[Delay], likelier: int, other: int) -> None:
    delays = Delays(past)
    assert delays.hazard(Delay(likelier, likelier - 14)) > delays.hazard(Delay(other, other - 14)) + 1.0


def test_without_payments_the_usual_delays_count() -> None:
    assert Delays().hazard(Delay(14, 0)) > Delays().hazard(Delay(40, 26))
    assert Delays().hazard(Delay(1, None)) > Delays().hazard(Delay(30, None))


def test_delays_of_orders_with_a_due_date_say_nothing_of_those_without() -> None:
    assert Delays(LATE).hazard(Delay(20, None)) == Delays().hazard(Delay(20, None))


@pytest.mark.parametrize("past", [[], EARLY, LATE, [Delay(-3, None), Delay(4000, 3970), Delay(-4000, None)]])
def test_the_chance_of_any_day_is_a_chance(past: list[Delay]) -> None:
    delays = Delays(past)
    for age in (0, 1, 14, 89, 90, 91, 92, 93, 200, 5000):
        for overdue in (None, age - 14, age - 400):
            assert 0.0 < exp(delays.hazard(Delay(age, overdue))) < 1.0
