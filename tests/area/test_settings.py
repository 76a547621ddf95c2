"""Settings, team and audit log: judged by the use cases, refused beside the field, and an owner always stays."""

from __future__ import annotations

import email
import html
import io
import re
from collections.abc import Callable
from email.policy import default
from typing import Any
from uuid import uuid4

import pytest

from paymatch.area.people.roles import TeamRole
from paymatch.area.service import Service
from paymatch.domain.shops.shop import Shop
from paymatch.usecases import audit
from paymatch.usecases.shops import shops
from paymatch.usecases.shops.new_shop import NEW_SHOP
from tests.area.conftest import PASSWORD, Person, prove


def now(service: Service, person: Person) -> Shop:
    return shops.find(service.database, str(person.shop.id))


def entries(service: Service, person: Person) -> list[tuple[str, str, str]]:
    rows = audit.last_entries(service.database, person.shop, "", 5)
    return [(row["action"], row["subject"], row["actor"]) for row in rows]


def filled(service: Service, person: Person, **changed: str) -> dict[str, str]:
    """Every setting as the shop has it, with some changed: a form takes the fields that it has."""
    return texts(service, person) | {name.replace("_", "-"): value for name, value in changed.items()}


def texts(service: Service, person: Person) -> dict[str, str]:
    with service.database.of_shop(person.shop) as tx:
        return shops.settings_as_texts(tx)


@pytest.mark.parametrize(("subject", "name", "text", "column", "value"), [
    ("settings", "street", "Am Markt", None, None),
    ("settings/matching", "fee-tolerance", "0.50", "fee_tolerance_minor", 50),
    ("settings/matching", "cash-discount", "2.5", "discount_basis_points", 250),
    ("settings/mail", "keep-mail-days", "30", "keep_mail_days", 30),
    ("settings/access", "api", "off", "api", False),
    ("settings/refunds", "refund-limit", "120.00", "refund_limit_minor", 12_000),
])  # fmt: skip
def test_setting_is_changed_and_recorded_with_its_person(
    subject: str, name: str, text: str, column: str | None, value: object,
    service: Service, sign_in: Callable[..., Person],
) -> None:  # fmt: skip
    owner = sign_in(TeamRole.OWNER, proven=True)
    assert owner.post(subject, filled(service, owner) | {name: text}).status_code == 302
    if column is not None:
        assert getattr(now(service, owner), column) == value
    assert texts(service, owner)[name] == text
    page = owner.get(subject).content.decode()
    shown = re.search(rf'<input[^>]* name="{name}"[^>]*>', page)
    assert shown is not None
    assert f'value="{text}"' in shown[0] or (text == "off" and "checked" not in shown[0])
    assert entries(service, owner)[0] == ("settings-changed", "shop", owner.email)


@pytest.mark.parametrize(("subject", "name", "typed", "text"), [
    ("settings/refunds", "refund-limit", "1.250,50", "1250.50"),
    ("settings/refunds", "refund-limit", "1,250.50", "1250.50"),
    ("settings/matching", "cash-discount", "2,5", "2.5"),
    ("settings/matching", "lapse-after", "", "off"),
    ("settings/mail", "keep-mail-days", "", "forever"),
    ("settings/mail", "keep-mail-days", "forever", "forever"),
    ("settings/letters", "letter-print-hour", "", "off"),
    ("settings/letters", "letter-print-hour", "7", "7"),
])  # fmt: skip
def test_figures_are_typed_as_people_write_them_and_nothing_means_off(
    subject: str, name: str, typed: str, text: str, service: Service, sign_in: Callable[..., Person]
) -> None:
    owner = sign_in(TeamRole.OWNER, proven=True)
    assert owner.post(subject, filled(service, owner) | {name: typed}).status_code == 302
    assert texts(service, owner)[name] == text


def test_figures_are_shown_in_the_readers_language(service: Service, sign_in: Callable[..., Person]) -> None:
    owner = sign_in(TeamRole.OWNER, proven=True)
    shown = {
        language: owner.get("settings/refunds", headers={"accept-language": language}).content.decode()
        for language in ("de", "en")
    }
    assert 'value="500,00"' in shown["de"]
    assert "Limit je Erstattung (EUR)" in shown["de"]
    assert 'value="500.00"' in shown["en"]
    after = re.search(r'<input[^>]*name="after-days"[^>]*>', owner.get("settings/agency").content.decode())
    assert after is not None
    assert "off" not in after[0]
    saved = owner.post("settings/refunds", filled(service, owner) | {"refund-limit": "500,00"})
    assert saved.status_code == 302
    assert entries(service, owner)[0][0] == "person-invited", "what stayed is left alone"


def test_exports_are_ticked(service: Service, sign_in: Callable[..., Person]) -> None:
    owner = sign_in(TeamRole.OWNER, proven=True)
    form: dict[str, Any] = filled(service, owner, export_every="week")
    owner.post("settings/exports", form | {"exports": ["orders", "datev"]})
    assert texts(service, owner)["exports"] == "orders,datev"
    page = owner.get("settings/exports").content.decode()
    assert len(re.findall(r'name="exports"[^>]*checked', page)) == 2
    assert "DATEV: Buchungsstapel</label>" in page
    refused = owner.post("settings/exports", form | {"exports": ["everything"]}).content.decode()
    assert "Select a valid choice" in refused
    owner.post("settings/exports", form | {"exports": ["datev", "orders"]})
    assert texts(service, owner)["exports"] == "orders,datev"
    owner.post("settings/exports", form | {"exports": []})
    assert texts(service, owner)["exports"] == ""


@pytest.mark.parametrize(("subject", "name", "text", "reason"), [
    ("settings", "timezone", "Mars/Olympus", "Unknown time zone"),
    ("settings", "status", "deleted", "Select a valid choice"),
    ("settings/matching", "tolerance", "a bit", "An amount in the shop"),
    ("settings/mail", "mail-from", "nobody", "A plain e-mail address is expected"),
    ("settings/mail", "reminders", "on", "A sender (mail-from) is needed before mail is sent"),
    ("settings/refunds", "refund-day-limit", "-1", "An amount in the shop"),
])  # fmt: skip
def test_refused_setting_changes_nothing_and_keeps_what_was_typed(
    subject: str, name: str, text: str, reason: str, service: Service, sign_in: Callable[..., Person]
) -> None:
    owner = sign_in(TeamRole.OWNER, proven=True)
    before = now(service, owner)
    answer = owner.post(subject, filled(service, owner) | {name: text})
    page = html.unescape(answer.content.decode())
    assert answer.status_code == 200
    assert reason in page
    assert name == "status" or f'value="{text}"' in page
    assert (now(service, owner), entries(service, owner)[0][0]) == (before, "person-invited")


def test_all_refused_fields_say_so_at_once(service: Service, sign_in: Callable[..., Person]) -> None:
    owner = sign_in()
    page = owner.post("settings/matching", filled(service, owner, tolerance="x", cash_discount="y")).content.decode()
    assert page.count('class="errorlist"') == 2


def test_name_of_another_shop_is_refused(
    service: Service, sign_in: Callable[..., Person], new_shop: Callable[..., Shop]
) -> None:
    owner, other = sign_in(), new_shop()
    page = owner.post("settings", filled(service, owner, name=other.name)).content.decode()
    assert f"There is already a shop named {other.name!r}" in html.unescape(page)
    assert now(service, owner).name == owner.shop.name


def test_limits_of_refunds_need_a_fresh_proof(service: Service, sign_in: Callable[..., Person]) -> None:
    owner = sign_in()
    form = filled(service, owner, refund_limit="9999.00")
    asked = owner.post("settings/refunds", form)
    assert asked["Location"] == "/account/2fa/totp/activate/"
    assert now(service, owner).refund_limit_minor == 50_000
    prove(owner)
    owner.post("settings/refunds", form)
    assert now(service, owner).refund_limit_minor == 999_900


@pytest.mark.parametrize("page", ["settings/exports", "settings/bookkeeping", "settings", "settings/mail"])
def test_attack_a_session_alone_has_the_books_sent_to_a_stranger(
    page: str, service: Service, sign_in: Callable[..., Person]
) -> None:
    owner = sign_in(TeamRole.OWNER)
    wanted = {"exports": "orders,postings", "export-every": "day", "export-to": "thief@example.org"}
    before = {name: texts(service, owner)[name] for name in wanted}
    form: dict[str, Any] = filled(service, owner) | wanted | {"exports": ["orders", "postings"]}
    owner.post(page, form)
    assert {name: texts(service, owner)[name] for name in wanted} == before
    prove(owner)
    owner.post("settings/exports", form)
    assert {name: texts(service, owner)[name] for name in wanted} == wanted


def roles(shop: Shop) -> dict[str, str]:
    from paymatch.area.people import team

    return {each.user.email: each.role for each in team.members(shop.id)}


def person_id(address: str) -> str:
    from paymatch.area.people import accounts

    return str(accounts.find(address).pk)


def test_invited_person_signs_in_by_the_link_of_the_mail(service: Service, sign_in: Callable[..., Person]) -> None:
    from django.test import Client

    owner, address = sign_in(TeamRole.OWNER, proven=True), f"new-{uuid4().hex[:8]}@example.org"
    owner.post("settings/team", {"do": "invite", "email": address, "role": "clerk"})
    assert roles(owner.shop)[address] == "clerk"
    assert entries(service, owner)[0] == ("person-invited", address, owner.email)
    [mail] = [text for text in mails(service) if text.startswith(address)]
    found = re.search(r"http://testserver(/login/invitation/\S+)", mail)
    assert found is not None
    browser = Client()
    browser.post(found[1], {"name": "Jana", "password": "correct horse battery"})
    assert browser.get(f"/shops/{owner.shop.id}/overview").status_code == 200
    assert browser.get(f"/shops/{owner.shop.id}/settings").status_code == 403


def mails(service: Service) -> list[str]:
    """Recipient and text of all mail that was kept."""
    files = (service.settings.data_dir / "mail").rglob("*.eml")
    found = [email.message_from_bytes(file.read_bytes(), policy=default) for file in files]
    return [f"{mail['To']}\n{mail.get_body(('plain',)).get_content()}" for mail in found]  # type: ignore[union-attr]


def test_somebody_of_the_team_is_not_invited_again(service: Service, sign_in: Callable[..., Person]) -> None:
    owner = sign_in(TeamRole.OWNER, proven=True)
    page = owner.post("settings/team", {"do": "invite", "email": owner.email, "role": "viewer"})
    assert f"{owner.email} is in the team already" in page.content.decode()
    assert roles(owner.shop) == {owner.email: "owner"}


@pytest.mark.parametrize("change", [{"do": "role", "role": "viewer"}, {"do": "remove"}])
def test_last_owner_stays(change: dict[str, str], service: Service, sign_in: Callable[..., Person]) -> None:
    owner = sign_in(TeamRole.OWNER, proven=True)
    page = owner.post("settings/team", change | {"person": person_id(owner.email)})
    assert "The shop needs an owner" in page.content.decode()
    assert roles(owner.shop) == {owner.email: "owner"}


def test_disabled_owner_is_none(sign_in: Callable[..., Person]) -> None:
    from paymatch.area.people import accounts

    owner = sign_in(TeamRole.OWNER, proven=True)
    other = sign_in(TeamRole.OWNER, owner.shop)
    accounts.disable(other.email)
    owner.post("settings/team", {"do": "remove", "person": person_id(owner.email)})
    assert roles(owner.shop) == {owner.email: "owner", other.email: "owner"}


def test_role_is_changed_and_person_removed(service: Service, sign_in: Callable[..., Person]) -> None:
    owner = sign_in(TeamRole.OWNER, proven=True)
    clerk = sign_in(TeamRole.CLERK, owner.shop)
    owner.post("settings/team", {"do": "role", "person": person_id(clerk.email), "role": "developer"})
    assert roles(owner.shop)[clerk.email] == "developer"
    owner.post("settings/team", {"do": "remove", "person": person_id(clerk.email)})
    assert roles(owner.shop) == {owner.email: "owner"}
    assert clerk.get("overview").status_code == 404
    assert [each[0] for each in entries(service, owner)[:2]] == ["person-removed", "role-changed"]


def test_person_of_another_shop_is_not_touched(service: Service, sign_in: Callable[..., Person]) -> None:
    owner, other = sign_in(TeamRole.OWNER, proven=True), sign_in(TeamRole.CLERK)
    page = owner.post("settings/team", {"do": "remove", "person": person_id(other.email)})
    assert "This person is not in the team" in page.content.decode()
    assert roles(other.shop) == {other.email: "clerk"}


def test_team_is_changed_only_after_a_fresh_proof(sign_in: Callable[..., Person]) -> None:
    owner = sign_in()
    answer = owner.post("settings/team", {"do": "invite", "email": "x@example.org", "role": "owner"})
    assert answer["Location"] == "/account/2fa/totp/activate/"
    assert roles(owner.shop) == {owner.email: "owner"}


def test_audit_log_filters_and_exports(service: Service, sign_in: Callable[..., Person]) -> None:
    owner = sign_in()
    owner.post("settings", filled(service, owner, city="Hamburg"))
    page = owner.get("settings/audit?by=person").content.decode()
    assert '<span class="badge grey plain-badge" title="settings-changed">Settings changed</span>' in page
    assert "settings-changed" in page and "shop-created" not in page
    assert "<dt>City</dt><dd><ins>Hamburg</ins></dd>" in page and "<summary>JSON</summary>" in page
    lines = b"".join(owner.get("settings/audit?format=csv&q=settings-changed")).decode().splitlines()
    assert len(lines) == 2
    assert owner.email in lines[1] and "Hamburg" in lines[1]


def test_owner_ends_the_teams_sessions(
    service: Service, new_shop: Callable[..., Shop], sign_in: Callable[..., Person]
) -> None:
    from django.test import Client

    from paymatch.area.people.models import User

    shop = new_shop()
    owner, clerk, stranger = sign_in(shop=shop), sign_in(TeamRole.CLERK, shop), sign_in()
    agent = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
    browser = Client(headers={"user-agent": agent})
    for client in (browser, Client()):
        assert client.post("/login", {"login": clerk.email, "password": PASSWORD}).status_code == 302
        assert client.get(f"/shops/{shop.id}/orders").status_code == 200
    person = User.objects.get(email=clerk.email)
    page = owner.get("settings/sessions").content.decode()
    assert page.count(f'<input type="hidden" name="person" value="{person.pk}">') >= 2
    assert "Firefox on Linux" in page
    other = stranger.post(f"/shops/{stranger.shop.id}/settings/sessions", {"person": str(person.pk)}, follow=True)
    assert "ended" not in other.content.decode().partition("<main")[2].partition("<table")[0].replace("an ended", "")
    [found] = re.findall(r'name="session" value="(\d+)" aria-label="[^"]*with Firefox on Linux', page)
    page = owner.post("settings/sessions", {"person": str(person.pk), "session": found}, follow=True).content.decode()
    assert f"1 session of {clerk.email} has ended." in page
    assert browser.get(f"/shops/{shop.id}/orders").status_code == 302
    assert entries(service, owner)[0] == ("sessions-ended", clerk.email, owner.email)
    owner.post("settings/sessions", {"person": str(person.pk)})
    assert client.get(f"/shops/{shop.id}/orders").status_code == 302


def picture(size: tuple[int, int] = (40, 20), kind: str = "PNG") -> bytes:
    """A small picture as a shop would upload it."""
    from PIL import Image

    written = io.BytesIO()
    Image.new("RGB", size, "#0f6b4f").save(written, kind)
    return written.getvalue()


def test_branding_shows_logo_and_colour(service: Service, sign_in: Callable[..., Person]) -> None:
    from django.core.files.uploadedfile import SimpleUploadedFile

    owner = sign_in()
    fields = filled(service, owner, accent="#ffe000", legal_footer="Tee GmbH\nHRB 1")
    assert owner.post("settings/branding", fields | {"do": "save"}).status_code == 302
    page = owner.get("settings/branding").content.decode()
    assert "#ffe000 is hard to read on white (1.3 : 1); as text it becomes" in page
    assert "Tee GmbH\nHRB 1</textarea>" in page
    assert "None yet" in page
    upload = {"do": "logo", "logo": SimpleUploadedFile("logo.jpg", picture(kind="JPEG"))}
    assert "The logo is set." in owner.post("settings/branding", upload, follow=True).content.decode()
    page = owner.get("settings/branding").content.decode()
    assert 'width="40" height="20"' in page
    for content, why in (
        (b"", "The file is empty"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "A PNG or JPEG picture is expected"),
        (b"x" * 2_000_001, "The file is too large: 2 MB are allowed"),
    ):
        refused = owner.post("settings/branding", {"do": "logo", "logo": SimpleUploadedFile("x.png", content)})
        assert why in refused.content.decode()
    refused = owner.post("settings/branding", {"do": "logo"}, headers={"accept-language": "de"})
    assert "Die Datei ist leer" in refused.content.decode()
    assert "#zzz" in owner.post("settings/branding", fields | {"do": "save", "accent": "#zzz"}).content.decode()
    assert 'width="40" height="20"' in owner.get("settings/branding").content.decode()
    owner.post("settings/branding", {"do": "remove-logo"})
    assert "None yet" in owner.get("settings/branding").content.decode()
    told = [entry for entry in entries(service, owner) if entry[1] == "logo"]
    assert told == [("settings-changed", "logo", owner.email)] * 2


def test_a_new_shop_is_told_apart_from_a_changed_one(service: Service, sign_in: Callable[..., Person]) -> None:
    owner = sign_in(proven=True)
    with service.database.of_shop(owner.shop) as tx:
        stored = shops.settings_as_texts(tx)
    own = {"name", "holder", "street", "house-number", "postcode", "city", "language", "timezone"}
    assert {name: text for name, text in stored.items() if name not in own} == NEW_SHOP
    for subject in ("settings", "settings/matching", "settings/mail", "settings/letters", "settings/refunds"):
        assert "setting-changed" not in owner.get(subject).content.decode()
    owner.post("settings/matching", filled(service, owner) | {"fee-tolerance": "0.50", "learning": "off"})
    page = owner.get("settings/matching").content.decode()
    assert page.count("setting-changed") == 2
    assert "a new shop has: 0.00" in page
    assert "2 differ from a new shop" in page


def test_what_a_feature_needs_is_hidden_while_it_is_off(service: Service, sign_in: Callable[..., Person]) -> None:
    owner = sign_in()
    hidden = r'data-needs="letters" hidden>'
    assert len(re.findall(hidden, owner.get("settings/letters").content.decode())) == 7
    owner.post("settings/letters", filled(service, owner) | {"letters": "on"})
    assert not re.findall(hidden, owner.get("settings/letters").content.decode())
    assert texts(service, owner)["letters"] == "on"


@pytest.mark.parametrize(
    ("typed", "label", "place"),
    [
        ("iban", "Bank account", "Payments › Bookkeeping"),
        ("hour", "Hour of the daily print run", "Messages › Letters"),
        ("fee", "Bank fees", "Payments › Matching"),
        ("team", "Team", "People"),
        ("time zone", "Time zone", "Shop › Shop"),
    ],
)
def test_settings_are_searched(typed: str, label: str, place: str, sign_in: Callable[..., Person]) -> None:
    owner = sign_in()
    page = owner.get("settings/search", data={"q": typed}).content.decode()
    found = re.findall(r'<li><span><a href="([^"]+)">([^<]+)</a>.*?<span class="second push">([^<]+)</span></li>', page)
    (url,) = [url for url, name, where in found if (name, where) == (label, place)]
    target = url.partition("#")[2]
    assert not target or f'id="{target}"' in owner.get(url.partition("#")[0]).content.decode()
    assert "Nothing found" in owner.get("settings/search", data={"q": "qqq"}).content.decode()


def test_no_setting_stands_twice(service: Service) -> None:
    assert service.database is not None
    from paymatch.area.views.manage.setting_search import settings_of
    from paymatch.area.views.manage.settings import GROUPS

    names = [each.name for *_group, pages in GROUPS for key, _label in pages for each in settings_of(key)
             if key != "agency_settings"]  # fmt: skip
    assert len(names) == len(set(names))


def test_each_group_says_how_many_of_its_settings_differ_from_a_new_shop(
    service: Service, sign_in: Callable[..., Person]
) -> None:
    owner = sign_in(TeamRole.OWNER)
    with service.database.of_shop(owner.shop) as tx:
        shops.change(tx, {"accent": "#0f6b4f", "tolerance": "0.10", "caution": "bold"}, allow_private=False)
    for page in ("settings", "settings/team", "settings/branding", "settings/audit", "settings/search?q=fee"):
        shown = owner.get(page).content.decode()
        navigation = shown.partition('<nav class="settings-groups"')[2].partition("</nav>")[0]
        counted = r'<strong>([\w ]+)</strong>.*?</span></span>(?:<span class="count"><span[^>]*>(\d+))?'
        groups = re.findall(counted, navigation)
        assert groups == [
            ("Shop", "1"), ("Payments", "2"), ("Messages", ""), ("Money out", ""), ("People", ""), ("Data", ""),
        ], page  # fmt: skip
        assert "3 settings differ from a new shop's" in html.unescape(shown)
