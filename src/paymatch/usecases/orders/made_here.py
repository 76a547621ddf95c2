"""Orders that a person makes in the merchant area: created by the API's rules, and changed there afterwards."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from paymatch.domain.orders.submission import OrderRefused
from paymatch.domain.words.message import Message, as_text
from paymatch.formats.contract import bodies
from paymatch.store.orders import order_list, order_notes
from paymatch.store.orders.order_list import ListedOrder
from paymatch.store.transactions import ShopTx
from paymatch.usecases.orders import orders

_DECODE: Final = msgspec.json.Decoder(float_hook=str).decode


def make(tx: ShopTx, document: Mapping[str, Any]) -> bool:
    """Stores a new order; False if its number is taken. OrderRefused by the rules of the API."""
    number = str(document["number"])
    submitted = bodies.check_order(bodies.decode_order(msgspec.json.encode(document, enc_hook=as_text)), number)
    if not orders.lock_new(tx, number):
        return False
    orders.submit(tx, [submitted])
    order_notes.set_made_here(tx, [number])
    return True


def document_of(tx: ShopTx, number: str) -> dict[str, Any] | None:
    """The order as it was submitted, if it was made here; None for others, which their shop system changes."""
    if not order_notes.is_made_here(tx, number):
        return None
    found = order_notes.documents(tx, [number]).get(number)
    return None if found is None else dict(_DECODE(found))


def change(tx: ShopTx, document: Mapping[str, Any]) -> None:
    """Changes the order to the document. OrderRefused by the rules of the API, and for one that was not made here."""
    number = str(document["number"])
    if document_of(tx, number) is None:
        raise OrderRefused(Message("order-changed-shop-system-came", number=number), parameter="number")
    orders.submit(
        tx, [bodies.check_order(bodies.decode_order(msgspec.json.encode(document, enc_hook=as_text)), number)]
    )


def list_latest(tx: ShopTx, limit: int) -> list[ListedOrder]:
    """The latest orders that were made here."""
    return order_list.made_here(tx, limit)
