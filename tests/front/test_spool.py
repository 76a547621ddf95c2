"""What waits for slow clients has a limit on the disk."""

from __future__ import annotations

import asyncio
import gzip
import tempfile
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest

from paymatch.api.body.compressed import unpack
from paymatch.domain.words.message import Message
from paymatch.formats.contract.bodies import decode_sync
from paymatch.front.http_exchange import Broken, HttpExchange, PendingBody
from paymatch.front.shares import Outcome
from paymatch.front.spool import IN_MEMORY, Room, RoomFull, Spool

PART = bytes(range(256)) * 1024


def test_short_bodies_take_nothing_of_the_room() -> None:
    spool = Spool(Room(0))
    spool.write(PART)
    assert (spool.size, spool.value()) == (IN_MEMORY, PART)


def test_long_bodies_take_the_room_and_give_it_back() -> None:
    room = Room(3 * len(PART))
    one, other = Spool(room), Spool(room)
    for _ in range(3):
        one.write(PART)
    other.write(PART)
    with pytest.raises(RoomFull):
        other.write(b"x")
    assert one.value() == 3 * PART
    with pytest.raises(RoomFull):
        one.write(b"x")
    one.close()
    other.close()
    last = Spool(room)
    for _ in range(3):
        last.write(PART)
    assert last.value() == 3 * PART
    last.close()


def test_long_list_of_orders_is_not_held_in_memory() -> None:
    one = b'{"number":"A-1","date":"01-03-2026","billing":{"lastName":"%s"}},' % (b"x" * 2000)
    spool = Spool(Room())
    spool.write(b"[")
    for _ in range(500):
        spool.write(one * 16)
    spool.write(b'"A-2"]')
    packed = gzip.compress(bytes(spool.value()), 1)
    tracemalloc.start()
    body = spool.value()
    spool.close()
    assert len(body) > 16_000_000
    for sent in (body, unpack(packed, "gzip", 20_000_000, Message("api-body-too-large", most=20))):
        assert [each for each in decode_sync(sent) if isinstance(each, str)] == ["A-2"]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < len(body) // 5  # of each order nothing but where it is


def test_disk_that_is_full_is_a_room_that_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", "/dev/null")
    spool = Spool(Room())
    with pytest.raises(RoomFull):
        spool.write(PART + b"x")


def test_body_without_room_is_given_up() -> None:
    async def read() -> Broken | None:
        loop = asyncio.get_running_loop()

        def receive() -> asyncio.Future[dict[str, Any]]:
            future = loop.create_future()
            future.set_result({"type": "http.request", "body": PART, "more_body": True})
            return future

        return await HttpExchange(receive, lambda _: None).read(Spool(Room(len(PART))), None, 100 * len(PART))

    assert asyncio.run(read()) is Broken.NO_ROOM


def test_answer_without_room_is_cut_when_its_reader_is_slow() -> None:
    async def write(room: Room) -> Broken | None:
        loop = asyncio.get_running_loop()
        sent: list[asyncio.Future[None]] = []

        def send(_: dict[str, Any]) -> asyncio.Future[None]:
            sent.append(loop.create_future())
            return sent[-1]

        async def aside(work: Callable[[], None]) -> Outcome[None]:
            try:
                work()
            except RoomFull as error:
                return Outcome(None, error)
            return Outcome(None, None)

        talk = HttpExchange(loop.create_future, send)
        return await asyncio.wait_for(talk.write(PendingBody(5 * PART, room), 3 * len(PART), aside), 5)

    assert asyncio.run(write(Room(len(PART)))) is Broken.NO_ROOM
