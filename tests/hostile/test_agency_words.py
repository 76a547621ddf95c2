"""What an agency says of its cases settles no order, takes no other order's money, stops no report (D-54)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date
from typing import Any, Final, NamedTuple

import pytest

from paymatch.domain.collection.cases import CollectionRefused
from paymatch.store.database import Database
from paymatch.usecases.collection.cases import hand_over_due, keep_up
from paymatch.usecases.collection.exchange import Imported, import_report
from paymatch.usecases.matching.matching import match_due
from paymatch.usecases.work.check import check_shop
from tests.keys import KEYRING
from tests.usecases.collection.handover_world import overdue
from tests.usecases.reminders.mail_world import MailWorld

NUMBERS: Final = ("A-1001", "A-1002")


@pytest.fixture
def database(migrated_url: str) -> Iterator[Database]:
    opened = Database(migrated_url, size=4, keyring=KEYRING)
    yield opened
    opened.close()


@pytest.fixture
def world(database: Database) -> MailWorld:
    """Two orders at the agency, and one that is open and not."""
    made = overdue(database, NUMBERS)
    hand_over_due(database, made.shop, made.now)
    made.order("A-2002", customerEmail="ida@example.com")
    return made


def report(world: MailWorld, *rows: dict[str, Any], name: str = "report") -> Imported:
    """The agency's rows arrive in one file."""
    return import_report(world.database, world.shop, name, json.dumps(rows).encode(), world.now)


def cases(world: MailWorld) -> list[tuple[str, str, str]]:
    """(order, file, status) of the cases."""
    return [
        tuple(row)
        for row in world.rows("SELECT order_number, file, status FROM collections WHERE shop_id = $1 ORDER BY 1")
    ]


def orders(world: MailWorld) -> dict[str, str]:
    """The status of every order."""
    return {
        number: str(status) for number, status in world.rows("SELECT number, status FROM orders WHERE shop_id = $1")
    }


UNPAID: Final = {"A-1001": "COLLECTION", "A-1002": "COLLECTION", "A-2002": "UNPAID"}


class Case(NamedTuple):
    """Rows of one report; how many are taken, and the cases after it as (file, status)."""

    name: str
    rows: tuple[dict[str, Any], ...]
    taken: int
    first: tuple[str, str] = ("", "SUBMITTED")
    second: tuple[str, str] = ("", "SUBMITTED")


def row(number: str = "A-1001", **more: Any) -> dict[str, Any]:
    return {"orderNumber": number, **more}


ATTACKS: Final = (
    Case("paid", (row(status="PAID"),), 1, ("", "PAID")),
    Case("paid in part", (row(status="PAID_PARTIAL"),), 1, ("", "PAID_PARTIAL")),
    Case(
        "paid, not paid after all, paid",
        (row(status="PAID"), row(status="PAID_PARTIAL"), row(status="PAID")),
        3,
        ("", "PAID"),
    ),
    Case("another order's number as file", (row(file="A-2002"),), 0),
    Case("another case's order as file", (row(file="A-1002"),), 0),
    Case("another order's number beside a state", (row(file="A-2002", status="ACCEPTED"),), 0),
    Case("an order that is not at the agency", (row("A-2002", status="PAID"),), 0),
    Case(
        "an unknown order with a known file",
        (row(file="IN-1"), row("X-1", file="IN-1", status="PAID")),
        1,
        ("IN-1", "SUBMITTED"),
    ),
    Case(
        "one file of two cases without a number",
        (row(file="IN-1"), row("A-1002", file="IN-1"), {"file": "IN-1", "status": "PAID"}),
        2,
        ("IN-1", "SUBMITTED"),
        ("IN-1", "SUBMITTED"),
    ),
    Case("accepted after it has begun", (row(status="LEGAL"), row(status="ACCEPTED")), 1, ("", "LEGAL")),
    Case("rejected after it was accepted", (row(status="ACCEPTED"), row(status="REJECTED")), 1, ("", "ACCEPTED")),
    Case(
        "a row that fails among others",
        (row(status="ACCEPTED"), row("A-2002", status="PAID"), row("A-1002", status="LEGAL")),
        2,
        ("", "ACCEPTED"),
        ("", "LEGAL"),
    ),
    Case("the same twice", (row(status="ACCEPTED"), row(status="ACCEPTED")), 2, ("", "ACCEPTED")),
    Case(
        "formulas and markup",
        (row(file="=1+1", description="<script>=HYPERLINK(1)</script>"),),
        1,
        ("=1+1", "SUBMITTED"),
    ),
)
HONEST: Final = (
    Case("a number of its own", (row(file="IN-2026-00077", status="ACCEPTED"),), 1, ("IN-2026-00077", "ACCEPTED")),
    Case("the order's own number as file", (row(file="A-1001"),), 1, ("A-1001", "SUBMITTED")),
    Case(
        "one file for two orders",
        (row(file="IN-7"), row("A-1002", file="IN-7")),
        2,
        ("IN-7", "SUBMITTED"),
        ("IN-7", "SUBMITTED"),
    ),
    Case("a new file", (row(file="IN-1"), row(file="IN-2")), 2, ("IN-2", "SUBMITTED")),
    Case("steps", (row(status="ACCEPTED"), row(status="PRELEGAL"), row(status="INSTALMENT")), 3, ("", "INSTALMENT")),
)


@pytest.mark.parametrize("case", [*ATTACKS, *HONEST], ids=lambda case: case.name)
def test_a_report_moves_its_own_case_and_no_order(world: MailWorld, case: Case) -> None:
    assert report(world, *case.rows).taken == case.taken
    with world.database.of_shop(world.shop, at=world.now) as tx:
        keep_up(tx)
    assert cases(world) == [("A-1001", *case.first), ("A-1002", *case.second)]
    assert orders(world) == UNPAID
    assert check_shop(world.database, world.shop) == []


@pytest.mark.parametrize("status", ["WITHDRAWN", "SUBMITTED", "paid?", "x" * 2_000])
def test_a_state_that_is_not_the_agencys_refuses_the_file(world: MailWorld, status: str) -> None:
    with pytest.raises(CollectionRefused):
        report(world, row("A-1002", status="LEGAL"), row(status=status))
    assert cases(world) == [(number, "", "SUBMITTED") for number in NUMBERS]


def test_a_report_of_another_shop_finds_nothing(world: MailWorld, database: Database) -> None:
    other = overdue(database, ["B-1"])
    hand_over_due(database, other.shop, other.now)
    assert report(other, row(status="PAID"), row("A-1002", file="IN-1")).taken == 0
    assert cases(world) == [(number, "", "SUBMITTED") for number in NUMBERS]


def test_the_same_file_counts_once(world: MailWorld) -> None:
    assert report(world, row(status="PAID")).taken == 1
    report(world, row(status="PAID_PARTIAL"), name="second")
    assert report(world, row(status="PAID"), name="again") == Imported(0, known=True)
    assert cases(world)[0] == ("A-1001", "", "PAID_PARTIAL")


def test_a_torn_header_is_refused_in_a_sentence(world: MailWorld) -> None:
    with pytest.raises(CollectionRefused, match="not valid CSV"):
        import_report(world.database, world.shop, "x", b'"orderNumber"x;status\nA-1001;PAID\n', world.now)


@pytest.mark.parametrize("says", ["", "PAID"])
def test_only_money_settles_an_order_whatever_the_agency_said(world: MailWorld, says: str) -> None:
    if says:
        report(world, row(status=says))
    world.statement(date(2026, 3, 26), 0, (49_90, "A-1001"))
    match_due(world.database, world.shop, world.now)
    with world.database.of_shop(world.shop, at=world.now) as tx:
        keep_up(tx)
    assert orders(world) == UNPAID | {"A-1001": "PAID"}
