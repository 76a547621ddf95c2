"""One request and its answer on the wire: bodies are read and answers are written with deadlines."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from enum import Enum
from functools import lru_cache
from typing import Any, Final

from paymatch.front.deadlines import is_within_deadlines
from paymatch.front.shares import Outcome
from paymatch.front.spool import IN_MEMORY, Room, RoomFull, Spool

Message = dict[str, Any]
Aside = Callable[[Callable[[], None]], Awaitable[Outcome[None]]]

GRACE_SECONDS: Final = 10.0
"""For so long a body or an answer may be as slow as it likes."""
LEAST_RATE: Final = 8 * 1024
"""Bytes per second that it must have reached on average from then on."""
IDLE_SECONDS: Final = 30.0
"""The longest pause in between."""
AT_ONCE: Final = 128 * 1024
"""Answers up to this size are handed over whole: they fit into the buffers of a connection."""
_BUFFERED: Final = 4
"""Pieces of a long answer that the web server keeps; for the next one there is to wait."""
_PATIENCE_SECONDS: Final = 0.2
"""An answer that waits for its reader for longer is put aside, out of the memory."""


class Broken(Enum):
    """Why a conversation ends early."""

    LATE = "the other end is too slow"
    GONE = "the other end has left"
    TOO_LARGE = "the other end sends more than is wanted"
    NO_ROOM = "the disk has no room for what waits"


class _Pace:
    """How much longer the other end may take for its next bytes, by what it has moved so far."""

    def __init__(self) -> None:
        self._moved = 0
        self._waited = 0.0

    def seconds_left(self) -> float:
        """Seconds."""
        return min(IDLE_SECONDS, GRACE_SECONDS + self._moved / LEAST_RATE - self._waited)

    def add(self, size: int, seconds: float) -> None:
        """Records moved bytes after a wait."""
        self._moved += size
        self._waited += seconds


class PendingBody:
    """What is still to be written of a part of an answer."""

    def __init__(self, body: bytes, room: Room) -> None:
        self._body = body
        self._room = room
        self._spool: Spool | None = None
        self._place = 0
        self._size = len(body)

    @property
    def is_heavy(self) -> bool:
        """Whether it takes memory that others could need."""
        return self._spool is None and self._size - self._place > IN_MEMORY

    def next(self, piece_size: int) -> bytes:
        """The next piece; nothing at the end."""
        start = self._place
        self._place = min(start + piece_size, self._size)
        if self._spool is not None:
            return self._spool.read(start, self._place - start)
        return self._body[start : self._place]

    def put_aside(self) -> None:
        """Moves it into a file; RoomFull if the disk cannot take it."""
        spool = Spool(self._room)
        try:
            spool.write(self._body)
        except RoomFull:
            spool.close()
            raise
        self._spool, self._body = spool, b""

    def close(self) -> None:
        """Nothing more is wanted."""
        if self._spool is not None:
            self._spool.close()


class HttpExchange:
    """The wire of one request.

    Nothing that is awaited here raises: a task of the web server goes no further after an exception at an await.
    """

    def __init__(self, receive: Callable[[], Any], send: Callable[[Message], Any], *, is_last: bool = False) -> None:
        """`is_last`: the connection ends with the answer, and the client is notified."""
        self._receive = receive
        self._send = send
        self._is_last = is_last
        self._loop = asyncio.get_running_loop()
        self._writing = _Pace()
        self._is_watching = False
        self._gone = False

    async def read(self, spool: Spool, length: int | None, limit: int) -> Broken | None:
        """Reads the body into `spool`; None if all of it came, and was no longer than `limit`."""
        pace = _Pace()
        while length is None or spool.size < length:
            message = await self._next(pace)
            if message is None:
                return Broken.LATE
            if message["type"] != "http.request":
                return Broken.GONE
            part: bytes = message["body"]
            if spool.size + len(part) > limit:
                return Broken.TOO_LARGE
            try:
                spool.write(part)
            except RoomFull:
                return Broken.NO_ROOM
            if not message["more_body"]:
                break
        return None

    async def drain(self, most: int) -> None:
        """Reads what a client with an answer is still sending: else it would never read the answer."""
        pace, left = _Pace(), most
        while left > 0:
            message = await self._next(pace)
            if message is None or not message.get("more_body"):
                return
            left -= len(message["body"])

    async def begin(self, status: int, headers: list[tuple[str, str]]) -> None:
        """Hands over status and headers."""
        lines = [(_header_name(name), value.encode("latin-1", "replace")) for name, value in headers]
        if self._is_last:
            lines.append((b"connection", b"close"))
        await self._send({"type": "http.response.start", "status": status, "headers": lines})

    async def end(self, body: bytes = b"") -> None:
        """Hands over a short answer, or the end of a long one."""
        await self._send({"type": "http.response.body", "body": body, "more_body": False})

    async def flush(self) -> Broken | None:
        """Waits until the web server has no more of a long answer than fits into the buffers of the connection."""
        for _ in range(_BUFFERED):  # an empty piece is not sent, but waits its turn
            sent = self._send({"type": "http.response.body", "body": b"", "more_body": True})
            if hasattr(sent, "add_done_callback") and not await self._move_in_time(sent, 0, self._writing):
                return Broken.LATE
        return None

    async def write(self, rest: PendingBody, piece_size: int, aside: Aside) -> Broken | None:
        """Writes a part of a long answer as fast as it is read; None once it is handed over.

        What waits for long is put into a file, by `aside`: in another thread, for the disk may be slow as well.
        """
        if not self._is_watching:
            self._is_watching = True
            self._watch()
        try:
            while (piece := rest.next(piece_size)) and not self._gone:
                sent = self._send({"type": "http.response.body", "body": piece, "more_body": True})
                if not hasattr(sent, "add_done_callback"):  # there was room for it: nothing to wait for
                    self._writing.add(len(piece), 0.0)
                    continue
                if rest.is_heavy and not await is_within_deadlines(sent, _PATIENCE_SECONDS):
                    outcome = await aside(rest.put_aside)
                    if outcome.error is not None:
                        sent.cancel()
                        return Broken.NO_ROOM
                if not await self._move_in_time(sent, len(piece), self._writing):
                    return Broken.LATE
        finally:
            rest.close()
        return Broken.GONE if self._gone else None

    def _watch(self) -> None:
        """Learns when the other end leaves, for whom nothing more needs to be read from the database."""
        self._receive().add_done_callback(self._heard)

    def _heard(self, future: Any) -> None:
        if future.result()["type"] == "http.disconnect":
            self._gone = True
        else:  # the end of the body, which comes first
            self._watch()

    async def _next(self, pace: _Pace) -> Message | None:
        """The next part of the body; None if it is late."""
        future = self._receive()
        if not await self._move_in_time(future, 0, pace):
            return None
        message: Message = future.result()
        pace.add(len(message.get("body", b"")), 0.0)
        return message

    async def _move_in_time(self, future: Any, size: int, pace: _Pace) -> bool:
        """Whether `size` bytes were moved in time; else they no longer are."""
        begun = self._loop.time()
        if not await is_within_deadlines(future, pace.seconds_left()):
            future.cancel()
            return False
        pace.add(size, self._loop.time() - begun)
        return True


@lru_cache(maxsize=256)
def _header_name(name: str) -> bytes:
    return name.lower().encode("latin-1")
