"""Unpaid prepayment orders that lapse (D-42): when, or why not; and those that have lapsed."""

from __future__ import annotations

from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from paymatch.area.lists import Choice, ListColumn, ListColumnKind, Listing, ListPage, ListQuery
from paymatch.area.page import Visit, page
from paymatch.area.people.roles import Permission
from paymatch.area.views.reminders.labels import why_words
from paymatch.domain.reminders.policy import PlannedReminder, Postponed, Why
from paymatch.store.collection import cases as store
from paymatch.store.transactions import ShopTx
from paymatch.usecases.collection import lapses as use
from paymatch.usecases.collection.lapses import Lapse

_STATES: Final = (("open", gettext_lazy("Unpaid")), ("lapsed", gettext_lazy("Lapsed")))


def _fetch(tx: ShopTx, visit: Visit, asked: ListQuery) -> ListPage:
    days = visit.shop.lapse_after_days
    found = use.page(
        tx, days, state=asked.filters.get("state", ""), text=asked.search.removeprefix("#"), asked=asked.page
    )
    rows = [_row(each, visit) for each in found.rows]
    return ListPage(rows, found.next, about={"days": days}, totals=found.totals)


def _row(each: Lapse, visit: Visit) -> dict[str, Any]:
    order, found = each.order, each.found
    if order.lapsed_at is not None:
        state, at, why = ("grey", "lapsed", _("Lapsed")), order.lapsed_at, ""
    elif isinstance(found, PlannedReminder):
        state, at, why = ("amber", "planned", _("Will lapse")), found.at, ""
    else:
        state, at, why = ("green", "held", _("Stays")), None, _why(found)
    return {
        "number": order.number, "link": visit.url("order", number=order.number), "customer": order.customer,
        "order_date": order.order_date, "state": state, "at": at, "why": why, "currency": order.currency,
        "open": order.open_minor if order.lapsed_at is None else 0, "amount": order.amount_minor,
    }  # fmt: skip


def _why(found: Postponed | None) -> str:
    """Why the order does not lapse."""
    if found is None:
        return ""
    return _("Orders of this shop do not lapse") if found.why is Why.OFF else why_words(found.why, found.named)


LAPSES: Final = Listing(
    "lapses",
    columns=(
        ListColumn("number", gettext_lazy("Order"), link="link"),
        ListColumn("customer", gettext_lazy("Customer")),
        ListColumn("order_date", gettext_lazy("Ordered"), ListColumnKind.DAY),
        ListColumn("state", gettext_lazy("State"), ListColumnKind.BADGE),
        ListColumn("at", gettext_lazy("When"), ListColumnKind.MOMENT),
        ListColumn("why", gettext_lazy("Why not")),
        ListColumn("amount", gettext_lazy("Amount"), ListColumnKind.MONEY, chosen=False),
        ListColumn("open", gettext_lazy("Open amount"), ListColumnKind.MONEY),
    ),
    choices=(Choice("state", gettext_lazy("State"), _STATES),),
    fetch=_fetch,
    sorts=store.LAPSES.sorts,
    usual="order_date",
)


@page("order-lapses", "lapses")
def lapses(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Prepayment orders by order date, with what becomes of each."""
    return LAPSES.answer(request, visit, "area/lapses.html", may_manage=visit.may(Permission.MANAGE))
