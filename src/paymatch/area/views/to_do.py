"""What there is to do in a shop, most urgent first, and the way to its first paid order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from paymatch.area.page import Visit
from paymatch.area.people.roles import Permission
from paymatch.domain.shops.alerts import CALLBACK_KINDS, AlertKind
from paymatch.store.work.alerts import OpenAlerts
from paymatch.usecases.orders.order_lists import OVERPAID

_ALARMS: Final[Mapping[AlertKind, tuple[str, str | Promise, str | Promise]]] = {
    AlertKind.SILENT_FEED: (
        "bank",
        gettext_lazy("No new statements"),
        gettext_lazy("Import them, or look at the connection"),
    ),
    AlertKind.STATEMENT_GAP: ("bank", gettext_lazy("Statements missing"), gettext_lazy("Import what lies between")),
    AlertKind.BALANCE_MISMATCH: (
        "bank",
        gettext_lazy("A balance does not fit"),
        gettext_lazy("Get the statement once more"),
    ),
    AlertKind.UNREADABLE: ("bank", gettext_lazy("Entries that cannot be read"), gettext_lazy("Type what they say")),
    AlertKind.NEVER_CONFIRMED: ("bank", gettext_lazy("Announced, never booked"), gettext_lazy("Ask the bank")),
    AlertKind.ACCOUNT_UNCONFIRMED: ("bank", gettext_lazy("A new account"), gettext_lazy("Say whether it is yours")),
    AlertKind.CONSENT_ENDS: ("bank", gettext_lazy("A bank wants a TAN"), gettext_lazy("Renew the connection in time")),
    AlertKind.MAIL_REFUSED: (
        "reminders",
        gettext_lazy("Mail not delivered"),
        gettext_lazy("Correct the address, then try again"),
    ),
    AlertKind.MAIL_DELAYED: ("reminders", gettext_lazy("Mail is delayed"), gettext_lazy("Look at the mail server")),
    AlertKind.MAIL_ADDRESS: (
        "orders",
        gettext_lazy("Addresses that take no mail"),
        gettext_lazy("Submit the orders with another"),
    ),
    AlertKind.MAIL_KEPT: (
        "reminders",
        gettext_lazy("Mail is only kept"),
        gettext_lazy("Set PAYMATCH_EMAIL_URL to send it"),
    ),
    AlertKind.ORDERS_VANISHED: (
        "orders",
        gettext_lazy("Orders vanished"),
        gettext_lazy("Undo the synchronisation if it was wrong"),
    ),
    AlertKind.REFUND_HELD: (
        "refunds",
        gettext_lazy("Refunds are held back"),
        gettext_lazy("Release them, or mend what they lack"),
    ),
    AlertKind.WRONG_PERSON: (
        "orders",
        gettext_lazy("Somebody got another person's mail"),
        gettext_lazy("Ask the customer for the right address"),
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
    AlertKind.GIVEN_BACK_TWICE: (
        "orders",
        gettext_lazy("Orders were given back twice"),
        gettext_lazy("Ask the customers for the money"),
    ),
    AlertKind.NEW_POWER: (
        "refunds",
        gettext_lazy("New powers over refunds"),
        gettext_lazy("Say at once if it was none of you"),
    ),
    AlertKind.BANK_DETAILS: (
        "refunds",
        gettext_lazy("Bank details are missing"),
        gettext_lazy("The customer is not asked any more: ask by another way"),
    ),
    AlertKind.COLLECTION: (
        "collection_cases",
        gettext_lazy("The agency sends orders back"),
        gettext_lazy("Decide what becomes of them"),
    ),
    AlertKind.BASE_RATE: (
        "collection_cases",
        gettext_lazy("The base rate is not known"),
        gettext_lazy("Enter it on the command line: interest waits for it"),
    ),
    AlertKind.CONNECTOR_FAILING: (
        "connectors",
        gettext_lazy("A shop system does not answer"),
        gettext_lazy("Look at the connector, its key and its address"),
    ),
    AlertKind.CONNECTOR_ORDERS: (
        "connectors",
        gettext_lazy("Orders of a shop system need a look"),
        gettext_lazy("See what is wrong with them"),
    ),
    AlertKind.JOB_FAILING: (
        "overview",
        gettext_lazy("Work of the service fails"),
        gettext_lazy("Tell who runs the service"),
    ),
}
"""Kind -> the page that helps, what is wrong, what to do. Failing callbacks are counted by themselves."""
_CALLBACKS: Final[Mapping[AlertKind, str | Promise]] = {
    AlertKind.CALLBACKS_PAUSED: gettext_lazy("paused until somebody resumes them"),
    AlertKind.CALLBACKS_FAILING: gettext_lazy("the shop has not answered for hours"),
    AlertKind.CALLBACKS_GIVEN_UP: gettext_lazy("some were given up after seven days"),
}


def alert_words(kind: AlertKind) -> str:
    """What an alert is about, in words; its kind where nothing has to be mended."""
    if kind in CALLBACK_KINDS:
        return _("Callbacks fail")
    return str(_ALARMS[kind][1]) if kind in _ALARMS else str(kind)


def tasks(
    visit: Visit, waiting: Mapping[str, Any], overpaid: tuple[int, int], alarms: Mapping[AlertKind, OpenAlerts]
) -> list[dict[str, Any]]:
    """What there is to do, with its page, sum and what helps; `overpaid` (orders, minor units)."""
    callbacks, postings, refunds = (waiting[key] for key in ("callbacks", "postings", "refunds"))
    failing = [str(_CALLBACKS[kind]) for kind in CALLBACK_KINDS if kind in alarms]
    alarms = {kind: each for kind, each in alarms.items() if not (refunds and kind is AlertKind.REFUND_HELD)}
    found = [
        _task(visit, "callbacks", "webhook", callbacks, ngettext("callback fails", "callbacks fail", callbacks))
        | {"advice": failing[0] if failing else _("look at what the shop answers"), "tone": "red"},
        _task(visit, "postings", "inbox", postings, ngettext("posting to decide", "postings to decide", postings))
        | {"minor": waiting["postings_minor"], "advice": _("say which order each is for")},
        _task(visit, "refunds", "shield-check", refunds, ngettext("refund to release", "refunds to release", refunds))
        | {"minor": waiting["refunds_minor"], "advice": _("a person decides before money goes out")},
        _task(visit, "orders", "coins", overpaid[0], ngettext("overpaid order", "overpaid orders", overpaid[0]))
        | {"minor": overpaid[1], "advice": _("refund, or match the payment elsewhere"), "query": f"?status={OVERPAID}"},
    ]
    for kind, (name, title, advice) in _ALARMS.items():
        each = alarms.get(kind, OpenAlerts(0))
        task = _task(visit, name, "alert-triangle", each.count, title) | {"advice": advice, "tone": "amber"}
        if name == "orders" and each.orders:
            task["advice"] = f"{advice}: {', '.join(each.orders)}{', …' if each.count > len(each.orders) else ''}"
            task["url"] = visit.url("order", number=each.orders[0]) if each.count == 1 else task["url"]
        found.append(task)
    return [task for task in found if task["count"]]


def _task(visit: Visit, name: str, icon: str, count: int, words: str | Promise) -> dict[str, Any]:
    return {"url": visit.url_if_there(name), "icon": icon, "count": count, "words": words}


def steps(visit: Visit, waiting: Mapping[str, Any]) -> list[tuple[str, bool, str]]:
    """The way to the first paid order: what to do, whether it is done, and where, if the person may go there."""
    found = (
        (_("Use an API key"), waiting["key_used"], "developers", Permission.DEVELOP),
        (_("Submit an order"), waiting["has_orders"], "developers", Permission.DEVELOP),
        (_("Import a bank statement"), waiting["has_statements"], "bank", Permission.READ),
        (_("See the first order become paid"), waiting["has_paid"], "orders", Permission.READ),
    )
    return [(text, done, visit.url(name) if visit.may(needs) else "") for text, done, name, needs in found]
