"""Bodies of the merchant API: decoded, checked in the documented order, and brought into the form that is stored.

The order of checks per order (D-21): required fields in the document's order, then forms in the document's order.
The rules follow in `domain/orders/submission.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from decimal import Decimal
from typing import Any, Final, TypeVar

import msgspec

from paymatch.api import fields
from paymatch.api.plain_orders import PLAIN_ORDERS, PlainOrder, checked
from paymatch.domain.money import CURRENCIES
from paymatch.domain.orders.submission import OrderRefused, Submission, SubmittedOrder
from paymatch.domain.refunds import SubmittedRefund
from paymatch.domain.refusal import Refused
from paymatch.domain.reminders.mail_addresses import mail_problem
from paymatch.web import Body

AnyBody = TypeVar("AnyBody", bytes, Body)

ORDER_TYPES: Final = frozenset({"INVOICE", "PREPAYMENT", "COD", "OTHER"})
GENDERS: Final = frozenset({"male", "female", "company", "unknown"})
MAX_DUNNING_LEVEL: Final = 9
_ABSENT: Final = msgspec.Raw(b"")

_ENCODE: Final = msgspec.json.Encoder().encode


class InvalidJson(Refused):
    """The body is not JSON, or not JSON of the form that the endpoint takes; the text is the contract's `error`.

    `index`: which element of a list it is about; None if it is about the whole body.
    """

    def __init__(self, text: str, index: int | None = None) -> None:
        super().__init__(text)
        self.index = index

    @property
    def additions(self) -> dict[str, str | int | list[str]]:
        """The place in the list (D-13)."""
        return {} if self.index is None else {"index": self.index}


class BodyMissing(Refused):
    """The body is empty."""

    def __init__(self) -> None:
        super().__init__("Missing body")


class OrderBody(msgspec.Struct, omit_defaults=True):
    """The writable fields of an order in the document's order; what else is in the body is ignored (D-22)."""

    number: Any = None
    date: Any = None
    dueDate: Any = None  # noqa: N815  the contract's spelling, here and below
    type: Any = None
    amount: msgspec.Raw = _ABSENT
    currency: Any = None
    exchangeRate: msgspec.Raw = _ABSENT  # noqa: N815
    customerEmail: Any = None  # noqa: N815
    customerNumber: Any = None  # noqa: N815
    marketplaceNumber: Any = None  # noqa: N815
    paymentMethod: Any = None  # noqa: N815
    paymentMethodDescription: Any = None  # noqa: N815
    statusDescription: Any = None  # noqa: N815
    language: Any = None
    itemNumbers: Any = None  # noqa: N815
    items: Any = None
    invoiceNumbers: Any = None  # noqa: N815
    shippingNumbers: Any = None  # noqa: N815
    proformaNumbers: Any = None  # noqa: N815
    billing: Any = None
    shipping: Any = None
    initialDunningLevel: Any = None  # noqa: N815
    stopReminder: Any = None  # noqa: N815


class _Named(msgspec.Struct):
    """Whose body it is."""

    number: Any = None


class RefundBody(msgspec.Struct):
    """The writable fields of a refund."""

    externalReference: Any = None  # noqa: N815
    amount: msgspec.Raw = _ABSENT
    currency: Any = None
    plannedDate: Any = None  # noqa: N815


MAX_ACCOUNT: Final = 100
"""Characters of an IBAN with all that people put between its groups."""


class AccountBody(msgspec.Struct):
    """The account for a refund, our addition."""

    iban: Any = None
    accountHolder: Any = None  # noqa: N815


_ORDER: Final = msgspec.json.Decoder(OrderBody)
_ORDERS: Final = msgspec.json.Decoder(list[OrderBody])
_NAMED: Final = msgspec.json.Decoder(_Named)
_SYNC: Final = msgspec.json.Decoder(list[msgspec.Raw])
_REFUND: Final = msgspec.json.Decoder(RefundBody)
_ACCOUNT: Final = msgspec.json.Decoder(AccountBody)
_SHORT: Final = 1024 * 1024
_SKIP: Final = msgspec.json.Decoder(msgspec.Raw)
_ANY: Final = msgspec.json.Decoder()

_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_NOT_BLANK: Final = re.compile(rb"[^ \t\n\r\f\v]")
_AT_ELEMENT: Final = re.compile(r"at `\$\[(\d+)\]`$", re.ASCII)
"""Where an element of a list is of another form, in the words of the decoder."""
_NOT_JSON: Final = "Invalid JSON, comments not allowed in JSON body"


def decode_order(body: bytes) -> OrderBody:
    """The order of endpoint 1; BodyMissing or InvalidJson."""
    found = _decode(_ORDER, body, "a JSON object is expected")
    assert isinstance(found, OrderBody)
    return found


def decode_orders(body: bytes) -> list[OrderBody] | list[PlainOrder]:
    """The orders of endpoint 9; BodyMissing or InvalidJson."""
    with suppress(msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        body.decode("utf-8")
        return PLAIN_ORDERS.decode(body)
    found = _decode(_ORDERS, body, "a JSON array of orders is expected")
    assert isinstance(found, list)
    return found


_PLAIN_NUMBER: Final = re.compile(rb'"([!#-\[\]-~]{1,%d})"' % fields.MAX_NUMBER)
"""An order number as nearly every list has it: visible ASCII without escapes, which needs no further look."""


def decode_sync(body: Body) -> Iterator[str | OrderBody]:
    """The elements of endpoint 11, one after the other: order numbers or orders (D-6); BodyMissing or InvalidJson.

    Until its turn an element is a place in the body, which may be a file: nothing but the places is in memory.
    """
    expected = "a JSON array of order numbers or orders is expected"
    elements = _decode(_SYNC, body, expected)
    assert isinstance(elements, list)
    for index, raw in enumerate(elements):
        if (plain := _PLAIN_NUMBER.fullmatch(raw)) is not None:
            yield plain[1].decode()
        elif bytes(raw).lstrip().startswith(b"{"):
            order = _decode(_ORDER, bytes(raw), expected)
            assert isinstance(order, OrderBody)
            yield order
        else:
            yield _listed_number(bytes(raw), index, expected)


def _listed_number(raw: bytes, index: int, expected: str) -> str:
    """An element of a synchronisation that is an order number; its inside was not looked at so far."""
    try:
        number = fields.order_number("number", _decode(_ANY, raw, expected))
    except OrderRefused as error:
        error.index = index
        raise
    if number is None:
        raise OrderRefused("Missing parameter number", parameter="number", index=index)
    return number


def decode_refund(body: bytes) -> RefundBody:
    """The refund of endpoint 7; BodyMissing or InvalidJson."""
    found = _decode(_REFUND, body, "a JSON object is expected")
    assert isinstance(found, RefundBody)
    return found


def account_for_refund(body: Body) -> tuple[str, str]:
    """(IBAN, holder) as they were sent; BodyMissing, InvalidJson, OrderRefused if one of them is missing."""
    found = _decode(_ACCOUNT, body, "a JSON object is expected")
    assert isinstance(found, AccountBody)
    for name, value in (("iban", found.iban), ("accountHolder", found.accountHolder)):
        if fields.blank(value):
            raise fields.missing(name)
    iban, holder = fields.text("iban", found.iban, MAX_ACCOUNT), fields.text("accountHolder", found.accountHolder, 255)
    assert iban and holder  # seen above
    return iban, holder


def check_order(body: OrderBody | PlainOrder, path_number: str | None = None) -> SubmittedOrder:
    """The checked order; OrderRefused with the first check that fails (see the module's order of checks)."""
    if isinstance(body, PlainOrder):
        return checked(body) or check_order(_ORDER.decode(_ENCODE(body)), path_number)
    if path_number is not None and _names_another(body.number, path_number):
        raise OrderRefused("Parameter number and number in object do not match", parameter="number")
    _check_required(body)
    number = fields.order_number("number", body.number)
    order_date = fields.day("date", body.date)
    due_date = fields.day("dueDate", body.dueDate)
    kind = fields.one_of("type", body.type, ORDER_TYPES)
    amount = fields.amount("amount", bytes(body.amount))
    currency = fields.currency("currency", body.currency)
    assert number and order_date and kind and currency  # _check_required has seen them
    amount_minor = fields.amount_in("amount", amount, currency)
    rate = fields.rate("exchangeRate", bytes(body.exchangeRate))
    _normalise_texts(body)
    problem = mail_problem(body.customerEmail)
    if problem and path_number is not None:  # one of many is kept: a wrong address must not hold up all others (D-39)
        raise fields.invalid("customerEmail", expected="an address that mail can be sent to")
    level = fields.whole("initialDunningLevel", body.initialDunningLevel, MAX_DUNNING_LEVEL)
    stop = fields.flag("stopReminder", body.stopReminder)

    body.number = number
    body.dueDate = body.dueDate or None
    body.stopReminder = stop  # a boolean, whatever stood for it
    body.amount = msgspec.Raw(str(amount).encode())
    body.exchangeRate = msgspec.Raw(rate) if rate else _ABSENT
    body.initialDunningLevel = None  # kept in a column: it is said once, at creation, and must not be said again
    submission = Submission(number, order_date, due_date, amount_minor, currency, level or 0)
    return SubmittedOrder(
        submission=submission,
        doc=_ENCODE(body),
        type=kind,
        digits=CURRENCIES[currency],
        exchange_rate=Decimal(rate.decode()) if rate else None,
        stop_reminder=stop or False,
        mail_problem=problem,
    )


def read_order(body: bytes) -> SubmittedOrder:
    """An order of a shop system, whose JSON is ours: the same checks as a list of orders has; OrderRefused."""
    return check_order(decode_order(body))


def check_refund(body: RefundBody) -> SubmittedRefund:
    """The checked refund; OrderRefused with the first check that fails: required fields, then forms."""
    if fields.blank(body.externalReference):
        raise fields.missing("externalReference")
    if not fields.present(bytes(body.amount)):
        raise fields.missing("amount")
    for name, value in (("currency", body.currency), ("plannedDate", body.plannedDate)):
        if fields.blank(value):
            raise fields.missing(name)
    reference = fields.reference("externalReference", body.externalReference)
    amount = fields.amount("amount", bytes(body.amount))
    currency = fields.currency("currency", body.currency)
    planned = fields.day("plannedDate", body.plannedDate)
    assert reference and currency and planned  # seen above
    amount_minor = fields.amount_in("amount", amount, currency)
    if amount_minor <= 0:
        raise fields.invalid("amount", expected="an amount above 0")  # D-22
    return SubmittedRefund(reference, amount_minor, currency, CURRENCIES[currency], planned)


def without_mark(body: AnyBody) -> AnyBody:
    """The body without the byte order mark that some editors and languages put before a text in UTF-8 (D-39)."""
    return body[len(_BYTE_ORDER_MARK) :] if body[: len(_BYTE_ORDER_MARK)] == _BYTE_ORDER_MARK else body


def _decode(decoder: msgspec.json.Decoder[Any], body: Body, expected: str) -> object:
    body = without_mark(body)
    if _NOT_BLANK.search(body) is None:
        raise BodyMissing
    try:
        if isinstance(body, bytes) and decoder is not _SYNC:  # whose elements are looked at one by one
            body.decode("utf-8")
        found: object = decoder.decode(body)
    except msgspec.ValidationError as error:
        _check_json(body)  # the form was found wrong before the end of the text was seen
        element = _AT_ELEMENT.search(str(error))
        raise InvalidJson(f"Invalid request: {expected}", int(element[1]) if element else None) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise InvalidJson(_NOT_JSON) from None
    return found


def _check_json(body: Body) -> None:
    try:
        # A long one is read to its end without making values, which could take many times its size.
        (_ANY if len(body) <= _SHORT else _SKIP).decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise InvalidJson(_NOT_JSON) from None


def _names_another(number: Any, path_number: str) -> bool:
    """True if the number of the body is there and is not that of the path; its form is checked later (D-21)."""
    return type(number) in (str, int) and not fields.blank(number) and str(number) != path_number


def names_another_order(body: bytes, path_number: str) -> bool:
    """True if a body that nobody asked for is an order of another number; what is not a JSON object says nothing."""
    try:
        return _names_another(_NAMED.decode(without_mark(body)).number, path_number)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return False


def _check_required(body: OrderBody) -> None:
    """Required fields in the document's order: the order's own, those of items, of billing, of shipping."""
    if fields.blank(body.number):
        raise fields.missing("number")
    if fields.blank(body.date):
        raise fields.missing("date")
    if fields.blank(body.type):
        raise fields.missing("type")
    if not fields.present(bytes(body.amount)):
        raise fields.missing("amount")
    if fields.blank(body.currency):
        raise fields.missing("currency")
    _check_required_items(body.items)
    if fields.no_object(body.billing):
        raise fields.missing("billing")
    _check_required_address("billing", body.billing)
    if not fields.no_object(body.shipping):
        _check_required_address("shipping", body.shipping)


def _check_required_items(items: Any) -> None:
    if not isinstance(items, list):
        return  # of the wrong form: the checks of forms answer
    for item in items:
        if isinstance(item, dict) and fields.blank(item.get("number")):
            raise fields.missing("items.number")


def _check_required_address(name: str, address: Any) -> None:
    if not isinstance(address, dict):
        return  # of the wrong form: the checks of forms answer
    if fields.blank(address.get("lastName")) and fields.blank(address.get("company")):
        raise fields.missing(f"{name}.lastName")
    if fields.blank(address.get("countryCode")):
        raise fields.missing(f"{name}.countryCode")


def _normalise_texts(body: OrderBody) -> None:
    """The optional fields in the document's order, each checked and replaced by what is stored."""
    body.customerEmail = fields.email("customerEmail", body.customerEmail)
    body.customerNumber = fields.identifier("customerNumber", body.customerNumber)
    body.marketplaceNumber = fields.identifier("marketplaceNumber", body.marketplaceNumber)
    body.paymentMethod = fields.text("paymentMethod", body.paymentMethod, 255)
    body.paymentMethodDescription = fields.text("paymentMethodDescription", body.paymentMethodDescription, 255)
    body.statusDescription = fields.text("statusDescription", body.statusDescription, 255)
    body.language = fields.language("language", body.language)
    body.itemNumbers = fields.identifiers("itemNumbers", body.itemNumbers)
    body.items = _items(body.items)
    body.invoiceNumbers = fields.identifiers("invoiceNumbers", body.invoiceNumbers)
    body.shippingNumbers = fields.identifiers("shippingNumbers", body.shippingNumbers)
    body.proformaNumbers = fields.identifiers("proformaNumbers", body.proformaNumbers)
    body.billing = _address("billing", body.billing)
    body.shipping = None if fields.no_object(body.shipping) else _address("shipping", body.shipping)


_ITEMS: Final = "an array of objects with number and name"


def _items(value: Any) -> list[dict[str, str]] | None:
    if fields.no_object(value):
        return None
    if type(value) is not list:
        raise fields.invalid("items", expected=_ITEMS)
    found: list[dict[str, str]] = []
    for each in value:
        item = fields.child(each)
        if item is None:
            raise fields.invalid("items", expected=_ITEMS)
        number = fields.identifier("items.number", item.get("number"))
        if number is None:
            raise fields.missing("items.number")
        name = fields.text("items.name", item.get("name"), 255)
        found.append({"number": number, "name": name} if name else {"number": number})
    return found or None


_ADDRESS_TEXTS: Final = (
    ("firstName", 255),
    ("lastName", 255),
    ("company", 255),
    ("street", 255),
    ("postCode", 32),
    ("city", 128),
)


def _address(name: str, value: Any) -> dict[str, str]:
    """The address with its fields in the document's order; unset and unknown fields fall away."""
    address: Mapping[str, Any] | None = fields.child(value)
    if address is None:
        raise fields.invalid(name, expected="an object with lastName or company, and countryCode")
    found: dict[str, str] = {}
    gender = fields.one_of(f"{name}.gender", address.get("gender"), GENDERS)
    if gender:
        found["gender"] = gender
    for key, limit in _ADDRESS_TEXTS:
        text = fields.text(f"{name}.{key}", address.get(key), limit)
        if text and text.strip():
            found[key] = text
    country = fields.country(f"{name}.countryCode", address.get("countryCode"))
    if country:
        found["countryCode"] = country
    phone = fields.text(f"{name}.phone", address.get("phone"), 64)
    if phone:
        found["phone"] = phone
    return found
