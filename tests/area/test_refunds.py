"""Refunds: the pipeline, release by people with a fresh proof and four eyes, accounts, transfer files."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from paymatch.area.people.roles import TeamRole
from paymatch.area.service import Service
from paymatch.formats.sepa.pain002_writer import AnsweredTransfer, write_pain002
from paymatch.usecases.audit import last_entries
from paymatch.usecases.refunds import transfer_files
from tests.area.conftest import PASSWORD, Person, Phone, prove
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


def chosen(world: RefundWorld, refund: str) -> str:
    """What the page sends for a refund that is ticked: with the account that it shows."""
    return f"{refund} {world.seen(refund)[refund]}"


def test_page_shows_stages_and_why_a_refund_waits(
    refund: str, world: RefundWorld, sign_in: Callable[..., Person]
) -> None:
    page = text(sign_in(TeamRole.CLERK, world.client.shop).get("refunds"))
    assert "To release 1 60.00 EUR" in page
    assert "R-A-1 for A-1" in page
    assert f"{PAYER[:4]}…{PAYER[-4:]} Above the limit for one refund" in page
    assert "60.00 EUR 100.00 EUR arrived 100.00 EUR from this account" in page
    assert "Automatic: up to 10.00 each and 5,000.00 a day" in page
    assert "Automatic today 0.00 of 5,000.00" in page


def test_a_refund_waits_for_its_planned_date(world: RefundWorld, sign_in: Callable[..., Person]) -> None:
    world.paid("B-1")
    world.file("B-1", 7, plannedDate="09-03-2026")
    clerk = sign_in(TeamRole.CLERK, world.client.shop)
    german = clerk.get("refunds", headers={"accept-language": "de"})
    assert "Planned The planned date 9 Mar" in text(clerk.get("refunds"))
    assert "Geplant Das geplante Datum 9. März" in text(german)


def test_attack_a_password_alone_releases_nothing(
    refund: str, world: RefundWorld, sign_in: Callable[..., Person]
) -> None:
    clerk, form = sign_in(TeamRole.CLERK, world.client.shop), {"refund": chosen(world, refund)}
    assert "Changes on this page need a second factor. Set up a second factor" in text(clerk.get("refunds"))
    clerk.post("/account/reauthenticate/", {"password": PASSWORD})
    with world.client.unchanged():
        assert clerk.post("refunds/release", form)["Location"] == "/account/2fa/totp/activate/"
        assert "so that a stolen password is not enough" in text(clerk.get("/account/2fa/totp/activate/", follow=True))


def test_who_sets_a_second_factor_up_goes_on_and_releases_a_day_later(
    refund: str, world: RefundWorld, service: Service, sign_in: Callable[..., Person], phone: Phone
) -> None:
    clerk, form = sign_in(TeamRole.CLERK, world.client.shop), {"refund": chosen(world, refund)}
    clerk.post("/account/reauthenticate/", {"password": PASSWORD})
    clerk.post("refunds/release", form)
    clerk.get("/account/2fa/totp/activate/")
    clerk.post("/account/2fa/totp/activate/", {"code": phone.code(clerk.client.session["mfa.totp.secret"])})
    there = clerk.get("/account/2fa/recovery-codes/").content.decode()
    back = f"/shops/{clerk.shop.id}/refunds/release"
    assert f'action="{back}"' in there
    assert "Changes on this page need" not in text(clerk.get(back))
    page = text(clerk.post("refunds/release", form, follow=True))
    assert f"{clerk.email} may release refunds from" in page
    assert "Until then another person releases" in page
    assert released_by(world, refund) == []
    a_day_later(world)
    clerk.post("refunds/release", form)
    assert released_by(world, refund) == [f"person:{clerk.email}"]


def a_day_later(world: RefundWorld) -> None:
    """What is new was new a day ago."""
    with world.database.of_shop(world.client.id) as tx:
        tx.run("UPDATE new_powers SET since = since - interval '1 day' WHERE shop_id = $1", world.client.id)


def test_second_factor_is_asked_for_where_there_is_one(
    refund: str, world: RefundWorld, sign_in: Callable[..., Person]
) -> None:
    clerk = sign_in(TeamRole.CLERK, world.client.shop)
    prove(clerk, minutes_ago=6)
    clerk.post("/account/reauthenticate/", {"password": PASSWORD})
    with world.client.unchanged():
        asked = clerk.post("refunds/release", {"refund": chosen(world, refund)})
    assert asked["Location"].startswith("/account/2fa/reauthenticate/?next=")


def test_two_persons_release_above_four_eyes(
    refund: str, world: RefundWorld, service: Service, sign_in: Callable[..., Person]
) -> None:
    first, second = (sign_in(TeamRole.CLERK, world.client.shop, proven=True) for _ in range(2))
    page = text(first.post("refunds/release", {"refund": chosen(world, refund)}, follow=True))
    assert "1 refund needs the release of a second person." in page
    assert "you have released it, another person must too" in page
    page = text(first.post("refunds/release", {"refund": chosen(world, refund)}, follow=True))
    assert "1 refund needs the release of a second person." in page
    assert world.run().files == ()
    assert f"released by {first.email}" in text(second.get("refunds"))
    page = text(second.post("refunds/release", {"refund": chosen(world, refund)}, follow=True))
    assert "1 refund released, 60.00 EUR. It goes with the next transfer file." in page
    made = world.run()
    assert made.held == ()
    assert [file.total_minor for file in made.files] == [6_000]
    assert released_by(world, refund) == sorted(f"person:{each.email}" for each in (first, second))
    told = last_entries(service.database, world.client.shop, refund, 9)
    assert [(row["action"], row["actor"]) for row in told][:1] == [("refund-released", second.email)]


def test_an_account_that_was_named_after_the_page_was_shown_is_not_released(
    refund: str, world: RefundWorld, sign_in: Callable[..., Person]
) -> None:
    clerk = sign_in(TeamRole.CLERK, world.client.shop, proven=True)
    (shown,) = re.findall(r'type="checkbox" name="refund" value="([^"]+)"', clerk.get("refunds").content.decode())
    assert shown == chosen(world, refund)
    world.set_iban(refund)
    with world.client.unchanged():
        page = text(clerk.post("refunds/release", {"refund": shown}, follow=True))
        assert "The account of refund R-A-1 has changed since you looked at it" in page
        assert clerk.post("refunds/release", {"refund": refund}).status_code == 404
    assert released_by(world, refund) == []
    clerk.post("refunds/release", {"refund": chosen(world, refund)})
    assert released_by(world, refund) == [f"person:{clerk.email}"]


def test_release_of_what_is_not_there_or_not_chosen(
    refund: str, world: RefundWorld, sign_in: Callable[..., Person]
) -> None:
    clerk, stranger = sign_in(TeamRole.CLERK, world.client.shop, proven=True), sign_in(proven=True)
    with world.client.unchanged():
        assert "No refund was chosen." in text(clerk.post("refunds/release", {}, follow=True))
        assert clerk.post("refunds/release", {"refund": [chosen(world, refund), "rf_none 1"]}).status_code == 404
        assert stranger.post("refunds/release", {"refund": chosen(world, refund)}).status_code == 404
        assert stranger.post("refunds/account", {"refund": refund, "cancel": "1"}).status_code == 404


def test_who_only_reads_releases_nothing(refund: str, world: RefundWorld, sign_in: Callable[..., Person]) -> None:
    viewer = sign_in(TeamRole.VIEWER, world.client.shop, proven=True)
    assert "Your role does not include this" in text(viewer.get("refunds"))
    with world.client.unchanged():
        for path in ("refunds/release", "refunds/account", "refunds/file"):
            assert viewer.post(path, {"refund": refund}).status_code == 403


def test_account_is_named_and_refund_cancelled(world: RefundWorld, sign_in: Callable[..., Person]) -> None:
    clerk = sign_in(TeamRole.CLERK, world.client.shop)
    world.client.submit("A-1", amount=100)
    refund = world.file("A-1", 20)
    assert world.status(refund) == "BANKDETAILS_MISSING"
    page = text(clerk.get("refunds"))
    assert "IBAN missing 1 20.00 EUR" in page
    assert "Needs an account" in page
    with world.client.unchanged():
        wrong = clerk.post("refunds/account", {"refund": refund, "iban": "DE00 1234", "holder": "Erna"})
        page = wrong.content.decode()
        assert "<li><details open>" in page and 'value="DE00 1234" aria-invalid="true"' in page
        assert "This is not an IBAN: its check digits do not fit" in page and 'value="Erna"' in page
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
    clerk = sign_in(TeamRole.CLERK, world.client.shop)
    world.paid("A-1")
    refund = world.file("A-1", 60)
    world.pass_days(1)
    (made,) = world.run().files
    (content,) = world.contents()
    page = clerk.get("refunds/files")
    assert "Never downloaded" in text(page)
    assert hashlib.sha256(content).hexdigest() in page.content.decode()
    answer = clerk.post("refunds/file", {"file": made.message_id})
    assert answer.content == content
    assert answer["Content-Disposition"] == f'attachment; filename="{made.message_id}.xml"'
    assert f"Downloaded by {clerk.email}" in text(clerk.get("refunds/files"))
    assert transfer_files.write_out(service.database, world.client.shop, tmp_path / "out", world.clock()) == []
    page = text(clerk.post("refunds/file", {"file": made.message_id, "discard": "1"}, follow=True))
    assert f"{made.message_id} is discarded; 1 refund is planned again." in page
    listed = {
        state: made.message_id in text(clerk.get(f"refunds/files?state={state}"))
        for state in ("waiting", "answered", "discarded")
    }
    assert listed == {"waiting": False, "answered": False, "discarded": True}
    assert world.status(refund) == "NEW"
    gone = text(clerk.post("refunds/file", {"file": made.message_id}, follow=True))
    assert f"There is no transfer file '{made.message_id}' that could be sent" in gone


def test_file_that_reached_the_bank_is_not_discarded(world: RefundWorld, sign_in: Callable[..., Person]) -> None:
    clerk = sign_in(TeamRole.CLERK, world.client.shop)
    world.paid("A-1")
    refund = world.file("A-1", 60)
    world.pass_days(1)
    (made,) = world.run().files
    world.debit(6_000, world.end_to_end(refund))
    assert "1 of 1 booked" in text(clerk.get("refunds/files"))
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
        ("?after=2%7C2", ["R-A-1"]),
        ("?after=x", ["R-A-2", "R-A-1"]),
    ],
)
def test_list_of_all(
    refund: str, world: RefundWorld, sign_in: Callable[..., Person], query: str, found: list[str]
) -> None:
    world.client.submit("A-2", amount=100)
    world.file("A-2", 20, plannedDate="10-03-2026")
    page = sign_in(TeamRole.VIEWER, world.client.shop).get(f"refunds{query}").content.decode()
    assert re.findall(r'<td data-label="Refund"[^>]*>([^<]*)', page) == found


def reported(world: RefundWorld, *answers: AnsweredTransfer, version: str = "10") -> Any:
    """A status report of the bank on the only transfer file, as a person uploads it."""
    [(message, batch)] = world.client.rows(
        "SELECT message_id, payment_information_id FROM transfer_files WHERE shop_id = $1"
    )
    content = write_pain002(
        "B1", world.clock(), original_message_id=message, original_version="pain.001.001.09",
        payment_information_id=batch, answers=answers,
    )  # fmt: skip
    return SimpleUploadedFile("report.xml", content.replace(b"pain.002.001.10", f"pain.002.001.{version}".encode()))


@pytest.mark.parametrize("version", ["03", "10"])
def test_a_report_of_the_bank_is_uploaded(
    world: RefundWorld, service: Service, sign_in: Callable[..., Person], version: str
) -> None:
    clerk = sign_in(TeamRole.CLERK, world.client.shop)
    filed = {}
    for number in ("A-1", "A-2", "A-3"):
        world.paid(number)
        filed[number] = world.file(number, 20)
    world.pass_days(1)
    assert [file.total_minor for file in world.run().files] == [6_000]
    answers = [
        AnsweredTransfer(world.end_to_end(filed["A-1"]), "RJCT", "AC04"),
        AnsweredTransfer(world.end_to_end(filed["A-2"]), "ACSC"),
    ]
    page = text(clerk.post("refunds/reports", {"files": reported(world, *answers, version=version)}))
    assert "report.xml 2 refunds moved" in page
    assert re.findall(r"A-1 Rejected the account is closed \(AC04\) Error", page)
    assert re.findall(r"A-2 Booked Booked", page)
    assert re.findall(r"A-3 Not mentioned In a file as before", page)
    assert [world.status(each) for each in filed.values()] == ["ERROR", "PROCESSED", "IN_PROCESS"]
    assert "Another account: the account is closed (AC04)" in text(clerk.get("refunds"))
    assert "1 of 3 came back" in text(clerk.get("refunds/files"))
    told = last_entries(service.database, world.client.shop, "", 1)
    assert [(row["action"], row["actor"]) for row in told] == [("bank-report-imported", clerk.email)]
    again = text(clerk.post("refunds/reports", {"files": reported(world, *answers, version=version)}))
    assert "report.xml 0 refunds moved" in again
    assert [world.status(each) for each in filed.values()] == ["ERROR", "PROCESSED", "IN_PROCESS"]


def test_the_banks_name_is_taken_with_one_click(world: RefundWorld, sign_in: Callable[..., Person]) -> None:
    clerk = sign_in(TeamRole.CLERK, world.client.shop)
    world.paid("A-1")
    refund = world.file("A-1", 20)
    world.pass_days(1)
    assert len(world.run().files) == 1
    for status in ("RVMC", "RJCT"):
        report = reported(world, AnsweredTransfer(world.end_to_end(refund), status))
        name = b"</TxSts><StsRsnInf><AddtlInf>Erika Muster-Meier</AddtlInf></StsRsnInf>"
        named = SimpleUploadedFile("report.xml", report.read().replace(b"</TxSts>", name))
        clerk.post("refunds/reports", {"files": named})
    page = text(clerk.get("refunds"))
    assert "The bank knows the account holder as “Erika Muster-Meier”. We wrote “" in page
    wanted = {"refund": refund, "name": "Erika Muster-Meier"}
    clerk.post("refunds/name", wanted)
    assert world.status(refund) == "ERROR"  # a password alone moves no money
    prove(clerk)
    assert "1 refund released" in text(clerk.post("refunds/name", wanted, follow=True))
    assert len(world.run().files) == 1


def test_what_is_no_report_of_ours_changes_nothing(world: RefundWorld, sign_in: Callable[..., Person]) -> None:
    clerk = sign_in(TeamRole.CLERK, world.client.shop)
    world.paid("A-1")
    world.file("A-1", 20)
    world.pass_days(1)
    world.run()
    ours = reported(world, AnsweredTransfer("X", "RJCT")).read()
    [(message,)] = world.client.rows("SELECT message_id FROM transfer_files WHERE shop_id = $1")
    strange = ours.replace(message.encode(), b"ELSE").replace(b"<OrgnlPmtInfId>", b"<OrgnlPmtInfId>X")
    with world.client.unchanged():
        assert "Choose a file first." in text(clerk.post("refunds/reports"))
        for content, why in (
            (b"hello", "This is not well-formed XML"),
            (b"<Document/>", "is not a payment status report (pain.002)"),
            (b'<!DOCTYPE x [<!ENTITY a "b">]>' + ours, "a DOCTYPE is not taken"),
            (strange, "not one of our transfer files"),
        ):
            page = text(clerk.post("refunds/reports", {"files": SimpleUploadedFile("x.xml", content)}))
            assert "x.xml Not accepted" in page
            assert why in page


@pytest.mark.browser
def test_two_persons_with_second_factors_release_in_the_browser(
    refund: str, world: RefundWorld, sign_in: Callable[..., Person], browser: Callable[[], Any], address: str,
    phone: Phone,
) -> None:  # fmt: skip
    from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret

    from paymatch.area.people.models import User

    people = [sign_in(TeamRole.CLERK, world.client.shop) for _ in range(2)]
    secrets = {person.email: generate_totp_secret() for person in people}
    for person in people:
        TOTP.activate(User.objects.get(email=person.email), secrets[person.email])
    chromium = browser()
    for person, said in zip(
        people, ("needs the release of a second person", "1 refund released, 60.00 EUR"), strict=True
    ):
        context = chromium.new_context(base_url=address)
        cookie = person.client.cookies["paymatch_session"].value
        context.add_cookies([{"name": "paymatch_session", "value": cookie, "url": address}])
        page = context.new_page()
        page.goto(f"/shops/{person.shop.id}/refunds")
        page.get_by_role("checkbox", name="R-A-1").check()
        page.get_by_role("button", name="Release the chosen refunds").click()
        field = page.locator("input[name=code]")
        field.wait_for()
        field.fill(phone.code(secrets[person.email]))
        page.keyboard.press("Enter")
        page.get_by_text(said).wait_for()
        context.close()
    assert released_by(world, refund) == sorted(f"person:{person.email}" for person in people)


def speed_of(world: RefundWorld, refund: str) -> str:
    ((speed,),) = world.client.rows("SELECT speed FROM refunds WHERE shop_id = $1 AND id = $2", refund)
    return str(speed)


def test_the_speed_is_chosen_with_the_release(
    refund: str, world: RefundWorld, service: Service, sign_in: Callable[..., Person]
) -> None:
    clerk = sign_in(TeamRole.CLERK, world.client.shop, proven=True)
    assert f'<select name="speed {refund}"' in clerk.get("refunds").content.decode()
    form = {"refund": chosen(world, refund), f"speed {refund}": "normal"}
    clerk.post("refunds/release", form)
    assert speed_of(world, refund) == ""  # it goes so anyway
    assert clerk.post("refunds/release", form | {f"speed {refund}": "fast"}).status_code == 404
    clerk.post("refunds/release", form | {f"speed {refund}": "instant"})
    assert speed_of(world, refund) == "instant"
    assert "refund-speed-set" in {row["action"] for row in last_entries(service.database, world.client.shop, refund, 9)}


def test_a_planned_refund_goes_at_once_or_not(world: RefundWorld, sign_in: Callable[..., Person]) -> None:
    world.paid("B-1")
    refund = world.file("B-1", 7, plannedDate="09-03-2026")
    clerk = sign_in(TeamRole.CLERK, world.client.shop)
    assert "Send as an instant transfer" in text(clerk.get("refunds?stage=planned"))
    page = text(clerk.post("refunds/speed", {"refund": refund, "speed": "instant"}, follow=True))
    assert "The refund goes at once, where the bank offers it." in page
    assert "Send as a normal transfer" in page
    assert speed_of(world, refund) == "instant"
    page = text(clerk.post("refunds/speed", {"refund": refund, "speed": "normal"}, follow=True))
    assert "The refund goes as a normal transfer." in page
    reader = sign_in(TeamRole.VIEWER, world.client.shop)
    assert "Send as an instant transfer" not in text(reader.get("refunds?stage=planned"))
    assert reader.post("refunds/speed", {"refund": refund, "speed": "instant"}).status_code == 403
    assert speed_of(world, refund) == "normal"


def test_a_refund_is_filed_with_its_speed(world: RefundWorld, sign_in: Callable[..., Person]) -> None:
    world.paid("C-1")
    clerk = sign_in(TeamRole.CLERK, world.client.shop)
    clerk.post("orders/C-1", {"action": "refund", "amount": "5.00", "note": "broken", "speed": "instant"})
    ((refund,),) = world.client.rows("SELECT id FROM refunds WHERE shop_id = $1")
    assert speed_of(world, refund) == "instant"
