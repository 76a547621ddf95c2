"""POST /ordersync: applies the shop's complete list of open orders, which can be undone (D-6, D-38)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import islice
from typing import Any, Final, TypeVar
from zoneinfo import ZoneInfo

from paymatch.domain.orders.settlement import Mark
from paymatch.domain.orders.submission import OrderRefused, SubmittedOrder, mark_after_submission
from paymatch.domain.refusal import Refused, Unknown
from paymatch.domain.shops.alerts import FOR_INFORMATION, Alert, AlertKind
from paymatch.domain.shops.audit import AuditAction
from paymatch.domain.shops.shop import Shop
from paymatch.domain.words.message import Message
from paymatch.store.ids import new_id
from paymatch.store.orders import order_syncs
from paymatch.store.orders import orders as store
from paymatch.store.orders.order_syncs import MarkChange, SyncRow
from paymatch.store.transactions import ShopTx
from paymatch.store.work import alerts
from paymatch.usecases.audit import record
from paymatch.usecases.orders.orders import check_only, submit
from paymatch.usecases.settlement.ledger import settle

T = TypeVar("T")

UNDO_FOR: Final = timedelta(days=30)
BATCH: Final = 500
"""Orders of a list processed at a time: a call's memory does not grow with its list."""
NUMBERS: Final = 20_000
"""Elements of a list looked up at a time: a list of numbers alone costs few queries."""

_CUT_SHORT: Final = 5
"""A list that misses more than a fifth of the open orders looks truncated (D-38)."""
_NAMED: Final = 10
"""The number of orders that an alert names."""


class SyncUnknown(Unknown):
    """The shop has made no such call."""

    def __init__(self, sync_id: str) -> None:
        super().__init__(Message("synchronisation-not-found", sync_id=sync_id))


class UndoRefused(Refused):
    """The call cannot be undone; the text says why."""


@dataclass(frozen=True, slots=True)
class SyncResult:
    """The effect of a synchronisation, done or previewed (D-6). `id` is empty if there is nothing to undo."""

    legacy: tuple[str, ...]
    revived: tuple[str, ...]
    unknown: tuple[str, ...]
    open_before: int
    id: str = ""


@dataclass(slots=True)
class _Seen:
    """The contents of a list so far."""

    listed: int = 0
    numbers: set[str] = field(default_factory=set)
    submitted: set[str] = field(default_factory=set)
    unknown: dict[str, None] = field(default_factory=dict)
    revived: dict[str, MarkChange] = field(default_factory=dict)


def synchronise(
    tx: ShopTx,
    elements: Iterable[str | SubmittedOrder],
    *,
    force: bool = False,
    dry_run: bool = False,
) -> SyncResult:
    """Brings the shop's open orders in line with its complete list, all or nothing.

    Unlisted open orders become LEGACY, except those created after the call began; listed LEGACY and
    DISAPPEARED orders are recomputed. With `ordersync-guard=on` OrderRefused if too many would vanish, unless `force`.
    `dry_run` makes the same checks and changes nothing.
    """
    now = tx.now
    store.lock_all(tx)
    before = store.open_numbers(tx, tx.wall_time)
    seen = _Seen()
    for batch in _parts(elements):
        _take(tx, batch, seen, dry_run=dry_run)
    vanished = [number for number in before if number not in seen.numbers]
    if order_syncs.is_guarded(tx) and not force:
        _check_vanishing(seen.listed, len(vanished), len(before))
    result = SyncResult(tuple(vanished), tuple(seen.revived), _unknown(seen), len(before))
    if dry_run or not (vanished or seen.revived):
        return result
    for numbers in _batches([*vanished]):
        store.set_mark(tx, numbers, Mark.LEGACY, tx.wall_time)
        settle(tx, numbers, cause="synchronised", now=now)
    row = SyncRow(new_id("os", now), now, seen.listed, len(before), len(vanished), len(seen.revived), None)
    order_syncs.add(tx, row, seen.revived | dict.fromkeys(vanished, MarkChange(None, Mark.LEGACY)))
    order_syncs.forget(tx, now - UNDO_FOR)
    record(
        tx,
        tx.shop,
        AuditAction.ORDERS_SYNCHRONISED,
        row.id,
        after={"legacy": vanished, "open again": list(seen.revived)},
    )
    if vanished:
        alert = _alert(tx.shop, row, vanished, cut_short=_looks_cut_short(tx, row))
        alerts.resolve_others(tx, AlertKind.ORDERS_CLOSED, [], now)
        alerts.add(tx, alert.kind, alert.subject, alert.text, now)
    return SyncResult(result.legacy, result.revived, result.unknown, result.open_before, row.id)


def undo(tx: ShopTx, sync_id: str) -> dict[str, Any]:
    """Restores the orders' marks from before the call; orders changed since stay unchanged.

    Orders submitted by the call stay: they are the shop's own data. SyncUnknown; UndoRefused after 30 days or a second
    time.
    """
    now = tx.now
    store.lock_all(tx)
    row = order_syncs.find(tx, sync_id)
    if row is None:
        raise SyncUnknown(sync_id)
    if row.at < now - UNDO_FOR:
        raise UndoRefused(Message("synchronisation-too-old", sync_id=sync_id))
    if not order_syncs.set_undone(tx, sync_id, now):
        raise UndoRefused(Message("synchronisation-already-undone", sync_id=sync_id))
    alerts.resolve_about(tx, sync_id, now)
    changed = order_syncs.changes(tx, sync_id)
    marks = store.marks(tx, list(changed))
    restored, left = as_the_call_left_them(changed, marks)
    for mark in {changed[number].before for number in restored}:
        store.set_mark(tx, [number for number in restored if changed[number].before is mark], mark, tx.wall_time)
    for numbers in _batches(restored):
        settle(tx, numbers, cause="synchronisation undone", now=now)
    record(tx, tx.shop, AuditAction.SYNCHRONISATION_UNDONE, sync_id, after={"restored": restored})
    return {"id": sync_id, "restored": len(restored), "restoredOrders": restored, "changedSince": left}


def as_the_call_left_them(
    changed: Mapping[str, MarkChange], marks: Mapping[str, Mark | None]
) -> tuple[list[str], list[str]]:
    """(orders that still have the mark from the call, the others)."""
    restored, left = list[str](), list[str]()
    for number, change in changed.items():
        (restored if number in marks and marks[number] is change.after else left).append(number)
    return restored, left


def latest(tx: ShopTx) -> list[dict[str, Any]]:
    """The calls of the last 30 days that changed something, latest first."""
    rows = order_syncs.since(tx, tx.now - UNDO_FOR)
    return [
        {
            "id": row.id, "at": row.at, "listed": row.listed, "openBefore": row.open_before,
            "legacy": row.legacy, "revived": row.revived, "undone": row.undone_at is not None,
        }
        for row in rows
    ]  # fmt: skip


def sync_alerts(tx: ShopTx) -> Iterator[Alert]:
    """Orders that vanished in the last 30 days, if that can still be undone.

    Of calls that closed a normal number of orders only the latest: each closes the alert of the one before.
    """
    rows = [row for row in order_syncs.since(tx, tx.now - UNDO_FOR) if row.legacy]
    for alert in (_asked_alert(tx, row) for row in rows if row.undone_at is None):
        if alert.subject == rows[0].id or alert.kind not in FOR_INFORMATION:
            yield alert


def _batches(items: Iterable[T]) -> Iterator[list[T]]:
    """The items in lists of BATCH."""
    iterator = iter(items)
    while batch := list(islice(iterator, BATCH)):
        yield batch


def _parts(elements: Iterable[str | SubmittedOrder]) -> Iterator[list[str | SubmittedOrder]]:
    """The elements in lists of at most BATCH orders and NUMBERS elements."""
    part: list[str | SubmittedOrder] = []
    orders = 0
    for element in elements:
        part.append(element)
        orders += not isinstance(element, str)
        if orders == BATCH or len(part) == NUMBERS:
            yield part
            part, orders = [], 0
    if part:
        yield part


def _take(tx: ShopTx, batch: Sequence[str | SubmittedOrder], seen: _Seen, *, dry_run: bool) -> None:
    """Applies a part of the list."""
    places = [seen.listed + place for place, item in enumerate(batch) if isinstance(item, SubmittedOrder)]
    orders = [item for item in batch if isinstance(item, SubmittedOrder)]
    _check_twice(orders, places, seen)
    numbers = [item if isinstance(item, str) else item.submission.number for item in batch]
    seen.listed += len(batch)
    seen.numbers.update(numbers)
    known = store.marks(tx, numbers)
    revived = {
        number: MarkChange(mark, after)
        for number, mark in known.items()
        if mark is not (after := mark_after_submission(mark))
    }
    seen.revived |= revived
    seen.unknown |= dict.fromkeys(n for n in numbers if n not in known and n not in seen.submitted)
    if orders:
        (check_only if dry_run else submit)(tx, orders, places)
    if revived and not dry_run:
        store.set_mark(tx, list(revived), None, tx.wall_time)
        settle(tx, revived, cause="synchronised", now=tx.now)


def _looks_cut_short(tx: ShopTx, row: SyncRow) -> bool:
    """True if more vanished than usual, or an order that has already received money."""
    return row.legacy * _CUT_SHORT > row.open_before or order_syncs.took_money(tx, row.id)


def _unknown(seen: _Seen) -> tuple[str, ...]:
    """Listed numbers without an order, not even one further down in the list."""
    return tuple(number for number in seen.unknown if number not in seen.submitted)


def _check_twice(orders: Sequence[SubmittedOrder], places: Sequence[int], seen: _Seen) -> None:
    for order, place in zip(orders, places, strict=True):
        number = order.submission.number
        if number in seen.submitted:
            raise OrderRefused(
                Message("order-could-not-update-order", number=number), parameter="number", number=number, index=place
            )
        seen.submitted.add(number)


def _check_vanishing(listed: int, vanished: int, open_before: int) -> None:
    """The guard against a truncated list (D-6, if the shop has switched it on)."""
    if listed == 0:
        raise OrderRefused(Message("order-empty-list-orders-use"))
    if vanished > 10 and vanished * 5 > open_before:
        raise OrderRefused(Message("order-open-orders-not-list", vanished=vanished, open_before=open_before))


def _asked_alert(tx: ShopTx, row: SyncRow) -> Alert:
    vanished = order_syncs.numbers_set_to_legacy(tx, row.id, _NAMED)
    cut_short = _looks_cut_short(tx, row)
    return _alert(tx.shop, row, vanished, cut_short=cut_short)


def _alert(shop: Shop, row: SyncRow, vanished: Sequence[str], *, cut_short: bool) -> Alert:
    kind = AlertKind.ORDERS_VANISHED if cut_short else AlertKind.ORDERS_CLOSED
    names, at = ", ".join(vanished[:_NAMED]), row.at.astimezone(ZoneInfo(shop.timezone))
    said = Message(
        "alert-orders-vanished", count=row.legacy, day=at.date(), time=f"{at:%H:%M}", sync=row.id,
        orders=Message("names-and-more", names=names, more=row.legacy - _NAMED) if row.legacy > _NAMED else names,
    )  # fmt: skip
    return Alert(kind, row.id, said)
