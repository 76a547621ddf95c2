"""A developer's first hour in a real browser: a key, a first call, a test event, a payment in the sandbox, PAID."""

from __future__ import annotations

import io
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import pytest

from paymatch.api import Api, ApiConfig
from paymatch.area.application import Area
from paymatch.area.people.roles import Role
from paymatch.area.service import Service
from paymatch.domain.shops.shop import Shop
from paymatch.store.database import ShopId
from paymatch.usecases import shops
from tests.area.conftest import Person
from tests.contract.client import Clock

CHROMIUM = Path("/usr/bin/chromium")

pytestmark = [pytest.mark.browser, pytest.mark.skipif(not CHROMIUM.exists(), reason="no Chromium here")]


class _Threads(ThreadingMixIn, WSGIServer):
    """A thread for each connection: the browser opens some before it needs them."""

    daemon_threads = True


class _Quiet(WSGIRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is printed."""


@pytest.fixture
def address(service: Service, area_clock: Clock) -> Iterator[str]:
    """The area and the API on a port of this machine."""
    area: Any = Area(service).load()
    api = Api(service.database, service.files, ApiConfig(("x-service-api-key",), area_clock, 1000))

    def both(environ: dict[str, Any], start_response: Any) -> Any:
        from django.db import connections

        if environ["PATH_INFO"].startswith("/api/"):
            sent = environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"] or 0))  # the stream has no end of its own
            return api(environ | {"wsgi.input": io.BytesIO(sent)}, start_response)
        with closing(area(environ, start_response)) as answer:
            parts = list(answer)
        connections.close_all()  # those of this thread
        return parts

    server = make_server("127.0.0.1", 0, both, server_class=_Threads, handler_class=_Quiet)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def developer(service: Service, new_shop: Callable[..., Shop], sign_in: Callable[..., Person]) -> Person:
    """Made before the browser starts, in whose loop Django refuses to work."""
    shop = new_shop(sandbox=True)
    with service.database.transaction(ShopId(shop.id)) as tx:
        shops.change(tx, shop, {"callbacks": "on", "callback-url": "https://shop.example/paymatch"})
    return sign_in(Role.DEVELOPER, shop, proven=True)


@pytest.fixture
def page(developer: Person, address: str) -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox", "--disable-gpu"])
        context = browser.new_context(base_url=f"{address}/shops/{developer.shop.id}/")
        cookie = developer.client.cookies["paymatch_session"].value
        context.add_cookies([{"name": "paymatch_session", "value": cookie, "url": address}])
        yield context.new_page()
        browser.close()


def test_key_test_event_and_sandbox_payment_to_paid(page: Any) -> None:
    page.goto("developers/keys/new")
    page.get_by_role("button", name="Make the key").click()
    key = page.locator("pre.wire").inner_text().strip()
    assert key.startswith("pm_test_")

    page.goto("developers/try")
    page.get_by_label("Test key").fill(key)
    page.get_by_role("button", name="Send").click()
    page.locator("#try-status", has_text="200").wait_for()
    assert '"paymentStatus": "UNPAID"' in page.locator("#try-answer").inner_text()
    page.locator("#try-call option", has_text="GET /orders").first.wait_for(state="attached")
    page.get_by_label("Call", exact=True).select_option("GET /order/{orderNumber}")
    assert "/api/v2/order/A-1001'" in page.locator("#try-curl").inner_text()

    page.goto("callbacks")
    page.get_by_role("button", name="Send test event").click()
    page.get_by_role("cell", name="Test event").wait_for()

    page.goto("developers/sandbox")
    page.get_by_label("Number of the order").fill("A-1001")
    page.get_by_role("button", name="Pay", exact=True).click()
    page.get_by_text("The bank delivers its statement").wait_for()
    page.get_by_role("button", name="Move the clock").click()
    page.get_by_text("1 bank files, 1 postings").wait_for()
    page.goto("developers/try")
    page.get_by_label("Test key").fill(key)
    page.get_by_label("Method").select_option("GET")
    page.get_by_role("button", name="Send").click()
    page.locator("#try-status", has_text="200").wait_for()
    assert '"paymentStatus": "PAID"' in page.locator("#try-answer").inner_text()
