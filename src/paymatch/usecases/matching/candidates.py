"""Candidates of a batch: orders that keys find, looked up and loaded when the engine first needs them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from paymatch.domain.matching.lookup.keys import MAX_HITS
from paymatch.domain.matching.lookup.work import BATCH_LIMIT, LIMIT, LOOKING_UP, MAX_FOUND, WEIGHING
from paymatch.domain.matching.model import OrderFacts, Related
from paymatch.domain.matching.prepare import PostingView, Prepared
from paymatch.domain.matching.returns import find_returned, may_give_back
from paymatch.store.database import ShopId, Tx
from paymatch.store.matching import matching as store
from paymatch.store.orders import orders as order_store
from paymatch.store.statements.postings import StoredPosting


class Hits(dict[int, list[str]]):
    """Key -> numbers of the orders that have it; keys of too many orders are in `overflowed` and find none.

    Numbers and names are looked up for all postings at once. By its mere amount a posting is looked up if these found
    nothing, or when the engine asks: most postings never need it, and among a million orders fifty have that amount.
    """

    def __init__(self, tx: Tx, shop: ShopId, prepared: Prepared) -> None:
        super().__init__()
        self._tx, self._shop = tx, shop
        self.looked_up: set[int] = set()
        self.overflowed: frozenset[int] = frozenset()
        self.of_amount: dict[str, list[str]] = {}
        amounts = {view.amount_key for view in prepared.views}
        self._look_up(prepared.keys - amounts)
        bare = {view.amount_key for view in prepared.views if not any(key in self for key in _telling_keys(view))}
        self._look_up_amounts(bare)
        self._waiting = amounts - bare

    def get(self, key: int, default: Sequence[str] = ()) -> Sequence[str]:  # type: ignore[override]
        """The orders of the key; they are looked up and locked now if it is an amount that was not needed so far."""
        if key in self._waiting:
            self._waiting.remove(key)
            self._look_up_amounts((key,))
            order_store.lock(self._tx, self._shop, super().get(key, []))
        return super().get(key, default)

    def _look_up_amounts(self, keys: Collection[int]) -> None:
        for numbers in self._look_up(keys).values():
            self.of_amount.update(dict.fromkeys(numbers, numbers))

    def _look_up(self, keys: Collection[int]) -> Mapping[int, list[str]]:
        found, overflowed = store.find_orders(self._tx, self._shop, keys, MAX_HITS)
        self.update(found)
        self.looked_up.update(keys)
        self.overflowed |= overflowed
        return found


def _telling_keys(view: PostingView) -> Iterator[int]:
    yield from view.number_keys
    yield from view.shared_keys
    yield from view.pair_amount_keys
    yield from view.word_keys


def _named_by(view: PostingView, hits: Mapping[int, Sequence[str]]) -> set[str]:
    """The orders that the posting's numbers found."""
    return {number for key in (*view.number_keys, *view.shared_keys) for number in hits.get(key, ())}


def as_many_as_fit(prepared: Prepared, hits: dict[int, list[str]]) -> Prepared:
    """The first postings of the batch, for which not more was found than a batch may work through; one at least."""
    steps = 0
    for place, view in enumerate(prepared.views):
        if steps >= BATCH_LIMIT:
            return Prepared(prepared.views[:place])
        found = sum(len(dict.get(hits, key, ())) for key in view.all_keys())  # looks nothing up
        steps += min(LIMIT, LOOKING_UP * view.key_count + WEIGHING * found)
    return prepared


def may_settle(prepared: Prepared, hits: dict[int, list[str]]) -> set[str]:
    """The orders that the batch may settle: those that were found so far.

    A posting that finds more than can be compared is left to a person, and nobody waits for any of them meanwhile.
    """
    found: set[str] = set()
    for view in prepared.views:
        some = {number for key in view.all_keys() for number in dict.get(hits, key, ())}  # looks nothing up
        if len(some) > MAX_FOUND:
            some = _named_by(view, hits)
        if len(some) <= MAX_FOUND:
            found |= some
    return found


class Candidates(Mapping[str, OrderFacts]):
    """Order number -> facts. Orders found by a number in the text are there at once: they decide most postings.

    So are those found by the name where no number found any. The others are loaded per posting, when its numbers did
    not settle it: with the first of them all that its name, or its amount, has found.
    """

    def __init__(self, tx: Tx, shop: ShopId, prepared: Prepared, hits: Hits, more: Sequence[str]) -> None:
        self._tx, self._shop, self._hits = tx, shop, hits
        named: set[str] = set(more)
        self._of_name: dict[str, list[Collection[str]]] = {}
        for view in prepared.views:
            by_number = _named_by(view, hits)
            if len(by_number) > MAX_FOUND:
                continue  # it is left to a person before any of them is looked at
            name_keys = (*view.pair_amount_keys, *view.word_keys, *view.pair_keys)
            by_name = {number for key in name_keys for number in hits.get(key)}
            if len(by_name) > MAX_FOUND:
                by_name = set()  # as above, if its numbers do not decide it
            named |= by_number or by_name
            for number in by_name:
                self._of_name.setdefault(number, []).append(by_name)
        self._loaded = store.load_orders(tx, shop, sorted(named))

    @property
    def loaded(self) -> dict[str, OrderFacts]:
        """The orders that were looked at so far."""
        return self._loaded

    def __getitem__(self, number: str) -> OrderFacts:
        found = self._loaded.get(number)
        if found is None:
            groups = self._of_name.get(number) or [self._hits.of_amount.get(number, [number])]
            wanted = {other for group in groups for other in group if other not in self._loaded}
            self._loaded |= store.load_orders(self._tx, self._shop, sorted(wanted))
            found = self._loaded[number]
        return found

    def __contains__(self, number: object) -> bool:
        return number in self._loaded or number in self._of_name or number in self._hits.of_amount

    def __iter__(self) -> Iterator[str]:
        return iter(self._loaded.keys() | self._of_name.keys() | self._hits.of_amount.keys())

    def __len__(self) -> int:
        return len(self._loaded.keys() | self._of_name.keys() | self._hits.of_amount.keys())


def given_back(tx: Tx, shop: ShopId, waiting: Sequence[StoredPosting]) -> dict[str, Related]:
    """What returns may give back: earlier postings of the other sign, by reference, account or amount."""
    found: dict[str, Related] = {}
    for stored in waiting:
        if may_give_back(stored.posting):
            past = find_returned(stored.posting, store.earlier_postings(tx, shop, stored.id, stored.posting))
            found[stored.id] = Related(
                (past,) if past is not None else ()
            )  # a hundred texts each would fill the memory
    return found
