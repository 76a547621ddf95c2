"""Matches due postings with the orders that their keys find, and books the decisions (docs/matching.md)."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import datetime
from math import inf
from typing import Final

from paymatch.domain.matching.decide import DecisionBatch
from paymatch.domain.matching.learn import aside_rule
from paymatch.domain.matching.lookup.batch import BatchWork
from paymatch.domain.matching.lookup.keys import MAX_HITS
from paymatch.domain.matching.model import (
    Decision,
    IgnoreRule,
    MatchOutcome,
    OrderFacts,
    PostingFacts,
    ShopFacts,
)
from paymatch.domain.matching.outgoing import REFUND_RETURNED
from paymatch.domain.matching.prepare import Prepared, prepare
from paymatch.domain.matching.several.hypothesis import contests, first_orders
from paymatch.domain.payouts.providers import is_at_provider
from paymatch.domain.postings import OWN_TRANSFER, POSTING_LIFECYCLE, PostingEvent, PostingStatus
from paymatch.domain.shops.shop import Shop
from paymatch.domain.shops.shop_jobs import ALERTS
from paymatch.domain.words.message import Message
from paymatch.store.database import Database
from paymatch.store.matching import matching as store
from paymatch.store.matching import payers
from paymatch.store.orders import orders as order_store
from paymatch.store.payouts.payment_rows import call_followers
from paymatch.store.statements import posting_documents
from paymatch.store.statements import postings as posting_store
from paymatch.store.statements import statements as statement_store
from paymatch.store.statements.postings import AllocationRow, DecidedRow, StoredPosting
from paymatch.store.transactions import LockNotAcquired, ShopTx, passes
from paymatch.store.work import shop_jobs, tallies
from paymatch.usecases.bisection import process_bisecting, raise_item_alert
from paymatch.usecases.matching import candidates
from paymatch.usecases.matching.advised import NOT_ADVISED, AdvisedDecisions, advised_postings
from paymatch.usecases.matching.decisions import explanation, held_back
from paymatch.usecases.matching.learning import shop_facts
from paymatch.usecases.matching.provider_rows import move_orders
from paymatch.usecases.refunds.feedback import settle_own_refunds
from paymatch.usecases.settlement.ledger import settle

BATCH: Final = 400
"""Postings per transaction: enough to be quick, few enough that calls on the same orders can wait."""

_EVENTS: Final = {
    MatchOutcome.MATCHED: PostingEvent.ENGINE_MATCHED,
    MatchOutcome.SUGGESTED: PostingEvent.ENGINE_SUGGESTED,
    MatchOutcome.UNMATCHED: PostingEvent.ENGINE_FOUND_NOTHING,
}
FAILED: Final = Message("failed")

_NONE: Final[Mapping[str, str]] = {}
_LOCK_TRIES: Final = 10

_GATE_SECONDS: Final = 1
"""Shorter than calls of the API wait: calls that arrive meanwhile queue behind this lock."""


@dataclass(frozen=True, slots=True)
class Counts:
    """The result of a batch."""

    seen: int = 0
    matched: int = 0
    suggested: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.seen + other.seen, self.matched + other.matched, self.suggested + other.suggested)


def match_due(
    database: Database,
    shop: Shop,
    clock: datetime,
    *,
    progress: Callable[[str, int], None] | None = None,
    import_id: str = "",
    seconds: float = inf,
) -> Counts:
    """Matches all due postings of the shop, batch by batch in separate transactions.

    No batch begins after this many `seconds`: the rest stays due. With `import_id`, returns the counts of this import's
    postings, no matter how many batches and processes took part.
    """
    total, busy = Counts(), 0
    ends = time.monotonic() + seconds
    by_status: dict[str, int] = {}
    while True:
        try:
            counts, looked_up = _match_some(lambda: database.of_shop(shop, at=clock), shop, clock)
            if import_id and not counts.seen:
                with database.of_shop(shop, at=clock) as tx:
                    by_status = posting_store.status_counts(tx, import_id)
            _look_again(database, shop, looked_up, clock)
        except LockNotAcquired:
            busy += 1
            if busy > _LOCK_TRIES:
                raise
            continue
        total += counts
        if progress is not None and counts.seen:
            progress("matching", total.seen)
        if not counts.seen or time.monotonic() > ends:
            break
    if import_id:
        return Counts(total.seen, by_status.get(PostingStatus.MATCHED, 0), by_status.get(PostingStatus.SUGGESTED, 0))
    return total


def match_now(tx: ShopTx) -> Counts:
    """Matches all due postings within the caller's transaction: for rehearsals that are rolled back."""
    total = Counts()
    while (counts := match_batch(tx)).seen:
        total += counts
    return total


def match_batch(tx: ShopTx) -> Counts:
    """Decides one batch of due postings and books the decisions; `seen` is 0 when nothing is due."""
    return _match_some(tx.savepoint, tx.shop, tx.wall_time)[0]


LookedUp = Mapping[int, Sequence[str]]
"""The keys of the postings that remain open, with the orders that each found."""

_Opened = Callable[[], AbstractContextManager[ShopTx]]
"""A transaction, or a savepoint of one."""


def _match_some(opened: _Opened, shop: Shop, clock: datetime) -> tuple[Counts, LookedUp]:
    """Decides one batch. A posting that raises an unexpected error is left to a person, and the others are decided."""
    now = shop.now(clock)

    def together(postings: Sequence[str]) -> tuple[Counts, LookedUp]:
        with opened() as tx:
            return _match_batch(tx, set(postings))

    def on_failure(posting_id: str, error: Exception) -> None:
        with opened() as tx:
            _leave_to_a_person(tx, posting_id, error, now)

    try:
        with opened() as tx:
            return _match_batch(tx)
    except Exception as error:
        if passes(error):
            raise
    with opened() as tx:
        due = store.due_for_rematch(tx, now, BATCH)
    parts = process_bisecting(due, together, on_failure)
    looked_up = {key: numbers for _, found in parts for key, numbers in found.items()}
    return replace(sum((counts for counts, _ in parts), Counts()), seen=len(due)), looked_up


def _leave_to_a_person(tx: ShopTx, posting_id: str, error: Exception, now: datetime) -> None:
    """Leaves the posting undecided until something schedules it again; it shows why, and gets an alert."""
    raise_item_alert(tx, Message("item-posting", posting=posting_id), error, now)
    try:
        with tx.savepoint():
            (stored,) = posting_store.load(tx, [posting_id])
            status = POSTING_LIFECYCLE.move(stored.status, PostingEvent.ENGINE_FOUND_NOTHING)
            why = explanation(Decision(posting_id, MatchOutcome.UNMATCHED, review_reason=FAILED), "", {})
            row = DecidedRow(posting_id, status, why, stored.by_hand, taken_back=stored.taken_back)
            posting_store.write_decisions(tx, [row], now)
    except Exception as also:
        if passes(also):
            raise
    store.rematch_done(tx, [posting_id])


class _Waiting:
    """The postings of a batch that nothing has explained yet: each kind of explanation takes its own away."""

    def __init__(self, postings: list[StoredPosting]) -> None:
        self.postings = postings
        self.taken: set[str] = set()

    def take(self, ids: Collection[str]) -> list[StoredPosting]:
        """Removes these postings, and returns those of them that waited."""
        found = [posting for posting in self.postings if posting.id in ids]
        self.postings = [posting for posting in self.postings if posting.id not in ids]
        self.taken.update(posting.id for posting in found)
        return found


def _match_batch(tx: ShopTx, only: Collection[str] | None = None) -> tuple[Counts, LookedUp]:
    now = tx.now
    tx.prefer_indexes()
    statement_store.lock_matching(tx)
    due = [each for each in store.due_for_rematch(tx, now, BATCH) if only is None or each in only]
    if not due:
        return Counts(), {}
    loaded = posting_store.load(tx, due)
    held = [posting for posting in loaded if posting.is_open and posting.by_hand]
    waiting = _Waiting([posting for posting in loaded if posting.is_open and not posting.by_hand])
    refunds = settle_own_refunds(tx, waiting.postings, now)
    waiting.take(refunds.postings)
    waiting.take(_set_own_transfers_aside(tx, waiting.postings, now))
    moved = move_orders(tx, waiting.postings, now)
    waiting.take(moved.postings)
    advised = advised_postings(tx, loaded, now)
    stated = waiting.take(advised.decisions)
    _book(tx, stated, [advised.decisions[each.id] for each in stated], advised.orders, prepare([]), now, ())
    free = waiting.postings
    decided_here = waiting.taken.union(posting.id for posting in (*free, *held))
    store.rematch_done(tx, [posting.id for posting in loaded if posting.id not in decided_here])
    work = BatchWork()
    orders = [*refunds.orders, *moved.orders]
    decisions, looked_up = _decide(tx, free, now, orders, work, refunds.in_question, advised)
    for posting in held:  # each separately: its match must not count for others, because it is not booked
        if work.is_spent:
            break
        of_held, also = _decide(tx, [posting], now, (), work)
        decisions, looked_up = decisions + of_held, looked_up | also
    matched = sum(decision.outcome is MatchOutcome.MATCHED for decision in decisions)
    matched += len(refunds.postings) + moved.matched + len(stated)
    suggested = sum(decision.outcome is MatchOutcome.SUGGESTED for decision in decisions)
    suggested += moved.suggested
    _count(tx, matched, suggested, len(decisions) + len(waiting.taken))
    if refunds.postings:
        shop_jobs.wake(tx, ALERTS, now)  # the bank has answered
    store.mark_returns_for_rematch(tx, [each.posting for each in loaded if each.is_open], now)
    put_off = len(free) + len(held) - len(decisions)
    return Counts(len(due) - put_off, matched, suggested), looked_up


def _set_own_transfers_aside(tx: ShopTx, waiting: Sequence[StoredPosting], now: datetime) -> frozenset[str]:
    """Sets aside postings from or to another account of the shop; returns their ids (D-100).

    A person may decide otherwise: postings reconsidered by hand are not set aside again.
    """
    own = statement_store.own_accounts(tx) if any(each.posting.counterparty_iban for each in waiting) else ()
    found = [
        each
        for each in waiting
        if each.posting.counterparty_iban in own
        and each.posting.counterparty_iban != each.posting.account
        and each.by_rule != posting_store.TAKEN_UP
    ]
    moves = [(each, POSTING_LIFECYCLE.move(each.status, PostingEvent.NO_ORDER_RECOGNISED)) for each in found]
    posting_store.write_decisions(tx, [DecidedRow(each.id, status, "") for each, status in moves], now)
    ids = frozenset(each.id for each in found)
    if ids:
        posting_store.set_reason_of_all(tx, sorted(ids), OWN_TRANSFER, now)
        store.forget_rematch_index(tx, sorted(ids))
    return ids


def _decide(
    tx: ShopTx,
    waiting: Sequence[StoredPosting],
    now: datetime,
    more_orders: Sequence[str],
    work: BatchWork,
    in_question: Mapping[str, str] = _NONE,
    advised: AdvisedDecisions = NOT_ADVISED,
) -> tuple[list[Decision], dict[int, Sequence[str]]]:
    """Decides these postings as far as there is work left, and books the decisions; also settles `more_orders`.

    Postings that are put off stay due. `in_question`: posting -> the order whose refund it may bring back, if a person
    confirms it.
    """
    facts = shop_facts(tx, waiting)
    prepared = prepare([PostingFacts(p.id, p.posting, p.open_minor) for p in waiting], facts)
    known = candidates.look_up(tx, prepared)
    prepared = candidates.limit_to_work_budget(prepared, known.hits)
    waiting = waiting[: len(prepared.views)]
    store.forget_rematch_index(
        tx, [p.id for p in waiting if p.status is PostingStatus.SUGGESTED]
    )  # do not count against them
    related = candidates.earlier_postings_of_returns(tx, waiting)
    returned = [a.order_number for each in related.values() for past in each.earlier for a in past.allocations]
    returned += in_question.values()
    order_store.lock(tx, sorted(candidates.orders_to_lock(prepared, known.hits).union(returned)))
    candidates.load(tx, known, candidates.orders_to_load(prepared, known.hits).union(returned))
    batch = DecisionBatch(prepared, known, facts, related, work)
    for lacks in batch.decide():
        candidates.fetch(tx, known, lacks)
    decisions = batch.in_order()
    if len(decisions) < len(waiting):
        decided = {decision.posting_id for decision in decisions}
        prepared, waiting = prepared.only(decided), [stored for stored in waiting if stored.id in decided]
    wrong = statement_store.postings_not_adding_up(tx, [stored.id for stored in waiting])
    in_question = {**candidates.refunds_brought_back(tx, decisions, related), **in_question}
    decisions = [
        advised.beside(held_back(each, stored, in_question.get(stored.id, ""), adds_up=stored.id not in wrong), stored)
        for each, stored in zip(decisions, waiting, strict=True)
    ]
    aside = _set_aside(prepared, decisions, waiting, facts)
    _book(tx, waiting, decisions, {**known.orders, **advised.orders}, prepared, now, more_orders, advised)
    _keep_rules(tx, waiting, aside, now)
    open_keys = {key for d in decisions if d.match is None for key in prepared.keys_of(d.posting_id)}
    return decisions, {key: known.hits.get(key, ()) for key in open_keys - known.later}


def _set_aside(
    prepared: Prepared, decisions: Sequence[Decision], waiting: Sequence[StoredPosting], facts: ShopFacts
) -> dict[str, IgnoreRule]:
    """Posting -> the rule that sets it aside; never one that is matched, or that names an order (D-49)."""
    found = {}
    for view, decision, stored in zip(prepared.views, decisions, waiting, strict=True):
        if decision.match is None and stored.may_be_set_aside and not contests(decision):
            rule = aside_rule(view, facts)
            if rule is not None:
                found[stored.id] = rule
    return found


def _keep_rules(tx: ShopTx, waiting: Sequence[StoredPosting], aside: Mapping[str, IgnoreRule], now: datetime) -> None:
    """Sets postings aside with their rule's reason; a posting that its rule no longer covers waits like any other."""
    for stored in waiting:
        rule = aside.get(stored.id)
        if rule is not None and stored.by_rule != rule.id:
            posting_store.set_reason(tx, stored.id, rule.reason, now)
            posting_store.set_rule(tx, stored.id, rule.id)
        elif rule is None and stored.by_rule and stored.may_be_set_aside:
            posting_store.set_reason(tx, stored.id, "", now)
            posting_store.set_rule(tx, stored.id, "")


def _look_again(database: Database, shop: Shop, looked_up: LookedUp, clock: datetime) -> None:
    """Schedules a batch's postings again for orders submitted while it was decided: neither saw the other.

    Waits for submissions in progress; later ones see the keys that the postings left.
    """
    if not looked_up:
        return
    now = shop.now(clock)
    try:
        with database.of_shop(shop, _GATE_SECONDS, at=clock) as tx:
            store.await_submissions(tx)
        with database.of_shop(shop, at=clock) as tx:
            tx.prefer_indexes()
            hits, _ = store.find_orders(tx, looked_up, MAX_HITS)
            new = [key for key, numbers in hits.items() if not set(numbers) <= set(looked_up[key])]
            store.mark_for_rematch(tx, new, now, MAX_HITS)
    except LockNotAcquired:
        with database.of_shop(shop, at=clock) as tx:
            store.mark_for_rematch(tx, looked_up, now, MAX_HITS)


def _count(tx: ShopTx, matched: int, suggested: int, decided: int) -> None:
    counts = {
        MatchOutcome.MATCHED: matched,
        MatchOutcome.SUGGESTED: suggested,
        MatchOutcome.UNMATCHED: decided - matched - suggested,
    }
    tallies.add(tx, {tallies.DECIDED + outcome: count for outcome, count in counts.items()})


def _book(
    tx: ShopTx,
    waiting: Sequence[StoredPosting],
    decisions: Sequence[Decision],
    orders: Mapping[str, OrderFacts],
    prepared: Prepared,
    now: datetime,
    more_orders: Sequence[str],
    advised: AdvisedDecisions = NOT_ADVISED,
) -> None:
    """Writes allocations, explanations and keys, and settles the orders."""
    by_id = {stored.id: stored for stored in waiting}
    allocations = [row for each in decisions for row in _allocations(each, by_id[each.posting_id])]
    decided = [_decision_row(each, by_id[each.posting_id], orders) for each in decisions]
    posting_store.add_allocations(tx, allocations, now)
    posting_store.write_decisions(tx, decided, now)
    store.forget_rematch_index(tx, [d.posting_id for d in decisions if d.match is not None])
    open_ones = [d for d in decisions if d.match is None]
    store.save_rematch_index(
        tx,
        {
            d.posting_id: _rematch_index(
                d, by_id[d.posting_id], {*prepared.keys_of(d.posting_id), *advised.keys_of(d.posting_id)}
            )
            for d in open_ones
        },
    )
    proposed = {d.posting_id: (by_id[d.posting_id].posting.booking_date, first_orders(d)) for d in decisions}
    store.mark_postings_for_rematch(tx, posting_documents.save_first_suggestions(tx, proposed), now)
    payers.mark_proved_payers_for_rematch(tx, decisions, by_id, now)
    sales = {row.posting_id for row in allocations if is_at_provider(by_id[row.posting_id].posting.account)}
    if sales:
        call_followers(tx, sales, now)
    settle(tx, [*(a.order_number for a in allocations), *more_orders], cause="payment matched", now=now)


def _allocations(decision: Decision, stored: StoredPosting) -> list[AllocationRow]:
    """The decision's credits to orders; none unless it is a match."""
    if decision.match is None:
        return []
    kind = kind_of(decision, stored.posting.amount_minor)
    return [
        AllocationRow(
            *(stored.id, a.order_number, a.amount_minor, a.pays_minor), *(kind, False, a.withheld_minor, a.fee_kind)
        )
        for a in decision.match.allocations
    ]


def _decision_row(decision: Decision, stored: StoredPosting, orders: Mapping[str, OrderFacts]) -> DecidedRow:
    """The posting's status and explanation after the decision."""
    return DecidedRow(
        decision.posting_id,
        POSTING_LIFECYCLE.move(stored.status, _EVENTS[decision.outcome]),
        explanation(decision, stored.posting.currency, orders),
        stored.by_hand,
        is_collective(decision),
        stored.taken_back,
    )


def _rematch_index(decision: Decision, stored: StoredPosting, keys: Collection[int]) -> store.RematchIndex:
    suggested = {a.order_number for proposal in decision.suggestions for a in proposal.allocations}
    return store.RematchIndex(keys, suggested, set(contests(decision)) - set(stored.taken_back))


def kind_of(decision: Decision, amount_minor: int) -> str:
    """How the allocation counts in the order's books: payment, return of one, or money sent by hand."""
    # A return that is itself returned is one, too: the order has its payment again.
    if amount_minor > 0 and REFUND_RETURNED not in decision.flags:
        return "payment"
    return "return" if "returned" in decision.flags else "outgoing"


def is_collective(decision: Decision) -> bool:
    """True for payouts of carriers and marketplaces: their account is not the customer's (D-5)."""
    return "collective" in decision.flags
