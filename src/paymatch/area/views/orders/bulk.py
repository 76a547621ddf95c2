"""One action on many orders: first a preview, then the action."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.translation import ngettext

from paymatch.area.badges import order_badge
from paymatch.area.lists import ListQuery
from paymatch.area.page import Visit, page
from paymatch.area.people.roles import Permission
from paymatch.area.views.orders.actions import NEEDS, TITLES, WHY_NOT
from paymatch.area.views.orders.order_list import ORDERS, found_orders
from paymatch.domain.orders.actions import Action
from paymatch.store.lists.sorted_lists import AskedPage
from paymatch.usecases.desk import order_actions as by_hand
from paymatch.usecases.desk.order_actions import MOST_AT_ONCE, ActionPreview


@page("order-actions", "order_actions", needs=Permission.DECIDE, changes=Permission.DECIDE)
def order_actions(request: HttpRequest, visit: Visit) -> HttpResponse:
    """POST shows what the action would do with the chosen orders; with `do` it is done."""
    action = _action(request, visit)
    numbers = _chosen_numbers(request, visit)
    if request.method == "POST" and "do" in request.POST:
        done = by_hand.carry_out(visit.database, visit.shop, action, numbers, visit.service.clock())
        words = ngettext("{n} order changed: {action}.", "{n} orders changed: {action}.", len(done))
        messages.success(request, words.format(n=len(done), action=TITLES[action]), extra_tags="green")
        return redirect(f"{visit.url('orders')}?{_query(request).urlencode()}")
    with visit.transaction() as tx:
        found = by_hand.foreseen(tx, action, numbers)
    rows = [_row(each, visit) for each in found]
    values = {
        "action": action, "title": TITLES[action], "rows": rows, "most": MOST_AT_ONCE,
        "possible": [row for row in rows if not row["why_not"]], "query": _query(request).urlencode(),
        "cut": len(numbers) == MOST_AT_ONCE,
    }  # fmt: skip
    return render(request, "area/order_actions.html", values)


def _action(request: HttpRequest, visit: Visit) -> Action:
    """The action that is asked for; Http404 for none, or one that the person may not do."""
    if request.method != "POST":
        return Action.STOP_REMINDERS
    try:
        found = Action(request.POST.get("action", ""))
    except ValueError:
        raise Http404 from None
    if found not in by_hand.CARRIED_OUT_BY or not visit.may(NEEDS[found]):
        raise Http404
    return found


def _query(request: HttpRequest) -> QueryDict:
    """The list's part of the address."""
    return QueryDict(request.POST.get("query", "")[:4000])


def _chosen_numbers(request: HttpRequest, visit: Visit) -> Sequence[str]:
    """The numbers of the chosen orders, or of all that the list's filter finds."""
    if "all" not in request.POST:
        return request.POST.getlist("order")[:MOST_AT_ONCE]
    asked = ORDERS.asked_by(_query(request))
    with visit.transaction() as tx:
        found = found_orders(tx, ListQuery(asked.filters, AskedPage(MOST_AT_ONCE), asked.search)).rows
    return [order.number for order in found]


def _row(each: ActionPreview, visit: Visit) -> dict[str, Any]:
    order = each.order
    return {
        "number": order.number, "link": visit.url("order", number=order.number), "customer": order.customer,
        "badge": order_badge(order.status), "open_minor": order.open_minor, "currency": order.currency,
        "why_not": str(WHY_NOT[each.why_not]) if each.why_not else "",
    }  # fmt: skip
