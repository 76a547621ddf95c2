"""What the running service tells of itself and of where requests come from."""

from __future__ import annotations

import json
import os
import socket
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from random import Random
from uuid import uuid4

import pytest
from psutil import Process

from paymatch.client_disconnect import PATIENCE_SECONDS
from paymatch.embedded import running_server
from paymatch.store import migrate as migrations
from paymatch.store.migrate import migrate
from tests.embedded.processes import postmaster_pid
from tests.front.service import Service, is_healthy, service
from tests.hostile.sockets import request, statuses
from tests.length import times
from tests.waiting import wait_until

TOKEN = "a token of the operator"
TOGETHER = 20
"""Requests of the fuzzer that take less than two seconds of CPU together: to ask after each costs more than it does."""
SENT = int(os.environ.get("REQUESTS", times(600, 1000))) // 10
"""Requests of the fuzzer over sockets; `REQUESTS=100000` as in `make soak`."""


@pytest.fixture(scope="module")
def running(module_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with service(module_url, tmp_path_factory.mktemp("service"), metrics_token=TOKEN) as found:
        yield found


def test_serve_says_where_it_is_how_to_get_in_and_what_was_migrated(database_url: str, tmp_path: Path) -> None:
    last = migrations.files()[-1][0]
    for applied in (f"{len(migrations.files())} applied, the last is {last}", "none"):
        folder = tmp_path / applied[:4].strip()
        folder.mkdir()
        with service(database_url, folder) as started:
            lines = started.log.read_text("utf-8").splitlines()
            at = lines.index(f"Open http://127.0.0.1:{started.port} in a browser.")
            first = f"To make the first account, within the hour: http://127.0.0.1:{started.port}/login/first/"
            assert lines[at + 1].startswith(first)
            if applied == "none":  # there is a shop by now
                assert lines[at + 2] == "For a link to sign in: paymatch user create EMAIL --shop SHOP --role owner"
            told = [line for line in lines if "migration" in line]
            assert (len(told), applied in told[0]) == (1, True), told
            started.shop("Shop")


def test_plain_http_that_a_proxy_brought_is_refused(running: Service) -> None:
    key = running.shop("Shop")
    for headers in (
        {"X_Forwarded_Proto": "http"},
        {"X_Forwarded_Proto": "https, https"},
        {"X_Forwarded_For": "203.0.113.9", "X__Forwarded__Proto": "https"},  # X_Forwarded_Proto is another header
    ):
        reply = running.ask("/api/v2/orders", key, "GET", None, **headers)
        assert (reply.status, reply.body) == (400, b'{"error":"HTTPS must be used"}'), headers
        assert "strict-transport-security" not in reply.headers
        for path in ("/login", f"/shops/{uuid4()}/overview", "/p/x"):
            page = running.ask(path, "", "GET", None, **headers)
            assert (page.status, page.body) == (400, b"HTTPS must be used\n"), headers


def test_path_with_bytes_that_are_not_encoded_means_the_same(running: Service) -> None:
    key = running.shop("Shop")
    for path in ("/api/v2/order/Größe-1", "/api/v2/order/Gr%C3%B6%C3%9Fe-1", "/api/v2/order/Grö%C3%9Fe-1"):
        with running.send(f"GET {path} HTTP/1.0\nX-Service-API-Key: {key}\n\n") as connection:
            assert connection.makefile("rb").read().endswith('{"error":"Order \'Größe-1\' not found"}'.encode()), path


def test_no_bytes_make_the_server_fail(running: Service) -> None:
    random, said = Random(5), Counter[int]()
    cpu = Process(running.process.pid)
    began = 0.0
    for number in range(SENT):
        sent = request(random)
        if number % TOGETHER == 0:
            began = _cpu_seconds(cpu)
        for status in statuses(running.port, sent):
            said[status] += 1
            assert status < 500 or status == 501, (number, status, sent)
        if number % TOGETHER == TOGETHER - 1:
            assert _cpu_seconds(cpu) - began < 2, number
    assert {200, 400, 401} <= set(said)
    assert running.ask("/healthz").status == 200
    assert "Traceback" not in running.log.read_text("utf-8")


def _cpu_seconds(process: Process) -> float:
    """Of the server and its processes."""
    return sum(sum(each.cpu_times()[:2]) for each in (process, *process.children(recursive=True)))


def test_answers_over_https_ask_for_https_from_now_on(running: Service) -> None:
    key = running.shop("Shop")
    for path in ("/api/v2/orders", "/docs"):
        reply = running.ask(path, key, X_Forwarded_Proto="https")
        assert (reply.status, reply.headers["strict-transport-security"]) == (200, "max-age=31536000")


def test_log_line_names_the_client_and_the_key(running: Service) -> None:
    key = running.shop("Shop")
    reply = running.ask("/api/v2/orders", key, X_Forwarded_Proto="https", X_Forwarded_For="203.0.113.9")
    (line,) = [line for line in running.log.read_text("utf-8").splitlines() if reply.headers["x-request-id"] in line]
    assert " client=203.0.113.9 " in line
    assert " key=key_" in line
    assert key not in line


def test_metrics_with_the_token_only(running: Service) -> None:
    refused = running.ask("/metrics")
    assert (refused.status, refused.body) == (401, b"with the token only\nyour address: 127.0.0.1\n")
    assert running.ask("/metrics", X_Forwarded_For="127.0.0.1").status == 401
    assert running.ask("/metrics", X_Forwarded_For="127.0.0.1", Authorization=f"Bearer {TOKEN}").status == 200


@pytest.fixture(scope="module")
def with_its_database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Service, Process]]:
    """A service, and the first process of a PostgreSQL that nothing else uses."""
    with tempfile.TemporaryDirectory(prefix="paymatch-service-") as name:
        folder = Path(name)
        folder.chmod(0o711)
        with running_server(folder / "data", durable=False) as url:
            migrate(url)
            with service(url, tmp_path_factory.mktemp("own")) as found:
                yield found, Process(postmaster_pid(folder / "data"))


def test_ready_as_long_as_the_database_answers(with_its_database: tuple[Service, Process]) -> None:
    running, database = with_its_database
    assert running.ask("/readyz").body == b"ready\n"
    database.suspend()
    try:
        time.sleep(1)
        reply = running.ask("/readyz")
        assert (reply.status, reply.body) == (503, b"the database does not answer, or takes no changes\n")
        assert running.ask("/healthz").status == 200
    finally:
        database.resume()
    wait_until(lambda: running.ask("/readyz").status == 200)


def test_call_that_was_given_up_while_the_database_was_away_is_not_done_afterwards(
    with_its_database: tuple[Service, Process],
) -> None:
    running, database = with_its_database
    key = running.shop("Shop")
    assert running.ask("/api/v2/order/A-1", key, "POST", _order("A-1")).status == 200
    everything = [database, *database.children(recursive=True)]
    for each in everything:
        each.suspend()
    stays, leaves = (_begin_order(running, key, name) for name in ("A-2", "A-3"))
    time.sleep(PATIENCE_SECONDS + 0.5)
    there = leaves.getsockname()
    leaves.close()
    wait_until(lambda: there not in {each.raddr for each in _server_process(running).net_connections("tcp")})
    for each in everything:
        each.resume()
    with stays:
        assert stays.recv(64).startswith(b"HTTP/1.1 200 ")
    found = {name: running.ask(f"/api/v2/order/{name}", key).status for name in ("A-1", "A-2", "A-3")}
    assert found == {"A-1": 200, "A-2": 200, "A-3": 404}


def _server_process(running: Service) -> Process:
    (found,) = Process(running.process.pid).children()
    return found


def _order(number: str) -> bytes:
    return json.dumps({
        "number": number, "date": "16-11-2026", "type": "PREPAYMENT", "amount": 49.9, "currency": "EUR",
        "billing": {"firstName": "Erika", "lastName": "Mustermann", "countryCode": "DE"},
    }).encode()  # fmt: skip


def _begin_order(running: Service, key: str, number: str) -> socket.socket:
    """A connection on which an order is submitted, and no answer read."""
    body = _order(number).decode()
    headers = f"Host: x\nX-Service-API-Key: {key}\nContent-Type: application/json\nContent-Length: {len(body)}\n"
    return running.send(f"POST /api/v2/order/{number} HTTP/1.1\n{headers}\n{body}")


def test_a_server_process_is_started_again_however_often_it_dies(migrated_url: str, tmp_path: Path) -> None:
    with service(migrated_url, tmp_path) as running:
        died: set[int] = set()
        for _ in range(3):
            alive = wait_until(partial(_others, running, died), lambda: running.log.read_text("utf-8"))
            died |= {each.pid for each in alive}
            for each in alive:
                each.kill()
        wait_until(lambda: is_healthy(running), lambda: running.log.read_text("utf-8"))


def _others(running: Service, died: set[int]) -> list[Process]:
    """Server processes that have not died."""
    assert running.process.poll() is None, running.log.read_text("utf-8")
    return [each for each in Process(running.process.pid).children() if each.pid not in died]
