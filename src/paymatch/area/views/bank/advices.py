"""Remittance advices: listed, brought in by hand, shown with what they explain, undone (D-94)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from paymatch.area.language.sentences import as_sentence, in_words
from paymatch.area.language.sentences import refusal as in_words_of
from paymatch.area.lists import Choice, ListColumn, ListColumnKind, Listing, ListPage, ListQuery
from paymatch.area.page import Visit, page
from paymatch.area.people.roles import Permission
from paymatch.area.views.bank.past import CHANNELS
from paymatch.domain.refusal import Refused
from paymatch.domain.statement_channels import StatementChannel
from paymatch.formats.advices.reading import MAX_BYTES
from paymatch.store.advices import advice_list
from paymatch.store.advices.advice_list import ListedAdvice
from paymatch.store.statements import postings as posting_store
from paymatch.store.transactions import ShopTx
from paymatch.usecases.advices.advices import AdviceUnknown, import_advice, show_advice, undo_advice
from paymatch.usecases.advices.mailed import SenderUnknown, confirm_sender, list_senders, revoke_sender

AT_ONCE: Final = 10
_STATES: Final[Mapping[str, tuple[str, str | Promise]]] = {
    "matched": ("green", gettext_lazy("Matched")),
    "suggested": ("amber", gettext_lazy("Suggested")),
    "waiting": ("grey", gettext_lazy("Waits for its payment")),
    "unreadable": ("red", gettext_lazy("Unreadable")),
}
_DONE: Final = {
    "matched": ("green", gettext_lazy("%(file)s is imported: its payment is matched")),
    "suggested": (
        "amber",
        gettext_lazy("%(file)s is imported: there is a suggestion for its payment, please check it"),
    ),
    "waiting": ("green", gettext_lazy("%(file)s is imported: it waits for a payment of %(amount)s %(currency)s")),
    "unreadable": ("amber", gettext_lazy("%(file)s is saved, but it does not state clearly what is paid: %(problem)s")),
}


def _fetch(tx: ShopTx, visit: Visit, asked: ListQuery) -> ListPage:
    found = advice_list.page(tx, state=asked.filters.get("state", ""), search=asked.search, asked=asked.page)
    return ListPage([_row(visit, row) for row in found.rows], found.next, totals=found.totals)


def _row(visit: Visit, row: ListedAdvice) -> dict[str, Any]:
    return {
        "id": row.id, "came": row.received_on, "sender": row.payer or row.file_name, "number": row.number,
        "day": row.day, "orders": row.line_count, "amount": row.paid_minor,
        "currency": row.currency or visit.shop.currency, "by": CHANNELS[StatementChannel(row.channel)],
        "postings": row.postings, "file": row.file_name, "problem": row.problem, "state": _badge(row.state),
        "url": visit.url("advice", advice=row.id),
    }  # fmt: skip


def _badge(state: str) -> tuple[str, str, str | Promise]:
    colour, word = _STATES[state]
    return colour, state, word


ADVICES: Final = Listing(
    "advices",
    columns=(
        ListColumn("sender", gettext_lazy("Sender"), link="url"),
        ListColumn("id", gettext_lazy("Advice"), chosen=False),
        ListColumn("number", gettext_lazy("Number")),
        ListColumn("day", gettext_lazy("Date"), ListColumnKind.DAY),
        ListColumn("came", gettext_lazy("Received"), ListColumnKind.DAY, chosen=False),
        ListColumn("by", gettext_lazy("Received by")),
        ListColumn("file", gettext_lazy("File"), chosen=False),
        ListColumn("problem", gettext_lazy("Problem"), chosen=False),
        ListColumn("postings", gettext_lazy("Payments"), chosen=False),
        ListColumn("orders", gettext_lazy("Orders"), ListColumnKind.COUNT),
        ListColumn("amount", gettext_lazy("Amount"), ListColumnKind.MONEY),
        ListColumn("currency", gettext_lazy("Currency"), chosen=False),
        ListColumn("state", gettext_lazy("State"), ListColumnKind.BADGE),
    ),
    choices=(Choice("state", gettext_lazy("State"), tuple((key, word) for key, (_colour, word) in _STATES.items())),),
    fetch=_fetch,
    sorts=advice_list.ADVICES.sorts,
    usual="-came",
)


@page("bank/advices", "advices", changes=Permission.BANK)
def advices(request: HttpRequest, visit: Visit) -> HttpResponse:
    """All advices of the shop. POST brings files in; what a person brings is vouched for."""
    if request.method == "POST":
        return _import(request, visit)
    return ADVICES.answer(
        request, visit, "area/bank/advices.html", tab="advices", may_import=visit.may(Permission.BANK), most=MAX_BYTES,
        at_once=AT_ONCE,
    )  # fmt: skip


def _import(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Brings the files in, each on its own; from a posting's page for that posting, and back to it."""
    files, posting = request.FILES.getlist("files"), request.POST.get("posting", "")
    if posting:
        with visit.transaction() as tx:
            if not posting_store.load(tx, [posting]):
                raise Http404
    if not files:
        messages.error(request, _("Choose at least one file"), extra_tags="red")
    elif len(files) > AT_ONCE:
        text = ngettext("Choose at most %(count)d file at once", "Choose at most %(count)d files at once", AT_ONCE)
        messages.error(request, text % {"count": AT_ONCE}, extra_tags="red")
        files = []
    for file in files:
        try:
            found = import_advice(
                visit.database, visit.shop, file, file.name, visit.service.clock(), StatementChannel.AREA, posting
            )
        except Refused as refusal:
            values = {"file": file.name, "why": in_words(refusal.message)}
            messages.error(request, _("%(file)s was not imported: %(why)s") % values, extra_tags="red")
            continue
        for each in found:
            colour, text = _DONE[each["state"]]
            messages.success(request, text % (each | {"problem": as_sentence(each["problem"])}), extra_tags=colour)
    return HttpResponseRedirect(visit.url("posting", posting=posting) if posting else visit.url("advices"))


@page("bank/advices/<str:advice>", "advice", changes=Permission.BANK)
def advice(request: HttpRequest, visit: Visit, advice: str) -> HttpResponse:
    """One advice with its lines, or with what was read of it; POST undoes it, or judges the sender of its mail."""
    try:
        if request.method == "POST" and ("posting" in request.POST or "revoke" in request.POST):
            return _sender_judged(request, visit, advice)
        if request.method == "POST":
            return _undone(request, visit, advice)
        found = show_advice(visit.database, visit.shop, advice)
    except AdviceUnknown:
        raise Http404 from None
    known = [each for each in list_senders(visit.database, visit.shop) if each["address"] == found["mailedBy"]]
    values = {
        "senders": known if found["mailedBy"] else [],
        "tab": "advices", "advice": found, "badge": _badge(found["state"]), "may_undo": visit.may(Permission.BANK),
        "title": found["sender"] or found["file"], "by": CHANNELS[StatementChannel(found["channel"])],
        "postings": [(visit.url("posting", posting=each), each) for each in found["postings"]],
    }  # fmt: skip
    return render(request, "area/bank/advice.html", values)


def _sender_judged(request: HttpRequest, visit: Visit, advice_id: str) -> HttpResponse:
    """Confirms the sender for the payer of a payment, or revokes a confirmed one."""
    clock = visit.service.clock()
    try:
        if sender := request.POST.get("revoke", ""):
            revoke_sender(visit.database, visit.shop, sender, clock)
            messages.success(request, _("The sender is no longer confirmed"), extra_tags="green")
        else:
            posting = request.POST.get("posting", "")
            said = confirm_sender(visit.database, visit.shop, advice_id, posting, clock)
            text = _("Advices of %(address)s now decide the payments of %(payer)s")
            messages.success(request, text % said, extra_tags="green")
    except SenderUnknown:
        raise Http404 from None
    except Refused as refusal:
        messages.error(request, in_words_of(refusal), extra_tags="red")
    return HttpResponseRedirect(visit.url("advice", advice=advice_id))


def _undone(request: HttpRequest, visit: Visit, advice_id: str) -> HttpResponse:
    if request.POST.get("sure") != "yes":
        messages.error(request, _("Tick the box to undo the advice"), extra_tags="red")
        return HttpResponseRedirect(visit.url("advice", advice=advice_id))
    undo_advice(visit.database, visit.shop, advice_id, visit.service.clock())
    messages.success(request, _("The advice is undone: its payments are decided again"), extra_tags="green")
    return HttpResponseRedirect(visit.url("advices"))
