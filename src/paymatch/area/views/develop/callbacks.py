"""Callbacks: the receiver's health, waiting ones, answers, and sending again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final
from urllib.parse import urlencode

import msgspec
from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from paymatch.area.badges import order_badge
from paymatch.area.charts import ChartPoint, stacked_columns
from paymatch.area.language.sentences import in_words
from paymatch.area.language.sentences import refusal as in_words_of
from paymatch.area.lists import EXPORTS, Choice, ListColumn, ListColumnKind, Listing, ListPage, ListQuery
from paymatch.area.page import Visit, page
from paymatch.area.people.roles import Permission
from paymatch.area.views.develop.callback_labels import Badge, answer_badge, status_badge, timing
from paymatch.domain.callbacks.deliveries import CallbackStatus
from paymatch.domain.refusal import Refused
from paymatch.store.callbacks import figures as store
from paymatch.store.callbacks.callbacks import CallbackAttempt, CallbackRow
from paymatch.store.lists.sorted_lists import AskedPage, ListTotals, PageOfRows
from paymatch.store.transactions import ShopTx
from paymatch.usecases import callback_figures, callbacks

_S = CallbackStatus
GROUPS: Final = {
    "waiting": (_S.PENDING, _S.WAITING, _S.PAUSED),
    "delivered": (_S.DELIVERED,),
    "given-up": (_S.GIVEN_UP,),
    "off": (_S.OFF,),
}
_OTHERS: Final = (*GROUPS["delivered"], *GROUPS["given-up"], *GROUPS["off"])
_REST: Final = "rest"
"""How the key of a page begins that has none of those that wait."""
_SINCE: Final = {"day": timedelta(days=1), "week": timedelta(days=7), "month": timedelta(days=30)}


def _fetch(tx: ShopTx, visit: Visit, asked: ListQuery) -> ListPage:
    found = _find_callbacks(tx, asked)
    counts, totals = _counted(tx, asked)
    for row in found.rows:
        row["order"] = row["order_number"] or _("Test event")
        row["became"] = order_badge(row["became"]) if row["became"] else None
        row["url"] = f"?{urlencode({**asked.filters, 'open': row['id']})}#opened"
        row["answer"] = answer_badge(row)
        row["last_error"] = in_words(row["last_error"] or "")
        row["state"] = status_badge(CallbackStatus(row["status"]))
    return ListPage(found.rows, found.next, counts=counts, totals=totals)


def _find_callbacks(tx: ShopTx, asked: ListQuery) -> PageOfRows[dict[str, Any]]:
    """The callbacks that are asked for, uncounted; those that wait come first unless sorted or of one state."""
    search, state = asked.search.removeprefix("#"), asked.filters.get("status", "")
    uncounted = replace(asked.page, counts=False)

    def page_of(statuses: tuple[CallbackStatus, ...], page: AskedPage) -> PageOfRows[dict[str, Any]]:
        return callback_figures.list_callbacks(tx, statuses, search=search, asked=page)

    if state or asked.page.sort:
        return page_of(GROUPS.get(state, ()), uncounted)
    return PageOfRows(*_waiting_first(page_of, uncounted))


def _counted(tx: ShopTx, asked: ListQuery) -> tuple[dict[str, int], ListTotals | None]:
    """(the number of callbacks in each group, that of the list); none of them where the list is not counted."""
    if not asked.page.counts:
        return {}, None
    by_status = callback_figures.count_callbacks(tx, asked.search.removeprefix("#"))
    counts = {name: sum(by_status.get(each, 0) for each in group) for name, group in GROUPS.items()}
    state = asked.filters.get("status", "")
    return counts, ListTotals(counts[state] if state in counts else sum(by_status.values()))


def _waiting_first(
    page_of: Callable[[tuple[CallbackStatus, ...], AskedPage], PageOfRows[dict[str, Any]]], asked: AskedPage
) -> tuple[list[dict[str, Any]], str]:
    """(callbacks that wait and then all others, the place after which the next page begins)."""
    phase, _colon, key = asked.after.partition(":")
    if phase == _REST:
        rest = page_of(_OTHERS, replace(asked, after=key))
        return list(rest.rows), f"{_REST}:{rest.next}" if rest.next else ""
    waiting = page_of(GROUPS["waiting"], replace(asked, after=key))
    if waiting.next:
        return list(waiting.rows), f"waiting:{waiting.next}"
    space = asked.limit - len(waiting.rows)
    rest = page_of(_OTHERS, replace(asked, after="", limit=max(space, 1)))
    if not space:
        return list(waiting.rows), f"{_REST}:" if rest.rows else ""
    return [*waiting.rows, *rest.rows], f"{_REST}:{rest.next}" if rest.next else ""


CALLBACKS: Final = Listing(
    "callbacks",
    columns=(
        ListColumn("order", gettext_lazy("Order"), link="url"),
        ListColumn("became", gettext_lazy("Became"), ListColumnKind.BADGE),
        ListColumn("state", gettext_lazy("State"), ListColumnKind.BADGE, chosen=False),
        ListColumn("queued_at", gettext_lazy("Since"), ListColumnKind.MOMENT),
        ListColumn("attempts", gettext_lazy("Attempts"), ListColumnKind.COUNT),
        ListColumn("due_at", gettext_lazy("Next try"), ListColumnKind.MOMENT),
        ListColumn("answer", gettext_lazy("Last answer"), ListColumnKind.BADGE),
        ListColumn("id", gettext_lazy("Id"), chosen=False),
        ListColumn("last_error", gettext_lazy("Error"), chosen=False),
        ListColumn("finished_at", gettext_lazy("Finished"), ListColumnKind.MOMENT, chosen=False),
    ),
    choices=(
        Choice(
            "status",
            gettext_lazy("State"),
            (
                ("waiting", gettext_lazy("Waiting")),
                ("delivered", gettext_lazy("Delivered")),
                ("given-up", gettext_lazy("Given up")),
                ("off", gettext_lazy("Callbacks were off")),
            ),
        ),
    ),
    fetch=_fetch,
    sorts=store.CALLBACKS.sorts,
)


@page("callbacks", "callbacks", changes=Permission.DEVELOP)
def overview(request: HttpRequest, visit: Visit) -> HttpResponse:
    """The receiver's health and the list; POST: test event, pause, resume, resend all that failed since."""
    if request.method == "POST":
        return _carry_out(request, visit)
    if request.GET.get("format") in EXPORTS:
        return CALLBACKS.answer(request, visit, "area/callbacks.html")
    with visit.transaction() as tx:
        now = visit.now
        health = callback_figures.figures(tx, now)
        spans = callback_figures.attempts_of_the_day(tx, now)
        beside = _beside(request, visit, tx)
    share = 100 * health["delivered"] / health["attempts"] if health["attempts"] else None
    return CALLBACKS.answer(
        request, visit, "area/callbacks.html", health=health, share=share, chart=_chart(spans, visit),
        secret_url=visit.url("callback_secret"), **{"may_change": visit.may(Permission.DEVELOP), **beside},
    )  # fmt: skip


def _beside(request: HttpRequest, visit: Visit, tx: ShopTx) -> dict[str, Any]:
    """The callback that is opened beside the list: the one that was clicked, else the first of the list."""
    first = _find_callbacks(tx, CALLBACKS.asked_without_totals(request.GET)).rows if "open" not in request.GET else []
    wanted = request.GET.get("open", "") or (first[0]["id"] if first else "")
    if not wanted:
        return {}
    try:
        row, attempts = callbacks.show(tx, wanted)
    except callbacks.CallbackUnknown:
        return {}
    query = request.GET.copy()
    query.pop("attempt", None)
    found = _details(request, visit, row, attempts) | {"attempt_link": f"?{query.urlencode()}&attempt="}
    return found | {"own_link": visit.url("callback", callback=wanted), "was_clicked": "open" in request.GET}


def _chart(spans: list[tuple[datetime, int, int]], visit: Visit) -> str:
    def message_from(begin: datetime) -> str:
        return f"{visit.local(begin):%H:%M}"

    columns = [
        (
            ChartPoint(
                "", delivered, _("%(time)s: %(count)d answered") % {"time": message_from(begin), "count": delivered}
            ),
            ChartPoint(
                "", failed, _("%(time)s: %(count)d failed") % {"time": message_from(begin), "count": failed}, "failed"
            ),
        )
        for begin, delivered, failed in spans
    ]
    labels = {place: message_from(begin) for place, (begin, *_rest) in enumerate(spans) if place % 6 == 1}
    return stacked_columns(columns, name=_("Attempts per half hour, the last 24 hours"), labels=labels)


def _carry_out(request: HttpRequest, visit: Visit) -> HttpResponse:
    wanted = request.POST.get("do", "")
    try:
        with visit.transaction() as tx:
            done = _do(tx, visit, wanted, request.POST.get("since", ""))
    except Refused as refusal:
        messages.error(request, in_words_of(refusal), extra_tags="red")
    else:
        if done:
            messages.success(request, done, extra_tags="green")
    return redirect(visit.url("callbacks"))


def _do(tx: ShopTx, visit: Visit, wanted: str, since: str) -> str:
    """The result as text; "" for an unknown button."""
    match wanted:
        case "test":
            callbacks.send_test(tx)
            return _("A test event is on its way: an invented order, with the header X-Service-Test.")
        case "pause":
            callbacks.pause(tx)
            return _("Callbacks are paused. They wait until you resume them; nothing is lost.")
        case "resume":
            count = callbacks.resume(tx)
            return ngettext(
                "Callbacks flow again; %(count)d was paused.", "Callbacks flow again; %(count)d were paused.", count
            ) % {"count": count}
        case "resend" if since in _SINCE:
            count = callbacks.resend_failed(tx, visit.now - _SINCE[since])
            return ngettext(
                "%(count)d callback is sent again now.", "%(count)d callbacks are sent again now.", count
            ) % {"count": count}
    return ""


class SecretForm(forms.Form):
    """How long the old secret signs too."""

    hours = forms.IntegerField(
        min_value=0, max_value=720, initial=24, label=gettext_lazy("Hours that both secrets sign")
    )


@page("callbacks/secret", "callback_secret", needs=Permission.DEVELOP, changes=Permission.DEVELOP, proof=True)
def secret(request: HttpRequest, visit: Visit) -> HttpResponse:
    """A new signing secret, shown once; the old one signs beside it for a while."""
    form = SecretForm(request.POST or None)
    made = ""
    if request.method == "POST" and form.is_valid():
        overlap = timedelta(hours=form.cleaned_data["hours"])
        with visit.transaction() as tx:
            made = callbacks.rotate_secret(tx, overlap)
    values = {"form": form if form.is_bound else SecretForm(), "made": made, "list_url": visit.url("callbacks")}
    return render(request, "area/callback_secret.html", values)


@page("callbacks/<str:callback>", "callback", changes=Permission.DEVELOP)
def one_callback(request: HttpRequest, visit: Visit, callback: str) -> HttpResponse:
    """One callback with its attempts; POST sends it again at once."""
    try:
        with visit.transaction() as tx:
            if request.method == "POST":
                callbacks.resend(tx, callback)
            row, attempts = callbacks.show(tx, callback)
    except callbacks.CallbackUnknown:
        raise Http404 from None
    if request.method == "POST":
        messages.success(request, _("The callback is sent again now."), extra_tags="green")
        return redirect(visit.url("callback", callback=callback))
    return render(request, "area/callback.html", _details(request, visit, row, attempts))


def _details(request: HttpRequest, visit: Visit, row: CallbackRow, attempts: list[CallbackAttempt]) -> dict[str, Any]:
    asked = request.GET.get("attempt", "")
    chosen = next((each for each in attempts if str(each.attempt) == asked), attempts[0] if attempts else None)
    found: dict[str, Any] = {
        "row": row,
        "attempt_link": "?attempt=",
        "attempts": attempts[::-1],
        "chosen": chosen,
        "state": status_badge(row.status),
        "was": order_badge(row.from_status) if row.from_status else None,
        "became": order_badge(row.to_status) if row.to_status else None,
    }
    if chosen is not None:
        head, _blank, body = chosen.request.partition("\n\n")
        found |= {
            "head": head,
            "body": _indent(body),
            "answer": answer_badge_of(chosen),
            "timing": timing(chosen),
        }
    return found | {"may_change": visit.may(Permission.DEVELOP), "list_url": visit.url("callbacks")}


def _indent(body: str) -> str:
    """JSON with a line for each field; anything else as it is."""
    try:
        return msgspec.json.format(body.encode(), indent=2).decode()
    except msgspec.DecodeError:
        return body


def answer_badge_of(attempt: CallbackAttempt) -> Badge | None:
    """The badge of what one attempt was answered."""
    return answer_badge({"attempts": 1, "http_status": attempt.http_status, "last_error": attempt.error})
