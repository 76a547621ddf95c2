"""paymatch callbacks: list, show, resend, resume, test, rotate-secret."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from threading import Event, Thread
from typing import Any

import pytest
from typer.testing import CliRunner

from paymatch.cli.main import app
from paymatch.domain.words.message import Message
from paymatch.outbound.http import CallFailed, HttpAnswer, NoAnswerReason
from paymatch.store.database import Database
from paymatch.store.shops import shops as shop_store
from paymatch.usecases.shops import shops
from tests.cli.conftest import spoken
from tests.keys import KEYRING
from tests.usecases.callbacks.callback_world import World, new_world
from tests.usecases.callbacks.test_callbacks import answer, claim, deliver, record

Run = Callable[..., Any]


@pytest.fixture
def world(migrated_url: str) -> Iterator[World]:
    database = Database(migrated_url, size=2, keyring=KEYRING)
    yield new_world(database)
    database.close()


@pytest.fixture
def run(migrated_url: str, world: World, monkeypatch: pytest.MonkeyPatch) -> Run:
    """`run("list", "--limit", "1")` for the shop: the JSON it prints, or the text of its refusal."""
    monkeypatch.setenv("PAYMATCH_DATABASE_URL", migrated_url)

    def call(name: str, *arguments: str) -> Any:
        result = CliRunner().invoke(app, ["callbacks", name, str(world.id), *arguments, "--json"])
        return (
            json.loads(result.stdout) if result.exit_code == 0 else f"exit {result.exit_code}: {spoken(result.stderr)}"
        )

    return call


def change(world: World, *numbers: str) -> None:
    for number in numbers:
        world.add_order(number)
        world.set_paid(number)
        world.pass_time(seconds=1)


def test_list_and_show(run: Run, world: World) -> None:
    assert run("list") == []
    change(world, "1", "2")
    deliver(world, lambda outgoing: answer(200 if outgoing.order_number == "1" else 500))
    second, first = run("list")
    assert (first["order_number"], first["status"], first["attempts"]) == ("1", "DELIVERED", 1)
    assert (second["order_number"], second["status"], second["last_error"]) == ("2", "PENDING", "receiver answered 500")
    assert run("list", "--status", "delivered") == [first]
    assert run("list", "--before", second["id"]) == [first]
    shown = run("show", second["id"])
    assert shown["attempt_log"][0]["http_status"] == 500
    assert run("show", "cb_x") == "exit 1: Error: Callback 'cb_x' not found\n"
    assert run("list", "--status", "lost").startswith("exit 1: Error: There is no status 'lost': PENDING, ")


def test_table_for_people(run: Run, world: World) -> None:
    change(world, "1")
    record(world, claim(world)[0], answer(410))
    result = CliRunner().invoke(app, ["callbacks", "list", str(world.id)])
    assert result.exit_code == 0
    assert f"Paused since {world.now}: the receiver answered 410" in result.stderr
    shown = CliRunner().invoke(app, ["callbacks", "show", str(world.id), run("list")[0]["id"]])
    assert shown.exit_code == 0
    assert "Last request:\nPOST https://shop.example/callback\n" in shown.stdout


def test_resend_one_all_and_resume(run: Run, world: World) -> None:
    change(world, "1", "2")
    deliver(world, lambda _: answer(500))
    assert run("resend", run("list")[0]["id"]) == {"resent": 1}
    assert run("resend", "--failed-since", "2026-03-02T09:00:00") == {"resent": 2}
    assert run("resend", "--failed-since", "2026-03-02T10:00:00") == {"resent": 0}
    assert run("resend") == "exit 1: Error: Give a callback id or --failed-since\n"
    world.pass_time(days=3000)  # the command line lives in the present
    record(world, claim(world, limit=1)[0], answer(410))
    assert run("resume") == {"resumed": 1}
    assert len(deliver(world)) == 2


def test_test_event(run: Run, world: World) -> None:
    queued = run("test", "--wait", "0")
    world.pass_time(days=3000)
    assert [outgoing.id for outgoing in deliver(world)] == [queued["callback"]]


@contextmanager
def a_worker(world: World, result: HttpAnswer | CallFailed) -> Iterator[None]:
    """Sends what is due until the end of the block; every receiver gives this result."""
    ended = Event()

    def send() -> None:
        while not ended.wait(0.05):
            deliver(world, lambda _: result)

    world.pass_time(days=3000)  # the command line lives in the present
    thread = Thread(target=send)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def test_test_event_waits_for_the_answer(run: Run, world: World) -> None:
    with a_worker(world, answer(200)):
        found = run("test")
    assert (found["status"], found["httpStatus"], found["elapsedMs"]) == ("DELIVERED", 200, 12)


@pytest.mark.parametrize(
    ("result", "why"),
    [
        (answer(401), "receiver answered 401"),
        (
            CallFailed(NoAnswerReason.TIMEOUT, Message("text", value="no answer within 5 seconds")),
            "no answer within 5 seconds",
        ),
    ],
)
def test_test_event_that_is_refused_ends_with_code_1(
    run: Run, world: World, result: HttpAnswer | CallFailed, why: str
) -> None:
    with a_worker(world, result):
        assert run("test") == f"exit 1: Error: the receiver did not take the test: {why}\n"


def test_test_event_that_nothing_sends_ends_with_code_1(run: Run) -> None:
    said = "no worker has sent the test within 1 seconds: is the service running?"
    assert run("test", "--wait", "1") == f"exit 1: Error: {said}\n"


def test_test_event_needs_a_receiver(run: Run, world: World) -> None:
    with world.database.of_shop(world.id) as tx:
        tx.run("UPDATE shops SET callbacks = false WHERE shop_id = $1", world.id)
    assert run("test") == ("exit 1: Error: Callbacks are off: register a callback URL and switch them on\n")


def test_rotate_secret(run: Run, world: World) -> None:
    found = run("rotate-secret", "--overlap-hours", "48")
    assert found["oldSecretValidHours"] == 48
    change(world, "1")
    (outgoing,) = claim(world)
    assert outgoing.secrets[0] == found["webhookSecret"]
    assert len(outgoing.secrets) == 2


@pytest.mark.usefixtures("run")
def test_unknown_shop() -> None:
    result = CliRunner().invoke(app, ["callbacks", "list", "nobody"])
    assert (result.exit_code, result.stderr) == (1, "Error: There is no shop 'nobody'\n")


def test_access_code_is_read_from_standard_input_only(migrated_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAYMATCH_DATABASE_URL", migrated_url)
    database = Database(migrated_url, size=2, keyring=KEYRING)
    shop = shops.create(database, "Coded", datetime(2026, 3, 2, 9, tzinfo=UTC)).shop

    def code() -> str:
        with database.of_shop(shop) as tx:
            return shop_store.callback_secrets(tx)[0]

    before = code()
    refused = CliRunner().invoke(app, ["shop", "set", "Coded", "callback-access-code=seen-by-all"])
    assert refused.exit_code == 1
    assert "--callback-access-code-stdin" in refused.stderr
    assert code() == before
    taken = CliRunner().invoke(app, ["shop", "set", "Coded", "--callback-access-code-stdin"], input="kept-as-before\n")
    assert (taken.exit_code, code()) == (0, "kept-as-before")
    assert "kept-as-before" not in taken.stdout
    database.close()
