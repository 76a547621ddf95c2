"""The summary of the reports: receivables by age and compared, cash in, what payments were matched by."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from paymatch.area.charts import HALF
from paymatch.area.page import Visit, page
from paymatch.area.views.reports import asking, drawing
from paymatch.area.views.reports.labels import word
from paymatch.domain.reports.asked import PeriodQuery, Step, month_of
from paymatch.usecases.reports import figures, receivables

_KINDS: Final = ("invoice", "prepayment", "cod", "other")
_CASH_MONTHS: Final = 12


@page("reports", "reports")
def summary(request: HttpRequest, visit: Visit) -> HttpResponse:
    """The key figures as of a day, compared with another one."""
    wanted = asking.day_of(request.GET.get("as-of", "")) or visit.today
    day = min(wanted, visit.today)
    compared = asking.day_of(request.GET.get("compared", "")) or month_of(day) - timedelta(days=1)
    ends = asking.month_ends(day, drawing.AGEING_MONTHS)
    year = PeriodQuery(asking.month_ends(day, _CASH_MONTHS)[0].replace(day=1), day, day, Step.MONTH)
    month = PeriodQuery(month_of(day), day, day)
    with visit.transaction() as tx:
        ages = receivables.ageings(tx, [*ends, compared])
        cash = figures.cash_in(tx, year)
        matched = figures.matches_by_way(tx, month)
        paid = figures.days_until_paid(tx, month)
    currency = visit.shop.currency
    sums = {row["date"]: row["amount"] for row in cash if row["currency"] == currency}
    change = _change(sums, month.first)
    values = {
        "tabs": asking.tabs(visit, ""),
        "day": day,
        "compared": compared,
        "currency": currency,
        "ages": _compare_ages(ages[day], ages[compared], currency),
        "total": _total(ages[day], ages[compared], currency),
        "others": _other_currencies(ages[day], currency),
        "ageing": drawing.ageing({end: ages[end] for end in ends}, currency),
        "cash_chart": drawing.cash_in(cash, currency, Step.MONTH, day, width=HALF),
        "month": month.first,
        "cash": sums.get(month.first, 0),
        "cash_change": change,
        "paid": paid,
        "matched": [row | {"word": word(row["by"]), "meter": drawing.meter(row["share"])} for row in matched],
        "payments": sum(row["postings"] for row in matched),
        "automatic": _automatic(matched),
    }
    return render(request, "area/reports/summary.html", values)


Rows = Sequence[dict[str, Any]]


def _compare_ages(rows: Rows, before: Rows, currency: str) -> list[dict[str, Any]]:
    """The classes of age in the shop's currency, each with its change since the day before."""
    earlier = {row["age"]: row["open"] for row in before if row["currency"] == currency}
    shown = [row for row in rows if row["currency"] == currency]
    return [
        row | {"word": word(row["age"]), "mark": mark, "change": row["open"] - earlier[row["age"]]}
        for row, mark in zip(shown, drawing.MARKS, strict=True)
    ]


def _total(rows: Rows, before: Rows, currency: str) -> dict[str, int]:
    keys = (*_KINDS, "open", "orders")
    found = {key: sum(row[key] for row in rows if row["currency"] == currency) for key in keys}
    earlier = sum(row["open"] for row in before if row["currency"] == currency)
    return found | {"change": found["open"] - earlier}


def _other_currencies(rows: Rows, currency: str) -> list[dict[str, Any]]:
    """Number and sum of what is open in other currencies, which are never added to the shop's own."""
    sums: dict[str, dict[str, Any]] = {}
    for row in rows:
        if row["currency"] != currency and row["orders"]:
            into = sums.setdefault(row["currency"], {"currency": row["currency"], "orders": 0, "open": 0})
            into["orders"] += row["orders"]
            into["open"] += row["open"]
    return list(sums.values())


def _change(sums: dict[date, int], month: date) -> float | None:
    """By how many per cent more came in than in the month before; None where nothing came in then."""
    before = sums.get(month_of(month - timedelta(days=1)), 0)
    return 100 * (sums.get(month, 0) - before) / before if before else None


def _automatic(matched: Rows) -> dict[str, Any]:
    automatic = sum(row["postings"] for row in matched if row["automatic"])
    whole = sum(row["postings"] for row in matched)
    return {"postings": automatic, "share": 100 * automatic / whole if whole else None}
