"""A process that dies at any transaction boundary: no letter is lost, none goes out under two ids (D-52)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import date
from itertools import count
from typing import Any

from paymatch.store.database import Database
from paymatch.usecases.letters.writing import LetterGateways, work_due
from tests.keys import KEYRING
from tests.usecases.letters.test_letters import ADDRESS, Provider
from tests.usecases.reminders.mail_world import MailWorld, new_world


class Stopped(BaseException):
    """The process is dead: nothing handles this."""


def stop_at(place: int) -> Callable[[str], None]:
    """Stops at the n-th boundary (each commit has two: before and after)."""
    counter = count(1)

    def stop(_: str) -> None:
        if next(counter) == place:
            raise Stopped

    return stop


def shop(database: Database) -> MailWorld:
    """An order that is to be reminded of by letter."""
    world = new_world(database, letters="on", letters_by="provider")
    world.plan(levels="7:2.50", letters_from="1")
    world.order("A-1", billing=ADDRESS)
    world.statement(date(2026, 3, 13))
    world.go_to("2026-03-16 09:00")
    return world


def work(world: MailWorld, door: Provider) -> None:
    world.send()
    while work_due(world.database, world.shop, LetterGateways(door), world.now):
        pass


def state(world: MailWorld) -> list[list[tuple[Any, ...]]]:
    """What the books say of letters, without what differs from run to run."""
    return [
        world.rows("SELECT order_number, kind, status, pages FROM letters WHERE shop_id = $1 ORDER BY 1"),
        world.rows(
            "SELECT order_number, dunning_level, fee_minor, letter FROM reminders WHERE shop_id = $1 ORDER BY 1"
        ),
        world.rows("SELECT number, dunning_level, payment_info_at IS NULL FROM orders WHERE shop_id = $1 ORDER BY 1"),
    ]


def test_every_boundary(migrated_url: str) -> None:
    database = Database(migrated_url, size=4, keyring=KEYRING)
    reference = shop(database)
    work(reference, Provider())
    wanted = state(reference)
    assert [row[1:3] for row in wanted[0]] == [("REMINDER", "SENT")]
    boundary, repeated, stopped = 0, 0, True
    while stopped:
        boundary, stopped = boundary + 1, False
        world, door = shop(database), Provider()
        database.at_boundary = stop_at(boundary)
        try:
            work(world, door)
        except Stopped:
            stopped = True
        database.at_boundary = None
        world.expire_claims()
        work(world, door)
        assert state(world) == wanted, f"boundary {boundary}"
        out = Counter(letter.id for letter in door.sent)
        assert len(out) == 1, f"boundary {boundary}"
        assert len({(letter.id, letter.pdf) for letter in door.sent}) == 1, f"boundary {boundary}"
        repeated += sum(out.values()) - 1
    assert boundary > 10, "deciding, claiming, writing, handing over and recording have their boundaries"
    assert repeated >= 1, "a letter that was handed over and not recorded is handed over again, under the same id"
    database.close()
