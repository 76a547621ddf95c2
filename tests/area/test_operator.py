"""The installation's page: the operator's people see it, for everyone else it does not exist."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from paymatch.area.people.roles import TeamRole
from paymatch.area.service import Service
from paymatch.domain.shops.alerts import AlertKind
from paymatch.domain.shops.audit import INSTALLATION, AuditAction
from paymatch.domain.shops.shop import ShopStatus
from paymatch.domain.words.message import Message
from paymatch.store.work import alerts, tallies
from paymatch.usecases import audit
from paymatch.usecases.shops import shops
from paymatch.usecases.work import installation
from paymatch.usecases.work.job_kinds import BY_NAME
from tests.area.conftest import Person

SHOWN = 40  # fewer entries than the page lists, which are 50 with the sign-ins


@pytest.mark.parametrize("address", ["/operator/", "/operator"])
def test_operator_sees_all_shops_and_the_due_work(address: str, sign_in: Callable[..., Person]) -> None:
    other = sign_in()
    operator = sign_in(TeamRole.VIEWER, staff=True)
    listed = operator.get(f"/operator/shops?q={other.shop.name}").content.decode()
    assert other.shop.name in listed and str(other.shop.id) in listed
    page = operator.get(address).content.decode()
    from paymatch.area.views.manage.labels.work import _JOBS

    shown = re.sub(r"<[^>]+>", " ", page)
    for kind in BY_NAME:
        assert kind in _JOBS and str(_JOBS[kind]) in shown
    assert "refund-run" not in shown


def test_deeds_are_told_in_words(service: Service, sign_in: Callable[..., Person]) -> None:
    person = sign_in(TeamRole.CLERK)
    page = sign_in_staff(sign_in).get("/operator/", headers={"accept-language": "de"}).content.decode()
    shown = re.sub(r"<[^>]+>", " ", page)
    assert f"Shop: {person.shop.name}; Betreiber: nein" in shown
    assert str(person.shop.id) not in shown


@pytest.mark.parametrize("first", range(0, len(AuditAction), SHOWN))
def test_every_kind_of_entry_is_shown(first: int, service: Service, sign_in: Callable[..., Person]) -> None:
    backup = {"files": 3, "databaseBytes": 9, "keys": ["k1"], "madeAt": "2026-03-26T02:25:33+00:00", "rows": 7}
    kinds = list(AuditAction)[first : first + SHOWN]
    staff = sign_in_staff(sign_in)
    for kind in kinds:
        audit.record_alone(service.database, INSTALLATION, kind, f"subject-of-{kind}.", after=backup)
    page = staff.get("/operator/")
    assert page.status_code == 200
    assert [kind for kind in kinds if f"subject-of-{kind}." not in page.content.decode()] == []


@pytest.mark.usefixtures("service")
def test_every_tally_has_words() -> None:
    from paymatch.area.views.manage.labels.work import _TALLIES

    known = {tallies.DELIVERED, tallies.FAILED, tallies.GIVEN_UP, "suggested", "unmatched"}
    known |= {tallies.DECIDED + outcome for outcome in ("matched", "suggested", "unmatched")}
    assert known == set(_TALLIES)


@pytest.mark.parametrize("role", list(TeamRole))
def test_for_others_it_does_not_exist(role: TeamRole, sign_in: Callable[..., Person]) -> None:
    assert sign_in(role).get("/operator/").status_code == 404


def test_it_changes_nothing(sign_in: Callable[..., Person]) -> None:
    assert sign_in(TeamRole.OWNER, staff=True).post("/operator/").status_code == 405


def test_nobody_sees_it_without_signing_in(sign_in: Callable[..., Person]) -> None:
    from django.test import Client

    sign_in()
    assert Client().get("/operator/")["Location"] == "/login?next=/operator/"


def test_everything_of_it_is_for_operators_alone(sign_in: Callable[..., Person]) -> None:
    owner = sign_in(proven=True)
    addresses = ("/operator/", "/operator/shops", "/operator/people", f"/operator/shops/{owner.shop.id}")
    for address in addresses:
        assert (owner.get(address).status_code, owner.post(address, {"do": "pause"}).status_code) == (404, 404)
    for address in addresses:
        for method in ("put", "delete", "patch"):
            assert getattr(sign_in_staff(sign_in).client, method)(address).status_code == 405


def sign_in_staff(sign_in: Callable[..., Person], **more: Any) -> Person:
    return sign_in(TeamRole.VIEWER, staff=True, **more)


def test_operator_pauses_a_shop_and_lets_it_go_on(service: Service, sign_in: Callable[..., Person]) -> None:
    operator, shop = sign_in_staff(sign_in, proven=True), sign_in().shop
    for do, status in (("pause", ShopStatus.PAUSED), ("resume", ShopStatus.ACTIVE)):
        assert operator.post(f"/operator/shops/{shop.id}", {"do": do}).status_code == 302
        assert shops.find(service.database, str(shop.id)).status is status
    [last, *_] = audit.last_entries(service.database, shop, "shop", 1)
    assert (last["action"], last["actor"]) == ("settings-changed", operator.email)
    listed = operator.get(f"/operator/shops?q={shop.name}").content.decode()
    assert listed.count(str(shop.id)) == 2
    assert "<h2>Nothing found</h2>" in operator.get("/operator/shops?q=nothing-like-it").content.decode()


def test_operator_creates_a_shop_whose_owner_begins_by_the_link(
    service: Service, sign_in: Callable[..., Person]
) -> None:
    operator = sign_in_staff(sign_in, proven=True)
    german = operator.get("/operator/shops/new", headers={"accept-language": "de"}).content.decode()
    names = re.findall(r'<option value="(\w\w)"[^>]*>([^<]+)</option>', german)
    assert ("DE", "Deutschland") in names
    assert names.index(("AT", "Österreich")) < names.index(("PK", "Pakistan"))
    assert 'href="/operator/shops/new"' in operator.get("/operator/shops").content.decode()
    wanted = {"name": "Käsehaus  7731", "country": "AT", "currency": "EUR", "owner": "kaese-7731@example.com"}
    assert operator.post("/operator/shops/new", wanted)["Location"] == "/operator/shops"
    made = shops.find(service.database, "Käsehaus 7731")
    assert (made.country, made.timezone, made.language, made.sandbox) == ("AT", "Europe/Vienna", "de", False)
    with service.database.of_shop(made) as tx:
        assert shops.keys(tx) == []
    page = operator.get("/operator/shops").content.decode()
    assert "kaese-7731@example.com starts with this link" in page and "/login/invitation/" in page
    [last, *_] = audit.last_entries(service.database, made, str(made.id), 1)
    assert (last["action"], last["actor"]) == ("shop-created", operator.email)
    again = operator.post("/operator/shops/new", wanted)
    assert again.status_code == 200 and "7731" in again.content.decode()
    assert sum(each.name == "Käsehaus 7731" for each in shops.every(service.database)) == 1
    assert sign_in(TeamRole.OWNER).post("/operator/shops/new", wanted).status_code == 404
    assert sign_in_staff(sign_in).post("/operator/shops/new", wanted)["Location"] == "/account/2fa/totp/activate/"


def test_an_operator_who_is_the_owner_goes_on_with_the_set_up(service: Service, sign_in: Callable[..., Person]) -> None:
    operator = sign_in_staff(sign_in, proven=True)
    wanted = {"name": "Windmühle 7732", "country": "DE", "currency": "EUR", "owner": operator.email.upper()}
    answer = operator.post("/operator/shops/new", wanted)
    assert answer["Location"] == f"/shops/{shops.find(service.database, 'Windmühle 7732').id}/setup"
    assert "Set up Windmühle 7732" in operator.get(answer["Location"]).content.decode()


def test_without_a_fresh_proof_nothing_changes(service: Service, sign_in: Callable[..., Person]) -> None:
    operator, shop = sign_in_staff(sign_in), sign_in().shop
    assert operator.post(f"/operator/shops/{shop.id}", {"do": "pause"})["Location"] == "/account/2fa/totp/activate/"
    assert shops.find(service.database, str(shop.id)).status is ShopStatus.ACTIVE


def test_operator_resets_and_disables_people(service: Service, sign_in: Callable[..., Person]) -> None:
    operator, person = sign_in_staff(sign_in, proven=True), sign_in()
    operator.post("/operator/people", {"do": "reset", "email": person.email})
    page = operator.get(f"/operator/people?q={person.email}").content.decode()
    assert "http://testserver/login/invitation/" in page and person.shop.name in page
    assert person.get("overview").status_code == 302
    operator.post("/operator/people", {"do": "disable", "email": person.email})
    operator.post("/operator/people", {"do": "disable", "email": operator.email})
    assert operator.get("/operator/people").status_code == 200
    assert (
        'class="badge grey" title="disabled">Disabled'
        in operator.get(f"/operator/people?q={person.email}").content.decode()
    )
    told = [
        (row["action"], row["actor"]) for row in audit.last_entries(service.database, INSTALLATION, person.email, 3)
    ]
    assert told == [
        ("person-disabled", operator.email), ("sign-in-link-made", operator.email), ("person-reset", operator.email),
    ]  # fmt: skip


def test_health_is_measured(service: Service, sign_in: Callable[..., Person]) -> None:
    found = installation.health(service.database, service.settings.data_dir, service.clock())
    assert 0 < found.disk_free <= found.disk_total
    assert found.database["bytes"] > 1_000_000 and found.database["connections"] >= 1
    page = sign_in_staff(sign_in).get("/operator/").content.decode()
    assert found.database["version"] in page


def with_last_sign_in(person: Person, at: datetime) -> Person:
    from paymatch.area.people.models import User

    User.objects.filter(email=person.email).update(last_login=at)
    return person


def test_times_of_no_shop_say_that_they_are_utc(service: Service, sign_in: Callable[..., Person]) -> None:
    person = with_last_sign_in(sign_in(), datetime(2024, 7, 9, 22, 30, tzinfo=UTC))
    with service.database.of_shop(person.shop) as tx:
        subject = f"{person.shop.id} UTC"
        alerts.add(tx, AlertKind.MAIL_KEPT, subject, Message("alert-mail-kept"), service.clock())
    operator = sign_in_staff(sign_in)
    listed = operator.get(f"/operator/people?q={person.email}").content.decode()
    cells = re.findall(r'<td data-label="Last sign-in"[^>]*>(.+?)</td>', listed)
    assert [re.sub(r"<[^>]+>", "", each) for each in cells] == ["9 Jul 2024, 22:30\u00a0UTC"]
    german = operator.get(f"/operator/people?q={person.email}", headers={"accept-language": "de"}).content.decode()
    assert "9. Juli 2024, 22:30\u00a0UTC" in re.sub(r"<[^>]+>", "", german)
    page = operator.get("/operator/").content.decode()
    times = re.findall(r"\d\d:\d\d(?::\d\d)?.{0,4}", re.sub(r"<[^>]+>", "|", page))
    assert len(times) > 1 and [each for each in times if not each.endswith("\u00a0UTC")] == []


def test_exports_of_no_shop_say_that_they_are_utc(sign_in: Callable[..., Person]) -> None:
    person = with_last_sign_in(sign_in(), datetime(2024, 7, 9, 22, 30, tzinfo=UTC))
    operator = sign_in_staff(sign_in)
    query = f"/operator/people?q={person.email}&format="
    rows = list(csv.reader(b"".join(operator.get(f"{query}csv")).decode().splitlines()))
    assert (rows[0][-1], rows[1][-1]) == ("last_login", "2024-07-09 22:30:00+00:00")
    with zipfile.ZipFile(io.BytesIO(b"".join(operator.get(f"{query}xlsx")))) as book:
        sheet = book.read("xl/worksheets/sheet1.xml").decode()
    assert "Last sign-in (UTC)" in sheet and "45482.9375" in sheet  # 9 July 2024 22:30 in days since 1900


def test_times_of_a_shop_are_those_of_its_time_zone(sign_in: Callable[..., Person]) -> None:
    owner = with_last_sign_in(sign_in(proven=True), datetime(2024, 7, 9, 22, 30, tzinfo=UTC))
    assert owner.shop.timezone == "Europe/Berlin"
    page = owner.get("settings/team").content.decode()
    assert "10 Jul 2024, 00:30" in page and "UTC" not in page


def test_sessions_of_a_person_say_that_they_are_utc(sign_in: Callable[..., Person]) -> None:
    page = sign_in(proven=True).get("/account/sessions/").content.decode()
    assert re.findall(r"signed in ([^<·]+?)[\s·<]*(?:last seen|</)", page)[0].endswith("\u00a0UTC")
