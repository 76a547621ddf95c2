"""The overview: what came in, what is open, what to do next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.template.defaultfilters import floatformat
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from paymatch.area.charts import ChartPoint, bars, line, shares, spark
from paymatch.area.language.figures import amount, day
from paymatch.area.lists import EXPORTS, Choice, ListColumn, ListColumnKind, Listing, ListPage, ListQuery
from paymatch.area.page import Visit, page
from paymatch.area.people.roles import Permission
from paymatch.area.views.late_feeds import late_feeds
from paymatch.area.views.reminders.labels import mail_words
from paymatch.area.views.to_do import steps, tasks
from paymatch.domain.money import CURRENCIES, total
from paymatch.store.statements import figures as store
from paymatch.store.statements.figures import DayIn
from paymatch.store.transactions import ShopTx
from paymatch.usecases.orders import order_lists, receivables
from paymatch.usecases.reports import receivables as past
from paymatch.usecases.statements import figures
from paymatch.usecases.work import alerts

PERIODS: Final = (7, 30, 90)
USUAL_DAYS: Final = 30
PARTS: Final = 7
"""Into so many parts a period is divided where the course of a figure is drawn."""
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


def latest_payments(tx: ShopTx, visit: Visit, asked: ListQuery, import_id: str = "") -> ListPage:
    """Payments as they are listed, the latest first; those of one import if it is named."""
    found = figures.latest(
        tx, status=asked.filters.get("status", ""), import_id=import_id, asked=asked.page,
    )  # fmt: skip
    words = dict(STATES)
    for row in found.rows:
        row["state"] = (_COLOURS[row["status"]], row["status"], words[row["status"]])
        numbers = list(row["orders"] or ())
        row["orders"] = ", ".join(numbers)
        row["order_link"] = visit.url("order", number=numbers[0]) if len(numbers) == 1 else ""
        row["amount"] = row["amount_minor"]
    return ListPage(found.rows, found.next, totals=found.totals)


LATEST: Final = Listing(
    "postings",
    columns=(
        ListColumn("booking_date", gettext_lazy("Booked"), ListColumnKind.DAY),
        ListColumn("counterparty_name", gettext_lazy("From")),
        ListColumn("remittance", gettext_lazy("Payment text")),
        ListColumn("orders", gettext_lazy("Order"), link="order_link"),
        ListColumn("state", gettext_lazy("State"), ListColumnKind.BADGE),
        ListColumn("amount", gettext_lazy("Amount"), ListColumnKind.MONEY),
    ),
    choices=(Choice("status", gettext_lazy("State"), STATES),),
    fetch=latest_payments,
    searches=False,
    page_rows=10,
    sorts=store.POSTINGS.sorts,
)


MOST_TASKS: Final = 6
"""Tasks that are shown at once; the others are folded below them."""


@page("overview", "overview")
def overview(request: HttpRequest, visit: Visit) -> HttpResponse:
    """The first page of a shop."""
    if request.GET.get("format") in EXPORTS:
        return LATEST.answer(request, visit, "area/overview.html")
    days = next((each for each in PERIODS if request.GET.get("days") == str(each)), USUAL_DAYS)
    begins, today = _begins(visit.today, days), visit.today
    with visit.transaction() as tx:
        booked = figures.cash_in(tx, today, 2 * days)
        is_open = receivables.by_age(tx, today)
        until_paid = receivables.days_until_paid(tx, begins, today)
        owed = past.owed_by_day(tx, [*_last_days(begins[PARTS:]), today])
        overpaid = order_lists.overpaid(tx)
        alarms = alerts.open_kinds(tx)
        late = late_feeds(tx, visit, request.waiting()["accounts"], alarms)
    waiting, ages = request.waiting(), is_open.ages
    to_do = tasks(visit, waiting, overpaid, alarms)
    values = {
        "late": late, "periods": PERIODS, "days": days, "today": visit.today, "currency": visit.shop.currency,
        "figures": _figures(booked[:days], booked[days:], until_paid, owed, visit.shop.currency),
        "chart": _chart(booked[days:], visit),
        "ages": _ages(ages, is_open.sent), "share": _shares(ages), "open": total(minor for _count, minor in ages),
        "overdue": total(minor for _count, minor in ages[1:]), "orders": sum(count for count, _minor in ages),
        "may_import": visit.may(Permission.BANK), "tasks": to_do,
        "most_tasks": MOST_TASKS, "more_tasks": max(len(to_do) - MOST_TASKS, 0),
        "steps": None if waiting["has_paid"] else steps(visit, waiting),
        "begins": not waiting["has_paid"] and not waiting["has_statements"],
        "other_currencies": is_open.others.items(),
        "in_setup": waiting["in_setup"] and visit.may(Permission.MANAGE),
    }  # fmt: skip
    return LATEST.answer(request, visit, "area/overview.html", **values)


Days = Sequence[tuple[date, DayIn]]


def _begins(today: date, days: int) -> list[date]:
    """The days on which the parts of the period before and of the last `days` days begin."""
    first = today - timedelta(days=2 * days - 1)
    return [first + timedelta(days=2 * days * part // (2 * PARTS)) for part in range(2 * PARTS)]


def _last_days(begins: Sequence[date]) -> list[date]:
    """The last day of each part but the final one."""
    return [begin - timedelta(days=1) for begin in begins[1:]]


def _figures(
    before: Days, now: Days, until_paid: Sequence[tuple[int, int]], owed: Sequence[int], currency: str
) -> dict[str, Any]:
    """Cash in, share matched without a person, and days until paid, each with its change; None where none is known.

    `until_paid` are the parts of both periods, `owed` is what was open at the end of each part of this one.
    """

    def money(minor: float) -> str:
        return f"{amount(round(minor), currency)} {currency}"

    def rounded_amount(value: float) -> str:
        return str(floatformat(value, 1))

    sums = [total(day.minor for _when, day in part) for part in (before, now)]
    earlier, lately = (_mean(part) for part in (until_paid[:PARTS], until_paid[PARTS:]))
    parts = [now[len(now) * part // PARTS : len(now) * (part + 1) // PARTS] for part in range(PARTS)]
    return {
        "cash": sums[1],
        "cash_change": 100 * (sums[1] - sums[0]) / sums[0] if sums[0] else None,
        "cash_spark": spark(
            [float(total(day.minor for _when, day in part)) for part in parts], name=_("Cash in"), said=money
        ),
        "owed_spark": spark([float(minor) for minor in owed], name=_("Open receivables"), said=money),
        "matched": _share(now),
        "matched_chart": _course(parts),
        "matched_spark": spark([_share(part) for part in parts], name=_("Matched automatically"), said=rounded_amount),
        "payments": sum(day.payments for _when, day in now),
        "automatic": sum(day.automatic for _when, day in now),
        "paid_in": lately,
        "paid_in_change": None if earlier is None or lately is None else lately - earlier,
        "paid_in_spark": spark(
            [_mean([part]) for part in until_paid[PARTS:]], name=_("Days until paid"), said=rounded_amount
        ),
    }


def _course(parts: Sequence[Days]) -> SafeString:
    """The share matched without a person, of each part of the period that had payments."""
    shares_ = [(part[0][0], share) for part in parts if part and (share := _share(part)) is not None]
    points = [ChartPoint(day(when), share, f"{day(when)}: {floatformat(share, 1)} %") for when, share in shares_]
    last = len(points) - 1
    return line(points, name=_("Matched automatically"), labels=sorted({0, last // 2, last}))


def _mean(parts: Sequence[tuple[int, int]]) -> float | None:
    """The mean of (sum, how many); None of none."""
    count = sum(many for _sum, many in parts)
    return sum(days for days, _many in parts) / count if count else None


def _share(days: Days) -> float | None:
    payments = sum(day.payments for _when, day in days)
    return 100 * sum(day.automatic for _when, day in days) / payments if payments else None


def _chart(days: Days, visit: Visit) -> SafeString:
    points = [_point(when, day_in.minor, visit) for when, day_in in days]
    bank_days = [point.value for point in points if point.value]
    average = sum(bank_days) / len(bank_days) if bank_days else 0
    step = max(len(points) // 4, 1)
    return bars(points, name=_("Cash in per day"), labels=range(0, len(points), step), average=average)


def _ages(ages: Sequence[tuple[int, int]], sent: Sequence[Mapping[int, int]]) -> list[dict[str, Any]]:
    whole = total(minor for _count, minor in ages) or 1
    return [
        {"label": label, "mark": mark, "orders": count, "minor": minor, "share": 100 * minor / whole,
         "sent": _sent_words(mails)}
        for (label, mark), (count, minor), mails in zip(AGES, ages, sent, strict=True)
    ]  # fmt: skip


def _sent_words(mails: Mapping[int, int]) -> list[tuple[str, int]]:
    """What the orders of an age were sent last, each with the number of orders, the most frequent first."""
    ordered = sorted(mails.items(), key=lambda each: (-each[1], -each[0]))
    return [(mail_words(level) if level >= 0 else _("nothing yet"), count) for level, count in ordered]


def _shares(ages: Sequence[tuple[int, int]]) -> SafeString:
    parts = [
        ChartPoint("", minor, f"{label}: {amount(minor)}", mark)
        for (label, mark), (_n, minor) in zip(AGES, ages, strict=True)
    ]
    return shares(parts, name=_("Open receivables by age"))


def _point(when: date, minor: int, visit: Visit) -> ChartPoint:
    mark = "today" if when == visit.today else ""
    title = f"{day(when)}: {amount(minor, visit.shop.currency)} {visit.shop.currency}"
    return ChartPoint(day(when), minor / 10 ** CURRENCIES[visit.shop.currency], title, mark)
