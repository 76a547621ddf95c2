"""Notices of customers from their orders' pages, in PostgreSQL."""

from __future__ import annotations

from datetime import datetime

from paymatch.domain.customers.notices import NoticeKind
from paymatch.store.transactions import ShopTx


def add(tx: ShopTx, number: str, kind: NoticeKind, level: int, email: str, now: datetime) -> bool:
    """Stores a notice; False if there is one at this dunning level that was not withdrawn.

    A notice repeated after a withdrawal counts from the first time: it gains no more time.
    """
    return bool(
        tx.run(
            "INSERT INTO customer_notices (shop_id, order_number, kind, dunning_level, email, said_at)"
            " VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (shop_id, order_number, kind, dunning_level)"
            " DO UPDATE SET lifted_at = NULL WHERE customer_notices.kind = 'paid'"
            " AND customer_notices.lifted_at IS NOT NULL",
            tx.shop_id, number, kind, level, email.lower(), now,
        )
    )  # fmt: skip


def said_paid_at(tx: ShopTx, number: str) -> datetime | None:
    """When the customer last said that the payment was made; None if never."""
    found: datetime | None = tx.value(
        "SELECT max(said_at) FROM customer_notices WHERE shop_id = $1 AND order_number = $2 AND kind = 'paid'"
        " AND lifted_at IS NULL",
        tx.shop_id,
        number,
    )
    return found


def take_back_paid(tx: ShopTx, number: str, now: datetime) -> bool:
    """Withdraws the customer's notice of payment; False if there is none, or it was withdrawn before."""
    return bool(
        tx.run(
            "UPDATE customer_notices SET lifted_at = $3 WHERE shop_id = $1 AND order_number = $2 AND kind = 'paid'"
            " AND lifted_at IS NULL",
            tx.shop_id,
            number,
            now,
        )
    )


def is_wrong_person(tx: ShopTx, email: str) -> bool:
    """Whether the recipient at the address says that the order is not theirs, and no one has corrected that since."""
    found: bool = tx.value(
        "SELECT EXISTS (SELECT FROM customer_notices WHERE shop_id = $1 AND kind = 'wrong-person'"
        " AND email = lower($2) AND lifted_at IS NULL)",
        tx.shop_id,
        email,
    )
    return found


def lift_wrong_person(tx: ShopTx, email: str, now: datetime) -> list[str]:
    """Withdraws the notices that the address is wrong; returns the numbers of their orders."""
    rows = tx.rows(
        "UPDATE customer_notices SET lifted_at = $3 WHERE shop_id = $1 AND kind = 'wrong-person' AND email = lower($2)"
        " AND lifted_at IS NULL RETURNING order_number",
        tx.shop_id,
        email,
        now,
    )
    return sorted(row[0] for row in rows)


def wrong_persons(tx: ShopTx) -> list[tuple[str, str]]:
    """(order number, address) where the recipient says that the order is not theirs, and the address is unchanged."""
    rows = tx.rows(
        "SELECT n.order_number, n.email FROM customer_notices n JOIN orders o ON o.shop_id = $1"
        " AND o.number = n.order_number WHERE n.shop_id = $1 AND n.kind = 'wrong-person' AND n.lifted_at IS NULL"
        " AND lower(o.doc::json->>'customerEmail') = n.email ORDER BY 1",
        tx.shop_id,
    )
    return [(row[0], row[1]) for row in rows]
