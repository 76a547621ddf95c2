"""Orders that a person makes in the merchant area: created by the API's rules, and changed there afterwards."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from paymatch.domain.orders.submission import OrderRefused, SubmittedOrder
from paymatch.domain.words.message import Message, as_text
from paymatch.formats.contract import bodies
from paymatch.store.ids import new_id
from paymatch.store.orders import order_list, order_notes
from paymatch.store.orders.order_list import ListedOrder
from paymatch.store.transactions import ShopTx
from paymatch.usecases.orders import orders

_DECODE: Final = msgspec.json.Decoder(float_hook=str).decode
_ACCEPTED: Final[Mapping[str, Any]] = {
    "date": "01-01-2000", "type": "OTHER", "amount": "1", "currency": "EUR",
    "billing": {"lastName": "-", "countryCode": "DE"}, "billing.lastName": "-", "billing.countryCode": "DE",
}  # fmt: skip
"""A value that is never refused, for each field that an order must have besides its number."""

_DIGITS: Final = "0123456789"
_MOST_TRIED: Final = 20


class NumberTaken(OrderRefused):
    """A new order has the number of another one."""

    def __init__(self, number: str) -> None:
        super().__init__(Message("order-number-taken"), parameter="number", number=number)


def make(tx: ShopTx, document: Mapping[str, Any]) -> None:
    """Stores a new order. OrderRefused by the rules of the API; NumberTaken."""
    submitted = _read_submission(document)
    number = submitted.submission.number
    if not orders.lock_new(tx, number):
        raise NumberTaken(number)
    orders.submit(tx, [submitted])
    order_notes.set_made_here(tx, [number])


def list_refusals(tx: ShopTx, document: Mapping[str, Any], *, is_new: bool) -> list[OrderRefused]:
    """Every refusal of the document by the rules of the API, the first of each field; nothing is stored.

    The API names the first one only (docs/api.md). A person mends all fields of a form at once, so each refused field
    gets an acceptable value, until nothing is refused any more.
    """
    tried: dict[str, Any] = {
        name: dict(value) if isinstance(value, dict) else value for name, value in document.items()
    }
    found: dict[str, OrderRefused] = {}
    accepted: dict[str, Any] = {**_ACCEPTED, "number": new_id("free", tx.now)}
    if is_new and orders.exists(tx, str(document["number"])):
        found["number"] = NumberTaken(str(document["number"]))
        tried["number"] = accepted["number"]
    while (refusal := _first_refusal(tx, tried)) is not None and refusal.parameter not in found:
        found[refusal.parameter] = refusal
        _accept(tried, refusal.parameter, accepted)
    return list(found.values())


def _read_submission(document: Mapping[str, Any]) -> SubmittedOrder:
    body = bodies.decode_order(msgspec.json.encode(document, enc_hook=as_text))
    return bodies.check_order(body, str(document["number"]))


def _first_refusal(tx: ShopTx, document: Mapping[str, Any]) -> OrderRefused | None:
    try:
        (effect,) = orders.examine(tx, [_read_submission(document)])
    except OrderRefused as refusal:
        return refusal
    return effect if isinstance(effect, OrderRefused) else None


def _accept(document: dict[str, Any], parameter: str, accepted: Mapping[str, Any]) -> None:
    """Gives the refused field a value that is accepted: what must be there the one in `accepted`, others none."""
    group, _dot, part = parameter.partition(".")
    into, name = (document.setdefault(group, {}), part) if part else (document, parameter)
    if parameter in accepted:
        into[name] = accepted[parameter]
    else:
        into.pop(name, None)


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
    orders.submit(tx, [_read_submission(document)])


def list_latest(tx: ShopTx, limit: int) -> list[ListedOrder]:
    """The latest orders that were made here."""
    return order_list.made_here(tx, limit)


def next_number(tx: ShopTx) -> str:
    """The number that follows that of the latest order made here: the first free one; "" if none ends in digits."""
    latest = next(iter(list_latest(tx, 1)), None)
    number = "" if latest is None else latest.number
    begin = number.rstrip(_DIGITS)
    counted = number[len(begin) :]
    for step in range(1, _MOST_TRIED + 1 if counted else 1):
        following = f"{begin}{int(counted) + step:0{len(counted)}}"
        if not orders.exists(tx, following):
            return following
    return ""
