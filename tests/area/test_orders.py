"""The list of orders: found by anything, filtered by state, in pages, exported."""

from __future__ import annotations

import io
import re
from collections.abc import Callable

import msgspec
import pytest

from paymatch.area.people.roles import TeamRole
from paymatch.area.service import Service
from paymatch.formats.contract import bodies
from paymatch.usecases.orders import order_imports, orders
from paymatch.usecases.orders.order_imports import ImportWish
from tests.area.conftest import Person
from tests.contract.bank import PAYER
from tests.contract.client import order
from tests.usecases.refunds.refund_world import RefundWorld

NUMBERS = re.compile(r'<td data-label="Number"[^>]*><a href="[^"]*">([^<]*)</a>')


def numbers(person: Person, query: str = "") -> list[str]:
    """The order numbers that the list shows."""
    answer = person.get(f"orders{query}")
    assert answer.status_code == 200
    return NUMBERS.findall(answer.content.decode())


@pytest.fixture
def clerk(world: RefundWorld, sign_in: Callable[..., Person]) -> Person:
    """A clerk of a shop with a paid, an overpaid, a partly paid and two open orders."""
    world.paid("A-1")
    world.paid("A-2")
    world.client.submit("A-2", amount=50)
    world.paid("A-3")
    world.client.submit("A-3", amount=250)
    world.client.submit("A-4", amount=77.70, billing={"company": "Teestube", "countryCode": "DE"})
    world.client.submit("B/5", date="28-02-2026", invoiceNumbers=["RE-900"], customerEmail="jens@example.org")
    return sign_in(TeamRole.CLERK, world.client.shop)


def test_latest_first_with_counts(clerk: Person) -> None:
    page = clerk.get("orders").content.decode()
    assert NUMBERS.findall(page) == ["A-4", "A-3", "A-2", "A-1", "B/5"]
    assert re.findall(r'href="\?status=(\w+)"[^>]*>[^<]*<span class="count">(\d+)', page) == [
        ("UNPAID", "2"), ("PAID_PARTIAL", "1"), ("PAID", "2"), ("OVERPAID", "1"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("?status=UNPAID", ["A-4", "B/5"]),
        ("?status=PAID_PARTIAL", ["A-3"]),
        ("?status=OVERPAID", ["A-2"]),
        ("?status=CANCELLED", []),
        ("?status=UNPAID&sort=customer", ["B/5", "A-4"]),
        ("?status=UNPAID&sort=-customer", ["A-4", "B/5"]),
        ("?status=nonsense", ["A-4", "A-3", "A-2", "A-1", "B/5"]),
        ("?q=a-", ["A-4", "A-3", "A-2", "A-1"]),
        ("?q=teestube", ["A-4"]),
        ("?q=re-900", ["B/5"]),
        ("?q=jens%40example", ["B/5"]),
        ("?q=77.70", ["A-4"]),
        ("?q=77%2C70", ["A-4"]),
        (f"?q={PAYER[-4:]}", ["A-3", "A-2", "A-1"]),
        (f"?q={PAYER[-4:]}&status=PAID", ["A-2", "A-1"]),
        ("?q=nobody", []),
        ("?after=2026-03-01%7CA-3", ["A-2", "A-1", "B/5"]),
        ("?after=nonsense", ["A-4", "A-3", "A-2", "A-1", "B/5"]),
    ],
)
def test_filters_and_search_stand_in_the_address(clerk: Person, query: str, found: list[str]) -> None:
    assert numbers(clerk, query) == found


def test_pages_follow_each_other(world: RefundWorld, sign_in: Callable[..., Person]) -> None:
    assert world.client.post("orders", [order(f"P-{n:03}") for n in range(60)]).status == 200
    viewer = sign_in(TeamRole.VIEWER, world.client.shop)
    first = viewer.get("orders").content.decode()
    following = re.search(r'href="(\?after=[^"]+)"', first)
    assert following is not None
    shown = NUMBERS.findall(first)
    assert (len(shown), shown[0], shown[-1]) == (50, "P-059", "P-010")
    assert numbers(viewer, following[1]) == [f"P-{n:03}" for n in range(9, -1, -1)]


def test_chosen_columns_are_shown(clerk: Person, sign_in: Callable[..., Person]) -> None:
    viewer = sign_in(TeamRole.VIEWER, clerk.shop)
    page = viewer.get("orders?column=number&column=overpaid&q=A-2").content.decode()
    assert re.findall(r'<th scope="col"[^>]*><a class="sort"[^>]*>([^<]*)', page) == ["Number", "Overpaid"]
    assert '50.00\xa0<span class="currency">EUR' in page


def test_export_is_the_filter(clerk: Person) -> None:
    text = b"".join(clerk.get("orders?status=OVERPAID&format=csv").streaming_content).decode()
    header, row = text.splitlines()
    assert header.startswith("number,ordered,customer,type,due,state,amount,paid,planned,overpaid,open,currency,")
    assert row.startswith("A-2,2026-03-01,Muster,PREPAYMENT,,PAID,50.00,100.00,,50.00,0.00,EUR,")


def test_a_row_leads_to_its_order_whatever_its_number(clerk: Person) -> None:
    page = clerk.get("orders?q=B/5").content.decode()
    link = re.search(r'<td data-label="Number"[^>]*><a href="([^"]*)"', page)
    assert link is not None
    assert "<h1>Order B/5</h1>" in clerk.get(link[1]).content.decode()


def test_a_new_shop_reads_what_to_do(sign_in: Callable[..., Person]) -> None:
    assert "No orders yet" in sign_in().get("orders").content.decode()


@pytest.mark.parametrize("path", [
    "orders?q=none", "orders?status=LEGACY", "order-collection?q=none", "order-lapses?q=none", "refunds?q=none",
    "refunds/files?q=none", "callbacks?q=none", "reminders?q=none", "reminders/letters?q=none", "bank/imports?q=none",
    "postings/rules?q=none", "settings/audit?q=none", "developers/requests?q=none",
])  # fmt: skip
def test_a_list_in_which_nothing_is_found_leads_back_to_all(sign_in: Callable[..., Person], path: str) -> None:
    """It does not say that there are none."""
    shown = sign_in().get(path).content.decode()
    assert shown.count("<h2>Nothing found</h2>") == 1
    assert '<a class="btn" href="?">Show all</a>' in shown


def test_a_view_is_kept_for_its_person_and_shop(clerk: Person, sign_in: Callable[..., Person]) -> None:
    colleague = sign_in(TeamRole.CLERK, clerk.shop)
    saved = clerk.post("saved-views", {"name": "Tea shops", "query": "q=tee&status=UNPAID&after=2026-03-01+A-3"})
    assert saved["Location"] == f"/shops/{clerk.shop.id}/orders?q=tee&status=UNPAID"
    shown = '<a href="?q=tee&amp;status=UNPAID">Tea shops</a>'
    assert shown in clerk.get("orders").content.decode()
    assert shown not in colleague.get("orders").content.decode()
    clerk.post("saved-views", {"name": "Tea shops", "query": "q=other"})
    assert '<a href="?q=other">Tea shops</a>' in clerk.get("orders").content.decode()
    assert "Give the view a name first" in clerk.post("saved-views", {"name": " "}, follow=True).content.decode()
    clerk.post("saved-views", {"delete": "Tea shops"})
    assert "Tea shops" not in clerk.get("orders").content.decode()


def test_many_orders_are_changed_after_a_preview(clerk: Person, world: RefundWorld) -> None:
    chosen = {"action": "set-paid", "order": ["A-1", "A-4", "A-3", "none"], "query": "q=a"}
    with world.client.unchanged():
        page = clerk.post("order-actions", chosen).content.decode()
    assert "2 orders would change" in page
    assert re.findall(r'name="order" value="([^"]*)"', page) == ["A-3", "A-4"]
    assert "Not possible: already paid" in page
    done = clerk.post("order-actions", chosen | {"do": "1"}, follow=True).content.decode()
    assert "2 orders changed: Set paid." in done
    assert [world.client.status(number) for number in ("A-3", "A-4", "B/5")] == ["PAID", "PAID", "UNPAID"]


def test_all_that_a_filter_finds_is_chosen_at_once(clerk: Person, world: RefundWorld) -> None:
    page = clerk.post("order-actions", {"action": "cancel", "all": "1", "query": "status=UNPAID"}).content.decode()
    assert re.findall(r'name="order" value="([^"]*)"', page) == ["A-4", "B/5"]


def test_only_who_may_changes_many_orders(clerk: Person, world: RefundWorld, sign_in: Callable[..., Person]) -> None:
    viewer = sign_in(TeamRole.VIEWER, clerk.shop)
    assert 'id="bulk-form"' not in viewer.get("orders").content.decode()
    with world.client.unchanged():
        for action in ("set-paid", "refund", "burn"):
            form = {"action": action, "order": ["A-4"], "do": "1"}
            assert viewer.post("order-actions", form).status_code == 403
            assert action == "set-paid" or clerk.post("order-actions", form).status_code == 404


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("form", ["csv", "xlsx"])
def test_an_export_is_taken_back_as_it_is(
    service: Service, sign_in: Callable[..., Person], form: str, language: str
) -> None:
    person = sign_in(TeamRole.CLERK)
    address = {"firstName": "Jörg", "lastName": "Weiß", "company": "Tee & Co", "street": "=Weg 1", "postCode": "01234",
               "city": "Emden", "countryCode": "DE"}  # fmt: skip
    body = {
        "number": "00123", "date": "01-03-2026", "type": "INVOICE", "amount": "1204.50", "currency": "EUR",
        "dueDate": "30-03-2026", "customerEmail": "j@example.org", "customerNumber": "0077", "language": "de",
        "invoiceNumbers": ["R-1", "R-2"], "billing": address, "shipping": address | {"city": "Leer"},
        "items": [{"number": "T-1", "name": "Tea"}], "stopReminder": True, "paymentMethod": "bacs",
    }  # fmt: skip
    bare = {"number": "B-1", "date": "02-03-2026", "type": "COD", "amount": "10.00", "currency": "USD",
            "billing": {"lastName": "Muster", "countryCode": "AT"}}  # fmt: skip
    with service.database.of_shop(person.shop, at=service.clock()) as tx:
        orders.submit(tx, [bodies.read_order(msgspec.json.encode(each)) for each in (body, bare)])  # fmt: skip
    answer = person.get(f"orders?format={form}", headers={"accept-language": language})
    table = order_imports.read_table(io.BytesIO(b"".join(answer.streaming_content)))
    seen = order_imports.preview(service.database, person.shop, table, ImportWish(), service.clock())
    assert [(row.number, row.outcome, row.refusal) for row in seen.rows] == [
        ("B-1", "same", None),
        ("00123", "same", None),
    ]


def test_an_overpaid_order_says_by_how_much_and_its_refund_is_filled_in(clerk: Person) -> None:
    row = clerk.get("orders?status=OVERPAID").content.decode()
    assert '<span class="badge amber" title="PAID">Overpaid by 50.00 EUR</span>' in row
    page = clerk.get("orders/A-2").content.decode()
    assert "Refund 50.00 EUR" in page
    assert re.search(r'name="amount"[^>]*value="50.00"', page) is not None
    paid = clerk.get("orders/A-1").content.decode()
    assert "Refund 100.00" not in paid
    assert re.search(r'name="amount"[^>]*value=""', paid) is not None


def test_the_list_says_where_it_is_how_many_there_are_and_their_sum(
    world: RefundWorld, sign_in: Callable[..., Person]
) -> None:
    for number in range(51):
        world.client.submit(f"S-{number:02}", amount=10.0)
    person = sign_in(TeamRole.VIEWER, world.client.shop)
    page = person.get("orders").content.decode()
    foot = " ".join(re.sub(r"<[^>]+>", " ", page.partition("list-foot")[2].partition("</p>")[0]).split())
    assert "1–50 of 51 · together 510.00 EUR" in foot
    following = re.search(r'href="([?]after=[^"]+)"', page)
    assert following is not None
    assert "51–51 of 51" in person.get("orders" + following[1].replace("&amp;", "&")).content.decode()
