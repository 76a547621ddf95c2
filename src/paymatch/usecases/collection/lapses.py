"""Unpaid prepayment orders that lapse, if the shop wants that (D-42)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from paymatch.domain.collection.handover import HandoverTerms, lapse
from paymatch.domain.reminders.policy import PlannedReminder, Postponed
from paymatch.domain.shops.shop import Shop, ShopStatus
from paymatch.store.collection import cases as store
from paymatch.store.collection.cases import LapseRow
from paymatch.store.database import Database
from paymatch.store.lists.sorted_lists import AskedPage, PageOfRows
from paymatch.store.orders import orders as order_store
from paymatch.store.reminders import reminders
from paymatch.store.shops import shops as shop_store
from paymatch.store.transactions import ShopTx
from paymatch.usecases.collection.batches import BATCH, in_batches
from paymatch.usecases.orders import orders
from paymatch.usecases.reminders.reminders import terms_of


def days(tx: ShopTx) -> int | None:
    """The number of days after which unpaid prepayment orders lapse; None: never."""
    return shop_store.lapse_after(tx)


@dataclass(frozen=True, slots=True)
class Lapse:
    """An order that lapses at a moment, does not for a given reason, or has lapsed."""

    order: LapseRow
    found: PlannedReminder | Postponed | None


def page(tx: ShopTx, after_days: int | None, *, state: str = "", text: str = "", asked: AskedPage) -> PageOfRows[Lapse]:
    """Prepayment orders, by order date unless sorted, with the outcome of each.

    `after_days`: the shop's setting; `state` is open or lapsed, "" for both; `text` is a part of an order's
    number.
    """
    listed, now = store.lapses(tx, state, text, asked), tx.now
    waiting = [row.number for row in listed.rows if row.lapsed_at is None]
    found: dict[str, PlannedReminder | Postponed] = {}
    if waiting:
        terms = _terms(tx, after_days, now)
        for order in reminders.load(tx, waiting, tx.shop.tolerance_minor, now):
            found[order.facts.number] = lapse(order.facts, terms, reminded=tx.shop.reminders)
    return listed.map(lambda row: Lapse(row, found.get(row.number)))


def lapse_due(database: Database, shop: Shop, clock: datetime) -> int:
    """Cancels prepayment orders unpaid for the shop's waiting time, each with callback; returns how many."""

    def page(tx: ShopTx, after: str) -> list[str]:
        if shop_store.lapse_after(tx) is None:
            return []
        return store.unpaid_prepayments(tx, after, BATCH)

    def decide(tx: ShopTx, numbers: Sequence[str]) -> int:
        return _lapse_some(tx, numbers)

    return in_batches(database, shop, page, decide, "item-lapse", clock)


def _lapse_some(tx: ShopTx, numbers: Sequence[str]) -> int:
    """Decides again under the orders' locks, by the present settings."""
    order_store.lock(tx, numbers)
    shop = shop_store.present(tx)
    if shop.status is not ShopStatus.ACTIVE:
        return 0
    now = tx.now
    terms, count = _terms(tx, days(tx), now), 0
    for order in reminders.load(tx, numbers, shop.tolerance_minor, now):
        found = lapse(order.facts, terms, reminded=shop.reminders)
        if isinstance(found, PlannedReminder) and found.at <= now:
            orders.lapse(tx, order.facts.number)
            count += 1
    return count


def _terms(tx: ShopTx, after_days: int | None, now: datetime) -> HandoverTerms:
    common = terms_of(tx)
    return HandoverTerms(common.plan, after_days, common.bank, now, tx.shop.timezone)
