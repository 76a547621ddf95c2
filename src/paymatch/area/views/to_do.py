"""To-do list of a shop, most urgent first, and the way to its first paid order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from paymatch.area.page import Visit
from paymatch.area.people.roles import Permission
from paymatch.area.views.alert_labels import TASKS
from paymatch.domain.shops.alerts import CALLBACK_KINDS, AlertKind
from paymatch.store.work.alerts import OpenAlerts
from paymatch.usecases.orders.order_lists import OVERPAID

_CALLBACKS: Final[Mapping[AlertKind, str | Promise]] = {
    AlertKind.CALLBACKS_PAUSED: gettext_lazy("paused until you resume them"),
    AlertKind.CALLBACKS_FAILING: gettext_lazy("the shop has not answered for hours"),
    AlertKind.CALLBACKS_GIVEN_UP: gettext_lazy("some were given up after seven days"),
}


def tasks(
    visit: Visit, waiting: Mapping[str, Any], overpaid: tuple[int, int], alarms: Mapping[AlertKind, OpenAlerts]
) -> list[dict[str, Any]]:
    """What there is to do, with its page, sum and what helps; `overpaid` (orders, minor units)."""
    callbacks, postings, refunds = (waiting[key] for key in ("callbacks", "postings", "refunds"))
    failing = [str(_CALLBACKS[kind]) for kind in CALLBACK_KINDS if kind in alarms]
    alarms = {kind: each for kind, each in alarms.items() if not (refunds and kind is AlertKind.REFUND_HELD)}
    found = [
        _task(visit, "callbacks", "webhook", callbacks, ngettext("callback fails", "callbacks fail", callbacks))
        | {"advice": failing[0] if failing else _("check what the shop answers"), "tone": "red"},
        _task(visit, "postings", "inbox", postings, ngettext("posting to decide", "postings to decide", postings))
        | {"minor": waiting["postings_minor"], "advice": _("choose the order for each")},
        _task(visit, "refunds", "shield-check", refunds, ngettext("refund to release", "refunds to release", refunds))
        | {"minor": waiting["refunds_minor"], "advice": _("a person decides before money is paid out")},
        _task(visit, "orders", "coins", overpaid[0], ngettext("overpaid order", "overpaid orders", overpaid[0]))
        | {"minor": overpaid[1], "advice": _("refund, or match the payment elsewhere"), "query": f"?status={OVERPAID}"},
    ]
    for kind, (name, title, advice) in TASKS.items():
        each = alarms.get(kind, OpenAlerts(0))
        task = _task(visit, name, "alert-triangle", each.count, title) | {"advice": advice, "tone": "amber"}
        if name == "orders" and each.orders:
            task["advice"] = f"{advice}: {', '.join(each.orders)}{', …' if each.count > len(each.orders) else ''}"
            task["url"] = visit.url("order", number=each.orders[0]) if each.count == 1 else task["url"]
        if name == "alerts" or not visit.sees(name):
            task |= {"url": visit.url("alerts"), "query": f"?state=open&kind={kind}"}
        found.append(task)
    return [task for task in found if task["count"]]


def _task(visit: Visit, name: str, icon: str, count: int, words: str | Promise) -> dict[str, Any]:
    return {"url": visit.url_if_there(name), "icon": icon, "count": count, "words": words}


def steps(visit: Visit, waiting: Mapping[str, Any]) -> list[tuple[str, bool, str]]:
    """The way to the first paid order: what to do, whether it is done, and where, if the person may go there.

    Orders that came by file, by hand or from a shop system need no key of the API.
    """
    by_other_ways = waiting["has_orders"] and not waiting["key_used"]
    found = (
        *(() if by_other_ways else ((_("Use an API key"), waiting["key_used"], "developers", Permission.DEVELOP),)),
        (_("Submit an order"), waiting["has_orders"], "developers", Permission.DEVELOP),
        (_("Import a bank statement"), waiting["has_statements"], "bank", Permission.READ),
        (_("See the first order become paid"), waiting["has_paid"], "orders", Permission.READ),
    )
    return [(text, done, visit.url(name) if visit.may(needs) else "") for text, done, name, needs in found]
