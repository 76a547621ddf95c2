"""Orders of WooCommerce: REST API v3, Order properties (https://woocommerce.github.io/woocommerce-rest-api-docs/)."""

from __future__ import annotations

import html
from collections.abc import Mapping
from decimal import Decimal
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

FIELDS: Final = (
    "id,number,status,currency,date_created_gmt,date_modified_gmt,total,customer_id,billing,shipping,payment_method,"
    "payment_method_title,line_items,refunds"
)
"""What is asked for of an order; the rest of it does not leave the shop."""

_DRAFTS: Final = frozenset({"checkout-draft", "auto-draft", "draft", "failed"})
_CANCELLED: Final = frozenset({"cancelled", "refunded", "trash"})
_PAID: Final = frozenset({"processing", "completed"})
_MAX_ITEMS: Final = 500


def read_orders(body: bytes, total: str = "") -> OrdersRead:
    """The orders of a page, oldest change first; AnswerUnexpected if the answer is not a list of orders."""
    found = decode(body)
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise AnswerUnexpected("a list of orders is expected")
    known = int(total) if total.isascii() and total.isdigit() and len(total) < 12 else None
    return OrdersRead(tuple(read_alone(each, "number", _readable) for each in found), known)


def changed_at(body: bytes) -> list[str]:
    """The moments of the last changes in the page as the shop wrote them, in its order; "" where there is none."""
    return [text(child(each, "date_modified_gmt")) for each in decode(body)]


def read_state(body: bytes) -> str:
    """The status of a single order; AnswerUnexpected if the answer is none."""
    found = text(child(decode(body), "status"))
    if not found:
        raise AnswerUnexpected("an order with its status is expected")
    return found


def read_notes(body: bytes) -> list[str]:
    """The texts of an order's notes; AnswerUnexpected if the answer is not a list."""
    found = decode(body)
    if not isinstance(found, list):
        raise AnswerUnexpected("a list of notes is expected")
    return [text(child(each, "note")) for each in found]


def _readable(order: Mapping[str, Any]) -> ForeignOrder:
    key, state = identity(order.get("id"), "id"), text(order.get("status"))
    if not 0 < len(state) <= MAX_STATE:
        raise OrderUnreadable("status")
    number = text(order.get("number")) or key
    if "\ufffd" in number:
        raise OrderUnreadable("number")
    method = text(order.get("payment_method"))
    customer = text(order.get("customer_id"))
    billing = _address(child(order, "billing"))
    shipping = _address(child(order, "shipping"))
    return ForeignOrder(
        id=key,
        number=number,
        placed_at=moment(order.get("date_created_gmt"), "date_created_gmt"),
        state=state,
        is_draft=state in _DRAFTS,
        is_cancelled=state in _CANCELLED,
        paid_for=frozenset({"PREPAYMENT"}) if state in _PAID else frozenset(),
        methods=(method,),
        doc=fill_template(
            {
                "amount": _due(order),
                "currency": text(order.get("currency")),
                "customerEmail": text(child(order, "billing", "email")),
                "customerNumber": "" if customer == "0" else customer,  # 0: a guest
                "paymentMethod": method,
                "paymentMethodDescription": _plain_text(order.get("payment_method_title")),
                "statusDescription": state,
                "items": _items(order),
                "billing": billing,
                # An order without a delivery has an empty address, and one without a name belongs to the same person.
                "shipping": shipping if shipping.get("lastName") or shipping.get("company") else None,
            }
        ),
    )


def _plain_text(value: Any) -> str:
    """A text that people wrote. WordPress stores it for pages (`Huber &amp; Sohn`, `O&#039;Neill`): decoded once."""
    return text(html.unescape(value) if isinstance(value, str) else value)


def _due(order: Mapping[str, Any]) -> Decimal:
    """The total without what was refunded: a refund of an order that is not paid yet lowers what is owed."""
    total = amount(order.get("total"), "total")
    return total - sum((abs(amount(child(each, "total"), "refunds")) for each in children(order, "refunds")), Decimal())


def _items(order: Mapping[str, Any]) -> list[dict[str, str]]:
    found = []
    for item in children(order, "line_items")[:_MAX_ITEMS]:
        number = _plain_text(child(item, "sku")) or text(child(item, "product_id"))
        if number and number != "0":
            found.append(fill_template({"number": number, "name": _plain_text(child(item, "name"))}))
    return found


def _address(address: Any) -> dict[str, Any]:
    street = " ".join(
        filter(None, (_plain_text(child(address, "address_1")), _plain_text(child(address, "address_2"))))
    )
    return fill_template(
        {
            "firstName": _plain_text(child(address, "first_name")),
            "lastName": _plain_text(child(address, "last_name")) or _plain_text(child(address, "first_name")),
            "company": _plain_text(child(address, "company")),
            "street": street,
            "postCode": _plain_text(child(address, "postcode")),
            "city": _plain_text(child(address, "city")),
            "countryCode": text(child(address, "country")),
            "phone": _plain_text(child(address, "phone")),
        }
    )
