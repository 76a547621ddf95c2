"""Context of search hits: the payments of orders, the orders of payments, customers with all of theirs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

import msgspec

from paymatch.domain.orders.settlement import AWAITING_MONEY, PaymentStatus
from paymatch.store.sealing import POSTING_ACCOUNT_END
from paymatch.store.search.order_texts import SearchedOrder
from paymatch.store.transactions import ShopTx


@dataclass(frozen=True, slots=True)
class OrderPayment:
    """A payment of an order, or one that may be (`waits`); the amount in minor units of `currency`."""

    posting_id: str
    day: date
    amount_minor: int
    currency: str
    name: str
    by_hand: bool
    matched_by: str
    waits: bool


@dataclass(frozen=True, slots=True)
class FoundPayment:
    """A posting that a search has found; its amount is signed."""

    id: str
    day: date
    amount_minor: int
    currency: str
    name: str
    text: str
    status: str
    aside_reason: str
    account_end: str
    bank: str
    orders: tuple[str, ...]
    suggested: tuple[str, ...]
    is_near: bool = False


@dataclass(frozen=True, slots=True)
class FoundCustomer:
    """A customer of found orders: their number, and their open amounts by currency in minor units."""

    id: str
    name: str
    number: str
    email: str
    city: str
    orders: int
    open_minor: tuple[tuple[str, int], ...]
    latest: str


_PAYMENTS: Final = """
SELECT a.order_number, p.id, p.booking_date, a.order_amount_minor AS minor, o.currency, p.counterparty_name AS name,
       a.by_hand, p.matched_by, false AS waits
FROM allocations a JOIN postings p ON p.shop_id = $1 AND p.id = a.posting_id
JOIN orders o ON o.shop_id = $1 AND o.number = a.order_number
WHERE a.shop_id = $1 AND a.order_number = ANY($2) AND a.kind = 'payment'
UNION ALL
SELECT g.order_number, p.id, p.booking_date, p.amount_minor, p.currency, p.counterparty_name, false, '', true
FROM suggested_orders g JOIN postings p ON p.shop_id = $1 AND p.id = g.posting_id
WHERE g.shop_id = $1 AND g.order_number = ANY($2) AND p.status IN ('suggested', 'unmatched') AND p.amount_minor > 0
ORDER BY waits, booking_date DESC, id"""


def payments_of(tx: ShopTx, numbers: Sequence[str]) -> dict[str, list[OrderPayment]]:
    """Number -> payments of the order, booked ones first, the latest first."""
    found = defaultdict[str, list[OrderPayment]](list)
    for row in tx.rows(_PAYMENTS, tx.shop_id, list(numbers)) if numbers else []:
        found[row.order_number].append(
            OrderPayment(
                row.id, row.booking_date, row.minor, row.currency, row.name, row.by_hand, row.matched_by, row.waits
            )
        )
    return found


_POSTINGS: Final = """
SELECT p.id, p.booking_date, p.amount_minor, p.currency, p.counterparty_name, p.remittance, p.status, p.aside_reason,
       p.counterparty_account_end, coalesce(b.bank_name, '') AS bank,
       ARRAY(SELECT a.order_number FROM allocations a WHERE a.shop_id = $1 AND a.posting_id = p.id
             ORDER BY 1) AS orders,
       ARRAY(SELECT g.order_number FROM suggested_orders g WHERE g.shop_id = $1 AND g.posting_id = p.id
             ORDER BY 1 LIMIT 3) AS suggested
FROM postings p LEFT JOIN bank_accounts b ON b.shop_id = $1 AND b.account = p.account AND b.currency = p.currency
WHERE p.shop_id = $1 AND p.id = ANY($2)"""


def payments(tx: ShopTx, ids: Sequence[str], near: frozenset[str]) -> list[FoundPayment]:
    """The postings in the sequence of their ids; `near` are those that only differ by a typing error."""
    vault, found = tx.vault(), dict[str, FoundPayment]()
    for row in tx.rows(_POSTINGS, tx.shop_id, list(ids)) if ids else []:
        end = vault.open(POSTING_ACCOUNT_END, row.counterparty_account_end)
        found[row.id] = FoundPayment(
            row.id, row.booking_date, row.amount_minor, row.currency, row.counterparty_name, row.remittance, row.status,
            row.aside_reason, end, row.bank, tuple(row.orders), tuple(row.suggested), row.id in near,
        )  # fmt: skip
    return [found[each] for each in ids if each in found]


_CUSTOMERS: Final = """
WITH counted AS (
    SELECT s.customer, count(*) AS orders, (array_agg(s.order_number ORDER BY s.order_date DESC))[1] AS latest
    FROM order_search s WHERE s.shop_id = $1 AND s.customer = ANY($2) GROUP BY s.customer)
SELECT c.customer, c.orders, c.latest, o.doc FROM counted c JOIN orders o ON o.shop_id = $1 AND o.number = c.latest"""
_OPEN: Final = """
SELECT s.customer, o.currency, sum(greatest(o.amount_minor - o.postings_minor + o.refunded_minor, 0))::bigint AS minor
FROM order_search s JOIN orders o ON o.shop_id = $1 AND o.number = s.order_number
WHERE s.shop_id = $1 AND s.customer = ANY($2) AND o.status = ANY($3) GROUP BY 1, 2 ORDER BY 1, 2"""


def customers(tx: ShopTx, ids: Sequence[str]) -> list[FoundCustomer]:
    """The customers with all of their orders, in the sequence of their ids."""
    if not ids:
        return []
    opened = defaultdict[str, list[tuple[str, int]]](list)
    for row in tx.rows(_OPEN, tx.shop_id, list(ids), [str(each) for each in AWAITING_MONEY]):
        opened[row.customer].append((row.currency, row.minor))
    found = {}
    for row in tx.rows(_CUSTOMERS, tx.shop_id, list(ids)):
        doc = msgspec.json.decode(row.doc, type=SearchedOrder)
        name = doc.billing.company or f"{doc.billing.first_name} {doc.billing.last_name}".strip()
        found[row.customer] = FoundCustomer(
            row.customer, name, doc.customer_number, doc.customer_email, doc.billing.city, row.orders,
            tuple(opened[row.customer]), row.latest,
        )  # fmt: skip
    return [found[each] for each in ids if each in found]


def customers_of(tx: ShopTx, numbers: Sequence[str]) -> list[str]:
    """The orders' customers, each once, in the sequence of the orders."""
    statement = "SELECT order_number, customer FROM order_search WHERE shop_id = $1 AND order_number = ANY($2)"
    rows = {row.order_number: row.customer for row in tx.rows(statement, tx.shop_id, list(numbers))} if numbers else {}
    return list(dict.fromkeys(rows[number] for number in numbers if rows.get(number)))


def days_of_payments(tx: ShopTx, customer: str, limit: int) -> list[tuple[int, int | None]]:
    """(days from the order to its last payment, days from its due date to it) of paid orders, the latest first.

    The second is None for an order without a due date of its own.
    """
    rows = tx.rows(
        "SELECT o.last_posting_date - o.order_date, o.last_posting_date - o.due_date FROM order_search s"
        " JOIN orders o ON o.shop_id = $1 AND o.number = s.order_number"
        " WHERE s.shop_id = $1 AND s.customer = $2 AND o.status = $3 AND o.last_posting_date IS NOT NULL"
        " ORDER BY o.order_date DESC, o.number DESC LIMIT $4",
        tx.shop_id, customer, str(PaymentStatus.PAID), limit,
    )  # fmt: skip
    return [(row[0], row[1]) for row in rows]
