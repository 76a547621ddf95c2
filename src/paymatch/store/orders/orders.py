"""Orders in PostgreSQL: lock, compare, save, read as JSON."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import lru_cache
from typing import Any, Final, NamedTuple

import msgspec

from paymatch.domain.orders.settlement import Mark, PaymentStatus
from paymatch.domain.orders.submission import StoredOrder
from paymatch.domain.words.message import as_text
from paymatch.store.connection import build, text_array
from paymatch.store.key_lookups import row_by_key, rows_by_key
from paymatch.store.orders import order_snapshots
from paymatch.store.orders.order_json import ACCOUNTS, FROM_ORDERS, JOIN_ACCOUNT, Include, order_json
from paymatch.store.transactions import ShopId, ShopTx

LOCK_BUCKETS: Final = 1024
"""Order numbers of a shop share this many locks, so no transaction can fill the server's lock table."""

PAGE: Final = 1000
"""Orders per round trip of a list."""


class OrderRecord(msgspec.Struct):
    """The columns of an order that a submission writes."""

    number: str
    doc: msgspec.Raw
    type: str
    order_date: date
    due_date: date | None
    currency: str
    digits: int
    amount_minor: int
    exchange_rate: Decimal | None
    stop_reminder: bool
    status: str
    reference: str
    initial_dunning_level: int
    mail_problem: str
    since_date: date  # the shop's day on which it is written
    billed_to: str = ""  # lists are sorted by it


@dataclass(frozen=True, slots=True)
class OrderFilter:
    """GET /orders: its filters (D-7)."""

    oldest_date: date
    statuses: tuple[PaymentStatus, ...] = ()
    min_posting_date: date | None = None


def lock(tx: ShopTx, numbers: Sequence[str]) -> None:
    """Locks the order numbers, existing or not, until the transaction ends; LockNotAcquired after two seconds.

    All callers lock in the same order, so overlapping bulk calls cannot deadlock.
    """
    buckets = lock_buckets(numbers)
    if len(buckets) == 1:
        tx.run("SELECT pg_advisory_xact_lock($1, $2)", lock_space(tx.shop_id), buckets[0])
    elif buckets:
        listed = ",".join(map(str, buckets))
        tx.wait_for_locks(
            f"SELECT pg_advisory_xact_lock({lock_space(tx.shop_id)}, b) FROM unnest('{{{listed}}}'::int[]) b"
        )


def awaiting_money(tx: ShopTx, after: str, limit: int) -> list[str]:
    """Numbers of orders that await money, by number, after `after`."""
    rows = tx.rows(
        "SELECT number FROM orders WHERE shop_id = $1 AND number > $2"
        " AND status IN ('UNPAID', 'PAID_PARTIAL', 'COLLECTION') ORDER BY number LIMIT $3",
        tx.shop_id,
        after,
        limit,
    )
    return [row[0] for row in rows]


def lock_all(tx: ShopTx) -> None:
    """Locks every order number of the shop until the transaction ends; LockNotAcquired after two seconds."""
    tx.wait_for_locks(
        f"SELECT pg_advisory_xact_lock({lock_space(tx.shop_id)}, b) FROM generate_series(0, {LOCK_BUCKETS - 1}) b"
    )


def lock_buckets(numbers: Sequence[str]) -> list[int]:
    """The locks of the order numbers, sorted."""
    return sorted({zlib.crc32(number.encode()) % LOCK_BUCKETS for number in numbers})


def lock_space(shop: ShopId) -> int:
    """A 32-bit number of the shop; two shops that share one only wait for each other occasionally."""
    return int.from_bytes(shop.bytes[:4], "big", signed=True)


DIFFER: Final = f"""
SELECT r.i, o.status, o.mark, o.amount_minor, o.currency,
       EXISTS (SELECT FROM {rows_by_key("allocations", "order_number", "r.n", limit="1")} a)
       OR EXISTS (SELECT FROM adjustments j WHERE j.shop_id = $1 AND j.order_number = r.n),
       o.doc IS DISTINCT FROM r.d::text, o.initial_dunning_level
FROM json_to_recordset($2::json) AS r(i int, n text, d json, l int)
LEFT JOIN {row_by_key("orders", "number", "r.n")} o ON true
WHERE o.doc IS DISTINCT FROM r.d::text OR o.mark IN ('LEGACY', 'DISAPPEARED')
   OR (r.l > 0 AND r.l <> o.initial_dunning_level)
ORDER BY r.i"""
"""Each order by a separate lookup, regardless of PostgreSQL's statistics (D-135)."""


def differing_orders(tx: ShopTx, docs: Sequence[tuple[str, bytes, int]]) -> list[tuple[int, StoredOrder | None, bool]]:
    """Which of (number, document, initial dunning level) are new, changed or come back to life.

    Each with its index, its stored form (None if it is new) and whether its document differs. Unchanged
    orders, the common case of a daily re-submission, are left out.
    """
    wire = _JSON.encode([{"i": i, "n": n, "d": msgspec.Raw(d), "l": level} for i, (n, d, level) in enumerate(docs)])
    found: list[tuple[int, StoredOrder | None, bool]] = []
    for index, status, mark, amount_minor, currency, has_allocations, changed, level in tx.rows(
        DIFFER, tx.shop_id, wire.decode()
    ):
        stored = None
        if status is not None:
            stored = StoredOrder(
                PaymentStatus(status), Mark(mark) if mark else None, amount_minor, currency, has_allocations, level
            )
        found.append((index, stored, changed))
    return found


_JSON: Final = msgspec.json.Encoder(enc_hook=as_text)

SAVE: Final = f"""
INSERT INTO orders (shop_id, number, doc, type, order_date, due_date, currency, digits, amount_minor, exchange_rate,
                    stop_reminder, status, reference, dunning_level, initial_dunning_level, mail_problem, created_at,
                    updated_at, since_date, submitted_at, billed_to)
SELECT $1, r.number, r.doc::text, r.type, r.order_date, r.due_date, r.currency, r.digits, r.amount_minor,
       r.exchange_rate, r.stop_reminder, r.status, r.reference, r.initial_dunning_level,
       r.initial_dunning_level, r.mail_problem, $3, $3, r.since_date, $4,
       r.billed_to
FROM json_to_recordset($2::json) AS r(number text, doc json, type text, order_date date, due_date date, currency text,
     digits smallint, amount_minor bigint, exchange_rate numeric, stop_reminder boolean, status text, reference text,
     initial_dunning_level int, mail_problem text, since_date date, billed_to text)
ORDER BY r.number
ON CONFLICT (shop_id, number) DO UPDATE SET
    doc = excluded.doc, billed_to = excluded.billed_to, type = excluded.type, order_date = excluded.order_date,
    due_date = coalesce(excluded.due_date, CASE WHEN orders.invoice_terms <> ''
                        THEN (orders.invoice_terms::json->>'due_date')::date END),
    currency = excluded.currency, digits = excluded.digits, amount_minor = excluded.amount_minor,
    exchange_rate = excluded.exchange_rate, stop_reminder = excluded.stop_reminder,
    mail_problem = excluded.mail_problem, updated_at = excluded.updated_at,
    mail_refusal = CASE WHEN orders.mail_refusal = '' OR excluded.doc::json->>'customerEmail'
                             IS DISTINCT FROM orders.doc::json->>'customerEmail' THEN '' ELSE orders.mail_refusal END,
    since_date = CASE WHEN {order_snapshots.differs("orders", "excluded")}
                      THEN greatest(orders.since_date, excluded.since_date) ELSE orders.since_date END"""


def save(tx: ShopTx, rows: Sequence[OrderRecord], clock: Any, now: Any) -> None:
    """Creates or updates the orders; status, reference and dunning level of existing ones stay as they are.

    `now` is the moment by the shop's clock.
    """
    wire = _JSON.encode(rows).decode()
    if any(not row.reference for row in rows):  # only a new order gets one
        tx.put(order_snapshots.KEEP_SUBMITTED, tx.shop_id, wire)
    tx.put(SAVE, tx.shop_id, wire, clock, now)


SET_MARK: Final = "UPDATE orders SET mark = $3, updated_at = $4 WHERE shop_id = $1 AND number = ANY($2)"


def set_mark(tx: ShopTx, numbers: Sequence[str], mark: Mark | None, now: Any) -> None:
    """Writes the mark; the caller settles the orders afterwards."""
    tx.put(SET_MARK, tx.shop_id, list(numbers), mark, now)


STANDING: Final = "SELECT status, mark, currency FROM orders WHERE shop_id = $1 AND number = $2"


class MarkedOrder(NamedTuple):
    """The facts of an order for a person's decision about it."""

    status: PaymentStatus
    mark: Mark | None
    currency: str


def marked_order(tx: ShopTx, number: str) -> MarkedOrder | None:
    """Status, mark and currency of an order; None if the shop has no such order."""
    found = tx.row(STANDING, tx.shop_id, number)
    if found is None:
        return None
    return MarkedOrder(PaymentStatus(found.status), Mark(found.mark) if found.mark else None, found.currency)


def exists(tx: ShopTx, number: str) -> bool:
    """True if the shop has an order with this number."""
    return tx.row("SELECT 1 FROM orders WHERE shop_id = $1 AND number = $2", tx.shop_id, number) is not None


@lru_cache(maxsize=16)
def one_order(include: Include) -> str:
    """Statement of `read_one`: $1 is the shop, $2 the number."""
    return f"WITH {ACCOUNTS} SELECT {order_json(include)} FROM {FROM_ORDERS} WHERE o.shop_id = $1 AND o.number = $2"


def read_one(tx: ShopTx, number: str, include: Include) -> bytes | None:
    """The order as the API shows it; None if the shop has no such order."""
    return tx.text(one_order(include), tx.shop_id, number)


@lru_cache(maxsize=16)
def many_orders(include: Include) -> str:
    """Statement of `read_many`: $1 is the shop, $2 the list of numbers."""
    return (
        f"WITH {ACCOUNTS} SELECT '[' || coalesce(string_agg({order_json(include)}, ',' ORDER BY w.position), '') || ']'"
        " FROM unnest($2::text[]) WITH ORDINALITY w(wanted, position)"
        f" CROSS JOIN {row_by_key('orders', 'number', 'w.wanted')} o {JOIN_ACCOUNT}"
    )


def read_many(tx: ShopTx, numbers: Sequence[str], include: Include) -> bytes:
    """JSON array of the orders in the order of `numbers`."""
    return tx.text(many_orders(include), tx.shop_id, text_array(numbers)) or b"[]"


def read_page(
    tx: ShopTx, wanted: OrderFilter, after: tuple[date, str] | None, limit: int, include: Include
) -> tuple[bytes, int, tuple[date, str] | None]:
    """(orders as JSON joined by commas, their number, place of the last if more follow) by date and number.

    It begins after `after`.

    One index scan per status, each ending at the limit; the JSON is only assembled for the shown orders.
    """
    params: list[Any] = [
        tx.shop_id,
        wanted.oldest_date,
        after[0] if after else date.min,
        after[1] if after else "",
        limit,
    ]
    if wanted.min_posting_date is not None:
        params.append(wanted.min_posting_date)
    if wanted.statuses:
        params.append([str(status) for status in wanted.statuses])
    statement = page_of_orders(include, wanted.min_posting_date is not None, bool(wanted.statuses))
    orders, shown, last_date, last_number, has_more = tx.texts(statement, *params) or [None] * 5
    if not orders or not shown or not last_date or not last_number:
        return b"", 0, None
    place = date.fromisoformat(last_date.decode()), last_number.decode()
    return orders, int(shown), place if has_more == b"t" else None


@lru_cache(maxsize=64)
def page_of_orders(include: Include, has_posting_date: bool, has_statuses: bool) -> str:
    """Statement of `read_page`: $1 shop, $2 oldest date, $3 and $4 place, $5 limit, then posting date and statuses."""
    conditions = "x.shop_id = $1 AND x.order_date >= $2 AND (x.order_date, x.number) > ($3, $4)"
    if has_posting_date:
        conditions += " AND x.last_posting_date >= $6"
    if has_statuses:
        place = 7 if has_posting_date else 6
        source = (
            f"unnest(${place}::text[]) s(status), LATERAL (SELECT x.order_date, x.number FROM orders x"
            f" WHERE {conditions} AND x.status = s.status ORDER BY x.order_date, x.number LIMIT $5 + 1) found"
        )
    else:
        source = (
            f"(SELECT x.order_date, x.number FROM orders x WHERE {conditions}"
            " ORDER BY x.order_date, x.number LIMIT $5 + 1) found"
        )
    return (
        f"WITH {ACCOUNTS}, found AS MATERIALIZED (SELECT found.order_date, found.number FROM {source}"
        " ORDER BY 1, 2 LIMIT $5 + 1),"
        " page AS MATERIALIZED (SELECT order_date, number FROM found ORDER BY 1, 2 LIMIT $5)"
        f" SELECT string_agg({order_json(include)}, ',' ORDER BY o.order_date, o.number) AS orders, count(*) AS shown,"
        " (SELECT order_date FROM page ORDER BY order_date DESC, number DESC LIMIT 1) AS last_date,"
        " (SELECT number FROM page ORDER BY order_date DESC, number DESC LIMIT 1) AS last_number,"
        " (SELECT count(*) > $5 FROM found) AS has_more"
        f" FROM page JOIN ({FROM_ORDERS}) ON o.shop_id = $1 AND o.number = page.number"
    )


def place_of(tx: ShopTx, number: str) -> tuple[date, str] | None:
    """The place of an order in the list's sequence; None if unknown."""
    found = tx.row("SELECT order_date, number FROM orders WHERE shop_id = $1 AND number = $2", tx.shop_id, number)
    return (found[0], found[1]) if found else None


def open_numbers(tx: ShopTx, created_before: Any) -> list[str]:
    """Numbers of the orders that await money (UNPAID, PAID_PARTIAL), created before the moment (D-6)."""
    rows = tx.rows(
        "SELECT number FROM orders WHERE shop_id = $1 AND status = ANY('{UNPAID,PAID_PARTIAL}') AND created_at < $2"
        " ORDER BY number",
        tx.shop_id,
        created_before,
    )
    return [row[0] for row in rows]


def marks(tx: ShopTx, numbers: Sequence[str]) -> dict[str, Mark | None]:
    """Number -> mark of those of the orders that the shop has."""
    # One text is sent many times as fast as an array. No number holds a control character.
    rows = tx.rows(
        "SELECT number, mark FROM orders WHERE shop_id = $1 AND number = ANY(string_to_array($2, E'\\x1f'))"
        " ORDER BY number",
        tx.shop_id,
        "\x1f".join(numbers),
    )
    return {row[0]: Mark(row[1]) if row[1] else None for row in rows}


def currency(tx: ShopTx, number: str) -> str | None:
    """The order's currency; None if the shop has no such order."""
    found: str | None = tx.value("SELECT currency FROM orders WHERE shop_id = $1 AND number = $2", tx.shop_id, number)
    return found


@dataclass(frozen=True, slots=True)
class Payable:
    """The data for paying an order; the open amount in minor units of the order's currency.

    `fees_minor` are its reminder fees, in minor units of the currency that it is paid in.
    """

    status: PaymentStatus
    currency: str
    open_minor: int
    fees_minor: int
    reference: str
    exchange_rate: Decimal | None


def payable(tx: ShopTx, number: str) -> Payable | None:
    """The order's data for a payer; None if unknown."""
    row = tx.row(
        "SELECT status, currency, amount_minor - postings_minor + refunded_minor AS open_minor,"
        " (SELECT coalesce(sum(fee_minor), 0)::bigint FROM reminders WHERE shop_id = $1 AND order_number = $2)"
        " AS fees_minor, reference, exchange_rate FROM orders WHERE shop_id = $1 AND number = $2",
        tx.shop_id,
        number,
    )
    return build(Payable, row, status=PaymentStatus(row.status)) if row else None


def set_mail_refusal(tx: ShopTx, number: str, recipient: str, reason: str) -> None:
    """Records why mail to the order's customerEmail did not arrive; does nothing if the address has changed.

    Without a reason mail is allowed again, for any address.
    """
    tx.run(
        "UPDATE orders SET mail_refusal = CASE WHEN $4 = '' THEN '' ELSE 'mail to ' || $3 || ' did not arrive: ' || $4"
        " END WHERE shop_id = $1 AND number = $2 AND ($4 = '' OR lower(doc::json->>'customerEmail') = lower($3))",
        tx.shop_id, number, recipient, reason,
    )  # fmt: skip


def with_mail_problem(tx: ShopTx) -> tuple[int, str] | None:
    """(how many open orders have a customerEmail that mail cannot be sent to, number of the latest), or None."""
    row = tx.row(
        "SELECT count(*), (array_agg(number ORDER BY created_at DESC, number DESC))[1] FROM orders"
        " WHERE shop_id = $1 AND mail_problem <> '' AND status = ANY('{UNPAID,PAID_PARTIAL}')",
        tx.shop_id,
    )
    return (row[0], row[1]) if row and row[0] else None


def give_references(tx: ShopTx, numbers: Sequence[str]) -> None:
    """Makes the orders show their referenceNumber, regardless of the fate of the mail that brings it."""
    tx.put(
        "UPDATE orders SET reference_given = true WHERE shop_id = $1 AND number = ANY($2)", tx.shop_id, list(numbers)
    )


_LONGEST_NAME: Final = 100


class _Person(msgspec.Struct, rename="camel"):
    first_name: str = ""
    last_name: str = ""
    company: str = ""


class _Doc(msgspec.Struct):
    billing: _Person = msgspec.field(default_factory=_Person)


def customer_of(doc: Any) -> str:
    """The company or name in an order's document; empty without one."""
    try:
        person = msgspec.json.decode(doc, type=_Doc).billing
    except msgspec.ValidationError:
        return ""
    name = " ".join(part for part in (person.first_name, person.last_name) if part)
    return person.company or name


def billed_to(doc: bytes | str) -> str:
    """The sort key of an order in a list sorted by customers."""
    return customer_of(doc).lower()[:_LONGEST_NAME]
