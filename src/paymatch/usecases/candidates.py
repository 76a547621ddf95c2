"""Candidates of a batch: orders that keys found, loaded when the engine first looks at one of a posting's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from paymatch.domain.matching.model import OrderFacts
from paymatch.domain.matching.prepare import Prepared
from paymatch.store import matching as store
from paymatch.store.database import ShopId, Tx


class Candidates(Mapping[str, OrderFacts]):
    """Order number -> facts. Orders found by a number in the text are there at once: they decide most postings.

    Those that only a name or an amount brings in are loaded per posting, when its numbers did not settle it.
    """

    def __init__(
        self, tx: Tx, shop: ShopId, prepared: Prepared, hits: Mapping[int, Sequence[str]], more: Sequence[str]
    ) -> None:
        self._tx, self._shop = tx, shop
        named: set[str] = set(more)
        self._together: dict[str, list[str]] = {}
        for view in prepared.views:
            for key in (*view.number_keys, *view.shared_keys):
                named.update(hits.get(key, ()))
            rest = {number for key in view.all_keys() for number in hits.get(key, ())}
            for number in rest:
                self._together.setdefault(number, []).extend(rest)
        self._wanted = named | self._together.keys()
        self._loaded = store.load_orders(tx, shop, sorted(named))

    @property
    def loaded(self) -> dict[str, OrderFacts]:
        """The orders that were looked at so far."""
        return self._loaded

    def __getitem__(self, number: str) -> OrderFacts:
        found = self._loaded.get(number)
        if found is None:
            wanted = {other for other in self._together.get(number, ()) if other not in self._loaded}
            self._loaded |= store.load_orders(self._tx, self._shop, sorted(wanted | {number}))
            found = self._loaded[number]
        return found

    def __contains__(self, number: object) -> bool:
        return number in self._wanted

    def __iter__(self) -> Iterator[str]:
        return iter(self._wanted)

    def __len__(self) -> int:
        return len(self._wanted)
