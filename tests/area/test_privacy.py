"""Personal data in the area: an owner looks, takes it out and erases, behind a fresh proof."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from paymatch.area.people.roles import TeamRole
from paymatch.area.service import Service
from tests.area.conftest import Person
from tests.area.test_order import text
from tests.usecases.refunds.refund_world import RefundWorld

JENS = {"email": "jens@example.org", "name": "", "iban": "", "customer": ""}


@pytest.fixture
def owner(world: RefundWorld, sign_in: Callable[..., Person]) -> Person:
    world.paid("A-1")
    world.client.submit("J-1", amount=10, customerEmail="jens@example.org",
                        billing={"firstName": "Jens", "lastName": "Beispiel", "countryCode": "DE"})  # fmt: skip
    return sign_in(TeamRole.OWNER, world.client.shop, proven=True)


def documents(world: RefundWorld) -> str:
    with world.client.database.of_shop(world.client.id) as tx:
        return "".join(row[0] for row in tx.rows("SELECT doc FROM orders WHERE shop_id = $1", world.client.id))


def test_owner_looks_takes_out_and_erases(owner: Person, world: RefundWorld, service: Service) -> None:
    from paymatch.area.people.models import SavedView, User

    person = User.objects.get(email=owner.email)
    query = "q=jens%40example.org"
    SavedView.objects.create(user=person, shop_id=world.client.id, listing="orders", name="his", query=query)
    looked = text(owner.post("settings/privacy", JENS | {"action": "look"}))
    assert "Jens Beispiel" in looked
    assert "order J-1 is UNPAID" in looked
    taken = owner.post("settings/privacy", JENS | {"action": "json"})
    assert json.loads(taken.content)["data"]["orders"][0]["number"] == "J-1"
    assert owner.post("settings/privacy", JENS | {"action": "pdf"}).content.startswith(b"%PDF")
    assert "Something is still open" in text(owner.post("settings/privacy", JENS | {"action": "erase", "sure": "1"}))
    owner.post("settings/privacy", JENS | {"action": "erase", "although-open": "1"})
    assert "jens@example.org" in documents(world), "nobody has ticked the box"
    done = owner.post("settings/privacy", JENS | {"action": "erase", "although-open": "1", "sure": "1"})
    assert done.status_code == 302
    assert "jens@example.org" not in documents(world)
    assert SavedView.objects.filter(shop_id=world.client.id).count() == 0
    assert "No one was found with these details" in text(owner.post("settings/privacy", JENS | {"action": "look"}))
    assert "Name the person" in text(owner.post("settings/privacy", {"action": "look"}))


def test_only_owners_and_only_after_a_fresh_proof(world: RefundWorld, sign_in: Callable[..., Person]) -> None:
    clerk = sign_in(TeamRole.CLERK, world.client.shop, proven=True)
    assert clerk.post("settings/privacy", JENS | {"action": "look"}).status_code == 403
    unproven = sign_in(TeamRole.OWNER, world.client.shop)
    answer = unproven.post("settings/privacy", JENS | {"action": "json"})
    assert answer.headers["Location"] == "/account/2fa/totp/activate/"
