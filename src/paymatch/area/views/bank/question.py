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
from paymatch.area.people.roles import Permission
from paymatch.area.views import pending_uploads
from paymatch.area.views.bank.mapping import field_words
from paymatch.domain.shops.shop import SettingRefused
from paymatch.domain.words.message import Message
from paymatch.formats.statement import FileRefused
from paymatch.formats.tables.profiles import header_word
from paymatch.usecases.statements.accounts import list_accounts
from paymatch.usecases.statements.csv_mapping import mapping

_ROWS: Final = 3


@page("bank/question/<str:file_id>", "bank_question", changes=Permission.BANK)
def question(request: HttpRequest, visit: Visit, file_id: str) -> HttpResponse:
    """Shows the columns and three rows; POST confirms the table for an account, or throws the file away."""
    file = pending_uploads.file_of(visit, file_id)
    if file is None:
        raise Http404
    answer, account, refused = request.POST.get("answer", ""), request.POST.get("own_account", ""), ""
    if request.method == "POST" and answer == "neither":
        pending_uploads.remove(visit, [file_id])
        messages.success(request, _("%(file)s is discarded, nothing was booked") % {"file": file.name})
        return HttpResponseRedirect(visit.url("bank"))
    content, found = pending_uploads.content_of(visit, file), dict[str, Any]()
    try:
        found = mapping(visit.database, visit.shop, io.BytesIO(content))
        if request.method == "POST":
            if answer != "statement" or not account:
                raise SettingRefused(Message("setting-say-what-file-which"))
            mapping(visit.database, visit.shop, io.BytesIO(content), account=account, save=True)
    except (FileRefused, SettingRefused) as refusal:
        refused = in_words_of(refusal)
    if request.method == "POST" and not refused:
        pending_uploads.rehearse(visit, [file_id])
        text = _("Tables with these headings are read as statements of account %(account)s from now on")
        messages.success(request, text % {"account": account}, extra_tags="green")
        return HttpResponseRedirect(visit.url("bank"))
    own = [
        row["account"] for row in list_accounts(visit.database, visit.shop) if row["confirmed"] and not row["provider"]
    ]
    values = {
        "tab": "bank", "file": file, "refused": refused, "columns": _columns(found), "rows": _rows(found),
        "list_headings": found.get("listHeadings", ()), "accounts": own, "account": account,
        "doubts": found.get("doubts", ()),
        "may_import": visit.may(Permission.BANK),
    }  # fmt: skip
    return render(request, "area/bank/question.html", values, status=422 if refused and request.POST else 200)


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
