"""The key lookup in memory: for benchmarks, replays and small shops; the database does the same in SQL."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from paymatch.domain.matching.lookup.batch import KnownOrders
from paymatch.domain.matching.lookup.keys import MAX_HITS, order_keys
from paymatch.domain.matching.model import OrderFacts


class MemoryIndex:
    """Orders by number, with their lookup keys."""

    def __init__(self, orders: Iterable[OrderFacts] = ()) -> None:
        self.orders: dict[str, OrderFacts] = {}
        self._numbers: dict[int, str | list[str]] = {}  # a key of one order holds its number, without a list around it
        for order in orders:
            self.add(order)

    def add(self, order: OrderFacts) -> None:
        """Adds the order; replaces one of the same number."""
        if order.number in self.orders:
            self.remove(order.number)
        self.orders[order.number] = order
        numbers = self._numbers
        for key in order_keys(order):
            known = numbers.get(key)
            if known is None:
                numbers[key] = order.number
            elif isinstance(known, str):
                numbers[key] = [known, order.number]
            else:
                known.append(order.number)

    update = add

    def remove(self, number: str) -> None:
        """Removes the order; KeyError if it is unknown."""
        for key in order_keys(self.orders.pop(number)):
            known = self._numbers[key]
            if isinstance(known, str):
                del self._numbers[key]
                continue
            known.remove(number)
            if len(known) == 1:
                self._numbers[key] = known[0]

    def known_orders(self, keys: Iterable[int]) -> KnownOrders:
        """The results of the keys, and all orders."""
        hits: dict[int, Sequence[str]] = {}
        overflowed: list[int] = []
        numbers = self._numbers
        for key in keys:
            known = numbers.get(key)
            if known is None:
                continue
            if isinstance(known, str):
                hits[key] = (known,)
            elif len(known) > MAX_HITS:
                overflowed.append(key)
            else:
                hits[key] = known
        return KnownOrders(hits, frozenset(overflowed), self.orders)
