"""Refunds: their states as a table, and when one may be executed (D-3 to D-5)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from typing import Final
from zoneinfo import ZoneInfo

from paymatch.domain.calendar import next_bank_day
from paymatch.domain.lifecycle import Lifecycle
from paymatch.domain.money import Currency, minor_to_text
from paymatch.domain.refusal import Refused, Unknown
from paymatch.domain.words.message import Message

RUN_AT: Final = time(8, 0)
"""When refunds that are due are sent, on bank days, in the shop's time zone."""


class RefundStatus(StrEnum):
    NEW = "NEW"
    BANKDETAILS_MISSING = "BANKDETAILS_MISSING"
    IN_PROCESS = "IN_PROCESS"
    PROCESSED = "PROCESSED"
    RETURNED = "RETURNED"
    ERROR = "ERROR"
    CANCELLED = "CANCELLED"
    LEGACY = "LEGACY"


class RefundEvent(StrEnum):
    BANK_DETAILS_RECEIVED = "bank details received"
    TRANSFER_RELEASED = "transfer released"  # it is in a transfer file that was handed over
    TRANSFER_BOOKED = "transfer booked"  # booked debit with our EndToEndId, or ACSC/ACCC
    TRANSFER_REJECTED = "transfer rejected"  # RJCT, CANC
    FILE_DISCARDED = "transfer file discarded"  # a person said that it was never sent
    TRANSFER_RETURNED = "transfer returned"  # credit with return information and our EndToEndId
    MERCHANT_CANCELLED = "merchant cancelled"
    NEW_BANK_DETAILS = "new bank details"  # the customer was asked again after an account reason
    INSTANT_NOT_POSSIBLE = "instant transfer not possible"  # rejected for a reason that a normal one does not have
    # A statement or a match was undone, and nothing else confirms it:
    DEBIT_UNDONE = "debit undone"
    RETURN_UNDONE = "return undone"
    PAYMENT_UNDONE = "payment undone"
    UNSENT_DEBIT_UNDONE = "debit outside of our files undone"
    UNSENT_DEBIT_UNDONE_NO_DETAILS = "debit outside of our files undone without bank details"


@dataclass(frozen=True, slots=True)
class SubmittedRefund:
    """A well-formed refund as the shop asks for it; the amount in minor units of `currency`."""

    external_reference: str
    amount_minor: int
    currency: Currency
    digits: int
    planned_date: date
    note: str = ""  # the reason, as the person who files it words it


class RefundRefused(Refused):
    """A rule of docs/api.md is not met; the text is its `error`."""


class RefundUnknown(Unknown):
    """The shop has no refund of this id (404)."""

    def __init__(self, refund_id: str) -> None:
        super().__init__(Message("refund-not-found", refund_id=refund_id))


class RefundMoveRefused(Refused):
    """The refund cannot make this move from its present state."""

    def __init__(self, status: RefundStatus, event: RefundEvent) -> None:
        super().__init__(Message("refund-status-does-not-take", status=status, event=event))


_S, _E = RefundStatus, RefundEvent

REFUND_LIFECYCLE: Final = Lifecycle(
    frozenset({_S.NEW, _S.BANKDETAILS_MISSING, _S.LEGACY}),
    {
        (_S.BANKDETAILS_MISSING, _E.BANK_DETAILS_RECEIVED): _S.NEW,  # D-5
        (_S.NEW, _E.PAYMENT_UNDONE): _S.BANKDETAILS_MISSING,  # D-5: the account is no longer a payer's
        (_S.NEW, _E.TRANSFER_RELEASED): _S.IN_PROCESS,  # D-4
        (_S.IN_PROCESS, _E.TRANSFER_BOOKED): _S.PROCESSED,  # D-4
        (_S.NEW, _E.TRANSFER_BOOKED): _S.PROCESSED,  # D-31: sent by hand with our reference; must not be sent again
        (_S.BANKDETAILS_MISSING, _E.TRANSFER_BOOKED): _S.PROCESSED,  # D-31: likewise
        (_S.ERROR, _E.TRANSFER_BOOKED): _S.PROCESSED,  # D-31: what is booked outweighs what was reported
        (_S.IN_PROCESS, _E.TRANSFER_REJECTED): _S.ERROR,  # D-4
        (_S.PROCESSED, _E.TRANSFER_REJECTED): _S.ERROR,  # D-113: only a report said that it was executed
        (_S.IN_PROCESS, _E.FILE_DISCARDED): _S.NEW,  # D-31: with an EndToEndId of its own
        (_S.PROCESSED, _E.TRANSFER_RETURNED): _S.RETURNED,  # D-4
        (_S.IN_PROCESS, _E.TRANSFER_RETURNED): _S.RETURNED,  # D-4
        (_S.NEW, _E.MERCHANT_CANCELLED): _S.CANCELLED,  # D-4
        (_S.BANKDETAILS_MISSING, _E.MERCHANT_CANCELLED): _S.CANCELLED,  # D-4
        (_S.ERROR, _E.MERCHANT_CANCELLED): _S.CANCELLED,  # D-4
        (_S.RETURNED, _E.NEW_BANK_DETAILS): _S.NEW,  # D-4: a new attempt
        (_S.ERROR, _E.NEW_BANK_DETAILS): _S.NEW,  # D-4: a new attempt
        (_S.ERROR, _E.INSTANT_NOT_POSSIBLE): _S.NEW,  # D-131: a normal transfer follows the instant one
        (_S.PROCESSED, _E.DEBIT_UNDONE): _S.IN_PROCESS,  # D-31: its transfer waits for the bank again
        (_S.RETURNED, _E.DEBIT_UNDONE): _S.IN_PROCESS,  # D-31: likewise
        (_S.RETURNED, _E.RETURN_UNDONE): _S.PROCESSED,  # D-31
        (_S.PROCESSED, _E.UNSENT_DEBIT_UNDONE): _S.NEW,  # D-31: nothing of it was ever sent by us
        (_S.RETURNED, _E.UNSENT_DEBIT_UNDONE): _S.NEW,  # D-31: likewise
        (_S.PROCESSED, _E.UNSENT_DEBIT_UNDONE_NO_DETAILS): _S.BANKDETAILS_MISSING,  # D-31: likewise
        (_S.RETURNED, _E.UNSENT_DEBIT_UNDONE_NO_DETAILS): _S.BANKDETAILS_MISSING,  # D-31: likewise
    },
    RefundMoveRefused,
)

RESERVED: Final = frozenset({_S.NEW, _S.BANKDETAILS_MISSING, _S.IN_PROCESS})
"""Refunds whose money is reserved but not yet sent (D-3)."""


OUTSTANDING: Final = RESERVED | {_S.ERROR, _S.RETURNED}
"""Refunds that the customer has not received, and that were not withdrawn (D-3)."""


def initial_status(*, bank_details_known: bool) -> RefundStatus:
    """NEW, or BANKDETAILS_MISSING while the customer's IBAN is unknown (D-5)."""
    return _S.NEW if bank_details_known else _S.BANKDETAILS_MISSING


class HoldReason(StrEnum):
    """Why a refund that is due is not in a transfer file; the merchant reads it."""

    ACCOUNT_NOT_SEEN = "a person must release it: no trusted statement shows a payment from the payee's account"
    ACCOUNT_NAMED = "a person must release it, or it waits a day: the payee's account was named by hand"
    ACCOUNT_PAID_LESS = "a person must release it: the payee's account has not paid as much for the order"
    ACCOUNT_OF_SEVERAL = "a person must release it: the payee's account has paid for several customers"
    ABOVE_ARRIVED = "a person must release it: less money has arrived for the order than has gone out with this refund"
    SECOND_ATTEMPT = "a person must release it: an earlier transfer of it was rejected, returned or discarded"
    UNUSUAL_RATE = "a person must release it: the order's exchangeRate is more than 10 % away from the last one used"
    OTHER_CURRENCY = "a person must release it: the limits do not cover another currency than the shop's"
    ABOVE_LIMIT = "a person must release it: the amount is above refund-limit"
    DAY_LIMIT = "a person must release it, or it waits: the sum of 24 hours would exceed refund-day-limit"
    SECOND_RELEASE = "a second person must release it: the amount is above refund-four-eyes"
    RESTORED = "a person must release it: it came out of a backup and may have been transferred since"
    LEFT_OTHERWISE = "a person must release it: a debit or return that came after it was filed may have paid it already"
    NOT_COVERED = "the order's payments do not cover it"
    NO_DETAILS = "the account that the payment came from is no longer known"
    EARLIER_TRANSFER = "an earlier transfer of this refund was sent or booked and has not come back"
    NO_ACCOUNT = "the shop has no confirmed account with an IBAN in the currency of the refund"
    NO_SHOP_NAME = "the name of the shop's account has no letter that banks take"
    OWN_ACCOUNT = "the payee's account is the shop's own"
    NOT_SEPA = "the payee's account is not reached by SEPA transfers"
    NO_BANK = "the BIC of the payee's bank is unknown, which a transfer outside of SEPA needs"
    NO_TOWN = "the order has no town of the customer, which a transfer outside of SEPA needs"
    NO_HOLDER = "the name of the payee is missing, or has no letter that banks take"
    TOO_LARGE = "the amount is above what a transfer carries"

    @property
    def needs_a_person(self) -> bool:
        """False if the customer's payment is awaited: there is nothing to do."""
        return self is not HoldReason.NOT_COVERED

    @property
    def message(self) -> Message:
        """The reason as people read it, in their language."""
        return Message(f"hold-{self.name.lower().replace('_', '-')}")


@dataclass(frozen=True, slots=True)
class PendingRefundClaim:
    """A pending refund of an order; the amount in minor units of the order's currency."""

    refund_id: str
    amount_minor: int
    status: RefundStatus


def refunds_covered_by(available_minor: int, claims: Iterable[PendingRefundClaim]) -> frozenset[str]:
    """Ids of the pending refunds that the order's money covers (D-3); `claims` in the order of their creation.

    `available_minor` is payments less refunds. Transfers at the bank count as sent and come first. A refund that does
    not fit reserves nothing, so it does not block others.
    """
    pending = [claim for claim in claims if claim.status in RESERVED]
    left = available_minor - sum(claim.amount_minor for claim in pending if claim.status is _S.IN_PROCESS)
    found: set[str] = set()
    for claim in pending:
        if claim.status is not _S.IN_PROCESS and claim.amount_minor <= left:
            left -= claim.amount_minor
            found.add(claim.refund_id)
    return frozenset(found)


@dataclass(frozen=True, slots=True)
class Outstanding:
    """The part of an order's refunds not yet received by the customer; amounts in minor units of its currency."""

    total_minor: int = 0
    filed_at: datetime | None = None  # when the latest was filed; None: there is none
    uncovered: frozenset[str] = frozenset()  # ids of those that wait for the order's payment (D-3)
    uncovered_minor: int = 0


NONE_OUTSTANDING: Final = Outstanding()


def outstanding_refunds(
    available_minor: int, claims: Iterable[PendingRefundClaim], filed_at: datetime | None
) -> Outstanding:
    """The refunds among `claims` that the customer has yet to receive; `available_minor` and their order as above."""
    due = [claim for claim in claims if claim.status in OUTSTANDING]
    waiting = [claim for claim in due if claim.status in (_S.NEW, _S.BANKDETAILS_MISSING)]
    fitting = refunds_covered_by(available_minor, due)
    uncovered = [claim for claim in waiting if claim.refund_id not in fitting]
    return Outstanding(
        sum(claim.amount_minor for claim in due),
        filed_at if due else None,
        frozenset(claim.refund_id for claim in uncovered),
        sum(claim.amount_minor for claim in uncovered),
    )


MAX_RETURN_CHARGE: Final = 15
"""In whole units of the currency: the most that banks may keep of a returned transfer. Above it a person decides."""


def came_back(refund_minor: int, arrived_minor: int, digits: int) -> bool:
    """Whether the whole refund came back, except for banks' charges of at most MAX_RETURN_CHARGE."""
    return refund_minor - MAX_RETURN_CHARGE * 10**digits <= arrived_minor <= refund_minor and arrived_minor > 0


MAX_NOTE: Final = 500


def check_by_hand(amount_minor: int, left_minor: int, currency: Currency, note: str) -> None:
    """RefundRefused unless a person gives a reason and an amount that the order's payments still cover.

    The API accepts a larger one, which waits for a payment (D-3); a person who types one made a mistake.
    """
    if not 0 < amount_minor <= left_minor:
        raise RefundRefused(
            Message(
                "refund-amount-left", least=minor_to_text(1, currency), left_minor=minor_to_text(left_minor, currency)
            ),
            parameter="amount",
        )
    if not 0 < len(note) <= MAX_NOTE:
        raise RefundRefused(Message("refund-reason-1-characters-needed", most=MAX_NOTE), parameter="note")


def check_planned_date(planned: date, today: date) -> None:
    """RefundRefused unless the planned date is in the future; `today` is the day in the shop's time zone."""
    if planned <= today:
        raise RefundRefused(Message("refund-planned-date-must-future"))


def next_run_at(now: datetime, timezone: str) -> datetime:
    """The next moment after `now`, in UTC, at which due refunds are sent."""
    zone = ZoneInfo(timezone)
    day = now.astimezone(zone).date()
    run_at = datetime.combine(next_bank_day(day), RUN_AT, zone).astimezone(UTC)
    if run_at <= now:
        run_at = datetime.combine(next_bank_day(day + timedelta(days=1)), RUN_AT, zone).astimezone(UTC)
    return run_at
