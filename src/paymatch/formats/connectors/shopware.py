"""Orders of Shopware 6: Admin API, entity `order`, as `application/json` (https://developer.shopware.com/docs/)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from paymatch.formats.connectors.foreign_orders import (
    MAX_STATE,
    AnswerUnexpected,
    ForeignOrder,
    OrdersRead,
    OrderUnreadable,
    amount,
    child,
    children,
    decode,
    fill_template,
    identity,
    moment,
    read_alone,
    text,
)

ASSOCIATIONS: Final[dict[str, Any]] = {
    "stateMachineState": {},
    "currency": {},
    "language": {"associations": {"locale": {}}},
    "orderCustomer": {"associations": {"salutation": {}}},
    "billingAddress": {"associations": {"country": {}}},
    "deliveries": {"associations": {"shippingOrderAddress": {"associations": {"country": {}}}}},
    "transactions": {"associations": {"stateMachineState": {}, "paymentMethod": {}}},
    "lineItems": {},
    "documents": {"associations": {"documentType": {}}},
}
"""What has to be requested in addition to the order itself: since 6.6 nothing is included by default."""
INCLUDES: Final[dict[str, list[str]]] = {
    "order": [
        "id", "orderNumber", "autoIncrement", "orderDateTime", "createdAt", "amountTotal", "stateMachineState",
        "currency", "language", "orderCustomer", "billingAddress", "deliveries", "transactions", "lineItems",
        "documents",
    ],
    "order_customer": ["email", "customerNumber", "salutation"],
    "order_address": ["firstName", "lastName", "company", "street", "zipcode", "city", "country", "phoneNumber"],
    "order_delivery": ["trackingCodes", "shippingOrderAddress"],
    "order_transaction": ["id", "createdAt", "stateMachineState", "paymentMethod"],
    "order_line_item": ["type", "label", "payload"],
    "state_machine_state": ["technicalName"],
    "payment_method": ["technicalName", "formattedHandlerIdentifier", "shortName", "name"],
    "currency": ["isoCode"],
    "language": ["locale"],
    "locale": ["code"],
    "country": ["iso"],
    "salutation": ["salutationKey"],
    "document": ["documentNumber", "documentType", "config"],
    "document_type": ["technicalName"],
}  # fmt: skip
"""The fields that are asked for; the rest of an order does not leave the shop."""

_PAID: Final = frozenset({"paid", "refunded", "refunded_partially", "chargeback"})
_ALL_TYPES: Final = frozenset({"PREPAYMENT", "INVOICE", "COD"})
_DRAFTS: Final = frozenset({"failed"})
_GENDERS: Final = {"mr": "male", "mrs": "female", "ms": "female"}
_MAX_ITEMS: Final = 500


def read_token(body: bytes) -> str:
    """The access token of an answer of `oauth/token`; AnswerUnexpected if there is none that fits in a header."""
    found = text(child(decode(body), "access_token"))
    if not (found and found.isascii() and found.isprintable() and len(found) <= 8192):
        raise AnswerUnexpected("an access token is expected")
    return found


def read_orders(body: bytes) -> OrdersRead:
    """The orders of a search; AnswerUnexpected if the answer is not the result of one."""
    found = decode(body)
    rows = child(found, "data")
    if not isinstance(rows, list) or not all(isinstance(each, dict) for each in rows):
        raise AnswerUnexpected("a result of a search is expected")
    orders, total = tuple(read_alone(each, "orderNumber", _readable) for each in rows), child(found, "total")
    return OrdersRead(orders, total if type(total) is int else None)


def last_place(body: bytes) -> int | None:
    """The autoIncrement of the last order of a search, which is sorted by it; None if there is none."""
    rows = children(decode(body), "data")
    found = child(rows[-1], "autoIncrement") if rows else None
    return found if type(found) is int else None


def transaction_of(body: bytes) -> tuple[str, str]:
    """(id, state) of the latest transaction of the first order; both "" if the order is gone. AnswerUnexpected."""
    rows = child(decode(body), "data")
    if not isinstance(rows, list):
        raise AnswerUnexpected("a result of a search is expected")
    if not rows:
        return "", ""
    latest = _latest(rows[0])
    state = text(child(latest, "stateMachineState", "technicalName"))
    try:
        return identity(child(latest, "id"), "transactions"), state
    except OrderUnreadable:
        raise AnswerUnexpected("an order with its transactions is expected") from None


def _readable(order: Mapping[str, Any]) -> ForeignOrder:
    key, transaction = identity(order.get("id"), "id"), _latest(order)
    state = text(child(transaction, "stateMachineState", "technicalName"))
    number = text(order.get("orderNumber"))
    if not number or "\ufffd" in number:
        raise OrderUnreadable("orderNumber")
    if not 0 < len(state) <= MAX_STATE:
        raise OrderUnreadable("transactions")
    order_state = text(child(order, "stateMachineState", "technicalName"))
    return ForeignOrder(
        id=key,
        number=number,
        placed_at=moment(order.get("orderDateTime") or order.get("createdAt"), "orderDateTime"),
        state=state,
        is_draft=state in _DRAFTS,
        is_cancelled="cancelled" in (order_state, state) or state == "refunded",
        paid_for=_ALL_TYPES if state in _PAID else frozenset(),
        methods=_methods(child(transaction, "paymentMethod")),
        doc=_doc(order, transaction, state),
    )


def _doc(order: Mapping[str, Any], transaction: Any, state: str) -> dict[str, Any]:
    customer, deliveries = child(order, "orderCustomer"), children(order, "deliveries")
    gender = _GENDERS.get(text(child(customer, "salutation", "salutationKey")), "")
    shipping = _address(child(deliveries[0], "shippingOrderAddress")) if deliveries else {}
    return fill_template(
        {
            "amount": amount(order.get("amountTotal"), "amountTotal"),
            "currency": text(child(order, "currency", "isoCode")),
            "customerEmail": text(child(customer, "email")),
            "customerNumber": text(child(customer, "customerNumber")),
            "paymentMethod": next(iter(_methods(child(transaction, "paymentMethod"))), ""),
            "paymentMethodDescription": text(child(transaction, "paymentMethod", "name")),
            "statusDescription": state,
            "language": text(child(order, "language", "locale", "code")),
            "items": _items(order),
            "invoiceNumbers": _invoices(order),
            "shippingNumbers": [code for each in deliveries for code in map(text, children(each, "trackingCodes"))],
            "billing": fill_template({"gender": gender} | _address(child(order, "billingAddress"))),
            "shipping": shipping,
        }
    )


def _latest(order: Any) -> Any:
    """The transaction that counts: the latest, as customers may choose another payment method later."""
    found = [each for each in children(order, "transactions") if isinstance(each, dict)]
    return max(found, key=lambda each: text(each.get("createdAt")), default=None)


def _methods(method: Any) -> tuple[str, ...]:
    names = ("technicalName", "formattedHandlerIdentifier", "shortName", "name")
    return tuple(filter(None, (text(child(method, name)) for name in names)))


def _items(order: Mapping[str, Any]) -> list[dict[str, str]]:
    found = []
    for item in children(order, "lineItems")[:_MAX_ITEMS]:
        number = text(child(item, "payload", "productNumber"))
        if number:
            found.append(fill_template({"number": number, "name": text(child(item, "label"))}))
    return found


def _invoices(order: Mapping[str, Any]) -> list[str]:
    found = []
    for document in children(order, "documents"):
        if text(child(document, "documentType", "technicalName")) == "invoice":
            number = text(child(document, "documentNumber")) or text(child(document, "config", "documentNumber"))
            found += [number] if number and number not in found else []
    return found


def _address(address: Any) -> dict[str, Any]:
    return fill_template(
        {
            "firstName": text(child(address, "firstName")),
            "lastName": text(child(address, "lastName")),
            "company": text(child(address, "company")),
            "street": text(child(address, "street")),
            "postCode": text(child(address, "zipcode")),
            "city": text(child(address, "city")),
            "countryCode": text(child(address, "country", "iso")),
            "phone": text(child(address, "phoneNumber")),
        }
    )
