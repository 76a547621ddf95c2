"""Lists as statements: pages begin behind the last row, whatever the list is sorted by; places come from addresses."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paymatch.store.database import Database
from paymatch.store.lists.sorted_lists import (
    AskedPage,
    ListStatement,
    ListTotals,
    SortKind,
    by_day,
    by_id,
    by_moment,
    by_number,
    by_text,
)

ROWS = """SELECT v.* FROM (VALUES
    ('a', 'Ölmann', 5, DATE '2026-03-01', TIMESTAMPTZ '2026-03-01 08:00:00.123456+00', 'EUR'),
    ('b', 'ölmann', NULL, NULL, NULL, 'EUR'), ('c', 'Zorn | Söhne', 5, DATE '2026-03-01', NULL, 'CHF'),
    ('d', '', -7, DATE '2025-12-31', TIMESTAMPTZ '2026-03-01 08:00:00.123457+00', 'EUR'),
    ('e', NULL, 5, NULL, NULL, 'EUR'),
    ('f', 'abel', 9, DATE '2027-01-01', TIMESTAMPTZ '1999-12-31 23:59:59+00', 'EUR')
    ) v (id, name, amount, day, at, currency) WHERE $1 = '' OR v.currency = $1"""
LIST = ListStatement(
    ROWS,
    usual="-id",
    sorts={
        "id": by_id(), "name": by_text("name"), "amount": by_number("amount"), "day": by_day("day"),
        "at": by_moment("at"), "twice": by_number("2 * listed.amount"),
    },
    currency="currency",
    amount="amount",
)  # fmt: skip


KEYED = replace(LIST, is_keyed=True)


def read(
    database: Database, sort: str, *, is_descending: bool = False, size: int = 1, listed: ListStatement = LIST
) -> str:
    """The ids of all rows, read page by page."""
    found, asked = "", AskedPage(size, sort, is_descending)
    with database.of_all_shops() as tx:
        for _ in range(10):
            page = listed.page(tx, asked, "")
            found += "".join(row["id"] for row in page.rows)
            assert page.totals is None
            if not page.next:
                return found
            asked = AskedPage(size, sort, is_descending, page.next)
    raise AssertionError(f"endless: {found}")


@pytest.mark.parametrize(
    ("sort", "ids"),
    [("", "fedcba"), ("id", "abcdef"), ("amount", "dbacef"), ("twice", "dbacef"), ("day", "dacfbe"), ("at", "fadbce")],
)
def test_pages_join_to_the_whole_list_whatever_it_is_sorted_by(database: Database, sort: str, ids: str) -> None:
    for size in (1, 2, 4, 6):
        assert read(database, sort, size=size) == ids
        if sort:
            assert read(database, sort, is_descending=True, size=size) == ids[::-1]
            assert read(database, sort, size=size, listed=KEYED) == ids


def test_texts_are_sorted_without_regard_to_capitals_and_missing_ones_first(database: Database) -> None:
    ids = read(database, "name")
    assert ids[:3] == "def" and sorted(ids) == list("abcdef")
    assert read(database, "name", is_descending=True, size=2) == ids[::-1]


def test_a_list_is_counted_and_added_up_by_currency(database: Database) -> None:
    with database.of_all_shops() as tx:
        page = LIST.page(tx, AskedPage(2, counts=True), "")
        assert page.totals == ListTotals(6, (("EUR", 12), ("CHF", 5)))
        assert LIST.page(tx, AskedPage(2, counts=True), "CHF").totals == ListTotals(1, (("CHF", 5),))
        assert LIST.totals(tx, "USD") == ListTotals(0)


def test_a_place_whose_row_is_gone_is_a_place_still(database: Database) -> None:
    with database.of_all_shops() as tx:
        assert [row["id"] for row in LIST.page(tx, AskedPage(9, "amount", after="5|b"), "").rows] == list("cef")


@given(after=st.text(max_size=30), sort=st.sampled_from(["", "name", "amount", "day", "at", "gone"]))
def test_any_text_is_a_place_or_none(database: Database, after: str, sort: str) -> None:
    with database.of_all_shops() as tx:
        assert len(LIST.page(tx, AskedPage(9, sort, after=after), "").rows) <= 6


@pytest.mark.parametrize(
    "after", ["|", "x|", "|a", "inf|a", "99999999999999999999|a", "1_0|a", "١|a", "2026-13-01|a", "-|a"]
)
def test_what_is_no_value_of_the_column_begins_the_list(database: Database, after: str) -> None:
    with database.of_all_shops() as tx:
        for sort, rows in (("amount", 6), ("day", 6), ("at", 6)):
            assert len(LIST.page(tx, AskedPage(9, sort, after=after), "").rows) == rows, (sort, after)


def test_a_moment_needs_its_time_zone() -> None:
    found: dict[str, Any] = {each: SortKind.MOMENT.is_value(each) for each in ("2026-03-01 08:00:00", "infinity")}
    assert found == {"2026-03-01 08:00:00": False, "infinity": True}
