"""`paymatch demo` as a whole: what it promises on its screen, and what is left after it was killed."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from urllib.parse import urlsplit

import psycopg

from paymatch.store import shops as shop_store
from paymatch.store.database import Database
from paymatch.usecases.work.check import check_shop
from tests.keys import KEYRING


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _start(url: str, folder: Path, port: int, *more: str) -> subprocess.Popen[str]:
    environment = os.environ | {"PAYMATCH_DATABASE_URL": url, "PAYMATCH_DATA_DIR": str(folder), "PYTHONPATH": "src"}
    command = [sys.executable, "-m", "paymatch", "demo", "--port", str(port), *more]
    return subprocess.Popen(command, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def _violations(url: str) -> list[object]:
    database = Database(url, size=1, keyring=KEYRING)
    try:
        with database.transaction(None) as tx:
            shops = shop_store.every(tx)
        return [found for shop in shops for found in check_shop(database, shop)]
    finally:
        database.close()


def test_the_demo_shows_the_whole_job_and_ends(migrated_url: str, tmp_path: Path) -> None:
    out, err = _start(migrated_url, tmp_path, _free_port(), "--once").communicate(timeout=120)
    assert err == ""
    for words in (
        "Statements imported", "Matched: ", "Waiting for a decision: ", "No order found: 7 postings", "Orders: ",
        "camt.053, delivered twice", "it reverses the payment of", "webhook-signature: v1,",
        '"paymentStatus":"UNPAID"', '"paymentStatus":"PAID"', '"status":"NEW"', "Where to look next",
    ):  # fmt: skip
        assert words in out, words
    with psycopg.connect(migrated_url) as connection:
        counts = connection.execute(
            "SELECT (SELECT count(*) FROM orders), (SELECT count(*) FROM postings), (SELECT count(*) FROM imports),"
            " (SELECT count(*) FROM callbacks WHERE status <> 'DELIVERED'), (SELECT count(*) FROM refunds)"
        ).fetchone()
    assert counts == (201, 143, 4, 0, 1)
    received = re.search(r"receiver got: (\d+)", out)
    assert received is not None and int(received[1]) > 100
    assert _violations(migrated_url) == []


def test_the_link_signs_the_owner_in_to_this_demo_once(migrated_url: str, tmp_path: Path) -> None:
    port = _free_port()
    demo = _start(migrated_url, tmp_path, port)
    try:
        assert demo.stdout is not None
        link = next(line.strip() for line in demo.stdout if "/login/link/" in line)
        assert link.startswith(f"http://127.0.0.1:{port}/login/link/")
        first, second = (_get(port, urlsplit(link).path) for _ in range(2))
        assert (first.status, first.headers["Location"], second.status) == (302, "/", 410)
        cookies = "; ".join(each.partition(";")[0] for each in first.headers.get_all("Set-Cookie") or ())
        home = _get(port, "/", cookies)
        assert re.fullmatch(r"/shops/[0-9a-f-]{36}/overview", home.headers["Location"])
    finally:
        demo.send_signal(signal.SIGTERM)
        demo.communicate(timeout=60)


def _get(port: int, path: str, cookie: str = "") -> HTTPResponse:
    connection = HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", path, headers={"Cookie": cookie} if cookie else {})
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer


def test_a_demo_that_was_killed_leaves_right_books_and_a_second_one_works(migrated_url: str, tmp_path: Path) -> None:
    port = _free_port()
    killed = _start(migrated_url, tmp_path, port, "--once")
    with psycopg.connect(migrated_url, autocommit=True) as connection:
        while connection.execute("SELECT EXISTS (SELECT FROM orders)").fetchone() != (True,):
            assert killed.poll() is None
            time.sleep(0.01)
    killed.send_signal(signal.SIGKILL)
    killed.communicate(timeout=60)
    assert _violations(migrated_url) == []
    again = _start(migrated_url, tmp_path, port, "--once")
    out, err = again.communicate(timeout=120)
    assert (again.returncode, err) == (0, "")
    assert "Where to look next" in out
    assert _violations(migrated_url) == []


def test_a_port_in_use_is_one_clear_line(migrated_url: str, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        process = _start(migrated_url, tmp_path, port, "--once")
        out, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert (
        err == f"Error: Cannot listen on 127.0.0.1 port {port}: Address already in use. Try another one with --port\n"
    )
    assert out == ""
