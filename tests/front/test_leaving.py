"""A stopping service breaks no request, neither present ones nor those about to arrive."""

from __future__ import annotations

import http.client
import itertools
import signal
import socket
from contextlib import ExitStack, closing
from pathlib import Path

import psycopg
import pytest

from paymatch.front import web_server
from tests.front.service import SECONDS, Service, service

CONNECTIONS = 5


def _kept(running: Service) -> http.client.HTTPConnection:
    """A connection that is open, and has not been used yet."""
    connection = http.client.HTTPConnection("127.0.0.1", running.port, timeout=SECONDS)
    connection.connect()
    return connection


def _ask(connection: http.client.HTTPConnection, key: str) -> None:
    connection.request("GET", "/api/v2/orders", headers={"X-Service-API-Key": key})


def _read(connection: http.client.HTTPConnection) -> tuple[int, str | None]:
    """(status, the header Connection) of the answer to what was asked."""
    answer = connection.getresponse()
    answer.read()
    return answer.status, answer.getheader("Connection")


def _answer(connection: http.client.HTTPConnection, key: str) -> tuple[int, str | None]:
    """(status, the header Connection) of one more request."""
    _ask(connection, key)
    return _read(connection)


def _told_to_stop(running: Service, heard: http.client.HTTPConnection, key: str) -> int:
    """Tells the service to stop and waits until it has heard it; how many requests that took on the connection."""
    running.process.send_signal(signal.SIGTERM)
    for made in itertools.count(1):
        status, said = _answer(heard, key)
        assert status == 200
        if said == "close":
            return made
    raise AssertionError


def test_who_is_connected_gets_one_more_answer_which_is_logged_and_said_to_be_the_last(
    migrated_url: str, tmp_path: Path
) -> None:
    with service(migrated_url, tmp_path) as running, ExitStack() as open_ones:
        key = running.shop("Shop")
        fresh = [open_ones.enter_context(closing(_kept(running))) for _ in range(CONNECTIONS)]
        used = [open_ones.enter_context(closing(_kept(running))) for _ in range(CONNECTIONS)]
        assert [_answer(each, key) for each in used] == [(200, None)] * CONNECTIONS
        made = CONNECTIONS + _told_to_stop(running, used.pop(), key)
        for each in [*fresh, *used]:  # all of them at once: the service waits a second for what they ask
            _ask(each, key)
        assert [_read(each) for each in [*fresh, *used]] == [(200, "close")] * (2 * CONNECTIONS - 1)
        assert running.process.wait(SECONDS) == 0
    with psycopg.connect(migrated_url) as connection:
        assert connection.execute("SELECT count(*) FROM api_requests").fetchone() == (made + 2 * CONNECTIONS - 1,)


def test_nobody_new_is_let_in_while_the_others_are_answered(migrated_url: str, tmp_path: Path) -> None:
    with (
        service(migrated_url, tmp_path) as running,
        closing(_kept(running)),  # holds the service for a second
        closing(_kept(running)) as asking,
    ):
        _told_to_stop(running, asking, running.shop("Shop"))
        with pytest.raises((TimeoutError, ConnectionRefusedError)):
            socket.create_connection(("127.0.0.1", running.port), timeout=0.3)
        assert running.process.wait(SECONDS) == 0


class _Ended:
    """A server process that has ended, and is called alive until the thread that waits for it has said so."""

    def __init__(self) -> None:
        self.did: list[str] = []

    def is_alive(self) -> bool:
        self.did.append("asked")
        return len(self.did) < 5

    def terminate(self) -> None:
        self.did.append("told")

    def kill(self) -> None:
        self.did.append("killed")

    def join(self) -> None:
        self.did.append("joined")


def test_process_that_has_ended_is_not_killed_because_that_is_not_known_yet() -> None:
    server = web_server("127.0.0.1", 0, 1, None, None)
    ended = _Ended()
    server.wrks = [ended]
    server.leaving.watch(0)  # its part is done at once: nothing listens on that port
    server._stop_workers()
    assert ended.did == ["told", "asked", "asked", "asked", "asked", "asked", "joined"]
