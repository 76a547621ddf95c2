"""Polling: changes in a shop system are fetched, order by order, with the checks of the API (D-75).

No transaction is open during a call to the shop. The content of an answer is imported before its position is stored, so
a killed process asks for the same page again; known, unchanged orders cost one comparison.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final
from zoneinfo import ZoneInfo

import msgspec

from paymatch.domain.connectors.systems import TakenAs
from paymatch.domain.connectors.taking import OVERLAP, Seen, Verdict, first_look, verdict
from paymatch.domain.orders.settlement import OPEN_STATUSES, PaymentStatus
from paymatch.domain.orders.submission import SubmittedOrder
from paymatch.domain.refusal import Refused
from paymatch.domain.shops.shop import Shop
from paymatch.domain.shops.shop_jobs import ALERTS
from paymatch.domain.words.message import Message, as_text
from paymatch.formats.connectors.foreign_orders import ForeignOrder, Unreadable
from paymatch.outbound.connectors.gateway import ChangedOrdersPage, ConnectorFailed, ShopSystemDoor
from paymatch.store.connectors import connectors as store
from paymatch.store.connectors import orders as order_store
from paymatch.store.connectors import writes
from paymatch.store.connectors.connectors import ConnectorRow, Looking
from paymatch.store.connectors.orders import ConnectorOrderLink
from paymatch.store.database import Database
from paymatch.store.orders import orders as stored_orders
from paymatch.store.transactions import LockNotAcquired, ShopId, ShopTx, passes
from paymatch.store.work import shop_jobs
from paymatch.usecases.bisection import tell_alone
from paymatch.usecases.connectors.gateways import ConnectorGateways, ReadOrder, next_poll_at, note_failure
from paymatch.usecases.orders import orders

MAX_SEEN: Final = 2_000_000
"""Limit of orders in one poll: endless pages are a fault of the shop."""

_TAKES: Final = frozenset({Verdict.TAKE, Verdict.TAKE_PAID})
_ENCODE: Final = msgspec.json.Encoder(decimal_format="number", enc_hook=as_text).encode


@dataclass(frozen=True, slots=True)
class Looked:
    """The result of a poll, or of a part of it: orders seen and imported, and whether there is more."""

    seen: int = 0
    taken: int = 0
    more: bool = False


def look(
    database: Database,
    shop: Shop,
    row: ConnectorRow,
    ways: ConnectorGateways,
    door: ShopSystemDoor,
    clock: datetime,
    seconds: float,
) -> Looked:
    """Imports changes since the last poll, for about this long; ConnectorFailed is recorded, not raised."""
    looking = row.look
    begun = time.monotonic()
    seen = taken = 0
    try:
        read_order = ways.reader()
        while True:
            page, looking = _page(shop, row, door, looking, clock)
            done = _take_page(database, shop, row, page, read_order, clock)
            seen, taken = seen + len(page.orders), taken + done
            looking = replace(
                looking, place=page.next, seen=looking.seen + len(page.orders), taken=looking.taken + done,
                total=page.total if looking.total is None else looking.total,
            )  # fmt: skip
            if not page.next:
                _end(database, shop, row, looking, clock)
                return Looked(seen, taken)
            if looking.seen > MAX_SEEN:
                raise ConnectorFailed(
                    Message("connector-strange", what=f"more than {MAX_SEEN} orders"), for_a_person=True
                )
            with database.of_shop(shop, at=clock) as tx:
                store.set_look(tx, row.name, looking)
            if time.monotonic() - begun > seconds:
                return Looked(seen, taken, more=True)
    except ConnectorFailed as error:
        note_failure(database, shop, row, error, clock)
        return Looked(seen, taken)


def _page(
    shop: Shop, row: ConnectorRow, door: ShopSystemDoor, looking: Looking | None, clock: datetime
) -> tuple[ChangedOrdersPage, Looking]:
    """The next page of the poll; the first one begins it, at the moment of the shop's own clock."""
    if looking is not None:
        return door.changed(looking.since, looking.place), looking
    since = first_look(row.settings, shop.timezone) if row.since_at is None else row.since_at - OVERLAP
    page = door.changed(since)
    return page, Looking(since, page.shop_at or clock, "")


def _end(database: Database, shop: Shop, row: ConnectorRow, looking: Looking, clock: datetime) -> None:
    with database.of_shop(shop, at=clock) as tx:
        store.end_look(tx, row.name, looking, clock, next_poll_at(row.settings, clock))


def _take_page(
    database: Database, shop: Shop, row: ConnectorRow, page: ChangedOrdersPage, read_order: ReadOrder, clock: datetime
) -> int:
    """Imports the orders of a page, each in its own transaction; returns how many were submitted."""
    count, passed_over = 0, []
    with database.of_shop(shop, at=clock) as tx:
        known = order_store.links(tx, row.name, [each.id for each in page.orders])
    for each in page.orders:
        if isinstance(each, Unreadable):
            problem = Message("connector-order-unreadable", what=each.field)
            _note_problem(database, shop, row, each, problem, clock)
            continue
        judged, kind = judge(row, shop, each, known.get(each.id))
        if judged in _TAKES or each.id in known:
            count += _take_one(database, shop, row, each, known.get(each.id), (judged, kind), read_order, clock)
        else:
            passed_over.append(each.id)
    if passed_over:
        with database.of_shop(shop, at=clock) as tx:
            order_store.clear_problems(tx, row.name, passed_over)
    return count


def judge(
    row: ConnectorRow, shop: Shop, order: ForeignOrder, link: ConnectorOrderLink | None
) -> tuple[Verdict, TakenAs | None]:
    """What to do with an order from the shop."""
    seen = Seen(
        order.methods, order.placed_at.astimezone(ZoneInfo(shop.timezone)).date(), order.state, order.is_draft,
        order.is_cancelled, order.paid_for,
    )  # fmt: skip
    return verdict(row.settings, seen, None if link is None else link.known)


def _take_one(
    database: Database,
    shop: Shop,
    row: ConnectorRow,
    order: ForeignOrder,
    link: ConnectorOrderLink | None,
    judged: tuple[Verdict, TakenAs | None],
    read_order: ReadOrder,
    clock: datetime,
) -> int:
    """Imports one order; 1 if it was submitted. A refusal becomes its problem, and does not stop others."""
    try:
        with database.of_shop(shop, at=clock) as tx:
            return _carry_out(tx, row, order, link, judged, read_order)
    except LockNotAcquired:
        raise
    except Refused as refusal:
        _note_problem(database, shop, row, order, refusal.message, clock)
    except Exception as error:
        if passes(error):
            raise
        tell_alone(
            database, ShopId(shop.id), Message("item-connector-order", order=order.number, name=row.name), error, clock
        )
    return 0


def _carry_out(
    tx: ShopTx,
    row: ConnectorRow,
    order: ForeignOrder,
    link: ConnectorOrderLink | None,
    judged: tuple[Verdict, TakenAs | None],
    read_order: ReadOrder,
) -> int:
    what, kind = judged
    number = link.order_number if link else row.settings.prefix + order.number
    was_there = False
    if what in _TAKES:
        assert kind is not None, "an order is taken as something"
        _check_owner(tx, row.name, order.id, number)
        was_there = link is None and stored_orders.exists(tx, number)
        orders.submit(tx, [read(tx.shop, order, number, kind, read_order)])
        if what is Verdict.TAKE_PAID:
            orders.set_paid(tx, number)
    elif link is not None and _differs(what, link.known.status):
        (orders.cancel if what is Verdict.CANCEL else orders.remove)(tx, number)
    order_store.set_taken(tx, row.name, order.id, number, order.state, tx.wall_time)
    if was_there:  # it came by the API before, and may already be paid
        writes.queue(tx, row.name, [order.id], tx.wall_time)
    return int(what in _TAKES)


def _differs(what: Verdict, status: PaymentStatus) -> bool:
    """Whether a cancelled order, or one now paid by another method, does not have its proper state here yet."""
    if what is Verdict.CANCEL:
        return status is not PaymentStatus.CANCELLED
    return what is Verdict.LET_GO and status in OPEN_STATUSES


def _check_owner(tx: ShopTx, connector: str, external_id: str, number: str) -> None:
    """Refused if the number belongs to an order of another connector, or to another order of this one."""
    owner = order_store.owner_of(tx, number)
    if owner is not None and owner != (connector, external_id):
        raise Refused(Message("connector-number-taken", number=number, other=owner[0]))


def read(shop: Shop, order: ForeignOrder, number: str, kind: TakenAs, read_order: ReadOrder) -> SubmittedOrder:
    """The order as the API reads it; OrderRefused."""
    placed = order.placed_at.astimezone(ZoneInfo(shop.timezone))
    body = {"number": number, "date": f"{placed:%d-%m-%Y}", "type": str(kind)} | dict(order.doc)
    return read_order(_ENCODE(body))


def _note_problem(
    database: Database,
    shop: Shop,
    row: ConnectorRow,
    order: ForeignOrder | Unreadable,
    problem: Message,
    clock: datetime,
) -> None:
    number = row.settings.prefix + order.number
    with database.of_shop(shop, at=clock) as tx:
        if order_store.set_problem(tx, row.name, order.id, number, problem, clock):
            shop_jobs.wake(tx, ALERTS, shop.now(clock))


@dataclass(frozen=True, slots=True)
class Rehearsed:
    """A preview of the first poll: the orders of one page, and the outcome of each.

    `total` is their full number, None if the shop does not state it.
    """

    rows: Sequence[dict[str, Any]]
    counts: dict[str, int]
    total: int | None


def rehearse(
    database: Database, shop: Shop, row: ConnectorRow, ways: ConnectorGateways, door: ShopSystemDoor
) -> Rehearsed:
    """Asks for a page of orders like the first poll, and returns the outcome of each; ConnectorFailed."""
    page, read_order = door.changed(first_look(row.settings, shop.timezone)), ways.reader()
    with database.of_shop(shop) as tx:
        known = order_store.links(tx, row.name, [each.id for each in page.orders])
    rows = [_rehearse(shop, row, each, known.get(each.id), read_order) for each in page.orders]
    counts = Counter(str(found["verdict"]) for found in rows)
    return Rehearsed(rows, dict(sorted(counts.items())), page.total)


def _rehearse(
    shop: Shop,
    row: ConnectorRow,
    order: ForeignOrder | Unreadable,
    link: ConnectorOrderLink | None,
    read_order: ReadOrder,
) -> dict[str, Any]:
    number = row.settings.prefix + order.number
    if isinstance(order, Unreadable):
        problem: str = Message("connector-order-unreadable", what=order.field)
        return {"order": number, "verdict": "refused", "type": "", "amount": "", "method": "", "problem": problem}
    judged, kind = judge(row, shop, order, link)
    shown = {
        "order": number, "verdict": str(judged), "type": str(kind or ""), "method": next(iter(order.methods), ""),
        "amount": f"{order.doc.get('amount', '')} {order.doc.get('currency', '')}".strip(), "problem": "",
    }  # fmt: skip
    if judged in _TAKES and kind is not None:
        try:
            read(shop, order, number, kind, read_order)
        except Refused as refusal:
            return shown | {"verdict": "refused", "problem": refusal.message}
    return shown
