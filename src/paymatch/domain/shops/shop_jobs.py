"""Due work of a shop: when a daily job is next due, and how long a failing one waits."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from typing import Final
from zlib import crc32
from zoneinfo import ZoneInfo

from paymatch.domain.refusal import Refused
from paymatch.domain.shops.shop import Shop

BACK_OFF: Final = (timedelta(minutes=1), timedelta(minutes=5), timedelta(minutes=30), timedelta(hours=2))
"""How long a job waits after its first, second ... failure in a row; the last value for all later ones."""

ALERTS: Final = "alerts"
"""The job that checks the alerts; changes of their causes schedule it at once."""

EXPORTS: Final = "exports"
"""The job that sends exports."""
_EXPORTS_AT: Final = time(5)

PRINT_RUN: Final = "print-run"
"""The job that puts a day's letters into a print run."""

ALERT_AFTER: Final = 3
"""Failures in a row after which a person should look; two may be a restart of the database."""


class JobRefused(Refused):
    """A job cannot be run now; the text says why."""


def retry_at(failures: int, now: datetime) -> datetime:
    """When a job that has just failed `failures` times in a row is due again."""
    return now + BACK_OFF[min(failures, len(BACK_OFF)) - 1]


def daily_at(at: time, now: datetime, timezone: str) -> datetime:
    """The next moment after `now`, in UTC, at which a clock in the time zone shows `at`."""
    zone = ZoneInfo(timezone)
    day = now.astimezone(zone).date()
    moment = datetime.combine(day, at, zone).astimezone(UTC)
    return moment if moment > now else datetime.combine(day + timedelta(days=1), at, zone).astimezone(UTC)


def spread_over_hour(at: time, shop: Shop) -> time:
    """The shop's own moment in the hour that begins at `at`: shops of one hour do not all begin in its first second.

    Always the same for a shop. A sandbox shop begins at `at` itself: its clock is moved to such moments.
    """
    if shop.sandbox:
        return at
    minute, second = divmod(crc32(shop.id.bytes) % 3600, 60)
    return at.replace(minute=minute, second=second)


def exports_at(shop: Shop, now: datetime) -> datetime | None:
    """When exports are next sent automatically; None: never."""
    return (
        None
        if shop.export_every == "off" or shop.sandbox
        else daily_at(spread_over_hour(_EXPORTS_AT, shop), now, shop.timezone)
    )


def print_run_at(shop: Shop, now: datetime) -> datetime | None:
    """When the shop's letters next go into a print run automatically; None: never."""
    if shop.letter_print_hour is None or shop.sandbox:
        return None
    return daily_at(spread_over_hour(time(shop.letter_print_hour), shop), now, shop.timezone)
