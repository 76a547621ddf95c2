"""The callbacks' pages: the list, one callback opened, sending again, pausing, and the secret behind a fresh proof."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from paymatch.area.people.roles import TeamRole
from paymatch.area.service import Service
from paymatch.domain.callbacks.call_timing import UNMEASURED, CallTiming
from paymatch.domain.shops.shop import Shop
from paymatch.jobs.worker import Worker
from paymatch.outbound.http import HttpAnswer, HttpCall, NullHttp
from paymatch.store.shops import shops as shop_store
from paymatch.usecases import audit, callbacks
from paymatch.usecases.shops import shops
from tests.area.conftest import Person, Phone, prove
from tests.contract.client import START, Clock
from tests.usecases.refunds.refund_world import RefundWorld


@pytest.fixture
def shop(service: Service, new_shop: Callable[..., Shop]) -> Shop:
    """A shop whose receiver is registered."""
    made = new_shop()
    with service.database.of_shop(made) as tx:
        shops.change(tx, {"callback-url": "https://shop.example/hook", "callbacks": "on"})
    return shops.find(service.database, str(made.id))


def deliver(service: Service, clock: Clock, status: int, body: bytes = b"", timing: CallTiming = UNMEASURED) -> None:
    """The worker sends what is due; the receiver answers `status`."""

    def answer(_call: HttpCall) -> HttpAnswer:
        return HttpAnswer(
            status, body, truncated=False, retry_after=None, elapsed_seconds=0.038, address="", timing=timing
        )

    Worker(service.database, NullHttp(answer), clock).drain()


def an_answered_event(
    service: Service, clock: Clock, shop: Shop, status: int, body: bytes = b"", timing: CallTiming = UNMEASURED
) -> str:
    """A test event that was answered; its id."""
    with service.database.of_shop(shop, at=clock()) as tx:
        found = callbacks.send_test(tx)
    clock.pass_time(minutes=1)
    deliver(service, clock, status, body, timing)
    return found


def state(service: Service, shop: Shop, callback: str) -> str:
    with service.database.of_shop(shop) as tx:
        return str(callbacks.show(tx, callback)[0].status)


def entries(service: Service, shop: Shop) -> list[tuple[str, str]]:
    return [(row["action"], row["actor"]) for row in audit.last_entries(service.database, shop, "", 5)]


def test_list_shows_what_was_answered_and_filters(
    service: Service, shop: Shop, area_clock: Clock, sign_in: Callable[..., Person]
) -> None:
    delivered, given_up = (an_answered_event(service, area_clock, shop, status) for status in (200, 503))
    person = sign_in(TeamRole.CLERK, shop)
    page = person.get("callbacks").content.decode()
    assert page.partition("<main")[2].partition("</main>")[0].count("<tr>") == 3
    assert "1 of 2 attempts" in page
    assert "The shop has answered 503 since" in page
    assert re.findall(r"(Waiting|Delivered|Given up) <span class=\"count\">(\d+)<", page) == [
        ("Delivered", "1"), ("Given up", "1"),
    ]  # fmt: skip
    for chip, there, away in (("delivered", delivered, given_up), ("given-up", given_up, delivered)):
        page = person.get(f"callbacks?status={chip}").content.decode()
        assert there in page and away not in page
    found = b"".join(person.get("callbacks?format=csv&status=given-up")).decode().splitlines()
    assert len(found) == 2 and given_up in found[1]
    assert given_up not in person.get(f"callbacks?q={delivered}").content.decode()
    german = {"accept-language": "de"}
    table = b"".join(person.get("callbacks?format=csv&status=given-up&column=last_error", headers=german)).decode()
    for shown in (table, person.get(f"callbacks/{given_up}", headers=german).content.decode()):
        assert "der Empfänger hat 503 geantwortet" in shown and "receiver answered" not in shown


def test_opened_callback_shows_request_answer_and_timing(
    service: Service, shop: Shop, area_clock: Clock, sign_in: Callable[..., Person]
) -> None:
    callback = an_answered_event(service, area_clock, shop, 503, b"<h1>back soon</h1>")
    page = sign_in(TeamRole.VIEWER, shop).get(f"callbacks/{callback}").content.decode()
    for words in (
        "POST https://shop.example/hook", "webhook-signature: v1,", "&lt;h1&gt;back soon&lt;/h1&gt;",
        "503 Service Unavailable", "after 38 ms", "38 ms of 15 s allowed",
    ):  # fmt: skip
        assert words in page, words
    assert "Resend now" not in page
    assert '<progress class="took"' in page and "first byte" not in page  # only the whole time is known


def test_opened_callback_shows_where_the_time_went(
    service: Service, shop: Shop, area_clock: Clock, sign_in: Callable[..., Person]
) -> None:
    timing = CallTiming(4_100, 11_000, 18_200, 50, "192.0.2.41")
    callback = an_answered_event(service, area_clock, shop, 503, timing=timing)
    person = sign_in(TeamRole.VIEWER, shop)
    page = person.get(f"callbacks/{callback}").content.decode()
    parts = "name lookup 4.1 ms, connection 11 ms, TLS 18 ms, first byte &lt; 0.1 ms, other 4.7 ms"
    assert f'aria-label="Timing: {parts}"' in page
    assert '<i class="key three"></i>TLS 18 ms</span>' in page
    assert "to 192.0.2.41</span>" in page and "<progress" not in page
    german = person.get(f"callbacks/{callback}", headers={"accept-language": "de"}).content.decode()
    assert "Namensauflösung 4,1 ms, Verbindung 11 ms, TLS 18 ms, erstes Byte &lt; 0,1 ms, Übriges 4,7 ms" in german


def test_call_on_a_kept_connection_says_so(
    service: Service, shop: Shop, area_clock: Clock, sign_in: Callable[..., Person]
) -> None:
    timing = CallTiming(0, None, None, 37_600, "192.0.2.41")
    callback = an_answered_event(service, area_clock, shop, 200, timing=timing)
    page = sign_in(TeamRole.VIEWER, shop).get(f"callbacks/{callback}").content.decode()
    assert 'aria-label="Timing: name lookup 0.0 ms, first byte 38 ms"' in page
    assert "The connection was still open from an earlier call." in page


def test_an_orders_status_stands_in_words(world: RefundWorld, sign_in: Callable[..., Person]) -> None:
    world.client.change(callback_url="https://shop.example/hook", callbacks="on")
    world.paid("A-1")
    person = sign_in(TeamRole.VIEWER, world.client.shop)
    page = person.get("callbacks").content.decode()
    badge = '<span class="badge green" title="PAID">Paid</span>'
    assert badge in page and ">PAID<" not in page
    [(callback,)] = world.client.rows("SELECT id FROM callbacks WHERE shop_id = $1")
    opened = person.get(f"callbacks/{callback}").content.decode()
    assert "<h1" in opened and "Order A-1" in opened and "#A-1" not in opened
    assert opened.count(badge) == 2 and '<span class="badge grey" title="UNPAID">Open</span>' in opened
    [_head, line] = b"".join(person.get("callbacks?format=csv")).decode().splitlines()
    assert line.startswith("A-1,PAID,")


def test_resend_one_and_all_that_failed(
    service: Service, shop: Shop, area_clock: Clock, sign_in: Callable[..., Person]
) -> None:
    first, second = (an_answered_event(service, area_clock, shop, 503) for _ in range(2))
    person = sign_in(TeamRole.DEVELOPER, shop)
    assert person.post(f"callbacks/{first}").status_code == 302
    assert (state(service, shop, first), state(service, shop, second)) == ("PENDING", "GIVEN_UP")
    deliver(service, area_clock, 200)
    assert person.post("callbacks", {"do": "resend", "since": "day"}).status_code == 302
    assert (state(service, shop, first), state(service, shop, second)) == ("DELIVERED", "PENDING")
    assert "1 callback is sent again now." in person.get("callbacks").content.decode()


def test_test_event_is_queued_once(service: Service, shop: Shop, sign_in: Callable[..., Person]) -> None:
    person = sign_in(TeamRole.DEVELOPER, shop)
    assert person.post("callbacks", {"do": "test"}).status_code == 302
    with service.database.of_shop(shop) as tx:
        assert [(row.order_number, str(row.status)) for row in callbacks.page(tx)] == [("", "PENDING")]


def test_test_event_of_a_shop_without_receiver_is_refused(service: Service, sign_in: Callable[..., Person]) -> None:
    person = sign_in(TeamRole.DEVELOPER)
    person.post("callbacks", {"do": "test"})
    assert "Callbacks are off: register a callback URL" in person.get("callbacks").content.decode()
    with service.database.of_shop(person.shop) as tx:
        assert callbacks.page(tx) == []


def test_pause_holds_callbacks_until_somebody_resumes(
    service: Service, shop: Shop, area_clock: Clock, sign_in: Callable[..., Person]
) -> None:
    person = sign_in(TeamRole.DEVELOPER, shop)
    person.post("callbacks", {"do": "pause"})
    callback = an_answered_event(service, area_clock, shop, 200)
    assert state(service, shop, callback) == "PENDING"
    with service.database.of_shop(shop) as tx:
        assert callbacks.paused_at(tx) == START
    person.post("callbacks", {"do": "resume"})
    deliver(service, area_clock, 200)
    assert state(service, shop, callback) == "DELIVERED"
    assert entries(service, shop)[:2] == [("callbacks-resumed", person.email), ("callbacks-paused", person.email)]


@pytest.mark.parametrize("role", [TeamRole.CLERK, TeamRole.VIEWER])
def test_who_does_not_develop_changes_nothing(
    role: TeamRole, service: Service, shop: Shop, sign_in: Callable[..., Person]
) -> None:
    person = sign_in(role, shop)
    assert person.post("callbacks", {"do": "pause"}).status_code == 403
    with service.database.of_shop(shop) as tx:
        assert callbacks.paused_at(tx) is None
    assert person.get("callbacks/secret").status_code == 403


def secrets(service: Service, shop: Shop) -> tuple[Any, ...]:
    with service.database.of_shop(shop) as tx:
        return shop_store.callback_secrets(tx)


def test_secret_is_rotated_only_after_a_second_factor(
    service: Service, shop: Shop, area_clock: Clock, sign_in: Callable[..., Person], phone: Phone
) -> None:
    person = sign_in(TeamRole.DEVELOPER, shop)
    before = secrets(service, shop)
    assert person.post("callbacks/secret", {"hours": "2"})["Location"] == "/account/2fa/totp/activate/"
    assert secrets(service, shop) == before
    factor = prove(person, minutes_ago=6)
    asked = person.post("callbacks/secret", {"hours": "2"})
    assert asked["Location"].startswith("/account/2fa/reauthenticate/?next=")
    wrong = person.post(asked["Location"], {"code": "000000"})
    assert (wrong.status_code, secrets(service, shop)) == (200, before)
    page = person.post(asked["Location"], {"code": phone.code(factor)})
    code, secret, old, until = secrets(service, shop)
    assert (code, old) == (before[0], before[1])
    assert (until - area_clock()).total_seconds() == 2 * 3600
    assert secret != before[1] and secret in page.content.decode()
    assert secret not in person.get("callbacks/secret").content.decode()
    assert entries(service, shop)[0] == ("credentials-rotated", person.email)


def test_overlap_of_the_secrets_has_bounds(service: Service, shop: Shop, sign_in: Callable[..., Person]) -> None:
    person = sign_in(TeamRole.OWNER, shop, proven=True)
    before = secrets(service, shop)
    page = person.post("callbacks/secret", {"hours": "721"})
    assert "Ensure this value is less than or equal to 720." in page.content.decode()
    assert secrets(service, shop) == before
