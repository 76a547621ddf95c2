"""Links to orders' own pages, in PostgreSQL."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from paymatch.domain.customers.links import hash_of
from paymatch.store.connection import build
from paymatch.store.sealing import ORDER_LINK
from paymatch.store.transactions import ShopTx


@dataclass(frozen=True, slots=True)
class LinkRow:
    """A link that leads to its order's page until it expires."""

    order_number: str
    token: str
    created_at: datetime
    expires_at: datetime


def order_of(tx: ShopTx, token: str, now: datetime) -> str | None:
    """Number of the order to which the token leads now; None for every other token."""
    found: str | None = tx.value(
        "SELECT l.order_number FROM order_links l JOIN orders o ON o.shop_id = $1 AND o.number = l.order_number"
        " WHERE l.shop_id = $1 AND l.token_hash = $2 AND l.expires_at > $3 AND l.revoked_at IS NULL",
        tx.shop_id,
        hash_of(token),
        now,
    )
    return found


def current(tx: ShopTx, number: str) -> LinkRow | None:
    """The order's link, expired or not; None if it has none or was revoked."""
    row = tx.row(
        "SELECT order_number, token, created_at, expires_at FROM order_links"
        " WHERE shop_id = $1 AND order_number = $2 AND revoked_at IS NULL",
        tx.shop_id,
        number,
    )
    return None if row is None else build(LinkRow, row, token=tx.vault().open(ORDER_LINK, row.token))


def add(tx: ShopTx, link: LinkRow) -> None:
    """Stores a link; the caller holds the order's lock."""
    tx.put(
        "INSERT INTO order_links (shop_id, token_hash, order_number, token, created_at, expires_at)"
        " VALUES ($1, $2, $3, $4, $5, $6)",
        tx.shop_id, hash_of(link.token), link.order_number, tx.vault().seal(ORDER_LINK, link.token), link.created_at,
        link.expires_at,
    )  # fmt: skip


def prolong(tx: ShopTx, token: str, until: datetime) -> None:
    """Extends the link until then."""
    tx.put(
        "UPDATE order_links SET expires_at = greatest(expires_at, $3) WHERE shop_id = $1 AND token_hash = $2",
        tx.shop_id,
        hash_of(token),
        until,
    )


def revoke(tx: ShopTx, number: str, now: datetime) -> bool:
    """Revokes all links of the order; False if there was none."""
    return bool(
        tx.run(
            "UPDATE order_links SET revoked_at = $3 WHERE shop_id = $1 AND order_number = $2 AND revoked_at IS NULL",
            tx.shop_id,
            number,
            now,
        )
    )


def forget(tx: ShopTx, before: datetime, limit: int) -> int:
    """Deletes links that expired before a moment; how many."""
    return tx.run(
        "DELETE FROM order_links WHERE shop_id = $1 AND token_hash IN (SELECT token_hash FROM order_links"
        " WHERE shop_id = $1 AND expires_at < $2 ORDER BY expires_at LIMIT $3)",
        tx.shop_id,
        before,
        limit,
    )
