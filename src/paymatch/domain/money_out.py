"""Which refunds are transferred by themselves, and which wait for a person (D-37)."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from paymatch.domain.refunds import HoldReason

DAY: Final = timedelta(days=1)
"""The limit of a day counts the last 24 hours at every moment, so that no time zone begins a day anew."""

NAMED_ACCOUNT_WAITS: Final = timedelta(days=1)
"""How long an account that somebody has named waits: the customer may notice that it was not them."""

WAITS_FOR_RELEASE: Final = frozenset(
    {
        HoldReason.ACCOUNT_NOT_SEEN,
        HoldReason.ACCOUNT_NAMED,
        HoldReason.ACCOUNT_PAID_LESS,
        HoldReason.ABOVE_ARRIVED,
        HoldReason.SECOND_ATTEMPT,
        HoldReason.ABOVE_LIMIT,
        HoldReason.DAY_LIMIT,
        HoldReason.UNUSUAL_RATE,
        HoldReason.OTHER_CURRENCY,
        HoldReason.SECOND_RELEASE,
        HoldReason.RESTORED,
    }
)
"""Reasons that a release by a person ends."""


@dataclass(frozen=True, slots=True)
class RefundLimits:
    """The shop's limits, in minor units of its currency; each is the highest amount that is still within it."""

    each_minor: int
    day_minor: int  # of refunds that were transferred without a release within DAY
    one_person_minor: int  # above it two different persons must release


@dataclass(frozen=True, slots=True)
class RefundToSend:
    """What the decision looks at."""

    amount_minor: int  # of another currency as if it were the shop's, a figure to compare with `one_person_minor`
    in_shop_currency: bool
    account_seen: bool  # in a statement that came by a trusted way
    account_paid_enough: bool  # for this order, less what went back to it: an account that paid a cent gets a cent
    arrived_enough: bool  # for this order from all accounts, less everything that has gone out for it
    account_named_at: datetime | None  # by the customer or the merchant; None: it is the account that paid
    released_by: Set[str]  # persons who have released this amount to this account
    attempt: int = 1  # from the second on a person decides: the money may have arrived after all
    unusual_rate: bool = False  # the order's exchangeRate is far away from the last one used (D-85)
    restored: bool = False  # it came out of a backup, and may have been transferred after that was made (D-60)


def persons_needed(amount_minor: int, limits: RefundLimits) -> int:
    """How many different persons must release a refund that does not go by itself."""
    return 1 if amount_minor <= limits.one_person_minor else 2


def hold_reason(refund: RefundToSend, limits: RefundLimits, sent_minor: int, now: datetime) -> HoldReason | None:
    """Why the refund waits for a person; None if it is released, or is sent without a release.

    `sent_minor` is what was sent without a release within the last DAY. Checks in order: releases, backup, earlier
    attempts, account, its age, what it paid, what arrived, rate, currency, amount, sum of the day.
    """
    if refund.released_by:
        needed = persons_needed(refund.amount_minor, limits)
        return None if len(refund.released_by) >= needed else HoldReason.SECOND_RELEASE
    checks = (
        (refund.restored, HoldReason.RESTORED),
        (refund.attempt > 1, HoldReason.SECOND_ATTEMPT),
        (not refund.account_seen, HoldReason.ACCOUNT_NOT_SEEN),
        (_is_fresh(refund.account_named_at, now), HoldReason.ACCOUNT_NAMED),
        (not refund.account_paid_enough, HoldReason.ACCOUNT_PAID_LESS),
        (not refund.arrived_enough, HoldReason.ABOVE_ARRIVED),
        (refund.unusual_rate, HoldReason.UNUSUAL_RATE),
        (not refund.in_shop_currency, HoldReason.OTHER_CURRENCY),
        (refund.amount_minor > limits.each_minor, HoldReason.ABOVE_LIMIT),
        (sent_minor + refund.amount_minor > limits.day_minor, HoldReason.DAY_LIMIT),
    )
    return next((reason for is_so, reason in checks if is_so), None)


def _is_fresh(named_at: datetime | None, now: datetime) -> bool:
    return named_at is not None and now < named_at + NAMED_ACCOUNT_WAITS
