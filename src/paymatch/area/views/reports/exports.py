"""Exports: whole tables, and files for bookkeeping programs, of the days that are asked for."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from typing import Any, Final

from django.http import FileResponse, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.utils.translation import gettext

from paymatch.area.page import Visit, page
from paymatch.area.people.roles import Permission
from paymatch.area.views.reports import asking
from paymatch.area.views.reports.labels import EXPORTED_FILES, EXPORTED_TABLES
from paymatch.domain.reports.asked import PeriodQuery
from paymatch.domain.reports.catalogue import REPORTS
from paymatch.domain.reports.exports import EXPORTS, FILES
from paymatch.domain.reports.row_filter import ALL, FilterRefused
from paymatch.usecases.reports import export_files, exports

FILE_KINDS: Final = {"datev": "EXTF", "datev-documents": "ZIP", "beancount": "beancount"}
"""What the link to a file for a program is called."""


@page("reports/exports", "reports_exports")
def export_page(request: HttpRequest, visit: Visit) -> HttpResponse:
    """What can be exported, and for which days; with `format` the file itself."""
    asked, error = asking.asked_of(request, visit, REPORTS["fees"])
    what, wanted = request.GET.get("what", ""), request.GET.get("format", "")
    try:
        answer = None if error else _file(visit, request, asked, what, wanted)
    except FilterRefused as refusal:
        answer, error = None, _refusal_text(refusal)
    except exports.ExportRefused:
        answer, error = (
            None,
            gettext(
                "DATEV needs its two numbers from the settings, rates of other currencies, and days of one fiscal year."
            ),
        )
    if answer is not None:
        return answer
    values = {
        "tabs": asking.tabs(visit, "exports"), "asked": asked, "error": error, "tables": EXPORTED_TABLES,
        "files": [(name, label, FILE_KINDS[name]) for name, label in EXPORTED_FILES],
        "sales": bool(request.GET.get("sales")), "where": request.GET.get("where", ""),
        "search": request.GET.get("search", ""), "columns": _columns(),
        "settings_url": visit.url("setting", subject="bookkeeping") if visit.may(Permission.MANAGE) else "",
    }  # fmt: skip
    return render(request, "area/reports/exports.html", values)


def _columns() -> list[tuple[Any, str]]:
    """What a filter calls the columns of each table."""
    return [(label, ", ".join(column.key for column in EXPORTS[name].columns)) for name, label in EXPORTED_TABLES]


def _refusal_text(refusal: FilterRefused) -> str:
    words = gettext("The filter cannot be used: %(why)s.") % {"why": refusal}
    return f"{words} {', '.join(refusal.allowed) or refusal.expected}"


def _file(visit: Visit, request: HttpRequest, asked: PeriodQuery, what: str, wanted: str) -> HttpResponse | None:
    """The file that is asked for; None for none. ExportRefused and FilterRefused before anything of it is sent."""
    if what not in EXPORTS and what not in FILES:
        return None
    given = request.GET
    only = export_files.only(what, [given.get("where", "")], given.get("search", "")) if what in EXPORTS else ALL
    one = export_files.ExportRequest(what, asked.first, asked.last, sales=bool(given.get("sales")), only=only)
    if (what in FILES and wanted == what) or (what in EXPORTS and wanted == "csv"):
        with visit.transaction() as tx:
            export_files.prepare(tx, one, visit.now)
        answer = StreamingHttpResponse(_chunks(visit, one), content_type=export_files.media_type(one))
        answer["Content-Disposition"] = f'attachment; filename="{export_files.file_name(one)}"'
        return answer
    if what not in EXPORTS or wanted != "xlsx":
        return None
    file = tempfile.TemporaryFile()  # noqa: SIM115  the answer closes it
    with visit.transaction() as tx:
        export_files.prepare(tx, one, visit.now)
    with visit.transaction() as tx:
        export_files.write_xlsx(tx, one, file)
    file.seek(0)
    return FileResponse(file, as_attachment=True, filename=f"{what}.xlsx")


def _chunks(visit: Visit, wanted: export_files.ExportRequest) -> Iterator[bytes]:
    """The file, read while it is written."""
    with visit.transaction() as tx:
        yield from export_files.chunks(tx, wanted, visit.now, visit.service.files)
