"""How the columns of a table are read: recognised, shown with a preview, corrected and kept for the account."""

from __future__ import annotations

import io
from typing import Any, Final

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.translation import gettext as _

from paymatch.area.page import Visit, page
from paymatch.area.people.roles import Permission
from paymatch.area.templatetags.wording import refusal as in_words_of
from paymatch.area.views.bank import offers
from paymatch.domain.shops.shop import SettingRefused
from paymatch.formats.statement import FileRefused
from paymatch.formats.tables.profiles import CsvField
from paymatch.usecases.statements.accounts import list_accounts
from paymatch.usecases.statements.csv_mapping import mapping

_OPTIONS: Final = ("delimiter", "decimal_mark", "date_order", "encoding", "currency")
_FIELDS: Final = tuple(field.value for field in CsvField if field.value not in _OPTIONS)


@page("bank/columns/<str:file_id>", "bank_columns", changes=Permission.BANK)
def columns(request: HttpRequest, visit: Visit, file_id: str) -> HttpResponse:
    """The mapping of an uploaded table; POST tries changes, and keeps them where the person says so."""
    file = offers.file_of(visit, file_id)
    if file is None:
        raise Http404
    content, form = offers.content_of(visit, file), request.POST
    keep, refused = form.get("action") == "keep", ""
    changes = {name: form[name].strip() for name in (*_FIELDS, *_OPTIONS) if name in form}
    found: dict[str, Any] = {}
    try:
        found = mapping(visit.database, visit.shop, io.BytesIO(content), account=form.get("own_account", ""))
        changed = {name: text for name, text in changes.items() if text != _written(found, name)}
        if request.method == "POST":
            found = mapping(
                visit.database, visit.shop, io.BytesIO(content), account=form.get("own_account", ""), changes=changed,
                save=keep,
            )  # fmt: skip
    except (FileRefused, SettingRefused) as refusal:
        refused = in_words_of(refusal)
    if keep and not refused:
        offers.rehearse(visit, [file_id])
        messages.success(request, _("The columns are kept for account %(account)s") % found, extra_tags="green")
        return HttpResponseRedirect(visit.url("bank"))
    values = {
        "tab": "bank", "file": file, "found": found, "refused": refused,
        "fields": [(name, changes.get(name, _written(found, name))) for name in _FIELDS],
        "options": [(name, changes.get(name, _written(found, name))) for name in _OPTIONS],
        "accounts": [row["account"] for row in list_accounts(visit.database, visit.shop)],
        "account": form.get("own_account", found.get("account", "")), "may_import": visit.may(Permission.BANK),
    }  # fmt: skip
    return render(
        request, "area/bank/columns.html", values, status=422 if refused and request.method == "POST" else 200
    )


def _written(found: dict[str, Any], name: str) -> str:
    """A field's columns or an option as a person writes them."""
    if name in _OPTIONS:
        value = found.get("options", {}).get(name, "")
        return "tab" if value == "\t" else value
    return " | ".join(found.get("columns", {}).get(name, ()))
