"""Collection in the area: the agency's settings behind a fresh proof, and what is with the agency as a list."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from lxml import html

from paymatch.area.people.roles import TeamRole
from paymatch.area.service import Service
from paymatch.domain.collection.default_interest import first_unknown, published_rates
from paymatch.usecases.collection import base_rates, cases
from paymatch.usecases.orders import orders
from paymatch.usecases.work.alerts import keep_alerts, list_alerts
from tests.area.conftest import Person
from tests.area.test_order import entries, text
from tests.usecases.refunds.refund_world import RefundWorld

AGENCY = {
    "name": "Nordwest Inkasso GmbH", "channel": "mail", "address": "cases@agency.example", "customer-number": "4711",
    "after-days": "14", "interest": "on", "lump-sum": "off",
}  # fmt: skip


@pytest.fixture
def owner(world: RefundWorld, sign_in: Callable[..., Person]) -> Person:
    return sign_in(TeamRole.OWNER, world.client.shop, proven=True)


def agency_of(world: RefundWorld) -> dict[str, str]:
    """What is stored."""
    with world.client.database.of_shop(world.client.shop) as tx:
        return cases.set_agency(tx, {})


def test_agency_is_set_and_shown(owner: Person, world: RefundWorld, service: Service) -> None:
    assert owner.post("settings/agency", AGENCY).status_code == 302
    assert agency_of(world) == AGENCY
    assert 'value="cases@agency.example"' in owner.get("settings/agency").content.decode()
    assert entries(service, world.client.shop, "agency") == [("collection-agency-set", "person", owner.email)]


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"name": ""}, "1 to 255 characters are expected"),
        ({"address": "nobody"}, "a plain e-mail address is expected, such as shop@example.com"),
        ({"channel": "http"}, "URL not valid: write it as https://host/path"),
        ({"after-days": "0"}, "a number of days from 1 to 365 is expected, or off"),
    ],
)
def test_what_does_not_fit_stands_beside_its_field(
    wrong: dict[str, str], why: str, owner: Person, world: RefundWorld
) -> None:
    before = agency_of(world)
    assert why in text(owner.post("settings/agency", AGENCY | wrong))
    assert agency_of(world) == before


def test_agency_is_changed_only_after_a_fresh_proof(world: RefundWorld, sign_in: Callable[..., Person]) -> None:
    unproven = sign_in(TeamRole.OWNER, world.client.shop)
    before = agency_of(world)
    assert unproven.post("settings/agency", AGENCY).headers["Location"] == "/account/2fa/totp/activate/"
    assert agency_of(world) == before
    assert sign_in(TeamRole.CLERK, world.client.shop).get("settings/agency").status_code == 403


def test_cases_are_listed_filtered_and_searched(owner: Person, world: RefundWorld) -> None:
    owner.post("settings/agency", AGENCY)
    for number in ("C-1", "C-2"):
        world.client.submit(number, amount=40, type="INVOICE", date="01-01-2026")
        with world.client.database.of_shop(world.client.shop, at=world.clock()) as tx:
            cases.hand_over(tx, number)
    with world.client.database.of_shop(world.client.shop, at=world.clock()) as tx:
        cases.withdraw(tx, "C-2")
    assert listed(owner, "") == ["C-2", "C-1"]
    assert listed(owner, "?status=SUBMITTED") == ["C-1"]
    assert listed(owner, "?status=WITHDRAWN") == ["C-2"]
    assert listed(owner, "?q=C-2") == ["C-2"]
    assert listed(owner, "?q=C-") == []
    assert "orders are handed over 14 days after the last reminder" in text(owner.get("order-collection"))


def listed(owner: Person, query: str) -> list[str]:
    """The numbers that the list shows, as its export says."""
    mark = "&" if query else "?"
    content = owner.get(f"order-collection{query}{mark}format=csv").getvalue().decode("utf-8-sig")
    return [line.split(";")[0].split(",")[0] for line in content.splitlines()[1:]]


def test_no_case_of_another_shop_is_listed(owner: Person, sign_in: Callable[..., Person]) -> None:
    assert "Nothing is in collection" in text(sign_in(TeamRole.VIEWER).get("order-collection"))


def test_the_agency_gets_a_token_of_its_own(owner: Person, world: RefundWorld) -> None:
    assert "New token" not in text(owner.get("settings/agency"))
    assert "The shop has no collection agency" in text(owner.post("settings/agency", {"token": "new"}))
    owner.post("settings/agency", AGENCY)
    first = re.search(r"pm_agcy_\w{54}", text(owner.post("settings/agency", {"token": "new"})))
    assert first is not None and agency_of(world) == AGENCY
    page = text(owner.get("settings/agency"))
    assert first[0] not in page and f"pm_agcy_...{first[0][-4:]}" in page


def rates(page: Any) -> list[str]:
    """The rows of the base rates, latest first."""
    table: Any = html.fromstring(page.content)
    found = table.xpath("//section[@aria-labelledby='rates-title']//tbody/tr")
    return [" | ".join(" ".join(cell.text_content().split()) for cell in row.xpath("./td")) for row in found]


def half_years(page: Any) -> list[tuple[str, str]]:
    """The half-years whose rate may be entered, with their words."""
    options: Any = html.fromstring(page.content).xpath("//select[@name='rate-from']/option")
    return [(each.get("value"), each.text_content()) for each in options]


def test_the_missing_base_rate_is_added_and_corrected(owner: Person, world: RefundWorld, service: Service) -> None:
    first = first_unknown(published_rates())
    assert [day for day, _ in half_years(owner.get("settings/agency"))] == [first.isoformat()]
    known = rates(owner.get("settings/agency"))
    rate = {"rate-from": first.isoformat(), "rate-percent": "0,99"}
    assert owner.post("settings/agency", rate).status_code == 302
    page = owner.get("settings/agency")
    assert "The base rate is added." in text(page)
    assert rates(page) == [f"{first.day} {first:%b %Y} | 0.99 | added by the shop", *known[:5]]
    following = first_unknown([*published_rates(), (first, Decimal("0.99"))])
    assert [day for day, _ in half_years(page)] == [following.isoformat(), first.isoformat()]
    assert half_years(page)[1][1].endswith("(now 0.99)")
    assert half_years(owner.get("settings/agency", headers={"accept-language": "de"}))[1][1].endswith("(jetzt 0,99)")
    owner.post("settings/agency", rate | {"rate-percent": "1.02"})
    assert rates(owner.get("settings/agency"))[0].split(" | ")[1] == "1.02"
    assert entries(service, world.client.shop, first.isoformat()) == [("base-rate-added", "person", owner.email)] * 2
    assert agency_of(world)["name"] == ""  # the other form of the page is left alone


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"rate-percent": "much"}, "This is not a base rate: per cent a year with two decimals"),
        ({"rate-percent": "1.275"}, "This is not a base rate: per cent a year with two decimals"),
        ({"rate-percent": ""}, "This field is required."),
        ({"rate-from": "2020-01-01"}, "Select a valid choice. 2020-01-01 is not one of the available choices."),
    ],
)
def test_what_is_no_base_rate_is_refused_beside_its_field(
    wrong: dict[str, str], why: str, owner: Person, world: RefundWorld
) -> None:
    rate = {"rate-from": first_unknown(published_rates()).isoformat(), "rate-percent": "0.99"} | wrong
    assert why in text(owner.post("settings/agency", rate))
    assert world.client.rows("SELECT count(*) FROM collection_base_rates WHERE shop_id = $1") == [(0,)]


def test_the_alert_about_a_missing_rate_leads_an_owner_there_and_closes(
    owner: Person, world: RefundWorld, sign_in: Callable[..., Person]
) -> None:
    owner.post("settings/agency", AGENCY)
    first, client = first_unknown(published_rates()), world.client
    client.clock.now = datetime(first.year, first.month, first.day, 12, tzinfo=UTC)

    def keep() -> list[str]:
        with client.database.of_shop(client.shop, at=world.clock()) as tx:
            keep_alerts(tx)
        return [each["kind"] for each in list_alerts(client.database, client.shop) if each["kind"] == "base-rate"]

    assert keep() == ["base-rate"]
    link = f'href="/shops/{client.id}/settings/agency"'
    assert link in owner.get("overview/alerts?kind=base-rate").content.decode()
    clerk = sign_in(TeamRole.CLERK, client.shop)
    page = clerk.get("overview/alerts?kind=base-rate").content.decode()
    assert link not in page and "An owner of the shop enters it in the settings of collection" in page
    with client.database.of_shop(client.shop, at=world.clock()) as tx:
        base_rates.add_rate(tx, first.isoformat(), "0.99")
    assert keep() == []


def test_lapses_are_foreseen_held_and_told(owner: Person, world: RefundWorld) -> None:
    client = world.client
    client.submit("L-1", amount=40)
    client.submit("L-2", amount=50, type="INVOICE")

    def rows(query: str = "") -> list[list[str]]:
        return list(csv.reader(csv_of(owner.get(f"order-lapses?format=csv{query}"))))[1:]

    assert [(row[0], row[3], row[5]) for row in rows()] == [("L-1", "held", "Orders of this shop do not lapse")]
    client.change(lapse_after="14", payment_information="on", mail_from="shop@example.org", reminders="off")
    assert rows()[0][5] == "The last of 3 mails is not sent yet"
    with client.database.of_shop(client.id) as tx:
        tx.run("UPDATE orders SET payment_info_at = $2 WHERE shop_id = $1 AND number = 'L-1'", client.id, world.clock())
    [(number, _who, _day, state, at, why, *_more)] = rows()
    assert (number, state, at[:10], why) == ("L-1", "planned", "2026-03-16", "")
    with client.database.of_shop(client.shop, at=world.clock()) as tx:
        orders.lapse(tx, "L-1")
    assert [row[3] for row in rows()] == ["lapsed"]
    assert (len(rows("&state=lapsed&q=l-1")), rows("&state=open"), rows("&q=L-2")) == (1, [], [])
    assert "unpaid prepayment orders are cancelled 14 days after the last mail" in text(owner.get("order-lapses"))


def csv_of(answer: Any) -> list[str]:
    return b"".join(answer.streaming_content).decode().splitlines()
