"""Charts of the reports."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any, Final

from django.utils.formats import date_format, number_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from paymatch.area.charts import HALF, ChartPoint, bars, line, stacked_columns
from paymatch.area.language.figures import amount, day
from paymatch.area.page import Visit
from paymatch.area.views.reports import asking
from paymatch.area.views.reports.labels import word
from paymatch.domain.money import CURRENCIES
from paymatch.domain.reports.asked import PeriodQuery, Step, begin_of
from paymatch.store.transactions import ShopTx
from paymatch.usecases.reports import receivables

Row = Mapping[str, Any]
MARKS: Final = ("one", "two", "three", "amber", "red")
"""Colours of the classes of age."""
AGEING_MONTHS: Final = 6


def ageing(days: Mapping[date, Sequence[Row]], currency: str, *, width: int = HALF) -> SafeString:
    """Columns of the classes of age, one per day; the last one is the one that is asked for."""
    columns = []
    for when, rows in days.items():
        shown = [row for row in rows if row["currency"] == currency]
        columns.append([_part(when, row, mark) for row, mark in zip(shown, MARKS, strict=True)])
    labels = {place: date_format(when, "M") for place, when in enumerate(days)}
    return stacked_columns(columns, name=_("Open receivables by age"), labels=labels, width=width)


def _part(when: date, row: Row, mark: str) -> ChartPoint:
    said = _part_text(f"{day(when)}, {word(row['age'])}", row["open"], row["currency"])
    return ChartPoint("", major(row["open"], row["currency"]), said, mark)


def cash_in(rows: Sequence[Row], currency: str, step: Step, last: date, *, width: int) -> SafeString:
    """Bars per day, week or month in the shop's currency; the present one is marked."""
    shown = [row for row in rows if row["currency"] == currency]
    points = [
        ChartPoint(
            _short(row["date"], step), major(row["amount"], currency),
            _part_text(month_name(row["date"]) if step is Step.MONTH else day(row["date"]), row["amount"], currency),
            "today" if row["date"] == begin_of(last, step) else "",
        )
        for row in shown
    ]  # fmt: skip
    every = max(len(points) // 8, 1)
    return bars(points, name=_("Cash in"), labels=range(0, len(points), every), width=width)


def of_report(tx: ShopTx, visit: Visit, name: str, asked: PeriodQuery, rows: Sequence[Row], width: int) -> SafeString:
    """The chart of a report; nothing for a report that is a list."""
    currency = visit.shop.currency
    if name in ("ageing", "open"):
        ends = asking.month_ends(asked.as_of, AGEING_MONTHS)
        return ageing(receivables.ageings(tx, ends), currency, width=width)
    if not rows:
        return SafeString("")
    if name == "cash-in":
        return cash_in(rows, currency, asked.step, asked.last, width=width)
    drawn = _DRAWN.get(name)
    return drawn(rows, currency, width) if drawn else SafeString("")


def _cash(rows: Sequence[Row], currency: str, width: int) -> SafeString:
    sums: dict[date, int] = {}
    for row in rows:
        if row["currency"] == currency and row["closing"] is not None:
            sums[row["month"]] = sums.get(row["month"], 0) + row["closing"]
    known = {row["month"]: row["knownTo"] for row in rows if row["currency"] == currency and row["missing"] is None}
    points = [
        ChartPoint(
            _short(month, Step.MONTH), major(minor, currency),
            _as_known(_part_text(month_name(month), minor, currency), known.get(month)),
        )
        for month, minor in sorted(sums.items())
    ]  # fmt: skip
    return bars(points, name=_("Closing balance"), labels=range(len(points)), width=width)


def _as_known(said: str, known_to: date | None) -> str:
    """A figure in words, and until when the statements reach if that is not its end; None if it is."""
    if known_to is None:
        return said
    return _("{figure}, known to {day}").format(figure=said, day=day(known_to))


def _fees(rows: Sequence[Row], currency: str, width: int) -> SafeString:
    sums: dict[str, int] = {}
    for row in rows:
        if row["currency"] == currency:
            sums[row["kind"]] = sums.get(row["kind"], 0) + row["fee"]
    points = [
        ChartPoint(str(word(kind)), major(minor, currency), _part_text(str(word(kind)), minor, currency))
        for kind, minor in sums.items()
    ]
    return bars(points, name=_("Fees withheld"), labels=range(len(points)), width=width)


def _dso(rows: Sequence[Row], _currency: str, width: int) -> SafeString:
    points = [
        ChartPoint(
            _short(row["month"], Step.MONTH), float(row["dso"] or 0),
            _as_known(f"{month_name(row['month'])}: {row['dso']}", row["knownTo"] if row["isPartlyKnown"] else None),
        )
        for row in rows
    ]  # fmt: skip
    return line(points, name=_("Days sales outstanding"), labels=range(len(points)), width=width)


def _reminders(rows: Sequence[Row], _currency: str, width: int) -> SafeString:
    points = [
        ChartPoint(
            _("Level %s") % row["dunningLevel"],
            float(row["share14"] or 0),
            f"{row['dunningLevel']}: {row['share14']} %",
        )
        for row in rows
    ]
    return bars(
        points, name=_("Paid within 14 days, per cent of a dunning level"), labels=range(len(points)), width=width
    )


_DRAWN: Final[Mapping[str, Callable[[Sequence[Row], str, int], SafeString]]] = {
    "cash": _cash,
    "fees": _fees,
    "dso": _dso,
    "reminders": _reminders,
}


def meter(percent: Any) -> SafeString:
    """A small bar that is as long as a share."""
    return format_html(
        '<svg class="meter" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">'
        '<rect width="{}" height="6" rx="2"/></svg>',
        f"{max(float(percent or 0), 0.5):.1f}",
    )


def major(minor: int, currency: str) -> float:
    """An amount as the height of a column."""
    return minor / 10 ** CURRENCIES[currency]


def _short(when: date, step: Step) -> str:
    return date_format(when, "M") if step is Step.MONTH else day(when)


def _part_text(what: str, minor: int, currency: str) -> str:
    """How a part of a chart is said."""
    return f"{what}: {amount(minor, currency)} {currency}"


def month_name(month: date) -> str:
    """October 2026."""
    return date_format(month, "F Y")


def decimal(value: Any) -> str:
    """A figure with its decimals in the reader's way."""
    return str(number_format(value))
