"""Cooling off: changes that loosen payment limits take effect after 24 hours (D-58)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from paymatch.domain.bank_accounts import masked_account
from paymatch.domain.refunds.money_out import RefundLimits
from paymatch.domain.words.message import Message

COOLING_OFF: Final = timedelta(days=1)
"""How long a change waits: the other owners may notice that it was not one of them."""


class CoolingKind(StrEnum):
    PERSON = "person"  # someone joined the team, or got a role that may release
    SECOND_FACTOR = "second-factor"  # of someone who may release
    LIMIT = "limit"  # of money that is sent automatically, or by one person
    SETTING = "setting"  # more counts as paid, or days begin elsewhere; written once it takes effect
    ACCOUNT = "account"  # of the shop: money received there counts for refunds once it takes effect
    UPLOADS = "uploads"  # transfer files go to the bank automatically once it takes effect


@dataclass(frozen=True, slots=True)
class CoolingChange:
    """A change that waits. The subject is the person's address, the column of the limit or setting, or the account."""

    kind: CoolingKind
    subject: str
    since: datetime
    given_by: str
    before_minor: int | None = (
        None  # the old limit, valid until the change counts; in minor units of the shop's currency
    )
    value: str = ""  # the new value of a setting

    @property
    def counts_at(self) -> datetime:
        """From when on it counts."""
        return self.since + COOLING_OFF


def limits_in_force(limits: RefundLimits, waiting: Iterable[CoolingChange]) -> RefundLimits:
    """The shop's limits without raises that still wait."""
    before = {each.subject: each.before_minor for each in waiting if each.before_minor is not None}

    def held(column: str, minor: int) -> int:
        return min(minor, before.get(column, minor))

    return RefundLimits(
        held("refund_limit_minor", limits.each_minor),
        held("refund_day_limit_minor", limits.day_minor),
        held("refund_four_eyes_minor", limits.one_person_minor),
    )


def cooling_of(person: str, waiting: Iterable[CoolingChange]) -> CoolingChange | None:
    """The latest wait of a person's release; None if it counts."""
    of_persons = (CoolingKind.PERSON, CoolingKind.SECOND_FACTOR)
    mine = [each for each in waiting if each.kind in of_persons and each.subject == person]
    return max(mine, key=lambda each: each.since, default=None)


def cooling_message(power: CoolingChange) -> Message:
    """The change, who made it, and when it takes effect."""
    day, time = power.counts_at.date(), f"{power.counts_at:%H:%M}"
    match power.kind:
        case CoolingKind.PERSON:
            return Message("new-power-person", person=power.subject, by=power.given_by, day=day, time=time)
        case CoolingKind.SECOND_FACTOR:
            return Message("new-power-second-factor", person=power.subject, day=day, time=time)
        case CoolingKind.LIMIT:
            return Message("new-power-limit", limit=LIMITS[power.subject], by=power.given_by, day=day, time=time)
        case CoolingKind.SETTING:
            return Message("new-power-setting", setting=SETTINGS[power.subject], by=power.given_by, day=day, time=time)
        case CoolingKind.ACCOUNT:
            account = masked_account(power.subject)
            return Message("new-power-account", account=account, by=power.given_by, day=day, time=time)
        case CoolingKind.UPLOADS:
            return Message("new-power-uploads", bank=power.value, by=power.given_by, day=day, time=time)


LIMITS: Final = {
    "refund_limit_minor": Message("limit-of-a-refund"),
    "refund_day_limit_minor": Message("limit-of-a-day"),
    "refund_four_eyes_minor": Message("limit-of-one-person"),
}
"""Columns of limits: raising one waits."""

SETTINGS: Final = {
    "timezone": Message("setting-of-time-zone"),
    "tolerance_minor": Message("setting-of-tolerance"),
    "fee_tolerance_minor": Message("setting-of-fee-tolerance"),
    "discount_basis_points": Message("setting-of-cash-discount"),
    "bank_charge_basis_points": Message("setting-of-bank-charge-percent"),
    "bank_charge_limit_minor": Message("setting-of-bank-charge-limit"),
    "caution": Message("setting-of-caution"),
}
"""Columns of settings that wait when they are loosened."""

_CAUTION: Final = ("cautious", "normal", "bold")


def is_looser(column: str, before: int | str, after: int | str) -> bool:
    """Whether the new value of one of SETTINGS allows more money out; a time zone may with any change."""
    if isinstance(before, int) and isinstance(after, int):
        return after > before
    if column == "caution":
        return _CAUTION.index(str(after)) > _CAUTION.index(str(before))
    return after != before
