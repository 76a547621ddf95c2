"""Reminders and mail: the preview with reasons, mail as it went out, the plan and the words as forms, the switches."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from importlib import import_module
from typing import Any

import pytest

from paymatch.area.people.roles import TeamRole
from paymatch.area.service import Service
from paymatch.domain.reminders.policy import Postponed, Why
from paymatch.domain.words.message import Message
from paymatch.outbound.mail.opening import open_mail
from paymatch.usecases.audit import last_entries
from paymatch.usecases.reminders.reminders import send_due
from paymatch.usecases.shops import dunning_plans
from tests.area.conftest import Person
from tests.contract.bank import pay
from tests.usecases.refunds.refund_world import RefundWorld

PLAN = {
    "days-1": "7", "from-1": "due", "fee-1": "", "days-2": "14", "from-2": "mail", "fee-2": "2,50", "days-3": "",
    "from-3": "due", "fee-3": "", "opens": "08:00", "closes": "18:00", "term-days": "14", "grace-days": "7",
    "pay-within-days": "10", "statement-bank-days": "1", "information-days": "3", "oldest-days": "180",
    "letters-from": "2", "letters-without-mail": "on",
}  # fmt: skip


def text(answer: Any) -> str:
    """What a reader sees of a page, in one line."""
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", answer.content.decode())).split())


@pytest.fixture
def clerk(world: RefundWorld, sign_in: Callable[..., Person]) -> Person:
    """A clerk of a shop with an order that gets payment information today, one without an address, and a paid one."""
    world.client.change(mail_from="shop@example.org", payment_information="on")
    world.client.submit("A-1", customerEmail="jens@example.org", type="INVOICE")
    world.client.submit("A-2")
    world.paid("A-3")
    return sign_in(TeamRole.CLERK, world.client.shop)


def plan(service: Service, world: RefundWorld) -> dict[str, str]:
    with service.database.of_shop(world.client.shop) as tx:
        return dunning_plans.show_plan(tx)


def words(service: Service, world: RefundWorld, kind: str, language: str) -> tuple[bool, str, str]:
    """(own, subject, body) of a text."""
    with service.database.of_shop(world.client.shop) as tx:
        (row,) = [row for row in dunning_plans.texts(tx) if (row["mail"], row["language"]) == (kind, language)]
    return row["own"], row["subject"], row["body"]


def test_who_gets_what_and_who_does_not_and_why(clerk: Person) -> None:
    page = text(clerk.get("reminders"))
    assert "Sent until tomorrow 1 as if reminders were switched on" in page
    assert "A-1 Payment information jens@example.org 0.00 EUR 19.90 EUR" in page
    assert "1 The order has no usable e-mail address A-2" in page
    assert "A-3" not in page
    assert "Reminder 1 7 days after the due date" in page


def test_an_order_below_the_minimum_says_so(clerk: Person, world: RefundWorld) -> None:  # D-84
    world.client.submit("A-9", amount=100, customerEmail="jens@example.org")
    pay(world.client, "A-9", 9901)
    assert world.client.status("A-9") == "PAID_PARTIAL"
    assert "The open amount is below the shop's reminder minimum A-9" in text(clerk.get("reminders"))


def test_every_order_that_gets_nothing_can_be_read(clerk: Person, world: RefundWorld) -> None:
    for number in range(7):
        world.client.submit(f"B-{number}")
    page = clerk.get("reminders").content.decode()
    assert "8 The order has no usable e-mail address" in text(clerk.get("reminders"))
    assert "<summary>3 more orders</summary>" in page
    assert all(f'/orders/B-{number}"' in page for number in range(7))


def test_of_many_open_orders_those_that_are_due_first(clerk: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_module("paymatch.area.views.reminders.overview"), "PREVIEWED", 1)
    some, whole = text(clerk.get("reminders")), text(clerk.get("reminders?all=1"))
    assert "Only the 1 open order that is due first was checked. Check all of them" in some
    assert "were checked" not in whole


@pytest.mark.usefixtures("service")
def test_reasons_name_neither_ids_nor_constants() -> None:
    from paymatch.area.views.reminders.labels import next_mail_words, why_words

    waits = "A posting that waits for a decision may be its payment"
    assert why_words(Why.SUGGESTED, {"posting": "pst_1"}) == waits
    assert why_words(Why.NOT_MANAGED, {"type": "COD"}) == "Orders of the type “Cash on delivery” get no mail"
    found = [Postponed(Why.SUGGESTED, "", None, {"posting": "pst_1"})]
    assert next_mail_words(found, "Europe/Berlin") == ("No mail is planned", [(waits, "pst_1")])


def test_mail_that_went_out_is_shown(clerk: Person, world: RefundWorld, service: Service) -> None:
    door = open_mail(service.settings)
    assert send_due(service.database, world.client.shop, door, world.clock()) == 3
    door.close()
    page = clerk.get("reminders?status=KEPT").content.decode()
    link = re.search(r'<td data-label="Mail"[^>]*><a href="([^"]*)">Payment information', page)
    assert link is not None
    shown = text(clerk.get(link[1]))
    assert "Order A-1 To jens@example.org Subject Zahlungsinformation zu Ihrer Bestellung A-1" in shown
    assert "DE89 3704 0044 0532 0130 00" in shown
    assert "Only refused mail is tried again" in text(clerk.post(link[1], follow=True))
    assert "Nothing found" in text(clerk.get("reminders?status=REFUSED"))


def test_another_shops_mail_does_not_exist(
    clerk: Person, world: RefundWorld, service: Service, sign_in: Callable[..., Person]
) -> None:
    door = open_mail(service.settings)
    send_due(service.database, world.client.shop, door, world.clock())
    door.close()
    ((mail,),) = world.client.rows("SELECT id FROM mails WHERE shop_id = $1")
    assert clerk.get(f"reminders/mail/{mail}").status_code == 200
    stranger = sign_in()
    assert stranger.get(f"reminders/mail/{mail}").status_code == 404
    assert stranger.post(f"reminders/mail/{mail}").status_code == 404


def test_plan_is_changed_by_its_form(clerk: Person, world: RefundWorld, service: Service) -> None:
    assert 'value="35"' in clerk.get("reminders/plan").content.decode()
    page = text(clerk.post("reminders/plan", PLAN, follow=True))
    assert "The plan is changed; all open orders are checked again." in page
    assert "Reminder 2 14 days after the mail before · fee 2.50 EUR" in page
    found = plan(service, world)
    assert (found["levels"], found["opens"], found["closes"]) == ("7,+14:2.50", "08:00", "18:00")
    german = clerk.get("reminders/plan", headers={"accept-language": "de"}).content.decode()
    assert ('name="fee-2" value="2,50"' in german, 'name="fee-2" value="2.50"' in german) == (True, False)
    (entry, *_rest) = last_entries(service.database, world.client.shop, "dunning-plan", 2)
    assert (entry["action"], entry["actor"]) == ("settings-changed", clerk.email)


def test_plan_is_previewed_on_a_real_order(clerk: Person, world: RefundWorld, service: Service) -> None:
    before = plan(service, world)
    page = text(clerk.get("reminders/plan")).replace(" 2026", "")
    assert "A-1 · Muster · 19.90 EUR Ordered 1 Mar Due 15 Mar Payment information Mon, 2 Mar, 10:30" in page
    page = text(clerk.post("reminders/plan", PLAN | {"do": "preview"})).replace(" 2026", "")
    assert (
        "Reminder 1 Mon, 23 Mar, 08:00 Reminder 2 Tue, 7 Apr, 08:00 · fee 2.50 EUR then no more reminders are sent"
        in page
    )
    assert "Reminder 3 " not in page.partition("What it would send")[2]
    refused = text(clerk.post("reminders/plan", PLAN | {"do": "preview", "opens": "19:00"}))
    assert "What it would send opens must be before closes" in refused
    assert plan(service, world) == before


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"days-1": "soon"}, "Enter whole days, and a fee such as 2.50 or none"),
        ({"days-1": "30", "from-2": "due"}, "days after the due date must grow from level to level"),
        ({"opens": "19:00"}, "opens must be before closes"),
        ({"grace-days": "0"}, "a whole number from 1 to 90 is expected"),
    ],
)
def test_refused_plan_keeps_what_was_typed(
    clerk: Person, world: RefundWorld, service: Service, change: dict[str, str], error: str
) -> None:
    before = plan(service, world)
    answer = clerk.post("reminders/plan", PLAN | change)
    assert answer.status_code == 200
    assert error in text(answer)
    for value in ("2,50", *change.values()):
        assert value in answer.content.decode()
    assert plan(service, world) == before


def test_words_are_previewed_on_a_real_order_saved_and_reset(
    clerk: Person, world: RefundWorld, service: Service
) -> None:
    asked = {"mail": "1", "language": "en", "subject": "About $order", "body": "Dear $name, $open is open."}
    answer = clerk.post("reminders/texts", asked | {"do": "preview"})
    assert "Preview for order A-1 About A-1 As plain text Dear Muster, €19.90 is open." in text(answer)
    [frame] = re.findall(r'<iframe [^>]* sandbox="" srcdoc="([^"]+)"', answer.content.decode())
    assert "<p>Dear Muster, €19.90 is open.</p>" in unescape(frame)
    assert "style=" not in unescape(frame)
    assert words(service, world, "1", "en")[0] is False
    page = text(clerk.post("reminders/texts", asked | {"do": "save"}, follow=True))
    assert "The text is saved." in page and "custom text" in page
    assert words(service, world, "1", "en") == (True, "About $order", "Dear $name, $open is open.")
    assert "The default text is used again." in text(
        clerk.post("reminders/texts", asked | {"do": "reset"}, follow=True)
    )
    assert words(service, world, "1", "en")[0] is False


def test_refused_words_stay_in_the_form(clerk: Person, world: RefundWorld, service: Service) -> None:
    asked = {"mail": "0", "language": "de", "subject": "Zu $order", "body": "Bitte $zahlen", "do": "save"}
    answer = clerk.post("reminders/texts", asked)
    assert "there is no placeholder zahlen" in text(answer)
    assert "Bitte $zahlen</textarea>" in answer.content.decode()
    assert words(service, world, "0", "de")[0] is False
    assert clerk.get("reminders/texts?mail=9&language=de").status_code == 404


def test_switches(clerk: Person, world: RefundWorld, service: Service) -> None:
    on = "SELECT reminders, payment_information FROM shops WHERE shop_id = $1"
    assert "Switched on." in text(clerk.post("reminders", {"switch": "reminders", "value": "on"}, follow=True))
    assert world.client.rows(on) == [(True, True)]
    assert "Switched off." in text(
        clerk.post("reminders", {"switch": "payment-information", "value": "off"}, follow=True)
    )
    assert world.client.rows(on) == [(True, False)]
    assert clerk.post("reminders", {"switch": "api", "value": "off"}).status_code == 404
    (entry, *_rest) = last_entries(service.database, world.client.shop, "shop", 1)
    assert (entry["action"], entry["actor"]) == ("settings-changed", clerk.email)


def test_switch_without_a_sender_says_why_not(world: RefundWorld, sign_in: Callable[..., Person]) -> None:
    clerk = sign_in(TeamRole.CLERK, world.client.shop)
    page = text(clerk.post("reminders", {"switch": "reminders", "value": "on"}, follow=True))
    assert "mail-from" in page
    assert world.client.rows("SELECT reminders FROM shops WHERE shop_id = $1") == [(False,)]


@pytest.mark.parametrize("role", [TeamRole.VIEWER, TeamRole.DEVELOPER])
def test_who_only_reads_changes_nothing(
    role: TeamRole, clerk: Person, world: RefundWorld, sign_in: Callable[..., Person]
) -> None:
    reader = sign_in(role, world.client.shop)
    page = reader.get("reminders")
    assert page.status_code == 200
    assert "Switch on" not in text(page) and "Change the plan" not in text(page)
    assert reader.post("reminders", {"switch": "reminders", "value": "on"}).status_code == 403
    for path in ("reminders/plan", "reminders/texts"):
        assert reader.get(path).status_code == 403
        assert reader.post(path, PLAN).status_code == 403


def test_every_reason_has_words() -> None:
    from paymatch.area.views.reminders.labels import why_words
    from paymatch.domain.reminders.policy import Why

    named = dict.fromkeys(("type", "status", "levels", "currency", "days", "order"), "UNPAID")
    assert [why for why in Why if not why_words(why, {} if why is Why.STOPPED else named)] == []


@pytest.mark.parametrize(
    ("change", "field", "said"),
    [
        ({"opens": "8"}, "opens", "erwartet wird eine Uhrzeit wie 09:00"),
        ({"opens": "19:00"}, "opens", "der Beginn muss vor dem Ende liegen"),
        ({"grace-days": "x"}, "grace-days", "erwartet wird eine ganze Zahl von 1 bis 90"),
        ({"days-2": "x"}, "days-2", "Ganze Tage eingeben, und eine Gebühr wie 2,50 oder keine"),
        ({"days-1": "999"}, "days-1", "1 bis 365 Tage eingeben"),
    ],
)
def test_what_is_wrong_with_the_plan_stands_beside_its_field(
    clerk: Person, change: dict[str, str], field: str, said: str
) -> None:
    page = clerk.post("reminders/plan", PLAN | change, headers={"accept-language": "de"}).content.decode()
    assert f'aria-invalid="true" aria-describedby="{field}-error"' in page
    assert f'<p class="error" id="{field}-error">{said}</p>' in page


def test_what_is_wrong_with_words_stands_beside_their_field(clerk: Person) -> None:
    asked = {"mail": "0", "language": "de", "subject": "", "body": "Bitte zahlen", "do": "save"}
    german = {"accept-language": "de"}
    page = clerk.post("reminders/texts", asked, headers=german).content.decode()
    assert '<p class="error" id="words-error">erwartet werden 1 bis 200 Zeichen</p>' in page
    asked |= {"subject": "Zu $order", "body": "Bitte $zahlen"}
    page = clerk.post("reminders/texts", asked, headers=german).content.decode()
    assert page.index("es gibt keinen Platzhalter zahlen") > page.index('<textarea id="body"')


@pytest.mark.usefixtures("service")
@pytest.mark.parametrize(
    ("error", "came_back", "said"),
    [
        ("550 5.1.1 unknown user", False, "Endgültig abgelehnt: „550 5.1.1 unknown user“"),
        ("451 try later", False, "Noch nicht angenommen: „451 try later“"),
        ("550 5.2.2 mailbox full", True, "Sie kam zurück, mit den Worten „550 5.2.2 mailbox full“"),
        (
            "ConnectionRefusedError: [Errno 111]",
            False,
            "Die Übergabe gelang nicht: „ConnectionRefusedError: [Errno 111]“",
        ),
        (Message("mail-open-again"), False, "Die Bestellung ist wieder offen"),
        ("paid", False, "Grund: „paid“"),
        ("", False, ""),
    ],
)
def test_what_a_server_said_is_quoted_in_a_german_sentence(error: str, came_back: bool, said: str) -> None:
    from django.utils import translation

    from paymatch.area.views.reminders.labels import failure_words

    with translation.override("de"):
        assert failure_words(error, came_back=came_back) == said


def test_a_refused_mail_says_why_in_german(clerk: Person, world: RefundWorld, service: Service) -> None:
    door = open_mail(service.settings)
    assert send_due(service.database, clerk.shop, door, world.clock()) == 3
    door.close()
    with world.client.database.of_shop(clerk.shop) as tx:
        tx.run("UPDATE mails SET status = 'REFUSED', error = '550 no such user' WHERE shop_id = $1", clerk.shop.id)
    german = {"accept-language": "de"}
    page = text(clerk.get("reminders", headers=german))
    assert "Endgültig abgelehnt: „550 no such user“" in page
    link = clerk.get("reminders").content.decode().partition("/reminders/mail/")[2].partition('"')[0]
    assert "Endgültig abgelehnt: „550 no such user“" in text(clerk.get(f"reminders/mail/{link}", headers=german))


def test_a_term_that_is_a_credit_is_asked_about(clerk: Person, world: RefundWorld, service: Service) -> None:
    answer = clerk.post("reminders/plan", PLAN | {"term-days": "60"})
    assert "Payment of consumers later than 50 days after delivery is a credit. Is it intended?" in text(answer)
    assert 'name="credit"' in answer.content.decode()
    assert plan(service, world)["term-days"] == "14"
    page = text(clerk.post("reminders/plan", PLAN | {"term-days": "60", "credit": "1"}, follow=True))
    assert "The plan is changed" in page
    assert plan(service, world)["term-days"] == "60"
