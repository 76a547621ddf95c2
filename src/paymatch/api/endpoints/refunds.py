"""Refunds: file one, list them, cancel one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import msgspec

from paymatch.api import parameters
from paymatch.api.call import ApiAnswer, ApiCall, known_order
from paymatch.api.contents import json_body, json_of
from paymatch.api.openapi import examples
from paymatch.api.refusals import LOCKED, ORDER_UNKNOWN, DocumentedRefusal, ours
from paymatch.api.router import endpoint
from paymatch.api.sections import REFUNDS
from paymatch.domain.money import currency_of, minor_to_text
from paymatch.domain.refunds.money_out import WAITS_FOR_RELEASE
from paymatch.domain.refunds.refunds import RefundStatus, RefundUnknown, SubmittedRefund
from paymatch.domain.shops.api_keys import KeyScope
from paymatch.domain.words.message import as_text
from paymatch.formats.contract import bodies
from paymatch.formats.contract.json_schema import array, ref
from paymatch.formats.contract.values import invalid
from paymatch.store.refunds.refunds import Listed
from paymatch.store.transactions import ShopTx
from paymatch.usecases.refunds import refunds
from paymatch.usecases.refunds.clearance import ArrivedSums

_UNKNOWN: Final = ours(404, "Refund '<id>' not found", "The shop has no such refund.")


def _refund_of(call: ApiCall) -> SubmittedRefund:
    return bodies.check_refund(bodies.decode_refund(call.body))


def _account_of(call: ApiCall) -> tuple[str, str]:
    return bodies.account_for_refund(call.body)


def _known_refund(tx: ShopTx, params: Mapping[str, str]) -> None:
    refunds.require(tx, params["refundId"])


@endpoint(
    "POST",
    "order/{orderNumber}/refund",
    REFUNDS,
    "Create a refund",
    "Executed as a bank transfer on or after `plannedDate`, as far as the order's payments cover it. While the"
    " customer's account is unknown, its status is BANKDETAILS_MISSING and the customer is asked.",
    body=json_body(_refund_of, ref("RefundCreation"), examples.REFUND),
    answer=json_of(ref("Refund"), examples.FILED_REFUND),
    refusals=(
        ORDER_UNKNOWN,
        LOCKED,
        DocumentedRefusal(400, "Planned date must be in the future", "`plannedDate` is today or earlier."),
        ours(
            400,
            "Parameter currency must be <currency>, the currency of the order",
            "Refund in another currency than the order's.",
        ),
        DocumentedRefusal(400, "Refund already exists: <referenceNumber>", "The shop has a refund of this reference."),
    ),
    scope=KeyScope.REFUNDS,
    needs=known_order,
)
def create_refund(call: ApiCall, body: SubmittedRefund) -> ApiAnswer:
    """Files a refund. Checks: order, body, required fields, forms, planned date in the future, unique reference."""
    return ApiAnswer(refunds.create(call.tx, call.number, body).encode())


@dataclass(frozen=True, slots=True)
class RefundsQuery:
    """Which refunds."""

    status: tuple[RefundStatus, ...] = parameters.several_of(RefundStatus, "Statuses, separated by commas.")
    limit: int = parameters.page_limit()
    after: str | None = parameters.text("Continue after the refund with this id.", default=None)


@endpoint(
    "GET",
    "refunds",
    REFUNDS,
    "List refunds",
    "In the sequence in which they were filed, each with its order; `reason` says why one that is due is not sent."
    " One that a person must release has the sums that arrived beside it.",
    answer=json_of(array(ref("RefundOfOrder"))),
)
def list_refunds(call: ApiCall, query: RefundsQuery) -> ApiAnswer:
    """Refunds in the order they were filed. `status`: comma separated; `after`: the `id` of the last one seen;
    `limit`: 100, at most 1,000. Each with its orderNumber; `reason` says why one that is due is not sent
    yet, `waitsForRelease` that a person must release it. Such a refund has `arrivedAmount`, what arrived for the
    order and has not gone out again, and `arrivedFromAccount`, the part of it from the account that it goes to."""
    try:
        rows = refunds.page(call.tx, query.status, query.after, query.limit)
    except RefundUnknown:
        raise invalid("after", expected="the id of a refund") from None
    return ApiAnswer(msgspec.json.encode([_refund(row, arrived) for row, arrived in rows], enc_hook=as_text))


@endpoint(
    "POST",
    "refund/{refundId}/cancel",
    REFUNDS,
    "Cancel a refund",
    "Before it is handed over to the bank.",
    answer=json_of(ref("Refund")),
    refusals=(
        _UNKNOWN,
        LOCKED,
        ours(
            400,
            "Could not cancel refund (status <status>)",
            "The refund is with the bank, executed, returned or cancelled before.",
        ),
    ),
    scope=KeyScope.REFUNDS,
)
def cancel_refund(call: ApiCall) -> ApiAnswer:
    """The refund is CANCELLED; 404 if unknown, 400 once it is with the bank or executed (D-4)."""
    return ApiAnswer(refunds.cancel(call.tx, call.params["refundId"]).encode())


@endpoint(
    "POST",
    "refund/{refundId}/account",
    REFUNDS,
    "Name the account for a refund",
    "For a refund without bank details, one that came back or was rejected, or one that is not sent yet. A person"
    " of the shop releases it before it is transferred.",
    body=json_body(_account_of, ref("RefundAccount"), examples.ACCOUNT),
    answer=json_of(ref("Refund")),
    refusals=(
        _UNKNOWN,
        LOCKED,
        ours(
            400,
            "Could not change the account of the refund (status <status>)",
            "The refund is with the bank, executed or cancelled.",
        ),
        ours(400, "<iban> is not a valid IBAN: <what is wrong>", "Country, length or check digits are wrong."),
        ours(400, "The name of the account holder is too long (max 140)", "Banks accept no longer name."),
    ),
    scope=KeyScope.REFUNDS,
    needs=_known_refund,
    repeatable=True,
)
def set_refund_account(call: ApiCall, body: tuple[str, str]) -> ApiAnswer:
    """The account that the customer named: the refund is NEW, and waits for a release (D-37). 404 if unknown."""
    return ApiAnswer(refunds.set_iban(call.tx, call.params["refundId"], *body).encode())


def _refund(row: Listed, arrived: ArrivedSums | None) -> msgspec.Raw:
    """The Refund with its order, and with what holds it back, what arrived, or the bank has said."""
    more: dict[str, object] = {
        "orderNumber": row.order_number,
        "waitsForRelease": row.held_reason in WAITS_FOR_RELEASE,
        "bankCode": row.bank_code,
    }
    if arrived is not None:
        more["arrivedAmount"] = _number(arrived.order_minor, arrived.currency)
        more["arrivedFromAccount"] = _number(arrived.account_minor, arrived.currency)
    tail = msgspec.json.encode({name: value for name, value in more.items() if value}, enc_hook=as_text)
    return msgspec.Raw(row.document.encode()[:-1] + b"," + tail[1:])


def _number(minor: int, currency: str) -> msgspec.Raw:
    return msgspec.Raw(minor_to_text(minor, currency_of(currency)).encode())
