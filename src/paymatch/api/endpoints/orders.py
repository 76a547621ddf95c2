"""Orders: submit, read, mark, list and synchronise (docs/api.md, Orders)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

import msgspec

from paymatch.api import parameters
from paymatch.api.call import ApiAnswer, ApiCall
from paymatch.api.contents import Content, json_body, json_of
from paymatch.api.openapi import examples
from paymatch.api.parameters import IncludeFlags
from paymatch.api.refusals import INVALID_DAY, LOCKED, OF_ORDERS, ORDER_UNKNOWN, OTHER_NUMBER, DocumentedRefusal, ours
from paymatch.api.router import endpoint
from paymatch.api.sections import ORDERS
from paymatch.domain.calendar import moment_text
from paymatch.domain.orders.settlement import PaymentStatus
from paymatch.domain.orders.submission import OrderRefused, SubmittedOrder
from paymatch.domain.words.message import Message, as_text
from paymatch.formats.contract import bodies, values
from paymatch.formats.contract.json_schema import array, ref, whole
from paymatch.store.orders.order_json import Include
from paymatch.store.orders.orders import PAGE, OrderFilter, place_of
from paymatch.usecases.orders import orders, synchronisation

MAX_AGE_DAYS: Final = 120
"""Default of the maximum order age (D-7)."""

SYNC_LIMIT: Final = 256 * 1024 * 1024
"""Bytes of a list of open orders: some 200,000 orders with all their values."""

_NO_FLAGS: Final = Include()


_CHANGED: Final = (ORDER_UNKNOWN, OTHER_NUMBER, LOCKED)
"""Of calls without a body that change an order."""


def _order_as(example: Mapping[str, object]) -> Content:
    return json_of(ref("Order"), example)


def _one(call: ApiCall) -> SubmittedOrder:
    return bodies.check_order(bodies.decode_order(call.body), call.number)


def _many(call: ApiCall) -> list[SubmittedOrder]:
    return [_check_order(body, index) for index, body in enumerate(bodies.decode_orders(call.body))]


def _open(call: ApiCall) -> Iterator[str | SubmittedOrder]:
    for index, element in enumerate(bodies.decode_sync(call.sent)):
        yield element if isinstance(element, str) else _check_order(element, index)


@endpoint(
    "POST",
    "order/{orderNumber}",
    ORDERS,
    "Create or update an order",
    "Creates the order if its number is new. Otherwise the order replaces the one that was submitted before, with"
    " all its fields: a field that is left out is unset. Read-only fields and uploaded invoices stay. Unchanged"
    " data changes nothing. A cancelled, refunded or collected order takes no other amount or currency; a legacy or"
    " disappeared one comes back to life.",
    body=json_body(_one, ref("OrderSubmission"), examples.SENT),
    answer=_order_as(examples.UNPAID),
    refusals=(OTHER_NUMBER, *OF_ORDERS),
    repeatable=True,
)
def submit_order(call: ApiCall, query: IncludeFlags, body: SubmittedOrder) -> ApiAnswer:
    """Creates or updates an order. Checks: body, number = path, required fields, forms, rules (D-21)."""
    orders.submit(call.tx, [body])
    return _order(call, query.include)


@endpoint(
    "GET", "order/{orderNumber}", ORDERS, "Read an order", answer=_order_as(examples.PAID), refusals=(ORDER_UNKNOWN,)
)
def read_order(call: ApiCall, query: IncludeFlags) -> ApiAnswer:
    """The order; 404 if it is unknown."""
    return _order(call, query.include)


@endpoint(
    "POST",
    "order/remove/{orderNumber}",
    ORDERS,
    "Remove an order",
    "The order vanished from the shop: it becomes DISAPPEARED, reminders stop, it is no longer tracked.",
    answer=_order_as(examples.unpaid_as("DISAPPEARED")),
    refusals=_CHANGED,
    repeatable=True,
)
def remove_order(call: ApiCall, query: IncludeFlags) -> ApiAnswer:
    """The order vanished from the shop; 404 if it is unknown."""
    _check_same_order(call)
    orders.remove(call.tx, call.number)
    return _order(call, query.include)


@endpoint(
    "POST",
    "order/{orderNumber}/setpaid",
    ORDERS,
    "Set an order paid",
    "Marks the order as PAID by hand.",
    answer=_order_as(examples.PAID_BY_HAND),
    refusals=(
        *_CHANGED,
        DocumentedRefusal(400, "Order already in paymentStatus PAID", "The order is paid, by payments or by hand."),
    ),
)
def set_paid(call: ApiCall) -> ApiAnswer:
    """PAID by hand; 404 if unknown, 400 if already PAID."""
    _check_same_order(call)
    orders.set_paid(call.tx, call.number)
    return _order(call, _NO_FLAGS)


@endpoint(
    "POST",
    "order/{orderNumber}/setunpaid",
    ORDERS,
    "Set an order unpaid",
    "Undoes `setpaid`; the payments booked so far determine the status.",
    answer=_order_as(examples.UNPAID),
    refusals=(
        *_CHANGED,
        DocumentedRefusal(400, "Order must have paymentStatus PAID", "The order is not paid."),
        DocumentedRefusal(400, "Order must have manual paymentStatus", "The order was paid by payments, not by hand."),
    ),
)
def set_unpaid(call: ApiCall) -> ApiAnswer:
    """Takes the manual PAID back; 404 if unknown, 400 unless PAID by hand."""
    _check_same_order(call)
    orders.set_unpaid(call.tx, call.number)
    return _order(call, _NO_FLAGS)


@endpoint(
    "POST",
    "order/{orderNumber}/cancel",
    ORDERS,
    "Cancel an order",
    "The order was cancelled in the shop; reminders stop.",
    answer=_order_as(examples.unpaid_as("CANCELLED")),
    refusals=_CHANGED,
    repeatable=True,
)
def cancel_order(call: ApiCall) -> ApiAnswer:
    """Cancelled in the shop; 404 if unknown."""
    _check_same_order(call)
    orders.cancel(call.tx, call.number)
    return _order(call, _NO_FLAGS)


@endpoint(
    "POST",
    "orders",
    ORDERS,
    "Create or update orders",
    "All or none: if one order is refused, none is stored, and the error names it. Each order replaces the one that"
    " was submitted before, as in `POST /order/{orderNumber}`. Split lists longer than 100.",
    body=json_body(_many, array(ref("OrderSubmission")), [examples.SENT, examples.SMALL]),
    answer=json_of(array(ref("Order")), [examples.UNPAID, examples.SMALL_UNPAID]),
    refusals=OF_ORDERS,
    repeatable=True,
)
def submit_orders(call: ApiCall, query: IncludeFlags, body: list[SubmittedOrder]) -> ApiAnswer:
    """Creates or updates orders, all or none (D-13); the (re-)read orders in the sequence sent."""
    orders.submit(call.tx, body, places=range(len(body)))
    numbers = [order.submission.number for order in body]
    if len(numbers) <= PAGE:
        call.tx.commit_with_next()
        return ApiAnswer(orders.read_many(call.tx, numbers, query.include))
    return ApiAnswer(_pages(call, numbers, query.include))


def _pages(call: ApiCall, numbers: list[str], include: Include) -> Iterator[bytes]:
    """A long list of orders read page by page, once the submission is committed."""
    for start in range(0, len(numbers), PAGE):
        with call.transaction() as tx:
            tx.commit_with_next()
            text = orders.read_many(tx, numbers[start : start + PAGE], include)
        yield (b"[" if start == 0 else b",") + text[1:-1]
    yield b"]"


@dataclass(frozen=True, slots=True)
class OrdersQuery(IncludeFlags):
    """Which orders."""

    max_age: int = parameters.whole(
        "Maximum age of an order in days, counted from its `date`. Older orders are left out, open ones too: give a"
        " larger number to list all open orders.",
        most=None,
        default=MAX_AGE_DAYS,
    )
    payment_status: tuple[PaymentStatus, ...] = parameters.several_of(
        PaymentStatus, "Payment statuses, separated by commas.", examples=["UNPAID,PAID_PARTIAL"]
    )
    min_posting_date: date | None = parameters.day("Only orders whose last posting is of this day or later.")
    limit: int | None = parameters.list_limit()
    after: str | None = parameters.text("Continue after the order with this number.", default=None)


@endpoint(
    "GET",
    "orders",
    ORDERS,
    "List orders",
    "By date and number; without `maxAge` those of the last 120 days. Long answers are streamed.",
    answer=json_of(array(ref("Order")), [examples.PAID]),
    refusals=(INVALID_DAY,),
)
def list_orders(call: ApiCall, query: OrdersQuery) -> ApiAnswer:
    """Orders by age, status and posting date (D-7), streamed page by page."""
    first = max(call.today.toordinal() - query.max_age, 1)  # no calendar begins before year 1
    wanted = OrderFilter(date.fromordinal(first), query.payment_status, query.min_posting_date)
    after = None
    if query.after is not None:
        after = place_of(call.tx, query.after)
        if after is None:
            raise values.invalid("after", expected="the number of an order")
    found = orders.stream(call.tx, call.database, call.shop, wanted, query.include, after=after, limit=query.limit)
    return ApiAnswer(found)


@dataclass(frozen=True, slots=True)
class SyncQuery:
    """How the list is taken."""

    force: bool = parameters.flag("Carry out what the setting `ordersync-guard=on` would refuse.")
    dry_run: bool = parameters.flag("Check and count, but change nothing.")
    detail: bool = parameters.flag("Answer an object instead of the number.")


@endpoint(
    "POST",
    "ordersync",
    ORDERS,
    "Synchronise the open orders",
    "The list holds all open orders of the shop. Open orders that are not in it become LEGACY; listed LEGACY and"
    " DISAPPEARED orders come back. Answers the number of orders set to LEGACY. Allow 10 minutes for a long list.",
    body=json_body(
        _open,
        array(
            {"anyOf": [{"type": ["string", "integer"], "description": "Order number."}, ref("OrderSubmission")]},
            "The complete list of the shop's open orders, as numbers or as orders.",
        ),
        ["2026/1001", examples.SMALL],
        limit=SYNC_LIMIT,
    ),
    answer=json_of({"oneOf": [whole("Number of orders set to LEGACY."), ref("SyncResult")]}, 3),
    refusals=(
        *OF_ORDERS,
        ours(
            400,
            "Empty list of orders, use force=true if no order is open",
            "The list of a synchronisation is empty, and the shop has `ordersync-guard=on`.",
        ),
        ours(
            400,
            "<n> of <m> open orders are not in the list, use force=true if this is right",
            "More than 20 % and more than 10 open orders would become LEGACY, and the shop has `ordersync-guard=on`.",
        ),
    ),
    repeatable=True,
)
def sync_orders(call: ApiCall, query: SyncQuery, body: Iterator[str | SubmittedOrder]) -> ApiAnswer:
    """The complete list of open orders (D-6, D-38); the number of orders set to LEGACY."""
    result = synchronisation.synchronise(call.tx, body, force=query.force, dry_run=query.dry_run)
    if not query.detail:
        return ApiAnswer(str(len(result.legacy)).encode())
    said = {
        "legacy": len(result.legacy),
        "legacyOrders": result.legacy,
        "revivedOrders": result.revived,
        "unknownOrders": result.unknown,
        "openBefore": result.open_before,
        "dryRun": query.dry_run,
    }
    return ApiAnswer(msgspec.json.encode(said | ({"id": result.id} if result.id else {}), enc_hook=as_text))


@endpoint(
    "GET",
    "ordersync",
    ORDERS,
    "List synchronisations",
    "Those of the last 30 days that changed the status of an order, latest first.",
    answer=json_of(array(ref("Synchronisation"))),
)
def list_synchronisations(call: ApiCall) -> ApiAnswer:
    """Our addition: the synchronisations of the last 30 days that changed something, latest first (D-38)."""
    rows = synchronisation.latest(call.tx)
    return ApiAnswer(
        msgspec.json.encode(
            [row | {"at": moment_text(row["at"], call.shop.timezone)} for row in rows], enc_hook=as_text
        )
    )


@endpoint(
    "POST",
    "ordersync/{syncId}/undo",
    ORDERS,
    "Undo a synchronisation",
    "Within 30 days the orders that it set to LEGACY, or brought back, are again what they were before it. Orders"
    " that were changed since stay as they are, and so does the data that it submitted.",
    answer=json_of(ref("UndoResult")),
    refusals=(
        ours(404, "Synchronisation '<id>' not found", "The shop has made no such call."),
        ours(
            400,
            "Synchronisation '<id>' is older than 30 days and can no longer be undone",
            "A synchronisation can be undone for 30 days.",
        ),
        ours(400, "Synchronisation '<id>' was already undone", "A synchronisation can be undone only once."),
        LOCKED,
    ),
)
def undo_synchronisation(call: ApiCall) -> ApiAnswer:
    """Our addition: the orders are again what they were before that call; 404 if unknown, 400 if too old (D-38)."""
    return ApiAnswer(msgspec.json.encode(synchronisation.undo(call.tx, call.params["syncId"]), enc_hook=as_text))


def _check_same_order(call: ApiCall) -> None:
    """An endpoint without a body that is sent one with another order's number: nothing is changed (D-39).

    `POST /order/Z/cancel` with the order `Z/cancel` is a submission with an unencoded slash.
    """
    if call.body and bodies.names_another_order(call.body, call.number):
        orders.require(call.tx, call.number)  # an unknown order answers first (D-21)
        raise OrderRefused(Message("order-parameter-number-number-object"), parameter="number")


def _order(call: ApiCall, include: Include) -> ApiAnswer:
    """The order as it is now: the last that the call asks for."""
    call.tx.commit_with_next()
    return ApiAnswer(orders.read(call.tx, call.number, include))


def _check_order(body: Any, index: int) -> SubmittedOrder:
    try:
        return bodies.check_order(body)
    except OrderRefused as error:
        error.index = index
        if isinstance(body.number, str) or type(body.number) is int:
            error.number = str(body.number)[: values.MAX_NUMBER]
        raise
