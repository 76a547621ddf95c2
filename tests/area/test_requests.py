"""The log of API requests: what is kept of which, and how developers find it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest

from paymatch.api import Api, ApiConfig
from paymatch.area.people.roles import TeamRole
from paymatch.area.service import Service
from paymatch.domain.shops.api_requests import ApiRequest, as_text, without_accounts
from paymatch.outbound.files import DirectoryFiles
from paymatch.store.transactions import ShopId
from paymatch.usecases.privacy.retention import forget_old
from paymatch.usecases.shops import shops
from paymatch.usecases.work import api_requests as log
from tests.area.conftest import Person
from tests.contract.client import START, Clock, ShopClient, new_shop, order

Made = list[ApiRequest]


@pytest.fixture
def made() -> Made:
    """The log of the API's requests."""
    return []


@pytest.fixture
def caller(service: Service, area_clock: Clock, made: Made, tmp_path: Path) -> ShopClient:
    """A shop that has submitted an order, was refused another, and asked for postings of an account."""
    area_clock.now = START
    config = ApiConfig(("x-service-api-key",), area_clock, 1000, record=made.append)
    client = new_shop(Api(service.database, DirectoryFiles(tmp_path), config), service.database, area_clock)
    client.submit("R-1")
    area_clock.pass_time(seconds=1)
    assert client.post("order/R-2", order("R-2", amount="dear", customerEmail="erika@example.org")).status == 400
    area_clock.pass_time(seconds=1)
    assert client.get("postings?iban=DE89370400440532013000&limit=1").status == 200
    return client


def test_of_refused_requests_the_body_is_told_and_of_no_stranger_anything(caller: ShopClient, made: Made) -> None:
    told = [(each.method, each.path, each.order_number, each.status, bool(each.sent)) for each in made]
    assert told == [
        ("POST", "order/R-1", "R-1", 200, False),
        ("POST", "order/R-2", "R-2", 400, True),
        ("GET", "postings", "", 200, False),
    ]
    assert b"erika@example.org" in made[1].sent and b"amount" in made[1].answered
    assert caller.get("orders", X_Service_API_Key=caller.key[:-1] + "_").status == 401
    assert len(made) == 3


def test_calls_with_a_key_that_is_valid_no_more_are_shown_without_what_they_sent(
    service: Service, caller: ShopClient, made: Made, sign_in: Callable[..., Person]
) -> None:
    with service.database.of_shop(caller.shop, at=caller.clock()) as tx:
        (key,) = shops.keys(tx)
        shops.revoke_key(tx, key.id)
    refused = caller.post("order/R-3", order("R-3", customerEmail="erika@example.org"))
    assert (refused.status, caller.get("orders").status) == (401, 401)
    told = [(each.method, each.path, each.status, each.key_id, each.sent, each.answered) for each in made[3:]]
    assert told == [
        ("POST", "order/R-3", 401, key.id, b"", refused.body),
        ("GET", "orders", 401, key.id, b"", refused.body),
    ]
    log.record(service.database, made)
    page = sign_in(TeamRole.DEVELOPER, shop=caller.shop).get("developers/requests?status=refused").content.decode()
    assert page.count("401 Unauthorized") == 2 and page.count(key.hint) == 3


def test_developers_find_requests_and_what_was_wrong(
    service: Service, caller: ShopClient, made: Made, sign_in: Callable[..., Person]
) -> None:
    log.record(service.database, made)
    person = sign_in(TeamRole.DEVELOPER, shop=caller.shop)

    def listed(query: str = "") -> list[str]:
        lines = b"".join(person.get(f"developers/requests?format=csv{query}").streaming_content).decode().splitlines()
        return [line.split(",")[1] for line in lines[1:]]

    assert listed() == ["GET /postings", "POST /order/R-2", "POST /order/R-1"]
    assert listed("&status=refused") == listed("&q=R-2") == listed(f"&q={made[1].id}") == ["POST /order/R-2"]
    assert listed("&q=order/") == ["POST /order/R-2", "POST /order/R-1"]
    shown = person.get(f"developers/requests/{made[1].id}").content.decode()
    assert "erika@example.org" in shown and "400 Bad Request" in shown
    assert "No body is kept" in person.get(f"developers/requests/{made[0].id}").content.decode()
    assert "DE8937" not in person.get(f"developers/requests/{made[2].id}").content.decode()
    assert sign_in(TeamRole.DEVELOPER).get(f"developers/requests/{made[1].id}").status_code == 404
    assert (
        b"erika" not in caller.rows("SELECT sent FROM api_requests WHERE shop_id = $1 AND status = 400")[0][0].encode()
    )


@pytest.mark.parametrize(("kept", "rows", "bodies"), [("bodies", 3, 1), ("requests", 3, 0), ("off", 0, 0)])
def test_the_shop_chooses_what_is_kept(
    service: Service, caller: ShopClient, made: Made, sign_in: Callable[..., Person], kept: str, rows: int, bodies: int
) -> None:
    answer = sign_in(TeamRole.DEVELOPER, shop=caller.shop).post("developers/requests", {"request-log": kept})
    assert answer.status_code == 302
    log.record(service.database, made)
    counted = "SELECT count(*), count(*) FILTER (WHERE sent <> '') FROM api_requests WHERE shop_id = $1"
    assert caller.rows(counted) == [(rows, bodies)]


def test_requests_are_written_behind_the_answers_and_forgotten_after_thirty_days(
    service: Service, caller: ShopClient, made: Made, area_clock: Clock
) -> None:
    recorder = log.RequestRecorder(service.database)
    recorder.start()
    for each in made:
        recorder.take(each)
    recorder.stop()
    assert caller.rows("SELECT count(*) FROM api_requests WHERE shop_id = $1") == [(3,)]
    for days, left in ((30, 3), (31, 0)):
        forget_old(service.database, caller.shop, START + timedelta(days=days))
        assert caller.rows("SELECT count(*) FROM api_requests WHERE shop_id = $1") == [(left,)]


def test_a_database_that_is_away_costs_the_log_and_nothing_else(
    service: Service, made: Made, caller: ShopClient
) -> None:
    class Away:
        def transaction(self, shop: ShopId) -> Any:
            raise psycopg.OperationalError("away")

    recorder = log.RequestRecorder(Away())  # type: ignore[arg-type]
    recorder.take(made[0])
    recorder.write()
    recorder.write()


def test_texts_are_cut_and_without_accounts() -> None:
    assert as_text("ä".encode() * 5000) == "ä" * 4000
    assert as_text(b"a\x00b") == "ab"
    assert as_text(b"\xff\xfe\x00" * 50) == ""
    assert as_text("abcä".encode()[:-1]) == "abc"
    assert without_accounts("limit=1&iban=DE89&x=2") == "limit=1&iban=...&x=2"
    assert without_accounts("IBAN=DE89") == "IBAN=..."
