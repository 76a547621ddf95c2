"""`paymatch demo` as a whole: what it promises on its screen, and what is left after it was killed."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest

from paymatch.store.database import Database
from paymatch.store.shops import shops as shop_store
from paymatch.usecases.work.check import check_shop
from tests.keys import KEYRING
from tests.waiting import PATIENCE_SECONDS, free_port


def _start(url: str, folder: Path, port: int, *more: str) -> subprocess.Popen[str]:
    environment = os.environ | {"PAYMATCH_DATABASE_URL": url, "PAYMATCH_DATA_DIR": str(folder), "PYTHONPATH": "src"}
    command = [sys.executable, "-m", "paymatch", "demo", "--port", str(port), *more]
    return subprocess.Popen(command, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def _violations(url: str) -> list[object]:
    database = Database(url, size=1, keyring=KEYRING)
    try:
        with database.of_all_shops() as tx:
            shops = shop_store.every(tx)
        return [found for shop in shops for found in check_shop(database, shop)]
    finally:
        database.close()


@pytest.mark.long
def test_a_demo_that_was_killed_leaves_right_books_and_the_next_one_shows_the_whole_job(
    migrated_url: str, tmp_path: Path
) -> None:
    port = free_port()
    killed = _start(migrated_url, tmp_path, port, "--once")
    with psycopg.connect(migrated_url, autocommit=True) as connection:
        while connection.execute("SELECT EXISTS (SELECT FROM orders)").fetchone() != (True,):
            assert killed.poll() is None
            time.sleep(0.01)
    killed.send_signal(signal.SIGKILL)
    killed.communicate(timeout=PATIENCE_SECONDS)
    assert _violations(migrated_url) == []

    demo = _start(migrated_url, tmp_path, port)
    try:
        shown, link = _read_until_link(demo)
        assert link.startswith(f"http://127.0.0.1:{port}/login/link/")
        path = urlsplit(link).path
        asked = [_get(port, path) for _ in range(2)]
        assert [each.status for each in asked] == [200, 200]
        first, second = (_post(port, path, *_form(asked[1])) for _ in range(2))
        assert (first.status, first.headers["Location"], second.status) == (302, "/", 410)
        assert _get(port, path).status == 410
        cookies = "; ".join(each.partition(";")[0] for each in first.headers.get_all("Set-Cookie") or ())
        home = _get(port, "/", cookies)
        assert home.headers["Location"] == f"/shops/{_shop_of(migrated_url, 'WT-99001')}/overview"
    finally:
        demo.send_signal(signal.SIGTERM)
        _, err = demo.communicate(timeout=PATIENCE_SECONDS)
    assert err.splitlines()[0] == f"Open http://127.0.0.1:{port} in a browser."
    assert len(err.splitlines()) == 1, err
    for words in (
        "Postings by month", "Matched: ", "Waiting for a decision: ", "No order found: ", "Refunds: ",
        "webhook-signature: v1,", '"paymentStatus":"UNPAID"', '"paymentStatus":"PAID"', '"status":"NEW"',
    ):  # fmt: skip
        assert words in shown, words
    assert _shows_of_each_kind(migrated_url) == []
    assert _violations(migrated_url) == []


def _read_until_link(demo: subprocess.Popen[str]) -> tuple[str, str]:
    """(what the demo has printed by then, the link that signs in)."""
    assert demo.stdout is not None
    shown = ""
    for line in demo.stdout:
        shown += line
        if "/login/link/" in line:
            return shown, line.strip()
    raise AssertionError(shown)


_OF_EACH_KIND = {
    ("orders", "status"): {
        "UNPAID", "PAID", "PAID_PARTIAL", "REFUNDED", "REFUNDED_PARTIAL", "CANCELLED", "DISAPPEARED", "LEGACY",
    },
    ("orders", "type"): {"PREPAYMENT", "INVOICE", "COD"},
    ("orders", "currency"): {"EUR", "CHF"},
    ("refunds", "status"): {
        "NEW", "BANKDETAILS_MISSING", "IN_PROCESS", "PROCESSED", "RETURNED", "ERROR", "CANCELLED",
    },
    ("postings", "status"): {"matched", "suggested", "unmatched", "ignored"},
    ("callbacks", "status"): {"DELIVERED", "PENDING", "GIVEN_UP"},
    ("mails", "dunning_level"): {"0", "1", "2", "3"},
    ("payouts", "reason"): {"id", "amount"},
    ("provider_accounts", "provider"): {"stripe", "amazon"},
    ("advices", "channel"): {"area"},
    ("alerts", "kind"): {"statement-gap", "callbacks-given-up", "callbacks-failing", "orders-vanished"},
}  # fmt: skip
"""What a page of the merchant area shows, and the demo's shop has."""


def _shows_of_each_kind(url: str) -> list[tuple[str, str, str]]:
    """What is missing in the latest shop; every kind must be there, for any weekday on which the demo began."""
    missing = []
    shop = (_shop_of(url, "WT-99001"),)
    with psycopg.connect(url) as connection:
        for (table, column), wanted in _OF_EACH_KIND.items():
            rows = connection.execute(f"SELECT DISTINCT {column}::text FROM {table} WHERE shop_id = %s", shop)
            missing += [(table, column, each) for each in sorted(wanted - {row[0] for row in rows})]
    return missing


def _shop_of(url: str, order: str) -> str:
    """The id of the one shop that has the order."""
    with psycopg.connect(url) as connection:
        ((shop,),) = connection.execute("SELECT shop_id::text FROM orders WHERE number = %s", (order,)).fetchall()
    return str(shop)


def _get(port: int, path: str, cookie: str = "") -> HTTPResponse:
    return _call(port, "GET", path, cookie)


def _form(page: HTTPResponse) -> tuple[str, str]:
    """(the cookie of a page with a form, the form's token against forgery)."""
    cookie = page.headers["Set-Cookie"].partition(";")[0]
    return cookie, cookie.partition("=")[2]


def _post(port: int, path: str, cookie: str, token: str) -> HTTPResponse:
    return _call(port, "POST", path, cookie, f"csrfmiddlewaretoken={token}")


def _call(port: int, method: str, path: str, cookie: str, form: str = "") -> HTTPResponse:
    connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS)
    headers = {"Cookie": cookie, "Content-Type": "application/x-www-form-urlencoded"}
    connection.request(method, path, body=form or None, headers=headers if cookie else {})
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer


def test_a_port_in_use_is_one_clear_line(migrated_url: str, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        process = _start(migrated_url, tmp_path, port, "--once")
        out, err = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 1
    told = f"Error: Cannot listen on 127.0.0.1 port {port}: another program listens there already."
    assert err == f"{told} Try another one with --port\n"
    assert out == ""
