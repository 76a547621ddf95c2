"""Callbacks of our own sender are accepted by the client; what is forged, changed, cut short or old is refused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal

import pytest

from paymatch.domain.callbacks.signatures import secret_text, signature_headers
from paymatch.outbound.http import HttpClient
from paymatch.store.database import Database
from paymatch.usecases import callbacks
from paymatch_client import CallbackRefused, verify_callback
from paymatch_client.models import PaymentStatus
from tests.fakes.receivers import answering, plain, receiver
from tests.keys import KEYRING
from tests.usecases.callbacks.callback_world import World, new_world, with_callbacks
from tests.usecases.callbacks.test_callbacks import claim, record

OTHER = secret_text(bytes(32))


@dataclass(frozen=True)
class Received:
    """A callback as it came, and what the shop knows to verify it."""

    headers: Mapping[str, str]
    body: bytes
    secret: str
    code: str
    world: World


@pytest.fixture(scope="module")
def database(module_url: str) -> Iterator[Database]:
    opened = Database(module_url, size=4, keyring=KEYRING)
    yield opened
    opened.close()


@pytest.fixture
def received(database: Database) -> Received:
    """A callback that our sender has sent over a socket."""
    world = new_world(database)
    world.add_order("A/1")
    with receiver(answering(plain())) as shop:
        world.shop = with_callbacks(database, world.shop, shop.url)
        world.set_paid("A/1")
        return _sent(world, shop.requests)


def _sent(world: World, requests: list[bytes]) -> Received:
    [outgoing] = claim(world)
    with closing(HttpClient(allow_private=True)) as door:
        result = door.call(callbacks.outgoing_call(outgoing, world.now))
    record(world, outgoing, result)
    head, _, body = requests[-1].partition(b"\r\n\r\n")
    lines = [line.partition(": ") for line in head.decode().split("\r\n")[1:]]
    headers = {name: value for name, _, value in lines}
    code, secret = headers["X-Service-Access-Code"], outgoing.secrets[0]
    return Received(headers, body, secret, code, world)


def check(received: Received, **changes: object) -> object:
    """What the client makes of it, one second after it was sent."""
    given: dict[str, object] = {"body": received.body, "headers": received.headers, "secret": received.secret}
    given |= {"access_code": received.code, "now": received.world.now + timedelta(seconds=1)}
    return verify_callback(**(given | changes))  # type: ignore[arg-type]


def test_a_callback_of_our_sender_is_a_typed_event(received: Received) -> None:
    event = verify_callback(
        received.body, received.headers, received.secret, access_code=received.code, now=received.world.now
    )
    assert (event.id, event.sent_at, event.is_test) == (received.headers["webhook-id"], received.world.now, False)
    assert (event.order.number, event.order.payment_status) == ("A/1", PaymentStatus.PAID)
    assert event.order.amount == Decimal("19.90")
    lower = {name.lower(): value for name, value in received.headers.items()}
    assert check(received, headers=lower) == event
    assert check(received, access_code=None) == event


def test_a_test_event_says_so(received: Received) -> None:
    with received.world.database.of_shop(received.world.shop, at=received.world.now) as tx:
        callbacks.send_test(tx)
    [outgoing] = claim(received.world)
    headers = dict(callbacks.outgoing_call(outgoing, received.world.now).headers)
    event = verify_callback(outgoing.body, headers, received.secret, now=received.world.now)
    assert event.is_test
    assert event.order.number


def test_either_secret_is_accepted_while_it_is_replaced(received: Received) -> None:
    world = received.world
    with world.database.of_shop(world.shop, at=world.now) as tx:
        new = callbacks.rotate_secret(tx)
    world.set_unpaid("A/1")
    [outgoing] = claim(world)
    headers = dict(callbacks.outgoing_call(outgoing, world.now).headers)
    assert headers["webhook-signature"].count("v1,") == 2
    for secret in (received.secret, new):
        assert verify_callback(outgoing.body, headers, secret, now=world.now).id == outgoing.id


@pytest.mark.parametrize("seconds", [-302, 302, 86_400])
def test_what_is_too_old_or_from_the_future_is_refused(received: Received, seconds: int) -> None:
    with pytest.raises(CallbackRefused, match="too far from now"):
        check(received, now=received.world.now + timedelta(seconds=seconds))
    assert check(received, now=received.world.now + timedelta(seconds=seconds), tolerance=timedelta(days=2))


def test_what_is_forged_changed_or_cut_short_is_refused(received: Received) -> None:
    headers, body = dict(received.headers), received.body
    for changes in (
        {"body": body[:-1]},
        {"body": body.replace(b"PAID", b"PAIX")},
        {"body": b""},
        {"secret": OTHER},
        {"headers": headers | {"webhook-id": "cb_1"}},
        {"headers": headers | {"webhook-timestamp": str(int(headers["webhook-timestamp"]) + 1)}},
        {"headers": headers | {"webhook-signature": headers["webhook-signature"][:-4]}},
        {"headers": headers | {"webhook-signature": "v1,"}},
        {"headers": headers | {"webhook-signature": "v1,\udcff"}},
    ):
        with pytest.raises(CallbackRefused, match="No signature matches"):
            check(received, **changes)


def test_what_lacks_a_header_or_the_access_code_is_refused(received: Received) -> None:
    headers = dict(received.headers)
    for name in ("webhook-id", "webhook-timestamp", "webhook-signature"):
        with pytest.raises(CallbackRefused, match="A webhook header is missing"):
            check(received, headers={other: value for other, value in headers.items() if other != name})
    with pytest.raises(CallbackRefused, match="The timestamp is not a number"):
        check(received, headers=headers | {"webhook-timestamp": "-1"})
    for code in ("wrong", ""):
        with pytest.raises(CallbackRefused, match="access code"):
            check(received, headers=headers | {"X-Service-Access-Code": code})
    with pytest.raises(ValueError, match="whsec_"):
        check(received, secret="whsec_short")


def test_an_authentic_body_that_is_no_order_is_refused(received: Received) -> None:
    for body in (b"[]", b'{"number":1}', b"\xff"):
        headers = dict(signature_headers([received.secret], "cb_1", received.world.now, body))
        with pytest.raises(CallbackRefused, match="not an order"):
            check(received, body=body, headers=headers, access_code=None)


def test_fields_and_values_of_a_newer_service_are_no_error(received: Received) -> None:
    body = received.body.replace(b'"PAID"', b'"PAID_TWICE","brandNew":{"a":[1]}')
    headers = dict(signature_headers([received.secret], "cb_1", received.world.now, body))
    event = verify_callback(body, headers, received.secret, now=received.world.now)
    assert (event.order.payment_status, event.order.payment_status == "PAID_TWICE") == ("PAID_TWICE", True)
