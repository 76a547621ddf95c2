"""kill -9 at every transaction boundary of retention: a mail is whole or forgotten, and the next run goes on."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from paymatch.outbound.mail.outgoing import MailNotSent
from paymatch.store.database import Database
from paymatch.usecases.orders import orders
from paymatch.usecases.work.check import check_shop
from tests.hard_stop import KILLED, boundaries, drive
from tests.keys import KEYRING
from tests.scenarios.retention_drive import main
from tests.usecases.reminders.mail_world import Door, MailWorld, new_world

SENT_AT = datetime(2026, 3, 16, 10, tzinfo=UTC)
NOW = SENT_AT + timedelta(days=366)


@pytest.fixture
def database(migrated_url: str) -> Iterator[Database]:
    opened = Database(migrated_url, size=2, keyring=KEYRING)
    yield opened
    opened.close()


def shop(database: Database) -> MailWorld:
    """Three mails that went out and two that were refused, of orders that are paid; one more of an open order."""
    world = new_world(database)
    world.statement(date(2026, 3, 13))
    world.now = SENT_AT
    for place in range(6):
        world.order(f"A-100{place}")
        refused = MailNotSent(f"550 <a-100{place}@example.com> unknown", permanent=True)
        world.door = Door(failure=refused if place in (1, 2) else None)
        world.send()
        if place < 5:
            with world.database.of_shop(world.shop, at=world.now) as tx:
                orders.set_paid(tx, f"A-100{place}")
    return world


def state(world: MailWorld) -> list[tuple[Any, ...]]:
    """Per order what its mail, its due and the alert about it still say of the customer."""
    return world.rows(
        "SELECT m.order_number, m.status, m.forgotten, m.recipient, m.subject, m.content <> '', m.error, d.held,"
        " (SELECT count(*) FROM alerts a WHERE a.shop_id = $1 AND a.subject = m.id) FROM mails m"
        " JOIN reminder_dues d ON d.shop_id = $1 AND d.order_number = m.order_number WHERE m.shop_id = $1 ORDER BY 1"
    )


def test_every_boundary(migrated_url: str, database: Database) -> None:
    reference = shop(database)
    before = state(reference)
    assert [(row[1], row[8]) for row in before] == [("SENT", 0), *[("REFUSED", 1)] * 2, *[("SENT", 0)] * 3]
    assert drive(main, migrated_url, str(reference.id), NOW) == 0
    wanted = state(reference)
    assert [row[2] for row in wanted] == [True] * 5 + [False]
    assert [row for row in wanted if "example.com" in str(row)] == before[5:]
    halfway = 0
    for boundary in boundaries(2):
        world = shop(database)
        code = drive(main, migrated_url, str(world.id), NOW, stop_at=boundary)
        assert code in (0, KILLED), f"boundary {boundary}: exit code {code}"
        stopped = code == KILLED
        found = state(world)
        assert all(row in (old, new) for row, old, new in zip(found, before, wanted, strict=True)), f"{boundary}"
        halfway += found not in (before, wanted)
        assert check_shop(database, world.shop) == []
        assert drive(main, migrated_url, str(world.id), NOW) == 0
        assert state(world) == wanted, f"boundary {boundary}"
        if not stopped:
            break
    assert boundary > 6 and halfway >= 2, "several transactions, and stops between them"
