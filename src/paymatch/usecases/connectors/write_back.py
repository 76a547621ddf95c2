"""Writing back: the shop's state follows the payment status, at least once, never over what others set (D-78).

Each order is read, noted, moved and recorded: a killed process reads the shop's state again and continues from there.
"""

from __future__ import annotations

import time
from datetime import datetime, timedelta
from typing import Final

from paymatch.domain.connectors.write_back import WRITTEN, WriteBackPlan, plan
from paymatch.domain.money import Currency, minor_to_text
from paymatch.domain.orders.settlement import PaymentStatus
from paymatch.domain.shops.shop import Shop
from paymatch.domain.shops.shop_jobs import ALERTS, retry_at
from paymatch.domain.words.message import Message
from paymatch.outbound.connectors.gateway import ConnectorFailed, OrderStateMoveRefused, ShopOrderState, ShopSystemDoor
from paymatch.store.connectors import connectors as store
from paymatch.store.connectors import writes
from paymatch.store.connectors.connectors import ConnectorRow
from paymatch.store.connectors.writes import Write
from paymatch.store.database import Database
from paymatch.store.work import shop_jobs
from paymatch.usecases.connectors.gateways import note_failure

_AT_ONCE: Final = 50


def follow(database: Database, shop: Shop, row: ConnectorRow, clock: datetime) -> None:
    """Queues changes of the connector's orders; within the shop's grace a person may undo it (D-18)."""
    at = clock + timedelta(seconds=shop.callback_grace_seconds)
    more = True
    while more:
        with database.of_shop(shop, at=clock) as tx:
            more = writes.follow_events(tx, row.name, at)


def write_due(
    database: Database, shop: Shop, row: ConnectorRow, door: ShopSystemDoor, clock: datetime, seconds: float
) -> int:
    """Writes back due orders, for about this long; returns their number. A failing shop is left alone for a while."""
    count, begun = 0, time.monotonic()
    while time.monotonic() - begun < seconds:
        with database.of_shop(shop, at=clock) as tx:
            found = writes.due(tx, row.name, clock, _AT_ONCE)
        if not found:
            break
        for write in found:
            try:
                _write(database, shop, row, door, write, clock)
            except ConnectorFailed as error:
                with database.of_shop(shop, at=clock) as tx:
                    writes.put_off(tx, row.name, write, retry_at(write.failures + 1, clock))
                note_failure(database, shop, row, error, clock)
                return count
            count += 1
    if count:
        with database.of_shop(shop, at=clock) as tx:
            store.record_success(tx, row.name)
    return count


def _write(
    database: Database, shop: Shop, row: ConnectorRow, door: ShopSystemDoor, write: Write, clock: datetime
) -> None:
    """Brings one order in line with its payment status, or records why not; ConnectorFailed."""
    present = door.state(write.external_id)
    wanted = WriteBackPlan(problem=Message("connector-order-gone")) if present is None else _plan(row, write, present)
    if wanted.problem is not None or present is None:
        assert wanted.problem is not None
        _refuse(database, shop, row, write, wanted.problem, clock)
        return
    state, ours = present.state, write.ours
    if wanted.steps:
        with database.of_shop(shop, at=clock) as tx:
            writes.begin(tx, row.name, write, state, [step.state for step in wanted.steps])
        try:
            state = _move(door, write, present, wanted)
        except OrderStateMoveRefused as refused:
            _refuse(database, shop, row, write, refused.message, clock)
            return
        ours = frozenset({state})
    if write.status in WRITTEN:
        door.note(write.external_id, _words(write), f"[paymatch {write.seq}]")
    if write.status is PaymentStatus.UNPAID or state == write.before:
        ours = frozenset()
    with database.of_shop(shop, at=clock) as tx:
        writes.record_write(tx, row.name, write, state, ours, clock)


def _plan(row: ConnectorRow, write: Write, present: ShopOrderState) -> WriteBackPlan:
    return plan(row.settings, write.status, write.present(present.state))


def _move(door: ShopSystemDoor, write: Write, present: ShopOrderState, wanted: WriteBackPlan) -> str:
    """Makes the moves, and returns the state that they lead to. The customer is not notified of a detour."""
    for place, step in enumerate(wanted.steps, 1):
        door.move(write.external_id, present, step, quiet=place < len(wanted.steps) or step.move == "reopen")
        present = ShopOrderState(step.state, present.handle)
    return present.state


def _refuse(database: Database, shop: Shop, row: ConnectorRow, write: Write, problem: Message, clock: datetime) -> None:
    with database.of_shop(shop, at=clock) as tx:
        writes.record_refusal(tx, row.name, write, problem, clock)
        shop_jobs.wake(tx, ALERTS, shop.now(clock))


def _words(write: Write) -> str:
    """The note for the shop's people at the order; in terms of the API, which both sides know."""
    currency = Currency(write.currency)
    paid, due = minor_to_text(write.paid_minor, currency), minor_to_text(write.due_minor, currency)
    return f"paymatch: {write.status}, {paid} of {due} {write.currency} paid."
