"""Open receivables by age, and days until paid, in the shop's currency."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from paymatch.store.orders import receivables as store
from paymatch.store.transactions import ShopTx

AGES: Final = (1, 15, 31, 61)
"""Days overdue at which the next age class begins; orders not yet due come before the first."""


@dataclass(frozen=True, slots=True)
class OpenByAge:
    """(orders, open minor units) of each age class in the shop's currency, orders not yet due first.

    `others`: open amounts in other currencies, by currency. `sent`: for each age class, the last mail -> number of
    orders that it went to: a dunning level, 0 the payment information, -1 none.
    """

    ages: Sequence[tuple[int, int]]
    others: Mapping[str, int]
    sent: Sequence[Mapping[int, int]]


def by_age(tx: ShopTx, today: date) -> OpenByAge:
    """What is open, by age, and what has been sent about it."""
    places = range(len(AGES) + 1)
    orders, minor = dict.fromkeys(places, 0), dict.fromkeys(places, 0)
    sent: dict[int, dict[int, int]] = {place: {} for place in places}
    others: dict[str, int] = {}
    for each in sorted(store.by_age(tx, today, AGES)):
        if each.currency == tx.shop.currency:
            orders[each.place] += each.orders
            minor[each.place] += each.minor
            sent[each.place][each.sent] = each.orders
        elif each.minor:
            others[each.currency] = others.get(each.currency, 0) + each.minor
    return OpenByAge([(orders[place], minor[place]) for place in places], others, [sent[place] for place in places])


def days_until_paid(tx: ShopTx, begins: Sequence[date], today: date) -> list[tuple[int, int]]:
    """(sum of days from an order to its last payment, number of orders), by the time span of that payment.

    The spans begin on the given days; the last one ends today.
    """
    found = store.days_until_paid(tx, begins, today)
    return [found.get(place, (0, 0)) for place in range(len(begins))]
