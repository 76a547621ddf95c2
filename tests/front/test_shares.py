"""Threads in turns: no share has more than its part, those that wait take turns, what fails is an outcome."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

from paymatch.front.shares import InFlightLimit, LargeResponses, Shares
from tests.waiting import PATIENCE_SECONDS


def test_a_share_never_has_more_than_its_part() -> None:
    async def scene() -> tuple[list[str], list[str]]:
        shares, gate = Shares(4, 2), threading.Event()
        running: list[str] = []
        begun = threading.Semaphore(0)

        def work(name: str) -> Callable[[], str]:
            def job() -> str:
                running.append(name)
                begun.release()
                gate.wait(PATIENCE_SECONDS)
                return name

            return job

        futures = [shares.run("greedy", work(f"greedy {place}")) for place in range(5)]
        futures.append(shares.run("other", work("other")))
        for _ in range(3):
            await asyncio.to_thread(begun.acquire, timeout=PATIENCE_SECONDS)
        at_once = sorted(running)
        gate.set()
        return at_once, sorted([(await future).get() for future in futures])

    at_once, done = asyncio.run(scene())
    assert at_once == ["greedy 0", "greedy 1", "other"]
    assert done == [*(f"greedy {place}" for place in range(5)), "other"]


def test_those_that_wait_take_turns() -> None:
    async def scene() -> list[str]:
        shares, gate, order = Shares(1, 1), threading.Event(), list[str]()
        first = shares.run("a", lambda: gate.wait(PATIENCE_SECONDS))
        jobs = [
            shares.run(share, lambda name=name: order.append(name))  # type: ignore[misc]
            for share, name in (("a", "a1"), ("a", "a2"), ("a", "a3"), ("b", "b1"), ("c", "c1"), ("b", "b2"))
        ]
        gate.set()
        await asyncio.gather(first, *jobs)
        return order

    assert asyncio.run(scene()) == ["a1", "b1", "c1", "a2", "b2", "a3"]


def test_what_fails_is_an_outcome_and_the_thread_goes_on() -> None:
    async def scene() -> tuple[BaseException | None, int]:
        shares = Shares(1, 1)
        failed = await shares.run("a", lambda: 1 // 0)
        return failed.error, (await shares.run("a", lambda: 7)).get()

    error, value = asyncio.run(scene())
    assert (type(error), value) == (ZeroDivisionError, 7)


def test_places_are_taken_and_given_back() -> None:
    places = InFlightLimit(2)
    assert [places.take("a"), places.take("a"), places.take("a"), places.take("b")] == [True, True, False, True]
    places.give("a")
    assert [places.take("a"), places.take("a")] == [True, False]


def test_many_long_answers_are_written_in_smaller_pieces() -> None:
    crowd = LargeResponses()
    few = crowd.piece_size
    for _ in range(9):
        crowd.__enter__()
    assert (few, crowd.piece_size) == (256 * 1024, 32 * 1024)
