"""The peer of `lab.api`: the same operations on uvicorn, asyncpg and msgspec, and nothing around them.

    PYTHONPATH=src:. python -m lab.bare_api --port 8500 --url postgresql://...

It checks the key, decodes and validates with msgspec structs, runs the statements of our own service (imported, so that
they stay the same) in a transaction of its own, and answers. It has no framework, no log lines, no request id, no other
endpoints, hardly any error texts. Match keys of new and changed orders come from our engine in both applications.
"""

from __future__ import annotations

import argparse
import importlib.util
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Annotated, Any, Final, Literal
from urllib.parse import parse_qsl, unquote

import asyncpg
import msgspec
import uvicorn
from msgspec import Meta, Struct

from paymatch.domain.bank_accounts import creditor_reference
from paymatch.domain.calendar import latest_due_date, parse_date, today_in
from paymatch.domain.matching.lookup.keys import MAX_HITS, amount_key, split_keys
from paymatch.domain.matching.model import OrderFacts
from paymatch.domain.money import CURRENCIES, Currency, decimal_to_minor
from paymatch.domain.orders.settlement import Ledger, Mark, PaymentStatus, payment_status
from paymatch.domain.shops import api_keys
from paymatch.domain.shops.api_keys import KeyScope, parse_scopes
from paymatch.store.ids import new_id, new_reference_payload
from paymatch.store.matching import matching, rematch_calls
from paymatch.store.matching.order_facts import OrderColumns, order_facts
from paymatch.store.orders import ledger, orders
from paymatch.store.orders.order_json import Include
from paymatch.store.shops import shops
from paymatch.store.transactions import LOCK_WAIT_SECONDS, ShopId

Receive = Callable[[], Awaitable[Mapping[str, Any]]]
Send = Callable[[Mapping[str, Any]], Awaitable[None]]

Day = Annotated[str, Meta(pattern=r"^\d{2}-\d{2}-\d{4}$")]
Number = Annotated[str, Meta(min_length=1, max_length=255)]
Key = Annotated[str, Meta(min_length=1, max_length=128)]
Text = Annotated[str, Meta(max_length=255)]
Country = Annotated[str, Meta(pattern="^[A-Z]{2}$")]

_BEGIN: Final = "BEGIN; SET LOCAL ROLE paymatch_app; SET LOCAL paymatch.shop = '%s'; SET LOCAL lock_timeout = '%ds'"
_NO_FLAGS: Final = Include()
_MAX_AGE: Final = timedelta(days=120)


class Item(Struct, omit_defaults=True):
    number: Key
    name: Text | None = None


class Address(Struct, omit_defaults=True):
    gender: Literal["male", "female", "company", "unknown"] | None = None
    firstName: Text | None = None  # noqa: N815  the contract's spelling, here and below
    lastName: Text | None = None  # noqa: N815
    company: Text | None = None
    street: Text | None = None
    postCode: Annotated[str, Meta(max_length=32)] | None = None  # noqa: N815
    city: Annotated[str, Meta(max_length=128)] | None = None
    countryCode: Country | None = None  # noqa: N815
    phone: Annotated[str, Meta(max_length=64)] | None = None


class Order(Struct, omit_defaults=True):
    number: Number
    date: Day
    dueDate: Day | None = None  # noqa: N815
    type: Literal["INVOICE", "PREPAYMENT", "COD", "OTHER"] | None = None
    amount: Decimal | None = None
    currency: str | None = None
    exchangeRate: Decimal | None = None  # noqa: N815
    customerEmail: Annotated[str, Meta(max_length=254)] | None = None  # noqa: N815
    customerNumber: Key | None = None  # noqa: N815
    marketplaceNumber: Key | None = None  # noqa: N815
    paymentMethod: Text | None = None  # noqa: N815
    paymentMethodDescription: Text | None = None  # noqa: N815
    statusDescription: Text | None = None  # noqa: N815
    language: Annotated[str, Meta(pattern="^[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*$")] | None = None
    itemNumbers: list[Key] | None = None  # noqa: N815
    items: list[Item] | None = None
    invoiceNumbers: list[Key] | None = None  # noqa: N815
    shippingNumbers: list[Key] | None = None  # noqa: N815
    proformaNumbers: list[Key] | None = None  # noqa: N815
    billing: Address | None = None
    shipping: Address | None = None


class Refused(Exception):
    """An error answer: status and text."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


_DECODE: Final = msgspec.json.Decoder(list[Order]).decode
_ENCODE: Final = msgspec.json.Encoder(decimal_format="number").encode


class BareApi:
    """The ASGI application."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._pool: Any = None

    async def __call__(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
            return
        try:
            status, body = 200, await self._answer(scope, receive)
        except Refused as error:
            status, body = error.status, _ENCODE({"error": str(error)})
        except msgspec.MsgspecError as error:
            status, body = 400, _ENCODE({"error": str(error)})
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        settings = {"TimeZone": "UTC", "DateStyle": "ISO"}
        self._pool = await asyncpg.create_pool(self._url, min_size=1, max_size=8, server_settings=settings)
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await self._pool.close()
        await send({"type": "lifespan.shutdown.complete"})

    async def _answer(self, scope: Mapping[str, Any], receive: Receive) -> bytes:
        key = next((value.decode() for name, value in scope["headers"] if name == b"x-service-api-key"), "")
        shop = api_keys.shop_of(key)
        if shop is None:
            raise Refused(401, "API key is not valid")
        body = await _body(receive) if scope["method"] == "POST" else b""
        path: str = scope["path"]
        async with self._pool.acquire() as connection:
            await connection.execute(_BEGIN % (shop, LOCK_WAIT_SECONDS))
            try:
                call = await _authenticated(connection, ShopId(shop), key)
                answer = await _dispatch(call, scope, path, body)
                await connection.execute("COMMIT")
            except BaseException:
                await connection.execute("ROLLBACK")
                raise
        return answer


async def _body(receive: Receive) -> bytes:
    parts: list[bytes] = []
    while True:
        message = await receive()
        parts.append(message.get("body", b""))
        if not message.get("more_body"):
            return b"".join(parts)


class Call(Struct, frozen=True):
    """The caller: connection, shop, the columns of its settings that count, and the moment."""

    connection: Any
    shop: ShopId
    today: date
    tolerance_minor: int
    callback_status: str
    now: datetime


async def _authenticated(connection: Any, shop: ShopId, key: str) -> Call:
    now = datetime.now(UTC)
    row = await connection.fetchrow(shops.AUTHENTICATE, shop, api_keys.hash_of(key), now)
    if row is None:
        raise Refused(401, "API key is not valid")
    if (
        row["status"] != "active"
        or not row["api"]
        or row["access"] != "read-write"
        or KeyScope.ORDERS not in parse_scopes(row["key_scope"])
    ):
        raise Refused(400, "Shop not active")
    status = "PENDING" if row["callbacks"] and row["callback_url"] else "OFF"
    return Call(connection, shop, today_in(row["timezone"], now), row["tolerance_minor"], status, now)


async def _dispatch(call: Call, scope: Mapping[str, Any], path: str, body: bytes) -> bytes:
    if path == "/api/v2/orders":
        if scope["method"] == "POST":
            return await submit(call, body)
        return await list_orders(call, dict(parse_qsl(scope["query_string"].decode())))
    if path.startswith("/api/v2/order/"):
        number = unquote(path.removeprefix("/api/v2/order/"))
        if scope["method"] == "POST" and number.endswith("/setpaid"):
            return await set_paid(call, number.removesuffix("/setpaid"))
        if scope["method"] == "GET":
            return await read(call, number)
    raise Refused(404, "Not found")


async def read(call: Call, number: str) -> bytes:
    """GET /order."""
    found = await call.connection.fetchval(orders.one_order(_NO_FLAGS), call.shop, number)
    if found is None:
        raise Refused(404, f"Order '{number}' not found")
    return bytes(found.encode())


async def list_orders(call: Call, query: Mapping[str, str]) -> bytes:
    """GET /orders: the same pages as ours, in the one transaction, sent in one piece."""
    limit = int(query.get("limit", 100_000))
    oldest, place, parts = call.today - _MAX_AGE, (date.min, ""), []
    statement = orders.page_of_orders(_NO_FLAGS, has_posting_date=False, has_statuses=False)
    while limit > 0:
        size = min(limit, orders.PAGE)
        row = await call.connection.fetchrow(statement, call.shop, oldest, *place, size)
        if not row[1]:
            break
        parts.append(row[0])
        if not row[4]:
            break
        place, limit = (row[2], row[3]), limit - row[1]
    return f"[{','.join(parts)}]".encode()


async def set_paid(call: Call, number: str) -> bytes:
    """POST /order/{number}/setpaid."""
    await _lock(call, [number])
    standing = await call.connection.fetchrow(orders.STANDING, call.shop, number)
    if standing is None:
        raise Refused(404, f"Order '{number}' not found")
    if standing[0] == PaymentStatus.PAID:
        raise Refused(400, "Order already in paymentStatus PAID")
    await call.connection.execute(orders.SET_MARK, call.shop, [number], Mark.PAID, call.now)
    await _settle(call, [number], "set paid")
    return await read(call, number)


async def submit(call: Call, body: bytes) -> bytes:
    """POST /orders."""
    submitted = _DECODE(body)
    docs = [_ENCODE(order) for order in submitted]
    for order in submitted:
        _check(order, call.today)
    numbers = [order.number for order in submitted]
    if len(set(numbers)) < len(numbers):
        raise Refused(400, "Could not update order")
    await _lock(call, numbers)
    wire = _ENCODE(
        [{"i": i, "n": order.number, "d": msgspec.Raw(docs[i]), "l": 0} for i, order in enumerate(submitted)]
    )
    differing = await call.connection.fetch(orders.DIFFER, call.shop, wire.decode())
    if differing:
        known = [submitted[row[0]].number for row in differing if row[1] is not None]
        standing = [(submitted[row[0]], docs[row[0]], row[1]) for row in differing]
        rows = [_row(*each, call.tolerance_minor, call.today) for each in standing]
        await call.connection.execute(orders.SAVE, call.shop, _ENCODE(rows).decode(), call.now, call.now)
        await _save_keys(call, rows, known)
        if known:
            await _settle(call, known, "order submitted")
    found = await call.connection.fetchval(orders.many_orders(_NO_FLAGS), call.shop, numbers)
    return bytes(found.encode())


def _check(order: Order, today: date) -> None:
    if order.type is None or order.amount is None or order.currency not in CURRENCIES or order.billing is None:
        raise Refused(400, "Missing parameter")
    if not (order.billing.lastName or order.billing.company) or not order.billing.countryCode:
        raise Refused(400, "Missing parameter billing")
    if parse_date(order.date) > today or (order.dueDate and parse_date(order.dueDate) > latest_due_date(today)):
        raise Refused(400, "Parameter date is not valid")


def _row(order: Order, doc: bytes, status: str | None, tolerance_minor: int, today: date) -> orders.OrderRecord:
    assert order.type and order.amount is not None and order.currency
    currency = Currency(order.currency)
    minor = decimal_to_minor(order.amount, currency)
    return orders.OrderRecord(
        number=order.number,
        doc=msgspec.Raw(doc),
        type=order.type,
        order_date=parse_date(order.date),
        due_date=parse_date(order.dueDate) if order.dueDate else None,
        currency=currency,
        digits=CURRENCIES[currency],
        amount_minor=minor,
        exchange_rate=order.exchangeRate,
        stop_reminder=False,
        status=status or payment_status(Ledger(minor, 0, 0, tolerance_minor), None),
        reference="" if status else creditor_reference(new_reference_payload()),
        initial_dunning_level=0,
        mail_problem="",
        since_date=today,
    )


async def _lock(call: Call, numbers: Sequence[str]) -> None:
    buckets = orders.lock_buckets(numbers)
    lock = "SELECT pg_advisory_xact_lock($1, bucket) FROM unnest($2::int[]) bucket"
    await call.connection.fetch(lock, orders.lock_space(call.shop), buckets)


async def _save_keys(call: Call, rows: Sequence[orders.OrderRecord], known: Sequence[str]) -> None:
    if known:
        found = await call.connection.fetch(matching.FACTS, call.shop, [row.number for row in rows])
        facts = [_stored_facts(each) for each in found]
    else:
        facts = [_new_facts(row) for row in rows]
    keys = [(each.number, place, part) for each in facts for place, part in enumerate(split_keys(each)) if part]
    if known:
        await call.connection.execute(matching.DROP_ORDER_KEYS, call.shop, known)
    wire = _ENCODE([{"n": number, "k": sorted(part), "o": place == 1} for number, place, part in keys])
    await call.connection.execute(matching.SHARE_GATE, str(call.shop))
    await call.connection.execute(matching.SAVE_ORDER_KEYS, call.shop, wire.decode())
    every = list({key for _, _, part in keys for key in part})
    await call.connection.execute(rematch_calls.FOR_KEYS, call.shop, call.now, every, MAX_HITS)


def _stored_facts(row: Mapping[str, Any]) -> OrderFacts:
    """The facts of an order from a row of `matching.FACTS`."""
    columns = OrderColumns(
        number=row["number"], type=row["type"], currency=row["currency"], amount_minor=row["amount_minor"],
        order_date=row["order_date"], due_date=row["due_date"], exchange_rate=row["exchange_rate"],
        status=PaymentStatus(row["status"]), reference=row["reference"], paid_minor=row["postings_minor"],
        refunded_minor=row["refunded_minor"], last_posting_date=row["last_posting_date"],
        refund_references=tuple(row["refund_references"]), contested=row["contested"],
        uploaded_invoices=tuple(row["invoices"]),
    )  # fmt: skip
    return order_facts(row["doc"], columns)


def _new_facts(row: orders.OrderRecord) -> OrderFacts:
    """The facts of an order that was not known before: nothing is paid, nothing names it."""
    columns = OrderColumns(
        number=row.number, type=row.type, currency=row.currency, amount_minor=row.amount_minor,
        order_date=row.order_date, due_date=row.due_date, exchange_rate=row.exchange_rate,
        status=PaymentStatus(row.status), reference=row.reference,
    )  # fmt: skip
    return order_facts(bytes(row.doc), columns)


async def _settle(call: Call, numbers: Sequence[str], cause: str) -> None:
    """The orders' status from their books; one event and one callback for each that moved."""
    changes: list[dict[str, Any]] = []
    paid: list[tuple[int, str]] = []
    for row in await call.connection.fetch(ledger.LOAD, call.shop, sorted(numbers)):
        mark = Mark(row["mark"]) if row["mark"] else None
        status = payment_status(Ledger(row["amount_minor"], row["paid"], row["refunded"], call.tolerance_minor), mark)
        now = (status, row["paid"], row["refunded"], row["last_day"])
        if now != (row["status"], row["postings_minor"], row["refunded_minor"], row["last_posting_date"]):
            change = {
                "number": row["number"], "before": row["status"], "status": status, "paid_minor": row["paid"],
                "refunded_minor": row["refunded"], "last_posting_date": row["last_day"],
                "event_count": row["event_count"] + (status != row["status"]),
            }  # fmt: skip
            changes.append(change)
            if status == PaymentStatus.PAID:
                due = row["amount_minor"] - row["paid"] + row["refunded"]
                paid.append((amount_key(due, row["currency"]), row["number"]))
    if not changes:
        return
    numbers = [change["number"] for change in changes]
    await call.connection.execute(ledger.WRITE, call.shop, _ENCODE(changes).decode(), call.now)
    moved = [change for change in changes if change["before"] != change["status"]]
    for place, change in enumerate(moved, start=1):
        change |= {"place": place, "callback_id": new_id("cb", call.now)}
    wire = _ENCODE(moved).decode()
    await call.connection.execute(
        ledger.EVENTS, call.shop, wire, len(moved), cause, call.now, call.callback_status, call.now
    )
    if paid:
        pairs = [f"{key} {number}" for key, number in paid]
        await call.connection.execute(matching.DROP_KEYS, call.shop, [k for k, _ in paid], [n for _, n in paid], pairs)
    await call.connection.execute(
        rematch_calls.FOR_SUGGESTED, call.shop, call.now, [change["number"] for change in changes]
    )


def http_parser() -> str:
    """uvicorn's fast parser where it is installed; its slow one otherwise."""
    return "httptools" if importlib.util.find_spec("httptools") else "h11"


def main() -> None:
    """Serves until SIGTERM."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--url", required=True)
    given = parser.parse_args()
    uvicorn.run(
        BareApi(given.url), host="127.0.0.1", port=given.port, loop="uvloop", http=http_parser(),
        ws="none", log_level="warning", access_log=False, lifespan="on", proxy_headers=False, server_header=False,
    )  # fmt: skip


if __name__ == "__main__":
    main()
