"""Which refunds are sent automatically, and why others need a release (D-3, D-37)."""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from paymatch.domain.bank_accounts import is_bic, is_iban
from paymatch.domain.countries import SEPA
from paymatch.domain.refunds.refunds import HoldReason
from paymatch.domain.refunds.transfers import MAX_AMOUNT_MINOR, TransferKind, kind_of_transfer

DAY: Final = timedelta(days=1)
"""The daily limit always counts the last 24 hours, so no time zone can start a new day."""

NAMED_ACCOUNT_WAITS: Final = timedelta(days=1)
"""How long a newly named account waits: the customer may notice that someone else named it."""

WAITS_FOR_RELEASE: Final = frozenset(
    {
        HoldReason.ACCOUNT_NOT_SEEN,
        HoldReason.ACCOUNT_NAMED,
        HoldReason.ACCOUNT_PAID_LESS,
        HoldReason.ACCOUNT_OF_SEVERAL,
        HoldReason.ABOVE_ARRIVED,
        HoldReason.SECOND_ATTEMPT,
        HoldReason.ABOVE_LIMIT,
        HoldReason.DAY_LIMIT,
        HoldReason.UNUSUAL_RATE,
        HoldReason.OTHER_CURRENCY,
        HoldReason.SECOND_RELEASE,
        HoldReason.RESTORED,
        HoldReason.LEFT_OTHERWISE,
    }
)
"""Reasons that a release by a person ends."""


@dataclass(frozen=True, slots=True)
class RefundLimits:
    """The shop's limits, in minor units of its currency; each is the highest amount that is still within it."""

    each_minor: int
    day_minor: int  # of refunds that were transferred without a release within DAY
    one_person_minor: int  # above it two people must release


@dataclass(frozen=True, slots=True)
class TransferPayee:
    """The payee; texts in the form that banks accept, "" if unknown."""

    iban: str
    bic: str
    name: str
    town: str
    country: str


@dataclass(frozen=True, slots=True)
class TransferFacts:
    """The facts that a refund's transfer needs."""

    amount_minor: int  # in `currency`
    currency: str
    earlier_may_have_left: bool  # an earlier transfer of the refund was sent or booked and has not come back
    payee: TransferPayee | None  # None: no account is known
    own_iban: str  # the account of the shop that the money leaves; "" if it has none in this currency
    own_name: str = "-"  # of the shop, in the form that banks accept; "" if it has no such letter
    payee_is_own: bool = False  # the payee's account is one of the shop's


@dataclass(frozen=True, slots=True)
class TrustFacts:
    """The facts that decide whether a refund needs a release."""

    in_shop_currency: bool
    account_seen: bool  # in a statement from a trusted channel
    account_paid_enough: bool  # for this order, less returns to it: an account that paid a cent gets a cent
    arrived_enough: bool  # for this order from all accounts, less everything paid out for it
    account_named_at: datetime | None  # by the customer or the merchant; None: it is the account that paid
    sent_minor: int = 0  # sent without a release within the last DAY
    attempt: int = 1  # from the second on a person decides: the money may have arrived after all
    follows_instant: bool = False  # the previous attempt was instant, refused, and a normal one is allowed (D-131)
    pays_for_several: bool = False  # the account, not named by hand, has paid for several customers (D-5)
    unusual_rate: bool = False  # the order's exchangeRate is far away from the last one used (D-85)
    left_otherwise: bool = False  # its money may have left by hand, or the payment went back, since it was filed
    restored: bool = False  # restored from a backup; it may have been transferred later (D-60)


@dataclass(frozen=True, slots=True)
class ReleaseFacts:
    """The facts that decide whether a person must release a refund."""

    amount_minor: int  # in another currency taken at face value, to compare with the limits
    limits: RefundLimits
    released_by: Set[str]  # persons who have released this amount to this account
    trust: TrustFacts | None = None  # None only for a released refund


@dataclass(frozen=True, slots=True)
class RefundFacts:
    """The facts for the decision. A refund that is not due yet has neither `transfer` nor `release`."""

    covered: bool  # by the order's payments (D-3)
    transfer: TransferFacts | None = None
    release: ReleaseFacts | None = None  # also None in a sandbox, whose refunds need no release


def persons_needed(amount_minor: int, limits: RefundLimits) -> int:
    """How many people must release a refund that is not sent automatically."""
    return 1 if amount_minor <= limits.one_person_minor else 2


def hold_reason(refund: RefundFacts, now: datetime) -> HoldReason | None:
    """Why the refund waits; None if it is sent, or only waits for its planned date.

    Checks in order: the order's payments, what the transfer needs, releases, backup, earlier attempts, account, its
    age, what it paid, what arrived, its customers, money that left by another way, rate, currency, amount, the day's
    sum.
    """
    if not refund.covered:
        return HoldReason.NOT_COVERED
    obstacle = _obstacle(refund.transfer) if refund.transfer is not None else None
    if obstacle is None and refund.release is not None:
        return _missing_release(refund.release, now)
    return obstacle


def _obstacle(transfer: TransferFacts) -> HoldReason | None:
    """Why the transfer cannot be written."""
    payee, own = transfer.payee, transfer.own_iban
    checks = (
        (transfer.earlier_may_have_left, HoldReason.EARLIER_TRANSFER),
        (payee is None, HoldReason.NO_DETAILS),
        (not own, HoldReason.NO_ACCOUNT),
        (not transfer.own_name, HoldReason.NO_SHOP_NAME),
        (transfer.payee_is_own, HoldReason.OWN_ACCOUNT),
        (payee is not None and not payee.name, HoldReason.NO_HOLDER),
        (transfer.amount_minor > MAX_AMOUNT_MINOR, HoldReason.TOO_LARGE),
    )
    found = _first(checks)
    if found is not None or payee is None:
        return found
    kind = kind_of_transfer(transfer.currency, own, payee.iban)
    abroad = kind is TransferKind.FOREIGN
    checks_of_route = (
        (not is_iban(payee.iban), HoldReason.NOT_SEPA),
        (kind is TransferKind.SEPA and payee.iban[:2] not in SEPA, HoldReason.NOT_SEPA),
        (abroad and not is_bic(payee.bic), HoldReason.NO_BANK),
        (abroad and not (payee.town and payee.country), HoldReason.NO_TOWN),
    )
    return _first(checks_of_route)


def _missing_release(refund: ReleaseFacts, now: datetime) -> HoldReason | None:
    """Why the refund waits for a person."""
    if refund.released_by:
        needed = persons_needed(refund.amount_minor, refund.limits)
        return None if len(refund.released_by) >= needed else HoldReason.SECOND_RELEASE
    trust = refund.trust
    assert trust is not None, "a refund that no person has released"
    checks = (
        (trust.restored, HoldReason.RESTORED),
        (trust.attempt > 1 and not trust.follows_instant, HoldReason.SECOND_ATTEMPT),
        (not trust.account_seen, HoldReason.ACCOUNT_NOT_SEEN),
        (_is_fresh(trust.account_named_at, now), HoldReason.ACCOUNT_NAMED),
        (not trust.account_paid_enough, HoldReason.ACCOUNT_PAID_LESS),
        (not trust.arrived_enough, HoldReason.ABOVE_ARRIVED),
        (trust.pays_for_several, HoldReason.ACCOUNT_OF_SEVERAL),
        (trust.left_otherwise, HoldReason.LEFT_OTHERWISE),
        (trust.unusual_rate, HoldReason.UNUSUAL_RATE),
        (not trust.in_shop_currency, HoldReason.OTHER_CURRENCY),
        (refund.amount_minor > refund.limits.each_minor, HoldReason.ABOVE_LIMIT),
        (trust.sent_minor + refund.amount_minor > refund.limits.day_minor, HoldReason.DAY_LIMIT),
    )
    return _first(checks)


def _first(checks: Iterable[tuple[bool, HoldReason]]) -> HoldReason | None:
    return next((reason for is_so, reason in checks if is_so), None)


def _is_fresh(named_at: datetime | None, now: datetime) -> bool:
    return named_at is not None and now < named_at + NAMED_ACCOUNT_WAITS
