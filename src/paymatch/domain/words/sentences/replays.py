"""Figures of a replay and how they were counted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from paymatch.domain.words.template import Template

SENTENCES: Final[Mapping[str, Template]] = {
    "replay-title": "Your data, replayed",
    "replay-about": ("{shop}: {count} order, played until {day}", "{shop}: {count} orders, played until {day}"),
    "replay-figure-postings": "All postings",
    "replay-figure-aside": "Not an order payment",
    "replay-figure-reminders": "All reminders",
    "replay-figure-unknown": "Decisions whose payment is not in the statements",
    "replay-figure-matched": "Matched automatically",
    "replay-figure-suggested": "Suggested",
    "replay-figure-suggested-right": "Suggestions that were right",
    "replay-figure-left": "Left to a person",
    "replay-figure-clicks": "Clicks saved",
    "replay-figure-wrong-reminders": "Reminders to customers who had paid",
    "replay-figure-days": "Days from booking to PAID (median / longest)",
    "replay-figure-slow": "Payments assigned late",
    "replay-figure-ours": "paymatch is right",
    "replay-figure-theirs": "The other system is right",
    "replay-figure-both": "Both are possible",
    "replay-group-payments": "Payments",
    "replay-group-ways": "Matches were found by",
    "replay-group-differences": "Differences from the other system",
    "replay-group-reminders": "Reminders",
    "replay-group-times": "Clicks and days",
    "replay-way-payment-reference": "payment reference",
    "replay-way-order-number": "order number",
    "replay-way-invoice-number": "invoice number",
    "replay-way-another-number": "another number",
    "replay-way-account-or-name": "account or name",
    "replay-way-amount": "amount",
    "replay-way-several-orders-sum": "several orders, sum",
    "replay-way-refund-or-returned-payment": "refund or returned payment",
    "replay-way-other-evidence": "other evidence",
    "replay-verdict-ours": "paymatch",
    "replay-verdict-theirs": "Other system",
    "replay-verdict-both": "Both possible",
    "replay-fact-number": "the payment names the order",
    "replay-fact-amount": "the amount is the same",
    "replay-fact-name": "the payer has the customer's name",
    "replay-fact-customer": "the payment names the customer",
    "replay-fact-unknown": "the order is not in the files",
    "replay-fact-none": "nothing speaks for it",
    "replay-note-clicks": (
        "Clicks saved: a payment assigned by hand counts as {by_hand} clicks, a confirmed suggestion as {suggestion}."
    ),
    "replay-note-reminders": (
        "Reminders to customers who had paid: the money was in a statement that had been read by then."
    ),
    "replay-note-slow": "Payments assigned late: more than {days} days after their booking.",
    "replay-orders-earlier": (
        "{count} order was placed more than a week before the first booking; its payment may be missing.",
        "{count} orders were placed more than a week before the first booking; their payments may be missing.",
    ),
    "replay-orders-later": (
        "{count} order was placed after the last statement and was not played.",
        "{count} orders were placed after the last statement and were not played.",
    ),
    "replay-note-refused": (
        "{count} order was left out: the API would refuse it, or it was cancelled.",
        "{count} orders were left out: the API would refuse them, or they were cancelled.",
    ),
}
