"""kill -9 at every transaction boundary of mail: no mail is lost, none has two ids, each reminder is written once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import date
from email import message_from_bytes
from pathlib import Path
from typing import Any

import pytest

from paymatch.store.database import Database
from tests.hard_stop import KILLED, boundaries, drive
from tests.keys import KEYRING
from tests.length import times
from tests.scenarios.mail_drive import NOW, main
from tests.usecases.reminders.mail_world import MailWorld, new_world


@pytest.fixture
def database(migrated_url: str) -> Iterator[Database]:
    opened = Database(migrated_url, size=2, keyring=KEYRING)
    yield opened
    opened.close()


def shop(database: Database) -> MailWorld:
    world = new_world(database, payment_information="on")
    world.now = NOW
    world.statement(date(2026, 3, 13))
    return world


def state(world: MailWorld) -> dict[str, list[tuple[Any, ...]]]:
    """What the books say of mail, without the ids that differ from run to run."""
    return {
        "orders": world.rows(
            "SELECT number, dunning_level, payment_info_at IS NULL FROM orders WHERE shop_id = $1 ORDER BY 1"
        ),
        "reminders": world.rows("SELECT order_number, dunning_level, fee_minor FROM reminders WHERE shop_id = $1"),
        "mails": world.mails(),
        "dues": world.rows(
            "SELECT order_number, due_at, held, claimed_until FROM reminder_dues WHERE shop_id = $1 ORDER BY 1"
        ),
    }


def sent(folder: Path) -> Counter[str]:
    """Message-ID -> how often it went out."""
    return Counter(message_from_bytes(path.read_bytes())["Message-ID"] for path in folder.iterdir())


def test_every_boundary(migrated_url: str, database: Database, tmp_path: Path) -> None:
    reference = shop(database)
    (tmp_path / "0").mkdir()
    assert drive(main, migrated_url, str(reference.id), tmp_path / "0") == 0
    wanted = state(reference)
    assert [row[1:] for row in wanted["orders"]] == [(0, False), (0, True), (1, False), (1, False)]
    assert wanted["mails"] == [("A-1000", 0, "KEPT"), ("A-1002", 1, "KEPT"), ("A-1003", 1, "KEPT")]
    assert sorted(sent(tmp_path / "0").values()) == [1, 1]
    repeated = 0
    for boundary in boundaries(2):
        world, folder = shop(database), tmp_path / str(boundary)
        folder.mkdir()
        code = drive(main, migrated_url, str(world.id), folder, stop_at=boundary)
        assert code in (0, KILLED), f"boundary {boundary}: exit code {code}"
        stopped = code == KILLED
        expire_claims(world)
        assert drive(main, migrated_url, str(world.id), folder) == 0
        assert {name: sorted(rows) for name, rows in state(world).items()} == {
            name: sorted(rows) for name, rows in wanted.items()
        }, f"boundary {boundary}"
        found = sent(folder)
        assert len(found) == 2 and max(found.values()) <= 2, f"boundary {boundary}: {found}"
        repeated += max(found.values()) - 1
        if not stopped:
            break
    assert boundary > 8, "submitting, claiming, deciding and recording have their boundaries"
    assert repeated >= times(1, 2), "a mail that was out and not recorded goes out again, with the same id"


def expire_claims(world: MailWorld) -> None:
    """What the killed process had claimed is free again: time goes by without the test waiting for it."""
    world.rows("UPDATE reminder_dues SET claimed_until = NULL WHERE shop_id = $1 RETURNING shop_id")
