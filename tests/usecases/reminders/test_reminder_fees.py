"""A fee that a reminder asked for and the customer paid is credited as a fee; only what is above is overpaid (D-97)."""

from __future__ import annotations

import io
from collections.abc import Iterator
from datetime import date
from typing import Any

import pytest

from paymatch.domain.reports.asked import ask, report_of
from paymatch.domain.statement_channels import StatementChannel
from paymatch.formats.camt.writer import CamtMessage
from paymatch.store.database import Database
from paymatch.store.orders.order_json import Include
from paymatch.usecases.matching import assigning
from paymatch.usecases.matching.assigning import Part
from paymatch.usecases.orders import orders
from paymatch.usecases.reports import exports, reports
from paymatch.usecases.statements.statements import import_file
from paymatch.usecases.work.check import check_shop
from tests.keys import KEYRING
from tests.usecases.conftest import camt, paid
from tests.usecases.reminders.mail_world import MailWorld, new_world


@pytest.fixture(scope="module")
def database(module_url: str) -> Iterator[Database]:
    found = Database(module_url, size=6, keyring=KEYRING)
    yield found
    found.close()


@pytest.fixture
def world(database: Database) -> MailWorld:
    """An order of 49.90 of which the customer was reminded twice, the second time for 2.50."""
    found = new_world(database)
    found.order("A-1")
    found.send()
    for day in ("2026-03-17", "2026-04-01"):
        found.go_to(f"{day} 10:00")
        found.statement(date.fromisoformat(day))
        found.go_to(f"{day} 11:00")
        found.send()
    assert found.rows("SELECT dunning_level, fee_minor FROM reminders WHERE shop_id = $1 ORDER BY 1") == [
        (1, 0), (2, 250),
    ]  # fmt: skip
    return found


def report(world: MailWorld, name: str) -> list[dict[str, Any]]:
    wanted = report_of(name)
    days = (date(2026, 3, 1), date(2026, 4, 30)) if wanted.has_period else (None, None)
    asked = ask(wanted, world.now.date(), *days)
    with world.database.of_shop(world.shop) as tx:
        return [dict(row) for row in reports.rows(tx, wanted, asked)]


def pay(world: MailWorld, minor: int, day: str = "2026-04-07") -> None:
    world.go_to(f"{day} 10:00")
    ((reference,),) = world.rows("SELECT reference FROM orders WHERE shop_id = $1")
    posting = paid(minor, reference, counterparty_name="Erika Mustermann", booking_date=date.fromisoformat(day))
    written = camt(CamtMessage.STATEMENT, posting, days=(posting.booking_date, posting.booking_date))
    channel = StatementChannel.DROP_FOLDER
    import_file(world.database, world.shop, io.BytesIO(written), day, world.now, channel=channel)


def order_of(world: MailWorld) -> tuple[Any, ...]:
    return world.rows("SELECT status, postings_minor FROM orders WHERE shop_id = $1 AND number = 'A-1'")[0]


def booked(world: MailWorld) -> list[tuple[str, str, int]]:
    with world.database.of_shop(world.shop) as tx:
        rows = exports.rows(tx, "journal", date(2026, 3, 1), date(2026, 4, 30))
        return [(row["debit"], row["credit"], row["amount"]) for row in rows]


def test_a_fee_that_was_asked_for_is_credited_as_a_fee(world: MailWorld) -> None:
    pay(world, 5240)
    assert order_of(world) == ("PAID", 4990)
    assert report(world, "overpaid") == []
    (fee,) = report(world, "fees")
    assert (fee["kind"], fee["credited"], fee["fee"]) == ("REMINDER_FEE", 4990, -250)
    assert booked(world) == [("1800", "10000", 5240), ("10000", "4830", 250)]
    assert check_shop(world.database, world.shop) == []


def test_only_what_is_above_is_overpaid(world: MailWorld) -> None:
    pay(world, 5500)
    (row,) = report(world, "overpaid")
    assert (row["paid"], row["overpaid"]) == (5250, 260)


def test_a_fee_that_was_not_asked_for_yet_stays_overpaid(world: MailWorld) -> None:
    pay(world, 5240, day="2026-03-31")
    assert order_of(world) == ("PAID", 5240)
    (row,) = report(world, "overpaid")
    assert row["overpaid"] == 250


def test_the_fee_follows_when_the_order_costs_less_or_the_match_is_undone(world: MailWorld) -> None:
    pay(world, 5240)
    world.order("A-1", "52.00")
    assert order_of(world) == ("PAID", 5200)
    world.order("A-1", "40.00")
    assert order_of(world) == ("PAID", 4990)
    assert report(world, "overpaid")[0]["overpaid"] == 990
    ((posting,),) = world.rows("SELECT id FROM postings WHERE shop_id = $1")
    assigning.unmatch(world.database, world.shop, posting, world.now)
    assert order_of(world) == ("UNPAID", 0)
    assigning.match(world.database, world.shop, posting, [Part("A-1", 5240)], world.now)
    assert order_of(world) == ("PAID", 4990)
    assert check_shop(world.database, world.shop) == []


def test_the_fee_is_shown_on_the_order(world: MailWorld) -> None:
    pay(world, 5240)
    with world.database.of_shop(world.shop) as tx:
        found = orders.read(tx, "A-1", Include(postings=True))
    assert b'"amountPaid":52.40' in found, "the contract: sum of postings minus sum of refunds"
    assert b'"amount":52.40,"fee":-2.50,"feeKind":"REMINDER_FEE"' in found
