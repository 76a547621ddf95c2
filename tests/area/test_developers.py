"""The developers' pages: keys shown once, rolled and revoked; the callback address; the sandbox's clock and bank."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta

import pytest

from paymatch.area.people.roles import TeamRole
from paymatch.area.service import Service
from paymatch.domain.shops.shop import Shop
from paymatch.store.shops import shops as shop_store
from paymatch.store.shops.shops import KeyRow
from paymatch.usecases import audit
from paymatch.usecases.sandbox import simulated_bank
from paymatch.usecases.shops import shops
from tests.area.conftest import Person, Phone, prove
from tests.contract.client import START, Clock

_KEY = re.compile(r"pm_(?:live|test)_[0-9A-Za-z]{54}")


def keys(service: Service, shop: Shop) -> list[KeyRow]:
    with service.database.of_shop(shop) as tx:
        return shops.keys(tx)


def authenticates(service: Service, shop: Shop, key: str, clock: Clock) -> bool:
    with service.database.of_shop(shop, at=clock()) as tx:
        return shops.authenticate(tx, key) is not None


def entries(service: Service, shop: Shop) -> list[tuple[str, str]]:
    return [(row["action"], row["actor"]) for row in audit.last_entries(service.database, shop, "", 5)]


def test_key_is_made_with_scopes_and_shown_once(
    service: Service, area_clock: Clock, sign_in: Callable[..., Person]
) -> None:
    person = sign_in(TeamRole.DEVELOPER, proven=True)
    page = person.post("developers/keys/new", {"label": "till", "scopes": ["read", "statements"]}).content.decode()
    [key] = set(_KEY.findall(page))
    made = next(each for each in keys(service, person.shop) if each.label)
    assert (made.label, made.scope) == ("till", "read,statements")
    assert authenticates(service, person.shop, key, area_clock)
    listed = person.get("developers").content.decode()
    assert made.hint in listed and key not in listed
    assert entries(service, person.shop)[0] == ("key-created", person.email)


def test_key_is_made_only_after_a_fresh_second_factor(
    service: Service, sign_in: Callable[..., Person], phone: Phone
) -> None:
    person = sign_in(TeamRole.DEVELOPER)
    factor = prove(person, minutes_ago=6)
    asked = person.post("developers/keys/new", {"label": "till", "scopes": ["read"]})
    assert (asked.status_code, len(keys(service, person.shop))) == (302, 1)
    page = person.post(asked["Location"], {"code": phone.code(factor)}).content.decode()
    assert sorted(each.label for each in keys(service, person.shop)) == ["", "till"]
    assert len(set(_KEY.findall(page))) == 1


def test_key_without_scopes_is_refused(service: Service, sign_in: Callable[..., Person]) -> None:
    person = sign_in(TeamRole.DEVELOPER, proven=True)
    page = person.post("developers/keys/new", {"label": "till"}).content.decode()
    assert "This field is required." in page and 'value="till"' in page
    assert len(keys(service, person.shop)) == 1


def test_rolled_key_leaves_the_old_one_valid_for_a_while(
    service: Service, area_clock: Clock, sign_in: Callable[..., Person]
) -> None:
    person = sign_in(TeamRole.DEVELOPER, proven=True)
    area_clock.pass_time(minutes=1)
    [old] = keys(service, person.shop)
    page = person.post(f"developers/keys/{old.id}", {"do": "roll", "hours": "2"}).content.decode()
    [key] = set(_KEY.findall(page))
    assert authenticates(service, person.shop, key, area_clock)
    assert [each.expires_at for each in keys(service, person.shop)] == [area_clock() + timedelta(hours=2), None]


def test_revoked_key_is_no_longer_valid(service: Service, sign_in: Callable[..., Person]) -> None:
    person = sign_in(TeamRole.DEVELOPER, proven=True)
    [key] = keys(service, person.shop)
    assert person.post(f"developers/keys/{key.id}", {"do": "revoke"}).status_code == 302
    assert keys(service, person.shop)[0].expires_at == START
    assert entries(service, person.shop)[0] == ("key-revoked", person.email)


def test_another_shops_key_does_not_exist(
    service: Service, sign_in: Callable[..., Person], new_shop: Callable[..., Shop]
) -> None:
    person, other = sign_in(TeamRole.OWNER, proven=True), new_shop()
    [theirs] = keys(service, other)
    assert person.post(f"developers/keys/{theirs.id}", {"do": "revoke"}).status_code == 404
    assert keys(service, other)[0].expires_at is None


def test_callback_address_is_judged_beside_its_field(service: Service, sign_in: Callable[..., Person]) -> None:
    person = sign_in(TeamRole.DEVELOPER, proven=True)
    form = {"callback-url": "ftp://shop.example", "callbacks": "on", "callback-success": "2xx", "callback-ports": ""}
    form["callback-grace"] = "10"
    page = person.post("developers/callback", form).content.decode()
    assert 'value="ftp://shop.example"' in page and 'class="errorlist"' in page
    assert "URL must begin with https://, not ftp://" in page
    german = person.post("developers/callback", form, headers={"accept-language": "de"}).content.decode()
    assert "Die URL muss mit https:// beginnen, nicht mit ftp://" in german
    assert shops.find(service.database, str(person.shop.id)).callback_url == ""
    answer = person.post("developers/callback", form | {"callback-url": "https://shop.example/hook"})
    assert answer.status_code == 302
    found = shops.find(service.database, str(person.shop.id))
    assert (found.callback_url, found.sends_callbacks) == ("https://shop.example/hook", True)


def test_access_code_stays_where_none_is_given_and_showing_it_is_recorded(
    service: Service, sign_in: Callable[..., Person]
) -> None:
    person = sign_in(TeamRole.DEVELOPER, proven=True)
    with service.database.of_shop(person.shop) as tx:
        code = shop_store.callback_secrets(tx)[0]
    form = {
        "callback-url": "https://shop.example/",
        "callbacks": "on",
        "callback-success": "200",
        "callback-grace": "5",
    }
    assert person.post("developers/callback", form).status_code == 302
    assert code in person.post("developers/callback", {"do": "show"}).content.decode()
    assert code not in person.get("developers/callback").content.decode()
    assert entries(service, person.shop)[0] == ("credentials-shown", person.email)


def test_sandbox_clock_moves_and_never_back(service: Service, sign_in: Callable[..., Person]) -> None:
    shop = shops.create(service.database, "Sandbox clock", START, sandbox=True, start=START).shop
    person = sign_in(TeamRole.DEVELOPER, shop)
    assert person.post("developers/sandbox", {"do": "clock", "until": "1d"}).status_code == 302
    assert shops.find(service.database, str(shop.id)).sandbox_now == START + timedelta(days=1)
    page = person.post("developers/sandbox", {"do": "clock", "until": "2026-01-01"}).content.decode()
    assert "The clock never goes back" in page
    assert shops.find(service.database, str(shop.id)).sandbox_now == START + timedelta(days=1)


@pytest.mark.parametrize(("form", "words"), [
    ({"order": "nobody", "reference": "exact"}, "nobody"),
    ({"order": "nobody", "amount": "1.204,50", "reference": "exact"}, "nobody"),
    ({"order": "1", "amount": "a lot", "reference": "exact"}, "a lot"),
])  # fmt: skip
def test_payment_that_the_bank_refuses_books_nothing(
    form: dict[str, str], words: str, service: Service, sign_in: Callable[..., Person]
) -> None:
    shop = shops.create(service.database, "Sandbox bank", START, sandbox=True, start=START).shop
    page = sign_in(TeamRole.DEVELOPER, shop).post("developers/sandbox", {"do": "pay", **form}).content.decode()
    assert words in page and 'class="notice red"' in page
    with service.database.of_shop(shop) as tx:
        assert simulated_bank.bank_bookings(tx) == []


def test_real_shop_has_no_clock_to_move(sign_in: Callable[..., Person]) -> None:
    person = sign_in(TeamRole.DEVELOPER)
    assert "This is a live shop" in person.get("developers/sandbox").content.decode()
    page = person.post("developers/sandbox", {"do": "clock", "until": "1d"}).content.decode()
    assert "This is a live shop" in page
