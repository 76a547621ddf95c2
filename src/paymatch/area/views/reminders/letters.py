"""Letters: waiting and sent ones, print runs to download and mark, and one letter with its PDF."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from paymatch.area.language.sentences import refusal as in_words_of
from paymatch.area.lists import Choice, ListColumn, ListColumnKind, Listing, ListPage, ListQuery
from paymatch.area.page import Visit, page
from paymatch.area.people.roles import Permission
from paymatch.area.views.reminders.labels import failure_words
from paymatch.domain.refusal import Refused
from paymatch.domain.reminders.letters import LETTER_LIFECYCLE, LetterEvent, LetterKind, LetterStatus
from paymatch.domain.shops.shop import SettingRefused
from paymatch.store.letters import letters as letter_store
from paymatch.store.transactions import ShopTx
from paymatch.usecases.letters import letter_lists, printing

_RUNS: Final = 10

_STATES: Final[Mapping[LetterStatus, tuple[str, str | Promise]]] = {
    LetterStatus.NEW: ("amber", gettext_lazy("Being written")),
    LetterStatus.SPOOLED: ("amber", gettext_lazy("Waits")),
    LetterStatus.PRINTING: ("amber", gettext_lazy("In a print run")),
    LetterStatus.PRINTED: ("green", gettext_lazy("Printed")),
    LetterStatus.SENT: ("green", gettext_lazy("With the provider")),
    LetterStatus.POSTED: ("green", gettext_lazy("Posted")),
    LetterStatus.RETURNED: ("red", gettext_lazy("Not delivered")),
    LetterStatus.KEPT: ("grey", gettext_lazy("Kept here")),
    LetterStatus.REFUSED: ("red", gettext_lazy("Refused")),
    LetterStatus.WITHDRAWN: ("grey", gettext_lazy("Withdrawn")),
    LetterStatus.DISCARDED: ("grey", gettext_lazy("Discarded")),
}
_KINDS: Final[Mapping[LetterKind, str | Promise]] = {
    LetterKind.INFORMATION: gettext_lazy("Payment information"),
    LetterKind.REMINDER: gettext_lazy("Reminder"),
    LetterKind.INVOICE: gettext_lazy("Invoice"),
    LetterKind.REFUND_ACCOUNT: gettext_lazy("Bank details for a refund"),
}
_RUN_STATES: Final[Mapping[str, tuple[str, str | Promise]]] = {
    "open": ("amber", gettext_lazy("Being printed")),
    "printed": ("green", gettext_lazy("Printed")),
    "undone": ("grey", gettext_lazy("Undone")),
}


def _row(row: Mapping[str, Any], visit: Visit) -> dict[str, Any]:
    colour, word = _STATES[LetterStatus(row["status"])]
    return {
        "created_at": row["createdAt"],
        "letter": _name(row),
        "letter_link": visit.url("letter", letter=row["id"]),
        "order": row["orderNumber"],
        "order_link": visit.url("order", number=row["orderNumber"]),
        "to": row["to"],
        "country": row["country"],
        "pages": row["pages"] or None,
        "state": (colour, row["status"], word),
        "error": failure_words(row["error"], came_back=row["status"] == LetterStatus.RETURNED),
    }


def _name(row: Mapping[str, Any]) -> str:
    if row["kind"] == LetterKind.REMINDER:
        return _("Reminder {level}").format(level=row["dunningLevel"])
    return str(_KINDS[LetterKind(row["kind"])])


def _fetch(tx: ShopTx, visit: Visit, asked: ListQuery) -> ListPage:
    status, kind = asked.filters.get("status"), asked.filters.get("kind")
    found = letter_lists.sorted_letters(
        tx, number=asked.search, status=LetterStatus(status) if status else None,
        kind=LetterKind(kind) if kind else None, asked=asked.page,
    )  # fmt: skip
    return ListPage([_row(row, visit) for row in found.rows], found.next, totals=found.totals)


LETTERS: Final = Listing(
    "letters",
    columns=(
        ListColumn("created_at", gettext_lazy("When"), ListColumnKind.MOMENT),
        ListColumn("letter", gettext_lazy("Letter"), link="letter_link"),
        ListColumn("order", gettext_lazy("Order"), link="order_link"),
        ListColumn("to", gettext_lazy("To")),
        ListColumn("country", gettext_lazy("Country"), chosen=False),
        ListColumn("pages", gettext_lazy("Pages"), ListColumnKind.COUNT),
        ListColumn("state", gettext_lazy("State"), ListColumnKind.BADGE),
        ListColumn("error", gettext_lazy("Why not")),
    ),
    choices=(
        Choice("status", gettext_lazy("State"), tuple((str(key), word) for key, (_tone, word) in _STATES.items())),
        Choice("kind", gettext_lazy("Kind"), tuple((str(key), word) for key, word in _KINDS.items())),
    ),
    fetch=_fetch,
    sorts=letter_store.LETTERS.sorts,
    usual="-created_at",
)


@page("reminders/letters", "letters", changes=Permission.REMIND)
def letters(request: HttpRequest, visit: Visit) -> HttpResponse:
    """The list and the print runs; POST begins a run, marks one as printed or undoes it (`do`)."""
    if request.method == "POST":
        return _act(request, visit)
    with visit.transaction() as tx:
        runs = [run | {"badge": _RUN_STATES[run["state"]]} for run in printing.list_runs(tx, _RUNS)]
    return LETTERS.answer(
        request, visit, "area/letters.html", runs=runs, may_remind=visit.may(Permission.REMIND),
        letters_on=visit.shop.letters, may_manage=visit.may(Permission.MANAGE),
    )  # fmt: skip


def _act(request: HttpRequest, visit: Visit) -> HttpResponse:
    do, run = request.POST.get("do", ""), request.POST.get("run", "")
    try:
        with visit.transaction() as tx:
            if do == "print":
                said = _("The print run is ready below.")
                if printing.begin_run(tx) is None:
                    said = _("No letter waits to be printed.")
            elif do == "printed":
                count = printing.mark_printed(tx, run)
                said = ngettext("{count} letter is printed.", "{count} letters are printed.", count).format(count=count)
            elif do == "undo":
                count = printing.undo_run(tx, run)
                said = ngettext("{count} letter waits again.", "{count} letters wait again.", count).format(count=count)
            else:
                raise Http404
    except Refused as refused:
        messages.error(request, in_words_of(refused))
    else:
        folder = visit.service.settings.letters() / str(visit.shop.id)
        printing.tidy(visit.service.database, visit.shop, folder)
        messages.success(request, said)
    return redirect(visit.url("letters"))


@page("reminders/letters/run/<str:run>/<str:form>", "letter_run", needs=Permission.REMIND)
def letter_run(request: HttpRequest, visit: Visit, run: str, form: str) -> HttpResponse:
    """A print run as its PDF or its index."""
    if form not in ("pdf", "csv"):
        raise Http404
    try:
        with visit.transaction() as tx:
            files = printing.run_files(tx, run)
    except Refused as refused:
        messages.error(request, in_words_of(refused))
        return redirect(visit.url("letters"))
    content, media = (files.pdf, "application/pdf") if form == "pdf" else (files.index, "text/csv; charset=utf-8")
    return _file(content, media, f"{files.id}.{form}")


@page("reminders/letters/<str:letter>", "letter", changes=Permission.REMIND)
def letter(request: HttpRequest, visit: Visit, letter: str) -> HttpResponse:
    """A letter; `format=pdf` is its PDF. POST discards it, or has a refused one written again (`do`)."""
    try:
        with visit.transaction() as tx:
            shown, content = letter_lists.show_letter(tx, letter)
    except SettingRefused:
        raise Http404 from None
    if request.method == "POST":
        return _act_on(request, visit, letter)
    if request.GET.get("format") == "pdf":
        if not content:
            raise Http404
        return _file(content, "application/pdf", f"{letter}.pdf")
    status, may_remind = LetterStatus(shown["status"]), visit.may(Permission.REMIND)
    values = {
        "letter": shown, "row": _row(shown, visit), "title": _name(shown), "written": bool(content),
        "again": may_remind and LETTER_LIFECYCLE.allows(status, LetterEvent.TRIED_AGAIN),
        "discard": may_remind and LETTER_LIFECYCLE.allows(status, LetterEvent.DISCARDED),
        "is_reminder": shown["kind"] == LetterKind.REMINDER,
    }  # fmt: skip
    return render(request, "area/letter.html", values)


def _act_on(request: HttpRequest, visit: Visit, letter: str) -> HttpResponse:
    do = request.POST.get("do", "")
    try:
        with visit.transaction() as tx:
            if do == "discard":
                letter_lists.discard(tx, letter)
                said = _("The letter is discarded.")
            elif do == "again":
                letter_lists.try_again(tx, letter)
                said = _("The letter is written again.")
            else:
                raise Http404
    except Refused as refused:
        messages.error(request, in_words_of(refused))
    else:
        messages.success(request, said)
    return redirect(visit.url("letter", letter=letter))


def _file(content: bytes, media: str, name: str) -> HttpResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "X-Content-Type-Options": "nosniff"}
    return HttpResponse(content, content_type=media, headers=headers)
