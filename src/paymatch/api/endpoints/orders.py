"""Endpoints 1 to 6 and 9 to 11: orders."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Final

import msgspec

from paymatch.api import fields, schema
from paymatch.api.call import Answer, ApiCall
from paymatch.api.plain_orders import PlainOrder
from paymatch.api.router import endpoint
from paymatch.domain.calendar import moment_text
from paymatch.domain.orders.settlement import PaymentStatus
from paymatch.domain.orders.submission import OrderRefused, SubmittedOrder
from paymatch.domain.refusal import Refused
from paymatch.store.database import ShopId
from paymatch.store.orders.order_json import Include
from paymatch.store.orders.orders import PAGE, OrderFilter, place_of
from paymatch.usecases.orders import orders, synchronisation

MAX_AGE_DAYS: Final = 120
"""API document, endpoint 10: default of the maximum order age."""

SYNC_LIMIT: Final = 256 * 1024 * 1024
"""Bytes of a list of open orders: some 200,000 orders with all their fields."""

_NO_FLAGS: Final = Include()


@endpoint("POST", "order/{orderNumber}", writes=True)
def submit_order(call: ApiCall) -> Answer:
    """Endpoint 1: creates or updates an order. Checks: body, number = path, required fields, forms, rules (D-21)."""
    include = call.include()
    order = schema.check_order(schema.decode_order(call.body), call.number)
    orders.submit(call.tx, call.shop, [order], call.clock)
    return _order(call, include)


@endpoint("GET", "order/{orderNumber}")
def read_order(call: ApiCall) -> Answer:
    """Endpoint 2: the order; 404 if it is unknown."""
    return _order(call, _include(call))


@endpoint("POST", "order/remove/{orderNumber}", writes=True)
def remove_order(call: ApiCall) -> Answer:
    """Endpoint 3: the order vanished from the shop; 404 if it is unknown."""
    include = _include(call)
    _check_same_order(call)
    orders.remove(call.tx, call.shop, call.number, call.clock)
    return _order(call, include)


@endpoint("POST", "order/{orderNumber}/setpaid", writes=True)
def set_paid(call: ApiCall) -> Answer:
    """Endpoint 4: PAID by hand; 404 if unknown, 400 if already PAID."""
    _check_same_order(call)
    orders.set_paid(call.tx, call.shop, call.number, call.clock)
    return _order(call, _NO_FLAGS)


@endpoint("POST", "order/{orderNumber}/setunpaid", writes=True)
def set_unpaid(call: ApiCall) -> Answer:
    """Endpoint 5: takes the manual PAID back; 404 if unknown, 400 unless PAID by hand."""
    _check_same_order(call)
    orders.set_unpaid(call.tx, call.shop, call.number, call.clock)
    return _order(call, _NO_FLAGS)


@endpoint("POST", "order/{orderNumber}/cancel", writes=True)
def cancel_order(call: ApiCall) -> Answer:
    """Endpoint 6: cancelled in the shop; 404 if unknown."""
    _check_same_order(call)
    orders.cancel(call.tx, call.shop, call.number, call.clock)
    return _order(call, _NO_FLAGS)


@endpoint("POST", "orders", writes=True)
def submit_orders(call: ApiCall) -> Answer:
    """Endpoint 9: creates or updates orders, all or none (D-13); the (re-)read orders in the sequence sent."""
    include = call.include()
    checked = _checked(schema.decode_orders(call.body))
    orders.submit(call.tx, call.shop, checked, call.clock, places=range(len(checked)))
    numbers = [order.submission.number for order in checked]
    if len(numbers) <= PAGE:
        call.tx.commit_with_next()
        return Answer(orders.read_many(call.tx, call.shop, numbers, include))
    return Answer(_pages(call, numbers, include))


def _pages(call: ApiCall, numbers: list[str], include: Include) -> Iterator[bytes]:
    """A long list of orders read page by page, once the submission is committed."""
    for start in range(0, len(numbers), PAGE):
        with call.transaction() as tx:
            tx.commit_with_next()
            text = orders.read_many(tx, call.shop, numbers[start : start + PAGE], include)
        yield (b"[" if start == 0 else b",") + text[1:-1]
    yield b"]"


@endpoint("GET", "orders")
def list_orders(call: ApiCall) -> Answer:
    """Endpoint 10: orders by age, status and posting date (D-7), streamed page by page."""
    include = call.include()
    max_age = call.whole("maxAge", MAX_AGE_DAYS, 999_999_999)
    assert max_age is not None
    wanted = OrderFilter(
        oldest_date=date.fromordinal(max(call.today.toordinal() - max_age, 1)),  # no calendar begins before year 1
        statuses=_statuses(call),
        min_posting_date=call.date("minPostingDate"),
    )
    limit = call.whole("limit", None, 100_000)
    after = None
    if "after" in call.query:
        after = place_of(call.tx, ShopId(call.shop.id), call.query["after"])
        if after is None:
            raise fields.invalid("after", expected="the number of an order")
    return Answer(orders.stream(call.tx, call.database, call.shop, wanted, include, after=after, limit=limit))


@endpoint("POST", "ordersync", writes=True, body_limit=SYNC_LIMIT)
def sync_orders(call: ApiCall) -> Answer:
    """Endpoint 11 (D-6, D-38): the complete list of open orders; the number of orders set to LEGACY."""
    force, dry_run, detail = call.flag("force"), call.flag("dryRun"), call.flag("detail")
    listed = (
        element if isinstance(element, str) else _checked_one(element, index)
        for index, element in enumerate(schema.decode_sync(call.sent))
    )
    result = synchronisation.synchronise(call.tx, call.shop, listed, call.clock, force=force, dry_run=dry_run)
    if not detail:
        return Answer(str(len(result.legacy)).encode())
    body = {
        "legacy": len(result.legacy),
        "legacyOrders": result.legacy,
        "revivedOrders": result.revived,
        "unknownOrders": result.unknown,
        "openBefore": result.open_before,
        "dryRun": dry_run,
    }
    return Answer(msgspec.json.encode(body | ({"id": result.id} if result.id else {})))


@endpoint("GET", "ordersync")
def list_synchronisations(call: ApiCall) -> Answer:
    """Our addition: the synchronisations of the last 30 days that changed something, latest first (D-38)."""
    rows = synchronisation.latest(call.tx, call.shop, call.clock)
    return Answer(msgspec.json.encode([row | {"at": moment_text(row["at"], call.shop.timezone)} for row in rows]))


@endpoint("POST", "ordersync/{syncId}/undo", writes=True)
def undo_synchronisation(call: ApiCall) -> Answer:
    """Our addition: the orders are again what they were before that call; 404 if unknown, 400 if too old (D-38)."""
    return Answer(msgspec.json.encode(synchronisation.undo(call.tx, call.shop, call.params["syncId"], call.clock)))


def _include(call: ApiCall) -> Include:
    """The flags of a call on an order that must exist: an unknown order answers before a wrong flag (D-21)."""
    try:
        return call.include()
    except Refused:
        orders.require(call.tx, call.shop, call.number)
        raise


def _check_same_order(call: ApiCall) -> None:
    """An endpoint without a body that is sent one with another order's number: nothing is changed (D-39).

    `POST /order/Z/cancel` with the order `Z/cancel` is somebody who submits it, and has not encoded the slash.
    """
    if call.body and schema.names_another_order(call.body, call.number):
        orders.require(call.tx, call.shop, call.number)  # an unknown order answers first (D-21)
        raise OrderRefused("Parameter number and number in object do not match", parameter="number")


def _order(call: ApiCall, include: Include) -> Answer:
    """The order as it is now: the last that the call asks for."""
    call.tx.commit_with_next()
    return Answer(orders.read(call.tx, call.shop, call.number, include))


def _checked(bodies: Sequence[schema.OrderBody | PlainOrder]) -> list[SubmittedOrder]:
    return [_checked_one(body, index) for index, body in enumerate(bodies)]


def _checked_one(body: schema.OrderBody | PlainOrder, index: int) -> SubmittedOrder:
    try:
        return schema.check_order(body)
    except OrderRefused as error:
        error.index = index
        if isinstance(body.number, str) or type(body.number) is int:
            error.number = str(body.number)[: fields.MAX_NUMBER]
        raise


def _statuses(call: ApiCall) -> tuple[PaymentStatus, ...]:
    """The comma-separated filter; unknown values are refused (D-22)."""
    text = call.query.get("paymentStatus", "")
    try:
        return tuple(dict.fromkeys(PaymentStatus(part.strip()) for part in text.split(",") if part.strip()))
    except ValueError:
        raise fields.invalid("paymentStatus", allowed=PaymentStatus) from None
