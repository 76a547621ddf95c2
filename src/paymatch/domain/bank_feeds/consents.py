"""Consents to read accounts through a provider of account information: states, reminders, and reads per day."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from enum import StrEnum
from typing import Final

from paymatch.domain.bank_feeds.ebics import read_times
from paymatch.domain.refusal import Refused, Unknown
from paymatch.domain.shops.shop import SettingRefused
from paymatch.domain.words.message import Message


class ConsentStatus(StrEnum):
    """Whether the bank hands out statements."""

    PENDING = "PENDING"  # a person has not come back from the bank's page yet
    ACTIVE = "ACTIVE"
    LOST = "LOST"  # expired or revoked: a person must give a new one


class ConsentEvent(StrEnum):
    """What moves a consent."""

    GIVEN = "given at the bank"
    LOST = "lost"


_S, _E = ConsentStatus, ConsentEvent

MOVES: Final[Mapping[tuple[ConsentStatus, ConsentEvent], ConsentStatus]] = {
    (_S.PENDING, _E.GIVEN): _S.ACTIVE,  # D-130
    (_S.ACTIVE, _E.GIVEN): _S.ACTIVE,  # renewed
    (_S.LOST, _E.GIVEN): _S.ACTIVE,
    (_S.ACTIVE, _E.LOST): _S.LOST,  # D-130
}

READS_A_DAY: Final = 4
"""Without the account's owner at the screen: Delegated Regulation (EU) 2018/389, Article 36 (5) (b)."""

LONGEST_DAYS: Final = 180
"""How long a bank has to accept a consent for reading: Delegated Regulation (EU) 2022/2360."""

FIRST_READ_DAYS: Final = 89
"""Banks return the last 90 days without renewed authentication: Delegated Regulation (EU) 2018/389, Article 10."""

OVERLAP_DAYS: Final = 7
"""Read again at each day's first read: banks add bookings to days that were read."""

RENEW_DAYS: Final = 14
"""Days before its end from which the page asks for a renewal."""

REMINDER_DAYS: Final = (30, 14, 7, 1)
"""Days before its end on which the owners get a mail."""

CHECKED_EVERY: Final = timedelta(minutes=30)
"""How often the provider is asked whether a consent is still in force. That reads no account."""

RETURN_WITHIN: Final = timedelta(hours=1)
"""How long a person may stay at the bank's page."""

USUAL_TIMES: Final = ("06:30", "10:30", "14:30", "18:30")

_BOOKED_BY: Final = time(6)
"""Banks have booked the day before by then."""


class ConsentMoveRefused(Refused):
    """The consent cannot make this move from its present state."""


class ConsentUnknown(Unknown):
    """The shop has no consent of this id."""

    def __init__(self, name: str) -> None:
        super().__init__(Message("consent-unknown", name=repr(name)) if name else Message("consent-none"))


def next_status(status: ConsentStatus, event: ConsentEvent) -> ConsentStatus:
    """The state after `event`; ConsentMoveRefused says what must be done first."""
    try:
        return MOVES[status, event]
    except KeyError:
        raise ConsentMoveRefused(Message("consent-not-active")) from None


def last_day(valid_until: datetime) -> date:
    """The last day of a consent that ends at this moment of the shop's time zone."""
    return (valid_until - timedelta(microseconds=1)).date()


def reminder_due(until: date, today: date, reminded: int | None) -> int | None:
    """Which reminder the owners must get now; None if they have it already.

    `reminded` is the last one sent. Of several missed reminders only the latest is due.
    """
    left = (until - today).days
    due = [days for days in REMINDER_DAYS if left <= days]
    found = min(due, default=None)
    return found if left >= 0 and found is not None and (reminded is None or found < reminded) else None


def complete_until(local: datetime) -> date:
    """The last day whose bookings are complete at a moment of the bank's clock."""
    return local.date() - timedelta(days=1 if local.time() >= _BOOKED_BY else 2)


def read_from(covered_until: date | None, last_read: date | None, today: date) -> date:
    """The first day that is read now. A day's first read looks back further than its later ones.

    `covered_until` is the last completely known day, `last_read` the day of the last complete read; None for
    an account that was never read.
    """
    oldest = today - timedelta(days=FIRST_READ_DAYS)
    if covered_until is None or last_read is None:
        return oldest
    return max(oldest, covered_until if last_read == today else covered_until - timedelta(days=OVERLAP_DAYS))


def read_consent_times(text: str) -> tuple[str, ...]:
    """The times of day at which accounts are read, at most as many as a bank must allow. SettingRefused."""
    times = read_times(text)
    if len(times) > READS_A_DAY:
        said = Message("consent-times", most=READS_A_DAY)
        raise SettingRefused(said, parameter="times", expected=said)
    return times
