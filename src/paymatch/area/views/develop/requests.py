"""The shop's requests to the API in the last 30 days, and what was wrong with those that were refused."""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import Any, Final

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from paymatch.area.badges import Badge
from paymatch.area.lists import Choice, ListColumn, ListColumnKind, Listing, ListPage, ListQuery
from paymatch.area.page import Visit, page
from paymatch.area.people.roles import Permission
from paymatch.area.setting_forms import Setting, SettingForm
from paymatch.domain.shops.api_requests import RequestLog
from paymatch.store.transactions import ShopTx
from paymatch.store.work import api_requests as store
from paymatch.usecases.shops import shops
from paymatch.usecases.work import api_requests as log

_DEVELOP: Final = Permission.DEVELOP
_KEPT: Final = Setting(
    "request-log",
    gettext_lazy("What is kept"),
    gettext_lazy("Bodies may name customers. They are sealed, and everything is deleted after 30 days."),
    (
        (RequestLog.BODIES.value, gettext_lazy("Requests, with the bodies of refused ones")),
        (RequestLog.REQUESTS.value, gettext_lazy("Requests without any body")),
        (RequestLog.OFF.value, gettext_lazy("Nothing")),
    ),
)


def _badge(status: int) -> Badge:
    colour = "green" if status < 400 else "amber" if status < 500 else "red"
    return colour, str(status), _in_words(status)


def _in_words(status: int) -> str:
    """The status as developers read it: 404 Not Found."""
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)


def _fetch(tx: ShopTx, visit: Visit, asked: ListQuery) -> ListPage:
    found = log.list_requests(
        tx, status=asked.filters.get("status", ""), wanted=asked.search.removeprefix("#"), asked=asked.page
    )
    hints = {key.id: key.hint for key in shops.keys(tx)}
    for row in found.rows:
        row |= {
            "request": f"{row['method']} /{row['path']}",
            "link": visit.url("request", request_id=row["request_id"]),
            "state": _badge(row["status"]),
            "ms": round(row["elapsed_ms"]),
            "key": hints.get(row["key_id"], row["key_id"]),
        }
    return ListPage(found.rows, found.next, totals=found.totals)


REQUESTS: Final = Listing(
    "requests",
    columns=(
        ListColumn("at", gettext_lazy("When"), ListColumnKind.MOMENT),
        ListColumn("request", gettext_lazy("Request"), link="link"),
        ListColumn("order_number", gettext_lazy("Order"), chosen=False),
        ListColumn("state", gettext_lazy("Answer"), ListColumnKind.BADGE),
        ListColumn("ms", gettext_lazy("Milliseconds"), ListColumnKind.COUNT),
        ListColumn("key", gettext_lazy("Key")),
        ListColumn("request_id", gettext_lazy("Id")),
        ListColumn("query", gettext_lazy("Query"), chosen=False),
    ),
    choices=(
        Choice(
            "status",
            gettext_lazy("Answer"),
            (
                ("taken", pgettext_lazy("requests", "Answered")),
                ("refused", pgettext_lazy("requests", "Refused (4xx)")),
                ("failed", pgettext_lazy("requests", "Failed (5xx)")),
            ),
        ),
    ),
    fetch=_fetch,
    sorts=store.REQUESTS.sorts,
    usual="-at",
)


@page("developers/requests", "requests", needs=_DEVELOP, changes=_DEVELOP)
def requests(request: HttpRequest, visit: Visit) -> HttpResponse:
    """The list, and below it what is kept. POST changes that."""
    with visit.transaction() as tx:
        kept = shops.settings_as_texts(tx)["request-log"]
    form = SettingForm(
        (_KEPT,), visit, initial={"request-log": kept}, data=request.POST if request.method == "POST" else None
    )
    if form.is_bound and form.is_valid() and form.save() is not None:
        messages.success(request, _("Saved. It applies to requests from now on."), extra_tags="green")
        return redirect(visit.url("requests"))
    values = {"form": form, "kept": kept, "list_url": visit.url("developers")}
    return REQUESTS.answer(request, visit, "area/requests.html", **values)


@page("developers/requests/<str:request_id>", "request", needs=_DEVELOP)
def one_request(request: HttpRequest, visit: Visit, request_id: str) -> HttpResponse:
    """One request: what was asked, and for a refused one what was sent and answered."""
    with visit.transaction() as tx:
        found = log.show(tx, request_id)
        hints = {key.id: key.hint for key in shops.keys(tx)}
    if found is None:
        raise Http404
    row: dict[str, Any] = found | {"key": hints.get(found["key_id"], found["key_id"])}
    row |= {name: _indent_json(row[name]) for name in ("sent", "answered")}
    values = {"row": row, "state": _badge(row["status"]), "list_url": visit.url("requests")}
    values["order_url"] = visit.url("order", number=row["order_number"]) if row["order_number"] else ""
    return render(request, "area/request.html", values)


def _indent_json(text: str) -> str:
    """JSON as a person reads it; anything else as it is."""
    try:
        return json.dumps(json.loads(text), ensure_ascii=False, indent=2)
    except ValueError:
        return text
