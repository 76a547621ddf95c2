"""Links to an order's own page: handed out, revoked, followed (D-51)."""

from __future__ import annotations

from datetime import datetime

from paymatch.domain.customers.links import SECRET_BYTES, VALID, link_token, shop_of
from paymatch.domain.shops.audit import AuditAction
from paymatch.domain.shops.shop import Shop, ShopStatus
from paymatch.store import shops as shop_store
from paymatch.store.customers import links as store
from paymatch.store.customers.links import LinkRow
from paymatch.store.database import Database, ShopId, Tx
from paymatch.store.ids import random_bytes
from paymatch.store.orders import orders as order_store
from paymatch.usecases.audit import record
from paymatch.usecases.orders import orders


def link_of(tx: Tx, shop: Shop, number: str, base: str, clock: datetime) -> str:
    """The address of the order's page, valid for half a year from now; the caller holds the order's lock.

    "" where `base`, the service's own address, is unknown.
    """
    if not base:
        return ""
    shop_id, now = ShopId(shop.id), shop.now(clock)
    link = store.current(tx, shop_id, number)
    if link is not None and link.expires_at <= now:  # it stays with whoever has it, and leads nowhere
        store.revoke(tx, shop_id, number, now)
        link = None
    if link is None:
        link = LinkRow(number, link_token(shop.id, random_bytes(SECRET_BYTES)), now, now + VALID)
        store.add(tx, shop_id, link)
    elif link.expires_at < now + VALID:
        store.prolong(tx, shop_id, link.token, now + VALID)
    return f"{base.rstrip('/')}/p/{link.token}"


def hand_out(tx: Tx, shop: Shop, number: str, base: str, clock: datetime) -> str:
    """The address of the order's page for a person of the shop. OrderUnknown."""
    order_store.lock(tx, ShopId(shop.id), [number])
    orders.require(tx, shop, number)
    return link_of(tx, shop, number, base, clock)


def revoke(tx: Tx, shop: Shop, number: str, clock: datetime) -> bool:
    """No link of the order leads anywhere any more; False if there was none. OrderUnknown."""
    order_store.lock(tx, ShopId(shop.id), [number])
    orders.require(tx, shop, number)
    if not store.revoke(tx, ShopId(shop.id), number, shop.now(clock)):
        return False
    record(tx, shop, AuditAction.LINK_REVOKED, number)
    return True


def follow(database: Database, token: str, clock: datetime) -> tuple[Shop, str] | None:
    """(shop, order number) to which the token leads; None alike for every token that leads nowhere now.

    Whatever the token looks like, the same two questions are asked.
    """
    shop_id = ShopId(shop_of(token))
    with database.transaction(shop_id) as tx:
        shop = shop_store.load(tx, shop_id)
        number = store.order_of(tx, shop_id, token, shop.now(clock) if shop is not None else clock)
    if shop is None or number is None or shop.status is not ShopStatus.ACTIVE:
        return None
    return shop, number
