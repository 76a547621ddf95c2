"""A refund above four eyes in two real browsers: two people release it, each with a fresh second factor."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from paymatch.area.people.roles import TeamRole
from paymatch.clock import utc_now
from tests.area.conftest import PASSWORD, Person, Phone
from tests.area.test_refunds import refund, released_by
from tests.usecases.refunds.refund_world import RefundWorld

__all__ = ["refund"]

pytestmark = pytest.mark.browser


@pytest.fixture
def clerks(refund: str, world: RefundWorld, sign_in: Callable[..., Person], phone: Phone) -> list[tuple[Person, str]]:
    """Two clerks of the shop whose refund waits, each with the secret of their second factor."""
    from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret

    from paymatch.area.people import accounts

    found = [(sign_in(TeamRole.CLERK, world.client.shop), generate_totp_secret()) for _ in range(2)]
    for person, secret in found:
        TOTP.activate(accounts.find(person.email), secret)
    return found


def test_two_people_release_with_a_fresh_second_factor_each(
    clerks: list[tuple[Person, str]], refund: str, world: RefundWorld, browser: Callable[[], Any], address: str,
    phone: Phone, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    pages = []
    for person, secret in clerks:
        page = browser().new_context(base_url=address).new_page()
        page.goto(f"/login?next=/shops/{person.shop.id}/refunds")
        page.get_by_label("E-mail").fill(person.email)
        page.get_by_label("Password", exact=True).fill(PASSWORD)
        page.keyboard.press("Enter")
        page.get_by_label("Code").fill(phone.code(secret))
        page.keyboard.press("Enter")
        page.get_by_role("heading", name="To release").wait_for()
        pages.append(page)

    told = ("1 refund needs the release of a second person.", "1 refund released, 60.00 EUR.")
    for place, (page, (_person, secret), said) in enumerate(zip(pages, clerks, told, strict=True)):
        page.get_by_label("R-A-1", exact=True).check()
        with monkeypatch.context() as patched:
            later = utc_now() + timedelta(minutes=10)
            patched.setattr("paymatch.area.proof.utc_now", lambda later=later: later)
            page.get_by_role("button", name="Release the chosen refunds").click()
            page.get_by_label("Code").wait_for()
        assert len(released_by(world, refund)) == place
        page.get_by_label("Code").fill(phone.code(secret))
        page.keyboard.press("Enter")
        page.get_by_text(said).wait_for()
        assert released_by(world, refund) == sorted(f"person:{each.email}" for each, _ in clerks[: place + 1])
    assert pages[0].get_by_label("R-A-1", exact=True).is_disabled()
    assert [file.total_minor for file in world.run().files] == [6_000]
