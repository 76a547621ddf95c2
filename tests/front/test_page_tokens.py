"""The token of an order's page opens the page, and is in no log, table or file of a running service."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from urllib.parse import quote, urlencode

import psycopg
import pytest

from paymatch.clock import utc_now
from paymatch.domain.money import EUR
from paymatch.domain.refunds.refunds import SubmittedRefund
from paymatch.logs import BLOT
from paymatch.store.database import Database
from paymatch.usecases.customers import links
from paymatch.usecases.refunds import refunds
from paymatch.usecases.shops import shops
from tests.front.service import Reply, Service, service
from tests.keys import KEYRING
from tests.usecases.privacy.searching import places_with
from tests.waiting import wait_until

FORM = {"Content_Type": "application/x-www-form-urlencoded"}


@pytest.fixture
def running(migrated_url: str, tmp_path: Path) -> Iterator[Service]:
    with service(migrated_url, tmp_path, log_level="debug") as found:
        yield found


def opened_order(running: Service) -> tuple[str, str]:
    """(key, token) of a shop's order with an invoice and a refund that waits for bank details."""
    with closing(Database(running.url, size=1, keyring=KEYRING)) as database:
        created = shops.create(database, "Shop", utc_now(), ibans=["DE89370400440532013000"])
        order = {"number": "A-1", "type": "COD", "amount": 20, "date": "02-03-2026", "currency": "EUR",
                 "billing": {"firstName": "Erika", "lastName": "Muster", "countryCode": "DE"}}  # fmt: skip
        answer = running.ask("/api/v2/orders", created.api_key, "POST", json.dumps([order]).encode())
        assert answer.status in (200, 201, 202, 204), answer
        answer = running.ask("/api/v2/order/A-1/setpaid", created.api_key, "POST")
        assert answer.status in (200, 204), answer
        with database.of_shop(created.shop) as tx:
            later = utc_now().date() + timedelta(days=30)
            refunds.create(tx, "A-1", SubmittedRefund("R-1", 500, EUR, 2, later))
            link = links.hand_out(tx, "A-1", "https://pay.example.com")
    return created.api_key, link.rpartition("/")[2]


def tries(running: Service, token: str) -> list[tuple[str, Reply]]:
    """All that a browser, a scanner of mails and a stranger ask for: (what, answer)."""
    page, wrong = f"/p/{token}", f"/p/{token[:-4]}AAAA"
    asked = [
        ("GET", page, {}), ("GET", f"{page}?lang=de", {}), ("HEAD", page, {}), ("GET", f"{page}/wrong-person", {}),
        ("GET", f"{page}/invoice/nothing", {}), ("GET", f"{page}/image", {}), ("GET", f"{page}/../x", {}),
        ("GET", f"//p/{token}", {}), ("GET", f"/P/{token}", {}), ("GET", f"/p/{quote(token, safe='')}%2Fx", {}),
        ("GET", f"/static/customer.css?from={page}", {}), ("GET", f"/?next={page}", {}),
        ("GET", f"/login?next={page}", {}),
        ("GET", "/docs", {"Referer": f"https://pay.example.com{page}"}), ("GET", wrong, {}), ("PUT", page, {}),
        ("POST", f"{page}/paid", FORM), ("POST", f"{page}/account", FORM), ("POST", f"{page}/unknown", FORM),
        ("POST", f"{page}/paid?x", FORM | {"Sec_Fetch_Site": "cross-site"}),
        ("GET", f"{page}?x", {"X_Forwarded_Proto": "http"}), ("GET", f"/api/v2{page}", {}),
        ("GET", f"/api/v2/order{page}", {}),
    ]  # fmt: skip
    body = urlencode({"holder": "Erika Muster", "iban": "DE00", "refund": "x", "version": "0"}).encode()
    return [
        (f"{method} {path}", running.ask(path, "", method, body if method == "POST" else None, **headers))
        for method, path, headers in asked
    ]


def requests_noted(running: Service, path: str) -> list[str]:
    """The paths in the log of API requests, once that of `path` is there: they are written behind the answers."""
    with psycopg.connect(running.url, autocommit=True) as connection:

        def noted() -> list[str]:
            return [row[0] for row in connection.execute("SELECT path FROM api_requests")]

        return wait_until(lambda: noted() if path in noted() else [], noted)


def test_token_stands_in_no_log_and_no_table(running: Service, tmp_path: Path) -> None:
    key, token = opened_order(running)
    secret = token[24:]  # before that it names the shop
    answers = dict(tries(running, token))
    assert [answers[each].status for each in (f"GET /p/{token}", f"HEAD /p/{token}", f"POST /p/{token}/paid")] == [
        200, 200, 303,
    ]  # fmt: skip
    assert answers[f"POST /p/{token}/account"].status == 409
    assert answers[f"GET /p/{token[:-4]}AAAA"].status == 404
    with psycopg.connect(running.url, autocommit=True) as connection:
        connection.execute("ALTER TABLE invoices RENAME TO invoices_elsewhere")
    for path in (token, f"{token}/wrong-person", f"{token[:30]}%{ord(token[30]):02X}{token[31:]}"):
        assert running.ask(f"/p/{path}").status == 500
    running.ask("/api/v2/order/A-2", key)
    assert all(secret not in path for path in requests_noted(running, "order/A-2"))
    log = running.log.read_text("utf-8")
    assert log.count("page failed") == 3
    assert f"path=/p/{BLOT}/wrong-person" in log
    assert all(secret[start : start + 8] not in log for start in range(len(secret) - 8))
    assert places_with(running.url, secret, folder=tmp_path) == {"order_links.token"}
    assert places_with(running.url, secret, folder=tmp_path, opened=False) == set()
