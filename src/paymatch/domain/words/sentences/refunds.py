"""Messages about refused refunds and waiting releases."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from paymatch.domain.words.template import Template

NOT_ASKED: Final[Mapping[str, Template]] = {
    "not-asked-off": "refund-requests is off",
    "not-asked-sender": "the shop has no address for mail (mail-from)",
    "not-asked-base": "the address of the service is unknown (PAYMATCH_BASE_URL)",
    "not-asked-no-email": "the order has no customerEmail",
    "not-asked-unwritable": "no mail can be sent to the order's customerEmail",
    "not-asked-wrong-person": "the recipient at the order's address says that it is not theirs",
    "not-asked-came-back": "the mail to the customer was refused or came back",
    "not-asked-refused": "the mail to the customer was refused: {error}",
    "asked-four-times": "the customer was asked four times and has not given any",
    "asked-by-letter": "the customer was asked by letter and has not given any",
}
"""Why a customer is not, or no longer, asked for bank details; stored as words with the refund."""
SENTENCES: Final[Mapping[str, Template]] = {
    **NOT_ASKED,
    "refund-account-changed": (
        "The account of refund {refund} has changed since you looked at it: compare it again, then release it"
    ),
    "handover-given-back": "Could not hand over order (a refund in progress covers the open amount)",
    "handover-negligible": "Could not hand over order (the open amount is below the shop's reminder minimum)",
    "hold-account-not-seen": "the account was never seen in a trusted statement",
    "hold-account-named": "the account was entered by hand; after a day it is sent automatically",
    "hold-account-paid-less": "the account has not paid as much for the order",
    "hold-account-of-several": "the account has paid for several customers",
    "hold-above-arrived": "less has arrived for the order than would be paid out",
    "hold-second-attempt": "an earlier transfer was rejected, returned or discarded",
    "hold-unusual-rate": "the order's exchange rate is unusual",
    "hold-other-currency": "another currency than the shop's",
    "hold-above-limit": "above the limit for one refund",
    "hold-day-limit": "above the limit of 24 hours; is sent once the limit allows it",
    "hold-second-release": "four eyes: a second person must release it",
    "hold-restored": "from a backup: look in the bank account whether it was transferred since",
    "hold-not-covered": "the order's payments do not cover it",
    "hold-no-details": "the account of the payment is no longer known",
    "hold-earlier-transfer": "an earlier transfer was sent and has not come back",
    "hold-no-account": "the shop has no confirmed account in this currency",
    "hold-left-otherwise": "a debit or return since then may have paid it already",
    "hold-own-account": "the payee's account is your own",
    "hold-not-sepa": "the payee's account is not reached by SEPA transfers",
    "hold-no-bank": "the BIC of the payee's bank is unknown",
    "hold-no-town": "the order has no town of the customer",
    "hold-no-holder": "the name of the payee is missing",
    "hold-no-shop-name": "the name of your account has no letter that banks take",
    "hold-too-large": "more than a transfer allows",
    "new-power-person": "{person} may release refunds from {day} {time} UTC on: {by} has given them the role",
    "new-power-second-factor": (
        "{person} may release refunds from {day} {time} UTC on: they have just set up a second factor"
    ),
    "new-power-limit": "{limit} was raised by {by}, and holds from {day} {time} UTC on",
    "new-power-setting": "{setting} was changed by {by}, and the change takes effect after {day} {time} UTC",
    "new-power-account": "Account {account} was added by {by}; refunds of payments to it wait until {day} {time} UTC",
    "setting-of-time-zone": "The time zone",
    "setting-of-tolerance": "The tolerance",
    "setting-of-fee-tolerance": "The tolerance for bank fees",
    "setting-of-cash-discount": "The cash discount",
    "setting-of-bank-charge-percent": "The share that bank charges may have",
    "setting-of-bank-charge-limit": "The limit of bank charges",
    "setting-of-caution": "The caution of matching",
    "refund-no-bank-name": "The bank has not named the payee so, or the refund is in progress",
    "limit-of-a-refund": "The limit of a refund",
    "limit-of-a-day": "The limit of a day",
    "limit-of-one-person": "The sum above which two persons release",
    "alert-new-power": "{what}. If it was none of you, undo it now, and tell the operator",
    "release-too-early": ("{what}. Until then another person releases, or the operator (paymatch refunds release)"),
}
