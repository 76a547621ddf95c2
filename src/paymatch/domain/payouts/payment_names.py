"""Orders of payments that rows name by different ids: of a charge or its intent, a sale or its authorisation (D-83)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from typing import Generic, TypeVar

from paymatch.domain.payouts.movements import Movement, MovementKind

Order = TypeVar("Order", bound=Hashable)


class OrdersOfPayments(Generic[Order]):
    """Finds the order of a row by the ids of its payment, directly or through rows that name two ids.

    An id that different sales share (a billing agreement, an intent with several charges) joins nothing. An id, or a
    group of joined ids, whose sales are of several orders has none. The order of the rows does not matter.
    """

    def __init__(
        self,
        movements: Sequence[Movement],
        order_of: Callable[[Movement], Order | None],
        booked: Mapping[str, Order],
        ids_of_events: Mapping[str, Collection[str]],
    ) -> None:
        self._ids_of_events = ids_of_events
        sales = {self._place(each): frozenset(self.ids_of(each)) for each in movements if _is_sale(each)}
        self._shared = _shared_ids(sales.values())
        self._groups = _Groups(frozenset(self.ids_of(each)) - self._shared for each in movements)
        found = [(each, order) for each in movements if (order := order_of(each)) is not None]
        of_sales = [(name, order) for each, order in found if _is_sale(each) for name in self.ids_of(each)]
        of_sales = [(name, order) for name, order in of_sales if name not in booked] + list(booked.items())
        of_others = [(name, order) for each, order in found if not _is_sale(each) for name in self.ids_of(each)]
        self._by_id = _only_ones(of_others) | _only_ones(of_sales)
        self._by_group = _only_ones(self._of_groups(of_others)) | _only_ones(self._of_groups(of_sales))

    def ids_of(self, movement: Movement) -> tuple[str, ...]:
        """The ids of the row's payment, its own first; then those of other rows of the same event."""
        others = sorted(self._ids_of_events.get(movement.group, ())) if movement.group else ()
        return tuple(dict.fromkeys((*movement.payment_ids, *others)))

    def of(self, movement: Movement) -> Order | None:
        """The order of the row's payment; None if no row names one, or several orders are named."""
        ids = self.ids_of(movement)
        for name in ids:
            order = self._by_id.get(name)
            if order is not None and not (_is_sale(movement) and name in self._shared):
                return order
        groups = {self._groups.of(name) for name in ids if name not in self._shared}
        orders = {order for each in groups if (order := self._by_group.get(each)) is not None}
        return next(iter(orders)) if len(orders) == 1 else None

    def _of_groups(self, found: Iterable[tuple[str, Order]]) -> list[tuple[str, Order]]:
        return [(self._groups.of(name), order) for name, order in found if name not in self._shared]

    @staticmethod
    def _place(sale: Movement) -> str:
        return sale.group or f"\0{sale.provider_id or id(sale)}"


def _is_sale(movement: Movement) -> bool:
    return movement.kind is MovementKind.SALE


def _shared_ids(sales: Iterable[frozenset[str]]) -> frozenset[str]:
    """Ids of sales that differ in another id: they name more than a payment."""
    counted = Counter(name for ids in set(sales) for name in ids)
    return frozenset(name for name, count in counted.items() if count > 1)


def _only_ones(found: Iterable[tuple[str, Order]]) -> dict[str, Order | None]:
    """Id -> its order; None where it has several."""
    orders: dict[str, set[Order]] = defaultdict(set)
    for name, order in found:
        orders[name].add(order)
    return {name: next(iter(each)) if len(each) == 1 else None for name, each in orders.items()}


class _Groups:
    """Ids that rows name together, directly or through others."""

    def __init__(self, named: Iterable[Collection[str]]) -> None:
        self._parents: dict[str, str] = {}
        for ids in named:
            first, *others = sorted(ids) or ("",)
            for each in others:
                one, other = sorted((self.of(first), self.of(each)))
                if one != other:
                    self._parents[other] = one

    def of(self, name: str) -> str:
        """The least id of the group."""
        path = []
        while name in self._parents:
            path.append(name)
            name = self._parents[name]
        self._parents |= dict.fromkeys(path, name)
        return name
