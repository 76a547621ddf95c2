"""A WooCommerce shop on 127.0.0.1: orders, statuses and notes as its REST API v3 documents them."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar
from urllib.parse import parse_qs, urlsplit

from tests.fakes.serving import serving

KEY, SECRET = "ck_0123456789abcdef", "cs_fedcba9876543210"
STATUSES = frozenset(
    {"pending", "processing", "on-hold", "completed", "cancelled", "refunded", "failed", "trash", "checkout-draft"}
)
_ORDER = re.compile(r"/wp-json/wc/v3/orders/(\d+)(/notes)?")


@dataclass
class WooShop:
    """The shop. `now` is its clock; `answers`: raw answers (status, headers, body) that come before all else."""

    port: int = 0
    now: datetime = datetime(2026, 3, 11, 8, tzinfo=UTC)
    orders: dict[int, dict[str, Any]] = field(default_factory=dict)
    notes: dict[int, list[str]] = field(default_factory=dict)
    calls: list[str] = field(default_factory=list)
    answers: list[tuple[int, dict[str, str], bytes]] = field(default_factory=list)
    loses_answers: int = 0  # of the next changes: they are made, but the answer is lost
    readonly: bool = False
    on_list: list[Any] = field(default_factory=list)  # called, one each, after a page of orders was answered

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.port}"

    def place(self, key: int, total: Any = "49.90", method: str = "bacs", **more: Any) -> dict[str, Any]:
        """A new order, on hold as one that waits for a bank transfer, or being processed if it is paid on delivery."""
        self.now += timedelta(seconds=1)
        moment = f"{self.now:%Y-%m-%dT%H:%M:%S}"
        status = {"bacs": "on-hold", "cod": "processing"}.get(method, "pending")
        self.orders[key] = {
            "id": key, "number": str(key), "status": status, "currency": "EUR", "date_created_gmt": moment,
            "date_modified_gmt": moment, "total": total, "customer_id": 0, "payment_method": method,
            "payment_method_title": f"By {method}", "customer_ip_address": "203.0.113.9", "refunds": [],
            "billing": {
                "first_name": "Erika", "last_name": "Mustermann", "company": "", "address_1": "Weg 1",
                "address_2": "", "city": "Erfurt", "state": "", "postcode": "99084", "country": "DE",
                "email": "erika@example.com", "phone": "",
            },
            "shipping": {
                "first_name": "", "last_name": "", "company": "", "address_1": "", "city": "", "postcode": "",
                "country": "",
            },
            "line_items": [{"id": 1, "name": "Teapot", "product_id": 7, "sku": "T-100", "quantity": 1}],
        } | more  # fmt: skip
        return self.orders[key]

    def change(self, key: int, **more: Any) -> None:
        """A person changes the order in the shop."""
        self.now += timedelta(seconds=1)
        self.orders[key] |= more | {"date_modified_gmt": f"{self.now:%Y-%m-%dT%H:%M:%S}"}

    def status(self, key: int) -> str:
        """The order's state."""
        return str(self.orders[key]["status"])


class _Handler(BaseHTTPRequestHandler):
    shop: ClassVar[WooShop]

    def do_GET(self) -> None:
        if not self._enter():
            return
        parts = urlsplit(self.path)
        query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
        if parts.path == "/wp-json/wc/v3/orders":
            self._list(query)
            return
        found = self._found(parts.path)
        if found is not None:
            key, notes = found
            rows = [{"id": place, "note": note} for place, note in enumerate(self.shop.notes.get(key, []))]
            self._answer(200, rows if notes else _fields(self.shop.orders[key], query))

    def do_PUT(self) -> None:
        body = self._body()
        if not self._enter(changes=True):
            return
        found = self._found(urlsplit(self.path).path)
        if found is None:
            return
        if body["status"] not in STATUSES:
            self._error(400, "rest_invalid_param", "Invalid parameter(s): status")
            return
        self.shop.change(found[0], status=body["status"])
        self._changed(self.shop.orders[found[0]])

    def do_POST(self) -> None:
        body = self._body()
        found = self._found(urlsplit(self.path).path) if self._enter(changes=True) else None
        if found is not None:
            self.shop.notes.setdefault(found[0], []).append(body["note"])
            self._changed({"id": len(self.shop.notes[found[0]]), "note": body["note"]}, 201)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""

    def date_time_string(self, timestamp: float | None = None) -> str:
        """The shop's own clock."""
        return super().date_time_string(self.shop.now.timestamp())

    def _enter(self, *, changes: bool = False) -> bool:
        """Whether the call may go on; otherwise it is answered."""
        self.shop.calls.append(f"{self.command} {self.path}")
        if self.shop.answers:
            status, headers, body = self.shop.answers.pop(0)
            self._send(status, headers, body)
            return False
        login = b64encode(f"{KEY}:{SECRET}".encode()).decode()
        if self.headers.get("Authorization") != f"Basic {login}":
            self._error(401, "woocommerce_rest_cannot_view", "Sorry, you cannot list resources.")
            return False
        if changes and self.shop.readonly:
            self._error(
                401, "woocommerce_rest_authentication_error", "The API key provided does not have write permissions."
            )
            return False
        return True

    def _body(self) -> Any:
        return json.loads(self.rfile.read(int(self.headers["Content-Length"])))

    def _found(self, path: str) -> tuple[int, bool] | None:
        match = _ORDER.fullmatch(path)
        if match is None or int(match[1]) not in self.shop.orders:
            self._error(404, "woocommerce_rest_shop_order_invalid_id", "Invalid ID.")
            return None
        return int(match[1]), bool(match[2])

    def _list(self, query: dict[str, str]) -> None:
        assert (query["orderby"], query["order"], query["dates_are_gmt"]) == ("modified", "asc", "true")
        size, page = int(query["per_page"]), int(query["page"])
        assert 1 <= size <= 100
        rows = [each for each in self.shop.orders.values() if each["date_modified_gmt"] > query["modified_after"]]
        rows.sort(key=lambda each: each["date_modified_gmt"])
        shown = [_fields(each, query) for each in rows[(page - 1) * size : page * size]]
        pages = -(-len(rows) // size)
        self._answer(200, shown, {"X-WP-Total": str(len(rows)), "X-WP-TotalPages": str(pages)})
        if self.shop.on_list:
            self.shop.on_list.pop(0)()

    def _changed(self, value: Any, status: int = 200) -> None:
        if self.shop.loses_answers:
            self.shop.loses_answers -= 1
            self.close_connection = True
            return
        self._answer(status, value)

    def _error(self, status: int, code: str, message: str) -> None:
        self._answer(status, {"code": code, "message": message, "data": {"status": status}})

    def _answer(self, status: int, value: Any, headers: dict[str, str] | None = None) -> None:
        content = {"Content-Type": "application/json; charset=UTF-8"}
        self._send(status, content | (headers or {}), json.dumps(value).encode())

    def _send(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _fields(order: dict[str, Any], query: dict[str, str]) -> dict[str, Any]:
    wanted = query["_fields"].split(",")
    return {name: value for name, value in order.items() if name in wanted}


@contextmanager
def woo_shop() -> Iterator[WooShop]:
    """The shop while it listens."""
    found = WooShop()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"shop": found}))
    found.port = server.server_address[1]
    with serving(server):
        yield found
