"""The first account of an installation: by a link that the service prints, and that ends with it (D-140)."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final
from urllib.parse import urlencode

import pytest

from paymatch.area.people.first_person import LINK_LASTS, first_link, is_first_token
from tests.front.service import Reply, Service, service

SECRET: Final = "a secret key of an installation"
NOW: Final = datetime(2026, 11, 28, 9, tzinfo=UTC)
PASSWORD: Final = "seven teapots on a shelf"
MADE: Final = {"email": "first@example.org", "name": "Erika Mustermann", "password": PASSWORD}
_PRINTED: Final = re.compile(r"To make the first account, within the hour: http://127\.0\.0\.1:\d+(/login/first/\S+)")


@pytest.fixture
def empty(migrated_url: str, tmp_path: Path) -> Iterator[Service]:
    with service(migrated_url, tmp_path) as found:
        yield found


def printed(running: Service) -> str:
    """The path of the link in what the service printed."""
    (path,) = _PRINTED.findall(running.log.read_text("utf-8"))
    return str(path)


def sent(running: Service, path: str, fields: dict[str, str]) -> Reply:
    """The answer to the page's form, in a browser of its own; to a page without a form the page itself."""
    page = running.ask(path)
    token = re.search(rb'name="csrfmiddlewaretoken" value="(\w+)"', page.body)
    if token is None:
        return page
    body = urlencode(fields | {"csrfmiddlewaretoken": token[1].decode()}).encode()
    kind = "application/x-www-form-urlencoded"
    cookie = page.headers["set-cookie"].partition(";")[0]
    return running.ask(path, "", "POST", body, Content_Type=kind, Cookie=cookie)


def test_the_printed_link_makes_one_person(empty: Service, migrated_url: str, tmp_path: Path) -> None:
    path = printed(empty)
    page = empty.ask(path)
    assert page.status == 200 and b"You are the first person here" in page.body
    for changed, said in (
        ({"email": "no address"}, "Enter a valid email address"),
        ({"name": " "}, "This field is required"),
        ({"password": ""}, "Choose a password, or use a passkey."),
        ({"password": "short"}, "too short"),
    ):
        refused = sent(empty, path, MADE | changed)
        assert refused.status == 422 and said in refused.body.decode(), changed
    for forged in ("x", f"{path.rpartition('/')[2]}0", "9999999999-" + "0" * 64):
        answer = sent(empty, f"/login/first/{forged}", MADE)
        assert answer.status == 410 and b"it prints a new link" in answer.body, forged
    made = sent(empty, path, MADE)
    assert (made.status, made.headers["location"]) == (302, "/")
    cookies = made.headers["set-cookie"]
    assert "paymatch_session=" in cookies
    late = sent(empty, path, MADE | {"email": "second@example.org"})
    assert late.status == 410
    folder = tmp_path / "again"
    folder.mkdir()
    with service(migrated_url, folder) as again:
        log = again.log.read_text("utf-8")
        assert not _PRINTED.search(log)
        assert "For a link to sign in: paymatch user create EMAIL --staff, and make the first shop there" in log


def test_of_several_at_once_one_comes_first(empty: Service) -> None:
    path, answers = printed(empty), list[int]()
    gate = threading.Barrier(4)

    def one(number: int) -> None:
        gate.wait()
        answers.append(sent(empty, path, MADE | {"email": f"p{number}@example.org"}).status)

    threads = [threading.Thread(target=one, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == [302, 410, 410, 410]


def test_with_a_passkey_no_password_is_asked_for(empty: Service) -> None:
    answer = sent(empty, printed(empty), MADE | {"password": "", "by": "passkey"})
    assert (answer.status, answer.headers["location"]) == (302, "/account/2fa/webauthn/add/")


def test_a_token_is_good_for_its_installation_until_it_ends() -> None:
    link = first_link(SECRET, "https://pay.example.org", NOW)
    assert link.startswith("https://pay.example.org/login/first/")
    token = link.rpartition("/")[2]
    ends, _, proof = token.partition("-")
    assert is_first_token(SECRET, token, NOW)
    assert is_first_token(SECRET, token, NOW + LINK_LASTS - timedelta(seconds=1))
    assert not is_first_token(SECRET, token, NOW + LINK_LASTS)
    assert not is_first_token("another secret key", token, NOW)
    for forged in (
        f"{int(ends) + 1}-{proof}",
        f"{ends}-{proof[:-1]}",
        f"{ends}-",
        f"-{proof}",
        "",
        "-",
        f"{ends}-ü",
        f"١-{proof}",
        "9" * 5000,
    ):
        assert not is_first_token(SECRET, forged, NOW), forged
