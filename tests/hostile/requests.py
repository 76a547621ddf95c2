"""Requests that no client should send: random and mutated methods, paths, queries, headers and bodies, by a seed."""

from __future__ import annotations

import gzip
import json
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final
from urllib.parse import quote

from paymatch.api.router import PREFIX, ROUTES, EndpointRoute
from tests.contract.client import Reply, ShopClient, call, order, with_statements
from tests.contract.test_endpoints import refund
from tests.contract.test_invoices_and_images import form

CPU_SECONDS: Final = 2.0
"""What a call may take at most."""

_METHODS: Final = ("GET", "POST", "HEAD", "OPTIONS", "PUT", "PATCH", "DELETE", "TRACE", "CONNECT", "get", "BREW", "")
_TEXTS: Final = (
    "", "A-1", "A-2", "a/b", "..", "../..", "%2F", "%00", "%", "%zz", "%C3%28", "%ED%A0%80", "\u00e4\u00f6", "\u202e",
    "-1", "1e400", "NaN", "null", "x" * 300, "9" * 50, "'; DROP TABLE orders; --", "{{7*7}}", "[/x]", "\x1b[31m", " ",
    "+", "0", "31-12-9999", "00-00-0000", "01-03-2026", "true", "order", "remove", "refund", "setpaid", "EUR",
    "\u0660\u0661", "\ud800", "\U0001f600",
)  # fmt: skip
_NUMBERS: Final = (0, -1, 1, 0.1, 1e308, -1e308, 10**30, 2**63, 19.90, 1e-9, True, None)
_ENCODINGS: Final = ("gzip", "identity", "br", "gzip, gzip", "x", "")
_TYPES: Final = (
    "application/json",
    "text/plain",
    "multipart/form-data",
    "multipart/form-data; boundary=",
    "",
    "x" * 500,
)


@dataclass
class Attack:
    """A shop that is sent such requests, and what it said."""

    shop: ShopClient
    random: Random
    said: Counter[int] = field(default_factory=Counter)
    slowest: float = 0.0

    def __post_init__(self) -> None:
        with_statements(self.shop)
        self._parts: dict[str, Callable[[], bytes]] = {
            "refund": lambda: self._mutated(refund()),
            "orders": lambda: self._mutated([order("A-1"), order("A-2")]),
            "ordersync": lambda: self._mutated(["A-1", "A-2"]),
            "statements": self._upload,
            "{invoiceNumber}": self._upload,
        }
        for number in ("A-1", "A-2"):
            self.shop.submit(number)

    def send(self, count: int) -> None:
        """Sends so many requests; AssertionError with the request that was answered as none may be."""
        for _ in range(count):
            method, target, headers, body = self._request()
            began = time.process_time()
            reply = call(self.shop.api, method, target, body, headers)
            seconds = time.process_time() - began
            self.slowest = max(self.slowest, seconds)
            self.said[reply.status] += 1
            why = fault(method, reply, seconds)
            assert not why, (
                f"{why}: {method} {target!r} {headers!r} {body[:2000]!r} -> {reply.status} {reply.body[:300]!r}"
            )

    def _request(self) -> tuple[str, str, dict[str, str], bytes]:
        route = self.random.choice(ROUTES)
        method = route.method if self._mostly() else self.random.choice(_METHODS)
        path = route.template
        while "{" in path:
            before, _, rest = path.partition("{")
            path = f"{before}{self._segment()}{rest.partition('}')[2]}"
        target = f"{PREFIX}{path}" if self._mostly() else self._spoiled(f"{PREFIX}{path}")
        query = self._query(route)
        end = next((end for end in self._parts if route.template.endswith(end)), "")
        body = (self._parts[end]() if end else self._mutated(order("A-1"))) if method == "POST" else b""
        return method, f"{target}?{query}" if query else target, self._headers(), body

    def _mostly(self) -> bool:
        return self.random.random() < 0.8

    def _segment(self) -> str:
        if self.random.random() < 0.5:
            return self.random.choice(("A-1", "A-2"))
        text = self.random.choice(_TEXTS)
        return (
            text
            if text.isascii() and text.isprintable() and "?" not in text
            else quote(text, safe="", errors="surrogatepass")
        )

    def _spoiled(self, text: str) -> str:
        """The text with a piece doubled, cut out, or replaced by signs."""
        start = self.random.randrange(len(text))
        end = min(len(text), start + self.random.randrange(8))
        new = self.random.choice((text[start:end] * 2, "", "//", "%", "%2e%2e/", "?", "\xff", ";", "\\", "#", "%00"))
        return f"/{(text[:start] + new + text[end:]).lstrip('/')}"

    def _query(self, route: EndpointRoute) -> str:
        names = [*route.query.parameters, "x", ""]
        count = self.random.choice((0, 0, 0, 1, 1, 2, 5))
        pairs = [(self.random.choice(names), self.random.choice(_TEXTS)) for _ in range(count)]
        return "&".join(f"{key}={quote(value, safe='%', errors='surrogatepass')}" for key, value in pairs)

    def _headers(self) -> dict[str, str]:
        headers = {"X-Service-API-Key": self.shop.key}
        if self.random.random() < 0.05:
            headers["X-Service-API-Key"] = self._spoiled(self.shop.key)
        if self.random.random() < 0.1:
            headers["Content-Encoding"] = self.random.choice(_ENCODINGS)
        if self.random.random() < 0.2:
            headers["Content-Type"] = self.random.choice(_TYPES)
        if self.random.random() < 0.1:
            name = self.random.choice(
                ("Range", "Accept", "Accept-Encoding", "If-None-Match", "Idempotency-Key", "Expect")
            )
            headers[name] = self.random.choice(_TEXTS)
        return headers

    def _upload(self) -> bytes:
        return self._damaged(
            form(self.random.choice((b"", b"%PDF-1.7 x", b":20:X\r\n:25:1/2\r\n", b"<Document/>", b"a;b\n1;2")))
        )

    def _mutated(self, value: Any) -> bytes:
        """JSON of the value, in which fields have other values, or which is damaged."""
        for _ in range(self.random.choice((0, 1, 1, 2, 4))):
            value = self._changed(value)
        body = json.dumps(value).encode()
        return self._damaged(body)

    def _changed(self, value: Any) -> Any:
        if isinstance(value, dict) and value and self._mostly():
            key = self.random.choice(list(value))
            return {**value, key: self._changed(value[key])}
        if isinstance(value, list) and value and self._mostly():
            place = self.random.randrange(len(value))
            return [*value[:place], self._changed(value[place]), *value[place + 1 :]]
        other: tuple[Any, ...] = (*_TEXTS, *_NUMBERS, [], {}, [value] * 3, {"x": value}, [[[[[[]]]]]])
        return self.random.choice(other)

    def _damaged(self, body: bytes) -> bytes:
        """Mostly the body itself; else packed, cut, with other bytes in it, or very deep."""
        way = self.random.randrange(20)
        if way == 0:
            return gzip.compress(body * self.random.choice((1, 1000)))
        if way == 1:
            return body[: self.random.randrange(len(body) + 1)]
        if way == 2:
            return b"[" * 100_000
        if way == 3:
            return self.random.randbytes(self.random.randrange(2000))
        if way == 4:
            place = self.random.randrange(len(body) + 1)
            return (
                body[:place]
                + self.random.choice((b"\x00", b"\xff", b"\xed\xa0\x80", b"//", b"\\u0000", b"1e999"))
                + body[place:]
            )
        return body


def fault(method: str, reply: Reply, seconds: float) -> str:
    """What is wrong with an answer, in words; empty if nothing is."""
    if reply.status >= 500:
        return "an error of ours"
    if seconds > CPU_SECONDS:
        return f"{seconds:.1f} s of CPU"
    if reply.status in (200, 202) or method == "HEAD":
        return ""
    if reply.headers.get("Content-Type") != "application/json":
        return "an error that is not JSON"
    said = json.loads(reply.body)
    return "" if isinstance(said, dict) and isinstance(said.get("error"), str) else "an error without its text"
