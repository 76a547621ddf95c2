"""One order: what its page shows, each action and its refusals, who may; another shop's order does not exist."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from paymatch.area.people.roles import TeamRole
from paymatch.area.service import Service
from paymatch.domain.shops.shop import Shop
from paymatch.usecases.audit import last_entries
from paymatch.usecases.customers import links as customer_links
from paymatch.usecases.customers import notices
from paymatch.usecases.reminders import reminder_lists
from paymatch.usecases.work.alerts import keep_alerts, list_alerts
from tests.area.conftest import Person, page_of
from tests.contract.bank import book, entry
from tests.contract.client import START, Clock
from tests.usecases.refunds.refund_world import ERIKA, RefundWorld


def text(answer: Any) -> str:
    """What a reader sees of a page, in one line."""
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", answer.content.decode())).split())


def happenings(answer: Any) -> list[str]:
    """The titles of the timeline, latest first."""
    body = answer.content.decode()
    return [unescape(title) for title in re.findall(r'<div class="what"><strong>([^<]*)', body)]


@pytest.fixture
def clerk(world: RefundWorld, sign_in: Callable[..., Person]) -> Person:
    world.paid("A-1")
    world.client.submit("A-2", amount=80)
    return sign_in(TeamRole.CLERK, world.client.shop)


def entries(service: Service, shop: Shop, subject: str) -> list[tuple[str, str, str]]:
    """(action, kind of actor, actor) about a subject, latest first."""
    return [(row["action"], row["actorKind"], row["actor"]) for row in last_entries(service.database, shop, subject, 9)]


def act(person: Person, number: str, action: str, **fields: str) -> Any:
    """Does an action of the order's page and follows to where it leads."""
    return person.post(f"orders/{number}", {"action": action, **fields}, follow=True)


def test_paid_order_shows_money_and_what_happened(clerk: Person) -> None:
    answer = clerk.get("orders/A-1")
    page = text(answer)
    assert "Due 100.00 EUR Credited 100.00 EUR received in 1 payment 100.00 EUR Open amount 0.00 EUR" in page
    assert happenings(answer) == ["Paid", "Payment", "Submitted by the shop"]
    assert "Set paid Not possible: already paid" in page
    assert "Set unpaid Not possible: only a manual mark can be removed" in page
    assert "Stop reminders Not possible: nothing of this order is open" in page
    assert "Refund up to 100.00 EUR" in page
    assert "not offered while nothing is open" in page
    assert '"paymentStatus": "PAID"' in page


def test_open_order_shows_its_payment_code(clerk: Person) -> None:
    answer = clerk.get("orders/A-2")
    assert "data:image/svg+xml;base64,PD94" in answer.content.decode()
    assert "Refund Not possible: nothing of the payments is left" in text(answer)


def test_order_in_another_currency_shows_what_its_customer_is_asked_for(clerk: Person, world: RefundWorld) -> None:
    world.client.submit("A-3", amount=100, currency="GBP", exchangeRate=0.855)
    page = text(clerk.get("orders/A-3"))
    assert "Open amount 100.00 GBP the customer is asked for, at exchangeRate 0.855 116.96 EUR" in page
    assert "the customer is asked for" not in text(clerk.get("orders/A-2"))


def test_tabs_show_a_part_of_the_timeline(clerk: Person) -> None:
    act(clerk, "A-2", "set-paid")
    assert happenings(clerk.get("orders/A-2?show=people")) == ["Set paid by hand"]
    assert happenings(clerk.get("orders/A-2?show=messages")) == []


def test_unknown_numbers_are_not_found(clerk: Person) -> None:
    assert clerk.get("orders/A-9").status_code == 404
    assert act(clerk, "A-9", "set-paid").status_code == 404
    assert act(clerk, "A-9", "refund", amount="1", note="x").status_code == 404
    assert act(clerk, "A-1", "burn").status_code == 404


def test_another_shops_order_does_not_exist(clerk: Person, sign_in: Callable[..., Person]) -> None:
    stranger = sign_in()
    assert stranger.get("orders/A-1").status_code == 404
    assert act(stranger, "A-1", "cancel").status_code == 404
    assert stranger.get(f"/shops/{clerk.shop.id}/orders/A-1").status_code == 404
    assert stranger.post(f"/shops/{clerk.shop.id}/orders/A-1", {"action": "cancel"}).status_code == 404
    assert "Order A-1" in text(clerk.get("orders/A-1"))


def test_set_paid_and_back_is_recorded_by_name(
    clerk: Person, world: RefundWorld, service: Service, world_shop: Shop
) -> None:
    assert "The order is set paid." in text(act(clerk, "A-2", "set-paid"))
    assert world.client.status("A-2") == "PAID"
    assert "The payments decide again." in text(act(clerk, "A-2", "set-unpaid"))
    assert world.client.status("A-2") == "UNPAID"
    by_clerk = ("order-marked", "person", clerk.email)
    assert entries(service, world_shop, "A-2") == [by_clerk, by_clerk]


def test_what_an_order_was_set_paid_on_is_said_in_german(clerk: Person) -> None:
    german = {"accept-language": "de"}
    assert '<option value="CASH">Kasse</option>' in clerk.get("orders/A-2", headers=german).content.decode()
    clerk.post("orders/A-2", {"action": "set-paid", "account": "CASH", "reason": "paid at the counter"})
    row = clerk.get("reports/set-paid", headers=german).content.decode().partition("<tbody>")[2]
    assert "Kasse" in row and "paid at the counter" in row and "CASH" not in row


def test_what_is_not_possible_is_refused_with_the_reason(clerk: Person, world: RefundWorld) -> None:
    with world.client.unchanged():
        assert "Order already in paymentStatus PAID" in text(act(clerk, "A-1", "set-paid"))
        assert "Order must have manual paymentStatus" in text(act(clerk, "A-1", "set-unpaid"))


def test_cancel(clerk: Person, world: RefundWorld) -> None:
    assert "Cancel order leaves 100.00 EUR overpaid" in text(clerk.get("orders/A-1"))
    page = text(act(clerk, "A-1", "cancel"))
    assert "The order is cancelled." in page
    assert "Cancel order Not possible: already cancelled" in page
    assert "Overpaid 100.00 EUR" in page
    assert world.client.status("A-1") == "CANCELLED"


def test_refund_with_amount_and_reason(clerk: Person, world: RefundWorld) -> None:
    page = text(act(clerk, "A-1", "refund", amount="30,50", note="Teapot cracked"))
    assert "The refund of 30.50 EUR is filed; it is planned for tomorrow." in page
    assert "planned for 3 Mar, reserved \u221230.50 EUR" in page.replace(" 2026,", ",")
    assert "“Teapot cracked”" in page
    assert "Refund up to 69.50 EUR" in page
    (refund,) = world.client.read("A-1", "includeRefunds=true")["refunds"]
    assert (refund["amount"], refund["plannedDate"], refund["status"]) == ("30.50", "03-03-2026", "NEW")
    assert refund["externalReference"].startswith("R-")


@pytest.mark.parametrize(
    ("amount", "note", "error"),
    [
        ("100.01", "x", "Between 0.01 and 100.00 is left to refund"),
        ("0", "x", "Between 0.01 and 100.00 is left to refund"),
        ("-5", "x", "Between 0.01 and 100.00 is left to refund"),
        ("much", "x", "Enter an amount such as 12.50"),
        ("1.234,50", "x", "Between 0.01 and 100.00 is left to refund"),
        ("1,234.50", "x", "Between 0.01 and 100.00 is left to refund"),
        ("1.2.3,4,5", "x", "Enter an amount such as 12.50"),
        ("10", "", "This field is required."),
        ("10", "x" * 501, "Ensure this value has at most 500 characters (it has 501)."),
    ],
)
def test_refused_refund_keeps_what_was_typed(
    clerk: Person, world: RefundWorld, amount: str, note: str, error: str
) -> None:
    with world.client.unchanged():
        answer = clerk.post("orders/A-1", {"action": "refund", "amount": amount, "note": note})
    assert answer.status_code == 200
    assert error in text(answer)
    assert f'value="{amount}"' in answer.content.decode()
    assert f'value="{note}"' in answer.content.decode()
    assert "<details open>" in answer.content.decode()


def test_reminders_are_stopped_and_resumed(
    clerk: Person, world: RefundWorld, service: Service, world_shop: Shop, area_clock: Clock
) -> None:
    page = text(act(clerk, "A-2", "stop-reminders"))
    assert "No reminder is sent for this order." in page
    assert "Resume reminders stopped by a person" in page
    stopped = "SELECT reminders_stopped FROM orders WHERE shop_id = $1 AND number = 'A-2'"
    assert world.client.rows(stopped) == [(True,)]
    world.client.submit("A-2", amount=90, customerEmail="jens@example.org")
    preview = reminder_lists.preview(service.database, world_shop, START.date(), area_clock(), as_if_on=True)
    assert [(row["orderNumber"], row["reason"]) for row in preview] == [("A-2", "stopped")]
    assert world.client.rows(stopped) == [(True,)]
    act(clerk, "A-2", "stop-reminders")
    act(clerk, "A-2", "resume-reminders")
    assert world.client.rows(stopped) == [(False,)]
    assert [each for each in entries(service, world_shop, "A-2") if each[1] == "person"] == [
        ("reminders-resumed", "person", clerk.email),
        ("reminders-stopped", "person", clerk.email),
    ]


@pytest.mark.parametrize("role", [TeamRole.VIEWER, TeamRole.DEVELOPER])
def test_who_only_reads_changes_nothing(
    role: TeamRole, clerk: Person, world: RefundWorld, sign_in: Callable[..., Person]
) -> None:
    reader = sign_in(role, clerk.shop)
    page = text(reader.get("orders/A-1"))
    assert "Refund Your role does not include this" in page
    assert '<form class="action-form"' not in reader.get("orders/A-1").content.decode()
    with world.client.unchanged():
        for action in ("refund", "cancel", "set-paid", "stop-reminders"):
            assert act(reader, "A-1", action, amount="1", note="x").status_code == 403


def test_what_the_shop_changes_stands_in_the_timeline(clerk: Person, world: RefundWorld) -> None:
    world.client.submit("A-2", amount=75, customerEmail="jens@example.org")
    world.client.submit("A-2", amount=75, customerEmail="jens@example.org")
    answer = clerk.get("orders/A-2")
    assert happenings(answer) == ["Amount changed", "Order changed by the shop", "Submitted by the shop"]
    page = text(answer)
    assert "80.00 EUR → 75.00 EUR" in page and "with the API key key_" in page
    assert "also changed: customerEmail amount 80.00 75.00" in page
    [(fields,)] = world.client.rows("SELECT fields FROM order_changes WHERE shop_id = $1 AND order_number = 'A-2'")
    assert fields == '{"amount":["80.00","75.00"],"customerEmail":null}'


def test_comments_are_kept_by_name(clerk: Person, world: RefundWorld) -> None:
    page = text(act(clerk, "A-2", "comment", said="  Pays <b>on Friday</b>  "))
    assert "The comment is saved." in page
    assert f"Comment by {clerk.email} “Pays <b>on Friday</b>”" in page
    with world.client.unchanged():
        lacking = act(clerk, "A-2", "comment", said="  ").content.decode()
        assert 'aria-describedby="said-error"' in lacking
        assert '<p class="error" id="said-error">Write a comment first</p>' in lacking
        assert act(clerk, "A-9", "comment", said="x").status_code == 404


def test_customers_link_is_shown_when_asked_for_and_revoked(
    clerk: Person, world: RefundWorld, service: Service, sign_in: Callable[..., Person]
) -> None:
    links = "SELECT count(*) FROM order_links WHERE shop_id = $1 AND revoked_at IS NULL"
    assert "/p/" not in clerk.get("orders/A-2").content.decode()
    assert world.client.rows(links) == [(0,)]
    shown = re.search(r'href="(http://testserver/p/[^"]+)"', act(clerk, "A-2", "link").content.decode())
    assert shown
    assert customer_links.follow(service.database, shown[1].rpartition("/")[2], world.clock()) is not None
    assert "The links are revoked; the next mail contains a new one." in text(act(clerk, "A-2", "revoke-link"))
    assert customer_links.follow(service.database, shown[1].rpartition("/")[2], world.clock()) is None
    assert entries(service, world.client.shop, "A-2")[0] == ("link-revoked", "person", clerk.email)
    assert "There is no link to revoke." in text(act(clerk, "A-2", "revoke-link"))
    reader = sign_in(TeamRole.VIEWER, world.client.shop)
    assert reader.post("orders/A-2", {"action": "link"}).status_code == 403
    assert clerk.post("orders/NONE", {"action": "link"}).status_code == 404
    assert world.client.rows(links) == [(0,)]


def test_sandbox_timeline_follows_the_shops_clock(
    service: Service, new_shop: Callable[..., Shop], sign_in: Callable[..., Person], area_clock: Clock, tmp_path: Path
) -> None:
    """A shop whose clock is in another month: actions are shown with its dates."""
    new_shop()
    client = RefundWorld(service.database, tmp_path, clock=area_clock, sandbox=True).client
    owner = sign_in(shop=client.shop)

    def stand(days: int) -> None:
        statement = "UPDATE shops SET sandbox_stands = true, sandbox_now = $2 WHERE shop_id = $1"
        with service.database.of_shop(client.id) as tx:
            tx.run(statement, client.id, START + timedelta(days=days))

    stand(10)
    client.submit("A-3", amount=10)
    stand(20)
    act(owner, "A-3", "set-paid")
    stand(30)
    answer = act(owner, "A-3", "set-unpaid")
    assert happenings(answer) == [
        "Open", "Reset to the state of the payments", "Paid", "Set paid by hand", "Submitted by the shop",
    ]  # fmt: skip
    days = re.findall(r'<time class="second" datetime="([^T]*)', answer.content.decode())
    assert days == ["2026-04-01", "2026-04-01", "2026-03-22", "2026-03-22", "2026-03-12"]


def test_next_mail_or_why_none(clerk: Person, world: RefundWorld) -> None:
    assert "Next mail No mail is planned The order has no usable e-mail address" in text(clerk.get("orders/A-2"))
    assert "No mail is planned The order is settled: Paid" in text(clerk.get("orders/A-1"))
    world.client.submit("A-2", amount=80, customerEmail="jens@example.org")
    assert "No mail is planned The shop's reminders are switched off" in text(clerk.get("orders/A-2"))
    world.client.change(reminders="on", mail_from="shop@example.org")
    assert "Next mail Reminder 1 will be sent on" in text(clerk.get("orders/A-2"))


def test_a_posting_is_matched_from_the_orders_side(clerk: Person, world: RefundWorld, service: Service) -> None:
    book(world.client, entry("many thanks", 7_990, name="Jens Ahlers", account=ERIKA))
    [(posting,)] = world.client.rows("SELECT id FROM postings WHERE shop_id = $1 AND status <> 'matched'")
    assert "No open posting names this order or has its amount" in text(clerk.get("order-postings/A-2"))
    assert "No open posting fits" in text(clerk.get("order-postings/A-2?q=nobody"))
    assert "Jens Ahlers" in text(clerk.get("order-postings/A-2?q=79,90"))
    page = clerk.get("order-postings/A-2?q=ahlers")
    assert "Jens Ahlers" in text(page)
    stamp = re.search(r'name="stamp" value="([^"]*)"', page.content.decode())
    assert stamp is not None
    form = {"posting": posting, "stamp": unescape(stamp[1]), "amount": "79.90"}
    with world.client.unchanged():
        assert "Enter an amount such as 12.50" in text(clerk.post("order-postings/A-2", form | {"amount": "all"}))
        assert "has changed since you looked at it" in text(clerk.post("order-postings/A-2", form | {"stamp": "old"}))
        assert clerk.get("order-postings/A-9").status_code == 404
    assert "The posting is matched" in text(clerk.post("order-postings/A-2", form, follow=True))
    assert world.client.status("A-2") == "PAID_PARTIAL"
    assert entries(service, clerk.shop, posting) == [("posting-matched", "person", clerk.email)]


def test_invoice_is_handed_out_as_a_file(
    clerk: Person, service: Service, area_clock: Clock, sign_in: Callable[..., Person]
) -> None:
    from paymatch.store.orders.invoices import InvoiceRow
    from paymatch.usecases.orders import invoices

    key = service.files.put(b"%PDF-1.7 invoice", "pdf")
    row = InvoiceRow("A-1", "RE 7/8", key, "application/pdf", 16, b"")
    with service.database.of_shop(clerk.shop, at=area_clock()) as tx:
        assert invoices.add(tx, row, 1_000)
    page = clerk.get("orders/A-1").content.decode()
    link = re.search(r'href="([^"]*invoice=[^"]*)"', page)
    assert link is not None
    answer = clerk.get(unescape(link[1]))
    assert b"".join(answer.streaming_content) == b"%PDF-1.7 invoice"
    assert answer["Content-Disposition"] == 'attachment; filename="RE_7_8.pdf"'
    assert answer["Content-Type"] == "application/pdf"
    assert clerk.get("order-invoices/A-1?invoice=RE+9").status_code == 404
    assert sign_in().get("order-invoices/A-1?invoice=RE+7/8").status_code == 404


@pytest.fixture
def wrong(world: RefundWorld) -> RefundWorld:
    """The recipient at the address of two orders says that W-1 is not theirs."""
    client = world.client
    client.change(mail_from="shop@example.org", payment_information="on")
    for number in ("W-1", "W-2"):
        client.submit(number, amount=80, customerEmail="Eva@example.org")
    with client.database.of_shop(client.shop, at=world.clock()) as tx:
        notices.say_wrong_person(tx, "W-1")
    return world


def said_wrong(world: RefundWorld) -> list[tuple[str, bool]]:
    """(order, whether it was lifted) of what was said."""
    return world.client.rows("SELECT order_number, lifted_at IS NOT NULL FROM customer_notices WHERE shop_id = $1")


def test_mail_goes_again_to_an_address_that_is_right(
    wrong: RefundWorld, service: Service, sign_in: Callable[..., Person]
) -> None:
    shop = wrong.client.shop
    clerk = sign_in(TeamRole.CLERK, shop)
    assert [each["kind"] for each in list_alerts(service.database, shop)] == ["wrong-person"]
    assert f'href="/shops/{shop.id}/orders/W-1"' in clerk.get("overview/alerts").content.decode()
    page = clerk.get("orders/W-1")
    assert "The recipient at this address says that the order is not theirs. No mail is sent to it" in text(page)
    assert "Der Empfänger unter dieser Adresse sagt" in text(clerk.get("orders/W-1", headers={"accept-language": "de"}))
    assert "Allow mail to it again" in text(clerk.get("orders/W-2"))  # the address is the same
    page = act(clerk, "W-1", "write-again", email="Eva@example.org")
    assert "Mail is sent to this address again, as planned." in text(page)
    assert "Allow mail to it again" not in text(page) and happenings(page)[0] == "The customer's address was confirmed"
    assert said_wrong(wrong) == [("W-1", True)]
    assert entries(service, shop, "W-1")[0] == ("wrong-person-lifted", "person", clerk.email)
    with wrong.client.database.of_shop(shop, at=wrong.clock()) as tx:
        assert keep_alerts(tx) == (0, 1)
    assert list_alerts(service.database, shop) == []
    again = act(clerk, "W-1", "write-again", email="Eva@example.org")
    assert "The order has another address by now, or mail goes to it already." in text(again)


def test_an_address_that_the_order_has_no_more_is_left_alone(
    wrong: RefundWorld, sign_in: Callable[..., Person]
) -> None:
    clerk = sign_in(TeamRole.CLERK, wrong.client.shop)
    wrong.client.submit("W-2", amount=80, customerEmail="other@example.org")
    page = act(clerk, "W-2", "write-again", email="Eva@example.org")
    assert "The order has another address by now, or mail goes to it already." in text(page)
    assert clerk.post("orders/none", {"action": "write-again", "email": "Eva@example.org"}).status_code == 404
    stranger = sign_in(TeamRole.OWNER)
    assert stranger.post("orders/W-1", {"action": "write-again", "email": "Eva@example.org"}).status_code == 404
    assert said_wrong(wrong) == [("W-1", False)]


@pytest.mark.parametrize("role", [TeamRole.VIEWER, TeamRole.DEVELOPER])
def test_who_sends_no_reminders_does_not_let_mail_go_again(
    role: TeamRole, wrong: RefundWorld, sign_in: Callable[..., Person]
) -> None:
    person = sign_in(role, wrong.client.shop)
    page = text(person.get("orders/W-1"))
    assert "The recipient at this address says" in page and "Allow mail to it again" not in page
    assert person.post("orders/W-1", {"action": "write-again", "email": "Eva@example.org"}).status_code == 403
    assert said_wrong(wrong) == [("W-1", False)]


@pytest.mark.browser
def test_mail_goes_again_by_keyboard(
    wrong: RefundWorld, sign_in: Callable[..., Person], browser: Callable[[], Any], address: str
) -> None:
    from tests.area.test_axe_browser import problems_of
    from tests.area.test_keyboard_browser import tab_to

    clerk = sign_in(TeamRole.CLERK, wrong.client.shop)
    page = page_of(browser(), address, clerk, reduced_motion="reduce")
    where = f"/shops/{wrong.client.id}/orders/W-1"
    assert problems_of(page, where, [("light", 1400), ("dark", 390)]) == []
    page.set_viewport_size({"width": 1400, "height": 1000})
    page.goto(where)
    tab_to(page, "summary", "Allow mail to it again")
    page.keyboard.press("Enter")
    tab_to(page, "button", "Allow mail to it again")
    page.keyboard.press("Enter")
    page.get_by_text("Mail is sent to this address again, as planned.").wait_for()
    assert said_wrong(wrong) == [("W-1", True)]
