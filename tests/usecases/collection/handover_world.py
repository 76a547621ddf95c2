"""Orders that are due to be handed over to a collection agency."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

from paymatch.store.database import Database
from paymatch.usecases.collection import cases
from tests.usecases.reminders.mail_world import MailWorld, new_world


def overdue(database: Database, numbers: Iterable[str]) -> MailWorld:
    """Orders of different customers whose only reminder went out two weeks ago."""
    world = new_world(database)
    world.plan(levels="1", grace_days="1")
    with database.of_shop(world.shop) as tx:
        cases.set_agency(tx, {"name": "Agency Ltd", "after-days": "14"})
    for number in numbers:
        world.order(number, customerEmail=f"{number}@example.com")
    world.statement(date(2026, 3, 9))
    world.go_to("2026-03-10 09:00")
    world.send()
    world.statement(date(2026, 3, 25))
    world.go_to("2026-03-26 09:00")
    return world
