"""Decisions by hand: match, undo, set aside, ignore (by the same ledger rules as the engine's)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from paymatch.domain.bank_codes import is_cash
from paymatch.domain.matching.model import OrderFacts
from paymatch.domain.matching.text.names import parse_name
from paymatch.domain.matching.text.payers import fee_kind_of, is_holder_for_others, is_named_like_its_orders
from paymatch.domain.matching.weigh.amounts import in_order_currency, in_posting_currency, no_rate
from paymatch.domain.money import Currency, decimal_to_minor, minor_to_text
from paymatch.domain.orders.fees import PAYOUT_FEES, FeeKind
from paymatch.domain.orders.split import AssignmentRefused, SplitShare, missing_amount, split
from paymatch.domain.orders.submission import OrderUnknown
from paymatch.domain.payouts.providers import is_at_provider
from paymatch.domain.postings import (
    OWN_TRANSFER,
    POSTING_LIFECYCLE,
    PostingEvent,
    PostingMoveRefused,
    PostingStatus,
)
from paymatch.domain.shops.audit import AuditAction
from paymatch.domain.shops.shop import Shop
from paymatch.domain.words.message import Message
from paymatch.store.database import Database
from paymatch.store.matching import matching as match_store
from paymatch.store.matching import payers
from paymatch.store.orders import orders as order_store
from paymatch.store.payouts import payout_decisions
from paymatch.store.payouts.payment_rows import call_followers
from paymatch.store.statements import posting_documents
from paymatch.store.statements import postings as store
from paymatch.store.statements import statements as statement_store
from paymatch.store.statements.postings import AllocationRow, DecidedRow, StoredPosting
from paymatch.store.transactions import LockNotAcquired, ShopId, ShopTx
from paymatch.usecases.audit import record
from paymatch.usecases.matching import learning
from paymatch.usecases.matching.matching import match_batch
from paymatch.usecases.matching.unmatching import release
from paymatch.usecases.refunds.feedback import take_returned
from paymatch.usecases.settlement.ledger import settle


class PostingChanged(AssignmentRefused):
    """The posting was decided, by a person or by matching, since this person saw it."""

    def __init__(self, posting_id: str) -> None:
        super().__init__(Message("posting-changed-since-you-looked", posting_id=repr(posting_id)))


class OrderChanged(AssignmentRefused):
    """An order of the posting has more or less open than the person saw."""

    def __init__(self, posting_id: str) -> None:
        super().__init__(Message("order-posting-changed-since-you", posting_id=repr(posting_id)))


_BY_HAND = '{"flags":["by-hand"],"heldBack":"","evidence":[],"suggestions":[]}'


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a posting for an order; `amount_minor` None takes the rest of the posting.

    The order is credited the amount and the withheld fee (D-36).
    """

    order_number: str
    amount_minor: int | None = None
    fee_minor: int = 0
    fee_kind: FeeKind | None = None


@dataclass(frozen=True, slots=True)
class Withheld:
    """The payer's deduction from the whole posting: `minor` None for everything that the orders have open beyond it.

    Without a kind it is the fee of payers with this name, else commission for several orders, a bank's charge for one.
    """

    minor: int | None = 0
    kind: FeeKind | None = None


NOTHING: Final = Withheld()


def match(
    database: Database,
    shop: Shop,
    posting_id: str,
    parts: Sequence[Part],
    clock: datetime,
    withheld: Withheld = NOTHING,
    seen: str = "",
    seen_open_minor: int | None = None,
) -> list[str]:
    """Assigns a posting to orders, replacing its earlier assignment; returns the numbers of the orders.

    AssignmentRefused if the parts exceed the posting, have the wrong sign, or another currency without a rate (D-35);
    OrderUnknown. PostingChanged if it has changed since it was `seen` (`postings.stamp`); OrderChanged if
    its orders no longer have `seen_open_minor` open together, in the posting's currency.
    """
    shop_id, now = ShopId(shop.id), shop.now(clock)
    if not parts:
        raise AssignmentRefused(Message("assign-no-order"))
    with database.of_shop(shop, at=clock) as tx:
        posting = _lock_and_load(tx, posting_id, seen)
        numbers = list(dict.fromkeys(part.order_number for part in parts))
        before = _paid_by(tx, posting_id)
        why = posting_documents.evidence(tx, posting_id)
        order_store.lock(tx, [*numbers, *before])
        release(tx, [posting_id], now)
        if store.reason(tx, posting_id):
            store.set_reason(tx, posting_id, "", now)  # a posting that pays orders is no longer set aside
        orders = _orders_as_seen(tx, posting, parts, shop_id, seen_open_minor)
        rows = _rows(posting, parts, withheld, orders)
        if len(rows) == 1 and take_returned(tx, posting, numbers[0], now):
            return _settle_returned(tx, posting, numbers, before, now)
        passed_on = _write(tx, posting, rows, orders, now)
        learning.undone(tx, posting, [number for number in before if number not in numbers], why.match)
        if passed_on:
            payers.mark_payer_for_rematch(tx, posting.posting, now)
        else:
            learning.learn_from_match(tx, posting, numbers, why.suggested.get(frozenset(numbers), ()))
        match_store.mark_returns_for_rematch(tx, [posting.posting], now)
        settle(tx, numbers, cause="matched by hand", now=now)
        parts_after = {row.order_number: _in_words(row, posting.posting.currency) for row in rows}
        record(
            tx, shop, AuditAction.POSTING_MATCHED, posting_id, before={"orders": before}, after={"orders": parts_after}
        )
    return numbers


def _in_words(row: AllocationRow, currency: Currency) -> str:
    """An order's part of a posting: `97.00 EUR (COMMISSION 3.00 EUR)`."""
    amount = f"{minor_to_text(row.amount_minor, currency)} {currency}"
    if not row.withheld_minor:
        return amount
    return f"{amount} ({row.fee_kind} {minor_to_text(row.withheld_minor, currency)} {currency})"


def _write(
    tx: ShopTx, posting: StoredPosting, rows: Sequence[AllocationRow], orders: Mapping[str, OrderFacts], now: datetime
) -> bool:
    """Writes a person's assignment; whether the posting passes on the money of several customers."""
    store.add_allocations(tx, rows, now)
    _is_no_payout(tx, posting.id)
    status = POSTING_LIFECYCLE.move(posting.status, PostingEvent.PERSON_MATCHED)
    passed_on = _passes_on(posting, rows, orders)
    row = DecidedRow(posting.id, status, _BY_HAND, by_hand=True, collective=passed_on)
    store.write_decisions(tx, [row], now)
    match_store.forget_rematch_index(tx, [posting.id])
    posting_documents.forget_first_suggestions(tx, [posting.id])
    if is_at_provider(posting.posting.account):
        call_followers(tx, [posting.id], now)
    return passed_on


def _settle_returned(
    tx: ShopTx, posting: StoredPosting, numbers: list[str], before: list[str], now: datetime
) -> list[str]:
    """Settles the order whose refund came back, as a person says."""
    match_store.forget_rematch_index(tx, [posting.id])
    posting_documents.forget_first_suggestions(tx, [posting.id])
    settle(tx, numbers, cause="matched by hand", now=now)
    amount = f"{minor_to_text(posting.posting.amount_minor, posting.posting.currency)} {posting.posting.currency}"
    after = {"orders": {numbers[0]: amount}, "returnedRefund": True}
    record(tx, tx.shop, AuditAction.POSTING_MATCHED, posting.id, before={"orders": before}, after=after)
    return numbers


def suggested_parts(database: Database, shop: Shop, posting_id: str, place: int = 1, seen: str = "") -> list[Part]:
    """The parts of one of the posting's suggestions, 1 is the best; AssignmentRefused if there is none.

    `seen` as in `match`.
    """
    with database.of_shop(shop) as tx:
        posting = _lock_and_load(tx, posting_id, seen)
        suggestions = posting_documents.suggestions(tx, posting_id)
    if not suggestions:
        raise AssignmentRefused(Message("assign-no-suggestion", posting=repr(posting_id)))
    if not 1 <= place <= len(suggestions):
        raise AssignmentRefused(Message("assign-no-such-suggestion", posting=repr(posting_id), place=place))
    currency = Currency(posting.posting.currency)
    parts = []
    for each in suggestions[place - 1]:
        fee = decimal_to_minor(each.fee, currency)
        kind = FeeKind(each.feeKind) if each.feeKind else None
        parts.append(Part(each.orderNumber, decimal_to_minor(each.amount, currency) - fee, fee, kind))
    return parts


def currency_of(database: Database, shop: Shop, posting_id: str) -> Currency:
    """The currency in which parts of the posting are given; AssignmentRefused if there is none of this id."""
    with database.of_shop(shop) as tx:
        found = store.load(tx, [posting_id])
    return _load_posting(found, posting_id).posting.currency


def unmatch(database: Database, shop: Shop, posting_id: str, clock: datetime, seen: str = "") -> list[str]:
    """Undoes the match of a posting; returns the orders that it had paid. `seen` as in `match`.

    The posting waits for a decision by hand: it gets suggestions again, and is never matched automatically.
    """
    now = shop.now(clock)
    with database.of_shop(shop, at=clock) as tx:
        posting = _lock_and_load(tx, posting_id, seen)
        try:
            status = POSTING_LIFECYCLE.move(posting.status, PostingEvent.PERSON_UNDID)
        except PostingMoveRefused:
            raise AssignmentRefused(Message("assign-not-matched", posting=repr(posting_id))) from None
        why = posting_documents.evidence(tx, posting_id)
        numbers = release(tx, [posting_id], now)
        learning.undone(tx, posting, numbers, why.match)
        taken_back = sorted({*posting.taken_back, *numbers})
        row = DecidedRow(posting_id, status, _BY_HAND, by_hand=True, taken_back=taken_back)
        store.write_decisions(tx, [row], now)
        match_store.mark_postings_for_rematch(tx, [posting_id], now)
        record(tx, shop, AuditAction.POSTING_UNMATCHED, posting_id, before={"orders": numbers})
    _match_now(database, shop, clock)
    return numbers


def ignore(database: Database, shop: Shop, posting_id: str, reason: str, clock: datetime, seen: str = "") -> None:
    """Marks the posting as not an order payment. AssignmentRefused if it is assigned; `seen` as in `match`."""
    _decide(database, shop, posting_id, PostingEvent.PERSON_IGNORED, reason, clock, seen)


def set_aside(database: Database, shop: Shop, posting_id: str, reason: str, clock: datetime, seen: str = "") -> None:
    """Sets the posting aside with a reason. Refused if it is assigned; `seen` as in `match`."""
    _decide(database, shop, posting_id, PostingEvent.PERSON_SET_ASIDE, reason, clock, seen)


def reconsider(database: Database, shop: Shop, posting_id: str, clock: datetime, seen: str = "") -> None:
    """Matches an ignored or set-aside posting as if it were new. AssignmentRefused if it is neither."""
    now = shop.now(clock)
    with database.of_shop(shop, at=clock) as tx:
        posting = _lock_and_load(tx, posting_id, seen)
        try:
            status = POSTING_LIFECYCLE.move(posting.status, PostingEvent.PERSON_RECONSIDERED)
        except PostingMoveRefused:
            raise AssignmentRefused(Message("assign-not-aside", posting=repr(posting_id))) from None
        reason = store.reason(tx, posting_id)
        if posting.status is status and not reason:
            raise AssignmentRefused(Message("assign-not-aside", posting=repr(posting_id)))
        store.write_decisions(tx, [DecidedRow(posting_id, status, "", by_hand=False)], now)
        _is_no_payout(tx, posting_id)
        store.set_reason(tx, posting_id, "", now)
        if posting.by_rule or reason == OWN_TRANSFER:
            store.set_rule(tx, posting_id, store.TAKEN_UP)
        if posting.status is PostingStatus.IGNORED and posting.by_hand:
            learning.taken_up(tx, posting)
        match_store.mark_postings_for_rematch(tx, [posting_id], now)
        record(
            tx, shop, AuditAction.POSTING_DECIDED, posting_id,
            before={"status": posting.status}, after={"status": status},
        )  # fmt: skip
    _match_now(database, shop, clock)


def _is_no_payout(tx: ShopTx, posting_id: str) -> None:
    """Records that a posting recognised as a payout is not one: the payout is free again."""
    if payout_decisions.is_tied(tx, posting_id):
        payout_decisions.decide(tx, posting_id, None)


def _match_now(database: Database, shop: Shop, clock: datetime) -> None:
    """Decides marked postings now, unless another process is matching; then that process or the worker does."""
    with suppress(LockNotAcquired), database.of_shop(shop, at=clock) as tx:
        match_batch(tx)


@dataclass(frozen=True, slots=True)
class TooMuch:
    """An order that a match would pay beyond its amount; in minor units of its currency."""

    order_number: str
    currency: Currency
    amount_minor: int
    paid_minor: int
    would_be_minor: int


def overpaid_by(
    database: Database, shop: Shop, posting_id: str, parts: Sequence[Part], withheld: Withheld = NOTHING
) -> list[TooMuch]:
    """The orders that these parts of the posting would pay beyond their amount. Refusals as in `match`."""
    with database.of_shop(shop) as tx:
        posting = _load_posting(store.load(tx, [posting_id]), posting_id)
        mine = {row.order_number: row.order_amount_minor for row in store.allocations(tx, [posting_id])}
        orders = {
            number: replace(order, open_minor=order.open_minor + mine.get(number, 0))  # as without this posting
            for number, order in _orders(tx, parts).items()
        }
        found: list[TooMuch] = []
        for row in _rows(posting, parts, withheld, orders):
            order = orders[row.order_number]
            paid = order.amount_minor - order.open_minor
            would_be = paid + row.order_amount_minor
            if row.order_amount_minor > 0 and would_be > max(order.amount_minor, 0):
                found.append(TooMuch(row.order_number, Currency(order.currency), order.amount_minor, paid, would_be))
    return found


def _decide(
    database: Database, shop: Shop, posting_id: str, event: PostingEvent, reason: str, clock: datetime, seen: str
) -> None:
    now = shop.now(clock)
    with database.of_shop(shop, at=clock) as tx:
        posting = _lock_and_load(tx, posting_id, seen)
        try:
            status = POSTING_LIFECYCLE.move(posting.status, event)
        except PostingMoveRefused:
            raise AssignmentRefused(Message("assign-matched", posting=repr(posting_id))) from None
        store.write_decisions(tx, [DecidedRow(posting_id, status, _BY_HAND, by_hand=True)], now)
        match_store.forget_rematch_index(tx, [posting_id])
        posting_documents.forget_first_suggestions(tx, [posting_id])
        if event is PostingEvent.PERSON_IGNORED:
            learning.put_aside(tx, posting)
        store.set_reason(tx, posting_id, reason, now)
        record(
            tx, shop, AuditAction.POSTING_DECIDED, posting_id,
            before={"status": posting.status}, after={"status": status, "reason": reason},
        )  # fmt: skip


def _lock_and_load(tx: ShopTx, posting_id: str, seen: str = "") -> StoredPosting:
    statement_store.lock_matching(tx)
    found = _load_posting(store.load(tx, [posting_id]), posting_id)
    if seen and seen != store.stamp(tx, posting_id):
        raise PostingChanged(posting_id)
    return found


def _load_posting(found: Sequence[StoredPosting], posting_id: str) -> StoredPosting:
    if not found:
        raise AssignmentRefused(Message("no-posting", posting=repr(posting_id)))
    return found[0]


def _paid_by(tx: ShopTx, posting_id: str) -> list[str]:
    return [row.order_number for row in store.allocations(tx, [posting_id])]


def _orders(tx: ShopTx, parts: Sequence[Part]) -> dict[str, OrderFacts]:
    """The orders of the parts; OrderUnknown."""
    orders = match_store.load_orders(tx, [part.order_number for part in parts])
    for part in parts:
        if part.order_number not in orders:
            raise OrderUnknown(part.order_number)
    return orders


def _orders_as_seen(
    tx: ShopTx, posting: StoredPosting, parts: Sequence[Part], shop: ShopId, seen_open_minor: int | None
) -> dict[str, OrderFacts]:
    """The locked orders of the parts; OrderChanged if their open amounts are not those that the person saw."""
    orders = _orders(tx, parts)
    if seen_open_minor is not None and seen_open_minor != sum(_open(posting, each) for each in orders.values()):
        raise OrderChanged(posting.id)
    return orders


def _rows(
    posting: StoredPosting, parts: Sequence[Part], withheld: Withheld, orders: Mapping[str, OrderFacts]
) -> list[AllocationRow]:
    """The allocations of the parts as `split` makes them, with the orders' state without this posting."""
    total, currency = posting.posting.amount_minor, posting.posting.currency
    shares = [
        SplitShare(part.order_number, _open(posting, orders[part.order_number]), part.amount_minor, part.fee_minor)
        for part in parts
    ]
    fee = missing_amount(total, shares) if withheld.minor is None else withheld.minor
    if withheld.minor is None and fee <= 0:
        raise AssignmentRefused(Message("assign-no-fee"))
    given = {part.order_number: part.fee_kind for part in parts}
    kind = withheld.kind or _usual_kind(posting, list(orders.values()))
    return [
        _row(posting, share, orders[share.order_number], given[share.order_number] or kind)
        for share in split(total, shares, currency, fee)
    ]


def _open(posting: StoredPosting, order: OrderFacts) -> int:
    """The order's open amount in the posting's currency; 0 if no rate is known."""
    if order.currency == posting.posting.currency:
        return order.open_minor
    return in_posting_currency(posting.posting, order, order.open_minor) or 0


def _row(posting: StoredPosting, share: SplitShare, order: OrderFacts, kind: FeeKind) -> AllocationRow:
    assert share.amount_minor is not None, "`split` gives every share its amount"
    pays = in_order_currency(posting.posting, share.credited_minor, order, order.open_minor)
    if pays is None:
        why = no_rate(posting.posting.currency, order.currency)
        raise AssignmentRefused(
            Message("assign-no-rate", order=f"'{share.order_number}'", why=Message("no-rate-advice", why=why))
        )
    going_out = "return" if posting.posting.is_return else "outgoing"
    use = "payment" if posting.posting.amount_minor > 0 else going_out
    fee_kind = kind if share.fee_minor else None
    return AllocationRow(posting.id, share.order_number, share.amount_minor, pays, use, True, share.fee_minor, fee_kind)


def _usual_kind(posting: StoredPosting, orders: Sequence[OrderFacts]) -> FeeKind:
    """A deduction from an order in collection is always the agency's commission."""
    known = fee_kind_of(parse_name(posting.posting.counterparty_name))
    is_passed_on = len(orders) > 1 or any(each.in_collection for each in orders)
    return known or (FeeKind.COMMISSION if is_passed_on else FeeKind.BANK_CHARGE)


def _passes_on(posting: StoredPosting, rows: Sequence[AllocationRow], orders: Mapping[str, OrderFacts]) -> bool:
    """True if the payer passes on the money of others: its account is not the customer's (D-5)."""
    if any(row.fee_kind in PAYOUT_FEES for row in rows):
        return True
    payer = parse_name(posting.posting.counterparty_name)
    by_order = [[parse_name(name) for name in order.names] for order in orders.values()]
    if is_cash(posting.posting) or is_holder_for_others((payer,), [name for names in by_order for name in names]):
        return True
    return fee_kind_of(payer) is not None and not is_named_like_its_orders((payer,), by_order)
