"""The end of the month: what was closed, whether the seals hold, what has changed since; closing another month."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from itertools import islice
from typing import Any, Final

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from paymatch.area.language.sentences import in_words
from paymatch.area.page import Visit, page
from paymatch.area.people.roles import Permission
from paymatch.area.views.reports import asking, drawing
from paymatch.area.views.reports.labels import badge, word
from paymatch.domain.refusal import Refused
from paymatch.domain.reports.asked import ask, month_of
from paymatch.domain.reports.catalogue import REPORTS
from paymatch.domain.words.message import Message
from paymatch.store.transactions import ShopTx
from paymatch.usecases.reports import closing
from paymatch.usecases.reports.unfinished import unfinished_work

OFFERED: Final = 12
"""Past months that are offered for closing."""
CHANGES_SHOWN: Final = 100
_REPORT: Final = REPORTS["close"]


@page("reports/close", "reports_close", changes=Permission.MANAGE)
def close(request: HttpRequest, visit: Visit) -> HttpResponse:
    """GET: the closed months, and the changes of the one that `month` names. POST: closes a month."""
    if request.method == "POST":
        return _close(request, visit)
    with visit.transaction() as tx:
        months = closing.overview(tx)
        chosen = asking.day_of(f"{request.GET.get('month', '')}-01")
        is_whole = closing.holds(tx, chosen) if chosen else None
        changed = _changes(tx, visit, chosen) if is_whole is not None else []
    exported = asking.export(visit, _REPORT, ask(_REPORT, visit.today), request.GET.get("format", ""))
    if exported is not None:
        return exported
    values = {
        "tabs": asking.tabs(visit, "close"), "about": _(_REPORT.about), "may_close": visit.may(Permission.MANAGE),
        "months": [_month(row, is_whole if row["month"] == chosen else None) for row in months],
        "open_months": _open_months(visit.today, months), "chosen": chosen, "changes": changed,
        "chosen_name": drawing.month_name(chosen) if chosen else "", "shown": CHANGES_SHOWN,
    }  # fmt: skip
    return render(request, "area/reports/close.html", values)


def _month(row: Mapping[str, Any], is_whole: bool | None) -> dict[str, Any]:
    """A closed month; its seal is shown for the one that was looked at."""
    shown = None if is_whole is None else badge("seal", "holds" if is_whole else "broken")
    return {**row, "badge": shown, "name": drawing.month_name(row["month"])}


def _close(request: HttpRequest, visit: Visit) -> HttpResponse:
    month = asking.day_of(f"{request.POST.get('month', '')}-01")
    if month is None:
        messages.error(request, _("Choose a month."), extra_tags="red")
        return redirect(visit.url("reports_close"))
    try:
        if not request.POST.get("sure"):
            with visit.transaction() as tx:
                closing.check_open(tx, month)
                left = unfinished_work(tx, month)
            if left:
                return _ask(request, visit, month, left)
        closing.close(visit.database, visit.shop, month, visit.service.clock())
    except Refused:
        messages.error(request, _("The month is not over yet, or is already closed."), extra_tags="red")
    else:
        said = _("%(month)s is closed. What changes from now on is listed here.")
        messages.success(request, said % {"month": drawing.month_name(month)}, extra_tags="green")
    return redirect(visit.url("reports_close"))


def _ask(request: HttpRequest, visit: Visit, month: date, left: Sequence[Message]) -> HttpResponse:
    """What is unfinished, and a button that closes the month nevertheless."""
    values = {
        "tabs": asking.tabs(visit, "close"), "about": _(_REPORT.about), "month": f"{month:%Y-%m}",
        "name": drawing.month_name(month), "left": [in_words(each) for each in left],
    }  # fmt: skip
    return render(request, "area/reports/close_unfinished.html", values)


def _open_months(today: date, months: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """(value, name) of the last months that are over and not closed."""
    closed, found, month = {row["month"] for row in months}, [], month_of(today)
    for _place in range(OFFERED):
        month = month_of(month - timedelta(days=1))
        if month not in closed:
            found.append((f"{month:%Y-%m}", drawing.month_name(month)))
    return found


def _changes(tx: ShopTx, visit: Visit, month: date | None) -> list[dict[str, Any]]:
    """Changes since the sealing, as text."""
    assert month is not None, "a month that is closed"
    rows = list(islice(closing.changes(tx, month), CHANGES_SHOWN))
    return [
        {
            "link": visit.url("posting", posting=row["id"]) if row["after"] else "",
            "posting": row["after"] or row["before"],
            "before": _side(row["before"]),
            "after": _side(row["after"]),
        }
        for row in rows
    ]


def _side(said: Mapping[str, Any] | None) -> str:
    """How a posting was or is explained, in a line."""
    if said is None:
        return ""
    orders = ", ".join(number for number, *_more in said["orders"])
    states = {"matched": _("matched to %s") % orders, "open": _("open"), "ignored": _("not an order payment")}
    if said["state"] == "set-aside":
        return _("set aside: %s") % said["reason"]
    return str(states.get(said["state"], word(said["state"])))
