"""Columns of an unknown service's settlement files: proposed, shown with a preview, corrected and kept (D-83)."""

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
from paymatch.domain.payouts.movements import MovementKind
from paymatch.domain.shops.shop import SettingRefused
from paymatch.formats.settlements.layouts import SettlementColumn
from paymatch.formats.statement import FileRefused
from paymatch.usecases.payouts.layout_mapping import map_layout, propose_layout

_C, _K = SettlementColumn, MovementKind
_COLUMNS: Final[Mapping[SettlementColumn, str | Promise]] = {
    _C.TIME: lazy("Day of the payment"),
    _C.KIND: lazy("Kind of row"),
    _C.ORDER: lazy("Order number"),
    _C.ID: lazy("Transaction id"),
    _C.GROSS: lazy("Gross amount"),
    _C.FEE: lazy("Fee"),
    _C.NET: lazy("Net amount"),
    _C.CURRENCY: lazy("Currency"),
    _C.PAYOUT_ID: lazy("Number of the payout"),
    _C.PAYOUT_DATE: lazy("Day of the payout"),
    _C.GROSS_DEBIT: lazy("Gross amount taken"),
    _C.NET_DEBIT: lazy("Net amount taken"),
    _C.MARKETPLACE_NUMBER: lazy("The marketplace's order number"),
    _C.PAYMENT: lazy("Id of the customer's payment"),
    _C.TEXT: lazy("Description"),
    _C.ORIGINAL: lazy("Amount that the customer paid"),
    _C.ORIGINAL_CURRENCY: lazy("Currency that the customer paid"),
    _C.TRACE: lazy("Reference of the transfer"),
    _C.CLOCK: lazy("Time of day"),
    _C.ZONE: lazy("Time zone"),
    _C.BALANCE: lazy("Balance"),
}
_USUAL: Final = 10
"""So many of them are shown at once; the others when they are used."""
_KINDS: Final[Mapping[MovementKind, str | Promise]] = {
    _K.SALE: lazy("Sale"),
    _K.REFUND: lazy("Refund"),
    _K.CHARGEBACK: lazy("Chargeback"),
    _K.CHARGEBACK_REVERSED: lazy("Chargeback won"),
    _K.FEE: lazy("Fee of the service"),
    _K.ADJUSTMENT: lazy("Correction"),
    _K.RESERVE_HELD: lazy("Reserve held"),
    _K.RESERVE_RELEASED: lazy("Reserve released"),
    _K.CONVERSION: lazy("Currency conversion"),
    _K.PAYOUT: lazy("Payout"),
    _K.CARRIED_OVER: lazy("Carried over"),
}


@page("bank/settlement/<str:file_id>", "bank_settlement", changes=Permission.BANK)
def settlement(request: HttpRequest, visit: Visit, file_id: str) -> HttpResponse:
    """The mapping of an uploaded settlement; POST tries changes, and keeps them where the person says so."""
    file = pending_uploads.file_of(visit, file_id)
    if file is None:
        raise Http404
    content, form = pending_uploads.content_of(visit, file), request.POST
    provider, keep = form.get("provider", "").strip(), form.get("action") == "keep"
    proposed, found, refused = dict[str, Any](), dict[str, Any](), ""
    try:
        proposed = propose_layout(io.BytesIO(content))
        if provider or keep:
            found = map_layout(
                visit.database, visit.shop, io.BytesIO(content), provider, visit.service.clock(),
                changes=_changes(form, proposed), save=keep,
            )  # fmt: skip
    except (FileRefused, SettingRefused) as refusal:
        refused = in_words_of(refusal)
    if keep and not refused:
        pending_uploads.rehearse(visit, [file_id])
        text = _("Tables with these headings are read as settlements of %(provider)s from now on")
        messages.success(request, text % {"provider": found["account"].partition(":")[2]}, extra_tags="green")
        return HttpResponseRedirect(visit.url("bank"))
    columns, kinds = proposed.get("columns", {}), proposed.get("kinds", {})
    asked = [
        {"name": what.value, "label": label, "text": form.get(what.value, columns.get(what.value, ""))}
        for what, label in _COLUMNS.items()
    ]
    values = {
        "tab": "bank", "file": file, "refused": refused, "provider": provider, "headings": proposed.get("headings", ()),
        "usual": asked[:_USUAL], "further": asked[_USUAL:],
        "opens_further": any(each["text"] for each in asked[_USUAL:]),
        "words": [
            {"word": word, "kind": form.get(f"kind:{word}", kinds.get(word, ""))} for word in proposed.get("words", ())
        ],
        "kinds": [(kind.value, label) for kind, label in _KINDS.items()],
        "signs": form.get("signs", ""), "found": found,
        "entries": [{**each, "kind": _KINDS[_K(each["kind"])]} for each in found.get("entries", ())],
        "may_import": visit.may(Permission.BANK),
    }  # fmt: skip
    status = 422 if refused and request.method == "POST" else 200
    return render(request, "area/bank/settlement.html", values, status=status)


def _changes(form: Mapping[str, str], proposed: Mapping[str, Any]) -> dict[str, str]:
    """What the person has filled in, as `map_layout` takes it."""
    changes = {what.value: form[what.value].strip() for what in _COLUMNS if what.value in form}
    kinds = {f"kind:{word}": form.get(f"kind:{word}", "") for word in proposed.get("words", ())}
    changes |= {name: kind for name, kind in kinds.items() if kind}
    return changes | ({"signs": "yes"} if form.get("signs") else {})
