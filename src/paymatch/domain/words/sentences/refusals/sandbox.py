"""Why a sandbox shop refuses a request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from paymatch.domain.words.template import Template

SENTENCES: Final[Mapping[str, Template]] = {
    "sandbox-amount-must-above-fee": "The amount must be above the fee",
    "sandbox-bank-booked-no-payment": "The bank has booked no payment {name} that could be returned",
    "sandbox-bank-delivered-no-file": "The bank has delivered no file yet",
    "sandbox-bank-delivers-not": "The bank delivers {formats}; not {name}",
    "sandbox-clock-moves-most-years": "The clock moves at most {most} years at a time",
    "sandbox-clock-never-goes-back": "The clock never goes back: it is {now} UTC already",
    "sandbox-clock-shop-being-moved": "The clock of this shop is being moved by another caller",
    "sandbox-missing-parameter-ordernumber": "Missing parameter orderNumber",
    "sandbox-not-date-2026-12": "{text} is not a date: 2026-12-01 or 2026-12-01 14:30 is expected",
    "sandbox-not-span-time-3d": "{text} is not a span of time: 3d, 2w, 12h, 15m or 1d6h is expected",
    "sandbox-nothing-open-on-order": "Nothing is open on the order: give an amount",
    "sandbox-nothing-open-on-these": "Nothing is open on these orders",
    "sandbox-only-shops-have-clock": "Only sandbox shops have a clock of their own",
    "sandbox-only-shops-have-simulated": "Only sandbox shops have a simulated bank",
    "sandbox-order-without-exchangerate-give": "Order {number} is in {currency} without exchangeRate: give an amount",
    "sandbox-something-due-moment-held": ("Another process is working on something that is due now, please try again"),
    "sandbox-times-must-1": "times must be 1 to {most}",
    "sandbox-too-long": "{text} is too long",
    "sandbox-order-costs-more": (
        "Order {number} costs more {currency} at its exchangeRate than a bank transfers: give an amount"
    ),
    "replay-exists": "The shop has a replay already: erase it first",
    "replay-files-missing": "A replay needs a file of orders and a bank statement",
    "replay-not-finished": "The replay is not finished yet",
    "replay-none": "The shop has no replay",
    "replay-erased": "The replay was erased before its files were stored",
    "replay-orders-no-json": "The file is neither a table nor a JSON list of orders",
    "replay-orders-no-date": "The orders need a date: on which day each was placed",
    "replay-order-no-date": "The order has no date",
    "replay-order-cancelled": "The order was cancelled",
    "replay-orders-no-object": "Element {place} of the list is not an order",
    "replay-decisions-columns": (
        "The table of decisions lacks: {missing} (a row is a payment with day, amount and order number)"
    ),
    "replay-decisions-row": "Row {row}: the day or the amount of the payment cannot be read",
}
