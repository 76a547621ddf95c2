"""What helps with a posting that has no candidate: what was read, and which orders are near, by name and by amount."""

from __future__ import annotations

from typing import Any

import pytest

from paymatch.formats.camt.writer import CamtMessage
from paymatch.store.database import Database
from paymatch.usecases.matching.nearest import Nearest, nearest
from paymatch.usecases.shops import shops
from tests.usecases.conftest import Books, camt, paid


def near(books: Books, minor: int, text: str = "", **more: Any) -> Nearest:
    with books.database.of_shop(books.shop) as tx:
        return nearest(tx, paid(minor, text, **more))


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("Bestellung 1234567 vom 12.3.2026", ("1234567",)),
        ("RE 4711-2 Kd 99 Danke", ("RE 4711-2",)),
        ("Spende", ()),
        ("A-1001 und B-2002", ("A-1001", "B-2002")),
    ],
)
def test_each_number_is_told_once_as_it_is_written(books: Books, text: str, numbers: tuple[str, ...]) -> None:
    assert near(books, 777, text).numbers == numbers


def test_same_name_comes_first_then_the_nearest_amount(books: Books) -> None:
    for number, amount, name in (
        ("A", "10.00", "Halt"), ("B", "9.50", "Halt"), ("C", "200.00", "Müller"), ("D", "20.00", "Halt"),
    ):  # fmt: skip
        books.order(number, amount, billing={"firstName": "Eva", "lastName": name, "countryCode": "DE"})
    found = near(books, 900, counterparty_name="MUELLER EVA")
    assert [(each.order.number, each.difference_minor, each.same_name) for each in found.orders] == [
        ("C", -19_100, True), ("B", -50, False), ("A", -100, False),
    ]  # fmt: skip
    assert found.names == ("MUELLER EVA",)


def test_five_at_most(books: Books) -> None:
    for place in range(7):
        books.order(f"A-{place}", f"10.0{place}")
    found = near(books, 1000, counterparty_name="Somebody else")
    assert [each.order.number for each in found.orders] == [f"A-{place}" for place in range(5)]


def test_money_that_went_out_is_near_paid_orders(books: Books) -> None:
    books.order("SO-4711", "30.00")
    books.order("SO-4712", "30.00")
    books.bring(camt(CamtMessage.STATEMENT, paid(3000, "SO-4711")))
    found = near(books, -2900, counterparty_name="Somebody else")
    assert [(each.order.number, each.order_minor, each.difference_minor) for each in found.orders] == [
        ("SO-4711", 3000, 100)
    ]


def test_another_shops_orders_are_not_near(books: Books, database: Database) -> None:
    Books(database, shops.create(database, "Other", books.now).shop).order("X-1", "9.00")
    assert near(books, 900).orders == ()
