"""Exports: whole tables, and files for bookkeeping programs, of the days that are asked for."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from typing import Any, Final

from django.http import FileResponse, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from paymatch.area.page import Visit, page
from paymatch.area.people.roles import Permission
from paymatch.area.views.reports import asking
from paymatch.domain.reports.asked import Asked
from paymatch.domain.reports.catalogue import REPORTS
from paymatch.domain.reports.exports import EXPORTS
from paymatch.usecases.reports import exports, sheets

TABLES: Final = (
    ("postings", _("Postings with what they were for")),
    ("allocations", _("Allocations: which posting pays which order")),
    ("orders", _("Orders, by their date")),
    ("refunds", _("Refunds, by their planned date")),
    ("fees", _("Fees withheld, each one")),
    ("journal", _("Double-entry journal")),
)
_BOOKKEEPING: Final = {"datev": ("EXTF_paymatch.csv", "text/csv"), "beancount": ("paymatch.beancount", "text/plain")}


@page("reports/exports", "reports_exports")
def export_page(request: HttpRequest, visit: Visit) -> HttpResponse:
    """What can be exported of which days; with `format` the file itself."""
    asked, error = asking.asked_of(request, visit, REPORTS["fees"])
    what, wanted = request.GET.get("what", ""), request.GET.get("format", "")
    has_sales = bool(request.GET.get("sales"))
    try:
        answer = None if error else _file(visit, asked, what, wanted, sales=has_sales)
    except exports.ExportRefused:
        answer, error = None, gettext("DATEV needs its two numbers from the settings, and days of one fiscal year.")
    if answer is not None:
        return answer
    values = {
        "tabs": asking.tabs(visit, "exports"), "asked": asked, "error": error, "tables": TABLES, "sales": has_sales,
        "settings_url": visit.url("setting", subject="bookkeeping") if visit.may(Permission.MANAGE) else "",
    }  # fmt: skip
    return render(request, "area/reports/exports.html", values)


def _file(visit: Visit, asked: Asked, what: str, wanted: str, *, sales: bool) -> HttpResponse | None:
    """The file that is asked for; None for none. ExportRefused before anything of it is sent."""
    if what in _BOOKKEEPING and wanted == what:
        name, media_type = _BOOKKEEPING[what]
        return _download(_bookkeeping(visit, asked, what, sales=sales), name, media_type)
    if what not in EXPORTS:
        return None
    rows = _rows(visit, asked, what, sales=sales)
    if wanted == "csv":
        return _download(sheets.as_csv(EXPORTS[what], visit.shop, rows), f"{what}.csv", "text/csv; charset=utf-8")
    if wanted != "xlsx":
        return None
    file = tempfile.TemporaryFile()  # noqa: SIM115  the answer closes it
    sheets.as_xlsx(file, EXPORTS[what], visit.shop, rows)
    file.seek(0)
    return FileResponse(file, as_attachment=True, filename=f"{what}.xlsx")


def _download(chunks: Iterable[bytes], name: str, media_type: str) -> HttpResponse:
    answer = StreamingHttpResponse(chunks, content_type=media_type)
    answer["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer


def _rows(visit: Visit, asked: Asked, what: str, *, sales: bool) -> Iterator[dict[str, Any]]:
    """The rows of a table, read while they are written."""
    with visit.transaction() as tx:
        yield from exports.rows(tx, visit.shop, what, asked.first, asked.last, sales=sales)


def _bookkeeping(visit: Visit, asked: Asked, what: str, *, sales: bool) -> Iterable[bytes]:
    """The file's lines. DATEV's settings are looked at right away, the bookings are read while they are written."""
    if what == "datev":
        with visit.transaction() as tx:
            exports.check_datev(tx, visit.shop, asked.first, asked.last)
    return _lines(visit, asked, what, sales=sales)


def _lines(visit: Visit, asked: Asked, what: str, *, sales: bool) -> Iterator[bytes]:
    with visit.transaction() as tx:
        if what == "datev":
            yield from exports.as_datev(tx, visit.shop, asked.first, asked.last, visit.now, sales=sales)
        else:
            yield from exports.as_beancount(tx, visit.shop, asked.first, asked.last, sales=sales)
