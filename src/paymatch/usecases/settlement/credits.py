"""Overpaid orders and their money: kept as credit, used for another order, income; losses (D-87)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from paymatch.domain.customers.credits import AdjustmentKind, CreditRefused
from paymatch.domain.money import Currency, minor_to_text
from paymatch.domain.orders.settlement import OPEN_STATUSES, PaymentStatus
from paymatch.domain.orders.submission import OrderUnknown
from paymatch.domain.shops.audit import AuditAction
from paymatch.domain.words.message import Message
from paymatch.store.customers import credits as store
from paymatch.store.customers.credits import AdjustmentRow, CustomerOfOrder
from paymatch.store.ids import new_id
from paymatch.store.orders import order_list
from paymatch.store.orders import orders as order_store
from paymatch.store.orders.order_list import ListedOrder
from paymatch.store.transactions import ShopTx
from paymatch.usecases.audit import record
from paymatch.usecases.settlement.ledger import settle

_SHOWN: Final = 20
"""Entries of a balance that an order's page lists."""


@dataclass(frozen=True, slots=True)
class CustomerCredit:
    """A customer's credit as an order's page shows it; `offered` is the part that could pay this order."""

    minor: int
    offered_minor: int
    used_minor: int  # that pays this order already
    kept_minor: int  # that was kept of this order, and is left
    entries: tuple[AdjustmentRow, ...]


def credit_of(tx: ShopTx, order: ListedOrder) -> CustomerCredit:
    """The credit of the order's customer in its currency."""
    customer = order_list.customer_key_of(order)
    rows = store.around(tx, order.number, customer, order.currency)
    entries = tuple(row for row in rows if row.customer == customer)
    minor, own = -sum(row.minor for row in entries), [row for row in rows if row.order_number == order.number]
    used = sum(row.minor for row in own if row.kind is AdjustmentKind.USED)
    kept = -sum(row.minor for row in own if row.kind is not AdjustmentKind.USED)
    offered = min(minor, order.open_minor) if PaymentStatus(order.status) in OPEN_STATUSES else 0
    return CustomerCredit(minor, max(offered, 0), used, kept, entries[:_SHOWN] if minor else ())


def keep(tx: ShopTx, number: str) -> None:
    """Keeps the order's overpayment, unless planned refunds return it, as its customer's credit. CreditRefused."""
    order = _lock_order(tx, number)
    _write(tx, order, AdjustmentKind.KEPT, -_overpaid(order))


def book_as_income(tx: ShopTx, number: str) -> None:
    """Books the order's overpayment as income of the shop. CreditRefused."""
    order = _lock_order(tx, number)
    _write(tx, order, AdjustmentKind.INCOME, -_overpaid(order))


def note_loss(tx: ShopTx, number: str) -> None:
    """Waives money that was paid out for the order beyond what came in. CreditRefused."""
    order = _lock_order(tx, number)
    if order.missing_minor <= 0:
        raise CreditRefused(Message("credit-no-more-gone-out"))
    _write(tx, order, AdjustmentKind.LOSS, order.missing_minor)


def use(tx: ShopTx, number: str) -> int:
    """Pays the order from the customer's credit, as far as possible; how much in minor units. CreditRefused."""
    order = _lock_order(tx, number)
    credit = credit_of(tx, order)
    if credit.offered_minor <= 0:
        raise CreditRefused(Message("credit-customer-no-order-needs"))
    _write(tx, order, AdjustmentKind.USED, credit.offered_minor)
    return credit.offered_minor


def take_back_use(tx: ShopTx, number: str) -> None:
    """Returns the credit that pays the order to the customer's credit. CreditRefused."""
    order = _lock_order(tx, number)
    used = store.used_by(tx, number)
    if not used:
        raise CreditRefused(Message("credit-no-pays-order"))
    for customer, minor in used:
        _write(tx, order, AdjustmentKind.USED, -minor, customer)


def pay_out(tx: ShopTx, number: str) -> None:
    """Returns kept credit to the order as overpayment, so it can be refunded. CreditRefused."""
    order = _lock_order(tx, number)
    kept = store.kept_of(tx, [number]).get(number)
    if kept is not None:
        store.lock_customer(tx, kept[0])
    minor = 0 if kept is None else min(kept[2], store.balance(tx, kept[0], kept[1]))
    if kept is None or minor <= 0:
        raise CreditRefused(Message("credit-no-order-left"))
    _write(tx, order, AdjustmentKind.RETURNED, minor, kept[0])


def use_for_new(tx: ShopTx, numbers: Sequence[str]) -> None:
    """Pays newly submitted orders from their customers' credit (for shops that want it).

    Anyone can type an e-mail address: without a number of the shop's, goods go where those of the credit went (D-80).
    """
    for order in order_list.several(tx, list(numbers)):
        if PaymentStatus(order.status) in OPEN_STATUSES:
            credit = credit_of(tx, order)
            if credit.offered_minor > 0 and _is_own_credit(tx, order.number, credit):
                _write(tx, order, AdjustmentKind.USED, credit.offered_minor)


def _is_own_credit(tx: ShopTx, number: str, credit: CustomerCredit) -> bool:
    """Whether the shop's number of the customer, or the place to which the goods go, shows whose credit it is."""
    own = _customer(tx, number)
    kept = sorted({row.order_number for row in credit.entries if row.kind is AdjustmentKind.KEPT})
    return own.has_number or any(each.place == own.place for each in store.customers(tx, kept))


def _lock_order(tx: ShopTx, number: str) -> ListedOrder:
    """The order, locked with its customer's credit until the transaction ends. OrderUnknown."""
    order_store.lock(tx, [number])
    store.lock_customer(tx, _customer(tx, number).customer)
    found = order_list.find(tx, number)
    assert found is not None, "its customer was found"
    return found


def _customer(tx: ShopTx, number: str) -> CustomerOfOrder:
    found = store.customers(tx, [number])
    if not found:
        raise OrderUnknown(number)
    return found[0]


def _overpaid(order: ListedOrder) -> int:
    minor = order.overpaid_minor - order.planned_minor
    if minor <= 0:
        raise CreditRefused(Message("credit-nothing-order-overpaid-no"))
    return minor


def _write(tx: ShopTx, order: ListedOrder, kind: AdjustmentKind, minor: int, customer: str = "") -> None:
    """Writes the entry and settles the order; `customer` is the owner of the moved credit, by default the order's."""
    now = tx.now
    key = customer or _customer(tx, order.number).customer
    row = AdjustmentRow(
        new_id("adj", now), order.number, key, order.currency, kind, minor, tx.today, now,
        tx.actor.name,
    )  # fmt: skip
    store.add(tx, row)
    after: Mapping[str, str] = {"kind": kind, "amount": minor_to_text(abs(minor), Currency(order.currency))}
    record(tx, tx.shop, AuditAction.ORDER_ADJUSTED, order.number, after=dict(after))
    settle(tx, [order.number], cause=f"credit {kind}", now=now)
