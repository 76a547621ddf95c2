"""Decisions by hand: match, undo, set aside, ignore (issue: the same ledger rules as the engine's)."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from paymatch.domain.matching.exchange import NO_RATE_ADVICE, in_order_currency, no_rate
from paymatch.domain.money import Currency, decimal_to_minor
from paymatch.domain.orders.submission import OrderUnknown
from paymatch.domain.postings import PostingEvent, PostingMoveRefused, next_status
from paymatch.domain.refusal import Refused
from paymatch.domain.shops.audit import DeedKind
from paymatch.domain.shops.shop import Shop
from paymatch.store.database import Database, LockNotAcquired, ShopId, Tx
from paymatch.store.matching import first_suggestions
from paymatch.store.matching import matching as match_store
from paymatch.store.orders import orders as order_store
from paymatch.store.statements import postings as store
from paymatch.store.statements import statements as statement_store
from paymatch.store.statements.postings import AllocationRow, DecidedRow, StoredPosting
from paymatch.usecases.matching import learning
from paymatch.usecases.matching.matching import match_batch
from paymatch.usecases.matching.unmatching import release
from paymatch.usecases.orders.ledger import settle
from paymatch.usecases.work.audit import record_deed

_BY_HAND = '{"flags":["by-hand"],"heldBack":"","evidence":[],"suggestions":[]}'


class AssignmentRefused(Refused):
    """The decision by hand cannot be booked; the text says why."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a posting for an order; `amount_minor` None takes what is left of the posting."""

    order_number: str
    amount_minor: int | None = None


def match(database: Database, shop: Shop, posting_id: str, parts: Sequence[Part], clock: datetime) -> list[str]:
    """Assigns a posting to orders, replacing what it was assigned to; the numbers of the orders.

    AssignmentRefused if the parts exceed the posting, have the wrong sign, or another currency without a rate (D-35);
    OrderUnknown.
    """
    shop_id, now = ShopId(shop.id), shop.now(clock)
    if not parts:
        raise AssignmentRefused("Name at least one order")
    with database.transaction(shop_id) as tx:
        posting = _held(tx, shop_id, posting_id)
        numbers = [part.order_number for part in parts]
        if len(set(numbers)) != len(numbers):
            raise AssignmentRefused("An order is named twice")
        before = _paid_by(tx, shop_id, posting_id)
        why = store.evidence(tx, shop_id, posting_id)
        order_store.lock(tx, shop_id, [*numbers, *before])
        release(tx, shop_id, [posting_id], now)
        rows = _rows(tx, shop_id, posting, parts)
        store.add_allocations(tx, shop_id, rows, now)
        status = next_status(posting.status, PostingEvent.PERSON_MATCHED)
        store.write_decisions(tx, shop_id, [DecidedRow(posting_id, status, _BY_HAND, by_hand=True)], now)
        match_store.forget_rematch_index(tx, shop_id, [posting_id])
        first_suggestions.forget(tx, shop_id, [posting_id])
        learning.undone(tx, shop, posting, [number for number in before if number not in numbers], why.match)
        learning.confirmed(tx, shop, posting, numbers, why.suggested.get(frozenset(numbers), ()))
        settle(tx, shop, numbers, cause="matched by hand", now=now)
        parts_after = {row.order_number: row.amount_minor for row in rows}
        record_deed(
            tx, shop, DeedKind.POSTING_MATCHED, posting_id, before={"orders": before}, after={"orders": parts_after}
        )
    return numbers


def first_suggestion(database: Database, shop: Shop, posting_id: str) -> list[Part]:
    """The parts of the posting's best suggestion; AssignmentRefused if it has none."""
    with database.transaction(ShopId(shop.id)) as tx:
        posting = _held(tx, ShopId(shop.id), posting_id)
        suggestions = store.suggestions(tx, ShopId(shop.id), posting_id)
    if not suggestions:
        raise AssignmentRefused(f"Posting {posting_id!r} has no suggestion: name the orders")
    currency = Currency(posting.posting.currency)
    return [Part(number, decimal_to_minor(amount, currency)) for number, amount in suggestions[0]]


def currency_of(database: Database, shop: Shop, posting_id: str) -> Currency:
    """The currency in which parts of the posting are given; AssignmentRefused if there is none of this id."""
    with database.transaction(ShopId(shop.id)) as tx:
        found = store.load(tx, ShopId(shop.id), [posting_id])
    return _known(found, posting_id).posting.currency


def unmatch(database: Database, shop: Shop, posting_id: str, clock: datetime) -> list[str]:
    """Takes the assignment of a posting back; the orders that it had paid.

    It waits for a decision by hand: it gets suggestions again, and is never matched without a person.
    """
    shop_id, now = ShopId(shop.id), shop.now(clock)
    with database.transaction(shop_id) as tx:
        posting = _held(tx, shop_id, posting_id)
        try:
            status = next_status(posting.status, PostingEvent.PERSON_UNDID)
        except PostingMoveRefused:
            raise AssignmentRefused(f"Posting {posting_id!r} is not matched") from None
        why = store.evidence(tx, shop_id, posting_id)
        numbers = release(tx, shop_id, [posting_id], now)
        learning.undone(tx, shop, posting, numbers, why.match)
        taken_back = sorted({*posting.taken_back, *numbers})
        row = DecidedRow(posting_id, status, _BY_HAND, by_hand=True, taken_back=taken_back)
        store.write_decisions(tx, shop_id, [row], now)
        match_store.mark_postings_for_rematch(tx, shop_id, [posting_id], now)
        record_deed(tx, shop, DeedKind.POSTING_UNMATCHED, posting_id, before={"orders": numbers})
    # Those that it calls are decided now, if nobody is at it; otherwise by whoever is, or by the worker.
    with suppress(LockNotAcquired), database.transaction(shop_id) as tx:
        match_batch(tx, shop, clock)
    return numbers


def ignore(database: Database, shop: Shop, posting_id: str, reason: str, clock: datetime) -> None:
    """The posting is no payment of an order. AssignmentRefused if it is assigned."""
    _decide(database, shop, posting_id, PostingEvent.PERSON_IGNORED, reason, clock)


def set_aside(database: Database, shop: Shop, posting_id: str, reason: str, clock: datetime) -> None:
    """The posting waits for something else, with a reason. AssignmentRefused if it is assigned."""
    _decide(database, shop, posting_id, PostingEvent.PERSON_SET_ASIDE, reason, clock)


def _decide(database: Database, shop: Shop, posting_id: str, event: PostingEvent, reason: str, clock: datetime) -> None:
    shop_id, now = ShopId(shop.id), shop.now(clock)
    with database.transaction(shop_id) as tx:
        posting = _held(tx, shop_id, posting_id)
        try:
            status = next_status(posting.status, event)
        except PostingMoveRefused:
            raise AssignmentRefused(f"Posting {posting_id!r} is matched: take the match back first") from None
        store.write_decisions(tx, shop_id, [DecidedRow(posting_id, status, _BY_HAND, by_hand=True)], now)
        match_store.forget_rematch_index(tx, shop_id, [posting_id])
        first_suggestions.forget(tx, shop_id, [posting_id])
        if event is PostingEvent.PERSON_IGNORED:
            learning.put_aside(tx, shop, posting)
        store.set_reason(tx, shop_id, posting_id, reason)
        record_deed(
            tx, shop, DeedKind.POSTING_DECIDED, posting_id,
            before={"status": posting.status}, after={"status": status, "reason": reason},
        )  # fmt: skip


def _held(tx: Tx, shop: ShopId, posting_id: str) -> StoredPosting:
    statement_store.lock_matching(tx, shop)
    return _known(store.load(tx, shop, [posting_id]), posting_id)


def _known(found: Sequence[StoredPosting], posting_id: str) -> StoredPosting:
    if not found:
        raise AssignmentRefused(f"There is no posting {posting_id!r}")
    return found[0]


def _paid_by(tx: Tx, shop: ShopId, posting_id: str) -> list[str]:
    return [row.order_number for row in store.allocations(tx, shop, [posting_id])]


def _rows(tx: Tx, shop: ShopId, posting: StoredPosting, parts: Sequence[Part]) -> list[AllocationRow]:
    """The allocations; the part without an amount takes what is left."""
    total = posting.posting.amount_minor
    sign = 1 if total > 0 else -1
    left = total - sum(part.amount_minor for part in parts if part.amount_minor is not None)
    open_parts = [part for part in parts if part.amount_minor is None]
    if len(open_parts) > 1:
        raise AssignmentRefused("Only one order may be named without an amount")
    rows: list[AllocationRow] = []
    orders = match_store.load_orders(tx, shop, [part.order_number for part in parts])
    for part in parts:
        order = orders.get(part.order_number)
        if order is None:
            raise OrderUnknown(part.order_number)
        minor = left if part.amount_minor is None else part.amount_minor
        if minor * sign <= 0:
            raise AssignmentRefused(f"The part for order '{part.order_number}' must have the sign of the posting")
        pays = in_order_currency(posting.posting, minor, order, order.open_minor)
        if pays is None:
            why = no_rate(posting.posting.currency, order.currency)
            raise AssignmentRefused(f"Order '{part.order_number}': {why}: {NO_RATE_ADVICE}")
        kind = "payment" if sign > 0 else "return" if posting.posting.is_return else "outgoing"
        rows.append(AllocationRow(posting.id, part.order_number, minor, pays, kind, True))
    if abs(sum(row.amount_minor for row in rows)) > abs(total):
        raise AssignmentRefused("The parts are more than the posting")
    return rows
