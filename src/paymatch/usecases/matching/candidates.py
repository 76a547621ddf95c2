"""Candidates of a batch: the orders that its keys find, looked up, locked and loaded as needed."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from paymatch.domain.matching.lookup.batch import (
    BATCH_LIMIT,
    LIMIT,
    LOOKING_UP,
    MAX_FOUND,
    WEIGHING,
    KnownOrders,
    Lacks,
)
from paymatch.domain.matching.lookup.keys import MAX_HITS
from paymatch.domain.matching.model import Decision, Related
from paymatch.domain.matching.outgoing import REFUND_RETURNED
from paymatch.domain.matching.prepare import PostingView, Prepared
from paymatch.domain.matching.returns import find_returned, may_give_back
from paymatch.store.matching import matching as store
from paymatch.store.orders import orders as order_store
from paymatch.store.refunds import given_back
from paymatch.store.statements.postings import StoredPosting
from paymatch.store.transactions import ShopTx


def look_up(tx: ShopTx, prepared: Prepared) -> KnownOrders:
    """The results of the batch's keys, without the facts of these orders.

    Numbers and names are looked up for all postings at once. A posting's amount alone is looked up now if these found
    nothing, or later when deciding asks for it: most never need it, and among a million orders fifty have it.
    """
    amounts = {view.amount_key for view in prepared.views}
    known = KnownOrders(*store.find_orders(tx, prepared.keys - amounts, MAX_HITS))
    bare = {view.amount_key for view in prepared.views if known.hits.keys().isdisjoint(_telling_keys(view))}
    known.add_hits(bare, *store.find_orders(tx, bare, MAX_HITS))
    known.later = frozenset(amounts - bare)
    return known


def load(tx: ShopTx, known: KnownOrders, numbers: Collection[str]) -> None:
    """Adds the facts of these orders."""
    known.add_orders(numbers, store.load_orders(tx, sorted(numbers)))


def fetch(tx: ShopTx, known: KnownOrders, lacks: Lacks) -> None:
    """Adds the data that deciding the batch lacks; locks the orders first."""
    if lacks.keys:
        known.add_hits(lacks.keys, *store.find_orders(tx, lacks.keys, MAX_HITS))
    if lacks.orders:
        order_store.lock(tx, sorted(lacks.orders))
        load(tx, known, lacks.orders)


def _telling_keys(view: PostingView) -> Iterator[int]:
    yield from view.number_keys
    yield from view.shared_keys
    yield from view.pair_amount_keys
    yield from view.word_keys


def _named_by(view: PostingView, hits: Mapping[int, Sequence[str]]) -> set[str]:
    """The orders that the posting's numbers found."""
    return {number for key in (*view.number_keys, *view.shared_keys) for number in hits.get(key, ())}


def limit_to_work_budget(prepared: Prepared, hits: Mapping[int, Sequence[str]]) -> Prepared:
    """The first postings of the batch whose results fit into a batch's work; at least one."""
    steps = 0
    for place, view in enumerate(prepared.views):
        if steps >= BATCH_LIMIT:
            return Prepared(prepared.views[:place])
        found = sum(len(hits.get(key, ())) for key in view.all_keys)
        steps += min(LIMIT, LOOKING_UP * view.key_count + WEIGHING * found)
    return prepared


def orders_to_lock(prepared: Prepared, hits: Mapping[int, Sequence[str]]) -> set[str]:
    """The orders that the batch may settle: those found so far.

    A posting that finds more than can be compared is left to a person, so none of its orders is locked.
    """
    found: set[str] = set()
    for view in prepared.views:
        some = {number for key in view.all_keys for number in hits.get(key, ())}
        if len(some) > MAX_FOUND:
            some = _named_by(view, hits)
        if len(some) <= MAX_FOUND:
            found |= some
    return found


def orders_to_load(prepared: Prepared, hits: Mapping[int, Sequence[str]]) -> set[str]:
    """The orders that deciding will compare: those found by a number, or by the name if no number found any."""
    wanted: set[str] = set()
    for view in prepared.views:
        by_number = _named_by(view, hits)
        name_keys = () if by_number else (*view.pair_amount_keys, *view.word_keys, *view.pair_keys)
        found = by_number or {number for key in name_keys for number in hits.get(key, ())}
        if len(found) <= MAX_FOUND:  # others are left to a person before any order is compared
            wanted |= found
    return wanted


def refunds_brought_back(tx: ShopTx, decisions: Sequence[Decision], related: Mapping[str, Related]) -> dict[str, str]:
    """Posting -> the order whose executed refund it would reverse: a person says whether the refund came back (D-4)."""
    reversing = {
        each.posting_id: related[each.posting_id].earlier[0].id for each in decisions if REFUND_RETURNED in each.flags
    }
    debits = given_back.debited_for(tx, sorted(set(reversing.values()))) if reversing else {}
    return {posting: debits[past][0] for posting, past in reversing.items() if past in debits}


def earlier_postings_of_returns(tx: ShopTx, waiting: Sequence[StoredPosting]) -> dict[str, Related]:
    """Postings that returns may reverse: earlier ones of the other sign, by reference, account or amount."""
    found: dict[str, Related] = {}
    for stored in waiting:
        if may_give_back(stored.posting):
            past = find_returned(stored.posting, store.earlier_postings(tx, stored.id, stored.posting))
            found[stored.id] = Related(
                (past,) if past is not None else ()
            )  # a hundred texts each would fill the memory
    return found
