"""Sign-in: by password with the fields `login` and `password`, by a link that works once, and there is no sign-up."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest

from paymatch.area.service import Service
from paymatch.domain.shops.shop import Shop
from tests.area.conftest import PASSWORD, Person
from tests.contract.client import START, Clock


@pytest.fixture(autouse=True)
def at_the_start(service: Service, area_clock: Clock) -> None:
    area_clock.now = START


def browser() -> Any:
    from django.test import Client

    return Client()


def person(shop: Shop, password: str = PASSWORD) -> str:
    from paymatch.area.people import accounts

    email = f"p-{uuid4().hex[:8]}@example.org"
    accounts.create_person(email, shop=shop.id, password=password)
    return email


def test_password_leads_to_the_shop(new_shop: Callable[..., Shop]) -> None:
    shop = new_shop()
    client = browser()
    answer = client.post("/login", {"login": person(shop), "password": PASSWORD})
    assert (answer.status_code, answer["Location"]) == (302, "/")
    assert client.get("/")["Location"] == f"/shops/{shop.id}/setup", "an empty shop begins with its set-up"


@pytest.mark.parametrize("password", ["wrong horse battery", "", " "])
def test_wrong_password_signs_nobody_in(new_shop: Callable[..., Shop], password: str) -> None:
    shop = new_shop()
    client = browser()
    assert client.post("/login", {"login": person(shop), "password": password}).status_code == 200
    assert client.get(f"/shops/{shop.id}/overview").status_code == 302


def test_who_has_nothing_to_prove_reads_how_to_choose_it(new_shop: Callable[..., Shop], area_clock: Clock) -> None:
    from paymatch.area.people import accounts

    user = accounts.create_person(f"l-{uuid4().hex[:8]}@example.org", shop=new_shop().id)
    client = browser()
    client.post(accounts.sign_in_link(user, "http://testserver", area_clock()))
    answer = client.get("/account/reauthenticate/")
    assert answer.status_code == 403
    page = answer.content.decode()
    assert "<h1>Choose a password first</h1>" in page and 'href="/account/password/set/"' in page


def test_link_signs_in_once_within_the_hour(new_shop: Callable[..., Shop], area_clock: Clock) -> None:
    from paymatch.area.people import accounts

    shop = new_shop()
    user = accounts.create_person(f"l-{uuid4().hex[:8]}@example.org", shop=shop.id)
    link = accounts.sign_in_link(user, "http://testserver", area_clock())
    area_clock.pass_time(minutes=59)
    first, second = browser(), browser()
    assert first.post(link)["Location"] == "/"
    assert first.get(f"/shops/{shop.id}/overview").status_code == 200
    assert (second.get(link).status_code, second.post(link).status_code) == (410, 410)
    assert second.get(f"/shops/{shop.id}/overview").status_code == 302


def test_attack_a_link_that_is_only_looked_at_signs_nobody_in(new_shop: Callable[..., Shop], area_clock: Clock) -> None:
    """Neither a program that looks at mails and chats, which would have the session, nor a person led to a stranger's
    link. The operator's link is no other."""
    from django.test import Client

    from paymatch.area.people import accounts

    shop = new_shop()
    user = accounts.create_person(f"l-{uuid4().hex[:8]}@example.org", shop=shop.id)
    link = accounts.sign_in_link(user, "http://testserver", area_clock())
    scanner, victim = browser(), Client(enforce_csrf_checks=True)
    for look in (scanner.get, scanner.head, victim.get):
        assert look(link).status_code == 200
    assert user.email in scanner.get(link).content.decode()
    assert victim.post(link).status_code == 403  # a form of another site
    for client in (scanner, victim):
        assert client.get(f"/shops/{shop.id}/overview").status_code == 302
    assert browser().post(link)["Location"] == "/"


@pytest.mark.parametrize("ending", ["reset", "disable"])
def test_attack_a_link_of_before_a_reset_signs_nobody_in(
    new_shop: Callable[..., Shop], area_clock: Clock, ending: str
) -> None:
    """A reader of the person's mail has an earlier link: after the reset no second factor would stand in its way."""
    from paymatch.area.people import accounts

    user = accounts.create_person(f"l-{uuid4().hex[:8]}@example.org", shop=new_shop().id)
    link = accounts.sign_in_link(user, "http://testserver", area_clock())
    getattr(accounts, ending)(user.email)
    user.refresh_from_db()
    user.is_active = True
    user.save()
    thief = browser()
    assert (thief.get(link).status_code, thief.post(link).status_code) == (410, 410)
    assert thief.get("/")["Location"] == "/login"
    after = accounts.sign_in_link(user, "http://testserver", area_clock())
    assert browser().post(after)["Location"] == "/"


def test_link_expires_after_an_hour(new_shop: Callable[..., Shop], area_clock: Clock) -> None:
    from paymatch.area.people import accounts

    user = accounts.create_person(f"l-{uuid4().hex[:8]}@example.org", shop=new_shop().id)
    link = accounts.sign_in_link(user, "http://testserver", area_clock())
    area_clock.now += timedelta(hours=1)
    assert (browser().get(link).status_code, browser().post(link).status_code) == (410, 410)


def test_nobody_signs_up(service: Service) -> None:
    from paymatch.area.people.models import User

    known = User.objects.count()
    client = browser()
    client.post(
        "/account/signup/",
        {"email": "new@example.org", "password1": PASSWORD, "password2": PASSWORD},
    )
    assert User.objects.count() == known


def test_guessing_passwords_is_slowed_down(new_shop: Callable[..., Shop]) -> None:
    email = person(new_shop())
    client = browser()
    for _ in range(6):
        client.post("/login", {"login": email, "password": "wrong horse battery"})
    assert client.post("/login", {"login": email, "password": PASSWORD}).status_code in (200, 429)
    assert client.get("/")["Location"] == "/login"


def test_invalid_addresses_lead_to_the_sign_in(service: Service) -> None:
    assert browser().get("/nothing/here")["Location"] == "/login"


def test_signed_in_person_reads_that_a_page_does_not_exist(sign_in: Callable[..., Person]) -> None:
    assert sign_in().get("/nothing/here").status_code == 404


def test_scripts_of_passkeys_are_there_and_allowed(sign_in: Callable[..., Person], service: Service) -> None:
    from paymatch.area.application import Area
    from paymatch.area.static_files import prefix

    page = sign_in(proven=True).get("/account/2fa/webauthn/add/")
    assert "script-src 'self' 'nonce-" in page["Content-Security-Policy"]
    assert f'src="{prefix()}/mfa/js/webauthn.js"' in page.content.decode()
    started: list[str] = []
    environ = {"REQUEST_METHOD": "GET", "PATH_INFO": f"{prefix()}/mfa/js/webauthn.js"}
    area: Any = Area(service).load()
    with closing(area(environ, lambda status, _headers: started.append(status))) as answer:
        content = b"".join(answer)
    assert started == ["200 OK"] and b"webauthn" in content


def test_who_works_for_several_shops_changes_between_them(new_shop: Callable[..., Shop]) -> None:
    from paymatch.area.people import accounts

    one, other, foreign = new_shop(), new_shop(), new_shop()
    email = person(one)
    client = browser()
    client.post("/login", {"login": email, "password": PASSWORD})
    assert 'class="brand" href="/"' in client.get(f"/shops/{one.id}/overview").content.decode()
    accounts.create_person(email, shop=other.id)
    assert 'class="brand" href="/shops"' in client.get(f"/shops/{one.id}/overview").content.decode()
    page = client.get("/shops").content.decode()
    assert f'<a href="/shops/{other.id}/overview">{other.name}</a>' in page and one.name in page
    assert foreign.name not in page
    assert browser().get("/shops").status_code == 302
