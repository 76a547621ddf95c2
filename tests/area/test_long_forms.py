"""Who may send more than a short form: people with a valid session, asked about before any body is taken."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from paymatch.area.application import Area
from paymatch.area.service import SESSION_COOKIE, Service
from paymatch.front import PlainApplication, SignedIn
from paymatch.web import Admission, HttpReply, Origin, Request
from tests.area.conftest import Person


@pytest.fixture
def front(service: Service) -> PlainApplication:
    area = Area(service)
    return PlainApplication(area, body_limit=1_000, people=SignedIn(SESSION_COOKIE, area.person_of, 50_000))


def request(session: str = "", *, referer: str = "", **more: Any) -> Request:
    headers = {"cookie": f"theme=dark; {SESSION_COOKIE}={session}"} if session else {}
    headers |= {"host": "testserver", "referer": referer, "accept-language": "en"} if referer else {}
    return Request("POST", "/login", "", headers, Origin("203.0.113.9", https=True, local=False, secure=True), **more)


def let_in(front: PlainApplication, asked: Request) -> Admission:
    found = front.admit(asked)
    assert isinstance(found, Admission)
    return found


def admitted(front: PlainApplication, session: str) -> Admission:
    found = let_in(front, request(session))
    assert found.authenticate is not None
    proven = found.authenticate()
    assert not isinstance(proven, HttpReply)
    return proven or found


def session_of(person: Person) -> str:
    return str(person.client.cookies[SESSION_COOKIE].value)


@pytest.mark.parametrize("session", ["", "x" * 65])
def test_strangers_send_short_forms(front: PlainApplication, session: str) -> None:
    found = let_in(front, request(session))
    assert (found.share, found.body_limit, found.is_stranger, found.authenticate) == (
        "page 203.0.113.9", 1_000, True, None,
    )  # fmt: skip


def test_a_session_that_is_nobodys_stays_a_strangers(front: PlainApplication) -> None:
    for session in ("x" * 32, "'; --"):
        found = admitted(front, session)
        assert (found.share, found.body_limit, found.is_stranger) == ("page 203.0.113.9", 1_000, True)


def test_people_send_long_forms_on_an_account_of_their_own(
    front: PlainApplication, sign_in: Callable[..., Person]
) -> None:
    from paymatch.area.people.models import User

    person = sign_in()
    share = f"person {User.objects.get(email=person.email).pk}"
    found = admitted(front, session_of(person))
    assert (found.share, found.body_limit, found.is_stranger) == (share, 50_000, False)
    again = let_in(front, request(session_of(person)))  # known for a moment: no one is asked
    assert (again.share, again.body_limit, again.authenticate) == (share, 50_000, None)


def test_who_may_not_sign_in_any_more_is_a_stranger(front: PlainApplication, sign_in: Callable[..., Person]) -> None:
    from paymatch.area.people.models import User

    disabled, signed_out = sign_in(), sign_in()
    sessions = [session_of(disabled), session_of(signed_out)]
    User.objects.filter(email=disabled.email).update(is_active=False)
    signed_out.client.logout()
    assert [admitted(front, session).is_stranger for session in sessions] == [True, True]


def test_who_sends_too_much_reads_so_on_a_page_that_leads_back(
    front: PlainApplication, sign_in: Callable[..., Person]
) -> None:
    owner = sign_in()
    for session, words in (("", "Sign in to upload files"), (session_of(owner), "A form with its files may have")):
        asked = request(session, referer="https://testserver/shops?tab=1", body_too_large=True)
        found = admitted(front, session) if session else let_in(front, asked)
        status, page = answered(found, asked)
        assert status == 413
        assert words in page
        assert 'href="/shops?tab=1"' in page


def test_a_foreign_page_is_not_led_back_to(front: PlainApplication) -> None:
    asked = request(referer="https://elsewhere.example/form", body_too_large=True)
    page = answered(let_in(front, asked), asked)[1]
    assert 'href="/login"' in page
    assert "elsewhere" not in page


def answered(found: Admission, asked: Request) -> tuple[int, str]:
    """Status and page."""
    answer = found.answer(asked)
    assert isinstance(answer.body, bytes)
    return answer.status, answer.body.decode()
