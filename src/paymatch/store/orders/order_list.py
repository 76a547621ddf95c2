"""Orders in a list for people: debts, overpayments, search results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Final

import msgspec

from paymatch.domain.customers.credits import customer_key
from paymatch.domain.orders.settlement import AWAITING_MONEY
from paymatch.store.connection import Row, build
from paymatch.store.lists.sorted_lists import (
    AskedPage,
    ListStatement,
    ListTotals,
    PageOfRows,
    SortColumn,
    by_day,
    by_number,
    by_text,
)
from paymatch.store.orders.orders import customer_of
from paymatch.store.search.finding import MOST_COUNTED
from paymatch.store.search.list_filter import ListFilter
from paymatch.store.search.tables import Parameters
from paymatch.store.transactions import ShopTx

COLUMNS: Final = """o.number, o.order_date AS ordered, o.due_date AS due, o.type, o.status,
    coalesce(o.mark, '') AS mark, o.currency, o.amount_minor, o.postings_minor - o.refunded_minor AS paid_minor, o.doc,
    coalesce((SELECT sum(r.order_amount_minor) FROM refunds r WHERE r.shop_id = o.shop_id AND r.order_number = o.number
              AND r.status IN ('NEW', 'BANKDETAILS_MISSING', 'IN_PROCESS')), 0)::bigint AS planned_minor,
    CASE WHEN o.dunning_level = 0 THEN 0 ELSE coalesce((
        SELECT -sum(a.withheld_minor) FROM allocations a WHERE a.shop_id = o.shop_id AND a.order_number = o.number
          AND a.fee_kind = 'REMINDER_FEE'), 0) END::bigint AS paid_fees_minor,
    o.reminders_stopped, o.made_here AS is_made_here, o.billed_to"""
BILLED_TO: Final = SortColumn("billed_to", is_filled=True)
"""Sorted by the customer as lists show it, capital and small letters alike."""
_AWAITING: Final = ", ".join(f"'{status}'" for status in sorted(AWAITING_MONEY))
SORTS: Final = {
    "number": by_text("number"),
    "ordered": by_day("ordered", is_filled=True),
    "customer": BILLED_TO,
    "type": by_text("type"),
    "due": by_day("due"),
    "state": by_text("status"),
    "amount": by_number("amount_minor"),
    "paid": by_number("paid_minor"),
    "planned": by_number("planned_minor"),
    "overpaid": by_number(
        "greatest(listed.paid_minor - CASE WHEN listed.mark = 'CANCELLED' THEN 0"
        " ELSE greatest(listed.amount_minor, 0) END, 0)"
    ),
    "open": by_number(
        f"CASE WHEN listed.status IN ({_AWAITING}) THEN greatest(listed.amount_minor - listed.paid_minor, 0) END"
    ),
}
"""Sort columns of orders; the amounts as `ListedOrder` computes them."""
_OVERPAID: Final = """o.postings_minor - o.refunded_minor
    > CASE WHEN o.mark = 'CANCELLED' THEN 0 ELSE greatest(o.amount_minor, 0) END"""


class _WhoseDoc(msgspec.Struct, rename="camel"):
    customer_number: str | int | None = None
    customer_email: str | None = None


@dataclass(frozen=True, slots=True)
class ListedOrder:
    """An order; amounts in minor units of its currency.

    `planned_minor`: refunds that are not executed yet; `paid_fees_minor`: paid fees of reminders, beside `paid_minor`.
    """

    number: str
    ordered: date
    due: date | None
    type: str
    status: str
    mark: str
    currency: str
    amount_minor: int
    paid_minor: int
    customer: str
    planned_minor: int
    paid_fees_minor: int
    reminders_stopped: bool
    is_made_here: bool = False
    """By a person in the merchant area, who may change it there."""
    document: str = ""
    """The order as it was submitted last."""

    @property
    def open_minor(self) -> int:
        """The amount still to be paid; 0 once the order is settled in another way, set paid or cancelled."""
        return max(self.amount_minor - self.paid_minor, 0) if self.status in AWAITING_MONEY else 0

    @property
    def refundable_minor(self) -> int:
        """The rest of the payments, with paid fees of reminders, after all planned refunds."""
        return max(self.paid_minor + self.paid_fees_minor - self.planned_minor, 0)

    @property
    def missing_minor(self) -> int:
        """Money paid out beyond what came in: the customer has it, and owes it, in any status of the order."""
        return max(-self.paid_minor, 0) if self.status not in AWAITING_MONEY else 0

    @property
    def overpaid_minor(self) -> int:
        """The customer's overpayment; the whole payment once the order is cancelled."""
        return max(self.paid_minor - (0 if self.mark == "CANCELLED" else max(self.amount_minor, 0)), 0)


def page(
    tx: ShopTx,
    *,
    statuses: Sequence[str] = (),
    overpaid: bool = False,
    found: ListFilter | None = None,
    asked: AskedPage,
) -> PageOfRows[ListedOrder]:
    """Orders, latest first unless sorted: with one of the statuses, overpaid ones, search results."""
    shown = _most_open(tx, statuses, asked) if found is None and not overpaid else None
    return shown or _page(tx, statuses, overpaid=overpaid, found=found, asked=asked)


def _most_open(tx: ShopTx, statuses: Sequence[str], asked: AskedPage) -> PageOfRows[ListedOrder] | None:
    """The page of orders with the most open, where orders that wait for money fill it: all others have nothing open."""
    waiting = [status for status in AWAITING_MONEY if not statuses or status in statuses]
    if asked.sort != "open" or not asked.is_descending or asked.counts or not waiting:
        return None
    shown = _page(tx, waiting, overpaid=False, found=None, asked=asked)
    return shown if shown.next and shown.rows[-1].open_minor else None


def _page(
    tx: ShopTx, statuses: Sequence[str], *, overpaid: bool, found: ListFilter | None, asked: AskedPage
) -> PageOfRows[ListedOrder]:
    params = Parameters(tx.shop_id)
    conditions = _conditions(params, statuses, found, overpaid=overpaid)
    rows = f"SELECT {COLUMNS} FROM orders o WHERE {' AND '.join(conditions)}"
    listed = ListStatement(rows, "-ordered", SORTS, key="number", currency="currency", amount="amount_minor",
                           is_keyed=True)  # fmt: skip
    if found is None or not found.is_common:
        return listed.page(tx, asked, *params.values).map(_order_of)
    shown = listed.page(tx, replace(asked, counts=False), *params.values)
    return replace(shown, totals=ListTotals(MOST_COUNTED, is_more=True)).map(_order_of)


def _conditions(params: Parameters, statuses: Sequence[str], found: ListFilter | None, *, overpaid: bool) -> list[str]:
    """The condition for an order in the list."""
    conditions = ["o.shop_id = $1"]
    if statuses:
        # A single status is a range of the index that has the orders in sequence.
        only = len(statuses) == 1
        wanted = params.name(statuses[0] if only else list(statuses))
        conditions.append(f"o.status = {wanted}" if only else f"o.status = ANY({wanted})")
    if overpaid:
        conditions.append(_OVERPAID)
    if found is not None:
        conditions.append(found.condition("o.number", params.name))
    return conditions


@dataclass(frozen=True, slots=True)
class OrderSums:
    """The number of orders with a status in a currency, and their total amounts in minor units."""

    status: str
    currency: str
    count: int
    minor: int


def sums(tx: ShopTx) -> list[OrderSums]:
    """The counts and sums of all orders: one pass over the index, regardless of the page."""
    rows = tx.rows(
        "SELECT status, currency, count(*) AS count, sum(amount_minor)::bigint AS minor FROM orders WHERE shop_id = $1"
        " GROUP BY 1, 2",
        tx.shop_id,
    )
    return [build(OrderSums, row) for row in rows]


def counts(found: Sequence[OrderSums]) -> dict[str, int]:
    """Status -> how many orders have it."""
    by_status: dict[str, int] = {}
    for each in found:
        by_status[each.status] = by_status.get(each.status, 0) + each.count
    return by_status


def totals(found: Sequence[OrderSums], statuses: Sequence[str]) -> ListTotals:
    """The totals of the list of orders with one of the statuses; of all orders without any."""
    by_currency: dict[str, tuple[int, int]] = {}
    for each in found:
        if not statuses or each.status in statuses:
            count, minor = by_currency.get(each.currency, (0, 0))
            by_currency[each.currency] = count + each.count, minor + each.minor
    most_first = sorted(by_currency.items(), key=lambda item: (-item[1][0], item[0]))
    return ListTotals(
        sum(count for count, _ in by_currency.values()), tuple((name, sum_) for name, (_, sum_) in most_first)
    )


def count_overpaid(tx: ShopTx) -> int:
    """The number of overpaid orders."""
    found: int = tx.value(f"SELECT count(*) FROM orders o WHERE o.shop_id = $1 AND {_OVERPAID}", tx.shop_id)
    return found


def sum_overpaid(tx: ShopTx, currency: str) -> tuple[int, int]:
    """(number of overpaid orders, total overpayment of those in a currency)."""
    beyond = "o.postings_minor - o.refunded_minor - CASE WHEN o.mark = 'CANCELLED' THEN 0"
    statement = (
        f"SELECT count(*) AS orders, coalesce(sum({beyond} ELSE greatest(o.amount_minor, 0) END)"
        f" FILTER (WHERE o.currency = $2), 0)::bigint AS minor FROM orders o WHERE o.shop_id = $1 AND {_OVERPAID}"
    )
    row = tx.row(statement, tx.shop_id, currency)
    assert row is not None, "a sum always has a row"
    return row.orders, row.minor


def find(tx: ShopTx, number: str) -> ListedOrder | None:
    """The order with this number; None if there is none."""
    row = tx.row(f"SELECT {COLUMNS} FROM orders o WHERE o.shop_id = $1 AND o.number = $2", tx.shop_id, number)
    return None if row is None else listed_order(row)


def made_here(tx: ShopTx, limit: int) -> list[ListedOrder]:
    """The latest orders that a person made in the merchant area."""
    rows = tx.rows(
        f"SELECT {COLUMNS} FROM orders o WHERE o.shop_id = $1 AND o.made_here"
        " ORDER BY o.order_date DESC, o.created_at DESC, o.number DESC LIMIT $2",
        tx.shop_id,
        limit,
    )
    return [listed_order(row) for row in rows]


@dataclass(frozen=True, slots=True)
class EarlierOrders:
    """A customer's other orders: how many there are, and the number of the latest ("" without any)."""

    count: int
    latest: str


def earlier_orders(tx: ShopTx, number: str) -> EarlierOrders:
    """The other orders of the order's customer: the same name on the invoice, and the same e-mail address."""
    row = tx.row(
        "SELECT count(*) AS orders, coalesce((array_agg(e.number ORDER BY e.order_date DESC, e.number DESC))[1], '')"
        " AS latest FROM orders o JOIN orders e ON e.shop_id = o.shop_id AND e.billed_to = o.billed_to"
        " AND e.number <> o.number AND lower(coalesce(e.doc::json->>'customerEmail', ''))"
        " = lower(coalesce(o.doc::json->>'customerEmail', ''))"
        " WHERE o.shop_id = $1 AND o.number = $2 AND o.billed_to <> ''",
        tx.shop_id,
        number,
    )
    assert row is not None, "an aggregate always has a row"
    return EarlierOrders(row.orders, row.latest)


def several(tx: ShopTx, numbers: Sequence[str]) -> list[ListedOrder]:
    """Those of the orders that the shop has, by number."""
    statement = f"SELECT {COLUMNS} FROM orders o WHERE o.shop_id = $1 AND o.number = ANY($2) ORDER BY o.number"
    return [listed_order(row) for row in tx.rows(statement, tx.shop_id, list(numbers))]


def awaiting_money(tx: ShopTx, numbers: Sequence[str]) -> set[str]:
    """Those of the orders that wait for money."""
    statement = f"SELECT number FROM orders WHERE shop_id = $1 AND number = ANY($2) AND status IN ({_AWAITING})"
    return {row[0] for row in tx.rows(statement, tx.shop_id, list(numbers))} if numbers else set()


def listed_order(row: Row) -> ListedOrder:
    """The order of a row of `COLUMNS`."""
    return _order_of(row._asdict())


def _order_of(columns: dict[str, Any]) -> ListedOrder:
    document = columns.pop("doc")
    columns.pop("billed_to")
    return ListedOrder(**columns, customer=customer_of(document), document=document)


def customer_key_of(order: ListedOrder) -> str:
    """The identity of the credit of the order's customer (D-87)."""
    return customer_key_in(order.document, order.number)


def customer_key_in(document: str, number: str) -> str:
    """The key of the customer in an order's document: the same for all orders of one customer."""
    customer_number, email = customer_in(document)
    return customer_key(customer_number, email, number)


def customer_in(document: str) -> tuple[str, str]:
    """(number, e-mail address) of the customer in an order's document; "" for what it does not name."""
    try:
        found = msgspec.json.decode(document or "{}", type=_WhoseDoc)
    except msgspec.ValidationError:
        found = _WhoseDoc()
    return str(found.customer_number or ""), found.customer_email or ""
