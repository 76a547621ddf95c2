"""Search for orders, payments and customers by what a caller says, with the answer for the caller."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from paymatch.domain.orders.settlement import PaymentStatus
from paymatch.domain.search.query import SearchQuery, read_query, words_of
from paymatch.store.orders import order_history, order_list
from paymatch.store.orders.order_history import Recent
from paymatch.store.orders.order_list import ListedOrder
from paymatch.store.search import shown
from paymatch.store.search.finding import Hit, Wanted
from paymatch.store.search.shown import FoundCustomer, FoundPayment, OrderPayment
from paymatch.store.transactions import ShopTx
from paymatch.usecases.search import matches

_CUSTOMERS: Final = 3
_LOOKED_THROUGH: Final = 50
"""The found orders whose customers are searched for the query."""
MOST_COUNTED: Final = 200
"""Of each kind. All of so many orders are ranked; of more the latest."""
_EVENTS_SHOWN: Final = 4


class Group(StrEnum):
    """The kinds of things that are found."""

    ORDERS = "orders"
    PAYMENTS = "payments"
    CUSTOMERS = "customers"


class Reply(StrEnum):
    """The answer to a caller who asks whether the money has arrived."""

    HERE = "here"
    OVERPAID = "overpaid"
    PARTLY = "partly"
    SET_PAID = "set-paid"
    WAITS = "waits"  # a payment that may be meant for the order waits for a decision
    NOTHING = "nothing"
    GIVEN_BACK = "given-back"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class FoundOrder:
    """An order with its payments and its last event."""

    order: ListedOrder
    is_near: bool
    payments: tuple[OrderPayment, ...]
    recent: Recent

    @property
    def booked(self) -> tuple[OrderPayment, ...]:
        """Payments that are booked to the order, the latest first."""
        return tuple(each for each in self.payments if not each.waits)

    @property
    def waiting(self) -> tuple[OrderPayment, ...]:
        """Payments that may be meant for the order."""
        return tuple(each for each in self.payments if each.waits)

    @property
    def reply(self) -> Reply:
        """The answer to the caller."""
        order = self.order
        match order.status:
            case PaymentStatus.REFUNDED | PaymentStatus.REFUNDED_PARTIAL:
                return Reply.GIVEN_BACK
            case PaymentStatus.CANCELLED | PaymentStatus.DISAPPEARED | PaymentStatus.LEGACY:
                return Reply.CLOSED
        if order.overpaid_minor:
            return Reply.OVERPAID
        if order.status == PaymentStatus.PAID:
            return Reply.HERE if self.booked else Reply.SET_PAID
        if self.waiting:
            return Reply.WAITS
        return Reply.PARTLY if order.paid_minor > 0 else Reply.NOTHING


@dataclass(frozen=True, slots=True)
class Findings:
    """The results: the best of each group, and the total numbers."""

    query: SearchQuery
    orders: tuple[FoundOrder, ...] = ()
    payments: tuple[FoundPayment, ...] = ()
    customers: tuple[FoundCustomer, ...] = ()
    order_count: int = 0
    payment_count: int = 0

    @property
    def count(self) -> int:
        """The number of results."""
        return self.order_count + self.payment_count + len(self.customers)


def find(tx: ShopTx, text: str, limit: int) -> Findings:
    """Orders, payments and customers, at most `limit` of each; exact ones before those with a typing error."""
    query = read_query(text)
    if query.is_empty:
        return Findings(query)
    found_orders, paid, _numbers = matches.found_orders(
        tx, query, Wanted(_LOOKED_THROUGH, _LOOKED_THROUGH, MOST_COUNTED)
    )
    found_postings, _also = matches.found_postings(tx, query, found_orders, paid, Wanted(limit, limit, MOST_COUNTED))
    orders = _open_first(tx, [*found_orders.exact, *found_orders.near])
    payments = [*found_postings.exact, *found_postings.near][:limit]
    near = frozenset(hit.key for hit in payments if hit.is_near)
    return Findings(
        query,
        _orders(tx, orders[:limit]),
        tuple(shown.payments(tx, [hit.key for hit in payments], near)),
        tuple(_customers(tx, query, [hit.key for hit in orders[:_LOOKED_THROUGH]])),
        found_orders.count + len(found_orders.near),
        found_postings.count + len(found_postings.near),
    )


def _open_first(tx: ShopTx, hits: Sequence[Hit]) -> list[Hit]:
    """The one whose number was said, then those that wait for money; behind them those with a typing error."""
    waiting = order_list.awaiting_money(tx, [hit.key for hit in hits])
    return sorted(hits, key=lambda hit: (hit.is_near, not hit.is_whole, hit.key not in waiting))


def _orders(tx: ShopTx, hits: Sequence[Hit]) -> tuple[FoundOrder, ...]:
    numbers = [hit.key for hit in hits]
    if not numbers:
        return ()
    rows = {order.number: order for order in order_list.several(tx, numbers)}
    payments = shown.payments_of(tx, numbers)
    recent = order_history.recent(tx, numbers, _EVENTS_SHOWN)
    return tuple(
        FoundOrder(rows[hit.key], hit.is_near, tuple(payments.get(hit.key, ())), recent[hit.key])
        for hit in hits
        if hit.key in rows
    )


def _customers(tx: ShopTx, query: SearchQuery, numbers: Sequence[str]) -> list[FoundCustomer]:
    """Customers of the found orders whose name, number or address matches the query."""
    ids = shown.customers_of(tx, numbers)[: _CUSTOMERS * 2]
    found = shown.customers(tx, ids)
    return [each for each in found if _is_meant(each, query)][:_CUSTOMERS]


def _is_meant(customer: FoundCustomer, query: SearchQuery) -> bool:
    words = [word for text in (customer.name, customer.number, customer.email) for word in words_of(text)]
    return any(query.has(word) or query.nearly_has(word) for word in words)
