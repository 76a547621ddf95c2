"""Our additions to the API: the feed of events, callbacks and sending them again."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest

from paymatch.api import Api, ApiConfig
from paymatch.store.database import Database
from paymatch.usecases.shops import shops
from tests.keys import KEYRING
from tests.usecases.callbacks.callback_world import World, new_world, with_callbacks
from tests.usecases.callbacks.test_callbacks import answer, deliver


@pytest.fixture(scope="module")
def database(module_url: str) -> Iterator[Database]:
    opened = Database(module_url, size=4, keyring=KEYRING)
    yield opened
    opened.close()


class Client:
    """Calls the API as a shop does."""

    def __init__(self, world: World, scope: str = "read-write") -> None:
        self.world = world
        with world.database.of_shop(world.shop, at=world.now) as tx:
            self.key = shops.create_key(tx, scope=scope)
        config = ApiConfig(key_headers=("x-service-api-key",), clock=world.clock, invoice_max_bytes=1)
        no_files: Any = None  # nothing here touches files
        self.api = Api(world.database, no_files, config)

    def __call__(self, method: str, url: str) -> tuple[int, Any]:
        parts = urlsplit(url)
        environ = {
            "REQUEST_METHOD": method,
            "PATH_INFO": "/api/v2/" + parts.path,
            "QUERY_STRING": parts.query,
            "HTTP_X_SERVICE_API_KEY": self.key,
            "wsgi.input": io.BytesIO(),
        }
        statuses: list[str] = []
        body = b"".join(self.api(environ, lambda status, _headers: statuses.append(status)))
        return int(statuses[0][:3]), json.loads(body)


@pytest.fixture
def world(database: Database) -> World:
    world = new_world(database)
    for number in ("1", "2"):
        world.add_order(number)
        world.set_paid(number)
        world.pass_time(minutes=1)
    return world


@pytest.fixture
def client(world: World) -> Client:
    return Client(world)


def test_events_in_order_behind_a_cursor(client: Client) -> None:
    first = {
        "id": 1,
        "orderNumber": "1",
        "previousPaymentStatus": "UNPAID",
        "paymentStatus": "PAID",
        "cause": "set paid",
        "timestamp": "02-03-2026 10:30:00",  # in the shop's time zone
    }
    second = first | {"id": 2, "orderNumber": "2", "timestamp": "02-03-2026 10:31:00"}
    assert client("GET", "events") == (200, [first, second])
    assert client("GET", "events?limit=1") == (200, [first])
    assert client("GET", "events?after=1&limit=5") == (200, [second])
    assert client("GET", "events?after=2") == (200, [])
    assert client("GET", "events?limit=0") == (200, [])


@pytest.mark.parametrize("query", ["after=x", "after=-1", "limit=1001", "limit=1.5", "after=99999999999"])
def test_bad_cursor(client: Client, query: str) -> None:
    name = query.partition("=")[0]
    status, body = client("GET", f"events?{query}")
    assert (status, body["error"], body["parameter"]) == (400, f"Parameter {name} is not valid", name)
    assert body["expected"].startswith("a whole number from 0 to ")


def test_callbacks_newest_first(client: Client) -> None:
    deliver(client.world, lambda outgoing: answer(200 if outgoing.order_number == "1" else 503))
    status, (second, first) = client("GET", "callbacks")
    assert status == 200
    assert first == {
        "id": first["id"],
        "eventId": 1,
        "orderNumber": "1",
        "previousPaymentStatus": "UNPAID",
        "paymentStatus": "PAID",
        "status": "DELIVERED",
        "attempts": 1,
        "created": "02-03-2026 10:30:00",
        "finished": "02-03-2026 10:32:00",
    }
    assert (second["orderNumber"], second["status"], second["lastError"]) == ("2", "PENDING", "receiver answered 503")
    assert second["nextAttempt"].startswith("02-03-2026 10:4")
    assert "finished" not in second
    assert client("GET", "callbacks?status=DELIVERED,GIVEN_UP") == (200, [first])
    assert client("GET", f"callbacks?before={second['id']}") == (200, [first])
    assert client("GET", "callbacks?limit=1") == (200, [second])
    assert client("GET", "callbacks?limit=0") == (200, [])
    assert client("GET", "callbacks?status=LOST") == (
        400,
        {
            "error": "Parameter status is not valid", "parameter": "status",
            "allowed": ["DELIVERED", "GIVEN_UP", "OFF", "PAUSED", "PENDING", "WAITING", "WITHDRAWN"],
        },
    )  # fmt: skip


@pytest.mark.parametrize("before", ["", "cb_x", "%00", "cb_0123456789abcdefghj"])
def test_unknown_place_in_the_callbacks_is_refused(client: Client, before: str) -> None:
    deliver(client.world, lambda _: answer(200))
    assert client("GET", f"callbacks?before={before}") == (
        400,
        {"error": "Parameter before is not valid", "parameter": "before", "expected": "the id of a callback"},
    )


def test_callback_with_its_attempts(client: Client) -> None:
    deliver(client.world, lambda _: answer(503, b"down"))
    callback_id = client("GET", "callbacks?limit=1")[1][0]["id"]
    status, found = client("GET", f"callbacks/{callback_id}")
    assert status == 200
    (attempt,) = found["attemptLog"]
    assert (attempt["attempt"], attempt["httpStatus"], attempt["elapsedMs"]) == (1, 503, 12)
    assert (attempt["error"], attempt["answer"]) == ("receiver answered 503", "down")
    assert attempt["request"].startswith("POST https://shop.example/callback\n")
    assert attempt["nextAttempt"] == found["nextAttempt"]


def test_resend_one_and_all_that_failed(client: Client) -> None:
    deliver(client.world, lambda _: answer(503))
    callback_id = client("GET", "callbacks?limit=1")[1][0]["id"]
    status, found = client("POST", f"callbacks/{callback_id}/resend")
    assert (status, found["status"], found["nextAttempt"]) == (200, "PENDING", "02-03-2026 10:32:00")
    assert [outgoing.id for outgoing in deliver(client.world)] == [callback_id]
    assert client("POST", "callbacks/resend?since=03-03-2026") == (200, 0)
    assert client("POST", "callbacks/resend?since=02-03-2026%2010:31:00") == (200, 0)
    assert client("POST", "callbacks/resend?since=02-03-2026") == (200, 1)
    assert len(deliver(client.world)) == 1


def test_test_event(client: Client) -> None:
    deliver(client.world)
    status, found = client("POST", "callbacks/test")
    assert (status, found["status"]) == (200, "PENDING")
    assert "orderNumber" not in found
    assert [outgoing.id for outgoing in deliver(client.world)] == [found["id"]]


def test_test_event_is_refused_where_callbacks_are_off(client: Client) -> None:
    with_callbacks(client.world.database, client.world.shop, "", on=False)
    count = len(client("GET", "callbacks")[1])
    refused = {"error": "Callbacks are off: register a callback URL and switch them on"}
    assert client("POST", "callbacks/test") == (400, refused)
    assert len(client("GET", "callbacks")[1]) == count


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "callbacks/cb_x"),
        ("POST", "callbacks/cb_x/resend"),
        ("GET", "callbacks/Ã¼"),
    ],
)
def test_unknown_callback(client: Client, method: str, path: str) -> None:
    status, body = client(method, path)
    assert status == 404
    assert body["error"].startswith(("Callback '", "Not found"))


def test_callback_of_another_shop_is_unknown(client: Client, database: Database) -> None:
    callback_id = client("GET", "callbacks?limit=1")[1][0]["id"]
    other = Client(new_world(database))
    assert other("GET", f"callbacks/{callback_id}")[0] == 404
    assert other("POST", f"callbacks/{callback_id}/resend")[0] == 404
    assert other("GET", "callbacks") == (200, [])
    refusal = {"error": "Parameter before is not valid", "parameter": "before", "expected": "the id of a callback"}
    assert other("GET", f"callbacks?before={callback_id}") == (400, refusal)


@pytest.mark.parametrize(
    "query", ["", "?since=", "?since=2026-03-02", "?since=32-01-2026", "?since=02-03-2026 25:00:00"]
)
def test_bad_moment(client: Client, query: str) -> None:
    status, body = client("POST", f"callbacks/resend{query}")
    assert (status, body["parameter"]) == (400, "since")


def test_key_that_only_reads_sends_nothing(world: World) -> None:
    reader = Client(world, scope="read")
    refused = (400, {"error": "Update not allowed for non-API Shop"})
    assert reader("POST", "callbacks/test") == refused
    assert reader("POST", "callbacks/resend?since=01-01-2026") == refused
    assert reader("GET", "events")[0] == 200
