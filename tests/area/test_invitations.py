"""Invitations: a week to begin, a first page that sets name and password, and a list of those who wait."""

from __future__ import annotations

import email
import email.policy
import re
from collections.abc import Callable
from datetime import timedelta
from email.message import EmailMessage
from typing import Any
from uuid import uuid4

import pytest

from paymatch.area.people.roles import TeamRole
from paymatch.area.service import Service
from tests.area.conftest import PASSWORD, Person
from tests.contract.client import START, Clock


@pytest.fixture(autouse=True)
def at_the_start(service: Service, area_clock: Clock) -> None:
    area_clock.now = START


def browser() -> Any:
    from django.test import Client

    return Client()


def mails_to(service: Service, address: str) -> list[EmailMessage]:
    """The mails that were kept for the address, the latest last."""
    files = sorted((service.settings.kept_mail() / "area").iterdir(), key=lambda file: file.stat().st_mtime_ns)
    found = [email.message_from_bytes(file.read_bytes(), policy=email.policy.default) for file in files]
    return [each for each in found if each["To"] == address]


def bodies(mail: EmailMessage) -> tuple[str, str]:
    """(plain text, HTML)."""
    plain, html = mail.get_body(("plain",)), mail.get_body(("html",))
    assert plain is not None
    assert html is not None
    return plain.get_content(), html.get_content()


def invite(service: Service, owner: Person, role: TeamRole = TeamRole.CLERK) -> tuple[str, str]:
    """(address of an invited person, path of the link in their mail)."""
    address = f"new-{uuid4().hex[:8]}@example.org"
    owner.post("settings/team", {"do": "invite", "email": address, "role": role})
    return address, path_in(mails_to(service, address)[-1])


def path_in(mail: EmailMessage) -> str:
    """The link of an invitation, the same in both bodies."""
    plain, html = bodies(mail)
    (path,) = set(re.findall(r"http://testserver(/login/invitation/[\w-]+)", plain + html))
    return str(path)


def test_invited_person_sets_name_and_password_and_signs_in_again_with_them(
    service: Service, sign_in: Callable[..., Person]
) -> None:
    owner = sign_in(proven=True)
    address, path = invite(service, owner)
    client = browser()
    assert client.get(path).status_code == 200
    answer = client.post(path, {"name": "Jana Behrens", "password": PASSWORD})
    assert (answer.status_code, answer["Location"]) == (302, "/")
    page = client.get(f"/shops/{owner.shop.id}/orders").content.decode()
    assert "Jana Behrens" in page
    again = browser()
    assert again.post("/login", {"login": address, "password": PASSWORD}).status_code == 302
    assert again.get(f"/shops/{owner.shop.id}/orders").status_code == 200
    assert (browser().get(path).status_code, browser().post(path).status_code) == (410, 410)
    team = owner.get("settings/team").content.decode()
    assert "Jana Behrens" in team
    assert "invited, waiting" not in team


def test_invitation_can_be_set_up_with_a_passkey(service: Service, sign_in: Callable[..., Person]) -> None:
    _address, path = invite(service, sign_in(proven=True))
    client = browser()
    answer = client.post(path, {"name": "Jana Behrens", "by": "passkey"})
    assert (answer.status_code, answer["Location"]) == (302, "/account/2fa/webauthn/add/")
    assert client.get("/account/2fa/webauthn/add/").status_code == 200
    assert browser().get(path).status_code == 200, "without a passkey yet, the link is the only way back"


@pytest.mark.parametrize(
    "form", [{"name": "A", "password": "short"}, {"name": "", "password": PASSWORD}, {"name": "A"}]
)
def test_first_page_asks_again_and_the_link_goes_on_working(
    service: Service, sign_in: Callable[..., Person], form: dict[str, str]
) -> None:
    owner = sign_in(proven=True)
    _address, path = invite(service, owner)
    client = browser()
    assert client.post(path, form).status_code == 422
    assert client.get(f"/shops/{owner.shop.id}/orders").status_code == 302
    assert client.post(path, {"name": "A", "password": PASSWORD}).status_code == 302


def test_invitation_lasts_seven_days(service: Service, sign_in: Callable[..., Person], area_clock: Clock) -> None:
    _address, path = invite(service, sign_in(proven=True))
    area_clock.now += timedelta(days=7) - timedelta(seconds=1)
    assert browser().get(path).status_code == 200
    area_clock.now += timedelta(seconds=1)
    assert browser().post(path, {"name": "A", "password": PASSWORD}).status_code == 410


def test_team_list_sends_an_invitation_again_and_withdraws_it(service: Service, sign_in: Callable[..., Person]) -> None:
    from paymatch.area.people import accounts

    owner = sign_in(proven=True)
    address, first = invite(service, owner)
    assert "invited, waiting" in owner.get("settings/team").content.decode()
    person = str(accounts.find(address).pk)
    owner.post("settings/team", {"do": "again", "person": person})
    second = path_in(mails_to(service, address)[-1])
    assert (browser().get(first).status_code, browser().get(second).status_code) == (410, 200)
    owner.post("settings/team", {"do": "remove", "person": person})
    assert browser().post(second, {"name": "A", "password": PASSWORD}).status_code == 410
    assert address not in owner.get("settings/team").content.decode().partition('<div class="stack two">')[2]


def test_attack_an_invitation_signs_nobody_in_who_has_a_password(
    service: Service, sign_in: Callable[..., Person]
) -> None:
    """A mail that lies about for a week is no key to an account that exists; its person signs in as usual."""
    owner, known = sign_in(proven=True), sign_in()
    owner.post("settings/team", {"do": "invite", "email": known.email, "role": "viewer"})
    (mail,) = mails_to(service, known.email)
    assert "http://testserver/login\n" in bodies(mail)[0]
    assert "/login/invitation/" not in "".join(bodies(mail))
    assert known.get(f"/shops/{owner.shop.id}/orders").status_code == 200


def test_people_change_their_name(sign_in: Callable[..., Person]) -> None:
    person = sign_in()
    assert person.get("/profile").status_code == 200
    assert person.post("/profile", {"name": " "}).status_code == 422
    assert person.post("/profile", {"name": "Marie Iversen"}).status_code == 302
    assert ">Marie Iversen</strong>" in person.get("orders").content.decode()
