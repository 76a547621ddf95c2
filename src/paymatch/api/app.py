"""The merchant API as a WSGI application: request id, HTTPS, routing, key, transaction, answer, log line."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final
from urllib.parse import parse_qsl

import msgspec
import structlog

from paymatch.api import errors
from paymatch.api.call import JSON, Answer, ApiCall, ApiConfig
from paymatch.api.errors import ApiRefused, body_of, status_of
from paymatch.api.openapi.document import openapi_json
from paymatch.api.router import PREFIX, Route, resolve
from paymatch.domain.refusal import Refused
from paymatch.domain.shops import api_keys
from paymatch.domain.shops.shop import Access, Shop, ShopStatus
from paymatch.outbound.files import Files
from paymatch.store.database import Database, ShopId
from paymatch.usecases import shops
from paymatch.usecases.orders import orders

StartResponse = Callable[..., Any]
_STATUS_LINES: Final = {
    200: "200 OK",
    400: "400 Bad Request",
    401: "401 Unauthorized",
    404: "404 Not Found",
    500: "500 Internal Server Error",
}
DESCRIPTION: Final = PREFIX + "openapi.json"
DRAIN_LIMIT: Final = 32 * 1024 * 1024
"""Bytes that a refused caller may still send before the connection is closed on it."""
_REPLACEMENT: Final = "\ufffd"
_log = structlog.get_logger("paymatch.api")


class Api:
    """WSGI callable for everything below /api/."""

    def __init__(self, database: Database, files: Files, config: ApiConfig) -> None:
        self._database = database
        self._files = files
        self._config = config

    def __call__(self, environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        started = time.perf_counter()
        request_id = secrets.token_hex(8)
        shop: list[str] = []
        try:
            answer, status = self._answer(environ, shop), 200
        except Refused as error:
            answer, status = Answer(msgspec.json.encode(body_of(error))), status_of(error)
        except Exception:
            _log.exception("request failed", request_id=request_id, path=_path(environ), shop=shop)
            text = f"Internal server error, please retry or contact support with request id {request_id}"
            answer, status = Answer(msgspec.json.encode({"error": text})), 500
        _log.info(
            "request",
            request_id=request_id,
            method=environ["REQUEST_METHOD"],
            path=_path(environ),
            status=status,
            shop=shop[0] if shop else None,
            ms=round((time.perf_counter() - started) * 1000, 2),
        )
        if status != 200:
            _drain(environ)
        return _send(start_response, status, answer, request_id)

    def _answer(self, environ: dict[str, Any], shop_seen: list[str]) -> Answer:
        """Order of checks: HTTPS, route, key, shop active, API active, write allowed, order exists, body (D-21)."""
        if not self._config.is_secure(environ):
            raise ApiRefused(400, errors.HTTPS_NEEDED)
        if _path(environ) == DESCRIPTION and environ["REQUEST_METHOD"] == "GET":
            return Answer(openapi_json())  # for everybody: it is the same for all shops
        found = _route(environ)
        if found is None:
            raise ApiRefused(404, errors.NOT_FOUND)
        route, params = found
        key = self._key(environ)
        shop_id = api_keys.shop_of(key)
        if shop_id is None:
            raise ApiRefused(401, errors.KEY_UNKNOWN)
        body, too_large = _read_body(environ, route.body_limit)
        clock = self._config.clock()
        with self._database.transaction(ShopId(shop_id)) as tx:
            known = shops.authenticate(tx, ShopId(shop_id), key, clock)
            if known is None:
                raise ApiRefused(401, errors.KEY_UNKNOWN)
            shop, scope = known
            shop_seen.append(str(shop.id))
            _check_shop(shop, scope, route)
            if route.needs_order:
                orders.require(tx, shop, params["orderNumber"])
            if too_large:
                raise ApiRefused(400, route.too_large)
            call = ApiCall(
                tx,
                self._database,
                self._files,
                shop,
                clock,
                params,
                _query(environ),
                _headers(environ),
                body,
                self._config,
            )
            answer = None if route.detached else route.handler(call)
        return _primed(route.handler(call) if answer is None else answer)

    def _key(self, environ: dict[str, Any]) -> str:
        for header in self._config.key_headers:
            key: str | None = environ.get(header)
            if key is not None and key.strip():
                if api_keys.is_placeholder(key):
                    raise ApiRefused(401, errors.PLACEHOLDER)
                return key.strip()
        raise ApiRefused(401, errors.HEADER_MISSING)


def _check_shop(shop: Shop, scope: str, route: Route) -> None:
    if shop.status is not ShopStatus.ACTIVE:
        raise ApiRefused(400, errors.SHOP_NOT_ACTIVE)
    if not shop.api:
        raise ApiRefused(400, errors.API_NOT_ACTIVE)
    if route.writes and (shop.access is Access.READ_ONLY or scope == "read"):
        raise ApiRefused(400, errors.READ_ONLY)


def _path(environ: dict[str, Any]) -> str:
    """The decoded path; WSGI hands bytes over as latin-1."""
    raw: str = environ.get("PATH_INFO", "")
    return raw.encode("latin-1", "replace").decode("utf-8", "replace")


def _route(environ: dict[str, Any]) -> tuple[Route, dict[str, str]] | None:
    """None also for paths that are no UTF-8 or hold a NUL: they can name nothing that was ever stored."""
    raw: str = environ.get("PATH_INFO", "")
    try:
        path = raw.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return None
    if not path.startswith(PREFIX) or "\x00" in path:
        return None
    return resolve(environ["REQUEST_METHOD"], path[len(PREFIX) :])


def _query(environ: dict[str, Any]) -> dict[str, str]:
    raw: str = environ.get("QUERY_STRING", "")
    if not raw:
        return {}
    text = raw.encode("latin-1", "replace").decode("utf-8", "replace")
    pairs = parse_qsl(text, keep_blank_values=True, errors="replace")
    # Of a parameter that is given twice the first one counts. A NUL is no value of anything, and PostgreSQL takes none.
    return {name: value.replace("\x00", _REPLACEMENT) for name, value in reversed(pairs)}


def _headers(environ: dict[str, Any]) -> dict[str, str]:
    return {
        "content-type": environ.get("CONTENT_TYPE", "") or environ.get("HTTP_CONTENT_TYPE", ""),
        "accept": environ.get("HTTP_ACCEPT", ""),
    }


def _read_body(environ: dict[str, Any], limit: int) -> tuple[bytes, bool]:
    """(body, whether it is longer than `limit`); what goes beyond is not kept."""
    if environ["REQUEST_METHOD"] not in ("POST", "PUT", "PATCH"):
        return b"", False
    length = environ.get("CONTENT_LENGTH", "")
    if length.isascii() and length.isdigit() and int(length[:18]) > limit:
        return b"", True
    body: bytes = environ["wsgi.input"].read(limit + 1)
    return (b"", True) if len(body) > limit else (body, False)


def _drain(environ: dict[str, Any]) -> None:
    """Takes what a refused caller is still sending: one that finds its connection closed never reads the answer."""
    if environ["REQUEST_METHOD"] in ("POST", "PUT", "PATCH"):
        left = DRAIN_LIMIT
        while left > 0 and (chunk := environ["wsgi.input"].read(1 << 16)):
            left -= len(chunk)


def _primed(answer: Answer) -> Answer:
    """A streamed answer with its first chunk made, so that what fails there still becomes an error answer."""
    if isinstance(answer.body, bytes):
        return answer
    chunks = iter(answer.body)
    first = next(chunks, b"")
    return Answer(_chain(first, chunks), answer.media_type, answer.headers)


def _chain(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    yield first
    yield from rest


def _send(start_response: StartResponse, status: int, answer: Answer, request_id: str) -> Iterable[bytes]:
    headers = [
        ("X-Request-Id", request_id),
        ("Cache-Control", "no-store"),
        ("X-Content-Type-Options", "nosniff"),
        *answer.headers,
    ]
    if answer.body or answer.media_type != JSON:
        headers.append(("Content-Type", answer.media_type))
    if isinstance(answer.body, bytes):
        headers.append(("Content-Length", str(len(answer.body))))
        start_response(_STATUS_LINES[status], headers)
        return [answer.body]
    start_response(_STATUS_LINES[status], headers)
    return answer.body
