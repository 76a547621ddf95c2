"""Who sees and does what: every page of the code's own list, with every role, and with another shop's people."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from paymatch.area.people.roles import ROLES, Permission, TeamRole
from paymatch.domain.shops.shop import Shop
from tests.area.conftest import PASSWORD, Person, prove
from tests.area.every_page import FILES


def parts(route: str) -> str:
    """The route with something in the place of its variable parts that no shop has."""
    return "/".join("none" if part.startswith("<") else part for part in route.split("/"))


@pytest.fixture
def declared(service: object) -> list[Any]:
    from paymatch.area import urls
    from paymatch.area.page import PAGES

    assert urls.urlpatterns
    assert len({page.name for page in PAGES}) == len(PAGES) > 0
    return PAGES


@pytest.mark.parametrize("role", list(TeamRole))
def test_each_role_reads_its_own_pages(role: TeamRole, declared: list[Any], sign_in: Callable[..., Person]) -> None:
    person = sign_in(role)
    for page in declared:
        answer = person.get(parts(page.route))
        if page.needs in ROLES[role]:
            assert answer.status_code in (200, 404 if "<" in page.route or page.name in FILES else 200), page.route
        else:
            assert answer.status_code == 403, page.route


@pytest.mark.parametrize("role", list(TeamRole))
def test_each_role_changes_only_what_it_may(
    role: TeamRole, declared: list[Any], sign_in: Callable[..., Person]
) -> None:
    person = sign_in(role)
    for page in declared:
        answer = person.post(parts(page.route))
        if page.changes is None:
            assert answer.status_code == 405, page.route
        elif page.changes not in ROLES[role]:
            assert answer.status_code == 403, page.route
        else:
            assert answer.status_code not in (403, 405, 500), page.route


def test_another_shops_pages_do_not_exist(
    declared: list[Any], sign_in: Callable[..., Person], new_shop: Callable[..., Shop]
) -> None:
    person, other = sign_in(), new_shop()
    for page in declared:
        for call in (person.get, person.post):
            assert call(f"/shops/{other.id}/{parts(page.route)}").status_code == 404, page.route


def test_nobody_sees_a_page_without_signing_in(declared: list[Any], new_shop: Callable[..., Shop]) -> None:
    from django.test import Client

    shop = new_shop()
    for page in declared:
        path = f"/shops/{shop.id}/{parts(page.route)}"
        answer = Client().get(path)
        assert (answer.status_code, answer["Location"].split("?")[0]) == (302, "/login"), page.route


def test_every_change_of_keys_accounts_secrets_and_money_needs_a_second_factor(
    declared: list[Any], sign_in: Callable[..., Person]
) -> None:
    person, stale = sign_in(), sign_in()
    for each in (person, stale):
        each.post("/account/reauthenticate/", {"password": PASSWORD})
    prove(stale, minutes_ago=6)
    guarded = [page for page in declared if page.proof]
    assert {page.name for page in guarded} == {
        "new_key", "key", "new_connector", "connector",
        "bank_accounts", "callback_settings", "callback_secret", "agency_settings", "refunds_release",
        "refund_settings", "export_settings", "sign_in_settings", "team", "privacy",
        "ebics", "ebics_connection", "refund_name", "account_information", "consent",
        "fints_connections", "fints_transfer",
    }  # fmt: skip
    for page in guarded:
        assert person.post(parts(page.route))["Location"] == "/account/2fa/totp/activate/", page.name
        asked = stale.post(parts(page.route))["Location"]
        assert asked.startswith("/account/2fa/reauthenticate/?next="), page.name


def test_every_role_reads() -> None:
    assert all(Permission.READ in permissions for permissions in ROLES.values())
    assert ROLES[TeamRole.OWNER] == frozenset(Permission)
