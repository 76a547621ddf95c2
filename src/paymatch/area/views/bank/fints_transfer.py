"""A transfer file by FinTS: what it pays, the PIN, and the decision on a file that the bank has not confirmed."""

from __future__ import annotations

import hashlib
from typing import Final

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from paymatch.area.language.sentences import refusal
from paymatch.area.page import Visit, page
from paymatch.area.people.roles import Permission
from paymatch.area.views.bank.fints import desk_of
from paymatch.area.views.refunds.labels import FINTS_UPLOADS
from paymatch.domain.refusal import Refused
from paymatch.usecases.fints import dialogues, uploads
from paymatch.usecases.fints.talking import talk

_REFUND: Final = Permission.REFUND


@page("refunds/files/<str:file>/fints", "fints_transfer", needs=_REFUND, changes=_REFUND, proof=True)
def transfer(request: HttpRequest, visit: Visit, file: str) -> HttpResponse:
    """Sends a transfer file with the PIN, or takes a person's word on whether the bank has it."""
    refused = ""
    if request.method == "POST":
        try:
            if request.POST.get("do") in ("there", "not-there"):
                with visit.transaction() as tx:
                    uploads.decide(tx, file, is_there=request.POST["do"] == "there")
                messages.success(request, _("Your answer is saved."), extra_tags="green")
                return redirect(visit.url("fints_transfer", file=file))
            return redirect(visit.url("fints_dialogue", dialogue=_begin(request, visit, file)))
        except Refused as error:
            refused = refusal(error)
    try:
        with visit.transaction() as tx:
            shown = uploads.file_view(tx, file)
            opened = dialogues.open_dialogue(tx)
    except uploads.FileUnknown:
        raise Http404 from None
    values = {
        "file": shown.file, "rows": shown.rows, "upload": shown.upload, "sendable": shown.sendable, "opened": opened,
        "badge": FINTS_UPLOADS.get(shown.upload.status) if shown.upload else None, "refused": refused,
        "sha256": hashlib.sha256(shown.content).hexdigest(), "problem": visit.service.fints().problem(),
        "was_taken": shown.file.written_at is not None,
    }  # fmt: skip
    return render(request, "area/fints_transfer.html", values, status=422 if refused else 200)


def _begin(request: HttpRequest, visit: Visit, file: str) -> str:
    desk, pin = desk_of(visit), request.POST.get("pin", "")
    folder = visit.service.settings.transfers() / str(visit.shop.id)
    not_taken = request.POST.get("not_taken") == "yes"
    begun = dialogues.begin_transfer(desk, file, pin, folder, not_taken=not_taken)
    talk(desk, begun, pin)
    return begun.id
