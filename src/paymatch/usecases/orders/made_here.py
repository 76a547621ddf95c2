"""Orders that a person makes in the merchant area: made by the API's rules, and changed there afterwards."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

import msgspec

from paymatch.domain.orders.submission import OrderRefused
from paymatch.domain.shops.shop import Shop
from paymatch.formats.contract import bodies
from paymatch.store.database import ShopId, Tx
from paymatch.store.orders import order_list, order_notes
from paymatch.store.orders.order_list import ListedOrder
from paymatch.usecases.orders import orders

_DECODE: Final = msgspec.json.Decoder(float_hook=str).decode


def make(tx: Tx, shop: Shop, document: Mapping[str, Any], clock: datetime) -> bool:
    """Stores a new order; False if there is one of its number. OrderRefused by the rules of the API."""
    number = str(document["number"])
    submitted = bodies.check_order(bodies.decode_order(msgspec.json.encode(document)), number)
    if not orders.lock_new(tx, shop, number):
        return False
    orders.submit(tx, shop, [submitted], clock)
    order_notes.set_made_here(tx, ShopId(shop.id), [number])
    return True


def document_of(tx: Tx, shop: Shop, number: str) -> dict[str, Any] | None:
    """The order as it was submitted, if it was made here; None for others, which their shop system changes."""
    if not order_notes.is_made_here(tx, ShopId(shop.id), number):
        return None
    found = order_notes.documents(tx, ShopId(shop.id), [number]).get(number)
    return None if found is None else dict(_DECODE(found))


def change(tx: Tx, shop: Shop, document: Mapping[str, Any], clock: datetime) -> None:
    """The order is as the document says. OrderRefused by the rules of the API, and for one that was not made here."""
    number = str(document["number"])
    if document_of(tx, shop, number) is None:
        raise OrderRefused(f"Order {number} is changed by the shop system that it came from", parameter="number")
    orders.submit(tx, shop, [bodies.check_order(bodies.decode_order(msgspec.json.encode(document)), number)], clock)


def is_made_here(tx: Tx, shop: Shop, number: str) -> bool:
    """Whether the order was made in the merchant area, and can be changed there."""
    return order_notes.is_made_here(tx, ShopId(shop.id), number)


def list_latest(tx: Tx, shop: Shop, limit: int) -> list[ListedOrder]:
    """The latest orders that were made here."""
    return order_list.made_here(tx, ShopId(shop.id), limit)
