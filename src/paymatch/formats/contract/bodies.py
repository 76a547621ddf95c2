"""Bodies of the merchant API: decoded, checked in the documented order, and brought into the form that is stored.

The order of checks per order (D-21): required fields in the contract's order, then forms in the contract's order.
The rules follow in `domain/orders/submission.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from decimal import Decimal
from typing import Any, Final, TypeVar

import msgspec

from paymatch.domain.money import CURRENCIES
from paymatch.domain.orders.submission import OrderRefused, Submission, SubmittedOrder
from paymatch.domain.refunds.refunds import SubmittedRefund
from paymatch.domain.refusal import Refused
from paymatch.domain.reminders.mail_addresses import mail_problem
from paymatch.domain.words.message import Message, as_text
from paymatch.formats.contract import values
from paymatch.formats.contract.declaration import Rule, body_of, check_forms, check_required
from paymatch.formats.contract.orders import Order
from paymatch.formats.contract.plain import check_plain, plain_body_of
from paymatch.formats.contract.refunds import Refund, RefundAccount

Body = bytes | memoryview
"""A body in memory, or the view of a file that the system pages in as it is read."""
AnyBody = TypeVar("AnyBody", bytes, Body)

_ENCODE: Final = msgspec.json.Encoder(enc_hook=as_text).encode


class InvalidJson(Refused):
    """The body is not JSON, or not JSON of the form that the endpoint takes; the text is the contract's `error`.

    `index`: which element of a list it is about; None if it is about the whole body.
    """

    def __init__(self, message: Message, index: int | None = None) -> None:
        super().__init__(message)
        self.index = index

    @property
    def additions(self) -> dict[str, str | int | list[str]]:
        """The place in the list (D-13)."""
        return {} if self.index is None else {"index": self.index}


class BodyMissing(Refused):
    """The body is empty."""

    def __init__(self) -> None:
        super().__init__(Message("body-missing"))


class _Named(msgspec.Struct):
    """Whose body it is."""

    number: Any = None


OrderBody: Final[Any] = body_of(Order)
RefundBody: Final[Any] = body_of(Refund)
_AccountBody: Final[Any] = body_of(RefundAccount)

_PlainOrder: Final[Any] = plain_body_of(Order)

_ORDER: Final = msgspec.json.Decoder(OrderBody)
_ORDERS: Final = msgspec.json.Decoder(list[OrderBody])
_PLAIN_ORDERS: Final = msgspec.json.Decoder(list[_PlainOrder])
_NAMED: Final = msgspec.json.Decoder(_Named)
_SYNC: Final = msgspec.json.Decoder(list[msgspec.Raw])
_REFUND: Final = msgspec.json.Decoder(RefundBody)
_ACCOUNT: Final = msgspec.json.Decoder(_AccountBody)
_SHORT: Final = 1024 * 1024
_SKIP: Final = msgspec.json.Decoder(msgspec.Raw)
_ANY: Final = msgspec.json.Decoder()

_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_NOT_BLANK: Final = re.compile(rb"[^ \t\n\r\f\v]")
_AT_ELEMENT: Final = re.compile(r"at `\$\[(\d+)\]`$", re.ASCII)
"""Where an element of a list is of another form, in the words of the decoder."""
_NOT_JSON: Final = Message("invalid-json")


def decode_order(body: bytes) -> Any:
    """The order of `POST /order/{n}` as an `OrderBody`; BodyMissing or InvalidJson."""
    return _decode(_ORDER, body, "a JSON object is expected")


def decode_orders(body: bytes) -> list[Any]:
    """The orders of `POST /orders`; BodyMissing or InvalidJson."""
    with suppress(msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        body.decode("utf-8")
        plain: list[Any] = _PLAIN_ORDERS.decode(body)
        return plain
    found: list[Any] = _decode(_ORDERS, body, "a JSON array of orders is expected")
    return found


_PLAIN_NUMBER: Final = re.compile(rb'"([!#-\[\]-~]{1,%d})"' % values.MAX_NUMBER)
"""An order number as nearly every list has it: visible ASCII without escapes, which needs no further look."""


def decode_sync(body: Body) -> Iterator[str | msgspec.Struct]:
    """The elements of `POST /ordersync` in turn: order numbers or orders (D-6); BodyMissing or InvalidJson.

    Until its turn an element is a place in the body, which may be a file: nothing but the places is in memory.
    """
    expected = "a JSON array of order numbers or orders is expected"
    for index, raw in enumerate(_decode(_SYNC, body, expected)):
        if (plain := _PLAIN_NUMBER.fullmatch(raw)) is not None:
            yield plain[1].decode()
        elif bytes(raw).lstrip().startswith(b"{"):
            yield _decode(_ORDER, bytes(raw), expected)
        else:
            yield _listed_number(bytes(raw), index, expected)


def _listed_number(raw: bytes, index: int, expected: str) -> str:
    """An element of a synchronisation that is an order number; its inside was not looked at so far."""
    try:
        number = values.order_number("number", _decode(_ANY, raw, expected))
    except OrderRefused as error:
        error.index = index
        raise
    if number is None:
        raise OrderRefused(Message("order-missing-parameter-number"), parameter="number", index=index)
    return number


def decode_refund(body: bytes) -> Any:
    """The refund of `POST /order/{n}/refund` as a `RefundBody`; BodyMissing or InvalidJson."""
    return _decode(_REFUND, body, "a JSON object is expected")


def account_for_refund(body: Body) -> tuple[str, str]:
    """(IBAN, holder) as they were sent; BodyMissing, InvalidJson, OrderRefused if one of them is missing."""
    sent = _decode(_ACCOUNT, body, "a JSON object is expected")
    check_required(RefundAccount, sent)
    found = check_forms(RefundAccount, sent)
    return found["iban"], found["accountHolder"]


def _amount_in_currency(found: dict[str, Any]) -> None:
    """Adds the amount in minor units; refused if the currency has no such coins."""
    found["amount_minor"] = values.amount_in("amount", found["amount"], found["currency"])


def _can_be_written_to(found: dict[str, Any]) -> None:
    """Refuses an address that mail cannot be sent to."""
    if mail_problem(found.get("customerEmail")):
        raise values.invalid("customerEmail", expected="an address that mail can be sent to")


_OF_MANY: Final[dict[str, Rule]] = {"currency": _amount_in_currency}
"""One order of many is kept with any address: a wrong one must not block all others (D-39)."""
_OF_ONE: Final[dict[str, Rule]] = _OF_MANY | {"shipping": _can_be_written_to}


def check_order(body: Any, path_number: str | None = None) -> SubmittedOrder:
    """The checked order; OrderRefused with the first check that fails (see the module's order of checks).

    `path_number` is the number in the path of a call about a single order; None for one of many.
    """
    if isinstance(body, _PlainOrder):
        plain = check_plain(Order, body, _OF_MANY)
        return _submitted_order(*plain) if plain else check_order(_ORDER.decode(_ENCODE(body)), path_number)
    if path_number is not None and _names_another(body.number, path_number):
        raise OrderRefused(Message("order-parameter-number-number-object"), parameter="number")
    check_required(Order, body)
    found = check_forms(Order, body, _OF_MANY if path_number is None else _OF_ONE)
    body.initialDunningLevel = None  # kept in a column: it is said once, at creation, and must not be said again
    return _submitted_order(found, _ENCODE(body))


def _submitted_order(found: dict[str, Any], document: bytes) -> SubmittedOrder:
    rate, currency = found.get("exchangeRate"), found["currency"]
    return SubmittedOrder(
        submission=Submission(
            found["number"], found["date"], found.get("dueDate"), found["amount_minor"], currency,
            found.get("initialDunningLevel") or 0,
        ),
        doc=document,
        type=found["type"],
        digits=CURRENCIES[currency],
        exchange_rate=Decimal(rate.decode()) if rate else None,
        stop_reminder=found.get("stopReminder") or False,
        mail_problem=mail_problem(found.get("customerEmail")),
    )  # fmt: skip


def read_order(body: bytes) -> SubmittedOrder:
    """An order of a shop system, whose JSON is ours: the same checks as a list of orders has; OrderRefused."""
    return check_order(decode_order(body))


def check_refund(body: Any) -> SubmittedRefund:
    """The checked refund; OrderRefused with the first check that fails: required fields, then forms."""
    check_required(Refund, body)
    found = check_forms(Refund, body)
    amount_minor = values.amount_in("amount", found["amount"], found["currency"])
    if amount_minor <= 0:
        raise values.invalid("amount", expected="an amount above 0")  # D-22
    digits = CURRENCIES[found["currency"]]
    return SubmittedRefund(found["externalReference"], amount_minor, found["currency"], digits, found["plannedDate"])


def without_mark(body: AnyBody) -> AnyBody:
    """The body without the byte order mark that some editors and languages put before a text in UTF-8 (D-39)."""
    return body[len(_BYTE_ORDER_MARK) :] if body[: len(_BYTE_ORDER_MARK)] == _BYTE_ORDER_MARK else body


def _decode(decoder: msgspec.json.Decoder[Any], body: Body, expected: str) -> Any:
    body = without_mark(body)
    if _NOT_BLANK.search(body) is None:
        raise BodyMissing
    try:
        if isinstance(body, bytes) and decoder is not _SYNC:  # whose elements are looked at one by one
            body.decode("utf-8")
        return decoder.decode(body)
    except msgspec.ValidationError as error:
        _check_json(body)  # the form was found wrong before the end of the text was seen
        element = _AT_ELEMENT.search(str(error))
        raise InvalidJson(
            Message("invalid-json-request", expected=expected), int(element[1]) if element else None
        ) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise InvalidJson(_NOT_JSON) from None


def _check_json(body: Body) -> None:
    try:
        # A long one is read to its end without making values, which could take many times its size.
        (_ANY if len(body) <= _SHORT else _SKIP).decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise InvalidJson(_NOT_JSON) from None


def _names_another(number: Any, path_number: str) -> bool:
    """True if the number of the body is there and is not that of the path; its form is checked later (D-21)."""
    return type(number) in (str, int) and not values.blank(number) and str(number) != path_number


def names_another_order(body: bytes, path_number: str) -> bool:
    """True if an unexpected body is an order with another number; anything but a JSON object is ignored."""
    try:
        return _names_another(_NAMED.decode(without_mark(body)).number, path_number)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return False
