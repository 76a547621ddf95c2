"""Is a table a bank statement? A person says so once, with its account, and it is kept (D-82)."""

from __future__ import annotations

import io
from itertools import zip_longest
from typing import Any, Final

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.translation import gettext as _

from paymatch.area.language.sentences import refusal as in_words_of
from paymatch.area.page import Visit, page
from paymatch.area.people.models import ORDERS, OfferedFile
from paymatch.area.people.roles import Permission
from paymatch.area.views import pending_uploads
from paymatch.area.views.bank.mapping import field_words
from paymatch.domain.shops.shop import SettingRefused
from paymatch.domain.words.message import Message
from paymatch.formats.statement import FileRefused
from paymatch.formats.tables.profiles import header_word
from paymatch.usecases.orders import order_imports
from paymatch.usecases.orders.order_imports import ImportWish
from paymatch.usecases.statements.accounts import list_accounts
from paymatch.usecases.statements.csv_mapping import mapping

_ROWS: Final = 3
_TRIED: Final = 500
"""Rows of a list of orders up to which the page says what importing it would do."""


@page("bank/question/<str:file_id>", "bank_question", changes=Permission.BANK)
def question(request: HttpRequest, visit: Visit, file_id: str) -> HttpResponse:
    """Shows the columns and three rows; POST confirms the table for an account, hands it on, or throws it away."""
    file = pending_uploads.file_of(visit, file_id)
    if file is None:
        raise Http404
    content = pending_uploads.content_of(visit, file)
    answer, account, refused = request.POST.get("answer", ""), request.POST.get("own_account", ""), ""
    found = dict[str, Any]()
    try:
        if handed_on := _hand_on(request, visit, file, content, answer):
            return handed_on
        found = mapping(visit.database, visit.shop, io.BytesIO(content))
        if request.method == "POST":
            _confirm(visit, content, answer, account)
    except (FileRefused, SettingRefused) as refusal:
        refused = in_words_of(refusal)
    if request.method == "POST" and not refused:
        pending_uploads.rehearse(visit, [file_id])
        text = _("Tables with these headings are read as statements of account %(account)s from now on")
        messages.success(request, text % {"account": account}, extra_tags="green")
        return HttpResponseRedirect(visit.url("bank"))
    values = _values(visit, file, content, found) | {"refused": refused, "account": account, "answer": answer}
    return render(
        request, "area/bank/question.html", values, status=422 if refused and request.method == "POST" else 200
    )


def _hand_on(request: HttpRequest, visit: Visit, file: OfferedFile, content: bytes, answer: str) -> HttpResponse | None:
    """Where a file goes that is not a bank statement; None if it is one, or nothing was answered. FileRefused."""
    if request.method != "POST":
        return None
    if answer == "neither":
        pending_uploads.remove(visit, [str(file.pk)])
        messages.success(request, _("%(file)s is discarded, nothing was booked") % {"file": file.name})
        return HttpResponseRedirect(visit.url("bank"))
    if answer == "settlement":
        return HttpResponseRedirect(visit.url("bank_settlement", file_id=str(file.pk)))
    if answer == "orders" and visit.may(Permission.DECIDE):
        order_imports.read_table(io.BytesIO(content))
        kept = pending_uploads.keep(visit, file.name, content, ORDERS)
        pending_uploads.remove(visit, [str(file.pk)])
        return HttpResponseRedirect(visit.url("import_orders_file", file_id=str(kept.pk)))
    return None


def _confirm(visit: Visit, content: bytes, answer: str, account: str) -> None:
    """Keeps the layout for the account. SettingRefused without either; FileRefused."""
    if answer != "statement" or not account:
        raise SettingRefused(Message("setting-say-what-file-which"))
    mapping(visit.database, visit.shop, io.BytesIO(content), account=account, save=True)


def _values(visit: Visit, file: OfferedFile, content: bytes, found: dict[str, Any]) -> dict[str, Any]:
    own = [
        row["account"] for row in list_accounts(visit.database, visit.shop) if row["confirmed"] and not row["provider"]
    ]
    return {
        "tab": "bank", "file": file, "columns": _columns(found), "rows": _rows(found),
        "list_headings": found.get("listHeadings", ()), "accounts": own, "doubts": found.get("doubts", ()),
        "lines": max(len(content.splitlines()) - bool(found.get("hasHeadings")), 0),
        "orders": _as_orders(visit, content) if found.get("listHeadings") else None,
        "may_import": visit.may(Permission.BANK), "may_orders": visit.may(Permission.DECIDE),
    }  # fmt: skip


def _as_orders(visit: Visit, content: bytes) -> dict[str, int] | None:
    """How many rows would be new, changed or the same orders, and refused; None if it is not a table, or a long one."""
    try:
        table = order_imports.read_table(io.BytesIO(content))
        if len(table.rows) > _TRIED:
            return None
        done = order_imports.preview(visit.database, visit.shop, table, ImportWish(), visit.service.clock())
    except (FileRefused, SettingRefused):
        return None
    counts = {outcome: done.count(outcome) for outcome in ("new", "changed", "same", "refused")}
    return counts | {"known": counts["changed"] + counts["same"], "rows": len(done.rows)}


def _columns(found: dict[str, Any]) -> list[dict[str, Any]]:
    """Each column: its heading, what it would be read as, and whether lists of orders have it."""
    if not found or not found["preview"]:
        return []
    meant = {header_word(name): field for field, names in found["columns"].items() for name in names if name[:1] != "#"}
    places = {name: field for field, names in found["columns"].items() for name in names if name[:1] == "#"}
    columns = []
    for place, cell in enumerate(found["preview"][0], 1):
        field = places.get(f"#{place}") or meant.get(header_word(cell), "")
        name = cell.strip() if found["hasHeadings"] else f"#{place}"
        columns.append(
            {"name": name, "field": field_words(field), "is_of_a_list": cell.strip() in found["listHeadings"]}
        )
    return columns


def _rows(found: dict[str, Any]) -> list[list[str]]:
    """The first three rows, each as wide as the headings."""
    if not found or not found["preview"]:
        return []
    width = len(found["preview"][0])
    rows = found["preview"][1 if found["hasHeadings"] else 0 :][:_ROWS]
    return [[cell or "" for _, cell in zip_longest(range(width), row[:width])] for row in rows]
