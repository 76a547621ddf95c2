"""Transfer files: listed, downloaded, or discarded before they are sent."""

from __future__ import annotations

from typing import Any, Final

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from paymatch.area.language.sentences import refusal as in_words_of
from paymatch.area.lists import Choice, ListColumn, ListColumnKind, Listing, ListPage, ListQuery
from paymatch.area.page import Visit, page
from paymatch.area.people.roles import Permission
from paymatch.area.views.refunds.labels import FINTS_UPLOADS
from paymatch.domain.bank_feeds.uploads import NEVER_SENT
from paymatch.domain.refusal import Refused
from paymatch.store.bank_feeds.fints import FintsUpload
from paymatch.store.refunds import refund_list
from paymatch.store.statements import bank_connections
from paymatch.store.transactions import ShopTx
from paymatch.usecases.refunds import refund_lists, transfer_files
from paymatch.usecases.refunds.withdrawing import fints_uploads

_STATES: Final = (
    ("waiting", gettext_lazy("No answer yet")),
    ("answered", gettext_lazy("At the bank")),
    ("discarded", gettext_lazy("Discarded")),
)


def _fetch(tx: ShopTx, visit: Visit, asked: ListQuery) -> ListPage:
    found = refund_lists.files(tx, text=asked.search, state=asked.filters.get("state", ""), asked=asked.page)
    by_fints = fints_uploads(tx, [row["id"] for row in found.rows])
    accounts = set() if visit.shop.sandbox else {row.account for row in bank_connections.connections(tx)}
    rows = [_row(row, by_fints.get(row["id"]), row["account"] in accounts) for row in found.rows]
    return ListPage(rows, found.next, totals=found.totals)


def _row(row: dict[str, Any], upload: FintsUpload | None, has_fints: bool) -> dict[str, Any]:
    """A transfer file with its state as a badge; only one that nothing was heard of can be discarded."""
    is_out = upload is not None and upload.status not in NEVER_SENT
    if row["discarded_at"]:
        badge = ("grey", "discarded", _("Discarded"))
    elif row["came_back"]:
        said = _("{back} of {all} came back").format(back=row["came_back"], all=row["transfers"])
        badge = ("red", "answered", said)
    elif row["answered"]:
        said = _("{booked} of {all} booked").format(booked=row["booked"], all=row["transfers"])
        badge = ("green" if row["booked"] == row["transfers"] else "accent", "answered", said)
    elif upload is not None and is_out:
        badge = (FINTS_UPLOADS[upload.status][0], str(upload.status), FINTS_UPLOADS[upload.status][1])
    elif row["downloaded_by"]:
        badge = ("accent", "downloaded", _("Downloaded by {name}").format(name=row["downloaded_by"]))
    else:
        badge = ("amber", "waiting", _("Never downloaded"))
    return row | {
        "state": badge,
        "unsent": not row["discarded_at"] and not row["answered"] and not is_out,
        "is_out": is_out,
        "fints": not row["discarded_at"] and (upload is not None or (has_fints and not row["answered"])),
        "total": row["total_minor"],
    }


FILES: Final = Listing(
    "transfer-files",
    columns=(
        ListColumn("message_id", gettext_lazy("File")),
        ListColumn("created_at", gettext_lazy("Created"), ListColumnKind.MOMENT),
        ListColumn("execution_date", gettext_lazy("Execution"), ListColumnKind.DAY, chosen=False),
        ListColumn("account", gettext_lazy("Account"), chosen=False),
        ListColumn("transfers", gettext_lazy("Transfers"), ListColumnKind.COUNT),
        ListColumn("sha256", "SHA-256"),
        ListColumn("state", gettext_lazy("State"), ListColumnKind.BADGE),
        ListColumn("total", gettext_lazy("Sum"), ListColumnKind.MONEY),
    ),
    choices=(Choice("state", gettext_lazy("State"), _STATES),),
    fetch=_fetch,
    sorts=refund_list.FILES.sorts,
    usual="-created_at",
)


@page("refunds/files", "refund_files")
def files(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Every transfer file, the last first."""
    return FILES.answer(request, visit, "area/refund_files.html", may_refund=visit.may(Permission.REFUND))


@page("refunds/file", "refund_file", needs=Permission.REFUND, changes=Permission.REFUND)
def file(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Hands out a transfer file, or discards one that was never sent."""
    if request.method != "POST":
        return files(request, visit)
    name, now = request.POST.get("file", ""), visit.service.clock()
    try:
        if "discard" in request.POST:
            folder = visit.service.settings.transfers() / str(visit.shop.id)
            gone = transfer_files.discard(visit.database, visit.shop, name, folder, now)
            n = len(gone.refund_ids)
            text = ngettext(
                "{file} is discarded; {n} refund is planned again.",
                "{file} is discarded; {n} refunds are planned again.",
                n,
            )
            messages.success(request, text.format(file=name, n=n))
            return redirect(visit.url("refund_files"))
        with visit.transaction() as tx:
            content = transfer_files.download(tx, name)
    except Refused as refused:
        messages.error(request, in_words_of(refused))
        return redirect(visit.url("refund_files"))
    answer = HttpResponse(content, content_type="application/xml")
    answer["Content-Disposition"] = f'attachment; filename="{name}.xml"'
    return answer
