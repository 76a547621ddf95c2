"""The overview: what came in, what is open, what to do next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from paymatch.area.charts import Point, bars, shares
from paymatch.area.lists import Asked, Choice, Column, Found, Kind, Listing
from paymatch.area.page import Visit, page
from paymatch.area.templatetags.figures import amount, day
from paymatch.domain.money import CURRENCIES, total
from paymatch.store.database import Tx
from paymatch.store.statements.figures import DayIn
from paymatch.usecases.orders import receivables
from paymatch.usecases.statements import figures

PERIODS: Final = (7, 30, 90)
USUAL_DAYS: Final = 30
AGES: Final = (
    (gettext_lazy("Not due"), "one"),
    (gettext_lazy("1 to 14 days"), "two"),
    (gettext_lazy("15 to 30 days"), "three"),
    (gettext_lazy("31 to 60 days"), "amber"),
    (gettext_lazy("over 60 days"), "red"),
)
"""Classes of age after the due date, and their colours."""

STATES: Final = (
    ("matched", gettext_lazy("Matched")),
    ("suggested", gettext_lazy("To decide")),
    ("unmatched", gettext_lazy("No candidate")),
    ("ignored", gettext_lazy("Ignored")),
)
_COLOURS: Final = {"matched": "green", "suggested": "amber", "unmatched": "grey", "ignored": "grey"}


def latest_payments(tx: Tx, visit: Visit, asked: Asked, import_id: str = "") -> Found:
    """Payments as they are listed, the latest first; those of one import if it is named."""
    rows, following = figures.latest(
        tx, visit.shop, status=asked.filters.get("status", ""), import_id=import_id, after=asked.after,
        limit=asked.limit,
    )  # fmt: skip
    words = dict(STATES)
    for row in rows:
        row["state"] = (_COLOURS[row["status"]], row["status"], words[row["status"]])
        row["orders"] = ", ".join(f"#{number}" for number in row["orders"] or ())
        row["amount"] = row["amount_minor"]
    return Found(rows, following)


LATEST: Final = Listing(
    "postings",
    columns=(
        Column("booking_date", gettext_lazy("Booked"), Kind.DAY),
        Column("counterparty_name", gettext_lazy("From")),
        Column("remittance", gettext_lazy("Payment text")),
        Column("orders", gettext_lazy("Order")),
        Column("state", gettext_lazy("State"), Kind.BADGE),
        Column("amount", gettext_lazy("Amount"), Kind.MONEY),
    ),
    choices=(Choice("status", gettext_lazy("State"), STATES),),
    fetch=latest_payments,
    searches=False,
)


@page("overview", "overview")
def overview(request: HttpRequest, visit: Visit) -> HttpResponse:
    """The first page of a shop."""
    if request.GET.get("format"):
        return LATEST.answer(request, visit, "area/overview.html")
    days = next((each for each in PERIODS if request.GET.get("days") == str(each)), USUAL_DAYS)
    with visit.transaction() as tx:
        booked = figures.cash_in(tx, visit.shop, visit.today, 2 * days)
        ages = receivables.by_age(tx, visit.shop, visit.today)
        until_paid = receivables.days_until_paid(tx, visit.shop, visit.today, days)
    waiting = request.waiting()
    values = {
        "periods": PERIODS, "days": days, "today": visit.today, "currency": visit.shop.currency,
        "figures": _figures(booked[:days], booked[days:], until_paid), "chart": _chart(booked[days:], visit),
        "ages": _ages(ages), "share": _shares(ages), "open": total(minor for _count, minor in ages),
        "overdue": total(minor for _count, minor in ages[1:]), "orders": sum(count for count, _minor in ages),
        "tasks": _tasks(visit, waiting), "steps": None if waiting["has_paid"] else _steps(waiting),
    }  # fmt: skip
    return LATEST.answer(request, visit, "area/overview.html", **values)


Days = Sequence[tuple[date, DayIn]]


def _figures(before: Days, now: Days, until_paid: tuple[float | None, float | None]) -> dict[str, Any]:
    """Cash in, share matched without a person, and days until paid, each with its change; None where none is known."""
    sums = [total(day.minor for _when, day in part) for part in (before, now)]
    earlier, lately = until_paid
    return {
        "cash": sums[1],
        "cash_change": 100 * (sums[1] - sums[0]) / sums[0] if sums[0] else None,
        "matched": _share(now),
        "payments": sum(day.payments for _when, day in now),
        "automatic": sum(day.automatic for _when, day in now),
        "paid_in": lately,
        "paid_in_change": None if earlier is None or lately is None else lately - earlier,
    }


def _share(days: Days) -> float | None:
    payments = sum(day.payments for _when, day in days)
    return 100 * sum(day.automatic for _when, day in days) / payments if payments else None


def _chart(days: Days, visit: Visit) -> SafeString:
    points = [_point(when, day_in.minor, visit) for when, day_in in days]
    bank_days = [point.value for point in points if point.value]
    average = sum(bank_days) / len(bank_days) if bank_days else 0
    step = max(len(points) // 4, 1)
    return bars(points, name=_("Cash in per day"), labels=range(0, len(points), step), average=average)


def _ages(ages: Sequence[tuple[int, int]]) -> list[dict[str, Any]]:
    whole = total(minor for _count, minor in ages) or 1
    return [
        {"label": label, "mark": mark, "orders": count, "minor": minor, "share": 100 * minor / whole}
        for (label, mark), (count, minor) in zip(AGES, ages, strict=True)
    ]


def _shares(ages: Sequence[tuple[int, int]]) -> SafeString:
    parts = [
        Point("", minor, f"{label}: {amount(minor)}", mark)
        for (label, mark), (_n, minor) in zip(AGES, ages, strict=True)
    ]
    return shares(parts, name=_("Open receivables by age"))


def _tasks(visit: Visit, waiting: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What there is to do, most urgent first; pages that the person may not see are left out."""
    callbacks, alerts, postings, refunds = (waiting[key] for key in ("callbacks", "alerts", "postings", "refunds"))
    tasks = (
        ("callbacks", "webhook", callbacks, ngettext("callback fails", "callbacks fail", callbacks), None),
        ("bank", "alert-triangle", alerts, ngettext("alert to look at", "alerts to look at", alerts), None),
        (
            "postings", "inbox", postings, ngettext("posting to decide", "postings to decide", postings),
            waiting["postings_minor"],
        ),
        (
            "refunds", "shield-check", refunds, ngettext("refund to release", "refunds to release", refunds),
            waiting["refunds_minor"],
        ),
    )  # fmt: skip
    return [
        {"url": visit.url_if_there(name), "icon": icon, "count": count, "words": words, "minor": minor}
        for name, icon, count, words, minor in tasks
        if count
    ]


def _steps(waiting: Mapping[str, Any]) -> list[tuple[str, bool]]:
    """The way to the first paid order, and how far the shop has come."""
    return [
        (_("Use an API key"), waiting["key_used"]),
        (_("Submit an order"), waiting["has_orders"]),
        (_("Import a bank statement"), waiting["has_statements"]),
        (_("See the first order become paid"), waiting["has_paid"]),
    ]


def _point(when: date, minor: int, visit: Visit) -> Point:
    mark = "today" if when == visit.today else ""
    title = f"{day(when)}: {amount(minor, visit.shop.currency)} {visit.shop.currency}"
    return Point(day(when), minor / 10 ** CURRENCIES[visit.shop.currency], title, mark)
