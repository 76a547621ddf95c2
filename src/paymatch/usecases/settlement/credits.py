"""Overpaid orders and what becomes of the money: kept as credit, used for another order, income; losses (D-87)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from paymatch.domain.customers.credits import AdjustmentKind, CreditRefused
from paymatch.domain.money import Currency, minor_to_text
from paymatch.domain.orders.settlement import OPEN_STATUSES, PaymentStatus
from paymatch.domain.orders.submission import OrderUnknown
from paymatch.domain.shops.audit import AuditAction
from paymatch.domain.shops.shop import Shop
from paymatch.store.customers import credits as store
from paymatch.store.customers.credits import AdjustmentRow, CustomerOfOrder
from paymatch.store.database import ShopId, Tx
from paymatch.store.ids import new_id
from paymatch.store.orders import order_list
from paymatch.store.orders import orders as order_store
from paymatch.store.orders.order_list import ListedOrder
from paymatch.usecases.audit import record
from paymatch.usecases.settlement.ledger import settle

_SHOWN: Final = 20
"""Entries of a balance that an order's page lists."""


@dataclass(frozen=True, slots=True)
class CustomerCredit:
    """A customer's credit as an order's page shows it; `offered` is what of it could pay this order."""

    minor: int
    offered_minor: int
    used_minor: int  # that pays this order already
    kept_minor: int  # that was kept of this order, and is left
    entries: tuple[AdjustmentRow, ...]


def credit_of(tx: Tx, shop: Shop, order: ListedOrder) -> CustomerCredit:
    """The credit of the order's customer in its currency."""
    customer = order_list.customer_key_of(order)
    rows = store.around(tx, ShopId(shop.id), order.number, customer, order.currency)
    entries = tuple(row for row in rows if row.customer == customer)
    minor, own = -sum(row.minor for row in entries), [row for row in rows if row.order_number == order.number]
    used = sum(row.minor for row in own if row.kind is AdjustmentKind.USED)
    kept = -sum(row.minor for row in own if row.kind is not AdjustmentKind.USED)
    offered = min(minor, order.open_minor) if PaymentStatus(order.status) in OPEN_STATUSES else 0
    return CustomerCredit(minor, max(offered, 0), used, kept, entries[:_SHOWN] if minor else ())


def keep(tx: Tx, shop: Shop, number: str, clock: datetime) -> None:
    """What the order was paid too much, and no planned refund returns, is its customer's credit. CreditRefused."""
    order = _locked(tx, shop, number)
    _write(tx, shop, order, AdjustmentKind.KEPT, -_overpaid(order), clock)


def book_as_income(tx: Tx, shop: Shop, number: str, clock: datetime) -> None:
    """What the order was paid too much is income of the shop. CreditRefused."""
    order = _locked(tx, shop, number)
    _write(tx, shop, order, AdjustmentKind.INCOME, -_overpaid(order), clock)


def note_loss(tx: Tx, shop: Shop, number: str, clock: datetime) -> None:
    """What went out of the order beyond what came in is not asked back. CreditRefused."""
    order = _locked(tx, shop, number)
    if order.missing_minor <= 0:
        raise CreditRefused("No more has gone out for this order than came in")
    _write(tx, shop, order, AdjustmentKind.LOSS, order.missing_minor, clock)


def use(tx: Tx, shop: Shop, number: str, clock: datetime) -> int:
    """The customer's credit pays the order, as far as both reach; how much in minor units. CreditRefused."""
    order = _locked(tx, shop, number)
    credit = credit_of(tx, shop, order)
    if credit.offered_minor <= 0:
        raise CreditRefused("The customer has no credit that this order needs")
    _write(tx, shop, order, AdjustmentKind.USED, credit.offered_minor, clock)
    return credit.offered_minor


def take_back_use(tx: Tx, shop: Shop, number: str, clock: datetime) -> None:
    """The credit that pays the order is the customer's credit again. CreditRefused."""
    order = _locked(tx, shop, number)
    used = store.used_by(tx, ShopId(shop.id), number)
    if not used:
        raise CreditRefused("No credit pays this order")
    for customer, minor in used:
        _write(tx, shop, order, AdjustmentKind.USED, -minor, clock, customer)


def pay_out(tx: Tx, shop: Shop, number: str, clock: datetime) -> None:
    """The credit that was kept of the order is overpaid there again, so that it can be refunded. CreditRefused."""
    order = _locked(tx, shop, number)
    kept = store.kept_of(tx, ShopId(shop.id), [number]).get(number)
    if kept is not None:
        store.lock_customer(tx, ShopId(shop.id), kept[0])
    minor = 0 if kept is None else min(kept[2], store.balance(tx, ShopId(shop.id), kept[0], kept[1]))
    if kept is None or minor <= 0:
        raise CreditRefused("No credit of this order is left")
    _write(tx, shop, order, AdjustmentKind.RETURNED, minor, clock, kept[0])


def use_for_new(tx: Tx, shop: Shop, numbers: Sequence[str], clock: datetime) -> None:
    """Where the shop wants it, the credit of their customers pays orders that have just been submitted."""
    if not shop.use_credit:
        return
    for order in order_list.several(tx, ShopId(shop.id), list(numbers)):
        if PaymentStatus(order.status) in OPEN_STATUSES:
            offered = credit_of(tx, shop, order).offered_minor
            if offered > 0:
                _write(tx, shop, order, AdjustmentKind.USED, offered, clock)


def _locked(tx: Tx, shop: Shop, number: str) -> ListedOrder:
    """The order, held with its customer's credit until the transaction ends. OrderUnknown."""
    shop_id = ShopId(shop.id)
    order_store.lock(tx, shop_id, [number])
    store.lock_customer(tx, shop_id, _customer(tx, shop_id, number).customer)
    found = order_list.find(tx, shop_id, number)
    assert found is not None, "its customer was found"
    return found


def _customer(tx: Tx, shop_id: ShopId, number: str) -> CustomerOfOrder:
    found = store.customers(tx, shop_id, [number])
    if not found:
        raise OrderUnknown(number)
    return found[0]


def _overpaid(order: ListedOrder) -> int:
    minor = order.overpaid_minor - order.planned_minor
    if minor <= 0:
        raise CreditRefused("Nothing of this order is overpaid that no planned refund returns")
    return minor


def _write(
    tx: Tx, shop: Shop, order: ListedOrder, kind: AdjustmentKind, minor: int, clock: datetime, customer: str = ""
) -> None:
    """Writes the entry and settles the order; `customer` is whose credit it moves, the order's if none is named."""
    shop_id, now = ShopId(shop.id), shop.now(clock)
    key = customer or _customer(tx, shop_id, order.number).customer
    row = AdjustmentRow(
        new_id("adj", now), order.number, key, order.currency, kind, minor, shop.today(clock), now,
        tx.actor.name,
    )  # fmt: skip
    store.add(tx, shop_id, row)
    after: Mapping[str, str] = {"kind": kind, "amount": minor_to_text(abs(minor), Currency(order.currency))}
    record(tx, shop, AuditAction.ORDER_ADJUSTED, order.number, after=dict(after))
    settle(tx, shop, [order.number], cause=f"credit {kind}", now=now)
