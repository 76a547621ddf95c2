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
