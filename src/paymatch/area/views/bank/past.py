"""Past imports: what each brought, line by line, and how to undo one."""

from __future__ import annotations

from typing import Final

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from paymatch.area.language.sentences import refusal as in_words_of
from paymatch.area.lists import Choice, ListColumn, ListColumnKind, Listing, ListPage, ListQuery
from paymatch.area.page import Visit, page
from paymatch.area.people.roles import Permission
from paymatch.area.templatetags.wording import format_name
from paymatch.area.views.overview import LATEST, STATES, latest_payments
from paymatch.domain.orders.split import AssignmentRefused
from paymatch.domain.statement_channels import StatementChannel
from paymatch.store.statements import statements as store
from paymatch.store.transactions import ShopTx
from paymatch.usecases.statements import import_runs
from paymatch.usecases.statements.import_runs import ImportUnknown
from paymatch.usecases.statements.imports import page_of_imports, undo_import

STATUSES: Final = (("BOOKED", gettext_lazy("Booked")), ("UNDONE", gettext_lazy("Undone")))
CHANNELS: Final = {
    StatementChannel.API: gettext_lazy("API"),
    StatementChannel.DROP_FOLDER: gettext_lazy("Drop folder"),
    StatementChannel.FINTS: gettext_lazy("FinTS"),
    StatementChannel.EBICS: gettext_lazy("EBICS"),
    StatementChannel.ACCOUNT_INFORMATION: gettext_lazy("Account information"),
    StatementChannel.COMMAND_LINE: gettext_lazy("Command line"),
    StatementChannel.AREA: gettext_lazy("Upload"),
    StatementChannel.SANDBOX_BANK: gettext_lazy("Sandbox bank"),
    StatementChannel.MAIL: gettext_lazy("Mail"),
    StatementChannel.UNKNOWN: gettext_lazy("Not recorded"),
}
_BALANCES: Final = {
    "ok": ("green", "ok", gettext_lazy("Balance fits")),
    "mismatch": ("red", "mismatch", gettext_lazy("Balance does not fit")),
    "unknown": ("grey", "unknown", gettext_lazy("No balances")),
}


def _imports(tx: ShopTx, visit: Visit, asked: ListQuery) -> ListPage:
    found = page_of_imports(tx, status=asked.filters.get("status", ""), name=asked.search, asked=asked.page)
    for row in found.rows:
        row["format"] = format_name(row["format"])
        row["by"] = CHANNELS[StatementChannel(row["channel"])]
        row["fits"] = _BALANCES[row["balance"]]
        row["state"] = ("green" if row["status"] == "BOOKED" else "grey", row["status"], dict(STATUSES)[row["status"]])
        row["url"] = visit.url("bank_import", import_id=row["id"])
    return ListPage(found.rows, found.next, totals=found.totals)


IMPORTS: Final = Listing(
    "imports",
    columns=(
        ListColumn("created_at", gettext_lazy("Imported"), ListColumnKind.MOMENT),
        ListColumn("file_name", gettext_lazy("File"), link="url"),
        ListColumn("format", gettext_lazy("Format")),
        ListColumn("by", gettext_lazy("Received by")),
        ListColumn("entries", gettext_lazy("Entries"), ListColumnKind.COUNT),
        ListColumn("new", gettext_lazy("New"), ListColumnKind.COUNT),
        ListColumn("known", gettext_lazy("Known"), ListColumnKind.COUNT),
        ListColumn("errors", gettext_lazy("Unreadable"), ListColumnKind.COUNT, chosen=False),
        ListColumn("sumCredit", gettext_lazy("Credits"), ListColumnKind.COUNT, chosen=False),
        ListColumn("sumDebit", gettext_lazy("Debits"), ListColumnKind.COUNT, chosen=False),
        ListColumn("fits", gettext_lazy("Balance"), ListColumnKind.BADGE),
        ListColumn("state", gettext_lazy("State"), ListColumnKind.BADGE),
    ),
    choices=(Choice("status", gettext_lazy("State"), STATUSES),),
    fetch=_imports,
    sorts=store.IMPORTS.sorts,
    usual="-created_at",
)


@page("bank/imports", "bank_imports")
def past_imports(request: HttpRequest, visit: Visit) -> HttpResponse:
    """All imports of the shop."""
    return IMPORTS.answer(request, visit, "area/bank/imports.html", tab="bank_imports")


@page("bank/imports/<str:import_id>", "bank_import", changes=Permission.BANK)
def past_import(request: HttpRequest, visit: Visit, import_id: str) -> HttpResponse:
    """One import with the payments that it brought; POST undoes it."""
    try:
        with visit.transaction() as tx:
            found = import_runs.find(tx, import_id)
    except ImportUnknown:
        raise Http404 from None
    if request.method == "POST":
        return _undone(request, visit, import_id)

    def fetch_imported(tx: ShopTx, visit: Visit, asked: ListQuery) -> ListPage:
        return latest_payments(tx, visit, asked, import_id=import_id)

    lines = Listing(
        "payments",
        LATEST.columns,
        fetch_imported,
        (Choice("status", gettext_lazy("State"), STATES),),
        searches=False,
        sorts=LATEST.sorts,
    )
    return lines.answer(
        request, visit, "area/bank/import.html", tab="bank_imports", report=found, import_id=import_id,
        balance=_BALANCES.get(found.get("balance", "unknown")), may_undo=visit.may(Permission.BANK),
    )  # fmt: skip


def _undone(request: HttpRequest, visit: Visit, import_id: str) -> HttpResponse:
    here = HttpResponseRedirect(visit.url("bank_import", import_id=import_id))
    if request.POST.get("sure") != "yes":
        messages.error(request, _("Tick the box to undo the import"), extra_tags="red")
        return here
    try:
        done = undo_import(visit.database, visit.shop, import_id, visit.service.clock())
    except AssignmentRefused as refusal:
        messages.error(request, in_words_of(refusal), extra_tags="red")
        return here
    counts = {"payments": done["postingsRemoved"], "orders": len(done["ordersSettled"])}
    text = _("The import is undone: %(payments)d payments removed, %(orders)d orders settled again")
    messages.success(request, text % counts, extra_tags="green")
    return HttpResponseRedirect(visit.url("bank_imports"))
