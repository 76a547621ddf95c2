"""Unpaid prepayment orders that lapse (D-42): when, or why not; and those that have lapsed."""

from __future__ import annotations

from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from paymatch.area.lists import Asked, Choice, Column, Found, Kind, Listing
from paymatch.area.page import Visit, page
from paymatch.area.people.roles import Permission
from paymatch.area.views.reminders.words import why_words
from paymatch.domain.reminders.policy import Planned, Postponed, Why
from paymatch.store.database import Tx
from paymatch.usecases.collection import lapses as use
from paymatch.usecases.collection.lapses import Lapse

_STATES: Final = (("open", gettext_lazy("Unpaid")), ("lapsed", gettext_lazy("Lapsed")))


def _fetch(tx: Tx, visit: Visit, asked: Asked) -> Found:
    days = use.days(tx, visit.shop)
    found, following = use.page(
        tx, visit.shop, days, visit.service.clock(), state=asked.filters.get("state", ""),
        text=asked.search.removeprefix("#"), after=asked.after, limit=asked.limit,
    )  # fmt: skip
    return Found([_row(each, visit) for each in found], following, about={"days": days})


def _row(each: Lapse, visit: Visit) -> dict[str, Any]:
    order, found = each.order, each.found
    if order.lapsed_at is not None:
        state, at, why = ("grey", "lapsed", _("Lapsed")), order.lapsed_at, ""
    elif isinstance(found, Planned):
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
        Column("number", gettext_lazy("Order"), link="link"),
        Column("customer", gettext_lazy("Customer")),
        Column("order_date", gettext_lazy("Ordered"), Kind.DAY),
        Column("state", gettext_lazy("State"), Kind.BADGE),
        Column("at", gettext_lazy("When"), Kind.MOMENT),
        Column("why", gettext_lazy("Why not")),
        Column("amount", gettext_lazy("Amount"), Kind.MONEY, chosen=False),
        Column("open", gettext_lazy("Open amount"), Kind.MONEY),
    ),
    choices=(Choice("state", gettext_lazy("State"), _STATES),),
    fetch=_fetch,
)


@page("order-lapses", "lapses")
def lapses(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Prepayment orders by order date, with what becomes of each."""
    return LAPSES.answer(request, visit, "area/lapses.html", may_manage=visit.may(Permission.MANAGE))
