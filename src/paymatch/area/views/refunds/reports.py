"""Status reports of the bank (pain.002), uploaded by a person: the result of each transfer, and what it changed."""

from __future__ import annotations

from typing import Any, BinaryIO, Final, cast

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from paymatch.area.badges import refund_badge
from paymatch.area.language.sentences import refusal as in_words_of
from paymatch.area.page import Visit, page
from paymatch.area.people.roles import Permission
from paymatch.area.views.refunds.labels import bank_reason_words, bank_status_words
from paymatch.domain.refunds.refunds import RefundStatus
from paymatch.domain.refunds.transfers import NOT_EXECUTED
from paymatch.domain.refusal import Refused
from paymatch.formats.statement import FileRefused
from paymatch.usecases.refunds import bank_reports
from paymatch.usecases.refunds.bank_reports import ReportedRefund

MOST_FILES: Final = 10


@page("refunds/reports", "refund_reports", needs=Permission.REFUND, changes=Permission.REFUND)
def refund_reports(request: HttpRequest, visit: Visit) -> HttpResponse:
    """The form; POST applies each file on its own and shows what it said. The same file again changes nothing."""
    error = ""
    results: list[dict[str, Any]] = []
    if request.method == "POST":
        files = request.FILES.getlist("files")[:MOST_FILES]
        results = [_apply_report(visit, file.name, cast(BinaryIO, file.file)) for file in files]
        error = "" if files else _("Choose a file first.")
    return render(request, "area/refund_reports.html", {"results": results, "error": error, "most": MOST_FILES})


def _apply_report(visit: Visit, name: str, stream: BinaryIO) -> dict[str, Any]:
    """What a file said of each transfer; `error` if nothing of it was taken."""
    try:
        found = bank_reports.import_report(visit.database, visit.shop, stream, visit.service.clock())
    except (FileRefused, Refused) as refused:
        return {"name": name, "error": in_words_of(refused)}
    return {"name": name, "rows": [_row(each, visit) for each in found], "moved": sum(each.moved for each in found)}


def _row(each: ReportedRefund, visit: Visit) -> dict[str, Any]:
    return {
        "reference": each.reference,
        "order": each.order_number,
        "link": visit.url("order", number=each.order_number),
        "said": bank_status_words(each.bank_status) or _("Not mentioned"),
        "code": each.bank_status,
        "tone": "red" if each.bank_status in NOT_EXECUTED else "grey",
        "reason": bank_reason_words(each.bank_code),
        "badge": refund_badge(RefundStatus(each.status)),
        "moved": each.moved,
    }
