"""The ASGI application: lets requests in by their headers, reads bodies, has the threads answer, writes what they say.

Everything here runs on the event loop and never waits: not for a sender, a reader or the database.
"""

from __future__ import annotations

import asyncio
import string
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final
from urllib.parse import quote

import structlog

from paymatch.client_disconnect import WaitingClient, on_behalf_of
from paymatch.failed_requests import FailedRequests
from paymatch.front.connections import Connections
from paymatch.front.http_exchange import AT_ONCE, Broken, HttpExchange, PendingBody
from paymatch.front.origin import Proxies
from paymatch.front.readiness import Readiness
from paymatch.front.shares import InFlightLimit, LargeResponses, Outcome, Shares
from paymatch.front.spool import Room, Spool
from paymatch.logs import without_secrets
from paymatch.traces import SpanKind, span
from paymatch.web import (
    BODY_METHODS,
    CUT_SHORT,
    TOO_MANY,
    TOO_SLOW,
    Admission,
    Application,
    Chunks,
    HttpReply,
    Request,
    declared_length,
)

THREADS: Final = 4
"""Threads that answer known callers, per process: measured best on two cores (docs/performance.md)."""
SHARE: Final = 2
"""Threads that one shop has at most at any moment."""
STRANGERS_THREADS: Final = 1
"""Threads that look up keys which were not seen lately, and answer what needs none."""
DRAIN_STRANGER: Final = 64 * 1024
"""Bytes that a client without a valid key may still send after its answer."""
DRAIN_KNOWN: Final = 32 * 1024 * 1024
"""Bytes that a known caller may still send once his body is refused."""
RETRY_SECONDS: Final = 1

_YEAR: Final = 365 * 24 * 3600
_HSTS: Final = ("Strict-Transport-Security", f"max-age={_YEAR}")
_NOT_READY: Final = b"the database does not answer, or takes no changes\n"
_PLAIN: Final = [("Content-Type", "text/plain; charset=utf-8"), ("Cache-Control", "no-store")]
_log = structlog.get_logger("paymatch.front")

Run = Callable[[Callable[[], Any]], "asyncio.Future[Outcome[Any]]"]
"""Has some work done in one of the threads of a share."""


class Front:
    """Everything that the web server is given."""

    def __init__(
        self,
        mounts: Sequence[tuple[str, Application]],
        proxies: Proxies,
        connections: Connections,
        is_ready: Callable[[], bool],
        room: Room,
        is_leaving: Callable[[], bool],
        failed: FailedRequests,
    ) -> None:
        """`mounts`: the beginning of a path and what answers there, the first that fits; the last has to fit all.

        `is_leaving`: whether this process is about to end, so that its connections have to. `failed` counts answers.
        """
        self._mounts = mounts
        self._proxies = proxies
        self._connections = connections
        self._readiness = Readiness(is_ready)
        self._threads = Shares(THREADS, SHARE)
        self._strangers = Shares(STRANGERS_THREADS, 1)
        self._places = InFlightLimit()
        self._crowd = LargeResponses()
        self._disk = Shares(1, 1)
        self._room = room
        self._is_leaving = is_leaving
        self._failed = failed

    async def __call__(self, scope: dict[str, Any], receive: Callable[[], Any], send: Callable[[Any], Any]) -> None:
        """ASGI; our server is configured to speak HTTP only."""
        peer: tuple[str, str] = scope["client"]
        talk = HttpExchange(receive, send, is_last=self._is_leaving())
        self._connections.begin(peer)
        try:
            broken = await self._answer(scope, talk)
            if broken in (Broken.LATE, Broken.NO_ROOM):
                self._connections.cut(peer)
        finally:
            self._connections.end(peer)

    async def _answer(self, scope: dict[str, Any], talk: HttpExchange) -> Broken | None:
        raw_path = _as_ascii(scope["raw_path"])
        if raw_path == "/healthz":
            await _say(talk, 200, b"ok\n")
            return None
        if raw_path == "/readyz":
            ready = await self._readiness.ask()
            await _say(talk, *((200, b"ready\n") if ready else (503, _NOT_READY)))
            return None
        if not raw_path.startswith("/"):  # `*`, and what else is no path of ours
            await _say(talk, 400, b"this is no path\n")
            return None
        request = self._request(scope, raw_path)
        application = next(found for start, found in self._mounts if raw_path.startswith(start))
        admitted = application.admit(request)
        aside = partial(self._disk.run, "")
        conversation = _Conversation(talk, request, application, self._crowd, aside, self._room, self._failed)
        if isinstance(admitted, HttpReply):
            return await conversation.refuse(admitted, DRAIN_STRANGER)
        return await self._admit(conversation, admitted)

    async def _admit(self, conversation: _Conversation, admission: Admission) -> Broken | None:
        """Answers a caller who is known, or becomes known by his key."""
        if admission.authenticate is not None:
            stranger = f"stranger {conversation.request.origin.client}"
            if not self._places.take(stranger):
                return await conversation.busy(DRAIN_STRANGER)
            try:
                found = (await self._strangers.run(stranger, admission.authenticate)).get()
            finally:
                self._places.give(stranger)
            if isinstance(found, HttpReply):
                return await conversation.refuse(found, DRAIN_STRANGER)
            admission = found or admission
        threads = self._strangers if admission.is_stranger else self._threads
        if not self._places.take(admission.share):
            return await conversation.busy(DRAIN_KNOWN)
        try:
            return await conversation.serve(admission, partial(threads.run, admission.share))
        finally:
            self._places.give(admission.share)

    def _request(self, scope: dict[str, Any], raw_path: str) -> Request:
        headers: dict[str, str] = {}
        for encoded, value in scope["headers"]:
            name, text = encoded.decode("latin-1"), value.decode("latin-1")
            headers[name] = f"{headers[name]}, {text}" if name in headers else text
        return Request(
            method=scope["method"],
            raw_path=raw_path,
            query=scope["query_string"].decode("latin-1"),
            headers=headers,
            origin=self._proxies.origin(scope["client"][0], scope["scheme"], headers),
            has_left=partial(self._connections.has_left, scope["client"]),
        )


def _as_ascii(path: bytes) -> str:
    """A path as URIs have it; some clients send what is not ASCII as it is, and mean the same as percent-encoded."""
    return path.decode("ascii") if path.isascii() else quote(path, safe=string.printable)


class _Conversation:
    """A request with the application that it is for, and its wire."""

    def __init__(
        self,
        talk: HttpExchange,
        request: Request,
        application: Application,
        crowd: LargeResponses,
        aside: Run,
        room: Room,
        failed: FailedRequests,
    ) -> None:
        self.request = request
        self._talk = talk
        self._application = application
        self._crowd = crowd
        self._aside = aside
        self._room = room
        self._failed = failed

    async def serve(self, admission: Admission, run: Run) -> Broken | None:
        """Reads the body, has it answered and writes the answer; `run` is the caller's share of the threads."""
        spool = Spool(self._room)
        try:
            broken = await self._read(spool, admission.body_limit)
            if broken is Broken.GONE:  # perhaps it only says no more, and still listens
                await self._reply(self._application.refuse(self.request, 400, CUT_SHORT), run)
                return broken
            if broken is Broken.LATE:
                return await self._reply(self._application.refuse(self.request, 408, TOO_SLOW), run)
            if broken is Broken.NO_ROOM:
                return await self.busy(DRAIN_KNOWN)
            self.request.body_too_large = broken is Broken.TOO_LARGE
            reply: HttpReply = (await run(partial(_work, admission, self.request, spool, time.monotonic()))).get()
        finally:
            spool.close()
        broken = await self._reply(reply, run)
        if self.request.body_too_large and broken is None:
            await self._drain(DRAIN_KNOWN)
        return broken

    async def refuse(self, reply: HttpReply, drained: int) -> Broken | None:
        """Answers a client whose body is not wanted."""
        self._failed.count_answer(reply.status)
        await self._answer_at_once(reply, drained)
        return None

    async def _answer_at_once(self, reply: HttpReply, drained: int) -> None:
        await self._talk.begin(reply.status, self._headers(reply))
        assert isinstance(reply.body, bytes)
        await self._talk.end(reply.body)
        if self._length() != 0:
            await self._drain(drained)

    async def busy(self, drained: int) -> Broken | None:
        """Answers a client whose places are all taken."""
        reply = self._application.refuse(self.request, 503, TOO_MANY)
        reply.headers.append(("Retry-After", str(RETRY_SECONDS)))
        self._failed.count_busy()
        await self._answer_at_once(reply, drained)
        return None

    async def _read(self, spool: Spool, limit: int) -> Broken | None:
        length = self._length()
        if self.request.method not in BODY_METHODS or length == 0:
            return None
        if length is not None and length > limit:
            return Broken.TOO_LARGE
        return await self._talk.read(spool, length, limit)

    async def _drain(self, most: int) -> None:
        if "expect" not in self.request.headers:  # who waits for our 100 sends nothing
            await self._talk.drain(most)

    def _length(self) -> int | None:
        """Bytes of the body, 0 without one; None if only its end will tell."""
        headers = self.request.headers
        return None if "transfer-encoding" in headers else declared_length(headers) or 0

    async def _reply(self, reply: HttpReply, run: Run) -> Broken | None:
        self._failed.count_answer(reply.status)
        await self._talk.begin(reply.status, self._headers(reply))
        if isinstance(reply.body, bytes) and len(reply.body) <= AT_ONCE:
            await self._talk.end(reply.body)
            return None
        with self._crowd:
            broken = await self._write(reply, run) or await self._talk.flush()
        if broken is None:
            await self._talk.end()
        else:
            _log.info("answer not taken", request_id=self.request.id, why=broken.value)
        return broken

    async def _write(self, reply: HttpReply, run: Run) -> Broken | None:
        """Has the next part made once the one before it is read, so slow readers cost nothing."""
        body, reply.body = reply.body, b""
        chunks = Chunks(body, None) if isinstance(body, bytes) else body
        del body  # only the chunks hold it, and they give it away
        rest, is_last = self._next_part(chunks)
        while (broken := await self._talk.write(rest, self._crowd.piece_size, self._aside)) is None and not is_last:
            outcome = await run(partial(self._next_part, chunks))
            if outcome.error is not None:  # the status is sent already: only a cut shows that something is missing
                _log.error("answer failed", request_id=self.request.id, exc_info=outcome.error)
                return Broken.LATE
            rest, is_last = outcome.get()
        chunks.close()
        return broken

    def _next_part(self, chunks: Chunks) -> tuple[PendingBody, bool]:
        """(the next part of a long answer, whether it is the last)."""
        part, is_last = chunks.more()
        return PendingBody(part, self._room), is_last

    def _headers(self, reply: HttpReply) -> list[tuple[str, str]]:
        return [*reply.headers, _HSTS] if self.request.origin.https else reply.headers


def _work(admission: Admission, request: Request, spool: Spool, queued_at: float) -> HttpReply:
    """In one of the threads: the body comes back from where it waited, and is answered."""
    caller = WaitingClient(time.monotonic() - queued_at, request.has_left)
    request.body = b"" if request.body_too_large else spool.value()
    with on_behalf_of(caller), span(
        request.method, SpanKind.SERVER, caller=request.headers, http__request__method=request.method,
        url__path=without_secrets(request.path), client__address=request.origin.client,
        paymatch__request=request.id,
    ) as measured:  # fmt: skip
        reply = admission.answer(request)
        measured.set_attribute("http.response.status_code", reply.status)
    request.body = b""
    return reply


async def _say(talk: HttpExchange, status: int, text: bytes) -> None:
    await talk.begin(status, [*_PLAIN, ("Content-Length", str(len(text)))])
    await talk.end(text)
