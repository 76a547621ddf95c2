"""Rows of settlement files meet their orders: the provider states them, so nothing is guessed (D-36, D-80, D-83)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

import msgspec

from paymatch.domain.matching.lookup.keys import MAX_HITS
from paymatch.domain.matching.model import PostingFacts
from paymatch.domain.matching.prepare import prepare
from paymatch.domain.money import Currency, minor_to_text
from paymatch.domain.orders.fees import FeeKind
from paymatch.domain.payouts.movements import Movement, MovementKind, combine, distinct
from paymatch.domain.payouts.order_moves import (
    OrderMove,
    OrderMoveKind,
    ProviderOrder,
    also_spelled_otherwise,
    hold_uncovered,
    numbers_in,
    plan_order_moves,
    spelling_of,
)
from paymatch.domain.payouts.provider_postings import ProviderPosting, postings_of_event
from paymatch.domain.payouts.providers import is_at_provider, provider_of
from paymatch.domain.postings import POSTING_LIFECYCLE, PostingEvent
from paymatch.domain.refunds.refunds import REFUND_LIFECYCLE, RefundEvent, RefundStatus
from paymatch.domain.shops.shop import Shop
from paymatch.domain.witnesses import Witness
from paymatch.domain.words.message import as_text
from paymatch.store.matching import matching as match_store
from paymatch.store.orders import orders as order_store
from paymatch.store.payouts import payment_rows
from paymatch.store.payouts import payouts as store
from paymatch.store.payouts import settlement_lines as lines
from paymatch.store.payouts.settlement_lines import AccountKey, LineOfSettlement
from paymatch.store.refunds import refunds as refund_store
from paymatch.store.refunds.refunds import RefundRow
from paymatch.store.statements import postings as posting_store
from paymatch.store.statements.postings import AllocationRow, DecidedRow, StoredPosting
from paymatch.store.transactions import ShopId, ShopTx

_KINDS: Final[Mapping[OrderMoveKind, str]] = {
    OrderMoveKind.CREDIT: "payment",
    OrderMoveKind.RESTORE: "payment",
    OrderMoveKind.REFUND: "outgoing",
    OrderMoveKind.CHARGE_BACK: "return",
}
_WAITS: Final = frozenset({RefundStatus.NEW, RefundStatus.BANKDETAILS_MISSING})


@dataclass(slots=True)
class MovedOrders:
    """Postings decided here, and the orders whose books they changed; `matched` and `suggested` count them."""

    postings: set[str] = field(default_factory=set)
    orders: list[str] = field(default_factory=list)
    matched: int = 0
    suggested: int = 0


def move_orders(tx: ShopTx, waiting: Sequence[StoredPosting], now: datetime) -> MovedOrders:
    """Books the effects of settlement rows on orders; the caller settles the orders.

    A row whose order is not known yet leaves its keys, so the order finds it later. Sales without a known number are
    left to matching, which knows invoices and names.
    """
    moved = MovedOrders()
    by_account: dict[AccountKey, list[StoredPosting]] = defaultdict(list)
    for stored in waiting:
        if is_at_provider(stored.posting.account) and stored.posting.entry_reference:
            by_account[AccountKey(stored.posting.account, stored.posting.currency)].append(stored)
    for key, own in by_account.items():
        _Moves(tx, tx.shop, key, own, now).book(moved)
    return moved


class _Moves:
    """The rows of one account that wait for their orders."""

    def __init__(self, tx: ShopTx, shop: Shop, key: AccountKey, own: Sequence[StoredPosting], now: datetime) -> None:
        self._tx, self._shop, self._shop_id, self._now = tx, shop, ShopId(shop.id), now
        self._key, self._own = key, own
        self._code = key.account.partition(":")[0]
        events = {each.posting.entry_reference for each in own}
        found = lines.of_events(tx, key, events)
        self._rows = _by_event(found)
        payments = payment_rows.ids_of(found)
        related = payment_rows.of_payments(tx, key, payments, without=events) if payments else []
        others = {each.movement.group for each in related if each.movement.currency == key.currency}
        further = lines.of_events(tx, key, others) if others else []
        self._context = _by_event([*(each for each in related if each.movement.currency != key.currency), *further])
        self._postings = {
            posting.id: posting
            for event, rows in self._rows.items()
            for posting in postings_of_event(key.account, event, [each.movement for each in rows])
        }
        self._keys: dict[str, frozenset[int]] = {}  # of the postings read so far

    def book(self, moved: MovedOrders) -> None:
        """Decides each posting whose order is known."""
        moves = self._plan()
        refunds = self._open_refunds(moves.values())
        allocations: list[AllocationRow] = []
        decided: list[DecidedRow] = []
        open_ones: dict[str, tuple[str, ...]] = {}
        for stored in self._own:
            posting, move = self._postings.get(stored.id), moves.get(stored.posting.entry_reference)
            if posting is None or not posting.part.is_of_order:
                continue
            if move is None and posting.movement.kind is MovementKind.SALE:
                continue
            moved.postings.add(stored.id)
            number = "" if move is None else move.order_number
            if move is None or not move.is_automatic or number in stored.taken_back:
                decided.append(self._left_open(stored, posting, move))
                open_ones[stored.id] = (number,) if number else ()
                moved.suggested += bool(number)
                continue
            allocations.append(self._allocation(stored, posting, move, refunds))
            status = POSTING_LIFECYCLE.move(stored.status, PostingEvent.ENGINE_MATCHED)
            decided.append(DecidedRow(stored.id, status, self._explanation(move), stored.by_hand))
            moved.orders.append(number)
            moved.matched += 1
        self._read_keys(open_ones)
        indexes = {
            name: match_store.RematchIndex(self._keys[name], suggested, suggested)
            for name, suggested in open_ones.items()
        }
        self._write(allocations, decided, indexes)

    def _read_keys(self, wanted: Collection[str]) -> None:
        """Reads the texts of these postings; most name their order in a column and never need this."""
        own = [each for each in self._own if each.id in wanted and each.id not in self._keys]
        prepared = prepare([PostingFacts(each.id, each.posting, each.open_minor) for each in own])
        self._keys |= {each.id: frozenset(prepared.keys_of(each.id)) for each in own}

    def _write(
        self,
        allocations: Sequence[AllocationRow],
        decided: Sequence[DecidedRow],
        indexes: Mapping[str, match_store.RematchIndex],
    ) -> None:
        tx = self._tx
        posting_store.add_allocations(tx, allocations, self._now)
        posting_store.write_decisions(tx, decided, self._now)
        matched = {row.posting_id for row in allocations}
        match_store.forget_rematch_index(tx, sorted(matched))
        match_store.save_rematch_index(tx, indexes)
        events = {each.posting.entry_reference for each in self._own if each.id in matched}
        payments = payment_rows.ids_of(row for event in events for row in self._rows.get(event, ()))
        followers = set(self._context) if payments else set()
        if followers:
            store.call_events(tx, self._key.account, followers, self._now)

    def _plan(self) -> dict[str, OrderMove]:
        """Event -> its effect on its order, which is locked."""
        every = self._rows | self._context
        combined = {event: _stated_movements(rows) for event, rows in every.items()}
        movements = [each for said, _ in combined.values() for each in said]
        booked = self._booked_payments()
        by_number, by_marketplace = self._orders(movements, {each.order_number for each in booked.values()})
        found: dict[str, OrderMove] = {}
        for witness in sorted({by for _, by in combined.values()}):
            vouched = [
                each for said, by in combined.values() for each in said if witness is Witness.PAYER or by is witness
            ]
            ids = _ids_of_events(every, witness)
            for move in plan_order_moves(vouched, by_number, by_marketplace, witness, booked, ids):
                event = move.movement.group
                if event in self._rows and (witness is Witness.PAYER or combined[event][1] is witness):
                    found[event] = move
        by_text = {move.order_number for move in found.values() if move.is_by_text}
        credited = store.credited_by_account(self._tx, self._key.account, by_text)
        return dict(zip(found, hold_uncovered(found.values(), credited), strict=True))

    def _booked_payments(self) -> dict[str, ProviderOrder]:
        """Payment -> the order that its sale is matched to, by any rule or person."""
        every = self._rows | self._context
        sales = {
            event: payment_rows.ids_of([each for each in rows if each.is_trusted] or rows)
            for event, rows in every.items()
            if _has_sale(rows)
        }
        if len(sales) == len(every):
            return {}
        found = store.orders_of_sales(self._tx, self._key.account, {event for event, ids in sales.items() if ids})
        orders: dict[str, set[ProviderOrder]] = defaultdict(set)
        for event, order in found.items():
            for name in sales[event]:
                orders[name].add(order)
        return {name: next(iter(each)) for name, each in orders.items() if len(each) == 1}

    def _orders(
        self, movements: Iterable[Movement], booked: Collection[str]
    ) -> tuple[dict[str, ProviderOrder], dict[str, ProviderOrder]]:
        """Orders by their numbers, and by the numbers that marketplaces gave them; no number has two orders."""
        tx = self._tx
        wanted = {number for each in movements for number in numbers_in(each)}
        named = set(store.orders_by_number(tx, wanted))
        near = self._near_orders(named)
        spellings = {spelling_of(each) for each in wanted - named} - {""}
        near |= set(booked)
        marketplaces = wanted | {each.marketplace_number for each in movements if each.marketplace_number}
        named |= {number for number in near if spelling_of(number) in spellings}
        theirs = store.orders_of_marketplaces(tx, near | named)
        theirs = [row for row in theirs if row[0] in marketplaces]
        order_store.lock(tx, sorted(named | {order.order_number for _, order in theirs} | set(booked)))
        by_number = also_spelled_otherwise(store.orders_by_number(tx, named), wanted)
        of_marketplace: dict[str, set[ProviderOrder]] = defaultdict(set)
        for marketplace, order in theirs:
            of_marketplace[marketplace].add(order)
        by_marketplace = {name: next(iter(orders)) for name, orders in of_marketplace.items() if len(orders) == 1}
        return by_number, by_marketplace

    def _near_orders(self, named: Collection[str]) -> set[str]:
        """Orders that postings may mean if their rows name none by number."""
        plain = {
            event
            for event, rows in self._rows.items()
            if all(
                not each.movement.marketplace_number and each.movement.order_reference.strip() in named for each in rows
            )
        }
        read = {each.id for each in self._own if each.posting.entry_reference not in plain}
        self._read_keys(read)
        keys = {key for name in read for key in self._keys[name]}
        if not keys:
            return set()
        hits, _ = match_store.find_orders(self._tx, keys, MAX_HITS)
        return {number for numbers in hits.values() for number in numbers}

    def _open_refunds(self, moves: Collection[OrderMove]) -> list[RefundRow]:
        """Refunds that we would transfer: money that the provider has refunded must not be sent again."""
        numbers = sorted({each.order_number for each in moves if each.kind is OrderMoveKind.REFUND})
        if not numbers:
            return []
        return [row for row in refund_store.pending_of(self._tx, numbers) if row.status in _WAITS]

    def _allocation(
        self, stored: StoredPosting, posting: ProviderPosting, move: OrderMove, refunds: list[RefundRow]
    ) -> AllocationRow:
        part = posting.part
        brings = move.kind in (OrderMoveKind.CREDIT, OrderMoveKind.RESTORE)
        amount = move.amount_minor if brings else -move.amount_minor
        kind = _KINDS[move.kind]
        if move.kind is OrderMoveKind.REFUND and self._executes(stored, move, refunds):
            kind = "refund"
        return AllocationRow(
            stored.id, move.order_number, part.amount_minor, amount, kind, False, part.withheld_minor,
            self._fee_kind if part.withheld_minor else None,
        )  # fmt: skip

    def _executes(self, stored: StoredPosting, move: OrderMove, refunds: list[RefundRow]) -> bool:
        """Whether the row is one of our refunds that waited for its transfer: then it was executed elsewhere."""
        for row in refunds:
            if row.order_number == move.order_number and row.amount_minor == move.amount_minor:
                status = REFUND_LIFECYCLE.move(row.status, RefundEvent.TRANSFER_BOOKED)
                refund_store.move(
                    self._tx, row.id, status, self._now,
                    execution_date=stored.posting.booking_date, posting_id=stored.id,
                )  # fmt: skip
                refunds.remove(row)
                return True
        return False

    @property
    def _fee_kind(self) -> FeeKind:
        return FeeKind.COMMISSION if self._code == "amazon" else FeeKind.PAYMENT_FEE

    def _left_open(self, stored: StoredPosting, posting: ProviderPosting, move: OrderMove | None) -> DecidedRow:
        if move is None or move.order_number in stored.taken_back:
            status = POSTING_LIFECYCLE.move(stored.status, PostingEvent.ENGINE_FOUND_NOTHING)
            suggestions: list[dict[str, object]] = []
        else:
            status = POSTING_LIFECYCLE.move(stored.status, PostingEvent.ENGINE_SUGGESTED)
            suggestions = [self._suggestion(posting, move)]
        body = {"flags": ["provider"], "heldBack": "", "suggestions": suggestions}
        return DecidedRow(
            stored.id,
            status,
            msgspec.json.encode(body, enc_hook=as_text).decode(),
            stored.by_hand,
            taken_back=stored.taken_back,
        )

    def _suggestion(self, posting: ProviderPosting, move: OrderMove) -> dict[str, object]:
        part, currency = posting.part, Currency(posting.movement.currency)
        allocation: dict[str, object] = {
            "orderNumber": move.order_number,
            "amount": msgspec.Raw(minor_to_text(part.credited_minor, currency).encode()),
        }
        if part.withheld_minor:
            allocation["fee"] = msgspec.Raw(minor_to_text(part.withheld_minor, currency).encode())
            allocation["feeKind"] = self._fee_kind
        return {"allocations": [allocation], "probability": 0.9, "evidence": [self._evidence(move)]}

    def _evidence(self, move: OrderMove) -> dict[str, object]:
        name = provider_of(self._code).name
        words = f"the settlement of {name} states the {move.movement.kind} of order {move.order_number}"
        return {"code": "settlement_row", "weight": 20.0, "words": words}

    def _explanation(self, move: OrderMove) -> str:
        body: dict[str, object] = {
            "flags": ["provider"], "heldBack": "", "probability": 1.0, "evidence": [self._evidence(move)],
            "suggestions": [],
        }  # fmt: skip
        return msgspec.json.encode(body, enc_hook=as_text).decode()


def _by_event(rows: Iterable[LineOfSettlement]) -> dict[str, list[LineOfSettlement]]:
    found: dict[str, list[LineOfSettlement]] = defaultdict(list)
    for row in rows:
        found[row.movement.group].append(row)
    return dict(found)


_Stated = tuple[list[Movement], Witness]


def _has_sale(rows: Iterable[LineOfSettlement]) -> bool:
    return any(each.movement.kind is MovementKind.SALE for each in rows)


def _ids_of_events(rows: Mapping[str, Sequence[LineOfSettlement]], witness: Witness) -> dict[str, set[str]]:
    """Event -> the ids with which its rows name the payment: reports may use different ones.

    Rows of untrusted files name none where a provider is the `witness`.
    """
    return {
        event: payment_rows.ids_of(each for each in of_event if each.is_trusted or witness is Witness.PAYER)
        for event, of_event in rows.items()
    }


def _stated_movements(rows: Sequence[LineOfSettlement]) -> _Stated:
    """The combined rows of an event, and who vouches for them: rows of untrusted files only if there are no others."""
    trusted = [each for each in rows if each.is_trusted]
    said = [each.movement for each in trusted or rows]
    in_order = sorted(distinct(said), key=lambda each: (each.report, each.row, each.provider_id))
    return combine(in_order), Witness.PROVIDER if trusted else Witness.PAYER
