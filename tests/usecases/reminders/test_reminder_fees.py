"""A fee that a reminder asked for and the customer paid is credited as a fee; only what is above is overpaid (D-97)."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

import pytest

from paymatch.domain.money import EUR
from paymatch.domain.refunds.refunds import HoldReason, SubmittedRefund
from paymatch.domain.reports.asked import ask, report_of
from paymatch.domain.statement_channels import StatementChannel
from paymatch.formats.camt.writer import CamtMessage
from paymatch.store.database import Database
from paymatch.store.orders.order_json import Include
from paymatch.usecases.matching import assigning
from paymatch.usecases.matching.assigning import Part
from paymatch.usecases.orders import orders
from paymatch.usecases.refunds import refund_runs, refunds
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


def refund(world: MailWorld, minor: int) -> str:
    """A refund filed for tomorrow; its id."""
    wanted = SubmittedRefund(f"R-{minor}", minor, EUR, 2, world.now.date() + timedelta(days=1))
    with world.database.of_shop(world.shop, at=world.now) as tx:
        filed = json.loads(refunds.create(tx, "A-1", wanted))
    assert "reason" not in filed, "the money for it is there"
    return str(filed["id"])


def execute(world: MailWorld, minor: int) -> None:
    """The next day's run sends the refund, and the bank books it on the day after."""
    world.go_to(f"{world.now.date() + timedelta(days=1)} 10:00")
    assert refund_runs.run(world.database, world.shop, world.now).held == ()
    bank(world, -minor)


def bank(world: MailWorld, minor: int, **more: Any) -> None:
    """The bank books the refund's transfer, or its return, on the day after."""
    world.go_to(f"{world.now.date() + timedelta(days=1)} 10:00")
    day = world.now.date()
    ((reference,),) = world.rows("SELECT end_to_end_id FROM transfers WHERE shop_id = $1")
    posting = paid(minor, "", end_to_end_id=reference, booking_date=day, **more)
    opening = world.rows("SELECT sum(amount_minor) FROM postings WHERE shop_id = $1")[0][0]
    number = len(world.rows("SELECT 1 FROM imports WHERE shop_id = $1"))
    written = camt(CamtMessage.STATEMENT, posting, opening=int(opening), number=number, days=(day, day))
    import_file(
        world.database, world.shop, io.BytesIO(written), str(day), world.now, channel=StatementChannel.DROP_FOLDER
    )


def shown(world: MailWorld) -> tuple[str, str]:
    """paymentStatus and amountPaid."""
    with world.database.of_shop(world.shop) as tx:
        found = json.loads(orders.read(tx, "A-1", Include()), parse_float=str)
    return found["paymentStatus"], found.get("amountPaid", "")


def fee_income(world: MailWorld) -> int:
    return sum(minor * ((credit == "4830") - (debit == "4830")) for debit, credit, minor in booked(world))


def is_explained(world: MailWorld) -> None:
    assert {row["amount"] for row in report(world, "reconciliation") if row["item"] == "difference"} == {0}
    assert check_shop(world.database, world.shop) == []


def test_what_was_paid_is_refunded_with_the_fee(world: MailWorld) -> None:
    """The shop refunds amountPaid, and the fee is no longer income; if the transfer comes back it is again."""
    pay(world, 5240)
    assert (shown(world), fee_income(world)) == (("PAID", "52.40"), 250)
    refund(world, 5240)
    execute(world, 5240)
    assert (shown(world), fee_income(world), order_of(world)) == (("REFUNDED", "0.00"), 0, ("REFUNDED", 5240))
    is_explained(world)
    bank(world, 5240, is_return=True, return_reason="AC04")
    assert (shown(world), fee_income(world), order_of(world)) == (("PAID", "52.40"), 250, ("PAID", 4990))
    is_explained(world)


def test_a_fee_that_is_waived_after_it_was_paid_leaves_the_order_paid(world: MailWorld) -> None:
    pay(world, 5240)
    refund(world, 250)
    execute(world, 250)
    assert (shown(world), fee_income(world)) == (("PAID", "49.90"), 0)
    assert report(world, "overpaid") == []
    is_explained(world)


def test_goods_that_come_back_leave_the_fee(world: MailWorld) -> None:
    """The honest twin: a refund of a part of the order is not of its fee."""
    pay(world, 5240)
    refund(world, 1000)
    execute(world, 1000)
    assert (shown(world), fee_income(world)) == (("REFUNDED_PARTIAL", "42.40"), 250)
    world.order("A-1", "39.90")
    assert (shown(world), fee_income(world)) == (("PAID", "42.40"), 250)
    is_explained(world)


def test_no_more_is_refunded_than_order_and_fee(world: MailWorld) -> None:
    pay(world, 5240)
    wanted = SubmittedRefund("R-1", 5241, EUR, 2, world.now.date() + timedelta(days=1))
    with world.database.of_shop(world.shop, at=world.now) as tx:
        assert json.loads(refunds.create(tx, "A-1", wanted))["reason"] == str(HoldReason.NOT_COVERED)
