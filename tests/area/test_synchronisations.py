"""Synchronisations of the open orders in the merchant area: what each did, who called, and undoing one (D-38)."""

from __future__ import annotations

import csv
from collections.abc import Callable
from datetime import timedelta
from typing import Any, Final

import pytest
from lxml import html

from paymatch.area.people.roles import TeamRole
from paymatch.area.service import Service
from paymatch.domain.shops.alerts import AlertKind
from paymatch.store.orders import orders as order_store
from paymatch.usecases.orders import synchronisation
from paymatch.usecases.work.alerts import keep_alerts, list_alerts
from tests.area.conftest import Person, page_of
from tests.area.test_alerts import GERMAN, chips, rows
from tests.area.test_axe_browser import problems_of
from tests.area.test_keyboard_browser import tab_to
from tests.area.test_order import entries, text
from tests.contract.client import START, ShopClient
from tests.usecases.refunds.refund_world import RefundWorld

LIST: Final = "order-synchronisations"


def call(client: ShopClient, *listed: str) -> str:
    """The shop's list of open orders is carried out; the id of the call."""
    client.clock.pass_time(seconds=1)
    return str(client.post("ordersync?detail=true", [*listed]).json["id"])


def found(page: Any, path: str) -> list[Any]:
    """What an XPath finds in a page."""
    tree: Any = html.fromstring(page.content)
    return list(tree.xpath(path))


def facts(page: Any) -> dict[str, str]:
    """The facts of a page, by their words."""
    listed = found(page, "//dl[@class='facts']/*[self::dt or self::dd]")
    words = [" ".join(each.text_content().split()) for each in listed]
    return dict(zip(words[::2], words[1::2], strict=True))


def links(page: Any, key: str) -> list[str]:
    return [str(each) for each in found(page, f"//td[@data-key='{key}']/a/@href")]


def shown(after: timedelta) -> str:
    from paymatch.area.language.figures import moment

    return moment(START + after, "Europe/Berlin")


@pytest.fixture
def client(world: RefundWorld) -> ShopClient:
    """A shop with five open orders."""
    for number in ("S-1", "S-2", "S-3", "S-4", "S-5"):
        world.client.submit(number, amount=20)
    return world.client


@pytest.fixture
def key(client: ShopClient) -> str:
    """The readable name of the key that the shop calls with."""
    [(hint,)] = client.rows("SELECT hint FROM api_keys WHERE shop_id = $1")
    return str(hint)


def test_each_call_with_what_it_did_and_who_called(
    client: ShopClient, key: str, sign_in: Callable[..., Person]
) -> None:
    first, second = call(client, "S-1", "S-2"), call(client, "S-1", "S-3")
    viewer = sign_in(TeamRole.VIEWER, client.shop)
    page = viewer.get(LIST)
    one, two = shown(timedelta(seconds=1)), shown(timedelta(seconds=2))
    assert rows(page) == [
        [two, "1", "S-2", "1", "2", "2", key, "Can be undone", ""],
        [one, "3", "S-3, S-4, S-5", "0", "5", "2", key, "Can be undone", ""],
    ]
    assert links(page, "at") == [f"/shops/{client.id}/{LIST}/{each}" for each in (second, first)]
    assert f'href="/shops/{client.id}/{LIST}"' in viewer.get("orders").content.decode()


def test_more_orders_than_a_row_names(client: ShopClient, sign_in: Callable[..., Person]) -> None:
    client.submit("S-6", amount=20)
    call(client)
    person = sign_in(TeamRole.VIEWER, client.shop)
    [row] = rows(person.get(LIST))
    assert row[1:3] == ["6", "S-1, S-2, S-3, S-4, S-5, …"]


def test_filters_search_pages_and_export(
    client: ShopClient, sign_in: Callable[..., Person], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = call(client, "S-1", "S-2", "S-3", "S-4")
    client.clock.pass_time(days=20)
    second = call(client, "S-1", "S-2", "S-3")
    third = call(client, "S-1", "S-2")
    client.post(f"ordersync/{third}/undo")
    client.clock.pass_time(days=11)
    person = sign_in(TeamRole.VIEWER, client.shop)

    def ids(query: str) -> list[str]:
        return [link.rpartition("/")[2] for link in links(person.get(f"{LIST}?{query}"), "at")]

    assert ids("") == [third, second, first]
    assert (ids("state=undoable"), ids("state=undone"), ids("state=final")) == ([second], [third], [first])
    assert chips(person.get(LIST), "State") == ["All", "Can be undone 1", "Undone 1", "Final 1"]
    assert (ids("q=S-4"), ids("q=%23S-3"), ids(f"q={first}"), ids("q=S-")) == ([second], [third], [first], [])
    exported = list(csv.DictReader(b"".join(person.get(f"{LIST}?format=csv")).decode().splitlines()))
    assert [(row["id"], row["legacy"], row["orders"], row["state"]) for row in exported] == [
        (third, "1", "S-3", "undone"), (second, "1", "S-4", "undoable"), (first, "1", "S-5", "final"),
    ]  # fmt: skip
    from paymatch.area.views.orders import synchronisations as views

    listing = views.SYNCHRONISATIONS
    small = type(listing)(listing.name, listing.columns, listing.fetch, listing.choices, page_rows=2)
    monkeypatch.setattr(views, "SYNCHRONISATIONS", small)
    [following] = found(person.get(LIST), "//a[contains(@href, 'after=')]/@href")
    assert ids("") == [third, second] and ids(str(following).removeprefix("?")) == [first]
    assert ids("after=nonsense&state=nonsense") == [third, second]


def test_one_call_with_its_orders_and_what_an_undo_would_do(
    client: ShopClient, key: str, sign_in: Callable[..., Person]
) -> None:
    client.post("order/remove/S-5")
    first = call(client, "S-1")
    second = call(client, "S-1", "S-2", "S-5")
    client.post("order/S-3/setpaid")
    clerk = sign_in(TeamRole.CLERK, client.shop)
    page = clerk.get(f"{LIST}/{first}")
    assert facts(page) == {
        "Became LEGACY": "3", "Open again": "0", "Open before": "4", "Listed": "1", "By": key,
        "Can be undone until": shown(timedelta(days=30, seconds=1)), "Id": first,
    }  # fmt: skip
    assert rows(page) == [
        ["S-2", "became LEGACY", "Open", "Stays: changed since"],
        ["S-3", "became LEGACY", "Paid", "Stays: changed since"],
        ["S-4", "became LEGACY", "Legacy", "Gets its status back"],
    ]
    assert "1 order gets the status back that it had before the call" in text(page)
    assert "2 orders were changed since and stay as they are." in text(page)
    assert [row[0] for row in rows(clerk.get(f"{LIST}/{first}?effect=restored"))] == ["S-4"]
    assert [row[0] for row in rows(clerk.get(f"{LIST}/{first}?q=S-3"))] == ["S-3"]
    assert rows(clerk.get(f"{LIST}/{second}")) == [
        ["S-2", "open again, was LEGACY", "Open", "Gets its status back"],
        ["S-5", "open again, was DISAPPEARED", "Open", "Gets its status back"],
    ]
    exported = b"".join(clerk.get(f"{LIST}/{first}?format=csv")).decode().splitlines()
    assert exported[1:] == [
        "S-2,became LEGACY,UNPAID,stays", "S-3,became LEGACY,PAID,stays", "S-4,became LEGACY,LEGACY,restored",
    ]  # fmt: skip


def test_undoing_one_does_what_the_page_said(
    client: ShopClient, service: Service, sign_in: Callable[..., Person]
) -> None:
    first = call(client, "S-1")
    client.post("order/S-2/setpaid")
    clerk, here = sign_in(TeamRole.CLERK, client.shop), f"{LIST}/{first}"
    assert [each["kind"] for each in list_alerts(client.database, client.shop)] == ["orders-vanished"]
    with client.unchanged():
        assert clerk.post(here).status_code == 302
    assert "Tick the box to undo the synchronisation" in text(clerk.get(here))
    assert clerk.post(here, {"sure": "yes"})["Location"] == f"/shops/{client.id}/{here}"
    page = clerk.get(here)
    assert "Undone: 3 orders have their status back; 1 was changed since and stays as it is." in text(page)
    assert [client.status(f"S-{place}") for place in range(1, 6)] == ["UNPAID", "PAID", "UNPAID", "UNPAID", "UNPAID"]
    assert list_alerts(client.database, client.shop) == []
    assert entries(service, client.shop, first)[0] == ("synchronisation-undone", "person", clerk.email)
    assert facts(page)["Undone"] == f"{shown(timedelta(seconds=1))}, {clerk.email}"
    headings = ["".join(each.itertext()).strip() for each in found(page, "//th[@scope='col']")]
    assert headings == ["Order", "What the call did", "State now"]
    assert 'name="sure"' not in page.content.decode()
    assert rows(clerk.get(LIST))[0][7:] == ["Undone", clerk.email]
    with client.unchanged():
        clerk.post(here, {"sure": "yes"})
    assert "It was already undone" in text(clerk.get(here))
    log = sign_in(TeamRole.OWNER, client.shop).get(f"settings/audit?q={first}").content.decode()
    assert f'href="/shops/{client.id}/{here}"' in log


def test_after_30_days_it_is_final(client: ShopClient, sign_in: Callable[..., Person]) -> None:
    first = call(client, "S-1")
    client.clock.pass_time(days=30, seconds=1)
    clerk = sign_in(TeamRole.CLERK, client.shop)
    page = clerk.get(f"{LIST}/{first}")
    assert 'name="sure"' not in page.content.decode() and len(rows(page)) == 4
    with client.unchanged():
        clerk.post(f"{LIST}/{first}", {"sure": "yes"})
    assert "It is older than 30 days and can no longer be undone" in text(clerk.get(f"{LIST}/{first}"))
    last = call(client)  # what older calls did is forgotten with the next one
    page = clerk.get(f"{LIST}/{first}")
    assert rows(page) == [] and "Which orders a call changed is kept for 30 days." in text(page)
    assert len(rows(clerk.get(f"{LIST}/{last}"))) == 1


def test_while_other_work_holds_the_orders_nothing_is_undone(
    client: ShopClient, sign_in: Callable[..., Person]
) -> None:
    first = call(client, "S-1")
    clerk = sign_in(TeamRole.CLERK, client.shop)
    with client.database.of_shop(client.id) as tx, client.unchanged():
        order_store.lock(tx, ["S-2"])
        clerk.post(f"{LIST}/{first}", {"sure": "yes"})
    assert "Another person is working on the orders: try again in a moment" in text(clerk.get(f"{LIST}/{first}"))


@pytest.mark.parametrize("role", [TeamRole.VIEWER, TeamRole.DEVELOPER])
def test_who_decides_nothing_undoes_nothing(role: TeamRole, client: ShopClient, sign_in: Callable[..., Person]) -> None:
    first = call(client, "S-1")
    person = sign_in(role, client.shop)
    page = person.get(f"{LIST}/{first}")
    assert page.status_code == 200 and 'name="sure"' not in page.content.decode()
    with client.unchanged():
        assert person.post(f"{LIST}/{first}", {"sure": "yes"}).status_code == 403


def test_another_shops_call_is_not_found(client: ShopClient, sign_in: Callable[..., Person]) -> None:
    first = call(client, "S-1")
    other = sign_in(TeamRole.OWNER)
    with client.unchanged():
        assert other.get(f"{LIST}/{first}").status_code == 404
        assert other.post(f"{LIST}/{first}", {"sure": "yes"}).status_code == 404
        assert other.get(f"/shops/{client.id}/{LIST}/{first}").status_code == 404
    assert rows(other.get(LIST)) == [] and "No synchronisations" in text(other.get(LIST))
    assert rows(other.get(f"{LIST}?q={first}")) == []


def test_a_form_without_the_token_undoes_nothing(client: ShopClient, sign_in: Callable[..., Person]) -> None:
    from django.test import Client

    first = call(client, "S-1")
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = sign_in(TeamRole.OWNER, client.shop).client.cookies
    with client.unchanged():
        assert strict.post(f"/shops/{client.id}/{LIST}/{first}", {"sure": "yes"}).status_code == 403


def test_the_pages_are_german(client: ShopClient, sign_in: Callable[..., Person]) -> None:
    first = call(client, "S-1")
    clerk = sign_in(TeamRole.CLERK, client.shop)
    [row] = rows(clerk.get(LIST, headers=GERMAN))
    assert row[7] == "Rückgängig zu machen"
    page = clerk.get(f"{LIST}/{first}", headers=GERMAN)
    assert rows(page)[0] == ["S-2", "wurde Altbestand", "Altbestand", "Bekommt den Status zurück"]
    assert "4 Bestellungen bekommen den Status zurück" in text(page)
    clerk.post(f"{LIST}/{first}", {"sure": "yes"}, headers=GERMAN)
    assert "Rückgängig gemacht: 4 Bestellungen haben ihren Status zurück." in text(
        clerk.get(f"{LIST}/{first}", headers=GERMAN)
    )


def test_the_alert_leads_to_the_call(client: ShopClient, sign_in: Callable[..., Person]) -> None:
    first = call(client, "S-1")
    person = sign_in(TeamRole.VIEWER, client.shop)
    page = person.get("overview/alerts")
    [row] = rows(page)
    assert row[1].endswith("became LEGACY: S-2, S-3, S-4, S-5. If this was a mistake, undo the synchronisation")
    assert (row[2], links(page, "about")) == ("Synchronisation", [f"/shops/{client.id}/{LIST}/{first}"])
    assert f'href="/shops/{client.id}/{LIST}"' in person.get("overview").content.decode()


def test_an_alert_of_before_says_what_its_code_says_today(client: ShopClient, sign_in: Callable[..., Person]) -> None:
    """Words that were kept with an earlier sentence: nothing is raised again, and no reader is asked to type."""
    call(client, "S-1")
    said = synchronisation.sync_alerts
    old = "ordersync of ...: 4 open orders ... If this was a mistake: paymatch ordersync undo SHOP"
    client.run("UPDATE alerts SET text = $2 WHERE shop_id = $1", old)
    with client.database.of_shop(client.shop, at=client.clock()) as tx:
        [today] = said(tx)
        assert keep_alerts(tx) == (0, 0)
    [alert] = list_alerts(client.database, client.shop)
    assert (alert["kind"], alert["text"], alert["code"]) == (
        AlertKind.ORDERS_VANISHED, str(today.text), "alert-orders-vanished",
    )  # fmt: skip
    person = sign_in(TeamRole.VIEWER, client.shop)
    [row] = rows(person.get("overview/alerts", headers=GERMAN))  # it links to the synchronisation
    assert row[1].endswith("Falls das ein Irrtum war, den Abgleich rückgängig machen")


@pytest.mark.browser
def test_by_keyboard_from_anywhere_to_an_undone_call(
    client: ShopClient, sign_in: Callable[..., Person], browser: Callable[[], Any], address: str
) -> None:
    first = call(client, "S-1")
    clerk = sign_in(TeamRole.CLERK, client.shop)
    page = page_of(browser(), address, clerk, reduced_motion="reduce")
    page.goto(f"/shops/{client.id}/overview")
    page.keyboard.press("Control+k")
    page.keyboard.type("Synchro")
    page.locator("#found a", has_text="G Y").wait_for()
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/{LIST}")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/{LIST}/{first}")
    tab_to(page, "[name=sure]")
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.get_by_text("Undone: 4 orders have their status back.").wait_for()
    assert client.status("S-2") == "UNPAID"


@pytest.mark.browser
def test_both_pages_are_accessible_in_every_look(
    client: ShopClient, sign_in: Callable[..., Person], browser: Callable[[], Any], address: str
) -> None:
    first = call(client, "S-1")
    clerk, looks = sign_in(TeamRole.CLERK, client.shop), [("light", 1400), ("dark", 390)]
    page = page_of(browser(), address, clerk, locale="de-DE", reduced_motion="reduce")
    for path in (LIST, f"{LIST}/{first}"):
        assert problems_of(page, f"/shops/{client.id}/{path}", looks) == []
