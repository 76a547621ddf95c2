"""A page per report: its days in the URL, table, chart, and the whole of it as a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from paymatch.area.charts import WIDE
from paymatch.area.language.figures import account_label, amount, day, moment
from paymatch.area.language.sentences import in_words
from paymatch.area.page import Visit, page
from paymatch.area.people.accounts import name_of
from paymatch.area.templatetags.figures import money
from paymatch.area.views.reports import asking, drawing
from paymatch.area.views.reports.labels import badge, label, paid_on, word
from paymatch.domain.reports.asked import ReportRefused
from paymatch.domain.reports.catalogue import ReportColumn, ReportColumnKind
from paymatch.domain.reports.row_filter import row_filter
from paymatch.usecases.reports import reports
from paymatch.usecases.reports.reports import ReportPage
from paymatch.usecases.shops import shops

PAGE_ROWS: Final = 50
_NUMBERS: Final = frozenset({ReportColumnKind.MONEY, ReportColumnKind.COUNT, ReportColumnKind.NUMBER})
_HIDDEN: Final = frozenset({"currency", "id", "forOrders", "forRefunds"})
"""Columns shown next to the amounts anyway, or for machines; the files have them."""
_FOLDED: Final[Mapping[str, Mapping[str, str]]] = {
    "postings": {"account": "bookingDate", "reason": "state", "aside": "amount", "open": "amount", "fee": "amount"},
    "cash": {"account": "month", "knownTo": "month", "missing": "closing"},
}
"""Report -> column -> the column in whose cell it is shown, in a second line, where it is not empty."""
_PLAIN: Final = frozenset({"account", "reason"})
"""Folded columns that need no name beside them."""
_UNBROKEN: Final = frozenset({"number", "otherOrder", "account"})
_SUMMED: Final = frozenset({"ageing", "fees", "cash-in", "matched", "reminders"})
_APART: Final = _SUMMED | {"cash", "reconciliation", "customers"}
"""Reports whose rows are grouped by currency, which is shown once above them."""


SEARCHED: Final = frozenset({"open", "customers", "overpaid", "postings", "unexplained"})
"""Reports that name customers or payers, and can be searched for one."""


@page("reports/<str:report>", "report")
def report_page(request: HttpRequest, visit: Visit, report: str) -> HttpResponse:
    """One report."""
    wanted = asking.report_named(report)
    if wanted is None:
        raise Http404
    asked, error = asking.asked_of(request, visit, wanted)
    search = request.GET.get("search", "") if wanted.name in SEARCHED else ""
    only = row_filter(wanted, (), search)
    exported = asking.export(visit, wanted, asked, request.GET.get("format", ""), only)
    if exported is not None:
        return exported
    place = ReportPage(request.GET.get("after", ""), PAGE_ROWS + 1 if wanted.pages else None)
    with visit.transaction() as tx:
        try:
            rows = list(reports.rows(tx, wanted, asked, place, only))
        except ReportRefused:
            raise Http404 from None
        if wanted.name == "set-paid":
            hints = {key.id: key.hint for key in shops.keys(tx)}
            rows = [{**row, "by": hints.get(row["by"]) or name_of(row["by"])} for row in rows]
        chart = drawing.of_report(tx, visit, wanted.name, asked, rows, WIDE)
    shown = rows[:PAGE_ROWS] if wanted.pages else rows
    columns = [column for column in wanted.columns if column.key not in _HIDDEN]
    folded = _folded(wanted.name, columns)
    columns = [column for column in columns if column.key not in _FOLDED.get(wanted.name, {})]
    groups = _groups(visit, columns, shown, folded, apart=wanted.name in _APART, summed=wanted.name in _SUMMED)
    values = {
        "tabs": asking.tabs(visit, wanted.name), "report": wanted, "title": gettext(wanted.title),
        "about": gettext(wanted.about), "asked": asked, "error": error, "chart": chart,
        "head": [(label(column.label), column.kind in _NUMBERS) for column in columns],
        "groups": groups, "currency": groups[0]["currency"] if len(groups) == 1 else "",
        "next": reports.place(shown[-1]) if len(rows) > len(shown) else "",
        "searched": wanted.name in SEARCHED, "search": search, "is_folded": bool(folded),
    }  # fmt: skip
    return render(request, "area/reports/report.html", values)


Folded = Mapping[str, Sequence[ReportColumn]]
"""Column -> those that are shown below it in its cell."""


def _folded(report: str, columns: Sequence[ReportColumn]) -> dict[str, list[ReportColumn]]:
    """The columns that other columns of the report show below them."""
    found: dict[str, list[ReportColumn]] = {}
    for column in columns:
        if column.key in _FOLDED.get(report, {}):
            found.setdefault(_FOLDED[report][column.key], []).append(column)
    return found


def _groups(
    visit: Visit,
    columns: Sequence[ReportColumn],
    rows: Sequence[Mapping[str, Any]],
    folded: Folded,
    *,
    apart: bool,
    summed: bool,
) -> list[dict[str, Any]]:
    """The rows, `apart` by currency or all of them together, with the sums of each part where they are summed up."""
    parts: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        parts.setdefault(str(row.get("currency", "")) if apart else _only_currency(rows), []).append(row)
    return [
        {
            "currency": currency,
            "rows": [[_cell(visit, column, row, currency, folded) for column in columns] for row in part],
            "sums": _sums(columns, part, currency) if summed else None,
        }
        for currency, part in parts.items()
    ]


def _only_currency(rows: Sequence[Mapping[str, Any]]) -> str:
    """The currency of all amounts, which is said once above them; empty where there are several, or none."""
    found = {row["currency"] for row in rows if "currency" in row}
    return str(found.pop()) if len(found) == 1 else ""


def _cell(
    visit: Visit, column: ReportColumn, row: Mapping[str, Any], currency: str, folded: Folded
) -> SafeString:  # fmt: skip
    """A cell of the table, with the column's name for narrow screens, and below it what is folded into it."""
    shown = _cell_value(visit, column, row, currency)
    unbroken = column.kind in (ReportColumnKind.DAY, ReportColumnKind.MOMENT) or column.key in _UNBROKEN
    kind = "num" if column.kind in _NUMBERS else ("when" if unbroken else "")
    kind += "" if shown not in ("", "–") else " nothing"
    below = [(each, _cell_value(visit, each, row, currency)) for each in folded.get(column.key, ())]
    details = format_html_join(
        "",
        '<span class="second">{}{}</span>',
        (
            (f"{label(each.label)} " if each.key not in _PLAIN else "", value)
            for each, value in below
            if value not in ("", "–", shown)  # what is set aside as a whole is the amount once more
        ),
    )  # fmt: skip
    return format_html(
        '<td data-key="{}" data-label="{}" class="{}">{}{}</td>', column.key, label(column.label), kind, shown, details
    )


def _cell_value(visit: Visit, column: ReportColumn, row: Mapping[str, Any], currency: str) -> Any:
    value = row.get(column.key)
    if value is None and column.key == "missing":
        return gettext("unknown")  # the statements do not reach so far: it is not 0.00
    if column.key == "customer" and "_customer" in row:
        value = value or row["customerNumber"] or gettext("Unknown name")
    if value is None or value == "":
        return ""
    match column.kind:
        case ReportColumnKind.MONEY:
            return _amount(value, row["currency"], currency)
        case ReportColumnKind.DAY:
            return drawing.month_name(value) if column.key == "month" else day(value)
        case ReportColumnKind.MOMENT:
            return moment(value, visit.shop.timezone)
        case ReportColumnKind.NUMBER:
            return drawing.decimal(value)
        case ReportColumnKind.PARTS:
            return _parts(visit, row)
    return _text(visit, column, row, value)


def _amount(minor: int, own: str, currency: str) -> Any:
    """An amount, with its currency unless it is said above; a dash for nothing."""
    if not minor:
        return "–"
    return amount(minor, own) if currency else money(minor, own)


def _text(visit: Visit, column: ReportColumn, row: Mapping[str, Any], value: Any) -> Any:
    shown = badge(column.key, str(value))
    if shown is not None:
        return format_html('<span class="badge {}" title="{}">{}</span>', *shown)
    if column.key in ("number", "otherOrder"):
        return format_html('<a href="{}">{}</a>', visit.url("order", number=value), value)
    if column.key == "customer" and "_customer" in row:
        return format_html('<a href="{}">{}</a>', visit.url("open_items", customer=row["_customer"]), value)
    if column.key == "account" and (said := paid_on(value)) is not None:
        return said
    if column.key == "account":
        return format_html('<span title="{}">{}</span>', value, account_label(value))
    if column.key == "text" and "id" in row:
        return format_html('<a class="mono" href="{}">{}</a>', visit.url("posting", posting=row["id"]), value)
    if column.key == "reason" and row.get("state") != "set aside":
        return in_words(value)
    return word(value)


def _parts(visit: Visit, row: Mapping[str, Any]) -> SafeString:
    """The orders of a posting, each with its amount where there are several."""
    parts = row["orders"]
    several = len(parts) > 1
    return format_html_join(
        " ",
        '<span class="when"><a href="{}">{}</a>{}{}</span>',
        (
            (
                visit.url("order", number=number), number, f" {amount(minor, row['currency'])}" if several else "",
                "," if place < len(parts) else "",
            )
            for place, (number, minor, *_more) in enumerate(parts, 1)
        ),
    )  # fmt: skip


def _sums(
    columns: Sequence[ReportColumn], rows: Sequence[Mapping[str, Any]], currency: str
) -> list[tuple[str, Any]] | None:
    """(column, its sum) of counts and amounts, "" for the others; None where nothing is to be summed up."""
    has_amounts = any(column.kind is ReportColumnKind.MONEY for column in columns)
    if len(rows) < 2 or (has_amounts and not currency):
        return None
    return [(label(column.label), _sum(column, rows, currency)) for column in columns[1:]]


def _sum(column: ReportColumn, rows: Sequence[Mapping[str, Any]], currency: str) -> Any:
    """The sum of a column; "" for one that does not add up."""
    if column.kind not in (ReportColumnKind.MONEY, ReportColumnKind.COUNT):
        return ""
    found = sum(row[column.key] for row in rows)
    return amount(found, currency) if column.kind is ReportColumnKind.MONEY else found
