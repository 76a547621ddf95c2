"""New powers over money: whatever makes it easier to let money go counts a day later (D-58)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from paymatch.domain.money_out import RefundLimits
from paymatch.domain.words.said import Said

NEW_POWER_WAITS: Final = timedelta(days=1)
"""How long a new power waits: the other owners may notice that it was not one of them."""


class PowerKind(StrEnum):
    PERSON = "person"  # somebody came to the team, or got a role that may release
    SECOND_FACTOR = "second-factor"  # of somebody who may release
    LIMIT = "limit"  # of money that goes out by itself, or by one person


@dataclass(frozen=True, slots=True)
class NewPower:
    """A power that waits. The subject is the person's address, or the name of the limit's column."""

    kind: PowerKind
    subject: str
    since: datetime
    given_by: str
    before_minor: int | None = None  # what a limit was, and is until it counts; in minor units of the shop's currency

    @property
    def counts_at(self) -> datetime:
        """From when on it counts."""
        return self.since + NEW_POWER_WAITS


def limits_that_hold(limits: RefundLimits, waiting: Iterable[NewPower]) -> RefundLimits:
    """The shop's limits, less what was raised and waits."""
    before = {each.subject: each.before_minor for each in waiting if each.before_minor is not None}

    def held(column: str, minor: int) -> int:
        return min(minor, before.get(column, minor))

    return RefundLimits(
        held("refund_limit_minor", limits.each_minor),
        held("refund_day_limit_minor", limits.day_minor),
        held("refund_four_eyes_minor", limits.one_person_minor),
    )


def waits_for(person: str, waiting: Iterable[NewPower]) -> NewPower | None:
    """What a person's release waits for longest; None if it counts."""
    mine = [each for each in waiting if each.kind is not PowerKind.LIMIT and each.subject == person]
    return max(mine, key=lambda each: each.since, default=None)


def power_words(power: NewPower) -> Said:
    """What is new, by whom, and from when on it counts."""
    day, time = power.counts_at.date(), f"{power.counts_at:%H:%M}"
    match power.kind:
        case PowerKind.PERSON:
            return Said("new-power-person", person=power.subject, by=power.given_by, day=day, time=time)
        case PowerKind.SECOND_FACTOR:
            return Said("new-power-second-factor", person=power.subject, day=day, time=time)
        case PowerKind.LIMIT:
            return Said("new-power-limit", limit=LIMITS[power.subject], by=power.given_by, day=day, time=time)


LIMITS: Final = {
    "refund_limit_minor": Said("limit-of-a-refund"),
    "refund_day_limit_minor": Said("limit-of-a-day"),
    "refund_four_eyes_minor": Said("limit-of-one-person"),
}
"""Columns of limits: raising one is a new power."""
