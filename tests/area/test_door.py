"""Attacks on the sign-in: guessing, fixing a session, leading elsewhere, foreign forms; and what is recorded (D-46)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from email import message_from_bytes
from email.policy import default
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from pydantic import SecretStr

from paymatch.area.service import Service, provide
from paymatch.domain.shops.audit import INSTALLATION
from paymatch.domain.shops.shop import Shop
from paymatch.store.sealing import MARK
from paymatch.usecases.audit import check_chain, last_entries
from tests.area.conftest import PASSWORD, Person, Phone
from tests.area.every_page import FILES
from tests.area.test_sign_in import browser, person

WRONG = "wrong horse battery"


def entries(service: Service, subject: str) -> list[tuple[str, str, str, str]]:
    """(action, kind of actor, address, after) about a person, oldest first."""
    rows = last_entries(service.database, INSTALLATION, subject, 50)
    return [
        (row["action"], row["actorKind"], row["address"], bytes(row["after"] or b"").decode()) for row in reversed(rows)
    ]


@pytest.fixture
def somewhere() -> dict[str, str]:
    """An address of the client's own, so that tests do not use up each other's attempts."""
    return {"REMOTE_ADDR": f"2001:db8:{uuid4().hex[:4]}:{uuid4().hex[:4]}::1"}


def test_who_signed_in_and_who_could_not_is_recorded(
    service: Service, new_shop: Callable[..., Shop], somewhere: dict[str, str]
) -> None:
    email, client, here = person(new_shop()), browser(), somewhere["REMOTE_ADDR"]
    client.post("/login", {"login": email, "password": WRONG}, **somewhere)
    client.post("/login", {"login": "pass-word@example.org", "password": WRONG}, **somewhere)
    client.post("/login", {"login": email, "password": PASSWORD}, **somewhere)
    client.post("/logout", **somewhere)
    assert entries(service, email)[1:] == [
        ("sign-in-failed", "stranger", here, '{"by":"password"}'),
        ("signed-in", "person", here, '{"by":["password"]}'),
        ("signed-out", "person", here, ""),
    ]
    assert entries(service, "an unknown address")[-1][:3] == ("sign-in-failed", "stranger", here)
    assert last_entries(service.database, INSTALLATION, "pass-word@example.org", 1) == []
    assert check_chain(service.database, INSTALLATION).fault == ""


def test_sessions_that_are_ended_elsewhere_are_recorded(
    service: Service, new_shop: Callable[..., Shop], somewhere: dict[str, str]
) -> None:
    email, first, second = person(new_shop()), browser(), browser()
    for client in (first, second):
        client.post("/login", {"login": email, "password": PASSWORD}, **somewhere)
    second.get("/", **somewhere)
    first.post("/account/sessions/", **somewhere)
    assert entries(service, email)[-1] == ("sessions-ended", "person", somewhere["REMOTE_ADDR"], '{"sessions":1}')
    assert second.get("/", **somewhere)["Location"] == "/login"


@pytest.fixture
def with_factor(
    service: Service, new_shop: Callable[..., Shop], somewhere: dict[str, str], phone: Phone
) -> Iterator[tuple[str, str, Any]]:
    """(address, secret, browser) of a person with a second factor."""
    email, client = person(new_shop()), browser()
    client.post("/login", {"login": email, "password": PASSWORD}, **somewhere)
    client.post("/account/reauthenticate/", {"password": PASSWORD}, **somewhere)
    client.get("/account/2fa/totp/activate/", **somewhere)
    secret = client.session["mfa.totp.secret"]
    answer = client.post("/account/2fa/totp/activate/", {"code": phone.code(secret)}, **somewhere)
    assert answer.status_code == 302
    yield email, secret, client


def test_secret_of_a_second_factor_is_sealed(service: Service, with_factor: tuple[str, str, Any]) -> None:
    from allauth.mfa.models import Authenticator

    email, secret, _ = with_factor
    stored = {each.type: each.data for each in Authenticator.objects.filter(user__email=email)}
    assert stored["totp"]["secret"].startswith(MARK)
    assert secret not in str(stored)
    assert ("sign-in-changed", '{"what":"totp-activated"}') in [(each[0], each[3]) for each in entries(service, email)]


def test_neither_a_link_nor_a_used_code_gets_past_the_second_factor(
    service: Service, with_factor: tuple[str, str, Any], somewhere: dict[str, str], phone: Phone
) -> None:
    from paymatch.area.people import accounts

    email, secret, _ = with_factor
    owner, thief = browser(), browser()
    owner.post("/login", {"login": email, "password": PASSWORD}, **somewhere)
    code = phone.code(secret)
    owner.post("/account/2fa/authenticate/", {"code": code}, **somewhere)
    assert owner.get("/", **somewhere)["Location"] != "/login"
    link = accounts.sign_in_link(accounts.find(email), "http://testserver", service.clock())
    assert thief.post(link, **somewhere)["Location"] == "/account/2fa/authenticate/"
    assert thief.get("/", **somewhere)["Location"] == "/login"
    thief.post("/account/2fa/authenticate/", {"code": code}, **somewhere)
    assert thief.get("/", **somewhere)["Location"] == "/login"
    assert entries(service, email)[-1] == (
        "sign-in-failed", "stranger", somewhere["REMOTE_ADDR"], '{"by":"second factor"}',
    )  # fmt: skip


def guess(email: str, count: int, client: Any = None) -> None:
    """Wrong passwords, one from each of so many addresses."""
    network = uuid4().hex[:4]
    for place in range(count):
        (client or browser()).post(
            "/login", {"login": email, "password": WRONG}, REMOTE_ADDR=f"2001:db8:{network}:{place:x}::1",
            HTTP_HOST=("testserver", "localhost", "127.0.0.1")[place % 3],
        )  # fmt: skip


def can_sign_in(client: Any, email: str, where: dict[str, str]) -> bool:
    """Whether the right password signs in."""
    client.post("/login", {"login": email, "password": PASSWORD}, **where)
    found: bool = client.get("/", **where)["Location"] != "/login"
    return found


def test_guessing_is_limited_whatever_name_the_host_is_called_by(
    new_shop: Callable[..., Shop], somewhere: dict[str, str]
) -> None:
    email = person(new_shop())
    guess(email, 20, browser())
    assert not can_sign_in(browser(), email, somewhere)


def test_guessing_from_one_address_is_limited_and_hits_no_other(
    new_shop: Callable[..., Shop], somewhere: dict[str, str]
) -> None:
    email, thief = person(new_shop()), browser()
    here = {"REMOTE_ADDR": f"2001:db8:{uuid4().hex[:4]}:1::1"}
    for _ in range(9):
        thief.post("/login", {"login": email, "password": WRONG}, **here)
    assert not can_sign_in(thief, email, here)
    assert can_sign_in(browser(), email, somewhere)


def test_attack_strangers_lock_no_known_browser_out(new_shop: Callable[..., Shop], somewhere: dict[str, str]) -> None:
    email, owner = person(new_shop()), browser()
    assert can_sign_in(owner, email, somewhere)
    owner.post("/logout", **somewhere)
    guess(email, 12)
    assert can_sign_in(owner, email, somewhere)
    owner.post("/logout", **somewhere)
    guess(email, 30)
    assert can_sign_in(owner, email, somewhere)
    owner.post("/logout", **somewhere)
    for _ in range(12):  # another person behind the same address
        browser().post("/login", {"login": email, "password": WRONG}, **somewhere)
    assert can_sign_in(owner, email, somewhere)


PASSKEY = "/account/2fa/webauthn/login/"


def test_attack_strangers_keep_no_passkey_out_of_a_known_browser(
    new_shop: Callable[..., Shop], somewhere: dict[str, str]
) -> None:
    email, owner, new = person(new_shop()), browser(), browser()
    assert can_sign_in(owner, email, somewhere)
    owner.post("/logout", **somewhere)
    asked = {"HTTP_X_REQUESTED_WITH": "XMLHttpRequest", **somewhere}
    codes = [browser().get(PASSKEY, **asked).status_code for _ in range(302)]
    assert codes == [200] * 300 + [429] * 2
    assert new.get(PASSKEY, **asked).status_code == 429
    assert [owner.get(PASSKEY, **asked).status_code for _ in range(30)] == [200] * 30
    assert owner.get(PASSKEY, **asked).status_code == 429


def test_a_passkey_gets_in_from_a_new_browser_past_wrong_passwords(
    new_shop: Callable[..., Shop], somewhere: dict[str, str]
) -> None:
    """The limits of the address and of the account are reached, and its door to passkeys is open."""
    email = person(new_shop())
    guess(email, 30)
    for _ in range(30):
        browser().post("/login", {"login": email, "password": WRONG}, **somewhere)
    assert not can_sign_in(browser(), email, somewhere)
    asked = {"HTTP_X_REQUESTED_WITH": "XMLHttpRequest", **somewhere}
    assert [browser().get(PASSKEY, **asked).status_code for _ in range(20)] == [200] * 20


def test_a_known_browser_guesses_no_more_often_than_others(
    new_shop: Callable[..., Shop], somewhere: dict[str, str]
) -> None:
    email, thief = person(new_shop()), browser()
    assert can_sign_in(thief, email, somewhere)
    thief.post("/logout", **somewhere)
    guess(email, 5, thief)
    assert not can_sign_in(thief, email, somewhere)


@pytest.mark.parametrize("cookie", ["nonsense", "e30:1vOHrY:signature", ""])
def test_a_browser_is_not_known_by_what_it_says(
    new_shop: Callable[..., Shop], somewhere: dict[str, str], cookie: str
) -> None:
    email, other, client = person(new_shop()), person(new_shop()), browser()
    assert can_sign_in(client, other, somewhere)  # it is known, but for someone else
    client.post("/logout", **somewhere)
    if cookie:
        client.cookies["paymatch_browser"] = cookie
    guess(email, 20)
    assert not can_sign_in(client, email, somewhere)


def test_a_mailed_link_gets_in_past_strangers_who_guess(
    service: Service, new_shop: Callable[..., Shop], somewhere: dict[str, str]
) -> None:
    email, kept, owner = person(new_shop()), service.settings.data_dir / "mail" / "area", browser()
    guess(email, 25)
    assert not can_sign_in(owner, email, somewhere)
    before = set(_files(kept))
    owner.post("/account/password/reset/", {"email": email}, **somewhere)
    (mail,) = set(_files(kept)) - before
    text = plain_text(mail)
    link = next(word for word in text.split() if "/account/password/reset/key/" in word)
    page = owner.get(link, **somewhere)["Location"]
    owner.post(page, {"password1": PASSWORD, "password2": PASSWORD}, **somewhere)
    assert can_sign_in(owner, email, somewhere)


def test_attack_who_knows_the_password_keeps_no_known_browser_from_its_second_factor(
    with_factor: tuple[str, str, Any], somewhere: dict[str, str], phone: Phone
) -> None:
    email, secret, owner = with_factor
    owner.post("/logout", **somewhere)
    thief, here = browser(), {"REMOTE_ADDR": f"2001:db8:{uuid4().hex[:4]}:1::1"}
    thief.post("/login", {"login": email, "password": PASSWORD}, **here)
    for _ in range(7):
        thief.post("/account/2fa/authenticate/", {"code": "000000"}, **here)
    thief.post("/account/2fa/authenticate/", {"code": phone.code(secret)}, **here)
    assert thief.get("/", **here)["Location"] == "/login"
    owner.post("/login", {"login": email, "password": PASSWORD}, **somewhere)
    owner.post("/account/2fa/authenticate/", {"code": phone.code(secret)}, **somewhere)
    assert owner.get("/", **somewhere)["Location"] != "/login"


def test_attack_the_code_that_set_up_a_second_factor_is_used_up(
    new_shop: Callable[..., Shop], somewhere: dict[str, str], phone: Phone
) -> None:
    email, owner, thief = person(new_shop()), browser(), browser()
    assert can_sign_in(owner, email, somewhere)
    owner.post("/account/reauthenticate/", {"password": PASSWORD}, **somewhere)
    owner.get("/account/2fa/totp/activate/", **somewhere)
    secret = owner.session["mfa.totp.secret"]
    code = phone.code(secret)
    assert owner.post("/account/2fa/totp/activate/", {"code": code}, **somewhere).status_code == 302
    thief.post("/login", {"login": email, "password": PASSWORD}, **somewhere)
    thief.post("/account/2fa/authenticate/", {"code": code}, **somewhere)
    assert thief.get("/", **somewhere)["Location"] == "/login"
    thief.post("/account/2fa/authenticate/", {"code": phone.code(secret)}, **somewhere)
    assert thief.get("/", **somewhere)["Location"] != "/login"


def test_attempts_are_counted_by_all_processes_together(service: Service) -> None:
    from paymatch.area.people.attempts import Attempts

    one, other, key = Attempts("", {}), Attempts("", {}), uuid4().hex
    assert (one.add(key, "y", 60), other.add(key, "y", 60), other.get(key)) == (True, False, "y")
    one.set(key, [1.5], 60)
    assert other.get(key) == [1.5]
    one.set(key, [2.5], -1)
    assert (other.get(key), other.get(key, "none")) == (None, "none")
    assert (other.add(key, "new", 60), one.get(key), other.delete(key), one.get(key)) == (True, "new", True, None)


def test_link_to_a_new_password_leads_to_no_server_of_the_attackers(
    service: Service, new_shop: Callable[..., Shop], somewhere: dict[str, str]
) -> None:
    from django.test import override_settings

    email = person(new_shop())
    kept = service.settings.data_dir / "mail" / "area"

    def ask(host: str) -> int:
        before = len(_files(kept))
        browser().post("/account/password/reset/", {"email": email}, HTTP_HOST=host, **somewhere)
        return len(_files(kept)) - before

    provide(replace(service, settings=service.settings.model_copy(update={"base_url": ""})))
    try:
        with override_settings(ALLOWED_HOSTS=["*"]):
            assert (ask("evil.example"), ask("127.0.0.1:8000")) == (0, 1)
    finally:
        provide(service)


def test_attack_who_asks_for_a_new_password_keeps_nobody_from_a_second_factor(
    new_shop: Callable[..., Shop], somewhere: dict[str, str]
) -> None:
    """Anyone may ask, for any address."""
    email, page = person(new_shop()), "/account/2fa/totp/activate/"
    assert browser().post("/account/password/reset/", {"email": email}, **somewhere).status_code == 302
    client = browser()
    assert client.post("/login", {"login": email, "password": PASSWORD}, **somewhere).status_code == 302
    again = f"/account/reauthenticate/?next={page}"
    assert client.post(again, {"password": PASSWORD}, **somewhere)["Location"] == page
    answer = client.get(page)
    assert (answer.status_code, b"otpauth" in answer.content or b"<img" in answer.content) == (200, True)


def plain_text(mail: Path) -> str:
    """What a kept mail says without HTML."""
    body = message_from_bytes(mail.read_bytes(), policy=default).get_body(("plain",))
    assert body is not None
    return str(body.get_content())


def test_the_mail_with_the_link_names_the_service_once(
    service: Service, new_shop: Callable[..., Shop], somewhere: dict[str, str]
) -> None:
    email, kept = person(new_shop()), service.settings.data_dir / "mail" / "area"
    before = set(_files(kept))
    browser().post("/account/password/reset/", {"email": email}, headers={"accept-language": "de"}, **somewhere)
    (mail,) = set(_files(kept)) - before
    text = plain_text(mail)
    assert text.splitlines()[0].startswith("Für diese Adresse wurde ein neues Passwort")
    assert text.count("testserver") == 1  # the link


@pytest.mark.parametrize(
    "path", ["/account/password/reset/", "/account/password/reset/key/1-abc-def/", "/login/link/x"]
)
def test_pages_of_who_is_not_signed_in_lead_to_the_sign_in(service: Service, path: str) -> None:
    link = '<a href="/login">Sign in</a>'
    assert link in browser().get(path).content.decode()
    assert link not in browser().get("/login").content.decode()


def test_a_mail_server_that_takes_nothing_is_told_of_alike(
    service: Service, new_shop: Callable[..., Shop], somewhere: dict[str, str]
) -> None:
    nobody_listens = service.settings.model_copy(update={"email_url": SecretStr("smtp://127.0.0.1:1")})
    provide(replace(service, settings=nobody_listens))
    try:
        for email in (person(new_shop()), "nobody@example.org"):
            answer = browser().post("/account/password/reset/", {"email": email}, **somewhere)
            assert answer.status_code == 503
            assert "The mail could not be sent" in answer.content.decode()
    finally:
        provide(service)


def _files(folder: Path) -> list[Path]:
    return list(folder.rglob("*.eml")) if folder.exists() else []


@pytest.mark.parametrize(
    "target",
    [
        "https://evil.example/",
        "//evil.example",
        "/\\evil.example",
        "javascript:alert(1)",
        "https:evil.example",
    ],
)
def test_signing_in_leads_nowhere_else(new_shop: Callable[..., Shop], somewhere: dict[str, str], target: str) -> None:
    client = browser()
    form = {"login": person(new_shop()), "password": PASSWORD, "next": target}
    assert client.post(f"/login?next={target}", form, **somewhere)["Location"] == "/"
    assert client.post("/preferences", {"theme": "dark", "next": target}, **somewhere)["Location"] == "/"


def test_a_stranger_chooses_the_language_of_the_sign_in(somewhere: dict[str, str]) -> None:
    client = browser()
    spoken = []
    for language in ("de", "en", "xx"):
        answer = client.post("/preferences", {"language": language, "theme": "dark", "next": "/login"}, **somewhere)
        assert answer["Location"] == "/login"
        spoken.append("<h1>Anmelden</h1>" in client.get("/login", **somewhere).content.decode())
    assert spoken == [True, False, False]


def test_preferences_lead_back_to_a_path_only(sign_in: Callable[..., Person]) -> None:
    person = sign_in()
    for back, place in (("/operator/?q=1", "/operator/?q=1"), ("nothing", "/"), ("home", "/"), ("", "/")):
        assert person.client.post("/preferences", {"theme": "dark", "next": back})["Location"] == place


def test_session_of_before_the_sign_in_is_no_session_afterwards(
    new_shop: Callable[..., Shop], somewhere: dict[str, str]
) -> None:
    client = browser()
    session = client.session
    session["known"] = "to the attacker"
    session.save()
    fixed = client.cookies["paymatch_session"].value
    answer = client.post("/login", {"login": person(new_shop()), "password": PASSWORD}, secure=True, **somewhere)
    cookie = answer.cookies["paymatch_session"]
    assert cookie.value != fixed
    assert (cookie["httponly"], cookie["samesite"], cookie["secure"]) == (True, "Lax", True)
    thief = browser()
    thief.cookies["paymatch_session"] = fixed
    assert thief.get("/", **somewhere)["Location"] == "/login"


def test_forms_of_other_sites_change_nothing(sign_in: Callable[..., Person], service: Service) -> None:
    from django.test import Client

    from paymatch.area.page import PAGES
    from paymatch.usecases.shops import shops

    owner = sign_in(proven=True)
    foreign = Client(enforce_csrf_checks=True)
    foreign.cookies = owner.client.cookies
    pages = [each.route for each in PAGES if each.changes and "<" not in each.route]
    assert len(pages) > 10
    for route in pages:
        answer = foreign.post(f"/shops/{owner.shop.id}/{route}", {"name": "stolen", "do": "roll"})
        assert answer.status_code == 403, route
    assert shops.find(service.database, str(owner.shop.id)).name == owner.shop.name


def test_no_cache_keeps_a_page(sign_in: Callable[..., Person]) -> None:
    from paymatch.area.page import PAGES

    owner = sign_in()
    routes = [each.route for each in PAGES if "<" not in each.route and each.name not in FILES]
    for route in [*routes, "orders?format=csv", "orders?format=xlsx", "settings/audit?format=csv"]:
        answer = owner.get(route)
        assert (answer.status_code, answer["Cache-Control"]) == (200, "no-store"), route
        answer.close()


def test_nobody_becomes_a_second_person_by_another_address(service: Service, sign_in: Callable[..., Person]) -> None:
    """Four eyes tell persons by their addresses (D-37), and so does the audit log."""
    from paymatch.area.people.models import User

    clerk = sign_in(proven=True)
    other = f"second-{uuid4().hex[:8]}@example.org"
    for form in ({"action_add": "", "email": other}, {"action_primary": "", "email": other}):
        assert clerk.post("/account/email/", form).status_code == 404
    assert User.objects.filter(email=clerk.email).exists()
    assert not User.objects.filter(email=other).exists()
