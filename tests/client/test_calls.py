"""Errors, retries, paging and awkward values: what every operation of the client has in common."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

import httpx
import pytest

from paymatch_client import (
    AnswerUnreadable,
    ApiError,
    AsyncClient,
    Client,
    NotAuthorized,
    NotFound,
    Refused,
    Retries,
    Unavailable,
)
from paymatch_client.models import Order, PaymentStatus, PostingsReport, ReportName, SandboxJourney
from tests.client.story import order, refund
from tests.client.world import World
from tests.contract.bank import book, entry
from tests.contract.client import order as plain_order
from tests.fakes.receivers import Receiver, Script, plain, receiver
from tests.waiting import PATIENCE_SECONDS

STILL = Retries(first_seconds=0.0)
BUSY = plain(503, b'{"error":"Too many requests at once"}', "Content-Type: application/json\r\nRetry-After: 0\r\n")
NUMBERS = ("A/1", "a b", "Ä&?#%2F", "..", ".", "+1", "x" * 255)


def test_an_unknown_order_is_not_found(world: World) -> None:
    with world.client() as client, pytest.raises(NotFound) as caught:
        client.orders.read_order("none")
    assert (caught.value.status, caught.value.error) == (404, "Order 'none' not found")
    assert caught.value.request_id


def test_a_refusal_says_what_would_be_taken(world: World) -> None:
    with world.client() as client:
        with pytest.raises(Refused) as caught:
            client.orders.list_orders(payment_status=[PaymentStatus.PAID, PaymentStatus("NICE")])
        error = caught.value
        assert (error.status, error.error) == (400, "Parameter paymentStatus is not valid")
        assert (error.parameter, error.allowed) == ("paymentStatus", sorted(PaymentStatus))
        with pytest.raises(Refused) as caught:
            client.events.list_events(limit=1001)
        assert caught.value.expected == "a whole number from 0 to 1000"
        orders = [order("E-1"), order("E-2", "1.005")]
        with pytest.raises(Refused) as caught:
            client.orders.submit_orders(orders)
        assert (caught.value.order_number, caught.value.index, caught.value.parameter) == ("E-2", 1, "amount")
        with pytest.raises(NotFound):
            client.orders.read_order("E-1")


def test_a_key_without_the_right_is_not_authorized(world: World) -> None:
    with Client(world.address, "pm_live_none") as client, pytest.raises(NotAuthorized) as caught:
        client.orders.list_orders()
    assert (caught.value.status, caught.value.error) == (401, "Invalid authentication header")
    with world.client() as client, pytest.raises(NotAuthorized, match="lacks the scope collection"):
        client.collection.take_reports([])


def test_errors_are_the_same_for_asyncio(world: World) -> None:
    async def ask() -> None:
        async with world.async_client() as client:
            with pytest.raises(NotFound, match="404: Order 'none' not found"):
                await client.orders.read_order("none")
            with pytest.raises(Refused, match="Only sandbox shops"):
                await client.sandbox.move_clock(SandboxJourney(advance="1d"))

    asyncio.run(ask())


@pytest.mark.parametrize("number", NUMBERS)
def test_any_order_number_comes_through(world: World, number: str) -> None:
    with world.client() as client:
        assert client.orders.submit_order(number, order(number)).number == number
        assert client.orders.read_order(number).number == number
        assert client.orders.cancel_order(number).payment_status is PaymentStatus.CANCELLED


def test_an_answered_order_may_be_submitted_again(world: World) -> None:
    with world.client() as client:
        sent = order("B-1")
        sent.due_date, sent.items, sent.exchange_rate = date(2026, 4, 1), [], Decimal("1.0750")
        first = client.orders.submit_order("B-1", sent)
        assert (first.due_date, first.exchange_rate) == (date(2026, 4, 1), Decimal("1.0750"))
        sent.billing = first.billing
        assert client.orders.submit_order("B-1", sent) == first


@pytest.mark.parametrize("size", [1, 2, 3, 5, 6, 100])
def test_pages_are_asked_for_until_the_last(world: World, size: int) -> None:
    numbers = [f"P-{place}" for place in range(6)]
    asked: list[str] = []
    http = httpx.Client(event_hooks={"request": [lambda request: asked.append(str(request.url))]})
    with world.client() as client:
        client.orders.submit_orders([order(number) for number in numbers])
        for number in numbers:
            client.orders.set_paid(number)
    counted = Client(world.address, world.shop.key, http=http)
    assert [each.number for each in counted.orders.iterate_orders(page_size=size)] == numbers
    assert len(asked) == len(numbers) // size + 1
    assert [each.id for each in counted.events.iterate_events(page_size=size)] == [1, 2, 3, 4, 5, 6]
    assert [each.id for each in counted.events.iterate_events(after=4, page_size=size)] == [5, 6]
    callbacks = [each.order_number for each in counted.events.iterate_callbacks(page_size=size)]
    assert sorted(each for each in callbacks if each) == numbers
    assert len(callbacks) == 6
    http.close()


def test_pages_of_postings_refunds_and_reports(world: World) -> None:
    with world.client() as client:
        client.orders.submit_orders([order("Q-1"), order("Q-2")])
        book(world.shop, entry("Bestellung Q-1", 1990), entry("Bestellung Q-2", 1990), entry("Miete", 500))
        postings = list(client.postings.iterate_postings(page_size=2))
        assert sorted(each.amount for each in postings) == [Decimal("5.00"), Decimal("19.90"), Decimal("19.90")]
        for number in range(3):
            client.refunds.create_refund("Q-1", replace_reference(number))
        found = [each.external_reference for each in client.refunds.iterate_refunds(page_size=2)]
        assert found == ["R-0", "R-1", "R-2"]
        pages = list(client.reports.iterate_report_pages(ReportName.POSTINGS, to=date(2026, 3, 2), page_size=2))
        assert [len(page.rows) for page in pages if isinstance(page, PostingsReport)] == [2, 1]
        [only] = client.reports.iterate_report_pages(ReportName.AGEING)
        assert only.rows


def replace_reference(number: int) -> Any:
    """A refund under a reference of its own."""
    made = refund(f"R-{number}")
    made.amount = Decimal("1.00")
    return made


def test_pages_for_asyncio(world: World) -> None:
    async def ask() -> list[str]:
        async with world.async_client() as client:
            await client.orders.submit_orders([order("Z-1"), order("Z-2"), order("Z-3")])
            return [each.number async for each in client.orders.iterate_orders(page_size=2)]

    assert asyncio.run(ask()) == ["Z-1", "Z-2", "Z-3"]


def scripted(*answers: bytes) -> Script:
    """Sends the answers one after the other, the last one again and again, each on a connection that ends with it."""
    left = [answer.replace(b"\r\n", b"\r\nConnection: close\r\n", 1) for answer in answers]

    def script(connection: socket.socket, _request: bytes) -> bool:
        connection.sendall(left.pop(0) if len(left) > 1 else left[0])
        return False

    return script


def address_of(running: Receiver) -> str:
    return f"http://127.0.0.1:{running.port}"


def blocking(address: str, retries: Retries, call: Callable[[Any], Any]) -> Any:
    with Client(address, "key", retries=retries, timeout=PATIENCE_SECONDS) as client:
        return call(client)


def waiting(address: str, retries: Retries, call: Callable[[Any], Any]) -> Any:
    async def ask() -> Any:
        async with AsyncClient(address, "key", retries=retries, timeout=PATIENCE_SECONDS) as client:
            return await call(client)

    return asyncio.run(ask())


BOTH = pytest.mark.parametrize("ask", [blocking, waiting])
Ask = Callable[[str, Retries, Callable[[Any], Any]], Any]


@BOTH
def test_a_call_that_may_be_repeated_is_tried_again(ask: Ask) -> None:
    answers = (BUSY, plain(429, b"{}"), plain(502, b"<html>"), plain(200, b"[]"))
    with receiver(scripted(*answers)) as service:
        assert ask(address_of(service), STILL, lambda client: client.orders.list_orders()) == []
        assert len(service.requests) == 4
    with receiver(scripted(BUSY)) as service:
        with pytest.raises(Unavailable) as caught:
            ask(address_of(service), STILL, lambda client: client.orders.submit_orders([order("1")]))
        assert (caught.value.status, caught.value.error) == (503, "Too many requests at once")
        assert (caught.value.retry_after, len(service.requests)) == (0.0, 4)


@BOTH
def test_a_lock_is_waited_for(ask: Ask) -> None:
    locked = plain(400, b'{"error":"Could not acquire lock"}')
    with receiver(scripted(locked, plain(200, b"0"))) as service:
        assert ask(address_of(service), STILL, lambda client: client.orders.sync_orders([])) == 0
        assert len(service.requests) == 2


@BOTH
def test_what_must_not_happen_twice_is_sent_once(ask: Ask) -> None:
    for answer in (BUSY, b""):
        with receiver(scripted(answer)) as service:
            with pytest.raises(Unavailable) as caught:
                ask(address_of(service), STILL, lambda client: client.refunds.create_refund("1", refund("R")))
            assert (len(service.requests), caught.value.status) == (1, 503 if answer else 0)


@BOTH
def test_a_refusal_is_final(ask: Ask) -> None:
    with receiver(scripted(plain(400, b'{"error":"Missing body"}'))) as service:
        with pytest.raises(Refused, match="400: Missing body"):
            ask(address_of(service), STILL, lambda client: client.orders.submit_orders([]))
        assert len(service.requests) == 1


@BOTH
def test_the_service_says_how_long_to_wait(ask: Ask) -> None:
    later = plain(503, b"{}", "Retry-After: 1\r\n")
    with receiver(scripted(later, plain(200, b"[]"))) as service:
        begun = time.monotonic()
        assert ask(address_of(service), STILL, lambda client: client.refunds.list_refunds()) == []
        assert time.monotonic() - begun >= 1
    dated = "Date: Mon, 02 Mar 2026 09:30:00 GMT\r\nRetry-After: Mon, 02 Mar 2026 09:32:00 GMT\r\n"
    with receiver(scripted(plain(503, b"{}", dated))) as service:
        with pytest.raises(Unavailable) as caught:
            ask(address_of(service), STILL, lambda client: client.refunds.list_refunds())
        assert (caught.value.retry_after, len(service.requests)) == (120.0, 1)  # longer than it would wait


def test_pauses_double_and_end() -> None:
    retries = Retries(times=4, first_seconds=1.0, longest_seconds=6.0)
    busy = Unavailable("", status=503)
    from paymatch_client.requests import Request

    request = Request("GET", "orders", repeatable=True)
    for tried, highest in ((1, 1), (2, 2), (3, 4)):
        pause = retries.pause(request, busy, tried)
        assert pause is not None
        assert highest / 2 <= pause <= highest
    assert retries.pause(request, busy, 5) is None
    assert retries.pause(replace(request, repeatable=False), busy, 1) is None
    assert retries.pause(request, Refused("", status=400), 1) is None


@BOTH
def test_what_cannot_be_read_is_said(ask: Ask) -> None:
    for answer in (b"<html>", b"{}", b'{"number":1}'):
        with receiver(scripted(plain(200, answer))) as service, pytest.raises(AnswerUnreadable) as caught:
            ask(address_of(service), STILL, lambda client: client.orders.read_order("1"))
        assert caught.value.status == 200
    with receiver(scripted(plain(302, b"", "Location: /login\r\n"))) as service, pytest.raises(ApiError) as other:
        ask(address_of(service), STILL, lambda client: client.orders.read_order("1"))
    assert (other.value.status, type(other.value)) == (302, ApiError)


@BOTH
def test_nobody_there_is_unavailable(ask: Ask) -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    with pytest.raises(Unavailable, match="No answer from the service") as caught:
        ask(f"http://127.0.0.1:{port}", Retries(times=0), lambda client: client.orders.list_orders())
    assert caught.value.status == 0
    assert isinstance(caught.value.__cause__, httpx.ConnectError)


def test_unknown_fields_and_values_of_an_answer_are_no_error() -> None:
    said = plain_order("1") | {"paymentStatus": "NEWER", "dunningLevel": 0, "newField": [{"a": 1}]}
    with receiver(scripted(plain(200, httpx.Response(200, json=said).content))) as service:
        found: Order = blocking(address_of(service), STILL, lambda client: client.orders.read_order("1"))
    assert (found.payment_status, found.payment_status.name) == ("NEWER", "NEWER")
    assert PaymentStatus("NEWER") not in list(PaymentStatus)


def test_another_time_limit_shares_the_connections(world: World) -> None:
    with world.client() as client:
        patient = client.with_timeout(600)
        assert patient.orders.sync_orders([]) == 0
        patient.close()
        assert client.orders.list_orders() == []
