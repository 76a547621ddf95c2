"""The merchant API called in process: a WSGI client, a shop with its key, and what the shop's rows say."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote, unquote_to_bytes
from wsgiref.util import setup_testing_defaults

from paymatch.api import Api
from paymatch.domain.shops.shop import Shop
from paymatch.store.database import Database
from paymatch.store.sealing import Vault
from paymatch.store.shops import shops as shop_store
from paymatch.store.transactions import ShopId
from paymatch.usecases.shops import shops

START = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
"""A Monday, 10:30 in Berlin."""

TABLES = (
    "allocations",
    "audit_log",
    "callbacks",
    "collection_agencies",
    "collection_events",
    "collection_messages",
    "collection_reports",
    "collections",
    "events",
    "import_runs",
    "imports",
    "invoices",
    "letters",
    "match_keys",
    "order_changes",
    "order_comments",
    "order_past",
    "order_sync_marks",
    "order_syncs",
    "orders",
    "payer_accounts",
    "postings",
    "refund_releases",
    "refunds",
    "statements",
    "transfer_files",
    "transfers",
)
"""What a call may change, but for the key's last use."""


@dataclass
class Clock:
    """A clock that tests move by hand."""

    now: datetime = START

    def __call__(self) -> datetime:
        return self.now

    def pass_time(self, **spans: float) -> None:
        self.now += timedelta(**spans)


@dataclass(frozen=True)
class Reply:
    """An answer of the API."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body; numbers stay as they are written, so that 10.00 and 10.0 differ."""
        return json.loads(self.body, parse_float=str)

    @property
    def error(self) -> tuple[int, str]:
        """(status, error text) of a refusal."""
        assert self.headers["Content-Type"] == "application/json"
        return self.status, self.json["error"]


LONG_WAIT = 120.0
"""Seconds that a test waits for an import, on any machine; in 5 s a busy one may not even start its process."""


def call(
    api: Api, method: str, target: str, body: bytes = b"", headers: Mapping[str, str] | None = None, **environ: Any
) -> Reply:
    """Sends a request; `target` is the percent-encoded path and query as they stand in the request line."""
    path, _, query = target.partition("?")
    full: dict[str, Any] = {
        "REQUEST_METHOD": method,
        "PATH_INFO": unquote_to_bytes(path).decode("latin-1"),
        "QUERY_STRING": query,
        "REQUEST_URI": target,
        "CONTENT_LENGTH": str(len(body)) if body else "",
        "CONTENT_TYPE": "application/json",
        "wsgi.input": io.BytesIO(body),
        "REMOTE_ADDR": "127.0.0.1",
        "SERVER_PROTOCOL": "HTTP/1.1",
    }
    setup_testing_defaults(full)
    for name, value in (headers or {}).items():
        upper = name.upper().replace("-", "_")
        full[upper if upper in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{upper}"] = value
    full.update(environ)
    started: list[tuple[str, list[tuple[str, str]]]] = []
    chunks = api(full, lambda status, heads: started.append((status, heads)))
    content = b"".join(chunks)
    status, heads = started[0]
    return Reply(int(status[:3]), dict(heads), content)


def encoded(number: str) -> str:
    """An order number as a client writes it into a path."""
    return quote(number, safe="")


def wire(value: Any) -> bytes:
    """JSON bytes of a body; bytes stay as they are."""
    return value if isinstance(value, bytes) else json.dumps(value).encode()


def order(number: str, /, **changes: Any) -> dict[str, Any]:
    """A well-formed order of EUR 19.90; a field given as None is left out."""
    body: dict[str, Any] = {
        "number": number,
        "date": "01-03-2026",
        "type": "PREPAYMENT",
        "amount": 19.90,
        "currency": "EUR",
        "billing": {"lastName": "Muster", "countryCode": "DE"},
        **changes,
    }
    return {name: value for name, value in body.items() if value is not None}


@dataclass
class ShopClient:
    """A shop that calls the API with its key."""

    api: Api
    database: Database
    clock: Clock
    shop: Shop
    key: str
    paid: int = field(default=0)  # statements imported so far
    balances: dict[tuple[str, str], int] = field(default_factory=dict)  # that they lead to

    def passed(self, account: str, currency: str, booked_minor: int) -> int:
        """The balance with which the next statement of an account opens; the one after it opens as this one closes."""
        opening = self.balances.get((account, currency), 1_000_000)
        self.balances[account, currency] = opening + booked_minor
        return opening

    @property
    def id(self) -> ShopId:
        return ShopId(self.shop.id)

    def get(self, target: str, **headers: str) -> Reply:
        """GET below /api/v2/."""
        return self.send("GET", target, b"", **headers)

    def post(self, target: str, body: Any = b"", **headers: str) -> Reply:
        """POST below /api/v2/; a body that is no bytes is sent as JSON."""
        return self.send("POST", target, body, **headers)

    def send(self, method: str, target: str, body: Any = b"", **headers: str) -> Reply:
        """Any request with the shop's key."""
        sent = {"X-Service-API-Key": self.key} | {name.replace("_", "-"): value for name, value in headers.items()}
        return call(self.api, method, f"/api/v2/{target}", wire(body), sent)

    def submit(self, number: str, /, **changes: Any) -> Any:
        """Submits a well-formed order by `POST /order/{n}`; the order as it is answered."""
        reply = self.post(f"order/{encoded(number)}", order(number, **changes))
        assert reply.status == 200, reply.body
        return reply.json

    def read(self, number: str, flags: str = "") -> Any:
        """The order as `GET /order/{n}` shows it."""
        reply = self.get(f"order/{encoded(number)}?{flags}")
        assert reply.status == 200, reply.body
        return reply.json

    def status(self, number: str) -> str:
        """The order's paymentStatus."""
        return str(self.read(number)["paymentStatus"])

    def change(self, **settings: str) -> None:
        """Changes settings of the shop by the names of `paymatch shop set`."""
        with self.database.of_shop(self.shop) as tx:
            shops.change(tx, {name.replace("_", "-"): value for name, value in settings.items()})
            changed = shop_store.load(tx)
        assert changed is not None
        self.shop = changed

    @property
    def vault(self) -> Vault:
        """What opens the shop's sealed values."""
        return self.database.keyring.vault(self.id)

    def rows(self, statement: str, *params: Any) -> list[tuple[Any, ...]]:
        """Rows of a statement; the shop is $1."""
        with self.database.of_shop(self.id) as tx:
            return tx.rows(statement, self.id, *params)

    def run(self, statement: str, *params: Any) -> None:
        """Runs a statement; the shop is $1."""
        with self.database.of_shop(self.id) as tx:
            tx.run(statement, self.id, *params)

    def count(self, table: str) -> int:
        """Rows of the shop in a table."""
        return int(self.rows(f"SELECT count(*) FROM {table} WHERE shop_id = $1")[0][0])

    def contents(self) -> list[tuple[Any, ...]]:
        """A digest of all rows of the shop per table."""
        parts = (
            f"SELECT '{name}', count(*), md5(string_agg(t::text, ',' ORDER BY t::text)) FROM {name} t"
            " WHERE shop_id = $1"
            for name in TABLES
        )
        return self.rows(" UNION ALL ".join(parts))

    @contextmanager
    def unchanged(self) -> Iterator[None]:
        """Nothing is stored, changed or queued inside."""
        before = self.contents()
        yield
        assert self.contents() == before


def with_statements(shop: ShopClient) -> ShopClient:
    """The shop, its client with a key that may upload statements too, and the switch on (D-37)."""
    with shop.database.of_shop(shop.shop, at=shop.clock.now) as tx:
        shops.change(tx, {"statements-api": "on"})
        shop.key = shops.create_key(tx, scope="read-write,statements")
    return shop


def new_shop(api: Api, database: Database, clock: Clock, **more: Any) -> ShopClient:
    """A shop in Berlin with a read-write key."""
    made = shops.create(database, "Contract shop", clock.now, **more)
    return ShopClient(api, database, clock, made.shop, made.api_key)


def with_scope(shop: ShopClient, scope: str) -> ShopClient:
    """The same shop, called with a key of this scope."""
    with shop.database.of_shop(shop.shop, at=shop.clock()) as tx:
        key = shops.create_key(tx, scope=scope)
    return ShopClient(shop.api, shop.database, shop.clock, shop.shop, key)
