"""In each batch one item that fails stops nothing but itself, and a person is told of it.

What fails is a row that the database refuses to write, by a constraint: a fault that no program foresees.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import sql

from paymatch.domain.shops.alerts import AlertKind
from paymatch.formats.camt.writer import CamtMessage
from paymatch.jobs.callbacks import CallbackSender
from paymatch.outbound.bank_channel import FetchedFile, NullBankChannel
from paymatch.outbound.http import NullHttp
from paymatch.store.database import Database
from paymatch.store.statements.bank_connections import ConnectionRow
from paymatch.store.transactions import LockNotAcquired, passes
from paymatch.usecases.bisection import process_bisecting
from paymatch.usecases.matching.matching import FAILED, match_now
from paymatch.usecases.reminders import reminders
from paymatch.usecases.shops import shops
from paymatch.usecases.statements import bank_connections
from paymatch.usecases.work import shop_jobs
from paymatch.usecases.work.alerts import list_alerts
from tests.jobs.test_callbacks import counts
from tests.jobs.test_callbacks import paid as set_paid
from tests.jobs.test_drop_folder import content_of, drop, file, importer
from tests.usecases.callbacks.callback_world import new_world as callback_world
from tests.usecases.conftest import ACCOUNT, Books, camt, paid
from tests.usecases.refunds.refund_world import RefundWorld
from tests.usecases.reminders.mail_world import new_world as mail_world


@pytest.fixture
def database(migrated_url: str) -> Iterator[Database]:
    opened = Database(migrated_url, size=6)
    yield opened
    opened.close()


def refuse(database: Database, table: str, when: str) -> None:
    """The database takes no row of the table any more of which `when` is true; those that stand are not asked."""
    statement = sql.SQL("ALTER TABLE {} ADD CONSTRAINT unforeseen CHECK (NOT ({})) NOT VALID")
    with psycopg.connect(database.url, autocommit=True) as connection:
        connection.execute(statement.format(sql.Identifier(table), sql.SQL(when)))


def failures(database: Database, shop: Any) -> list[str]:
    """What the alerts about failed items are about."""
    return [alert["subject"] for alert in list_alerts(database, shop) if alert["kind"] == AlertKind.ITEM_FAILED]


# The mechanism


def test_halves_are_tried_down_to_those_that_fail_alone() -> None:
    done: list[int] = []
    failed: list[int] = []

    def together(items: Sequence[int]) -> int:
        if {3, 9} & set(items):
            raise KeyError(items)
        done.extend(items)
        return len(items)

    counts_of = process_bisecting(range(16), together, lambda item, _error: failed.append(item))
    assert (done, failed) == ([each for each in range(16) if each not in (3, 9)], [3, 9])
    assert sum(counts_of) == 14


def test_what_passes_by_itself_is_no_items_fault(database: Database) -> None:
    def busy(_items: Sequence[int]) -> None:
        raise LockNotAcquired

    with pytest.raises(LockNotAcquired):
        process_bisecting([1, 2], busy, lambda item, error: pytest.fail("no item is at fault"))
    assert passes(psycopg.OperationalError("server closed the connection"))
    assert passes(psycopg.errors.AdminShutdown())
    assert not passes(psycopg.errors.ProgramLimitExceeded())  # an OperationalError, yet the row's own fault
    assert not passes(KeyError("x"))


def test_savepoint_undoes_its_block_alone(database: Database) -> None:
    shop = shops.create(database, "Savepoint", Books.now).shop
    with database.of_shop(shop) as tx:
        shops.change(tx, {"name": "First"})
        with pytest.raises(psycopg.errors.DivisionByZero), tx.savepoint():
            shops.change(tx, {"name": "Second"})
            tx.value("SELECT 1 / 0")
        with tx.savepoint():
            shops.change(tx, {"holder": "Third"})
    found = shops.find(database, str(shop.id))
    assert (found.name, found.holder) == ("First", "Third")


# Each loop


@pytest.fixture
def books(database: Database) -> Books:
    return Books(database, shops.create(database, "Books", Books.now - timedelta(days=60), ibans=[ACCOUNT]).shop)


def three_orders(books: Books) -> bytes:
    """Three orders, and a statement that pays them."""
    numbers = [f"SU-1200{place}" for place in (1, 2, 3)]
    for place, number in enumerate(numbers):
        books.order(number, f"{19 + place}.90")
    return camt(CamtMessage.STATEMENT, *[paid(1990 + 100 * place, number) for place, number in enumerate(numbers)])


def test_matching_goes_on_behind_a_posting_that_fails(books: Books) -> None:
    """Before, the import failed and no posting of the shop was ever matched again."""
    refuse(books.database, "allocations", "order_number = 'SU-12002'")
    report = books.bring(three_orders(books))
    assert (report.new, report.matched) == (3, 2)
    assert [books.status(f"SU-1200{place}") for place in (1, 2, 3)] == ["PAID", "UNPAID", "PAID"]
    rows = books.rows("SELECT id, decision, rematch_at FROM postings WHERE shop_id = $1 AND status = 'unmatched'")
    ((posting, decision, due),) = rows
    assert (json.loads(decision)["heldBack"], due) == (FAILED, None)
    (alert,) = [each for each in list_alerts(books.database, books.shop) if each["kind"] == AlertKind.ITEM_FAILED]
    assert alert["subject"] == f"posting {posting}"
    stopped = f"An internal error stopped posting {posting}, which now needs your attention: CheckViolation"
    assert alert["text"].startswith(stopped)
    books.sound()


def test_rehearsal_goes_on_behind_a_posting_that_fails(books: Books) -> None:
    refuse(books.database, "allocations", "order_number = 'SU-12002'")
    rehearsed = books.bring(three_orders(books), dry_run=True)
    assert (rehearsed.new, rehearsed.matched) == (3, 2)
    assert failures(books.database, books.shop) == []  # rolled back with the rest


def test_posting_whose_facts_cannot_be_read_is_left_to_a_person(books: Books) -> None:
    books.bring(camt(CamtMessage.STATEMENT, paid(100, "A"), paid(200, "B")))
    with books.database.of_shop(books.shop, at=books.now) as tx:
        tx.run(
            "UPDATE postings SET rematch_at = $2, facts = CASE WHEN amount_minor = 100 THEN '{}' ELSE facts END"
            " WHERE shop_id = $1",
            books.shop.id,
            books.now,
        )
        counted = match_now(tx)
    assert counted.seen == 2
    assert books.rows("SELECT count(*) FROM postings WHERE shop_id = $1 AND rematch_at IS NOT NULL") == [(0,)]
    assert len(failures(books.database, books.shop)) == 1


@pytest.mark.parametrize("table", ["mails", "reminders"])
def test_mail_goes_on_behind_an_order_that_fails(database: Database, table: str) -> None:
    """Before, one order stopped all mail of its shop: at the decision (mails), or once it was sent (reminders)."""
    world = mail_world(database)
    for place in (1, 2, 3):
        world.order(f"A-100{place}")
    world.statement(date(2026, 3, 13))
    world.send()
    world.go_to("2026-03-16 10:00")
    refuse(database, table, "order_number = 'A-1002'")
    assert world.send() == 3
    assert [mail for mail in world.mails() if mail[2] == "SENT"] == [("A-1001", 1, "SENT"), ("A-1003", 1, "SENT")]
    assert world.held("A-1002") == reminders.FAILED
    assert failures(database, world.shop) == ["the mail of order A-1002"]
    assert world.send() == 0  # and it is looked at again a day later only


def test_refund_run_goes_on_behind_a_refund_that_fails(database: Database, tmp_path: Path) -> None:
    """Before, no refund of the shop was transferred any more."""
    world = RefundWorld(database, tmp_path)
    for place in (1, 2, 3, 4):
        world.paid(f"SO-7010{place}")
        world.file(f"SO-7010{place}", 30)
    world.pass_days(1)
    found = world.client.rows("SELECT id FROM refunds WHERE shop_id = $1 AND order_number = 'SO-70102'")[0][0]
    refuse(database, "refunds", f"id = '{found}' AND status = 'IN_PROCESS'")
    run = world.run()
    assert [file.transfers for file in run.files] == [3]
    assert world.status(found) == "NEW"
    assert failures(database, world.client.shop) == ["the refunds of order SO-70102"]


def test_callbacks_go_on_behind_one_that_cannot_be_recorded(database: Database) -> None:
    """Before, what was delivered with it was sent again and again for a minute."""
    world = callback_world(database, "https://drain.example/")
    set_paid(world, ["1", "2", "3"])
    found = world.rows("SELECT id FROM callbacks WHERE shop_id = $1 AND order_number = '2'")[0][0]
    refuse(database, "callback_attempts", f"callback_id = '{found}'")
    door = NullHttp()
    CallbackSender(database, door, world.clock).drain()
    assert counts(world) == {"DELIVERED": 2, "PENDING": 1}
    assert len(door.calls) == 3
    assert failures(database, world.shop) == [f"callback {found}"]


def test_callbacks_of_other_shops_go_on_behind_a_shop_whose_callbacks_cannot_be_claimed(database: Database) -> None:
    """Before, a look ended at that shop, and those behind it had to wait for one that began with them."""
    worlds = [callback_world(database, f"https://receiver{place}.example/") for place in range(3)]
    for world in worlds:
        set_paid(world, ["1"])
    refuse(database, "callbacks", f"shop_id = '{worlds[1].id}'")
    CallbackSender(database, NullHttp(), worlds[0].clock).drain()
    assert [counts(world) for world in worlds] == [{"DELIVERED": 1}, {"PENDING": 1}, {"DELIVERED": 1}]


def test_jobs_of_other_shops_are_planned_behind_a_shop_that_fails(database: Database) -> None:
    """Before, one such shop stopped all due work of all shops that were created since."""
    made = [shops.create(database, name, Books.now).shop for name in ("One", "Two", "Three")]
    refuse(database, "shop_jobs", f"shop_id = '{made[1].id}'")
    assert shop_jobs.plan(database) is False
    found = []
    for shop in made:
        with database.of_shop(shop) as tx:
            found.append(tx.value("SELECT count(*) > 0 FROM shop_jobs WHERE shop_id = $1", shop.id))
    assert found == [True, False, True]


class _Channel(NullBankChannel):
    """A bank whose answer for one account is something that nobody expects."""

    def fetch(self, account: str, since: date) -> list[FetchedFile]:
        if account.startswith("AT"):
            raise KeyError("unforeseen")
        return []


def test_banks_are_asked_behind_one_whose_answer_fails(books: Books) -> None:
    for account in ("AT611904300234573201", ACCOUNT):
        row = ConnectionRow(account, "37040044", "https://bank.example/", "eva", "", "", "", None)
        bank_connections.add(books.database, books.shop, row)
    found = bank_connections.fetch(books.database, books.shop, "", lambda _row: _Channel(), books.now)
    assert [(each.account, each.refused) for each in found] == [
        ("AT611904300234573201", "the program failed: KeyError: 'unforeseen'"), (ACCOUNT, ""),
    ]  # fmt: skip
    assert failures(books.database, books.shop) == ["the connection of account AT611904300234573201"]


def test_drop_folder_goes_on_behind_a_file_that_fails(books: Books, tmp_path: Path) -> None:
    """Before, nobody but the log told of it."""
    refuse(books.database, "postings", "amount_minor = 200")
    for name, minor in (("a.xml", 100), ("b.xml", 200), ("c.xml", 300)):
        drop(books, tmp_path, name, file(minor))
    assert importer(books, tmp_path).look() == 3
    assert content_of(books, tmp_path)["done"] == ["a.xml", "c.xml"]
    assert failures(books.database, books.shop) == ["file b.xml"]
