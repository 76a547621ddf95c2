"""A scripted year of a bank feed: silent banks, dead lines and new keys of the bank in turn."""

from __future__ import annotations

from datetime import UTC, datetime

from paymatch.domain.calendar import plus_bank_days
from paymatch.usecases.bank_feeds import connections as use
from paymatch.usecases.bank_feeds.connections import BankUse
from paymatch.usecases.work.alerts import list_alerts
from tests.contract.bank import ACCOUNT
from tests.usecases.bank_feeds.ebics_world import EbicsWorld

FEED = ("ebics", "silent-feed")
_KINDS = ("silent", "line", "keys")


def live_through(world: EbicsWorld, gaps: int) -> None:
    """Each gap is reported on the bank day after it began, and once; the alerts are looked after each morning."""
    world.active(sends=False)
    with world.books.database.of_shop(world.shop, at=world.now) as tx:
        use.set_use(tx, world.name, BankUse(["camt.053"], [ACCOUNT], "06:30", False))
    for _ in range(14):
        _morning(world)
    assert reported(world) == set()
    for number in range(gaps):
        known = reported(world)
        kind = _KINDS[number % 3]
        missing = _gap(world, kind, known)
        world.bank.loses.clear()
        if kind == "keys":
            world.confirm()
        for content in missing:
            world.bank.put("camt.053", (f"late{number}.xml", content))
        for _ in range(12):
            _morning(world)
        assert len(reported(world) - known) == 1, (number, kind)
        assert [row for row in list_alerts(world.books.database, world.shop) if row["kind"] in FEED] == []
    assert len(reported(world)) == gaps


def reported(world: EbicsWorld) -> set[str]:
    """All alerts about feeds that there ever were."""
    found = list_alerts(world.books.database, world.shop, with_resolved=True)
    return {str(row["id"]) for row in found if row["kind"] in FEED}


def _gap(world: EbicsWorld, kind: str, known: set[str]) -> list[bytes]:
    """Three bank days without statements: those that are missing."""
    missing = []
    for day in range(3):
        if kind == "line":
            world.bank.loses["Initialisation"] = 1000
        if kind == "keys" and day == 0:
            world.bank.change_keys()
        missing.append(_morning(world, gives=kind != "silent", later=kind != "silent"))
        if day == 1:
            assert len(reported(world) - known) == 1, kind
    assert len(reported(world) - known) == 1, kind
    return missing


def _morning(world: EbicsWorld, *, gives: bool = True, later: bool = False) -> bytes:
    """The next bank day: the bank hands out yesterday's statement, or keeps it; the worker works."""
    day = plus_bank_days(world.now.date(), 1)
    world.books.clock.now = datetime(day.year, day.month, day.day, 9, 30, tzinfo=UTC)
    content = world.statement((100, "x", ""), days_ago=1)
    if gives and not later:
        world.bank.put("camt.053", (f"day{world.numbers}.xml", content))
    world.turn()
    world.later(minutes=10)
    world.alerts()
    return content
