"""Links to an order's own page: handed out, revoked, followed (D-51)."""

from __future__ import annotations

from datetime import datetime

from paymatch.domain.customers.links import SECRET_BYTES, VALID, link_token, shop_of
from paymatch.domain.shops.audit import AuditAction
from paymatch.domain.shops.shop import Shop, ShopStatus
from paymatch.store.customers import links as store
from paymatch.store.customers.links import LinkRow
from paymatch.store.database import Database
from paymatch.store.ids import random_bytes
from paymatch.store.orders import orders as order_store
from paymatch.store.shops import shops as shop_store
from paymatch.store.transactions import ShopId, ShopTx
from paymatch.usecases.audit import record
from paymatch.usecases.orders import orders


def link_of(tx: ShopTx, number: str, base: str) -> str:
    """The address of the order's page, valid for half a year from now; the caller holds the order's lock.

    "" where `base`, the service's own address, is unknown.
    """
    if not base:
        return ""
    now = tx.now
    link = store.current(tx, number)
    if link is not None and link.expires_at <= now:  # the old link remains in mails, and leads nowhere
        store.revoke(tx, number, now)
        link = None
    if link is None:
        link = LinkRow(number, link_token(tx.shop.id, random_bytes(SECRET_BYTES)), now, now + VALID)
        store.add(tx, link)
    elif link.expires_at < now + VALID:
        store.prolong(tx, link.token, now + VALID)
    return f"{base.rstrip('/')}/p/{link.token}"


def hand_out(tx: ShopTx, number: str, base: str) -> str:
    """The address of the order's page for a person of the shop. OrderUnknown."""
    order_store.lock(tx, [number])
    orders.require(tx, number)
    return link_of(tx, number, base)


def revoke(tx: ShopTx, number: str) -> bool:
    """Revokes all links of the order; False if there was none. OrderUnknown."""
    order_store.lock(tx, [number])
    orders.require(tx, number)
    if not store.revoke(tx, number, tx.now):
        return False
    record(tx, tx.shop, AuditAction.LINK_REVOKED, number)
    return True


def follow(database: Database, token: str, clock: datetime) -> tuple[Shop, str] | None:
    """(shop, order number) that the token leads to; None for every token that leads nowhere now.

    Any token costs the same two queries.
    """
    shop_id = ShopId(shop_of(token))
    with database.of_shop(shop_id, at=clock) as tx:
        shop = shop_store.load(tx)
        number = store.order_of(tx, token, shop.now(clock) if shop is not None else clock)
    if shop is None or number is None or shop.status is not ShopStatus.ACTIVE:
        return None
    return shop, number
