"""What there is to do: every kind of alert has words, and leads to a page that helps."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.utils import translation

from paymatch.area.people.roles import ROLES, TeamRole
from paymatch.area.service import Service
from paymatch.domain.shops.alerts import CALLBACK_KINDS, FOR_INFORMATION, AlertKind
from paymatch.domain.words.message import Message
from paymatch.store.transactions import ShopId
from paymatch.store.work import alerts
from tests.area.conftest import Person


@pytest.mark.usefixtures("service")  # Django is set up
def test_every_alert_has_words_and_a_page_that_helps() -> None:
    from paymatch.area.page import PAGES
    from paymatch.area.views import ALL
    from paymatch.area.views.alert_labels import TASKS, alert_words, needed_to_close, page_that_helps

    assert ALL
    assert set(TASKS) == set(AlertKind) - {*CALLBACK_KINDS, *FOR_INFORMATION}
    assert {page_that_helps(kind) for kind in AlertKind} <= {page.name for page in PAGES}
    with translation.override("en"):  # a page that was read before may have been German
        assert alert_words(AlertKind.SILENT_FEED) == "No new statements"
        words = [str(alert_words(kind)) for kind in AlertKind]
    assert len(set(words)) == len(words) and not set(words) & {*AlertKind}
    assert alert_words("of-a-later-version") == "of-a-later-version"
    by_role = {role: {kind for kind in AlertKind if needed_to_close(kind) in ROLES[role]} for role in TeamRole}
    assert by_role[TeamRole.OWNER] == set(AlertKind)
    connected = {*CALLBACK_KINDS, AlertKind.CONNECTOR_FAILING, AlertKind.CONNECTOR_ORDERS}
    owners = {AlertKind.NEW_POWER, AlertKind.BASE_RATE, AlertKind.EBICS, AlertKind.ACCOUNT_INFORMATION}
    assert by_role[TeamRole.CLERK] == set(AlertKind) - connected - owners
    assert by_role[TeamRole.DEVELOPER] == connected
    assert by_role[TeamRole.VIEWER] == set()


def test_what_has_no_page_that_helps_leads_to_its_alerts(service: Service, sign_in: Callable[..., Person]) -> None:
    """What the program failed at, and what the person's role may not open."""
    owner = sign_in()
    shop = ShopId(owner.shop.id)
    failed = Message("alert-item-failed", item="posting pst_1", error="ValueError: x")
    refused = Message("alert-connector-orders", name="woo", count=1, order="77", problem="x")
    with service.database.of_shop(owner.shop) as tx:
        alerts.add(tx, AlertKind.ITEM_FAILED, "posting pst_1", failed, service.clock())
        alerts.add(tx, AlertKind.CONNECTOR_ORDERS, "woo 1", refused, service.clock())

    def leads_to(person: Person, words: str) -> str:
        page = person.get("overview").content.decode()
        [link] = re.findall(rf'<a href="([^"]*)">{words}', page)
        return str(link).removeprefix(f"/shops/{shop}/").replace("&amp;", "&")

    clerk = sign_in(TeamRole.CLERK, owner.shop)
    orders = "Orders of a shop system need attention"
    for person in (owner, clerk):
        assert leads_to(person, "The service stopped at an error") == "overview/alerts?state=open&kind=item-failed"
    assert leads_to(owner, orders) == "developers/connectors"
    assert leads_to(clerk, orders) == "overview/alerts?state=open&kind=connector-orders"
    shown = clerk.get("overview/alerts?state=open&kind=connector-orders").content.decode()
    assert ">woo</td>" in shown and "developers/connectors" not in shown


def test_six_tasks_are_shown_and_the_others_are_below_them(service: Service, sign_in: Callable[..., Person]) -> None:
    owner = sign_in()

    def shown(kinds: list[AlertKind]) -> tuple[int, int, str]:
        with service.database.of_shop(owner.shop) as tx:
            for kind in kinds:
                alerts.add(tx, kind, "x", Message("alert-item-failed", item="x", error="x"), service.clock())
        page = owner.get("overview").content.decode()
        first, _open, more = page.partition('<details class="more-tasks">')
        return first.count('<li class="task'), more.count('<li class="task'), more[:60]

    kinds = [kind for kind in AlertKind if kind not in {*CALLBACK_KINDS, *FOR_INFORMATION}]
    assert shown(kinds[:6]) == (6, 0, "")
    seven, more, words = shown(kinds[6:7])
    assert (seven, more) == (6, 1) and "1 more" in words
