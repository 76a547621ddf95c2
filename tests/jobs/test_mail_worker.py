"""Mail as due work: the worker sends it, the clock of a sandbox shop keeps it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime

import pytest
from structlog.testing import capture_logs

from paymatch.jobs.worker import Worker
from paymatch.outbound.http import NullHttp
from paymatch.store.database import Database
from paymatch.usecases.work import shop_jobs
from paymatch.usecases.work.job_kinds import MAIL, JobGateways
from tests.keys import KEYRING
from tests.usecases.reminders.mail_world import MailWorld, new_world


@pytest.fixture
def world(migrated_url: str) -> Iterator[MailWorld]:
    database = Database(migrated_url, size=8, keyring=KEYRING)
    world = new_world(database)
    world.order("A-1001")
    world.statement(date(2026, 3, 13))
    world.now = datetime(2026, 3, 16, 10, tzinfo=UTC)
    yield world
    database.close()


def test_the_worker_sends_what_is_due(world: MailWorld) -> None:
    with capture_logs():
        Worker(world.database, NullHttp(), lambda: world.now, doors=JobGateways(mail=world.door)).drain()
    assert (len(world.door.sent), world.mails()) == (1, [("A-1001", 1, "SENT")])
    assert world.rows("SELECT last_result FROM shop_jobs WHERE shop_id = $1 AND kind = 'mail'") == [
        ("1 order looked at",)
    ]


def test_without_a_way_out_mail_waits(world: MailWorld) -> None:
    with capture_logs():
        Worker(world.database, NullHttp(), lambda: world.now, doors=JobGateways()).drain()
        assert shop_jobs.due(world.database, world.now, 10) == []  # it backs off
    assert world.mails() == []
    assert world.rows("SELECT failures, last_error FROM shop_jobs WHERE shop_id = $1 AND kind = 'mail'") == [
        (1, "JobRefused: no mail server is configured")
    ]
    world.now = world.now.replace(hour=11)
    assert [kind for _, kind in shop_jobs.due(world.database, world.now, 10) if kind is MAIL] == [MAIL]
