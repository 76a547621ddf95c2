"""EBICS connections: their states as a table, and the settings that a person types."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, time, timedelta
from enum import StrEnum
from typing import Final
from zoneinfo import ZoneInfo

from paymatch.domain.refusal import Refused, Unknown
from paymatch.domain.shops.shop import SettingRefused
from paymatch.domain.words.message import Message


class EbicsStatus(StrEnum):
    """Progress of a subscriber's initialisation."""

    NEW = "NEW"  # keys were generated, the bank has not seen them
    SUBMITTED = "SUBMITTED"  # the bank has the keys and waits for the signed letter
    TO_COMPARE = "TO_COMPARE"  # the bank's keys arrived; a person must compare their fingerprints
    ACTIVE = "ACTIVE"
    SUSPENDED = "SUSPENDED"  # the bank accepts nothing more signed with these keys


class EbicsEvent(StrEnum):
    """Events that change a connection's state."""

    KEYS_SENT = "keys sent"
    BANK_KEYS_CAME = "bank keys came"
    FINGERPRINTS_CONFIRMED = "fingerprints confirmed"
    SUSPENDED = "suspended"


_S, _E = EbicsStatus, EbicsEvent

MOVES: Final[Mapping[tuple[EbicsStatus, EbicsEvent], EbicsStatus]] = {
    (_S.NEW, _E.KEYS_SENT): _S.SUBMITTED,  # D-103
    (_S.SUBMITTED, _E.BANK_KEYS_CAME): _S.TO_COMPARE,  # D-103
    (_S.TO_COMPARE, _E.BANK_KEYS_CAME): _S.TO_COMPARE,  # fetched again
    (_S.TO_COMPARE, _E.FINGERPRINTS_CONFIRMED): _S.ACTIVE,  # D-103
    (_S.ACTIVE, _E.BANK_KEYS_CAME): _S.TO_COMPARE,  # D-104: the bank has changed its keys
    (_S.ACTIVE, _E.SUSPENDED): _S.SUSPENDED,  # D-103
}


class EbicsMoveRefused(Refused):
    """The connection cannot make this move from its present state."""


class EbicsUnknown(Unknown):
    """The shop has no EBICS connection of this id."""

    def __init__(self, name: str) -> None:
        super().__init__(Message("ebics-unknown", name=repr(name)) if name else Message("ebics-none"))


def next_status(status: EbicsStatus, event: EbicsEvent) -> EbicsStatus:
    """The state after `event`; EbicsMoveRefused says what must be done first."""
    try:
        return MOVES[status, event]
    except KeyError:
        raise EbicsMoveRefused(Message(_FIRST[status])) from None


_FIRST: Final = {
    _S.NEW: "ebics-send-keys-first",
    _S.SUBMITTED: "ebics-bank-has-not-activated",
    _S.TO_COMPARE: "ebics-keys-not-compared",
    _S.ACTIVE: "ebics-is-active",
    _S.SUSPENDED: "ebics-is-suspended",
}

USUAL_TIMES: Final = ("06:30", "12:30", "17:30")
"""German banks book at night and hand out notifications around noon and in the evening."""

_ID: Final = re.compile(r"[A-Za-z0-9,=]{1,35}")
"""HostID, PartnerID and UserID in the H005 schemas."""
_MOST_TIMES: Final = 12


def read_id(name: str, text: str) -> str:
    """A host, customer or user ID in the form that is sent. SettingRefused."""
    wanted = text.strip()
    if not _ID.fullmatch(wanted):
        raise SettingRefused(
            Message("ebics-id-not-valid", name=name), parameter=name, expected=Message("ebics-id-help")
        )
    return wanted


def read_times(text: str) -> tuple[str, ...]:
    """Times of day at which the bank is polled, `06:30 12:30`; at least one. SettingRefused."""
    found = sorted({each for each in re.split(r"[\s,;]+", text.strip()) if each})
    for each in found:
        try:
            time.fromisoformat(each)
        except ValueError:
            found = []
    if not 1 <= len(found) <= _MOST_TIMES or any(len(each) != 5 for each in found):
        raise SettingRefused(
            Message("ebics-times-not-valid"), parameter="times", expected=Message("ebics-times-help")
        )  # fmt: skip
    return tuple(found)


def next_fetch_at(times: Sequence[str], now: datetime, timezone: str) -> datetime:
    """The next moment after `now`, in UTC, at which a clock in the time zone shows one of the times."""
    zone = ZoneInfo(timezone)
    today = now.astimezone(zone).date()
    moments = (
        datetime.combine(today + timedelta(days=days), time.fromisoformat(each), zone).astimezone(UTC)
        for days in (0, 1)
        for each in times
    )
    return min(moment for moment in moments if moment > now)
