"""Adjustments of orders and the credit balances of customers, in PostgreSQL (D-87)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

from paymatch.domain.customers.credits import OF_CREDIT, AdjustmentKind, customer_key
from paymatch.store.connection import Row, build
from paymatch.store.transactions import ShopTx

_OF_CREDIT: Final = sorted(OF_CREDIT)
_COLUMNS: Final = (
    "a.id, a.order_number, a.customer, a.currency, a.kind, a.minor, a.day, a.at, a.by_name, a.follows_payment"
)


@dataclass(frozen=True, slots=True)
class AdjustmentRow:
    """An entry; `minor` is what it credits its order, in minor units of the order's currency."""

    id: str
    order_number: str
    customer: str
    currency: str
    kind: AdjustmentKind
    minor: int
    day: date
    at: datetime
    by_name: str
    follows_payment: bool = False  # not of a person: the order lost a payment, or has it again


def _adjustment(row: Row) -> AdjustmentRow:
    return build(AdjustmentRow, row, kind=AdjustmentKind(row.kind))


def add(tx: ShopTx, row: AdjustmentRow) -> None:
    """Stores an entry; the caller holds the order's lock and settles it."""
    tx.put(
        "INSERT INTO adjustments (shop_id, id, order_number, customer, currency, kind, minor, day, at, by_name,"
        " follows_payment) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
        tx.shop_id, row.id, row.order_number, row.customer, row.currency, row.kind, row.minor, row.day, row.at,
        row.by_name, row.follows_payment,
    )  # fmt: skip


def lock_customer(tx: ShopTx, customer: str) -> None:
    """Locks the customer's credit until the transaction ends."""
    tx.value("SELECT pg_advisory_xact_lock(hashtextextended($1::text || $2, 87))", str(tx.shop_id), customer)


def balance(tx: ShopTx, customer: str, currency: str) -> int:
    """The customer's credit in a currency, in minor units."""
    return int(
        tx.value(
            "SELECT coalesce(-sum(minor), 0)::bigint FROM adjustments WHERE shop_id = $1 AND customer = $2"
            " AND currency = $3 AND kind = ANY($4)",
            tx.shop_id, customer, currency, _OF_CREDIT,
        )
    )  # fmt: skip


def kept_of(tx: ShopTx, numbers: Sequence[str]) -> Mapping[str, tuple[str, str, int]]:
    """Order -> (customer, currency, kept credit that was not returned), for orders with kept credit."""
    rows = tx.rows(
        "SELECT order_number, customer, currency, -sum(minor)::bigint AS minor FROM adjustments"
        " WHERE shop_id = $1 AND order_number = ANY($2) AND kind IN ('kept', 'returned')"
        " GROUP BY 1, 2, 3 HAVING sum(minor) < 0",
        tx.shop_id,
        list(numbers),
    )
    return {row.order_number: (row.customer, row.currency, row.minor) for row in rows}


def returned_to(tx: ShopTx, numbers: Sequence[str]) -> list[tuple[str, str, str, int]]:
    """(order, customer, currency, credit that returned to the order because it lost a payment), in minor units."""
    rows = tx.rows(
        "SELECT order_number, customer, currency, sum(minor)::bigint AS minor FROM adjustments"
        " WHERE shop_id = $1 AND order_number = ANY($2) AND kind = 'returned' AND follows_payment"
        " GROUP BY 1, 2, 3 HAVING sum(minor) > 0 ORDER BY 1, 2, 3",
        tx.shop_id,
        list(numbers),
    )
    return [(row.order_number, row.customer, row.currency, row.minor) for row in rows]


def around(tx: ShopTx, number: str, customer: str, currency: str) -> list[AdjustmentRow]:
    """The entries of the order, and those of the customer's credit in its currency; latest first."""
    rows = tx.rows(
        f"SELECT {_COLUMNS} FROM adjustments a WHERE a.shop_id = $1 AND (a.order_number = $2"
        " OR (a.customer = $3 AND a.currency = $4)) AND a.kind = ANY($5) ORDER BY a.at DESC, a.id DESC",
        tx.shop_id, number, customer, currency, _OF_CREDIT,
    )  # fmt: skip
    return [_adjustment(row) for row in rows]


def used_by(tx: ShopTx, number: str) -> list[tuple[str, int]]:
    """(customer, how much of that credit pays the order), in minor units of its currency.

    Of several, where the order was submitted again with another customer.
    """
    rows = tx.rows(
        "SELECT customer, sum(minor)::bigint AS minor FROM adjustments WHERE shop_id = $1 AND order_number = $2"
        " AND kind = 'used' GROUP BY customer HAVING sum(minor) > 0 ORDER BY 1",
        tx.shop_id,
        number,
    )
    return [(row.customer, row.minor) for row in rows]


def entries(tx: ShopTx, first: date, last: date) -> Iterator[AdjustmentRow]:
    """All entries of these days, oldest first."""
    statement = f"SELECT {_COLUMNS} FROM adjustments a WHERE a.shop_id = $1 AND a.day BETWEEN $2 AND $3"
    for row in tx.stream(f"{statement} ORDER BY a.day, a.at, a.id", tx.shop_id, first, last):
        yield _adjustment(row)


def sums(tx: ShopTx, day: date) -> list[tuple[str, int, int]]:
    """(currency, customers with credit, their credit together) at the end of a day."""
    rows = tx.rows(
        "SELECT currency, count(*) AS customers, sum(minor)::bigint AS minor FROM (SELECT currency,"
        " -sum(minor) AS minor FROM adjustments WHERE shop_id = $1 AND day <= $2 AND kind = ANY($3)"
        " GROUP BY customer, currency HAVING sum(minor) <> 0) b GROUP BY 1 ORDER BY 1",
        tx.shop_id, day, _OF_CREDIT,
    )  # fmt: skip
    return [(row.currency, row.customers, row.minor) for row in rows]


@dataclass(frozen=True, slots=True)
class CustomerOfOrder:
    """The order's customer and amount due; in minor units of its currency."""

    number: str
    currency: str
    digits: int
    customer: str
    name: str
    has_number: bool  # the customer is known by the shop's own number
    place: str  # name and address to which the goods go, folded


_PLACE: Final = ("firstName", "lastName", "company", "street", "postCode", "city", "countryCode")


def customers(tx: ShopTx, numbers: Sequence[str]) -> list[CustomerOfOrder]:
    """The customers of these orders, by number; unknown orders are left out."""
    rows = tx.rows(
        "SELECT number, currency, digits, coalesce(doc::json->>'customerNumber', '') AS customer_number,"
        " coalesce(doc::json->>'customerEmail', '') AS email,"
        " coalesce(nullif(doc::json#>>'{billing,company}', ''), concat_ws(' ', doc::json#>>'{billing,firstName}',"
        " doc::json#>>'{billing,lastName}')) AS name, doc::json#>'{billing}' AS billing,"
        " doc::json#>'{shipping}' AS shipping FROM orders WHERE shop_id = $1 AND number = ANY($2) ORDER BY 1",
        tx.shop_id,
        list(numbers),
    )
    return [_customer_of_order(row) for row in rows]


def _customer_of_order(row: Row) -> CustomerOfOrder:
    customer = customer_key(row.customer_number, row.email, row.number)
    has_number = bool(row.customer_number.strip())
    place = _place_of(row.billing, row.shipping)
    return CustomerOfOrder(row.number, row.currency, row.digits, customer, row.name, has_number, place)


def _place_of(billing: Mapping[str, object] | None, shipping: Mapping[str, object] | None) -> str:
    """Where the goods go: the address of delivery, else that of the bill."""
    parts = {**(billing or {}), **{name: value for name, value in (shipping or {}).items() if value}}
    return "\n".join(" ".join(str(parts.get(name) or "").lower().split()) for name in _PLACE)
