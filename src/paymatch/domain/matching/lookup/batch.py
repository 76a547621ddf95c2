"""A batch while it is decided: its known orders, the missing ones that it asks for, and how much work is left."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Final, NamedTuple

from paymatch.domain.matching.model import OrderFacts
from paymatch.domain.words.message import Message


class Lacks(NamedTuple):
    """Data that deciding needs to continue: keys to be looked up, and numbers of orders whose facts are needed."""

    keys: frozenset[int] = frozenset()
    orders: frozenset[str] = frozenset()

    def __or__(self, other: Lacks) -> Lacks:
        return Lacks(self.keys | other.keys, self.orders | other.orders)


class Lacking(Exception):
    """A posting cannot be decided before `lacks` is known."""

    def __init__(self, lacks: Lacks) -> None:
        super().__init__(lacks)
        self.lacks = lacks


class KnownOrders:
    """The orders that keys have found, and the facts of orders; both may grow while a batch is decided.

    `overflowed` keys found too many orders to mean anything. `later` keys have not been looked up.
    """

    __slots__ = ("_absent", "hits", "later", "orders", "overflowed")

    def __init__(
        self,
        hits: Mapping[int, Sequence[str]],
        overflowed: frozenset[int] = frozenset(),
        orders: Mapping[str, OrderFacts] | None = None,
        later: Iterable[int] = (),
    ) -> None:
        self.hits = hits
        self.overflowed = overflowed
        self.orders: Mapping[str, OrderFacts] = {} if orders is None else orders
        self.later = frozenset(later)
        self._absent: set[str] = set()

    def find(self, key: int) -> Sequence[str]:
        """The numbers of the orders that have the key; Lacking if it has not been looked up."""
        if key in self.later:
            raise Lacking(Lacks(keys=frozenset((key,))))
        return self.hits.get(key, ())

    def need_keys(self, keys: Iterable[int]) -> None:
        """Lacking, once for all of them, if any of these keys have not been looked up."""
        lacking = self.later.intersection(keys)
        if lacking:
            raise Lacking(Lacks(keys=lacking))

    def need(self, numbers: AbstractSet[str]) -> None:
        """Lacking if the facts of any of these orders are not known."""
        lacking = frozenset(numbers).difference(self.orders, self._absent)
        if lacking:
            raise Lacking(Lacks(orders=lacking))

    def add_hits(self, keys: Iterable[int], hits: Mapping[int, Sequence[str]], overflowed: frozenset[int]) -> None:
        """Records the results of these lookups."""
        self.hits = {**self.hits, **hits}
        self.overflowed |= overflowed
        self.later = self.later.difference(keys)

    def add_orders(self, numbers: Iterable[str], orders: Mapping[str, OrderFacts]) -> None:
        """Records the facts of orders with these numbers; the ones not given do not exist."""
        self.orders = {**self.orders, **orders}
        self._absent.update(set(numbers).difference(orders))


LIMIT: Final = 250_000
"""Steps: a key looked up, a pair of orders compared or a subset added up is one. Half a second at most; our test data
needs less than a tenth.
"""
WEIGHING: Final = 50
"""Steps of weighing one order."""
MAX_FOUND: Final = LIMIT // WEIGHING
"""A posting that finds more orders than this exceeds the limit before any of them is compared."""
LOOKING_UP: Final = 100
"""Steps of looking up one key, which the database does, and of keeping it for the orders of later days."""
MAX_KEYS: Final = LIMIT // LOOKING_UP
"""A posting with more keys than this exceeds the limit before any of them is looked up; none is stored."""
BATCH_LIMIT: Final = 20 * LIMIT
"""Steps after which the decided part of a batch is booked, to keep its locks short."""

TOO_MUCH: Final = Message("too-much-work")


class TooMuchWork(Exception):
    """The posting cannot be decided within the limit."""


class Work:
    """The steps that a posting has taken."""

    __slots__ = ("steps",)

    def __init__(self) -> None:
        self.steps = 0

    def add(self, steps: int) -> None:
        """Counts steps that are about to be taken; TooMuchWork if they exceed the limit."""
        self.steps += steps
        if self.steps > LIMIT:
            raise TooMuchWork


class BatchWork:
    """The total steps of a batch's postings; postings beyond its limit are put off."""

    __slots__ = ("steps",)

    def __init__(self) -> None:
        self.steps = 0

    def add(self, steps: int) -> None:
        """Counts steps of one posting that were taken, or will be at least."""
        self.steps += steps

    @property
    def is_spent(self) -> bool:
        """True if no further posting is begun."""
        return self.steps >= BATCH_LIMIT
