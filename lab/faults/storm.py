"""A thousand connections that only hold on, and a thousand requests at once: what another shop notices of it."""

from __future__ import annotations

import resource
import select
import socket
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import psutil

from lab.failover.load import Receiver
from lab.failover.processes import wait_for
from lab.faults.installation import Installation
from lab.faults.outcome import Outcome
from lab.faults.victims import children, command
from lab.hostile_front import Attackers, attacked, measure, opening, prepare

IDLE: Final = 334
SLOW: Final = 333
HALF: Final = 333
AT_ONCE: Final = 1000
READ_MS: Final = 2000.0
HEALTH_MS: Final = 1000.0
"""The longest wait of any shop: far above the goals of a quiet machine (lab/results/performance.md)."""
MEMORY_MB: Final = 400.0
_SECONDS: Final = 15.0
_ANSWER_SECONDS: Final = 60.0


def play(folder: Path, port: int, seed: int) -> list[Outcome]:
    """Holds 1,000 connections open, and asks 1,000 times at once beside them."""
    outcome = Outcome(
        "connection storm",
        f"Another shop is served (p99 below {READ_MS:.0f} ms, /healthz below {HEALTH_MS:.0f} ms on a shared machine);"
        " who finds no place is told 503 with Retry-After; nothing is left of it afterwards.",
    )
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    with ExitStack() as stack:
        installation = Installation(folder, port)
        stack.callback(Receiver(installation.callback_port).shutdown)
        stack.enter_context(installation.running())
        listening = installation.ports[0]
        process = psutil.Process(_server_process(installation))
        reader, key = prepare(installation.url, listening)
        quiet = measure(listening, process.pid, reader, _SECONDS / 3)
        before = (process.num_fds(), process.memory_info().rss)
        asked = f"GET /api/v2/order/A-100001 HTTP/1.1\nHost: x\nX-Service-API-Key: {key}\nConnection: close\n\n"
        with attacked(_holding(listening)) as dropped:
            at_once = _answers(listening, asked)
            stormy = measure(listening, process.pid, reader, _SECONDS)
        wait_for("connections are given up", lambda: process.num_fds() <= before[0] + 10, 60)
        after = (process.num_fds(), process.memory_info().rss)
    middle, read, healthy, memory = stormy
    outcome.seen |= {
        "held": IDLE + SLOW + HALF, "dropped_and_replaced": dropped(), "asked_at_once": AT_ONCE,
        "answers": dict(at_once), "read_ms_median": round(middle, 1), "read_ms_p99": round(read, 1),
        "read_ms_p99_before": round(quiet[1], 1), "healthz_ms_p99": round(healthy, 1), "memory_mb": round(memory),
        "files_before_and_after": [before[0], after[0]],
        "mb_before_and_after": [before[1] >> 20, after[1] >> 20],
    }  # fmt: skip
    outcome.hold(read < READ_MS and healthy < HEALTH_MS, f"p99 of a read {read:.0f} ms, of /healthz {healthy:.0f} ms")
    outcome.hold(memory < MEMORY_MB, f"{memory:.0f} MB of memory")
    outcome.hold(set(at_once) <= {"200", "503 Retry-After"}, f"answers to {AT_ONCE} at once: {dict(at_once)}")
    outcome.hold(at_once.total() == AT_ONCE and at_once["200"] > 0, f"{AT_ONCE} asked, answered were {dict(at_once)}")
    return [outcome]


def _server_process(installation: Installation) -> int:
    """The process that answers: not the worker."""
    (found,) = [
        pid for pid in children(installation.servers[0].pid)
        if "worker" not in command(pid).split("\0") and "resource_tracker" not in command(pid)
    ]  # fmt: skip
    return found


def _holding(port: int) -> list[Attackers]:
    """Connections that say nothing, that never end their headers, and that never end their body."""
    headers = opening(port, "GET /api/v2/orders HTTP/1.1\nHost: x\nX-Slow: ")
    body = opening(port, "POST /api/v2/orders HTTP/1.1\nHost: x\nContent-Length: 1000000\n\n[")
    slow, half = Attackers(headers, SLOW, dribbles=True), Attackers(body, HALF, dribbles=True)
    return [Attackers(opening(port, ""), IDLE), slow, half]


def _answers(port: int, request: str) -> Counter[str]:
    """What AT_ONCE requests at the same time are answered: status, and whether it is said when to try again."""
    connections = [opening(port, "")() for _ in range(AT_ONCE)]
    for connection in connections:
        connection.send(request.replace("\n", "\r\n").encode())
    waiting = {connection.fileno(): (connection, b"") for connection in connections}
    poll, found, ends = select.poll(), Counter[str](), time.monotonic() + _ANSWER_SECONDS
    for number in waiting:
        poll.register(number, select.POLLIN)
    while waiting and time.monotonic() < ends:
        for number, _ in poll.poll(1000):
            connection, said = waiting[number]
            part = _received(connection)
            if part:
                waiting[number] = (connection, said + part)
                continue
            poll.unregister(number)
            del waiting[number]
            connection.close()
            found[_words(said)] += 1
    return found


def _received(connection: socket.socket) -> bytes:
    try:
        return connection.recv(65536)
    except OSError:
        return b""


def _words(said: bytes) -> str:
    """`503 Retry-After` of an answer; `nothing` without one."""
    if not said:
        return "nothing"
    head = said.partition(b"\r\n\r\n")[0].decode("latin-1").lower()
    return head.split()[1] + (" Retry-After" if "\r\nretry-after:" in head else "")
