"""The merchant API as an application: request id, HTTPS, routing, key, transaction, answer, log line."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any, Final

import msgspec
import structlog

from paymatch.api import errors
from paymatch.api.body.compressed import unpack
from paymatch.api.call import JSON, ApiAnswer, ApiCall, ApiConfig
from paymatch.api.errors import ApiRefused, MethodNotAllowed, body_of, status_of
from paymatch.api.openapi.document import openapi_json
from paymatch.api.refusals import ORDER_UNKNOWN
from paymatch.api.router import PREFIX, EndpointRoute, RouteMatch, destination, readable
from paymatch.domain.orders.submission import OrderUnknown
from paymatch.domain.refusal import Later, Refused
from paymatch.domain.shops import api_keys
from paymatch.domain.shops.api_keys import KeyScope, allows, only_reads
from paymatch.domain.shops.api_requests import MOST_TEXT, ApiRequest
from paymatch.domain.shops.audit import Actor, ActorKind
from paymatch.domain.shops.shop import Access, Shop, ShopStatus
from paymatch.domain.words.message import Message, as_text
from paymatch.outbound.files import Files, FilesUnavailable
from paymatch.store.database import Database
from paymatch.store.transactions import ShopId, ShopTx, passes
from paymatch.traces import note
from paymatch.usecases.orders import orders
from paymatch.usecases.shops import shops
from paymatch.web import (
    HTTPS_NEEDED,
    RETRY_SECONDS,
    Admission,
    HttpReply,
    Request,
    StartResponse,
    gather,
    request_of,
    start,
    take_body,
)

KNOWN_SECONDS: Final = 300.0
_MOST: Final = 10_000


class KnownKeys:
    """Hashes of keys with the moment until which they are known. Any thread may ask and add.

    It only opens the door: every call proves its key again in its own transaction.
    """

    def __init__(self) -> None:
        self._until: dict[bytes, float] = {}

    def add(self, key: str) -> None:
        """The key is known from now on for KNOWN_SECONDS."""
        if len(self._until) >= _MOST:
            self._until.clear()
        self._until[api_keys.hash_of(key)] = time.monotonic() + KNOWN_SECONDS

    def __contains__(self, key: str) -> bool:
        return self._until.get(api_keys.hash_of(key), 0.0) > time.monotonic()


DESCRIPTION: Final = PREFIX + "openapi.json"
_log = structlog.get_logger("paymatch.api")


@dataclass(frozen=True, slots=True)
class _Door:
    """What the headers of a request say: where it goes, and with which key."""

    found: RouteMatch
    key: str
    shop_id: ShopId


@dataclass(slots=True)
class _Seen:
    """The caller in the log line of a request, as far as known."""

    shop: str | None = None
    key: str | None = None  # its id; also of one that is no longer valid
    is_valid: bool = True


class Api:
    """Everything below /api/: an application of our server, and a WSGI callable for use without a server."""

    def __init__(self, database: Database, files: Files, config: ApiConfig) -> None:
        self._database = database
        self._files = files
        self._config = config
        self._known = KnownKeys()

    def __call__(self, environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        """WSGI, for calls in process."""
        request = request_of(environ)
        admitted = self.admit(request)
        if isinstance(admitted, Admission):
            take_body(request, environ["wsgi.input"], admitted.body_limit)
            admitted = admitted.answer(request)
        return start(admitted, start_response)

    def admit(self, request: Request) -> Admission | HttpReply:
        """By its headers: HTTPS, route, and a key that has the form of one (D-21)."""
        seen = _Seen()
        try:
            found = self._door(request)
        except ApiRefused as error:
            return _reply(request, seen, _refusal_answer(error), error.status)
        if isinstance(found, ApiAnswer):
            return _reply(request, seen, found, 200)
        known = found.key in self._known
        return Admission(
            share=str(found.shop_id),
            body_limit=found.found.route.body_limit,
            answer=partial(self._answer, found),
            authenticate=None if known else partial(self._authenticate, found, request),
        )

    def refuse(self, request: Request, status: int, text: str) -> HttpReply:
        """An error of the server in front, such as a body that came too slowly, as our error object."""
        return _reply(request, _Seen(), ApiAnswer(msgspec.json.encode({"error": text}, enc_hook=as_text)), status)

    def _door(self, request: Request) -> _Door | ApiAnswer:
        if not request.origin.secure:
            raise ApiRefused(400, HTTPS_NEEDED)
        if request.raw_path == DESCRIPTION and request.method == "GET":
            return ApiAnswer(openapi_json())  # for everyone: it is the same for all shops
        found = _route(request)
        if isinstance(found, ApiAnswer):
            return found
        key = self._key(request)
        shop_id = api_keys.shop_of(key)
        if shop_id is None:
            raise ApiRefused(401, errors.KEY_UNKNOWN)
        return _Door(found, key, ShopId(shop_id))

    def _key(self, request: Request) -> str:
        for header in self._config.key_headers:
            key = request.headers.get(header)
            if key is not None and key.strip():
                if api_keys.is_placeholder(key):
                    raise ApiRefused(401, errors.PLACEHOLDER)
                return key.strip()
        scheme, _, token = (request.headers.get("authorization") or "").partition(" ")
        if scheme.lower() == "bearer" and api_keys.is_agency_token(token.strip()):
            return token.strip()
        raise ApiRefused(401, errors.HEADER_MISSING)

    def _authenticate(self, door: _Door, request: Request) -> HttpReply | None:
        """The refusal of a key that is not valid; nothing else is asked yet."""

        def ask(seen: _Seen) -> ApiAnswer:
            with self._database.of_shop(door.shop_id, at=self._config.clock()) as tx:
                if shops.authenticate(tx, door.key) is None:
                    raise _unknown_key(tx, door, seen)
            self._known.add(door.key)
            return ApiAnswer(b"")

        answer, status, seen = _answer_or_refusal(request, ask)
        if status == 200:
            return None
        self._record(door, request, answer, status, seen)
        return _reply(request, seen, answer, status)

    def _answer(self, door: _Door, request: Request) -> HttpReply:
        template = PREFIX + door.found.route.template
        note(f"{request.method} {template}", http__route=template)
        answer, status, seen = _answer_or_refusal(request, partial(self._handle, door, request))
        note(paymatch__shop=seen.shop, paymatch__key=seen.key)
        self._record(door, request, answer, status, seen)
        return _reply(request, seen, answer, status)

    def _record(self, door: _Door, request: Request, answer: ApiAnswer, status: int, seen: _Seen) -> None:
        """Logs the request for the shop whose key it came with; one that the shop never had is a stranger's."""
        if self._config.record is not None and seen.key is not None:
            self._config.record(_api_request_of(door, request, seen, answer, status, self._config.clock()))

    def _handle(self, door: _Door, request: Request, seen: _Seen) -> ApiAnswer:
        """Order of checks: key, shop active, API active, write allowed, order exists, body (D-21)."""
        clock, found = self._config.clock(), door.found
        route = found.route
        with self._database.of_shop(door.shop_id, at=clock) as tx:
            caller = shops.authenticate(tx, door.key)
            if caller is None:
                raise _unknown_key(tx, door, seen)
            shop = caller.shop
            seen.shop, seen.key = str(shop.id), caller.key_id
            tx.actor = Actor(ActorKind.KEY, caller.key_id, request.origin.client, request.id)
            _check_shop(shop, caller.scopes, route)
            if route.needs is not None:
                route.needs(tx, found.params)
            if request.body_too_large:
                raise ApiRefused(400, route.too_large)
            query = _query(tx, found, request.query)
            body = request.body
            if encoding := request.headers.get("content-encoding"):
                body = unpack(body, encoding, route.body_limit, route.too_large)
            call = ApiCall(
                tx,
                self._database.acting_as(tx.actor),
                self._files,
                shop,
                clock,
                found.params,
                request.headers,
                body,
                self._config,
            )
            answer = None if route.detached else _handled_by(found, call, query)
        if answer is None:
            answer = _handled_by(found, call, query)
        # What fails at the first part of a long answer is still answered as an error.
        return replace(answer, body=gather(answer.body))


def _unknown_key(tx: ShopTx, door: _Door, seen: _Seen) -> ApiRefused:
    """The refusal of a key that is not valid. One that the shop once had is named in its log."""
    seen.key = shops.former_key(tx, door.key)
    seen.is_valid = False
    return ApiRefused(401, errors.KEY_UNKNOWN)


def _api_request_of(
    door: _Door, request: Request, seen: _Seen, answer: ApiAnswer, status: int, clock: datetime
) -> ApiRequest:  # fmt: skip
    """The request as it is logged; the answer only of one that was refused, its body only if its key was valid."""
    refused = status >= 400 and isinstance(answer.body, bytes)
    return ApiRequest(
        door.shop_id, clock, request.id, seen.key or "", request.method, request.path.removeprefix(PREFIX),
        request.query, door.found.params.get("orderNumber", ""), status,
        (time.perf_counter() - request.arrived_at) * 1000,
        bytes(request.body[: 4 * MOST_TEXT]) if refused and seen.is_valid else b"",
        answer.body if refused and isinstance(answer.body, bytes) else b"",
    )  # fmt: skip


def _refusal_answer(error: Refused) -> ApiAnswer:
    headers = error.headers if isinstance(error, ApiRefused) else ()
    if isinstance(error, Later):
        headers = (("Retry-After", str(RETRY_SECONDS)),)
    return ApiAnswer(msgspec.json.encode(body_of(error), enc_hook=as_text), headers=headers)


def _answer_or_refusal(request: Request, work: Callable[[_Seen], ApiAnswer]) -> tuple[ApiAnswer, int, _Seen]:
    """(answer, status, who was seen) of some work; what it raises becomes its answer."""
    seen = _Seen()
    try:
        answer = work(seen)
    except Refused as error:
        return _refusal_answer(error), status_of(error), seen
    except Exception as error:
        if (away := _away(error)) is not None:
            what, text = away
            _log.warning(
                what, request_id=request.id, path=request.path, shop=seen.shop, error=" ".join(str(error).split())
            )
            body = msgspec.json.encode({"error": text}, enc_hook=as_text)
            return ApiAnswer(body, headers=(("Retry-After", str(RETRY_SECONDS)),), status=503), 503, seen
        _log.exception("request failed", request_id=request.id, path=request.path, shop=seen.shop)
        text = f"Internal server error, please retry or contact support with request id {request.id}"
        return ApiAnswer(msgspec.json.encode({"error": text}, enc_hook=as_text)), 500, seen
    return answer, answer.status, seen


def _away(error: Exception) -> tuple[str, str] | None:
    """(log text, answer) for errors that may pass in a moment; None for our own faults."""
    if passes(error):
        return "the database does not answer", errors.DATABASE_AWAY
    if isinstance(error, FilesUnavailable):
        return "the storage of files takes nothing", errors.FILES_AWAY
    return None


def _handled_by(found: RouteMatch, call: ApiCall, query: dict[str, Any]) -> ApiAnswer:
    """The handler's answer. An order that is unknown because its number is a path of other methods: 405, not 404."""
    route = found.route
    try:
        sent = {"body": route.body.read(call)} if route.body else {}
        return route.handler(call, **query, **sent)
    except OrderUnknown:
        if found.instead:
            raise MethodNotAllowed(sorted((*found.instead, "OPTIONS"))) from None
        raise


def _check_shop(shop: Shop, scopes: frozenset[KeyScope], route: EndpointRoute) -> None:
    """Whether the shop takes the call, and the key may make it (D-21, D-37)."""
    if shop.status is not ShopStatus.ACTIVE:
        raise ApiRefused(400, errors.SHOP_NOT_ACTIVE)
    if not shop.api:
        raise ApiRefused(400, errors.API_NOT_ACTIVE)
    if route.writes and (shop.access is Access.READ_ONLY or only_reads(scopes)):
        raise ApiRefused(400, errors.READ_ONLY)
    if not allows(scopes, route.scope, sandbox=shop.sandbox) and route.also not in scopes:
        raise ApiRefused(401, Message("api-scope-missing", scope=route.scope))
    if route.scope is KeyScope.STATEMENTS and not (shop.sandbox or shop.statements_api):
        raise ApiRefused(400, errors.STATEMENTS_OFF)


def _route(request: Request) -> RouteMatch | ApiAnswer:
    """Where the request leads; the answer to OPTIONS. ApiRefused 404 and 405."""
    path = readable(request.raw_path)
    place = destination(path) if path is not None else None
    if place is None:
        raise ApiRefused(404, errors.NOT_FOUND)
    if request.method == "OPTIONS":
        return ApiAnswer(b"", headers=(("Allow", ", ".join(place.methods)),))
    found = place.endpoint("GET" if request.method == "HEAD" else request.method)
    if found is None:
        raise MethodNotAllowed(place.methods)
    return found


def _query(tx: ShopTx, found: RouteMatch, raw: str) -> dict[str, Any]:
    """The parameters that the handler asks for; an order that must exist and does not answers first (D-21)."""
    route = found.route
    try:
        query = route.query.read(raw)
    except Refused:
        if ORDER_UNKNOWN in route.refusals:
            orders.require(tx, found.params["orderNumber"])
        raise
    return {} if route.query.is_empty else {"query": query}


def _reply(request: Request, seen: _Seen, answer: ApiAnswer, status: int) -> HttpReply:
    """The reply, with its line in the log."""
    _log.info(
        "request",
        request_id=request.id,
        method=request.method,
        path=request.path,
        status=status,
        client=request.origin.client,
        shop=seen.shop,
        key=seen.key,
        ms=round((time.perf_counter() - request.arrived_at) * 1000, 2),
    )
    headers = [
        ("X-Request-Id", request.id),
        ("Cache-Control", "no-store"),
        ("X-Content-Type-Options", "nosniff"),
        *answer.headers,
    ]
    if answer.body or answer.media_type != JSON:
        headers.append(("Content-Type", answer.media_type))
    if isinstance(answer.body, bytes):
        headers.append(("Content-Length", str(len(answer.body))))
    return HttpReply(status, headers, b"" if request.method == "HEAD" else gather(answer.body))
