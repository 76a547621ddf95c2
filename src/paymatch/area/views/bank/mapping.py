"""How the columns of a table are read: recognised, shown with a preview, corrected and kept for the account."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any, Final

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as lazy

from paymatch.area.language.sentences import refusal as in_words_of
from paymatch.area.page import Visit, page
from paymatch.area.people.roles import Permission
from paymatch.area.views import pending_uploads
from paymatch.domain.shops.shop import SettingRefused
from paymatch.formats.statement import FileRefused
from paymatch.formats.tables.profiles import CsvField
from paymatch.usecases.statements.accounts import list_accounts
from paymatch.usecases.statements.csv_mapping import mapping

_OPTIONS: Final = ("delimiter", "decimal_mark", "date_order", "encoding", "currency")
_FIELDS: Final = tuple(field.value for field in CsvField if field.value not in _OPTIONS)
_USUAL: Final = frozenset({"booking_date", "amount", "credit", "debit", "name", "iban", "text", "delimiter"})
"""What nearly every table has; the rest is inside a disclosure until it is used."""
_WORDS: Final[Mapping[str, str | Promise]] = {
    "booking_date": lazy("Booking date"),
    "value_date": lazy("Value date"),
    "amount": lazy("Amount"),
    "credit": lazy("Money in"),
    "debit": lazy("Money out"),
    "marker": lazy("Mark of money in or out"),
    "gross": lazy("Gross amount"),
    "fee": lazy("Fee"),
    "name": lazy("Payer or payee"),
    "payer": lazy("Payer"),
    "payee": lazy("Payee"),
    "ultimate_name": lazy("On behalf of"),
    "iban": lazy("IBAN of the payer or payee"),
    "payer_iban": lazy("The payer's IBAN"),
    "payee_iban": lazy("The payee's IBAN"),
    "bic": lazy("BIC"),
    "text": lazy("Payment text"),
    "structured_reference": lazy("Structured reference"),
    "end_to_end_id": lazy("End-to-end id"),
    "mandate": lazy("Mandate"),
    "creditor_id": lazy("Creditor id"),
    "bank_reference": lazy("Bank's reference"),
    "batch_id": lazy("Batch id"),
    "return_reason": lazy("Reason of a return"),
    "original_amount": lazy("Original amount"),
    "original_currency": lazy("Original currency"),
    "balance": lazy("Balance"),
    "type": lazy("Type of booking"),
    "status": lazy("Status of booking"),
    "effect": lazy("Effect on the balance"),
    "account": lazy("Your account"),
    "delimiter": lazy("Between columns"),
    "decimal_mark": lazy("Decimal mark"),
    "date_order": lazy("Order of day, month and year"),
    "encoding": lazy("Character encoding"),
    "currency": lazy("Currency"),
}


@page("bank/columns/<str:file_id>", "bank_columns", changes=Permission.BANK)
def columns(request: HttpRequest, visit: Visit, file_id: str) -> HttpResponse:
    """The mapping of an uploaded table; POST tries changes, and keeps them where the person says so."""
    file = pending_uploads.file_of(visit, file_id)
    if file is None:
        raise Http404
    content, form = pending_uploads.content_of(visit, file), request.POST
    keep, refused = form.get("action") == "keep", ""
    changes = {name: form[name].strip() for name in (*_FIELDS, *_OPTIONS) if name in form}
    found: dict[str, Any] = {}
    try:
        found = mapping(visit.database, visit.shop, io.BytesIO(content), account=form.get("own_account", ""))
        changed = {name: text for name, text in changes.items() if text != _field_text(found, name)}
        if request.method == "POST":
            found = mapping(
                visit.database, visit.shop, io.BytesIO(content), account=form.get("own_account", ""), changes=changed,
                save=keep,
            )  # fmt: skip
    except (FileRefused, SettingRefused) as refusal:
        refused = in_words_of(refusal)
    if keep and not refused:
        pending_uploads.rehearse(visit, [file_id])
        messages.success(request, _("The columns are kept for account %(account)s") % found, extra_tags="green")
        return HttpResponseRedirect(visit.url("bank"))
    asked = [_form_field(name, changes.get(name, _field_text(found, name))) for name in (*_FIELDS, *_OPTIONS)]
    values = {
        "tab": "bank", "file": file, "found": found, "refused": refused,
        "usual": [each for each in asked if each["usual"]], "further": [each for each in asked if not each["usual"]],
        "accounts": [row["account"] for row in list_accounts(visit.database, visit.shop) if not row["provider"]],
        "account": form.get("own_account", found.get("account", "")), "may_import": visit.may(Permission.BANK),
    }  # fmt: skip
    return render(
        request, "area/bank/columns.html", values, status=422 if refused and request.method == "POST" else 200
    )


def field_words(name: str) -> str:
    """What a column is read as, in the reader's language; "" for one that is not read."""
    return str(_WORDS[name]) if name else ""


def _form_field(name: str, text: str) -> dict[str, Any]:
    """A field of the form; `usual`: shown at once."""
    return {"name": name, "label": _WORDS[name], "text": text, "usual": name in _USUAL or bool(text)}


def _field_text(found: dict[str, Any], name: str) -> str:
    """A field's columns or an option as a person writes them."""
    if name in _OPTIONS:
        value = found.get("options", {}).get(name, "")
        return "tab" if value == "\t" else value
    return " | ".join(found.get("columns", {}).get(name, ()))
