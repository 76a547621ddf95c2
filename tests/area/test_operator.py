"""The installation's page: the operator's people see it, for everybody else it does not exist."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from paymatch.area.people.roles import Role
from tests.area.conftest import Person


@pytest.mark.parametrize("address", ["/operator/", "/operator"])
def test_operator_sees_all_shops_and_the_due_work(address: str, sign_in: Callable[..., Person]) -> None:
    other = sign_in()
    page = sign_in(Role.VIEWER, staff=True).get(address).content.decode()
    assert other.shop.name in page and str(other.shop.id) in page
    assert "housekeeping" in page or "alerts" in page


@pytest.mark.parametrize("role", list(Role))
def test_for_others_it_does_not_exist(role: Role, sign_in: Callable[..., Person]) -> None:
    assert sign_in(role).get("/operator/").status_code == 404


def test_it_changes_nothing(sign_in: Callable[..., Person]) -> None:
    assert sign_in(Role.OWNER, staff=True).post("/operator/").status_code == 405


def test_nobody_sees_it_without_signing_in(sign_in: Callable[..., Person]) -> None:
    from django.test import Client

    sign_in()
    assert Client().get("/operator/")["Location"] == "/login?next=/operator/"
