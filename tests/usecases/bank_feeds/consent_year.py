"""A scripted year of account information: lost consents, a closed provider, new keys, silent days, renewals in turn."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Final

from paymatch.domain.bank_feeds.consents import ConsentStatus
from paymatch.domain.calendar import is_bank_day, plus_bank_days
from paymatch.usecases.bank_feeds import consents as use
from paymatch.usecases.reminders.reminders import terms_of
from paymatch.usecases.work.alerts import list_alerts
from tests.contract.bank import ACCOUNT
from tests.fakes import enable_banking
from tests.fakes.enable_banking import key_of_shop
from tests.usecases.bank_feeds.consent_world import ConsentWorld

KINDS: Final = ("revoked", "closed", "expired", "limit", "key")
"""How the feed breaks: each begins in the night, and lasts three days."""

_FEED: Final = ("account-information", "silent-feed")


def live_through(world: ConsentWorld, gaps: int) -> dict[str, int]:
    """A gap every seventeen days. What was counted: days, gaps, alerts, reads, and days on which reminders waited.

    Each gap is reported on the bank day after it began, and once. While the feed is broken the data that reminders rely
    on ends before it, so none leaves on late data. After the year each transaction is booked once.
    """
    world.active()
    with world.database.of_shop(world.shop, at=world.now) as tx:
        use.set_use(tx, world.name, [ACCOUNT], "06:30")
    counted = {"days": 0, "gaps": 0, "alerts": 0, "reads": 0, "waited": 0}
    for number in range(gaps):
        for _ in range(12):
            _day(world, counted)
        assert _open(world) == []
        _gap(world, KINDS[number % len(KINDS)], counted)
        counted["gaps"] += 1
        assert len(_reported(world)) == counted["gaps"], (number, KINDS[number % len(KINDS)])
    for _ in range(3):
        _day(world, counted)
    counted["alerts"], counted["reads"] = len(_reported(world)), len(world.bank.reads)
    assert _open(world) == []
    booked = [reference for _, source, reference in world.postings() if source == "FINAL"]
    assert sorted(booked) == sorted(each["entry_reference"] for each in world.account.transactions[: len(booked)])
    assert len(booked) >= len(world.account.transactions) - 1  # today's is announced
    return counted


def _gap(world: ConsentWorld, kind: str, counted: dict[str, int]) -> None:
    mended = _break(world, kind)
    known, began = _reported(world), world.today
    for day in range(3):
        _day(world, counted, is_broken=True)
        if world.today >= plus_bank_days(began, 1) + timedelta(days=1) or kind in ("revoked", "expired"):
            assert len(_reported(world) - known) == 1, (kind, day)
        with world.books.database.of_shop(world.shop, at=world.now) as tx:
            covered = terms_of(tx).bank.covered_until["EUR"]
        assert covered <= began, (kind, covered, began)
        counted["waited"] += covered < world.today - timedelta(days=1)
    mended()


def _break(world: ConsentWorld, kind: str) -> Callable[[], object]:
    """Breaks the feed; what mends it."""
    if kind == "revoked":
        world.bank.revoke()
        return world.renew
    if kind == "expired":
        for session in world.bank.sessions.values():
            session["until"] = world.now.isoformat()
        return world.renew
    if kind == "key":
        original = enable_banking.APPLICATION
        enable_banking.APPLICATION = "the provider has ended the application"
        return lambda: _mend_key(original)
    world.bank.fault = kind
    return lambda: setattr(world.bank, "fault", "")


def _mend_key(original: str) -> None:
    enable_banking.APPLICATION = original
    assert key_of_shop().application_id == original


def _day(world: ConsentWorld, counted: dict[str, int], *, is_broken: bool = False) -> None:
    """The next day: a payment on bank days, the worker at its times, the alerts in the evening."""
    day = world.today + timedelta(days=1)
    counted["days"] += 1
    world.books.clock.now = datetime(day.year, day.month, day.day, 4, 45, tzinfo=UTC)
    before = len(world.bank.reads)
    if is_bank_day(day):
        world.account.book(f"{counted['days'] % 90 + 1}.50", day, f"Zahlung {counted['days']}")
    for hour in (4, 7, 10, 13, 17):
        world.at(hour, 45)
    if not is_broken and world.row().status is ConsentStatus.ACTIVE and world.row().valid_until is not None:
        until = world.row().valid_until
        assert until is not None
        if (until - world.now).days < 14:
            world.renew()
    world.alerts()
    assert len(world.bank.reads) - before <= 4


def _reported(world: ConsentWorld) -> set[str]:
    found = list_alerts(world.books.database, world.shop, with_resolved=True)
    return {str(row["id"]) for row in found if row["kind"] in _FEED and "Renew it at the bank" not in str(row["text"])}


def _open(world: ConsentWorld) -> list[str]:
    return [str(row["text"]) for row in list_alerts(world.books.database, world.shop) if row["kind"] in _FEED]
