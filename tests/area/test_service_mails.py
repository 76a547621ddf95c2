"""Mails of the service to the people who sign in: ours, in both languages, with a button and a footer."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from importlib import resources
from pathlib import Path
from uuid import uuid4

import pytest

from paymatch.area.service import Service
from paymatch.clock import utc_now
from tests.area.conftest import PASSWORD, Person
from tests.area.test_invitations import bodies, browser, mails_to
from tests.contract.client import START, Clock

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
REFUSED = {
    "account_already_exists", "email_changed", "email_confirmation", "email_confirmation_signup",
    "email_deleted", "login_code", "password_reset_code", "account_connected", "account_disconnected",
}  # fmt: skip
"""Mails of the library for what is switched off: registration, other addresses, codes by mail, connected accounts."""


@pytest.fixture(autouse=True)
def at_the_start(service: Service, area_clock: Clock) -> None:
    area_clock.now = START


def mails_of_the_library() -> Iterator[str]:
    """The names of the mails that django-allauth's code asks for."""
    for path in Path(str(resources.files("allauth"))).rglob("*.py"):
        if "tests" not in path.parts:
            constants = (
                each for each in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(each, ast.Constant)
            )
            found = (re.fullmatch(r"\w+/email/(\w+)", str(each.value)) for each in constants)
            yield from (match[1] for match in found if match)


def test_every_mail_of_the_library_has_our_words_or_is_switched_off() -> None:
    """A version of the library with another mail is noticed here, not by the person who gets its text."""
    from paymatch.area.mail import ServiceMail

    ours = {"invitation", "invited_again", "new_sign_in", "new_power"}
    assert set(mails_of_the_library()) == (set(ServiceMail) - ours) | REFUSED


def test_every_mail_of_the_service_is_ours_in_both_languages(service: Service) -> None:
    """Subject, words, button and footer, as HTML and as text; the sender's own server is named in the Message-ID."""
    from paymatch.area.mail import TEXTS, ServiceMail, send_service_mail

    assert set(TEXTS) == set(ServiceMail)
    values = {"shop": "Teehaus & Co", "by": "Jana", "days": 7, "device": "D", "at": "T", "address": "A", "what": "W"}
    footers = {
        "en": "This mail was sent automatically by paymatch to",
        "de": "Diese E-Mail hat paymatch automatisch an",
    }
    for kind in ServiceMail:
        said = []
        for language, footer in footers.items():
            address = f"{kind}-{language}-{uuid4().hex[:6]}@example.org"
            send_service_mail(kind, address, "http://testserver/login?a=1&b=2", values, language)
            (mail,) = mails_to(service, address)
            plain, html = bodies(mail)
            assert "http://testserver/login?a=1&b=2" in plain
            assert 'href="http://testserver/login?a=1&amp;b=2"' in html
            assert f'<html lang="{language}">' in html
            assert f"{footer} {address}" in plain
            assert f"{footer} {address}" in html
            assert "%(" not in plain + html + mail["Subject"]
            assert mail["From"] == "paymatch <paymatch@testserver>"
            assert mail["Auto-Submitted"] == "auto-generated"
            assert mail["Message-ID"].endswith("@testserver>")
            said.append((mail["Subject"], plain))
        assert said[0][0] != said[1][0], kind
        assert said[0][1] != said[1][1], kind


def test_without_an_address_of_the_service_a_mail_has_no_button(service: Service) -> None:
    from paymatch.area.mail import ServiceMail, send_service_mail

    address = f"{uuid4().hex[:8]}@example.org"
    send_service_mail(ServiceMail.NEW_POWER, address, "", {"shop": "Teehaus", "what": "W"}, "en")
    (mail,) = mails_to(service, address)
    plain, html = bodies(mail)
    assert "Open the settings" not in plain + html
    assert "<a " not in html


def test_a_new_password_is_asked_for_and_set_by_mails_of_ours(service: Service, sign_in: Callable[..., Person]) -> None:
    person = sign_in()
    client = browser()
    client.post("/account/password/reset/", {"email": person.email})
    (mail,) = mails_to(service, person.email)
    assert mail["Subject"] == "Reset your password for paymatch"
    plain, html = bodies(mail)
    assert "The link works once, within 3 days." in plain
    (path,) = set(re.findall(r'http://testserver(/account/password/reset/key/[^\s"<]+)', plain + html))
    form = client.get(path)["Location"]
    new = "another correct horse"
    client.post(form, {"password1": new, "password2": new})
    assert mails_to(service, person.email)[-1]["Subject"] == "Your password was changed"
    assert browser().post("/login", {"login": person.email, "password": new}).status_code == 302


def test_a_sign_in_from_another_browser_is_told_once(service: Service, sign_in: Callable[..., Person]) -> None:
    from paymatch.area.people.models import User

    person = sign_in()
    User.objects.filter(email=person.email).update(last_login=utc_now())
    client = browser()
    for _ in range(2):
        client.post("/login", {"login": person.email, "password": PASSWORD}, headers={"User-Agent": FIREFOX})
        client.post("/logout")
    (mail,) = mails_to(service, person.email)
    assert mail["Subject"] == "New sign-in to paymatch"
    assert "2 Mar, 09:30\u00a0UTC, Firefox on Linux, IP address 127.0.0.1\n" in bodies(mail)[0]


@pytest.mark.parametrize(
    ("path", "status", "words", "german"),
    [
        ("/login/link/none", 410, "It works once, within an hour.", "Er gilt einmal und eine Stunde lang."),
        ("/login/invitation/none", 410, "An invitation works once, within seven days.", "Eine Einladung gilt einmal"),
        ("/account/password/reset/key/1-a-b/", 200, "It was used already, has expired", "Er wurde schon benutzt, ist"),
    ],
)
def test_a_link_that_no_longer_works_says_how_to_get_a_new_one(
    service: Service, path: str, status: int, words: str, german: str
) -> None:
    answers = [browser().get(path, headers={"Accept-Language": language}) for language in ("en", "de")]
    assert [answer.status_code for answer in answers] == [status, status]
    english, translated = (answer.content.decode() for answer in answers)
    assert "This link no longer works" in english
    assert words in english
    assert german in translated
