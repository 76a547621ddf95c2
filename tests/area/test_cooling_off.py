"""Permissions that a thief of an owner's session takes count a day later, and the other owners are notified (D-58)."""

from __future__ import annotations

import re
from collections.abc import Callable
from uuid import uuid4

import pytest

from paymatch.area.people.roles import TeamRole
from paymatch.area.service import Service
from paymatch.domain.shops.alerts import AlertKind
from paymatch.domain.shops.audit import Actor, ActorKind
from paymatch.usecases.shops import cooling_off, shops
from paymatch.usecases.work.alerts import keep_alerts, list_alerts
from tests.area.conftest import PASSWORD, Person, prove, signed_in
from tests.area.test_refunds import a_day_later, chosen, refund, released_by, text
from tests.area.test_settings import filled, mails, person_id
from tests.area.test_sign_in import browser
from tests.usecases.refunds.refund_world import RefundWorld

__all__ = ["refund"]

LIMITS = ("refund-limit", "refund-day-limit", "refund-four-eyes")


@pytest.fixture
def stolen(refund: str, world: RefundWorld, sign_in: Callable[..., Person]) -> Person:
    """An owner's session with a second factor that was given a moment ago, in someone else's hands."""
    return sign_in(TeamRole.OWNER, world.client.shop, proven=True)


@pytest.fixture
def other(stolen: Person, sign_in: Callable[..., Person]) -> Person:
    """The other owner of the shop."""
    return sign_in(TeamRole.OWNER, stolen.shop)


def set_limits(service: Service, person: Person, amount: str) -> str:
    """What the page of the settings shows once the person has set all limits to this."""
    form = filled(service, person, **{name.replace("-", "_"): amount for name in LIMITS})
    return text(person.post("settings/refunds", form, follow=True))


def told(service: Service, person: Person) -> list[str]:
    """Mails of the service to the person about new permissions."""
    return [
        each for each in mails(service) if each.startswith(person.email) and "If neither you nor another owner" in each
    ]


def invited(service: Service, stolen: Person) -> Person:
    """A second account of the thief, invited as an owner, with a second factor of its own."""
    address = f"second-{uuid4().hex[:8]}@example.org"
    stolen.post("settings/team", {"do": "invite", "email": address, "role": "owner"})
    [mail] = [each for each in mails(service) if each.startswith(address) and "/login/invitation/" in each]
    client = browser()
    form = {"name": "Second", "password": PASSWORD}
    client.post(re.search(r"http://testserver(/login/invitation/\S+)", mail)[1], form)  # type: ignore[index]
    found = Person(client, address, stolen.shop)
    prove(found)
    return found


def test_attack_a_second_account_gives_the_second_release(
    stolen: Person, other: Person, refund: str, world: RefundWorld, service: Service
) -> None:
    second, form = invited(service, stolen), {"refund": chosen(world, refund)}
    stolen.post("refunds/release", form)
    page = text(second.post("refunds/release", form, follow=True))
    assert [file.total_minor for file in world.run().files] == []
    assert released_by(world, refund) == [f"person:{stolen.email}"]
    assert f"{second.email} may release refunds from" in page and f"{stolen.email} has given them the role" in page
    [mail] = told(service, other)
    assert f"{second.email} may release refunds from" in mail
    with world.database.of_shop(world.client.shop, at=world.clock()) as tx:
        keep_alerts(tx)
    kinds = [(each["kind"], each["subject"]) for each in list_alerts(world.database, world.client.shop)]
    assert [subject.split()[1] for kind, subject in kinds if kind == AlertKind.NEW_POWER] == [second.email]
    assert "New rights or limits for refunds" in text(other.get("overview"))
    a_day_later(world)
    second.post("refunds/release", form)
    assert [file.total_minor for file in world.run().files] == [6_000]


def test_attack_a_viewer_becomes_an_owner(
    stolen: Person, other: Person, refund: str, world: RefundWorld, service: Service, sign_in: Callable[..., Person]
) -> None:
    viewer, form = sign_in(TeamRole.VIEWER, stolen.shop, proven=True), {"refund": chosen(world, refund)}
    stolen.post("settings/team", {"do": "role", "person": person_id(viewer.email), "role": "owner"})
    viewer.post("refunds/release", form)
    stolen.post("refunds/release", form)
    assert [file.total_minor for file in world.run().files] == []
    assert (released_by(world, refund), len(told(service, other))) == ([f"person:{stolen.email}"], 1)
    stolen.post("settings/team", {"do": "role", "person": person_id(other.email), "role": "clerk"})
    prove(other)
    other.post("refunds/release", form)
    assert [file.total_minor for file in world.run().files] == [6_000], "whoever could release before still does"


def test_attack_one_owner_raises_the_limits(
    stolen: Person, other: Person, refund: str, world: RefundWorld, service: Service
) -> None:
    page = set_limits(service, stolen, "9000.00")
    assert [file.total_minor for file in world.run().files] == []
    assert "The limit of a refund was raised by" in page and "Four eyes above 50.00" in text(stolen.get("refunds"))
    page = text(stolen.post("refunds/release", {"refund": chosen(world, refund)}, follow=True))
    assert [file.total_minor for file in world.run().files] == []
    assert "1 refund needs the release of a second person." in page
    assert len(told(service, other)) == 3
    a_day_later(world)
    assert [file.total_minor for file in world.run().files] == [6_000]


def test_what_is_lowered_holds_at_once_and_what_the_command_line_raises_waits(
    stolen: Person, refund: str, world: RefundWorld, service: Service
) -> None:
    set_limits(service, stolen, "9000.00")
    set_limits(service, stolen, "5.00")
    assert "Automatic: up to 5.00 each and 5.00 a day" in text(stolen.get("refunds"))
    a_day_later(world)
    assert world.run().files == ()
    operator = world.database.acting_as(Actor(ActorKind.COMMAND, "root"))
    with operator.of_shop(world.client.shop) as tx:
        shops.change(tx, dict.fromkeys(LIMITS, "9000.00"))
    assert world.run().files == ()
    a_day_later(world)
    assert [file.total_minor for file in world.run().files] == [6_000]


@pytest.mark.parametrize(
    ("subject", "name", "value"),
    [
        ("settings", "timezone", "Asia/Tokyo"),
        ("settings/matching", "tolerance", "400.00"),
        ("settings/matching", "fee-tolerance", "400.00"),
        ("settings/matching", "cash-discount", "20"),
        ("settings/matching", "bank-charge-percent", "20"),
        ("settings/matching", "bank-charge-limit", "400.00"),
        ("settings/matching", "caution", "bold"),
    ],
)
def test_attack_an_owners_password_alone_loosens_a_setting(
    refund: str,
    world: RefundWorld,
    service: Service,
    sign_in: Callable[..., Person],
    subject: str,
    name: str,
    value: str,
) -> None:
    owner = sign_in(TeamRole.OWNER, world.client.shop)
    before = filled(service, owner)[name]
    owner.post(subject, filled(service, owner, **{name: value}), follow=True)
    assert filled(service, owner)[name] == before
    with world.database.of_shop(world.client.shop) as tx:
        assert cooling_off.waiting_changes(tx) == []
    prove(owner)
    a_day_later(world)
    page = text(owner.post(subject, filled(service, owner, **{name: value}), follow=True))
    assert f"was changed by {owner.email}, and the change takes effect after" in page
    assert filled(service, owner)[name] == before


def test_attack_a_second_factor_that_a_thief_adds(
    stolen: Person, other: Person, refund: str, world: RefundWorld, service: Service
) -> None:
    world.client.change(refund_four_eyes="100.00")
    stolen.post("/account/2fa/recovery-codes/generate/")
    stolen.post("refunds/release", {"refund": chosen(world, refund)})
    assert [file.total_minor for file in world.run().files] == []
    assert released_by(world, refund) == []
    [mail] = told(service, other)
    assert f"{stolen.email} may release refunds from" in mail and "set up a second factor" in mail


def test_a_sandbox_waits_for_nothing(service: Service, new_shop: Callable[..., object]) -> None:
    owner = signed_in(TeamRole.OWNER, new_shop(sandbox=True), proven=True)  # type: ignore[arg-type]
    assert "was raised by" not in set_limits(service, owner, "9000.00")
    assert "Automatic today" not in text(owner.get("refunds"))
