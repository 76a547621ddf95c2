"""Alerts in words: what is wrong, what to do, the page that helps, and who may close one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from paymatch.area.people.roles import Permission
from paymatch.domain.shops.alerts import AlertKind

TASKS: Final[Mapping[AlertKind, tuple[str, str | Promise, str | Promise]]] = {
    AlertKind.SILENT_FEED: (
        "bank",
        gettext_lazy("No new statements"),
        gettext_lazy("Import them, or look at the connection"),
    ),
    AlertKind.STATEMENT_GAP: (
        "bank",
        gettext_lazy("Statements missing"),
        gettext_lazy("Import the missing statements"),
    ),
    AlertKind.BALANCE_MISMATCH: (
        "bank",
        gettext_lazy("A balance does not fit"),
        gettext_lazy("Get the statement once more"),
    ),
    AlertKind.EXPORT_WAITING: (
        "bank",
        gettext_lazy("Exports wait for statements"),
        gettext_lazy("Import the statements of these accounts"),
    ),
    AlertKind.UNREADABLE: (
        "bank",
        gettext_lazy("Entries that cannot be read"),
        gettext_lazy("Type in what the bank shows"),
    ),
    AlertKind.TABLE_QUESTION: (
        "bank",
        gettext_lazy("Is this a bank statement?"),
        gettext_lazy("Drop the file on this page and answer; the copy in the drop folder follows"),
    ),
    AlertKind.NEVER_CONFIRMED: ("bank", gettext_lazy("Announced, never booked"), gettext_lazy("Ask the bank")),
    AlertKind.ACCOUNT_UNCONFIRMED: ("bank", gettext_lazy("A new account"), gettext_lazy("Confirm whether it is yours")),
    AlertKind.ACCOUNT_INFORMATION: (
        "bank_feeds",
        gettext_lazy("Account information needs attention"),
        gettext_lazy("Open the connection"),
    ),
    AlertKind.EBICS: ("bank_feeds", gettext_lazy("EBICS needs attention"), gettext_lazy("Open the connection")),
    AlertKind.FINTS: (
        "refund_files",
        gettext_lazy("A transfer by FinTS is uncertain"),
        gettext_lazy("Check your online banking, and state whether it is there"),
    ),
    AlertKind.CONSENT_ENDS: (
        "bank",
        gettext_lazy("A bank wants a TAN"),
        gettext_lazy("Inform the operator, and import files meanwhile"),
    ),
    AlertKind.MAIL_REFUSED: (
        "reminders",
        gettext_lazy("Mail not delivered"),
        gettext_lazy("Correct the address, then try again"),
    ),
    AlertKind.MAIL_REPORTED: (
        "reminders",
        gettext_lazy("A doubtful report about mail"),
        gettext_lazy("Check the address; mail is still sent to it"),
    ),
    AlertKind.MAIL_DELAYED: ("reminders", gettext_lazy("Mail is delayed"), gettext_lazy("Check the mail server")),
    AlertKind.MAIL_ADDRESS: (
        "orders",
        gettext_lazy("Addresses that take no mail"),
        gettext_lazy("Submit the orders with another"),
    ),
    AlertKind.MAIL_KEPT: (
        "reminders",
        gettext_lazy("Mail is only kept"),
        gettext_lazy("Inform the operator: no mail server is set up"),
    ),
    AlertKind.EXCHANGE_RATE: (
        "orders",
        gettext_lazy("An unusual exchange rate"),
        gettext_lazy("Compare it; submit the order again if it is wrong"),
    ),
    AlertKind.ORDERS_VANISHED: (
        "synchronisations",
        gettext_lazy("Orders vanished"),
        gettext_lazy("Undo the synchronisation if it was wrong"),
    ),
    AlertKind.REFUND_HELD: (
        "refunds",
        gettext_lazy("Refunds are held back"),
        gettext_lazy("Release them, or add what is missing"),
    ),
    AlertKind.WRONG_PERSON: (
        "orders",
        gettext_lazy("A person got another person's mail"),
        gettext_lazy("Correct the address, or write to it again"),
    ),
    AlertKind.LETTER_REFUSED: (
        "letters",
        gettext_lazy("Letters not delivered"),
        gettext_lazy("Correct the address, then try again"),
    ),
    AlertKind.LETTER_WAITING: (
        "letters",
        gettext_lazy("Letters wait to be printed"),
        gettext_lazy("Print and post them"),
    ),
    AlertKind.MONEY_OUT: (
        "refunds",
        gettext_lazy("Money out is not proved"),
        gettext_lazy("Compare the transfers of these orders with their payments"),
    ),
    AlertKind.PAYOUT_OVERDUE: (
        "payouts",
        gettext_lazy("A payout has not arrived"),
        gettext_lazy("Ask the service; check whether it went to another account"),
    ),
    AlertKind.PAYOUT_SHORT: (
        "payouts",
        gettext_lazy("A payout is short"),
        gettext_lazy("Ask the service for the missing row"),
    ),
    AlertKind.PAYOUT_WITHOUT_FILE: (
        "bank",
        gettext_lazy("A payout without its file"),
        gettext_lazy("Import the settlement file"),
    ),
    AlertKind.CHARGED_BACK: (
        "orders",
        gettext_lazy("A payment was charged back"),
        gettext_lazy("Answer the dispute, or ask the customer"),
    ),
    AlertKind.GIVEN_BACK_TWICE: (
        "orders",
        gettext_lazy("Orders were refunded twice"),
        gettext_lazy("Ask the customers for the money"),
    ),
    AlertKind.REFUND_UNPAID: (
        "orders",
        gettext_lazy("Unpaid orders with a refund"),
        gettext_lazy("Cancel the refund or the order"),
    ),
    AlertKind.NEW_POWER: (
        "refunds",
        gettext_lazy("New rights or limits for refunds"),
        gettext_lazy("They count after 24 hours; report it at once if it was none of you"),
    ),
    AlertKind.BANK_DETAILS: (
        "refunds",
        gettext_lazy("Bank details are missing"),
        gettext_lazy("The customer is not asked any more: ask by another way"),
    ),
    AlertKind.COLLECTION: (
        "collection_cases",
        gettext_lazy("The agency sends orders back"),
        gettext_lazy("Decide what happens to them"),
    ),
    AlertKind.BASE_RATE: (
        "agency_settings",
        gettext_lazy("The base rate is not known"),
        gettext_lazy("An owner enters it in the settings: interest waits for it"),
    ),
    AlertKind.CONNECTOR_FAILING: (
        "connectors",
        gettext_lazy("A shop system does not answer"),
        gettext_lazy("Check the connector, its key and its address"),
    ),
    AlertKind.CONNECTOR_ORDERS: (
        "connectors",
        gettext_lazy("Orders of a shop system need attention"),
        gettext_lazy("Check what is wrong with them"),
    ),
    AlertKind.CONSUMER_CREDIT: (
        "alerts",
        gettext_lazy("Orders are due so late that they are a consumer credit"),
        gettext_lazy("Set earlier due dates, or say that it is intended"),
    ),
    AlertKind.REFUND_DEADLINE: (
        "refunds",
        gettext_lazy("Refunds have to leave within days"),
        gettext_lazy("Release them, or name the account"),
    ),
    AlertKind.REFUND_SILENCE: (
        "refund_files",
        gettext_lazy("The bank does not answer about refunds"),
        gettext_lazy("Ask the bank for the result of the file"),
    ),
    AlertKind.REFUND_UNEXPECTED: (
        "alerts",
        gettext_lazy("The bank contradicts a refund"),
        gettext_lazy("Compare the refund with the account"),
    ),
    AlertKind.JOB_FAILING: (
        "alerts",
        gettext_lazy("Work of the service fails"),
        gettext_lazy("Inform the operator"),
    ),
    AlertKind.ITEM_FAILED: (
        "alerts",
        gettext_lazy("The service stopped at an error"),
        gettext_lazy("Do the rest by hand, and inform the operator"),
    ),
}
"""Kind -> the page that helps, what is wrong, what to do. Failing callbacks are counted separately."""
_OTHERS: Final[Mapping[AlertKind, tuple[str, Promise]]] = {
    AlertKind.CALLBACKS_PAUSED: ("callbacks", gettext_lazy("Callbacks are paused")),
    AlertKind.CALLBACKS_FAILING: ("callbacks", gettext_lazy("Callbacks fail")),
    AlertKind.CALLBACKS_GIVEN_UP: ("callbacks", gettext_lazy("Callbacks given up")),
    AlertKind.ORDERS_CLOSED: ("synchronisations", gettext_lazy("A synchronisation closed orders")),
}
_MENDED_WITH: Final[Mapping[str, Permission]] = {
    "bank": Permission.BANK,
    "bank_feeds": Permission.MANAGE,
    "payouts": Permission.DECIDE,
    "orders": Permission.DECIDE,
    "synchronisations": Permission.DECIDE,
    "agency_settings": Permission.MANAGE,
    "collection_cases": Permission.DECIDE,
    "refunds": Permission.REFUND,
    "refund_files": Permission.REFUND,
    "reminders": Permission.REMIND,
    "letters": Permission.REMIND,
    "callbacks": Permission.DEVELOP,
    "connectors": Permission.DEVELOP,
    "alerts": Permission.DECIDE,
}
"""The page that helps -> the permission needed for fixing things there."""


def alert_words(kind: str) -> str | Promise:
    """What is wrong, in words; the kind itself where it is none of ours."""
    if kind in TASKS:
        return TASKS[AlertKind(kind)][1]
    return _OTHERS[AlertKind(kind)][1] if kind in _OTHERS else kind


def page_that_helps(kind: str) -> str:
    """The name of the page for fixing such an alert; by default the alerts page."""
    if kind in TASKS:
        return TASKS[AlertKind(kind)][0]
    return _OTHERS[AlertKind(kind)][0] if kind in _OTHERS else "alerts"


def needed_to_close(kind: str) -> Permission:
    """A person who may fix the cause may close the alert; only owners may judge new permissions."""
    return Permission.MANAGE if kind == AlertKind.NEW_POWER else _MENDED_WITH[page_that_helps(kind)]
