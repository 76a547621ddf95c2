"""A database that takes no changes for a while: what can be read, and what is refused."""

from __future__ import annotations

import http.client
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import psycopg

from lab.failover.load import Receiver, Shop
from lab.failover.processes import HERE
from lab.faults.installation import Installation
from lab.faults.outcome import Outcome
from lab.faults.traffic import Size, Traffic

_SECONDS: Final = 15.0
_BACK_SECONDS: Final = 60.0
_BEFORE_SECONDS: Final = 8.0
READS: Final = ("order/{order}", "orders?limit=5", "events?limit=5", "postings?limit=5", "callbacks?limit=5")


def play(folder: Path, port: int, seed: int) -> list[Outcome]:
    """Read-only by a setting of the database, as an operator or a hosting provider whose disk fills up does it."""
    outcome = Outcome(
        "read-only database",
        "Orders, events, postings and callbacks can be read; every write is answered with 503 and Retry-After; /healthz"
        " answers, /readyz says 503. Everything goes on by itself once the database takes changes again.",
    )
    with ExitStack() as stack:
        installation = Installation(folder, port)
        receiver = Receiver(installation.callback_port)
        stack.callback(receiver.shutdown)
        stack.enter_context(installation.running())
        traffic = Traffic(installation, receiver, None, seed, Size(bulk=1, live=2))
        traffic.start()
        traffic.wait_for_writes(60)
        time.sleep(_BEFORE_SECONDS)
        number = next(iter(traffic.orders()))
        _set(installation.url, "on")
        time.sleep(1)
        before = traffic.writes()
        reads, writes, probes = _asked(traffic.shop, number)
        meanwhile = traffic.writes() - before
        _set(installation.url, "off", ending=False)
        back = traffic.wait_for_writes(_BACK_SECONDS)
        time.sleep(_BEFORE_SECONDS)
        outcome.seen |= {
            "read_only_seconds": _SECONDS, "reads": _words(reads), "writes": _words(writes), "probes": _words(probes),
            "writes_meanwhile": meanwhile, "writes_again_after_seconds": back,
        }  # fmt: skip
        outcome.hold({status for _, status, _ in reads} == {200}, f"reads: {_words(reads)}")
        outcome.hold({(status, again) for _, status, again in writes} == {(503, True)}, f"writes: {_words(writes)}")
        ready = {status for name, status, _ in probes if name == "/readyz"}
        alive = {status for name, status, _ in probes if name == "/healthz"}
        outcome.hold((ready, alive) == ({503}, {200}), f"probes: {_words(probes)}")
        outcome.hold(not meanwhile, f"{meanwhile} writes were acknowledged by a database that takes none")
        outcome.wrong += traffic.ended() + traffic.judged(outcome.seen)
    return [outcome]


_Answers = Counter[tuple[str, int, bool]]


def _words(answers: _Answers) -> dict[str, int]:
    return {
        f"{name} {status}{' Retry-After' if again else ''}": count for (name, status, again), count in answers.items()
    }


def _asked(shop: Shop, number: str) -> tuple[_Answers, _Answers, _Answers]:
    """What reads, writes and probes were answered, as (name, status, whether it says when to try again)."""
    reads, writes, probes = _Answers(), _Answers(), _Answers()
    ends = time.monotonic() + _SECONDS
    while time.monotonic() < ends:
        for path in READS:
            reads[path, *_ask(shop, "GET", f"/api/v2/{path.format(order=number)}")] += 1
        writes["cancel", *_ask(shop, "POST", f"/api/v2/order/{number}/cancel")] += 1
        for path in ("/healthz", "/readyz"):
            probes[path, *_ask(shop, "GET", path)] += 1
        time.sleep(0.5)
    return reads, writes, probes


def _ask(shop: Shop, method: str, path: str) -> tuple[int, bool]:
    connection = http.client.HTTPConnection(HERE, shop.ports[0], timeout=30)
    try:
        connection.request(method, path, b"" if method == "POST" else None, {"X-Service-API-Key": shop.key})
        answer = connection.getresponse()
        answer.read()
        return answer.status, answer.getheader("Retry-After") is not None
    finally:
        connection.close()


def _set(url: str, value: str, *, ending: bool = True) -> None:
    """Whether new sessions are read-only; `ending`: those that run are ended, and the next ones are."""
    with psycopg.connect(url, autocommit=True, options="-c default_transaction_read_only=off") as connection:
        connection.execute(f"ALTER DATABASE paymatch SET default_transaction_read_only = {value}".encode())
        if ending:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = 'paymatch' AND pid <> pg_backend_pid()"
            )
