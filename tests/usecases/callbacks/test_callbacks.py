"""Callbacks against PostgreSQL: claims, sequence per order, the schedule, resending, secrets, the log."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from paymatch.domain.callbacks.call_timing import UNMEASURED, CallTiming
from paymatch.domain.callbacks.deliveries import CallbackStatus
from paymatch.domain.callbacks.signatures import verify
from paymatch.domain.shops.shop import SettingRefused, Shop
from paymatch.domain.words.message import Message
from paymatch.outbound.http import CallFailed, HttpAnswer, NoAnswerReason
from paymatch.store.callbacks.callbacks import CallbackTarget
from paymatch.store.database import Database
from paymatch.store.orders.events import after
from paymatch.usecases import callbacks
from paymatch.usecases.callbacks import CallbackUnknown, Delivery, Outgoing
from paymatch.usecases.privacy.retention import Forgotten, forget_old
from paymatch.usecases.shops import shops
from tests.keys import KEYRING
from tests.usecases.callbacks.callback_world import START, World, new_world, with_callbacks

URL = "https://shop.example/callback"


@pytest.fixture(scope="module")
def database(module_url: str) -> Iterator[Database]:
    opened = Database(module_url, size=4, keyring=KEYRING)
    yield opened
    opened.close()


@pytest.fixture
def world(database: Database) -> World:
    return new_world(database, URL)


def answer(status: int, body: bytes = b"", retry_after: str | None = None) -> HttpAnswer:
    return HttpAnswer(
        status, body, truncated=False, retry_after=retry_after, elapsed_seconds=0.012, address="192.0.2.1"
    )


def targets(world: World) -> list[CallbackTarget]:
    with world.database.of_all_shops() as tx:
        return [target for target in callbacks.due_targets(tx, world.now) if target.shop == world.id]


def claim(world: World, limit: int = 10, lease: timedelta = callbacks.LEASE) -> list[Outgoing]:
    claimed: list[Outgoing] = []
    for target in targets(world):
        with world.database.of_shop(world.id, at=world.now) as tx:
            claimed += callbacks.claim(tx, target, limit, lease).outgoing
    return claimed


def record(world: World, outgoing: Outgoing, result: HttpAnswer | CallFailed) -> None:
    call = callbacks.outgoing_call(outgoing, world.now)
    with world.database.of_shop(world.id, at=world.now) as tx:
        callbacks.record(tx, [Delivery(outgoing, call, world.now, result)])


def deliver(world: World, answering: Callable[[Outgoing], HttpAnswer | CallFailed] | None = None) -> list[Outgoing]:
    """Sends all that is due until nothing is; what was sent."""
    sent: list[Outgoing] = []
    while targets(world):
        for outgoing in claim(world):
            record(world, outgoing, answering(outgoing) if answering else answer(200))
            sent.append(outgoing)
    return sent


def statuses(world: World) -> list[tuple[object, ...]]:
    return world.rows(
        "SELECT order_number, order_seq, status, attempts FROM callbacks WHERE shop_id = $1"
        " ORDER BY order_number, order_seq"
    )


def test_change_of_status_is_sent_once_with_the_order_as_a_read_shows_it(world: World) -> None:
    world.add_order("A 1")
    assert deliver(world) == []  # creating an order is no change (D-22)
    world.set_paid("A 1")
    (outgoing,) = deliver(world)
    body = json.loads(outgoing.body)
    assert (body["number"], body["paymentStatus"], body["billing"]["lastName"]) == ("A 1", "PAID", "Müller")
    assert '"amount":19.90' in outgoing.body.decode()
    assert statuses(world) == [("A 1", 1, "DELIVERED", 1)]
    assert deliver(world) == []


def test_call_carries_the_access_code_and_verifies(world: World) -> None:
    world.add_order("1")
    world.set_paid("1")
    (outgoing,) = claim(world)
    call = callbacks.outgoing_call(outgoing, world.now)
    headers = dict(call.headers)
    assert (call.url, call.method, call.repeatable) == (URL, "POST", True)
    assert headers["X-Service-Access-Code"] == outgoing.access_code != ""
    assert headers["Content-Type"] == "application/json"
    assert headers["webhook-id"] == outgoing.id
    verify(outgoing.secrets[0], headers, call.body, world.now)


def test_body_is_the_order_at_sending_time(world: World) -> None:
    world.add_order("1")
    world.set_paid("1")
    world.set_unpaid("1")
    sent = deliver(world)
    # One callback per change, in sequence, each with the current state.
    assert [json.loads(outgoing.body)["paymentStatus"] for outgoing in sent] == ["UNPAID", "UNPAID"]
    assert statuses(world) == [("1", 1, "DELIVERED", 1), ("1", 2, "DELIVERED", 1)]


def test_later_callbacks_of_an_order_wait_for_the_earlier_one(world: World) -> None:
    world.add_order("1")
    world.add_order("2")
    for number in ("1", "2"):
        world.set_paid(number)
    world.set_unpaid("1")
    world.cancel("1")
    first, second = claim(world)
    assert {first.order_number, second.order_number} == {"1", "2"}
    assert claim(world) == []
    assert statuses(world)[:3] == [("1", 1, "PENDING", 0), ("1", 2, "WAITING", 0), ("1", 3, "WAITING", 0)]
    of_one = first if first.order_number == "1" else second
    record(world, of_one, answer(200))
    assert statuses(world)[:3] == [("1", 1, "DELIVERED", 1), ("1", 2, "PENDING", 0), ("1", 3, "WAITING", 0)]
    assert [outgoing.order_number for outgoing in deliver(world)] == ["1", "1"]


def test_failed_callback_holds_back_its_order_only(world: World) -> None:
    world.add_order("1")
    world.set_paid("1")
    record(world, claim(world)[0], answer(500))
    world.set_unpaid("1")
    world.add_order("2")
    world.set_paid("2")
    assert [outgoing.order_number for outgoing in deliver(world)] == ["2"]
    world.pass_time(minutes=16)
    assert [outgoing.order_number for outgoing in deliver(world)] == ["1", "1"]


def test_claim_is_exclusive_until_its_lease_ends(world: World) -> None:
    world.add_order("1")
    world.set_paid("1")
    (first,) = claim(world, lease=timedelta(seconds=60))
    world.pass_time(seconds=59)
    assert (targets(world), claim(world)) == ([], [])
    world.pass_time(seconds=1)
    (again,) = claim(world)
    assert again.id == first.id
    record(world, again, answer(200))
    record(world, first, answer(500))  # the first worker was only slow; what is delivered stays delivered
    assert statuses(world) == [("1", 1, "DELIVERED", 2)]


@pytest.mark.parametrize(
    ("first", "second", "expected"), [(200, 500, "DELIVERED"), (500, 200, "DELIVERED"), (500, 503, "PENDING")]
)
def test_two_calls_of_one_callback_are_recorded_together(world: World, first: int, second: int, expected: str) -> None:
    world.add_order("1")
    world.set_paid("1")
    (outgoing,) = claim(world)
    call = callbacks.outgoing_call(outgoing, world.now)
    both = [Delivery(outgoing, call, world.now, answer(status)) for status in (first, second)]
    with world.database.of_shop(world.shop, at=world.now) as tx:
        callbacks.record(tx, both)
        log = callbacks.show(tx, outgoing.id)[1]
    assert statuses(world) == [("1", 1, expected, 2)]
    assert [(attempt.attempt, attempt.http_status) for attempt in log] == [(2, second), (1, first)]
    if expected == "PENDING":
        (row,) = world.rows("SELECT due_at FROM callbacks WHERE shop_id = $1")
        assert START + timedelta(minutes=15) <= row[0] < START + timedelta(minutes=16)  # type: ignore[operator]


def test_released_claim_is_due_at_once(world: World) -> None:
    world.add_order("1")
    world.set_paid("1")
    (outgoing,) = claim(world)
    with world.database.of_shop(world.id) as tx:
        callbacks.release(tx, [outgoing.id])
    assert [again.id for again in claim(world)] == [outgoing.id]
    assert statuses(world) == [("1", 1, "PENDING", 0)]


def test_receiver_that_is_down_for_seven_days_is_given_up_after_1_and_672_attempts(world: World) -> None:
    world.add_order("1")
    world.set_paid("1")
    moments = []
    while (due := world.rows("SELECT due_at FROM callbacks WHERE shop_id = $1 AND status = 'PENDING'")) != []:
        due_at = due[0][0]
        assert isinstance(due_at, datetime)
        world.now = max(world.now, due_at)
        moments.append(world.now)
        record(world, claim(world)[0], CallFailed(NoAnswerReason.NOT_CONNECTED, Message("call-refused")))
    assert len(moments) == 1 + 672
    assert moments[-1] - moments[0] == timedelta(days=7)
    assert statuses(world) == [("1", 1, "GIVEN_UP", 673)]
    world.pass_time(days=30)
    assert deliver(world) == []
    with world.database.of_shop(world.shop, at=world.now) as tx:
        callback_id = callbacks.page(tx)[0].id
        callbacks.resend(tx, callback_id)
    (again,) = deliver(world)
    assert again.id == callback_id
    assert statuses(world) == [("1", 1, "DELIVERED", 674)]


def test_next_callback_of_the_order_follows_a_given_up_one(world: World) -> None:
    world.add_order("1")
    world.set_paid("1")
    record(world, claim(world)[0], answer(500))
    world.pass_time(days=3)
    world.set_unpaid("1")
    assert len(deliver(world, lambda _: answer(500))) == 1
    world.pass_time(days=5)
    sent = deliver(world, lambda _: answer(500))
    assert len(sent) == 2  # the last of the first one, then the second one within its own seven days
    assert [row[2] for row in statuses(world)] == ["GIVEN_UP", "PENDING"]


@pytest.mark.parametrize(
    ("status", "any_2xx", "expected"), [(204, False, "PENDING"), (204, True, "DELIVERED"), (302, True, "PENDING")]
)
def test_what_counts_as_success(database: Database, status: int, any_2xx: bool, expected: str) -> None:
    world = new_world(database, URL, any_2xx=any_2xx)
    world.add_order("1")
    world.set_paid("1")
    record(world, claim(world)[0], answer(status))
    assert statuses(world) == [("1", 1, expected, 1)]


def test_retry_after_moves_the_next_attempt(world: World) -> None:
    world.add_order("1")
    world.set_paid("1")
    record(world, claim(world)[0], answer(429, retry_after="7200"))
    (row,) = world.rows("SELECT due_at FROM callbacks WHERE shop_id = $1")
    assert START + timedelta(hours=2) <= row[0] < START + timedelta(hours=2, minutes=1)  # type: ignore[operator]


def test_gone_pauses_the_shop_until_it_resumes(world: World) -> None:
    for number in ("1", "2"):
        world.add_order(number)
        world.set_paid(number)
    record(world, claim(world, limit=1)[0], answer(410))
    assert sorted(str(row[2]) for row in statuses(world)) == ["PAUSED", "PENDING"]
    world.pass_time(hours=1)
    assert deliver(world) == []
    with world.database.of_shop(world.shop) as tx:
        assert callbacks.paused_at(tx) == START
        assert callbacks.resume(tx) == 1
        assert callbacks.paused_at(tx) is None
    assert len(deliver(world)) == 2


def test_resend_lifts_the_pause(world: World) -> None:
    world.add_order("1")
    world.set_paid("1")
    (outgoing,) = claim(world)
    record(world, outgoing, answer(410))
    with world.database.of_shop(world.shop, at=world.now) as tx:
        assert callbacks.resend(tx, outgoing.id).status is CallbackStatus.PENDING
    assert [again.id for again in deliver(world)] == [outgoing.id]


def test_resend_during_a_call_is_not_lost_with_it(world: World) -> None:
    world.add_order("1")
    world.set_paid("1")
    (outgoing,) = claim(world)
    world.pass_time(seconds=5)
    with world.database.of_shop(world.shop, at=world.now) as tx:
        callbacks.resend(tx, outgoing.id)
    assert claim(world) == []
    record(world, outgoing, answer(500))
    assert [again.id for again in deliver(world)] == [outgoing.id]


def test_resend_failed_since(world: World) -> None:
    for number in ("1", "2", "3"):
        world.add_order(number)
        world.set_paid(number)
        deliver(world, lambda outgoing: answer(200 if outgoing.order_number == "3" else 500))
        world.pass_time(minutes=1)
    with world.database.of_shop(world.shop, at=world.now) as tx:
        assert callbacks.resend_failed(tx, START + timedelta(seconds=30)) == 1
    assert [outgoing.order_number for outgoing in deliver(world)] == ["2"]
    with world.database.of_shop(world.shop, at=world.now) as tx:
        assert callbacks.resend_failed(tx, START) == 1
    assert [outgoing.order_number for outgoing in deliver(world)] == ["1"]


def test_resent_early_callback_goes_before_the_later_ones(world: World) -> None:
    world.add_order("1")
    world.set_paid("1")
    (first,) = deliver(world)
    world.set_unpaid("1")
    with world.database.of_shop(world.shop, at=world.now) as tx:
        callbacks.resend(tx, first.id)
    assert [row[1] for row in world.rows("SELECT id, order_seq FROM callbacks WHERE shop_id = $1 ORDER BY 2")] == [1, 2]
    sent = deliver(world)
    assert len(sent) == 2
    assert sent[0].id == first.id


def test_unknown_callback(world: World) -> None:
    with world.database.of_shop(world.shop, at=world.now) as tx:
        with pytest.raises(CallbackUnknown, match="Callback 'cb_x' not found"):
            callbacks.resend(tx, "cb_x")
        with pytest.raises(CallbackUnknown):
            callbacks.show(tx, "cb_x")


def test_callbacks_of_another_shop_are_unknown(database: Database, world: World) -> None:
    other = new_world(database, URL)
    other.add_order("1")
    other.set_paid("1")
    with other.database.of_shop(other.shop) as tx:
        (row,) = callbacks.page(tx)
    with world.database.of_shop(world.shop, at=world.now) as tx, pytest.raises(CallbackUnknown):
        callbacks.resend(tx, row.id)


def test_changes_while_callbacks_are_off_are_sent_on_demand_only(world: World) -> None:
    world.shop = with_callbacks(world.database, world.shop, URL, on=False)
    world.add_order("1")
    world.set_paid("1")
    assert statuses(world) == [("1", 1, "OFF", 0)]
    world.shop = with_callbacks(world.database, world.shop, URL)
    assert deliver(world) == []
    with world.database.of_shop(world.shop, at=world.now) as tx:
        callbacks.resend(tx, callbacks.page(tx)[0].id)
    assert len(deliver(world)) == 1


def test_nothing_is_sent_for_a_shop_that_switched_callbacks_off(world: World) -> None:
    world.add_order("1")
    world.set_paid("1")
    world.shop = with_callbacks(world.database, world.shop, URL, on=False)
    assert deliver(world) == []
    world.shop = with_callbacks(world.database, world.shop, URL)
    assert len(deliver(world)) == 1


def test_test_event_is_one_attempt_with_an_invented_order(world: World) -> None:
    with world.database.of_shop(world.shop, at=world.now) as tx:
        callback_id = callbacks.send_test(tx)
    (outgoing,) = deliver(world, lambda _: answer(500))
    headers = dict(callbacks.outgoing_call(outgoing, world.now).headers)
    assert (outgoing.id, headers["X-Service-Test"], json.loads(outgoing.body)["number"]) == (
        callback_id,
        "true",
        "TEST",
    )
    assert statuses(world) == [("", 0, "GIVEN_UP", 1)]
    with world.database.of_shop(world.shop) as tx:
        row, log = callbacks.show(tx, callback_id)
    assert (row.last_error, len(log), log[0].next_try_at) == ("receiver answered 500", 1, None)


def test_both_secrets_sign_while_a_rotation_overlaps(world: World) -> None:
    world.add_order("1")
    world.set_paid("1")
    (before,) = claim(world)
    with world.database.of_shop(world.shop, at=world.now) as tx:
        secret = callbacks.rotate_secret(tx, timedelta(hours=1))
    record(world, before, answer(500))
    world.pass_time(minutes=16)
    (during,) = claim(world)
    assert during.secrets == (secret, before.secrets[0])
    headers = dict(callbacks.outgoing_call(during, world.now).headers)
    for either in during.secrets:
        verify(either, headers, during.body, world.now)
    record(world, during, answer(500))
    world.pass_time(hours=1)
    (afterwards,) = claim(world)
    assert afterwards.secrets == (secret,)


def test_log_shows_request_answer_and_next_try(world: World) -> None:
    world.add_order("1")
    world.set_paid("1")
    (outgoing,) = claim(world)
    record(world, outgoing, answer(503, b"down\x00" + b"x" * 3000))
    world.pass_time(minutes=16)
    record(world, claim(world)[0], CallFailed(NoAnswerReason.TIMEOUT, Message("call-late", seconds="15"), 15.0))
    world.pass_time(minutes=16)
    record(world, claim(world)[0], answer(200, b"ok"))
    with world.database.of_shop(world.shop) as tx:
        row, (third, second, first) = callbacks.show(tx, outgoing.id)
    assert (first.http_status, first.error, first.elapsed_ms, first.at) == (503, "receiver answered 503", 12, START)
    assert first.answer == "down\ufffd" + "x" * 1019
    assert first.request.startswith(f"POST {URL}\nContent-Type: application/json\n")
    assert "X-Service-Access-Code: (the access code)\n" in first.request
    assert outgoing.access_code not in first.request
    assert first.request.endswith("\n\n" + outgoing.body.decode())
    assert second.request.endswith(")") and f"({len(outgoing.body)} bytes, SHA-256 " in second.request
    assert (second.http_status, second.error, second.elapsed_ms) == (None, "receiver did not answer within 15 s", 15000)
    assert (third.http_status, third.error, third.next_try_at) == (200, "", None)
    assert third.request.endswith("\n\n" + outgoing.body.decode())
    assert (row.status, row.attempts, row.to_status, row.last_error) == (CallbackStatus.DELIVERED, 3, "PAID", "")


def test_log_keeps_where_the_time_went(world: World) -> None:
    world.add_order("1")
    world.set_paid("1")
    (outgoing,) = claim(world)
    timing = CallTiming(4_100, 11_000, 18_200, 5_050, "192.0.2.41")
    record(world, outgoing, replace(answer(503), timing=timing))
    world.pass_time(minutes=16)
    late = CallFailed(NoAnswerReason.UNRESOLVED, Message("call-late", seconds="15"), 5.0, CallTiming(name_us=5_000_000))
    record(world, claim(world)[0], late)
    world.pass_time(minutes=16)
    record(world, claim(world)[0], answer(200))
    with world.database.of_shop(world.shop) as tx:
        _row, attempts = callbacks.show(tx, outgoing.id)
    assert [each.timing for each in attempts] == [UNMEASURED, CallTiming(name_us=5_000_000), timing]


def test_log_is_kept_thirty_days(world: World) -> None:
    world.add_order("1")
    world.set_paid("1")
    deliver(world)
    world.pass_time(days=29)
    assert forget_old(world.database, world.shop, world.now) == Forgotten({}, more=False)
    with world.database.of_shop(world.shop) as tx:
        assert len(callbacks.show(tx, callbacks.page(tx)[0].id)[1]) == 1
    world.pass_time(days=2)
    assert forget_old(world.database, world.shop, world.now) == Forgotten({"attempts of callbacks": 1}, more=False)
    with world.database.of_shop(world.shop) as tx:
        row, log = callbacks.show(tx, callbacks.page(tx)[0].id)
    assert (row.status, log) == (CallbackStatus.DELIVERED, [])


def test_pages_go_from_new_to_old(world: World) -> None:
    for number in range(5):
        world.add_order(str(number))
        world.set_paid(str(number))
        world.pass_time(seconds=1)
    with world.database.of_shop(world.shop) as tx:
        first = callbacks.page(tx, limit=3)
        rest = callbacks.page(tx, before_id=first[-1].id, limit=3)
        none = callbacks.page(tx, [CallbackStatus.DELIVERED])
    assert [row.order_number for row in first + rest] == ["4", "3", "2", "1", "0"]
    assert none == []


def test_order_that_is_gone_ends_its_callback(world: World) -> None:
    world.add_order("1")
    world.set_paid("1")
    world.set_unpaid("1")
    with world.database.of_shop(world.id) as tx:
        tx.run("DELETE FROM orders WHERE shop_id = $1", world.id)
    assert deliver(world) == []
    assert [row[2] for row in statuses(world)] == ["GIVEN_UP", "GIVEN_UP"]


def test_events_are_a_gapless_feed(world: World) -> None:
    world.add_order("1")
    world.set_paid("1")
    world.set_unpaid("1")
    with world.database.of_shop(world.id) as tx:
        everything = after(tx, 0, 10)
        behind = after(tx, 1, 10)
    assert [(event.seq, event.from_status, event.to_status) for event in everything] == [
        (1, "UNPAID", "PAID"),
        (2, "PAID", "UNPAID"),
    ]
    assert behind == everything[1:]


def test_naming_a_receiver_ends_a_pause(world: World) -> None:
    world.add_order("1")
    world.set_paid("1")
    record(world, claim(world)[0], answer(410))
    with world.database.of_shop(world.shop) as tx:
        shops.change(tx, {"callback-url": "https://new.example/"})
        assert callbacks.paused_at(tx) is None
    assert [outgoing.url for outgoing in deliver(world)] == ["https://new.example/"]


@pytest.mark.parametrize(
    "url", ["ftp://a.example/", "https://u:p@a.example/", "https://127.1/", "https://a.example/#x"]
)
def test_url_that_two_programs_read_differently_is_refused(world: World, url: str) -> None:
    with world.database.of_shop(world.shop) as tx, pytest.raises(SettingRefused, match="callback-url="):
        shops.change(tx, {"callback-url": url})


def test_sandbox_shop_follows_its_own_clock(world: World) -> None:
    with world.database.of_shop(world.id) as tx:
        tx.run(
            "UPDATE shops SET sandbox = true, sandbox_stands = true, sandbox_now = $2 WHERE shop_id = $1",
            world.id,
            START,
        )
    world.shop = with_callbacks(world.database, world.shop, URL)
    world.add_order("1")
    world.pass_time(days=400)
    world.set_paid("1")
    assert len(deliver(world, lambda _: answer(500))) == 1
    world.pass_time(days=1)
    assert deliver(world) == []
    with world.database.of_shop(world.shop) as tx:
        due_at = callbacks.next_due_at(tx)
    assert due_at is not None
    assert START + timedelta(minutes=15) <= due_at < START + timedelta(minutes=16)
    with world.database.of_shop(world.id) as tx:
        tx.run("UPDATE shops SET sandbox_now = $2 WHERE shop_id = $1", world.id, START + timedelta(minutes=16))
    assert len(deliver(world)) == 1


def test_port_of_the_receiver_must_be_among_those_that_the_shop_allows(world: World) -> None:
    def change(**settings: str) -> None:
        with world.database.of_shop(reloaded()) as tx:
            shops.change(tx, {name.replace("_", "-"): value for name, value in settings.items()})

    def reloaded() -> Shop:
        return shops.find(world.database, str(world.id))

    change(callback_ports="", callback_url="https://shop.example/")
    with pytest.raises(SettingRefused, match=r"^callback-url=https://shop.example:8443/: port 8443 not allowed"):
        change(callback_url="https://shop.example:8443/")
    change(callback_url="https://shop.example:8443/", callback_ports="9443, 8443")
    assert list(reloaded().callback_ports) == [8443, 9443]
    with pytest.raises(SettingRefused, match="port 8443 not allowed"):
        change(callback_ports="9443")
    for text in ("0", "65536", "x", "1,2,3,4,5,6,7,8,9,10,11", "-1", "٤٤٣"):
        with pytest.raises(SettingRefused, match="ports from 1 to 65535 are expected"):
            change(callback_ports=text)


@pytest.mark.parametrize("code", ["short", "with space in it", "line\r\nX-Other: 1", "ümlautümlaut", "x" * 256, ""])
def test_access_code_that_no_header_carries_is_refused_when_it_is_set(world: World, code: str) -> None:
    """Before, it was stored, and each callback of the shop failed."""
    with world.database.of_shop(world.shop) as tx, pytest.raises(SettingRefused) as refusal:
        shops.change(tx, {"callback-access-code": code})
    text = "callback-access-code: 8 to 255 ASCII letters, digits and signs without spaces are expected"
    assert str(refusal.value) == f"{text}: it is sent as a header"
