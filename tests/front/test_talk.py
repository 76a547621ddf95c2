"""Deadlines of bodies and answers: 10 s of grace, then 8 KB/s on average, no pause over 30 s; the clock is moved."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest

from paymatch.front.http_exchange import Broken, HttpExchange, PendingBody
from paymatch.front.spool import Room, Spool
from tests.front.loop import run

KB = 1024
MB = 1024 * KB


def after(seconds: float, value: Any) -> asyncio.Future[Any]:
    """A future that has the value in so many seconds."""
    loop = asyncio.get_running_loop()
    future = loop.create_future()
    loop.call_later(seconds, lambda: None if future.done() else future.set_result(value))
    return future


def sender(parts: Iterable[tuple[float, bytes]]) -> Callable[[], asyncio.Future[Any]]:
    """What a client sends: parts, each so many seconds after the one before was taken; then nothing for ever."""
    left = iter(parts)

    def receive() -> asyncio.Future[Any]:
        seconds, body = next(left, (1e9, b""))
        message = {"type": "http.request", "body": body, "more_body": True}
        return after(seconds, message if body else {"type": "http.disconnect"})

    return receive


async def sent(parts: Sequence[tuple[float, bytes]], length: int, limit: int = 100 * MB) -> tuple[Broken | None, float]:
    """(how reading the body ended, when)."""
    spool = Spool(Room())
    try:
        talk = HttpExchange(sender(parts), lambda _: None)
        return await talk.read(spool, length, limit), asyncio.get_running_loop().time()
    finally:
        spool.close()


@pytest.mark.parametrize(
    ("parts", "length", "expected"),
    [
        ([(0, b"x" * 100)], 100, (None, 0)),
        ([(9.5, b"x")], 1, (None, 9.5)),
        ([(20, b"x")] * 50, 50, (Broken.LATE, 10)),  # one byte every 20 seconds
        ([(1, b"x")] * 50, 50, (Broken.LATE, 10)),
        ([(1, b"x" * 8 * KB)] * 60, 60 * 8 * KB, (None, 60)),  # just fast enough
        ([(1, b"x" * 7 * KB)] * 200, 200 * 7 * KB, (Broken.LATE, 73)),  # not quite
        ([(0, b"x" * MB), (29, b"x")], MB + 1, (None, 29)),
        ([(0, b"x" * MB), (31, b"x")], MB + 1, (Broken.LATE, 30)),  # a pause, however fast the rest was
        ([(3, b"")], 10, (Broken.GONE, 3)),
    ],
)
def test_a_body_is_read_as_long_as_it_comes(
    parts: list[tuple[float, bytes]], length: int, expected: tuple[Broken | None, float]
) -> None:
    how, when = run(sent(parts, length))
    assert (how, int(when) if how is Broken.LATE else when) == expected


def test_a_body_beyond_its_limit_is_not_read_on() -> None:
    assert run(sent([(1, b"x" * 60), (1, b"x" * 60), (1, b"x")], 1000, limit=100)) == (Broken.TOO_LARGE, 2)


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (0.0, (None, 0.0)),
        (1.0, (None, 20.0)),  # 8 KB a second
        (2.0, (Broken.LATE, 18.0)),
        (60.0, (Broken.LATE, 10.0)),
    ],
)
def test_an_answer_is_written_as_long_as_it_is_read(seconds: float, expected: tuple[Broken | None, float]) -> None:
    async def written() -> tuple[Broken | None, float]:
        def send(message: dict[str, Any]) -> Any:
            return after(seconds, None) if seconds and message["body"] else None

        async def aside(_: Callable[[], None]) -> Any:
            raise AssertionError("160 KB are not put aside")

        talk = HttpExchange(lambda: after(1e6, {"type": "http.disconnect"}), send)
        how = await talk.write(PendingBody(b"x" * 160 * KB, Room()), 8 * KB, aside)
        return how, asyncio.get_running_loop().time()

    how, when = run(written())
    assert (how, round(when, 6)) == expected


def test_who_leaves_is_not_written_to() -> None:
    async def written() -> tuple[Broken | None, float]:
        talk = HttpExchange(lambda: after(3, {"type": "http.disconnect"}), lambda _: after(1, None))

        async def aside(_: Callable[[], None]) -> Any:
            raise AssertionError

        how = await talk.write(PendingBody(b"x" * 160 * KB, Room()), 16 * KB, aside)
        return how, asyncio.get_running_loop().time()

    assert run(written()) == (Broken.GONE, 3.0)


def test_a_strangers_body_is_drained_to_a_bound_only() -> None:
    async def drained() -> float:
        await HttpExchange(sender([(1, b"x" * 20 * KB)] * 100), lambda _: None).drain(64 * KB)
        return asyncio.get_running_loop().time()

    assert run(drained()) == 4.0
