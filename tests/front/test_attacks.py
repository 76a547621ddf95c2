"""Strangers and one shop do what they can to hold the service; all others are still answered.

Each test fails on a server whose threads read the bodies and write the answers.
"""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import psycopg
import pytest

from paymatch.clock import utc_now
from paymatch.domain.shops import api_keys
from paymatch.front.connections import HEADERS_SECONDS
from paymatch.front.server import DRAIN_STRANGER
from paymatch.front.shares import PLACES
from tests.contract.client import order, wire
from tests.front.service import SECONDS, Service, service
from tests.waiting import wait_until

ATTACKERS = 8
"""Twice as many as there are threads."""

COPY = """INSERT INTO orders (shop_id, number, doc, type, order_date, due_date, currency, digits, amount_minor, status,
                             reference, created_at, updated_at)
SELECT shop_id, number || '-' || i, replace(doc, number, number || '-' || i), type, order_date, due_date, currency,
       digits, amount_minor, status, reference || i, created_at, updated_at
FROM orders, generate_series(1, %s) i WHERE shop_id = %s"""


@pytest.fixture(scope="module")
def running(module_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with service(module_url, tmp_path_factory.mktemp("service")) as found:
        yield found


@pytest.fixture
def attackers() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def neighbour(running: Service) -> str:
    """The key of a shop with one order, which was seen before the attack began."""
    key = running.shop("Neighbour")
    today = f"{utc_now():%d-%m-%Y}"
    assert running.ask("/api/v2/order/N-1", key, "POST", wire(order("N-1", date=today))).status == 200
    return key


def is_answered(running: Service, key: str) -> None:
    """The neighbour, a shop that was never seen, health and readiness all get their answers."""
    assert running.ask("/api/v2/order/N-1", key).status == 200
    assert running.ask("/api/v2/orders", running.shop("New")).body == b"[]"
    assert running.ask("/healthz").body == b"ok\n"
    assert running.ask("/readyz").body == b"ready\n"


def test_slow_senders_without_a_key(running: Service, attackers: ExitStack, neighbour: str) -> None:
    for _ in range(ATTACKERS):
        attackers.enter_context(running.upload("", 1000))
    is_answered(running, neighbour)


def test_slow_senders_with_a_key_of_their_own(running: Service, attackers: ExitStack, neighbour: str) -> None:
    key = running.shop("Attacker")
    for _ in range(ATTACKERS):
        attackers.enter_context(running.upload(key, 1000))
    is_answered(running, neighbour)


def test_slow_readers_of_long_lists(running: Service, attackers: ExitStack, neighbour: str) -> None:
    key = running.shop("Attacker")
    _fill(running, key, 15_000)
    for _ in range(ATTACKERS):
        request = f"GET /api/v2/orders HTTP/1.1\nHost: x\nX-Service-API-Key: {key}\n\n"
        connection = attackers.enter_context(running.send(request, small=True))
        assert connection.recv(15) == b"HTTP/1.1 200 OK"
    is_answered(running, neighbour)


def test_connections_that_send_nothing(running: Service, attackers: ExitStack, neighbour: str) -> None:
    for _ in range(200):
        attackers.enter_context(running.connect())
    is_answered(running, neighbour)


def test_shop_whose_places_are_taken_is_told_to_come_again(
    running: Service, attackers: ExitStack, neighbour: str
) -> None:
    key = running.shop("Attacker")
    assert running.ask("/api/v2/orders", key).status == 200
    for _ in range(PLACES):
        attackers.enter_context(running.upload(key, 1000))
    reply = running.ask("/api/v2/orders", key)
    while reply.status == 200:  # the request came before the last of them
        attackers.enter_context(running.upload(key, 1000))
        reply = running.ask("/api/v2/orders", key)
    assert reply.status == 503
    assert (reply.headers["retry-after"], reply.headers["content-type"]) == ("1", "application/json")
    assert json.loads(reply.body) == {"error": "Too many requests at once, try again in a moment"}
    is_answered(running, neighbour)
    attackers.close()
    wait_until(lambda: running.ask("/api/v2/orders", key).status == 200)


def test_key_is_proven_before_the_body_is_taken(running: Service) -> None:
    known = running.shop("Known")
    shop = api_keys.shop_of(known)
    assert shop is not None
    for key in ("", "x", api_keys.api_key(shop, live=True, secret=b"invented" * 4)):
        with running.upload(key, 5_000_000) as connection:
            assert connection.recv(12) == b"HTTP/1.1 401"


def test_body_of_a_stranger_is_not_drained(running: Service) -> None:
    with running.upload("", 64_000_000) as connection:
        assert connection.recv(12) == b"HTTP/1.1 401"
        with pytest.raises(ConnectionError):
            for _ in range(1000):
                connection.sendall(b" " * 64_000)
    with running.upload("", 20_000) as connection:  # little is: who sends first and reads then gets his answer
        assert DRAIN_STRANGER > 20_000
        connection.sendall(b" " * 19_999)
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        assert _statuses(connection, 2) == ["401", "200"]


def test_headers_that_never_end_are_not_waited_for(running: Service) -> None:
    began = time.monotonic()
    with running.send("GET /healthz HTTP/1.1\nHost: x\nX-Slow: ") as connection:
        connection.settimeout(1.0)
        while time.monotonic() - began < HEADERS_SECONDS + SECONDS:
            try:
                connection.sendall(b"a")
                if connection.recv(1) == b"":
                    break
            except TimeoutError:
                continue
            except ConnectionError:
                break
        else:
            raise AssertionError("the connection is still open")
    assert time.monotonic() - began > HEADERS_SECONDS - 2


def test_address_has_so_many_connections(module_url: str, tmp_path: Path, attackers: ExitStack) -> None:
    settings = {"connections_per_address": "8", "trusted_proxies": "192.0.2.1"}
    with service(module_url, tmp_path, **settings) as running:
        connections = [attackers.enter_context(running.connect()) for _ in range(30)]
        wait_until(lambda: sum(not _is_closed(connection) for connection in connections) <= 8)
        assert running.ask("/healthz").status == 200
        attackers.close()


def test_what_is_being_sent_when_the_service_ends_is_answered(module_url: str, tmp_path: Path) -> None:
    with service(module_url, tmp_path) as running:
        key = running.shop("Late")
        body = wire([order("L-1", date=f"{utc_now():%d-%m-%Y}")])
        with running.upload(key, len(body)) as connection:
            time.sleep(1)
            running.process.terminate()
            time.sleep(1)
            connection.sendall(body[1:])
            assert _statuses(connection, 1) == ["200"]
        assert running.process.wait(SECONDS) == 0


def _fill(running: Service, key: str, count: int) -> None:
    shop = api_keys.shop_of(key)
    today = f"{utc_now():%d-%m-%Y}"
    assert running.ask("/api/v2/order/F", key, "POST", wire(order("F", date=today))).status == 200
    with psycopg.connect(running.url, autocommit=True) as connection:
        connection.execute(COPY, (count, shop))


def _statuses(connection: socket.socket, count: int) -> list[str]:
    """The statuses of the next answers on a connection."""
    received = b""
    while received.count(b"HTTP/1.1 ") < count:
        part = connection.recv(65536)
        assert part, received
        received += part
    return [part[:3].decode() for part in received.split(b"HTTP/1.1 ")[1:]]


def _is_closed(connection: socket.socket) -> bool:
    connection.setblocking(False)
    try:
        return connection.recv(1) == b""
    except BlockingIOError:
        return False
    except ConnectionError:
        return True
