"""Small fees: what banks and services on the way keep of a payment, from 0.01 on."""

from __future__ import annotations

from typing import Final

from lab.matching.cases_amounts import numbered
from lab.matching.scene import Scene, case
from lab.matching.values import Order, Payment, chance

TAKEN: Final = (1, 1, 2, 3, 5, 8, 10, 15, 20, 25, 35, 49, 50, 75, 99, 120, 149)


@case("small_fee_stated", "small_fee_silent")
def small_fee(s: Scene, o: Order) -> list[Payment] | None:
    """A fee of less than 1.50 is missing; the bank states it, or says nothing."""
    taken = s.rng.choice(TAKEN)
    if o.amount < 20 * taken:
        return None
    words = s.rng.choice(["", "SHA", "Spesen SHA", "incl. fee"])
    p = s.pay(o, f"{numbered(s, o)} {words}".strip(), amount=o.amount - taken)
    if s.label == "small_fee_stated":
        p.instructed, p.instructed_currency = s.booked(o, o.amount)[0], p.currency
        p.charges = p.instructed - p.amount
    if p.charges > 0 or taken <= s.kind.fee_tolerance:
        s.credit_in_full(p, [o])
    return [p]


@case("small_fee_twice")
def small_fee_twice(s: Scene, o: Order) -> list[Payment] | None:
    """Two instalments, a stated fee of a few cents on each."""
    if o.amount < 4000:
        return None
    half, day, taken = o.amount // 2, s.due_to_pay(o), s.rng.choice((1, 5, 35))
    found = []
    for part in (half, o.amount - half):
        p = s.pay(o, numbered(s, o), amount=part - taken, day=day)
        p.instructed, p.instructed_currency, p.charges = s.booked(o, part)[0], p.currency, taken
        if not o.rate:
            p.pays, p.withheld = [(o, part)], taken
        else:
            p.charges = 0
        found.append(p)
    return found if chance(s.rng, 0.85) else found[:1]
