"""Alerts: problems that a person must look at because no program can repair them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum
from itertools import pairwise
from typing import Final

from paymatch.domain.words.message import Message

_RHYTHM_GAPS: Final = 30
_RHYTHM_FEWEST: Final = 4


class AlertKind(StrEnum):
    NEVER_CONFIRMED = "never-confirmed"  # announced by camt.052, camt.054 or MT942, and in no final statement
    SILENT_FEED = "silent-feed"  # no statement for longer than usual
    STATEMENT_GAP = "statement-gap"  # balances or numbers of statements do not meet
    BALANCE_MISMATCH = "balance-mismatch"  # opening + booked <> closing, in a statement or between two
    ACCOUNT_UNCONFIRMED = "account-unconfirmed"  # it came with a statement, and no one confirmed that it is the shop's
    CONSENT_ENDS = "consent-ends"  # the bank gives statements for a few days more, then it wants a TAN
    ACCOUNT_INFORMATION = (
        "account-information"  # a consent that is lost, a provider that fails, an account that is gone
    )
    EBICS = "ebics"  # a bank's keys to be compared, a connection that fails or is silent, a file that needs a look
    FINTS = "fints"  # a person must say whether the bank has this transfer file
    TABLE_QUESTION = "table-question"  # a table in the drop folder: is it a statement, and of which account?
    UNREADABLE = "unreadable"  # entries or balances that could not be read
    MAIL_REFUSED = "mail-refused"  # a mail to a customer that is not tried again
    MAIL_REPORTED = "mail-reported"  # an unproved report that mail came back: anyone can have written it
    MAIL_DELAYED = "mail-delayed"  # mail to customers that could not be sent several times
    MAIL_ADDRESS = "mail-address"  # open orders whose customerEmail no mail can be sent to
    WRONG_PERSON = "wrong-person"  # the recipient of a mail says that the order is not theirs
    MAIL_KEPT = "mail-kept"  # no mail server is set: mail to customers is only kept in files
    LETTER_REFUSED = "letter-refused"  # a letter that could not be written, sent or delivered
    LETTER_WAITING = "letter-waiting"  # a letter not printed or sent for days
    CONSUMER_CREDIT = "consumer-credit"  # an order is due so late that it is a consumer credit in its country
    EXCHANGE_RATE = "exchange-rate"  # of an order is far from the last one of the same two currencies
    ORDERS_VANISHED = "orders-vanished"  # a synchronisation closed so many open orders that its list may be cut short
    ORDERS_CLOSED = "orders-closed"  # a synchronisation set some open orders to LEGACY, as on any day (D-38)
    CALLBACKS_PAUSED = "callbacks-paused"  # by the receiver (410) or a person: nothing is sent until a person resumes
    CALLBACKS_FAILING = "callbacks-failing"  # the receiver has not taken a callback for hours
    CALLBACKS_GIVEN_UP = "callbacks-given-up"  # not for seven days
    REFUND_HELD = "refund-held"  # a refund that is due waits for a release, or for something that a person must fix
    MONEY_OUT = "money-out"  # money out is not proved by money in
    GIVEN_BACK_TWICE = "given-back-twice"  # an order was refunded, and its payment was also reversed
    PAYOUT_OVERDUE = "payout-overdue"  # a payment service has sent it, and no bank account got it within ten bank days
    PAYOUT_SHORT = "payout-short"  # it arrived with another amount than its file says
    PAYOUT_WITHOUT_FILE = "payout-without-file"  # a provider's transfer that no settlement file explains
    CHARGED_BACK = "charged-back"  # a payment service reversed an order's payment: it is open again
    REFUND_UNPAID = "refund-unpaid"  # refunds cover an order, so no one is asked to pay it, and no payment has come
    NEW_POWER = "new-power"  # someone may soon release refunds, or a limit is soon higher: did an owner do this?
    BANK_DETAILS = "bank-details"  # a refund has no usable bank details, and the customer is no longer asked
    COLLECTION = "collection"  # the agency has rejected a case, given it up, or reported money that does not arrive
    BASE_RATE = "base-rate"  # interest is claimed, and the base rate of this half-year is not known
    EXPORT_WAITING = "export-waiting"  # an export waits for the statements of its days
    CONNECTOR_FAILING = "connector-failing"  # a shop system has not answered as it should several times
    CONNECTOR_ORDERS = "connector-orders"  # orders of a shop system that were not taken, or not written back
    JOB_FAILING = "job-failing"  # due work of the shop fails again and again
    REFUND_DEADLINE = "refund-deadline"  # a refund is not with the bank, and has to be within days
    REFUND_SILENCE = "refund-silence"  # the bank has not reported the status of a transfer file
    REFUND_UNEXPECTED = "refund-unexpected"  # a posting or a report of the bank does not fit a refund
    ITEM_FAILED = "item-failed"  # the program failed at one posting, mail, refund, callback or file


CALLBACK_KINDS: Final = (AlertKind.CALLBACKS_PAUSED, AlertKind.CALLBACKS_FAILING, AlertKind.CALLBACKS_GIVEN_UP)

FOR_INFORMATION: Final = frozenset({AlertKind.ORDERS_CLOSED})
"""Kinds that report a finished action and need no fix: they are listed, but not counted as work."""

OF_EVENTS: Final = frozenset(
    {
        AlertKind.MAIL_REPORTED,
        AlertKind.REFUND_SILENCE,
        AlertKind.REFUND_UNEXPECTED,
        AlertKind.ITEM_FAILED,
        AlertKind.TABLE_QUESTION,
        AlertKind.EXCHANGE_RATE,
        AlertKind.CONSUMER_CREDIT,
    }
)
"""Kinds for events: the code that meets the event raises them; housekeeping neither raises nor closes them."""


@dataclass(frozen=True, slots=True)
class Alert:
    """Something to look at. The subject is exact, so an alert that a person closed is not raised again."""

    kind: AlertKind
    subject: str
    text: Message


def silent_after(days: Collection[date]) -> date | None:
    """The day from which an account with statements of these days is silent for longer than usual.

    The usual gap is the ninth decile of the gaps between its last statements, plus half as much again and two days, so
    a holiday raises no alert. None while there are too few statements to know a rhythm.
    """
    ordered = sorted(set(days))[-_RHYTHM_GAPS - 1 :]
    gaps = sorted((later - earlier).days for earlier, later in pairwise(ordered))
    if len(gaps) < _RHYTHM_FEWEST:
        return None
    usual = gaps[(len(gaps) * 9 - 1) // 10]
    return ordered[-1] + timedelta(days=usual + (usual + 1) // 2 + 2)
