"""Endpoint 7: refunds; and our additions: their list, and taking one back."""

from __future__ import annotations

from typing import Final

import msgspec

from paymatch.api import schema
from paymatch.api.call import Answer, ApiCall
from paymatch.api.fields import invalid
from paymatch.api.router import endpoint
from paymatch.domain.money_out import WAITS_FOR_RELEASE
from paymatch.domain.refunds import RefundStatus, RefundUnknown
from paymatch.domain.shops.key_scopes import KeyScope
from paymatch.store.refunds.refunds import Listed
from paymatch.usecases.refunds import refunds

DEFAULT_LIMIT: Final = 100
MAX_LIMIT: Final = 1000


@endpoint("POST", "order/{orderNumber}/refund", writes=True, scope=KeyScope.REFUNDS, needs_order=True)
def create_refund(call: ApiCall) -> Answer:
    """Endpoint 7. Checks: order, body, required fields, forms, planned date in the future, unique reference."""
    refund = schema.check_refund(schema.decode_refund(call.body))
    return Answer(refunds.create(call.tx, call.shop, call.number, refund, call.clock).encode())


@endpoint("GET", "refunds")
def list_refunds(call: ApiCall) -> Answer:
    """Refunds in the order they were filed. `status`: comma separated; `after`: the `id` of the last one seen;
    `limit`: 100, at most 1,000. Each with its orderNumber; `reason` says why one that is due is not sent
    yet, `waitsForRelease` that a person must release it."""
    statuses, limit = _statuses(call.query.get("status", "")), call.whole("limit", DEFAULT_LIMIT, MAX_LIMIT)
    try:
        rows = refunds.page(call.tx, call.shop, statuses, call.query.get("after"), limit or DEFAULT_LIMIT)
    except RefundUnknown:
        raise invalid("after", expected="the id of a refund") from None
    return Answer(msgspec.json.encode([_refund(row) for row in rows]))


@endpoint("POST", "refund/{refundId}/cancel", writes=True, scope=KeyScope.REFUNDS)
def cancel_refund(call: ApiCall) -> Answer:
    """The refund is CANCELLED; 404 if unknown, 400 once it is with the bank or executed (D-4)."""
    return Answer(refunds.cancel(call.tx, call.shop, call.params["refundId"], call.clock).encode())


@endpoint("POST", "refund/{refundId}/account", writes=True, scope=KeyScope.REFUNDS)
def set_refund_account(call: ApiCall) -> Answer:
    """The account that the customer named: the refund is NEW, and waits for a release (D-37). 404 if unknown."""
    refunds.require(call.tx, call.shop, call.params["refundId"])
    iban, holder = schema.account_for_refund(call.body)
    found = refunds.set_iban(call.tx, call.shop, call.params["refundId"], iban, holder, call.clock)
    return Answer(found.encode())


def _statuses(text: str) -> list[RefundStatus]:
    try:
        return [RefundStatus(part.strip()) for part in text.split(",") if part.strip()]
    except ValueError:
        raise invalid("status", allowed=RefundStatus) from None


def _refund(row: Listed) -> msgspec.Raw:
    """The Refund with its order, and with what holds it back or the bank has said."""
    more = {
        "orderNumber": row.order_number,
        "waitsForRelease": row.held_reason in WAITS_FOR_RELEASE,
        "bankCode": row.bank_code,
    }
    tail = msgspec.json.encode({name: value for name, value in more.items() if value})
    return msgspec.Raw(row.document.encode()[:-1] + b"," + tail[1:])
