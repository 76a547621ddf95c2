"""A Shopware 6 shop on 127.0.0.1: tokens, the search of orders, and the state machine of their transactions."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

from tests.fakes.serving import serving

KEY, SECRET = "SWIAKEY0123456789", "c2VjcmV0IG9mIHRoZSBzaG9w"
MOVES: Mapping[str, Mapping[str, str]] = {
    "open": {"paid": "paid", "paid_partially": "paid_partially", "cancel": "cancelled", "remind": "reminded",
             "process": "in_progress", "fail": "failed"},
    "in_progress": {"paid": "paid", "paid_partially": "paid_partially", "cancel": "cancelled", "fail": "failed"},
    "reminded": {"paid": "paid", "paid_partially": "paid_partially", "cancel": "cancelled"},
    "paid_partially": {"paid": "paid", "remind": "reminded", "refund_partially": "refunded_partially",
                       "refund": "refunded", "cancel": "cancelled"},
    "paid": {"refund": "refunded", "refund_partially": "refunded_partially", "cancel": "cancelled"},
    "refunded_partially": {"refund": "refunded", "cancel": "cancelled"},
    "cancelled": {"reopen": "open", "refund": "refunded", "refund_partially": "refunded_partially"},
    "failed": {"paid": "paid", "reopen": "open"},
    "authorized": {"cancel": "cancelled"},
    "refunded": {},
}  # fmt: skip
"""The transitions of `order_transaction.state` that an installation begins with."""
_ACTION = re.compile(r"/api/_action/order_transaction/([0-9a-f]{32})/state/(\w+)")
_METHODS = {"payment_prepayment": "Paid in advance", "payment_invoicepayment": "Invoice",
            "payment_cashpayment": "Cash on delivery", "payment_paypal": "Wallet"}  # fmt: skip


@dataclass
class ShopwareShop:
    """The shop. `now` is its clock; `answers`: raw answers (status, headers, body) that come before all else."""

    port: int = 0
    now: datetime = datetime(2026, 3, 11, 8, tzinfo=UTC)
    orders: dict[str, dict[str, Any]] = field(default_factory=dict)
    calls: list[str] = field(default_factory=list)
    mails: list[str] = field(default_factory=list)  # moves that the customer is notified of
    moved: list[str] = field(default_factory=list)
    tokens: set[str] = field(default_factory=set)
    answers: list[tuple[int, dict[str, str], bytes]] = field(default_factory=list)
    loses_answers: int = 0
    token_calls: int = 100  # for so many calls a token holds
    calls_left: int = 0

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.port}"

    def place(self, number: str, amount: Any = 49.9, method: str = "payment_prepayment", **more: Any) -> str:
        """A new order; its id."""
        key, moment = f"{len(self.orders) + 1:032x}", self._moment()
        address = {
            "firstName": "Erika", "lastName": "Mustermann", "company": None, "street": "Weg 1", "zipcode": "99084",
            "city": "Erfurt", "phoneNumber": None, "country": {"iso": "DE"},
        }  # fmt: skip
        self.orders[key] = {
            "id": key, "orderNumber": number, "autoIncrement": len(self.orders) + 1, "orderDateTime": moment,
            "createdAt": moment, "updatedAt": None, "amountTotal": amount, "currency": {"isoCode": "EUR"},
            "stateMachineState": {"technicalName": "open"}, "language": {"locale": {"code": "de-DE"}},
            "orderCustomer": {"email": "erika@example.com", "customerNumber": "10001", "remoteAddress": "203.0.113.0",
                              "salutation": {"salutationKey": "mrs"}},
            "billingAddress": address, "deliveries": [{"trackingCodes": [], "shippingOrderAddress": address}],
            "lineItems": [{"type": "product", "label": "Teapot", "payload": {"productNumber": "T-100"}}],
            "documents": [], "transactions": [self._transaction(key, 1, method, moment)],
        } | more  # fmt: skip
        return key

    def choose(self, key: str, method: str) -> None:
        """The customer pays in another way: the old transaction is cancelled, and there is a new one."""
        self.orders[key]["transactions"][-1]["stateMachineState"] = {"technicalName": "cancelled"}
        count = len(self.orders[key]["transactions"]) + 1
        self.orders[key]["transactions"].append(self._transaction(key, count, method, self._moment()))

    def set_state(self, key: str, state: str) -> None:
        """A person changes the state of the payment in the shop."""
        latest = self.orders[key]["transactions"][-1]
        latest["stateMachineState"] = {"technicalName": state}
        latest["updatedAt"] = self._moment()

    def state(self, key: str) -> str:
        """The state of the payment."""
        return str(self.orders[key]["transactions"][-1]["stateMachineState"]["technicalName"])

    def _moment(self) -> str:
        self.now += timedelta(seconds=1)
        return f"{self.now:%Y-%m-%dT%H:%M:%S.000+00:00}"

    def _transaction(self, key: str, count: int, method: str, moment: str) -> dict[str, Any]:
        return {
            "id": f"{count:x}{key[len(f'{count:x}'):]}", "createdAt": moment, "updatedAt": None,
            "stateMachineState": {"technicalName": "open"},
            "paymentMethod": {"technicalName": method, "name": _METHODS[method], "shortName": method},
        }  # fmt: skip


class _Handler(BaseHTTPRequestHandler):
    shop: ClassVar[ShopwareShop]

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.shop.calls.append(self.path)
        if self.shop.answers:
            self._send(*self.shop.answers.pop(0))
        elif self.path == "/api/oauth/token":
            self._token(body)
        elif not self._is_known():
            self._error(401, "9", "The resource owner or authorization server denied the request.")
        elif self.path == "/api/search/order":
            self._search(body)
        elif match := _ACTION.fullmatch(self.path):
            self._move(match[1], match[2], body)
        else:
            self._error(404, "0", f'No route found for "POST {self.path}"')

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""

    def date_time_string(self, timestamp: float | None = None) -> str:
        """The shop's own clock."""
        return super().date_time_string(self.shop.now.timestamp())

    def _is_known(self) -> bool:
        self.shop.calls_left -= 1
        return self.shop.calls_left >= 0 and self.headers["Authorization"].removeprefix("Bearer ") in self.shop.tokens

    def _token(self, body: dict[str, Any]) -> None:
        if body != {"grant_type": "client_credentials", "client_id": KEY, "client_secret": SECRET}:
            self._error(401, "4", "Client authentication failed")
            return
        token = f"token-{len(self.shop.calls)}"
        self.shop.tokens = {token}
        self.shop.calls_left = self.shop.token_calls
        self._answer(200, {"token_type": "Bearer", "expires_in": 600, "access_token": token})

    def _search(self, body: dict[str, Any]) -> None:
        assert set(body) <= {
            "page", "limit", "total-count-mode", "filter", "sort", "associations", "includes", "ids"
        }  # fmt: skip
        rows = sorted(self.shop.orders.values(), key=lambda each: each["autoIncrement"])
        rows = [each for each in rows if each["id"] in body["ids"]] if "ids" in body else rows
        rows = [each for each in rows if all(_matches(each, wanted) for wanted in body.get("filter", []))]
        limit = body.get("limit", 500)
        shown = [_included(each, "order", body) for each in rows[:limit]]
        self._answer(200, {"total": len(rows) if body.get("total-count-mode") == 1 else len(shown), "data": shown})

    def _move(self, transaction: str, move: str, body: dict[str, Any]) -> None:
        key = next(
            (each["id"] for each in self.shop.orders.values() if each["transactions"][-1]["id"] == transaction), ""
        )
        if not key:
            self._error(404, "FRAMEWORK__ENTITY_NOT_FOUND", "order_transaction was not found")
            return
        state = self.shop.state(key)
        if move not in MOVES[state]:
            says = (
                f'Illegal transition "{move}" from state "{state}". Possible transitions are: {", ".join(MOVES[state])}'
            )
            self._error(400, "SYSTEM__ILLEGAL_STATE_TRANSITION", says)
            return
        self.shop.set_state(key, MOVES[state][move])
        self.shop.moved.append(move)
        if body.get("sendMail", True):
            self.shop.mails.append(move)
        if self.shop.loses_answers:
            self.shop.loses_answers -= 1
            self.close_connection = True
            return
        self._answer(200, {"technicalName": MOVES[state][move]})

    def _error(self, status: int, code: str, detail: str) -> None:
        self._answer(status, {"errors": [{"status": str(status), "code": code, "title": "Error", "detail": detail}]})

    def _answer(self, status: int, value: Any) -> None:
        self._send(status, {"Content-Type": "application/json"}, json.dumps(value).encode())

    def _send(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _values(order: dict[str, Any], path: str) -> list[Any]:
    if path.startswith("transactions."):
        return [each[path.partition(".")[2]] for each in order["transactions"]]
    return [order[path]]


def _matches(order: dict[str, Any], wanted: dict[str, Any]) -> bool:
    if wanted["type"] == "multi":
        assert wanted["operator"] == "or"
        return any(_matches(order, each) for each in wanted["queries"])
    assert wanted["type"] == "range"
    ((relation, bound),) = wanted["parameters"].items()
    found = [value for value in _values(order, wanted["field"]) if value is not None]
    return any(value > bound if relation == "gt" else value >= bound for value in found)


_ENTITIES: dict[str, str] = {
    "transactions": "order_transaction", "stateMachineState": "state_machine_state", "paymentMethod": "payment_method",
    "orderCustomer": "order_customer", "billingAddress": "order_address", "shippingOrderAddress": "order_address",
    "deliveries": "order_delivery", "lineItems": "order_line_item", "documents": "document",
    "documentType": "document_type",
}  # fmt: skip
_OWN = frozenset({"payload", "config", "trackingCodes"})
"""Values that are no entities."""


def _included(value: Any, entity: str, body: dict[str, Any], associations: Any = None) -> Any:
    """The entity as it is answered: what was asked for by `includes`, and other entities by `associations` only."""
    if isinstance(value, list):
        return [_included(each, entity, body, associations) for each in value]
    if not isinstance(value, dict):
        return value
    loaded = body.get("associations", {}) if entity == "order" else (associations or {})
    shown: dict[str, Any] = {"apiAlias": entity}
    for name, held in value.items():
        if name not in body["includes"].get(entity, value):
            continue
        if name in _OWN or not isinstance(held, dict | list):
            shown[name] = held
        elif name in loaded:
            inner = loaded[name].get("associations", {}) if loaded[name] else {}
            shown[name] = _included(held, _ENTITIES.get(name) or name, body, inner)
        else:
            shown[name] = None
    return shown


@contextmanager
def shopware_shop() -> Iterator[ShopwareShop]:
    """The shop while it listens."""
    found = ShopwareShop()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"shop": found}))
    found.port = server.server_address[1]
    with serving(server):
        yield found
