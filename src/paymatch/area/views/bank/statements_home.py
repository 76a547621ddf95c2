"""The bank's first page: bring statements in and look at them before they are booked, gaps, unreadable entries."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from paymatch.area.language.sentences import refusal as in_words_of
from paymatch.area.page import Visit, page
from paymatch.area.people.roles import Permission
from paymatch.area.views import pending_uploads
from paymatch.area.views.bank.entries import EntryForm
from paymatch.area.views.bank.unread import marked, readable_values
from paymatch.domain.orders.split import AssignmentRefused
from paymatch.domain.refusal import Later
from paymatch.domain.shops.alerts import AlertKind
from paymatch.domain.statement_channels import StatementChannel
from paymatch.usecases.statements.account_chains import known_accounts
from paymatch.usecases.statements.import_process import ImportFailed
from paymatch.usecases.statements.resolving import list_unread, resolve_unread
from paymatch.usecases.work.alerts import list_alerts

LINKS: Final = 5
"""Statements of each account in the balance chain."""
ENTRIES_SHOWN: Final = 20

FEED_ALARMS: Final = (
    AlertKind.SILENT_FEED, AlertKind.EBICS, AlertKind.ACCOUNT_INFORMATION, AlertKind.CONSENT_ENDS,
    AlertKind.STATEMENT_GAP, AlertKind.BALANCE_MISMATCH, AlertKind.ACCOUNT_UNCONFIRMED,
    AlertKind.NEVER_CONFIRMED, AlertKind.TABLE_QUESTION,
)  # fmt: skip


@page("bank", "bank", changes=Permission.BANK)
def bank(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Upload, preview, book; the balance chain; entries to type."""
    if request.method == "POST":
        act = _ACTIONS.get(request.POST.get("action", ""))
        if act is None:
            messages.error(request, _("Choose what to do"), extra_tags="red")
            return HttpResponseRedirect(visit.url("bank"))
        return act(request, visit)
    return _board(request, visit)


def _board(request: HttpRequest, visit: Visit, typed: EntryForm | None = None, status: int = 200) -> HttpResponse:
    files = pending_uploads.pending_files(visit)
    with visit.transaction() as tx:
        accounts = known_accounts(tx, links=LINKS)
    waiting = [row for row in list_unread(visit.database, visit.shop) if not row["resolvedBy"]]
    alarms = [row for row in list_alerts(visit.database, visit.shop) if row["kind"] in FEED_ALARMS]
    ready = [file for file in files if file.state == "ready"]
    own = [each.account for each in accounts if each.is_registered and not each.is_at_provider]
    values = {
        "tab": "bank", "files": files, "accounts": accounts,
        "has_balances": any(each.has_balances for each in accounts), "alarms": alarms, "waiting_count": len(waiting),
        "entries": [(_with_parts(row), _form_of(row, visit, own, typed)) for row in waiting[:ENTRIES_SHOWN]],
        "ready_count": len(ready), "new_count": sum(file.report["new"] for file in ready if file.report),
        "is_running": any(file.run_id for file in files), "may_import": visit.may(Permission.BANK),
        "upload_bytes": visit.service.settings.upload_max_bytes, "at_once": pending_uploads.AT_ONCE,
    }  # fmt: skip
    return render(request, "area/bank/board.html", values, status=status)


def _with_parts(row: Mapping[str, Any]) -> dict[str, Any]:
    """The entry with its wrong part, and whether only the amount has to be typed."""
    parts = marked(row["raw"], row["reason"])
    only_amount = bool(parts[1]) and "day" in readable_values(row["raw"], parts[1])
    return {**row, "parts": parts, "only_amount": only_amount}


def _form_of(row: Mapping[str, Any], visit: Visit, accounts: list[str], typed: EntryForm | None) -> EntryForm:
    """The form of an unreadable entry; the one that was just sent, if it is this entry's."""
    sent = (typed.data.get("import_id"), typed.data.get("position")) if typed else ()
    if typed and sent == (row["importId"], str(row["position"])):
        return typed
    currency = row["currency"] or visit.shop.currency
    known = {key: row[key] for key in ("line", "position", "account")}
    known |= {"import_id": row["importId"], "currency": currency}
    known |= readable_values(row["raw"], marked(row["raw"], row["reason"])[1])
    return EntryForm(accounts, initial=known, auto_id=f"id_{row['importId']}_{row['position']}_%s")


def _upload(request: HttpRequest, visit: Visit) -> HttpResponse:
    files = request.FILES.getlist("files")
    if not files:
        messages.error(request, _("Choose at least one file"), extra_tags="red")
    elif len(files) > pending_uploads.AT_ONCE:
        text = ngettext(
            "Choose at most %(count)d file at once", "Choose at most %(count)d files at once", pending_uploads.AT_ONCE
        )
        messages.error(request, text % {"count": pending_uploads.AT_ONCE}, extra_tags="red")
    else:
        pending_uploads.offer(visit, files)
    return HttpResponseRedirect(visit.url("bank"))


def _chosen_files(request: HttpRequest) -> list[str]:
    return request.POST.getlist("file")


def _book(request: HttpRequest, visit: Visit) -> HttpResponse:
    book_chosen(request, visit)
    return HttpResponseRedirect(visit.url("bank"))


def book_chosen(request: HttpRequest, visit: Visit) -> None:
    """Books the chosen files, and shows the results.

    One of a foreign account only if the person says that it is the shop's.
    """
    chosen, accepted = set(_chosen_files(request)), set(request.POST.getlist("accept"))
    foreign = [
        file for file in pending_uploads.pending_files(visit)
        if str(file.pk) in chosen and file.report and file.report.get("newAccounts") and str(file.pk) not in accepted
    ]  # fmt: skip
    for file in foreign:
        values = {"file": file.name, "accounts": ", ".join(file.report["newAccounts"])}
        text = _("%(file)s was not imported: confirm first that account %(accounts)s is yours")
        messages.error(request, text % values, extra_tags="red")
    wanted = chosen - {str(file.pk) for file in foreign}
    if not wanted and not foreign:
        messages.error(request, _("Choose at least one file"), extra_tags="red")
    for name, report in pending_uploads.book(visit, wanted):
        values = {"file": name, "new": report["new"], "known": report["known"], "matched": report["matched"]}
        text = _("%(file)s is imported: %(new)d new payments, %(known)d known before, %(matched)d matched")
        messages.success(request, text % values, extra_tags="green")


def _book_ready(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Books all files that are ready, except those of an unconfirmed account."""
    ready = {
        str(file.pk) for file in pending_uploads.pending_files(visit)
        if file.state == "ready" and file.report and not file.report["newAccounts"]
    }  # fmt: skip
    if not ready:
        messages.error(request, _("No file is ready"), extra_tags="red")
    for name, report in pending_uploads.book(visit, ready):
        values = {"file": name, "new": report["new"], "known": report["known"], "matched": report["matched"]}
        text = _("%(file)s is imported: %(new)d new payments, %(known)d known before, %(matched)d matched")
        messages.success(request, text % values, extra_tags="green")
    return HttpResponseRedirect(visit.url("bank"))


def _remove(request: HttpRequest, visit: Visit) -> HttpResponse:
    count = pending_uploads.remove(visit, _chosen_files(request))
    text = ngettext("%(count)d file removed, nothing was booked", "%(count)d files removed, nothing was booked", count)
    messages.success(request, text % {"count": count})
    return HttpResponseRedirect(visit.url("bank"))


def _again(request: HttpRequest, visit: Visit) -> HttpResponse:
    pending_uploads.rehearse(visit, _chosen_files(request))
    return HttpResponseRedirect(visit.url("bank"))


def _resolve(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Books what was typed of an unreadable entry; the form shows a refusal, and keeps the typed values."""
    with visit.transaction() as tx:
        own = [each.account for each in known_accounts(tx, links=0) if each.is_registered]
    place = f"{request.POST.get('import_id', '')}_{request.POST.get('position', '')}"
    form = EntryForm(own, request.POST, auto_id=f"id_{place}_%s")
    if not form.is_valid():
        return _board(request, visit, form, status=422)
    values = form.cleaned_data
    try:
        done = resolve_unread(
            visit.database, visit.shop, values["import_id"], values["line"], form.typed_entry(), visit.service.clock(),
            channel=StatementChannel.AREA, position=values["position"],
        )  # fmt: skip
    except (AssignmentRefused, ImportFailed, Later) as refusal:
        form.add_error(None, in_words_of(refusal))
        return _board(request, visit, form, status=422)
    texts: Sequence[str] = (_("The entry was known from another file already"), _("The entry is booked"))
    messages.success(request, texts[done["new"]], extra_tags="green")
    return HttpResponseRedirect(visit.url("bank"))


_ACTIONS: Final[Mapping[str, Callable[[HttpRequest, Visit], HttpResponse]]] = {
    "upload": _upload, "book": _book, "book-ready": _book_ready,
    "remove": _remove, "again": _again, "resolve": _resolve,
}  # fmt: skip
