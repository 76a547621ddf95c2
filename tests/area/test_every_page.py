"""What holds for every page of the merchant area: how often it asks the database, and what its lists can do."""

from __future__ import annotations

import csv
import re
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from html import unescape
from typing import Any, Final
from urllib.parse import quote
from zoneinfo import ZoneInfo

import pytest

from paymatch.area.service import Service
from tests.area.conftest import Person
from tests.area.every_page import OUTSIDE, counted, forms_of
from tests.length import some, times
from tests.usecases.refunds.refund_world import RefundWorld

MOST_QUERIES: Final = 15
ROWS: Final = times(4, 1)
"""On a page of a list, where it is looked through page by page."""
SEARCHED: Final = ("postings", "orders", "find")
SEARCHES: Final = (
    "Muster", "Mustr", "A-1001", "24.90", "10", "DE", "RF18", "Ümläut Straße", "zzzz", "DE89 3704 0044 0532 0130 00",
    "3704 0044",
)  # fmt: skip
"""A name as it is written and with a typing error, a number, an amount, parts of words, an account and a part of it."""
OF_THE_FRAME: Final = ("django_session", "people_user", "AS has_paid")
"""What every page of a shop asks first: the session, the person with their roles, the shop with what waits in it."""


@pytest.fixture
def pages(filled: Person, filled_pages: dict[str, str]) -> dict[str, str]:
    return filled_pages


def test_no_page_asks_the_database_often(
    filled: Person, pages: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("paymatch.area.middleware.ACTIVITY_SECONDS", 1e9)  # else noted within, on a slow machine
    asked = {}
    searches = {f"{page}?q={text}": f"{page}?q={quote(text)}" for page in SEARCHED for text in SEARCHES}
    for name, address in [*pages.items(), *searches.items(), *zip(OUTSIDE, OUTSIDE, strict=True)]:
        with counted() as sent:
            filled.get(address)
        if len(sent) > MOST_QUERIES or any(what not in each for what, each in zip(OF_THE_FRAME, sent, strict=False)):
            with counted() as sent:  # without what is noted or kept once
                filled.get(address)
        asked[name] = sent
    assert {name: len(sent) for name, sent in asked.items() if len(sent) > MOST_QUERIES} == {}
    for name in pages:
        assert [what in each for what, each in zip(OF_THE_FRAME, asked[name], strict=False)] == [True] * 3, name


def test_each_page_of_the_settings_has_a_title_of_its_own(filled: Person) -> None:
    base, addresses = f"/shops/{filled.shop.id}/settings", list[str]()
    waiting = [base]
    while waiting:  # groups lead to their first page, and that to the others of the group
        address = waiting.pop(0)
        if address not in addresses:
            addresses.append(address)
            page = filled.get(address).content.decode()
            navigation = page.partition('<nav class="settings-groups"')[2].partition('<section class="card"')[0]
            waiting += re.findall(rf'href="({base}[^"]*)"', navigation)
    titles = [
        unescape(re.search(r"<title>(.*?)</title>", filled.get(address).content.decode())[1])  # type: ignore[index]
        for address in addresses
    ]
    assert len(addresses) == len(set(titles)) == 16
    assert f"Shop · Settings · {filled.shop.name}" in titles
    assert f"Collection · Settings · {filled.shop.name}" in titles


def test_no_order_asks_more_often_than_the_others(filled: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paymatch.area.middleware.ACTIVITY_SECONDS", 1e9)
    listed = filled.get("orders").content.decode()
    orders = sorted(set(re.findall(r'href="(/shops/[^"]*/orders/[^"#?/]+)"', listed)))
    assert len(orders) == 21
    asked = set()
    for address in orders:
        filled.get(address)
        with counted() as sent:
            filled.get(address)
        asked.add(sent.round_trips)
    assert max(asked) - min(asked) <= 1  # a second code's details are read where an order has one


def test_both_ways_to_the_database_are_counted(service: Service) -> None:
    from django.contrib.auth import get_user_model

    get_user_model().objects.count()  # Django's connection begins with questions of its own
    with counted() as sent:
        assert get_user_model().objects.count() >= 0
        with service.database.of_all_shops() as tx:
            assert [row[0] for row in tx.stream("SELECT 1")] == [1]
    assert [what in each for what, each in zip(("people_user", "SELECT 1"), sent, strict=True)] == [True, True]


def test_every_list_chooses_columns_pages_and_exports(
    filled: Person, pages: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which lists there are is seen by who answers; all that modules declare are among them."""
    from paymatch.area.lists import Listing

    answer, asked_by, used = Listing.answer, Listing.asked_by, dict[str, Listing]()

    def noted(self: Listing, request: Any, *more: Any, **named: Any) -> Any:
        used.setdefault(request.get_full_path(), self)
        return answer(self, request, *more, **named)

    monkeypatch.setattr(Listing, "answer", noted)
    of_operator = (f"/operator/shops?q={filled.shop.name}", f"/operator/people?q={filled.email}")
    for address in [*pages.values(), *of_operator]:
        filled.get(address)
    declared = {value for name, module in sys.modules.items() if name.startswith("paymatch.area.views")
                for value in vars(module).values() if isinstance(value, Listing)}  # fmt: skip
    assert {each.name for each in declared} - {each.name for each in used.values()} == set()
    monkeypatch.setattr(Listing, "asked_by", lambda self, given: _of_few_rows(asked_by(self, given)))
    lacking = {path: found for path, each in list(used.items()) if (found := lacks(filled, path, each))}
    assert lacking == {}


def _of_few_rows(asked: Any) -> Any:
    return replace(asked, page=replace(asked.page, limit=ROWS))


def test_every_list_is_sorted_by_its_headings(
    filled: Person, pages: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every column that a heading offers, the last one first, page by page: all rows, in the order of the column."""
    from paymatch.area import lists

    answer, used = lists.Listing.answer, dict[str, tuple[Any, Any]]()
    monkeypatch.setattr(lists, "EXPORT_ROWS", 6)  # so that a file is read as pages are, behind the last row of each

    def noted(self: Any, request: Any, *more: Any, **named: Any) -> Any:
        used.setdefault(self.name, (self, request.get_full_path()))
        return answer(self, request, *more, **named)

    monkeypatch.setattr(lists.Listing, "answer", noted)
    for address in [*pages.values(), "/operator/shops", "/operator/people"]:
        filled.get(address)
    unsorted, sorted_columns = [], 0
    for listing, path in list(used.values()):
        page, begins = unescape(filled.get(path).content.decode()), f"{path}{'&' if '?' in path else '?'}"
        usual = _alike(_rows(filled, f"{begins}format=csv"))
        for column in some([each for each in listing.columns if each.key in listing.sorts], 3):
            sorted_columns += 1
            rows = _rows(filled, f"{begins}sort=-{column.key}&format=csv")
            unsorted += [f"{path} {column.key}: other rows"] if _alike(rows) != usual else []
            unsorted += [f"{path} {column.key}: not sorted"] if not _is_sorted(column, rows[::-1]) else []
            has_link = f'sort={column.key}"' in page or f'sort=-{column.key}"' in page
            unsorted += [f"{path} {column.key}: no link"] if usual and column.chosen and not has_link else []
    assert not unsorted, "\n".join(unsorted)
    assert sorted_columns > times(60, 120)
    shown = filled.get("orders?sort=-amount&status=PAID&q=Muster").content.decode()
    assert re.findall(r'<th scope="col"( class="num")?( aria-sort="\w+")', shown) == [
        (' class="num"', ' aria-sort="descending"')
    ]
    assert unescape(re.search(r'aria-sort[^>]*><a class="sort" href="([^"]*)"', shown)[1]) == (  # type: ignore[index]
        "?status=PAID&q=Muster&sort=amount"
    )


def _is_sorted(column: Any, rows: list[dict[str, str]]) -> bool:
    """Whether amounts and counts rise, and days and moments come one after the other, those that are missing last."""
    from paymatch.area.lists import ListColumnKind as Kind

    found: list[Any] = [row[column.key] for row in rows]
    if column.kind in (Kind.MONEY, Kind.COUNT):
        found = [float(each or 0) for each in found]
    elif column.kind in (Kind.DAY, Kind.MOMENT):
        found = [each or "9999" for each in found]
    else:
        return True
    return found == sorted(found)


def _rows(person: Person, address: str) -> list[dict[str, str]]:
    lines = b"".join(person.get(address).streaming_content).decode().splitlines()
    return list(csv.DictReader(lines))


def _alike(rows: list[dict[str, str]]) -> list[str]:
    return sorted(map(repr, rows))


def wrong_moments(person: Person, listing: Any, rows: list[list[str]]) -> list[str]:
    """Moments of an exported list that do not say the offset of the shop's clock, of UTC outside of a shop."""
    from paymatch.area.lists import ListColumnKind

    columns = [*listing.columns, *listing.exported]
    places = [place for place, column in enumerate(columns) if column.kind is ListColumnKind.MOMENT]
    zone = UTC if listing.name.startswith(("people", "shops")) else ZoneInfo(person.shop.timezone)
    told = [datetime.fromisoformat(row[place]) for row in rows for place in places if row[place]]
    return [str(each) for each in told if each.utcoffset() != each.astimezone(zone).utcoffset()]


def lacks(person: Person, address: str, listing: Any) -> list[str]:
    """What the list's page does not offer. Few rows stand on a page; the files have all of them."""
    path, begins = address.partition("?")[0], f"{address}{'&' if '?' in address else '?'}"
    keys = [column.key for column in listing.columns]
    page, found = person.get(address).content.decode(), []
    if "list-foot" not in page and "Nothing found" not in page:  # a list that has nothing yet has nothing to offer
        found += ["no rows, but tools"] if "format=csv" in page else []
    else:
        found += [f"{each} link" for each in ("csv", "xlsx") if f"format={each}" not in page]
        found += [f"column {key}" for key in keys if f'name="column" value="{key}"' not in page]
        found += ["search"] if listing.searches and 'name="q"' not in page else []
    if "list-foot" in page:
        found += [each.key for each in listing.choices[:1] if f"{each.key}={each.values[0][0]}" not in unescape(page)]
        found += [each.key for each in listing.choices[1:] if f'name="{each.key}" aria-label' not in page]
    table = list(csv.reader(b"".join(person.get(f"{begins}format=csv").streaming_content).decode().splitlines()))
    found += ["csv"] if table[0] != [*keys, *(column.key for column in listing.exported)] else []
    found += wrong_moments(person, listing, table[1:])
    found += ["xlsx"] if not b"".join(person.get(f"{begins}format=xlsx").streaming_content).startswith(b"PK") else []
    shown, pages_seen = page, 1
    while (following := re.search(r'href="([?][^"]*after=[^"]+seen=\d+)"', shown)) and pages_seen <= len(table):
        shown, pages_seen = person.get(path + unescape(following[1])).content.decode(), pages_seen + 1
    wanted = max(-(-(len(table) - 1) // ROWS), 1)
    return found + ([f"{pages_seen} pages of {len(table) - 1} rows"] if pages_seen != wanted else [])


def test_the_ids_of_another_shop_in_forms_change_nothing_of_it(
    filled_world: tuple[RefundWorld, Person, datetime], pages: dict[str, str], sign_in: Callable[..., Person]
) -> None:
    """Every form of every page, as the filled shop's own pages write it, sent to the same page of another shop."""
    from paymatch.area.people.models import Membership

    world, owner, _now = filled_world
    stranger, ours = sign_in(proven=True), f"/shops/{owner.shop.id}/"
    sent = [each for each in forms_of(owner, pages.values()) if each[0].startswith(ours)]
    # The shop's rule for second factors holds no ids, and would shut the stranger out of their own shop.
    sent = [(address, form) for address, form in sent if not address.endswith("settings/sign-in")]
    people = list(Membership.objects.filter(shop_id=owner.shop.id).values_list())
    assert len({address for address, _ in sent}) > 30
    with world.client.unchanged():
        for address, form in some(sent, 90):
            place = address.replace(ours, f"/shops/{stranger.shop.id}/")
            status = stranger.post(place, form).status_code
            assert status in (200, 302, 400, 404, 422), (status, place, form)
    assert list(Membership.objects.filter(shop_id=owner.shop.id).values_list()) == people
    assert stranger.get("overview").status_code == 200
