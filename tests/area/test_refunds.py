"""Refunds: the pipeline, release by people with a fresh proof and four eyes, accounts, transfer files."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from paymatch.area.people.roles import Role
from paymatch.area.service import Service
from paymatch.usecases.refunds import transfer_files
from paymatch.usecases.work.audit import last_deeds
from tests.area.conftest import PASSWORD, Person
from tests.contract.bank import PAYER
from tests.usecases.refunds.refund_world import ERIKA, RefundWorld


def text(answer: Any) -> str:
    """What a reader sees of a page, in one line."""
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", answer.content.decode())).split())


@pytest.fixture
def refund(world: RefundWorld) -> str:
    """A refund of 60.00 that a run has held back, because it is above the limit of 10.00."""
    world.client.change(refund_limit="10.00", refund_four_eyes="50.00")
    world.paid("A-1")
    filed = world.file("A-1", 60)
    world.pass_days(1)
    assert world.run().files == ()
    return filed


def released_by(world: RefundWorld, refund: str) -> list[str]:
    """Who has released the refund."""
    rows = world.client.rows("SELECT released_by FROM refund_releases WHERE shop_id = $1 AND refund_id = $2", refund)
    return sorted(row[0] for row in rows)


def test_page_shows_stages_and_why_a_refund_waits(
    refund: str, world: RefundWorld, sign_in: Callable[..., Person]
) -> None:
    page = text(sign_in(Role.CLERK, world.client.shop).get("refunds"))
    assert "To release 1 60.00 EUR" in page
    assert "R-A-1 for A-1" in page
    assert f"{PAYER[:4]}…{PAYER[-4:]} Above the limit for one refund" in page
    assert "Automatic: up to 10.00 each and 5,000.00 a day" in page
    assert "Automatic today 0.00 of 5,000.00" in page


def test_release_needs_a_fresh_proof(refund: str, world: RefundWorld, sign_in: Callable[..., Person]) -> None:
    clerk = sign_in(Role.CLERK, world.client.shop)
    with world.client.unchanged():
        asked = clerk.post("refunds/release", {"refund": refund})
        assert asked["Location"].startswith("/account/reauthenticate/?next=")
        assert clerk.post(asked["Location"], {"password": "wrong horse battery"}).status_code == 200
    assert clerk.post(asked["Location"], {"password": PASSWORD}).status_code == 302
    assert released_by(world, refund) == [f"person:{clerk.email}"]


def test_second_factor_is_asked_for_where_there_is_one(
    refund: str, world: RefundWorld, sign_in: Callable[..., Person]
) -> None:
    from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret

    from paymatch.area.people.models import User

    clerk = sign_in(Role.CLERK, world.client.shop, proven=True)
    TOTP.activate(User.objects.get(email=clerk.email), generate_totp_secret())
    with world.client.unchanged():
        asked = clerk.post("refunds/release", {"refund": refund})
    assert asked["Location"].startswith("/account/2fa/reauthenticate/?next=")


def test_two_persons_release_above_four_eyes(
    refund: str, world: RefundWorld, service: Service, sign_in: Callable[..., Person]
) -> None:
    first, second = (sign_in(Role.CLERK, world.client.shop, proven=True) for _ in range(2))
    page = text(first.post("refunds/release", {"refund": refund}, follow=True))
    assert "1 refund needs the release of a second person." in page
    assert "you have released it, another person must too" in page
    page = text(first.post("refunds/release", {"refund": refund}, follow=True))
    assert "1 refund needs the release of a second person." in page
    assert world.run().files == ()
    assert f"released by {first.email}" in text(second.get("refunds"))
    page = text(second.post("refunds/release", {"refund": refund}, follow=True))
    assert "1 refund released, 60.00 EUR. It goes with the next transfer file." in page
    made = world.run()
    assert made.held == ()
    assert [file.total_minor for file in made.files] == [6_000]
    assert released_by(world, refund) == sorted(f"person:{each.email}" for each in (first, second))
    told = last_deeds(service.database, world.client.shop, refund, 9)
    assert [(row["deed"], row["actor"]) for row in told][:1] == [("refund-released", second.email)]


def test_release_of_what_is_not_there_or_not_chosen(
    refund: str, world: RefundWorld, sign_in: Callable[..., Person]
) -> None:
    clerk, stranger = sign_in(Role.CLERK, world.client.shop, proven=True), sign_in(proven=True)
    with world.client.unchanged():
        assert "No refund was chosen." in text(clerk.post("refunds/release", {}, follow=True))
        assert clerk.post("refunds/release", {"refund": [refund, "rf_none"]}).status_code == 404
        assert stranger.post("refunds/release", {"refund": refund}).status_code == 404
        assert stranger.post("refunds/account", {"refund": refund, "cancel": "1"}).status_code == 404


def test_who_only_reads_releases_nothing(refund: str, world: RefundWorld, sign_in: Callable[..., Person]) -> None:
    viewer = sign_in(Role.VIEWER, world.client.shop, proven=True)
    assert "Your role does not include this" in text(viewer.get("refunds"))
    with world.client.unchanged():
        for path in ("refunds/release", "refunds/account", "refunds/file"):
            assert viewer.post(path, {"refund": refund}).status_code == 403


def test_account_is_named_and_refund_cancelled(world: RefundWorld, sign_in: Callable[..., Person]) -> None:
    clerk = sign_in(Role.CLERK, world.client.shop)
    world.client.submit("A-1", amount=100)
    refund = world.file("A-1", 20)
    assert world.status(refund) == "BANKDETAILS_MISSING"
    page = text(clerk.get("refunds"))
    assert "IBAN missing 1 20.00 EUR" in page
    assert "Needs an account" in page
    with world.client.unchanged():
        wrong = clerk.post("refunds/account", {"refund": refund, "iban": "DE00 1234", "holder": "Erika"}, follow=True)
        assert "DE001234" in text(wrong)
    spaced = " ".join(re.findall("....?", ERIKA))
    page = text(clerk.post("refunds/account", {"refund": refund, "iban": spaced, "holder": "Erika"}, follow=True))
    assert "The account is set" in page
    assert f"Erika {ERIKA[:4]}…{ERIKA[-4:]}" in page
    assert world.status(refund) == "NEW"
    assert "The refund is cancelled." in text(
        clerk.post("refunds/account", {"refund": refund, "cancel": "1"}, follow=True)
    )
    assert world.status(refund) == "CANCELLED"


def test_file_is_downloaded_and_discarded(
    world: RefundWorld, service: Service, sign_in: Callable[..., Person], tmp_path: Path
) -> None:
    clerk = sign_in(Role.CLERK, world.client.shop)
    world.paid("A-1")
    refund = world.file("A-1", 60)
    world.pass_days(1)
    (made,) = world.run().files
    (content,) = world.contents()
    page = clerk.get("refunds")
    assert "Never downloaded" in text(page)
    assert hashlib.sha256(content).hexdigest() in page.content.decode()
    answer = clerk.post("refunds/file", {"file": made.message_id})
    assert answer.content == content
    assert answer["Content-Disposition"] == f'attachment; filename="{made.message_id}.xml"'
    assert f"Downloaded by {clerk.email}" in text(clerk.get("refunds"))
    assert transfer_files.write_out(service.database, world.client.shop, tmp_path / "out", world.clock()) == []
    page = text(clerk.post("refunds/file", {"file": made.message_id, "discard": "1"}, follow=True))
    assert f"{made.message_id} is discarded; 1 refund is planned again." in page
    assert world.status(refund) == "NEW"
    gone = text(clerk.post("refunds/file", {"file": made.message_id}, follow=True))
    assert f"There is no transfer file '{made.message_id}' that could be sent" in gone


def test_file_that_reached_the_bank_is_not_discarded(world: RefundWorld, sign_in: Callable[..., Person]) -> None:
    clerk = sign_in(Role.CLERK, world.client.shop)
    world.paid("A-1")
    refund = world.file("A-1", 60)
    world.pass_days(1)
    (made,) = world.run().files
    world.debit(6_000, world.end_to_end(refund))
    assert "1 of 1 booked" in text(clerk.get("refunds"))
    with world.client.unchanged():
        page = text(clerk.post("refunds/file", {"file": made.message_id, "discard": "1"}, follow=True))
        assert "has reached the bank and cannot be discarded" in page


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", ["R-A-2", "R-A-1"]),
        ("?stage=release", ["R-A-1"]),
        ("?stage=missing", ["R-A-2"]),
        ("?stage=booked", []),
        ("?q=a-2", ["R-A-2"]),
        ("?after=2", ["R-A-1"]),
        ("?after=x", ["R-A-2", "R-A-1"]),
    ],
)
def test_list_of_all(
    refund: str, world: RefundWorld, sign_in: Callable[..., Person], query: str, found: list[str]
) -> None:
    world.client.submit("A-2", amount=100)
    world.file("A-2", 20, plannedDate="10-03-2026")
    page = sign_in(Role.VIEWER, world.client.shop).get(f"refunds{query}").content.decode()
    assert re.findall(r'<td data-label="Refund"[^>]*>([^<]*)', page) == found
