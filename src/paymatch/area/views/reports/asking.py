"""Query of a page of reports: days in the URL, tabs, addresses of the exports."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from typing import Any, Final

from django.http import FileResponse, HttpRequest, HttpResponse, StreamingHttpResponse
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from paymatch.area.language.sentences import in_words
from paymatch.area.page import Visit
from paymatch.domain.reports.asked import BY_BOOKING, PeriodQuery, ReportBy, ReportRefused, ask
from paymatch.domain.reports.catalogue import REPORTS, ReportDefinition
from paymatch.domain.reports.row_filter import ALL, RowFilter
from paymatch.domain.words.typed_days import typed_day
from paymatch.usecases.reports import reports, sheets

TABS: Final = (
    ("ageing", _("By age")),
    ("open", _("Open orders")),
    ("customers", _("By customer")),
    ("reconciliation", _("Reconciliation")),
    ("cash", _("Cash")),
    ("postings", _("Postings")),
    ("unexplained", _("Unexplained")),
    ("cash-in", _("Cash in")),
    ("matched", _("Matching")),
    ("fees", _("Fees")),
    ("overpaid", _("Overpaid")),
    ("set-paid", pgettext_lazy("report", "Set paid")),
    ("dso", _("DSO")),
    ("reminders", _("Reminders")),
)
"""The reports in the order of the tabs, between the summary and the end of the month."""

_IN_THE_MENU: Final = frozenset({"customers", "reconciliation", "cash", "postings", "unexplained", "set-paid", "dso"})
"""Reports in a menu behind the tabs, unless they are open."""

_GIVE_WAY: Final = frozenset({"fees", "exports"})
"""Reports under "More": the tabs fit into one line. An open report gets its own tab."""


def tabs(visit: Visit, current: str) -> list[dict[str, Any]]:
    """The tabs, which one is open, and which are shown beside the menu."""
    inner = [(name, label, visit.url("report", report=name)) for name, label in TABS]
    pages = [
        ("", _("Summary"), visit.url("reports")),
        *inner,
        ("close", _("Month-end"), visit.url("reports_close")),
        ("exports", _("Exports"), visit.url("reports_exports")),
    ]
    behind = (_IN_THE_MENU | _GIVE_WAY if current in _IN_THE_MENU else _IN_THE_MENU) - {current}
    return [
        {"label": label, "url": url, "current": name == current, "shown": name not in behind}
        for name, label, url in pages
    ]


def day_of(text: str) -> date | None:
    """The day that a field for days or a link says; None for anything else."""
    return typed_day(text)


def asked_of(request: HttpRequest, visit: Visit, report: ReportDefinition) -> tuple[PeriodQuery, str]:
    """(what the URL asks for, why it cannot be had): with an error the usual days are shown."""
    given = request.GET
    by = ReportBy(given["by"]) if given.get("by") in list(ReportBy) else ReportBy.MONTH
    if by is ReportBy.BOOKED and report.name not in BY_BOOKING:
        by = ReportBy.MONTH
    first, last, as_of = (day_of(given.get(key, "")) for key in ("from", "to", "as-of"))
    if not report.has_period:
        first = last = None
    try:
        return ask(report, visit.today, first, last, as_of if report.has_day else None, by), ""
    except ReportRefused as error:
        words = _OUTSIDE if error.expected else _ERRORS.get(error.parameter) or in_words(error.message)
        return ask(report, visit.today, by=by), words


_OUTSIDE: Final = _("Choose days of the years 1900 to 9998.")
_ERRORS: Final[Mapping[str, Any]] = {
    "asOf": _("The day is in the future: choose today or a day before."),
    "from": _("The period ends before it begins, or is longer than 11 years."),
}


def month_ends(day: date, months: int) -> list[date]:
    """The ends of the last months, the last one the day itself."""
    found = [day]
    for _place in range(months - 1):
        found.append(found[-1].replace(day=1) - timedelta(days=1))
    return found[::-1]


def export(
    visit: Visit, report: ReportDefinition, asked: PeriodQuery, wanted: str, only: RowFilter = ALL
) -> HttpResponse | None:
    """The report as a file, all rows that the filter takes, its columns named in the reader's language in XLSX.

    None for no such format.
    """
    if wanted == "csv":
        answer = StreamingHttpResponse(
            sheets.as_csv(report, visit.shop, _rows(visit, report, asked, only)), content_type="text/csv; charset=utf-8"
        )
        answer["Content-Disposition"] = f'attachment; filename="{report.name}.csv"'
        return answer
    if wanted == "xlsx":
        file = tempfile.TemporaryFile()  # noqa: SIM115  the answer closes it
        sheets.as_xlsx(file, report, visit.shop, _rows(visit, report, asked, only), gettext)
        file.seek(0)
        return FileResponse(file, as_attachment=True, filename=f"{report.name}.xlsx")
    return None


def _rows(visit: Visit, report: ReportDefinition, asked: PeriodQuery, only: RowFilter) -> Iterator[Mapping[str, Any]]:
    """All rows that the filter takes, read as they are written: the reports do not change meanwhile."""
    with visit.transaction() as tx:
        yield from reports.rows(tx, report, asked, only=only)


def report_named(name: str) -> ReportDefinition | None:
    """The report that has a page of its own kind."""
    return REPORTS.get(name) if name in dict(TABS) else None
