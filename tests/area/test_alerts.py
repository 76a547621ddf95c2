"""The list of alerts: what is wrong and what was, by state, kind and days; what each is about; closing one."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from datetime import datetime, timedelta
from html import unescape
from typing import Any, Final
from zoneinfo import ZoneInfo

import pytest
from lxml import html

from paymatch.area.people.roles import TeamRole
from paymatch.area.service import Service
from paymatch.domain.shops.alerts import AlertKind
from paymatch.domain.shops.shop import Shop
from paymatch.domain.words.message import Message, Sum
from paymatch.formats.mail.delivery_report import Bounce
from paymatch.store.database import Database
from paymatch.store.transactions import ShopId
from paymatch.store.work import alerts
from paymatch.usecases import audit
from paymatch.usecases.bisection import raise_item_alert
from paymatch.usecases.reminders.bounces import take
from paymatch.usecases.work import alerts as use
from tests.area.conftest import Person, page_of
from tests.area.test_keyboard_browser import tab_to
from tests.contract.client import START
from tests.usecases.refunds.refund_world import RefundWorld
from tests.usecases.reminders.mail_world import new_world

GERMAN: Final = {"accept-language": "de"}
IBAN: Final = "DE02120300000000202051"
K: Final = AlertKind
ON_TOP: Final = """() => {
    const at = document.activeElement, box = at.getBoundingClientRect();
    return document.elementFromPoint(box.x + 5, box.bottom - 5) === at;
}"""


def add(database: Database, shop: Shop, kind: str, subject: str, text: Message, at: datetime) -> str:
    """An alert that is raised; its id."""
    shop_id = ShopId(shop.id)
    with database.of_shop(shop) as tx:
        assert alerts.add(tx, kind, subject, text, at)
        return str(tx.value("SELECT id FROM alerts WHERE shop_id = $1 AND subject = $2", shop_id, subject))


def end(database: Database, shop: Shop, alert: str, at: datetime) -> None:
    """The cause is gone."""
    with database.of_shop(shop) as tx:
        assert alerts.resolve(tx, [alert], at, by_hand=False) == 1


def silent(account: str = IBAN) -> Message:
    return Message("alert-silent-feed", account=account, day=START.date())


def twice(order: str) -> Message:
    return Message("alert-given-back-twice", order=order, amount=Sum(1250, "EUR"))


def rows(page: Any) -> list[list[str]]:
    """The cells of the list, in words, without what can be done."""
    table: Any = html.fromstring(page.content)
    found = table.xpath("//table[contains(@class, 'rows')]/tbody/tr")
    return [[" ".join(cell.text_content().split()) for cell in row.xpath("./td[@data-key]")] for row in found]


def texts(page: Any) -> list[str]:
    return [row[1] for row in rows(page)]


def chips(page: Any, name: str) -> list[str]:
    """The values of a filter with their counts."""
    found: Any = html.fromstring(page.content).xpath(
        f"//nav[@aria-label='{name}']/a|//select[@aria-label='{name}']/option"
    )
    return [" ".join(each.text_content().split()) for each in found]


def link(page: Any, row: int) -> str:
    """Where the row's word about what it is about leads; "" if nowhere."""
    found: Any = html.fromstring(page.content).xpath(f"(//tbody/tr)[{row + 1}]/td[@data-key='about']/a/@href")
    return str(found[0]) if found else ""


def shown(**ago: int) -> str:
    """So long before the start, as the page shows it."""
    from paymatch.area.language.figures import moment

    return moment(START - timedelta(**ago), "Europe/Berlin")


@pytest.fixture
def told(world: RefundWorld) -> RefundWorld:
    """An order was given back twice; weeks ago an account was silent for a day; a person closed a job's alert."""
    world.paid("A-1")
    database, shop = world.client.database, world.client.shop
    was = add(database, shop, K.SILENT_FEED, f"{IBAN} 2026-02-01", silent(), START - timedelta(days=20))
    end(database, shop, was, START - timedelta(days=19))
    add(database, shop, K.GIVEN_BACK_TWICE, "A-1 1250", twice("A-1"), START - timedelta(days=40))
    text = Message("alert-job-failing", kind="mail", count=3, day=START.date(), time="05:00", error="OSError: x")
    by_hand = add(database, shop, K.JOB_FAILING, "mail 2026-03-01T05:00:00", text, START - timedelta(hours=2))
    use.resolve(database, shop, by_hand, START)
    return world


def test_open_ones_first_with_everything_that_is_known(told: RefundWorld, sign_in: Callable[..., Person]) -> None:
    person = sign_in(TeamRole.VIEWER, told.client.shop)
    page = person.get("overview/alerts")
    assert rows(page) == [
        [
            "Orders were refunded twice",
            "Order A-1 was refunded, and its payment was reversed as well: 12.50 EUR more was paid out than came in."
            " Ask the customer for it",
            "A-1", f"{shown(days=40)}", "", "", "Open",
        ],
        [
            "Work of the service fails",
            f"Job mail has failed 3 times since {shown().partition(',')[0]} 06:00, most recently with: OSError: x",
            "Send reminders and payment information", shown(hours=2), shown(), "paymatch", "Closed",
        ],
        [
            "No new statements",
            f"Account {IBAN}: no statement since {shown().partition(',')[0]}, which is longer than usual",
            "DE02…2051", shown(days=20), shown(days=19), "itself", "Closed",
        ],
    ]  # fmt: skip
    base = f"/shops/{person.shop.id}"
    assert [link(page, row) for row in range(3)] == [f"{base}/orders/A-1", "", f"{base}/bank"]


def test_filters_by_state_kind_days_and_words(told: RefundWorld, sign_in: Callable[..., Person]) -> None:
    person = sign_in(TeamRole.VIEWER, told.client.shop)

    def kinds(query: str) -> list[str]:
        return [row[0] for row in rows(person.get(f"overview/alerts?{query}"))]

    twice_, job, feed = "Orders were refunded twice", "Work of the service fails", "No new statements"
    assert kinds("state=open") == [twice_]
    assert kinds("state=closed") == [job, feed]
    assert kinds("kind=silent-feed") == [feed]
    assert kinds("days=7") == [twice_, job]  # still open, though raised long before
    assert kinds("days=30") == [twice_, job, feed]
    assert kinds("days=8") == kinds("state=x&kind=y") == kinds("after=open%20x&after=closed") == kinds("")
    assert kinds("q=a-1") == [twice_] and kinds("q=%23A-1") == [twice_] and kinds(f"q={IBAN}") == [feed]
    assert kinds("q=nothing-like-it") == []
    assert chips(person.get("overview/alerts"), "State") == ["All", "Open 1", "Closed 2"]
    assert chips(person.get("overview/alerts?state=closed"), "What is wrong") == [
        "What is wrong: All",
        f"{feed} (1)",
        f"{job} (1)",
    ]
    assert chips(person.get("overview/alerts?days=7"), "State") == ["All", "Open 1", "Closed 1"]
    assert chips(person.get("overview/alerts?kind=silent-feed"), "State") == ["All", "Closed 1"]
    assert chips(person.get("overview/alerts"), "Period") == [
        "Period: All",
        "Last 7 days",
        "Last 30 days",
        "Last 90 days",
    ]


def test_pages_follow_each_other_from_open_to_closed(
    service: Service, sign_in: Callable[..., Person], monkeypatch: pytest.MonkeyPatch
) -> None:
    person = sign_in()
    for place in range(5):
        alert = add(
            service.database, person.shop, K.SILENT_FEED, f"{place}", silent(f"AC{place}"),
            START - timedelta(days=place),
        )  # fmt: skip
        if place in (1, 3):
            end(service.database, person.shop, alert, START)
    # Two of one moment are distinguished by their ids.
    add(service.database, person.shop, K.SILENT_FEED, "5", silent("AC5"), START - timedelta(days=2))
    from paymatch.area.views.alerts import ALERTS

    small = type(ALERTS)(ALERTS.name, ALERTS.columns, ALERTS.fetch, ALERTS.choices, page_rows=2)
    monkeypatch.setattr("paymatch.area.views.alerts.ALERTS", small)
    seen, address = [], "overview/alerts"
    for _ in range(3):
        page = person.get(address)
        seen.append([re.findall("AC.", text)[0] for text in texts(page)])
        following = re.search(r'href="([?][^"]*after=[^"]+)"', page.content.decode())
        address = f"overview/alerts{unescape(following[1])}" if following else ""
    assert seen[0][0] == "AC0" and set(seen[0][1:] + seen[1][:1]) == {"AC2", "AC5"}
    assert (seen[1][1], seen[2], address) == ("AC4", ["AC1", "AC3"], "")


def test_the_export_is_the_whole_filter_in_the_readers_language(
    told: RefundWorld, sign_in: Callable[..., Person]
) -> None:
    person = sign_in(TeamRole.VIEWER, told.client.shop)

    def exported(query: str) -> list[dict[str, str]]:
        answer = person.get(f"overview/alerts?format=csv&{query}", headers=GERMAN)
        return list(csv.DictReader(b"".join(answer).decode().splitlines()))

    [feed] = exported("state=closed&kind=silent-feed")

    def local(days: int) -> str:
        return str((START - timedelta(days=days)).astimezone(ZoneInfo(person.shop.timezone)))[:16]

    assert list(feed) == ["kind", "text", "about", "since", "until", "closed_by", "state", "subject", "id"]
    assert (feed["kind"], feed["state"], feed["closed_by"]) == ("silent-feed", "closed", "selbst")
    assert feed["text"].startswith(f"Konto {IBAN}: kein Kontoauszug seit") and feed["subject"] == f"{IBAN} 2026-02-01"
    assert (feed["since"][:16], feed["until"][:16]) == (local(20), local(19))
    assert [row["kind"] for row in exported("")] == ["given-back-twice", "job-failing", "silent-feed"]
    xlsx = b"".join(person.get("overview/alerts?format=xlsx").streaming_content)
    assert xlsx.startswith(b"PK")


def test_the_page_is_german(told: RefundWorld, sign_in: Callable[..., Person]) -> None:
    person = sign_in(TeamRole.OWNER, told.client.shop)
    page = person.get("overview/alerts", headers=GERMAN)
    first, job, _feed = rows(page)
    assert first[0] == "Bestellungen doppelt erstattet" and "12,50 EUR" in first[1] and first[6] == "Offen"
    assert job[2] == "Mahnungen und Zahlungsinformationen senden" and job[6] == "Geschlossen"
    assert chips(page, "Was nicht stimmt")[0] == "Was nicht stimmt: Alle"
    assert "Diesen Alarm schließen" in page.content.decode()


def test_what_stopped_is_named_in_the_readers_language(service: Service, sign_in: Callable[..., Person]) -> None:
    person = sign_in()
    with service.database.of_shop(person.shop) as tx:
        raise_item_alert(tx, Message("item-mail", order="A-1"), ValueError("no such template"), START)
    [german] = texts(person.get("overview/alerts", headers=GERMAN))
    assert german == (
        "Ein interner Fehler hat die E-Mail zur Bestellung A-1 angehalten; bitte prüfen: ValueError: no such template"
    )
    [row] = use.list_alerts(service.database, person.shop)
    assert (row["subject"], row["text"]) == (
        "the mail of order A-1",
        "An internal error stopped the mail of order A-1, which now needs your attention: ValueError: no such template",
    )


def test_what_an_alert_is_about(filled: Person) -> None:
    """A posting, an order though only the item's name tells it, a connector; what is gone or hidden is no link."""
    base = f"/shops/{filled.shop.id}"
    found = {}
    for kind in ("never-confirmed", "item-failed", "connector-orders", "silent-feed"):
        page = filled.get(f"overview/alerts?kind={kind}")
        found[kind] = (rows(page)[0][2], re.sub(r"pst_\w+", "pst_", link(page, 0)))
    assert found == {
        "never-confirmed": ("Posting", f"{base}/postings/pst_"),
        "item-failed": ("10005", f"{base}/orders/10005"),
        "connector-orders": ("woocommerce", f"{base}/developers/connectors/woocommerce"),
        "silent-feed": ("DE02…2051", f"{base}/bank"),
    }
    for kind in ("never-confirmed", "item-failed", "connector-orders"):
        assert filled.get(link(filled.get(f"overview/alerts?kind={kind}"), 0)).status_code == 200


def test_what_is_gone_is_named_and_no_link(service: Service, sign_in: Callable[..., Person]) -> None:
    person = sign_in()
    announced = Message("alert-never-confirmed", account=IBAN, amount=Sum(1, "EUR"), who="x", day=START.date())
    add(service.database, person.shop, K.NEVER_CONFIRMED, "pst_gone", announced, START)
    add(service.database, person.shop, K.GIVEN_BACK_TWICE, "X-9 1", twice("X-9"), START - timedelta(days=1))
    said = Message("alert-callbacks-given-up", count=2, day=START.date(), order="X-9", error="x")
    add(service.database, person.shop, K.CALLBACKS_GIVEN_UP, "2026-03-01", said, START - timedelta(days=2))
    page = person.get("overview/alerts")
    assert [row[2] for row in rows(page)] == ["Posting", "X-9", "Callbacks"]
    assert [link(page, row) for row in range(3)] == ["", "", f"/shops/{person.shop.id}/callbacks"]


@pytest.mark.parametrize("confirmed", [True, False])
def test_a_report_on_mail_is_answered_with_one_button(
    confirmed: bool, service: Service, sign_in: Callable[..., Person]
) -> None:
    world = new_world(service.database, payment_information="on")
    world.order("A-1", customerEmail="eva@example.com")
    world.send()
    ((message_id,),) = world.rows("SELECT message_id FROM mails WHERE shop_id = $1")
    take(service.database, Bounce("eva@example.com", "5.1.1 no such user", message_id), world.now)
    viewer, person = sign_in(TeamRole.VIEWER, world.shop), sign_in(TeamRole.CLERK, world.shop)
    page = person.get("overview/alerts").content.decode()
    [alert] = re.findall(r'name="alert" value="([^"]+)"', page)
    assert "Confirm: mail does not arrive" in page and "Dismiss: mail continues" in page
    pressed = {"alert": alert} | ({"confirmed": "1"} if confirmed else {})
    assert viewer.post("overview/alerts", pressed).status_code == 403
    assert world.mails() == [("A-1", 0, "SENT")]
    assert person.post("overview/alerts", pressed).status_code == 302
    assert world.mails() == [("A-1", 0, "BOUNCED" if confirmed else "SENT")]
    said = "No more mail is sent to this address." if confirmed else "Mail to this address continues."
    assert said in person.get("overview/alerts").content.decode()
    person.post("overview/alerts", pressed)
    assert "waits for an answer" in person.get("overview/alerts").content.decode()


def test_closing_one_by_hand(told: RefundWorld, sign_in: Callable[..., Person]) -> None:
    database, shop = told.client.database, told.client.shop
    person = sign_in(TeamRole.CLERK, shop)
    page = person.get("overview/alerts?state=open")
    [alert] = re.findall(r'name="alert" value="([^"]+)"', page.content.decode())
    answer = person.post("overview/alerts?state=open", {"alert": alert})
    assert (answer.status_code, answer["Location"]) == (302, f"/shops/{shop.id}/overview/alerts?state=open")
    page = person.get("overview/alerts?kind=given-back-twice")
    assert "The alert is closed, and not raised again." in page.content.decode()
    assert [row[5:] for row in rows(page)] == [[person.email, "Closed"]]
    [entry] = audit.last_entries(database, shop, alert, 5)
    assert (entry["action"], entry["actor"]) == ("alert-resolved", person.email)
    person.post("overview/alerts", {"alert": alert})
    assert "There is no such alert, or it is closed already." in person.get("overview/alerts").content.decode()
    assert len(audit.last_entries(database, shop, alert, 5)) == 1
    with database.of_shop(shop) as tx:
        assert not alerts.add(tx, K.GIVEN_BACK_TWICE, "A-1 1250", twice("A-1"), START)
    log = sign_in(TeamRole.OWNER, shop).get("settings/audit").content.decode()
    assert f'href="/shops/{shop.id}/overview/alerts?q={alert}"' in log


@pytest.mark.parametrize(
    ("role", "closes"),
    [
        (TeamRole.OWNER, {K.SILENT_FEED, K.CALLBACKS_PAUSED, K.NEW_POWER}),
        (TeamRole.CLERK, {K.SILENT_FEED}),
        (TeamRole.DEVELOPER, {K.CALLBACKS_PAUSED}),
        (TeamRole.VIEWER, set()),
    ],
)
def test_who_may_mend_it_may_close_it(
    role: TeamRole, closes: set[AlertKind], service: Service, sign_in: Callable[..., Person]
) -> None:
    person = sign_in(role)
    power = Message("alert-new-power", what=Message("new-power-second-factor", person="a@example.org", day=START.date(),
                 time="08:00"))  # fmt: skip
    said = {K.SILENT_FEED: silent(), K.CALLBACKS_PAUSED: Message("alert-callbacks-paused"), K.NEW_POWER: power}
    made = {kind: add(service.database, person.shop, kind, kind, text, START) for kind, text in said.items()}
    page = person.get("overview/alerts").content.decode()
    assert {kind for kind, alert in made.items() if f'value="{alert}"' in page} == closes
    for kind, alert in made.items():
        assert person.post("overview/alerts", {"alert": alert}).status_code == (302 if kind in closes else 403), kind
    still = {row["kind"] for row in use.list_alerts(service.database, person.shop)}
    assert still == set(made) - closes
    assert {row["subject"] for row in audit.last_entries(service.database, person.shop, "", 9)} & set(
        made.values()
    ) == {made[kind] for kind in closes}


def test_another_shops_alerts_are_neither_seen_nor_closed(service: Service, sign_in: Callable[..., Person]) -> None:
    person, other = sign_in(), sign_in()
    alert = add(service.database, other.shop, K.SILENT_FEED, "x", silent(), START)
    page = person.get("overview/alerts").content.decode()
    assert rows(person.get(f"overview/alerts?q={alert}")) == [] and "<h2>No alerts</h2>" in page
    assert person.post("overview/alerts", {"alert": alert}).status_code == 302
    assert [row["id"] for row in use.list_alerts(service.database, other.shop)] == [alert]
    assert person.get(f"/shops/{other.shop.id}/overview/alerts").status_code == 404


def test_a_form_without_the_token_closes_nothing(service: Service, sign_in: Callable[..., Person]) -> None:
    from django.test import Client

    person = sign_in()
    alert = add(service.database, person.shop, K.SILENT_FEED, "x", silent(), START)
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = person.client.cookies
    assert strict.post(f"/shops/{person.shop.id}/overview/alerts", {"alert": alert}).status_code == 403
    assert len(use.list_alerts(service.database, person.shop)) == 1


def test_what_the_program_failed_at_is_told_and_closed_everywhere(
    service: Service, sign_in: Callable[..., Person]
) -> None:
    """The operator's page, the overview and, once it is closed, the audit log name the kinds that events raise."""
    owner, operator = sign_in(), sign_in(TeamRole.VIEWER, staff=True)
    failed = Message("alert-item-failed", item="posting pst_1", error="ValueError: x")
    late = Message("alert-rejected-late", refund="RET-1", order="A-1", reason="AC04")
    waits = Message("alert-bank-silent", count=1, file="PM1", day=START.date())
    made = [
        add(service.database, owner.shop, kind, subject, text, START)
        for kind, subject, text in ((K.ITEM_FAILED, "posting pst_1", failed), (K.REFUND_UNEXPECTED, "E2E", late),
                                    (K.REFUND_SILENCE, "tf_1", waits))
    ]  # fmt: skip
    words = (
        "The service stopped at an error", "The bank contradicts a refund", "The bank does not answer about refunds",
    )  # fmt: skip
    for page in (operator.get("/operator/"), owner.get("overview")):
        assert page.status_code == 200
        assert [each in page.content.decode() for each in words] == [True] * 3
    with service.database.of_shop(owner.shop, at=START) as tx:
        use.keep_alerts(tx)
    assert len(use.list_alerts(service.database, owner.shop)) == 3  # housekeeping knows nothing of their causes
    for alert in made:
        use.resolve(service.database, owner.shop, alert, START)
    log = owner.get("settings/audit")
    assert log.status_code == 200 and [each in log.content.decode() for each in words] == [True] * 3


def test_what_is_told_for_information_is_no_work(service: Service, sign_in: Callable[..., Person]) -> None:
    person = sign_in()
    said = Message("alert-orders-vanished", count=1, day=START.date(), time="08:00", orders="A-1", sync="os_1")
    add(service.database, person.shop, K.ORDERS_CLOSED, "os_1", said, START)
    page = person.get("overview/alerts")
    assert [(row[0], row[2], row[6]) for row in rows(page)] == [
        ("A synchronisation closed orders", "Synchronisation", "For information")
    ]
    assert "A synchronisation closed orders" not in person.get("overview").content.decode()


def test_a_sandbox_shop_has_the_page(new_shop: Callable[..., Shop], sign_in: Callable[..., Person]) -> None:
    person = sign_in(TeamRole.CLERK, new_shop(sandbox=True))
    page = person.get("overview/alerts")
    assert page.status_code == 200 and "<h2>No alerts</h2>" in page.content.decode()
    assert f'href="/shops/{person.shop.id}/overview/alerts">All alerts</a>' in person.get("overview").content.decode()


@pytest.mark.browser
def test_by_keyboard_from_anywhere_to_a_closed_alert(
    told: RefundWorld, sign_in: Callable[..., Person], browser: Callable[[], Any], address: str
) -> None:
    clerk = sign_in(TeamRole.CLERK, told.client.shop)
    add(told.client.database, told.client.shop, K.SILENT_FEED, "last", silent(), START - timedelta(days=50))
    page = page_of(browser(), address, clerk, reduced_motion="reduce")
    page.goto(f"/shops/{clerk.shop.id}/orders")
    page.keyboard.press("Control+k")
    page.keyboard.type("Alerts")
    page.locator("#found a", has_text="G A").wait_for()
    page.keyboard.press("Enter")
    page.wait_for_url("**/overview/alerts")
    assert page.locator(".nav-list a[aria-current]").inner_text() == "Overview"
    page.keyboard.press("j")
    assert page.evaluate("document.activeElement.innerText") == "A-1"
    page.keyboard.press("/")
    page.keyboard.type("no statement")
    page.keyboard.press("Enter")
    page.wait_for_url("**/overview/alerts?*q=no*")
    page.keyboard.press("g")
    page.keyboard.press("a")
    page.wait_for_url("**/overview/alerts")
    page.goto(f"/shops/{clerk.shop.id}/overview/alerts?state=open")
    for _ in range(2):
        tab_to(page, "summary", "Close")
    page.keyboard.press("Enter")
    tab_to(page, "button", "Close this alert")
    assert page.evaluate(ON_TOP), "the menu of the last row is seen whole"
    page.keyboard.press("Enter")
    page.get_by_text("The alert is closed, and not raised again.").wait_for()
    assert told.client.rows("SELECT subject FROM alerts WHERE shop_id = $1 AND resolved_at IS NULL") == [("A-1 1250",)]


@pytest.mark.browser
def test_on_a_phone_each_alert_is_a_card(filled: Person, browser: Callable[[], Any], address: str) -> None:
    page = page_of(browser(), address, filled, viewport={"width": 390, "height": 844})
    page.goto(f"/shops/{filled.shop.id}/overview/alerts?kind=never-confirmed")
    card = page.locator("tbody tr").first
    assert card.evaluate("(at) => getComputedStyle(at.closest('table')).display") == "block"
    wide = card.bounding_box()["width"]
    text = card.locator("td[data-key='text']")
    assert text.bounding_box()["width"] > wide - 40
    assert text.evaluate("(at) => getComputedStyle(at).textAlign") == "left"
    assert card.locator("summary").bounding_box()["height"] >= 44
