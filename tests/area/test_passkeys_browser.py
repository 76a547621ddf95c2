"""A passkey in a real browser, whose authenticator is Chromium's own: set up, used to sign in, and as a fresh proof."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from paymatch.area.people.roles import TeamRole
from paymatch.clock import utc_now
from tests.area.conftest import PASSWORD, Person
from tests.area.test_refunds import a_day_later
from tests.usecases.refunds.refund_world import RefundWorld

pytestmark = pytest.mark.browser


@pytest.fixture
def refund(world: RefundWorld) -> str:
    """A refund of 20.00 that waits for a person: it is above the limit of 10.00."""
    world.client.change(refund_limit="10.00", refund_four_eyes="50.00")
    world.paid("A-1")
    filed = world.file("A-1", 20)
    world.pass_days(1)
    assert world.run().files == ()
    return filed


@pytest.fixture
def clerk(refund: str, world: RefundWorld, sign_in: Callable[..., Person]) -> Person:
    return sign_in(TeamRole.CLERK, world.client.shop)


def test_passkey_signs_in_and_releases_a_refund(
    clerk: Person,
    refund: str,
    world: RefundWorld,
    browser: Callable[[], Any],
    address: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    page = browser().new_context(base_url=address.replace("127.0.0.1", "localhost")).new_page()
    with_authenticator(page)
    page.goto("/login")
    page.get_by_label("E-mail").fill(clerk.email)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Sign in ↵").click()
    page.wait_for_url("**/overview")

    page.goto("/account/2fa/webauthn/add/")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Confirm").click()
    page.get_by_label("Name").fill("Office")
    page.get_by_label("Passwordless").check()
    page.get_by_role("button", name="Add").click()
    page.wait_for_url("**/account/2fa/recovery-codes/")
    page.get_by_role("link", name="Second factor").click()
    page.get_by_role("link", name="Manage").click()
    page.get_by_text("not used yet").wait_for()
    page.get_by_role("link", name="Rename Office").wait_for()
    a_day_later(world)
    page.context.clear_cookies()

    page.goto(f"/login?next=/shops/{clerk.shop.id}/refunds")
    page.get_by_role("button", name="Sign in with a passkey").click()
    page.wait_for_url("**/refunds")
    page.get_by_label("R-A-1", exact=True).check()
    later = utc_now() + timedelta(minutes=10)
    monkeypatch.setattr("paymatch.area.proof.utc_now", lambda: later)
    page.get_by_role("button", name="Release the chosen refunds").click()
    page.wait_for_url("**/account/2fa/webauthn/reauthenticate/?next=*")
    assert released_by(world, refund) == []
    monkeypatch.undo()
    page.get_by_role("button", name="Use a security key").click()
    page.wait_for_url("**/refunds")
    page.get_by_text("1 refund released, 20.00 EUR.").wait_for()
    assert released_by(world, refund) == [f"person:{clerk.email}"]


def released_by(world: RefundWorld, refund: str) -> list[str]:
    """Who has released the refund."""
    rows = world.client.rows("SELECT released_by FROM refund_releases WHERE shop_id = $1 AND refund_id = $2", refund)
    return sorted(row[0] for row in rows)


def with_authenticator(page: Any) -> None:
    """Gives the page an authenticator that keeps passkeys and says that its person agrees."""
    devtools = page.context.new_cdp_session(page)
    devtools.send("WebAuthn.enable")
    options = {
        "protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True,
        "isUserVerified": True, "automaticPresenceSimulation": True,
    }  # fmt: skip
    devtools.send("WebAuthn.addVirtualAuthenticator", {"options": options})
