"""Synchronisations of the open orders: what each call closed and opened again, and undoing one (D-38)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext_lazy

from paymatch.area.badges import order_badge
from paymatch.area.language.figures import moment
from paymatch.area.lists import Choice, ListColumn, ListColumnKind, Listing, ListPage, ListQuery
from paymatch.area.page import Visit, page
from paymatch.area.people.roles import Permission
from paymatch.area.views.manage.labels.audit import who_words
from paymatch.domain.orders.settlement import Mark
from paymatch.store.orders import order_sync_lists as store
from paymatch.store.transactions import LockNotAcquired, ShopTx
from paymatch.usecases.orders import synchronisation_lists as lists
from paymatch.usecases.orders.synchronisation import SyncUnknown, UndoRefused, undo
from paymatch.usecases.orders.synchronisation_lists import ShownSync
from paymatch.usecases.shops import shops

_STATES: Final[Mapping[str, tuple[str, Promise]]] = {
    lists.UNDOABLE: ("accent", gettext_lazy("Can be undone")),
    lists.UNDONE: ("grey", gettext_lazy("Undone")),
    lists.FINAL: ("grey", pgettext_lazy("synchronisation", "Final")),
}
"""State of a synchronisation -> colour and word."""
_CHANGES: Final[Mapping[tuple[str, str], Promise]] = {
    ("", Mark.LEGACY): gettext_lazy("became LEGACY"),
    (Mark.LEGACY, ""): gettext_lazy("open again, was LEGACY"),
    (Mark.DISAPPEARED, ""): gettext_lazy("open again, was DISAPPEARED"),
}
"""(mark before, mark after) -> what the call did."""
_EFFECTS: Final[Mapping[str, tuple[str, Promise]]] = {
    lists.RESTORED: ("green", gettext_lazy("Gets its status back")),
    lists.STAYS: ("grey", gettext_lazy("Stays: changed since")),
}


def _fetch(tx: ShopTx, visit: Visit, asked: ListQuery) -> ListPage:
    found, counts = lists.list_synchronisations(
        tx, state=asked.filters.get("state", ""), search=asked.search.removeprefix("#"), asked=asked.page
    )
    name = _names(tx, visit)
    rows = [_row(row, visit, name) for row in found.rows]
    return ListPage(rows, found.next, dict.fromkeys(_STATES, 0) | dict(counts), totals=found.totals)


def _names(tx: ShopTx, visit: Visit) -> Callable[[tuple[str, str] | None], str | Promise]:
    """A readable name of the actor: an API key by its beginning and end."""
    hints = {key.id: key.hint for key in shops.keys(tx)}
    return lambda who: "" if who is None else hints.get(who[1]) or who_words(*who)


def _row(
    row: Mapping[str, Any], visit: Visit, name: Callable[[tuple[str, str] | None], str | Promise]
) -> dict[str, Any]:
    orders = row["first_orders"]
    return {
        **row, "link": visit.url("synchronisation", sync=row["id"]), "state": _state(row["state"]),
        "by": name(row["by"]), "undone_by": name(row["undone_by"]),
        "orders": ", ".join([*orders[: lists.NAMED], *(["…"] if len(orders) > lists.NAMED else [])]),
    }  # fmt: skip


def _state(state: str) -> tuple[str, str, Promise]:
    colour, word = _STATES[state]
    return colour, state, word


SYNCHRONISATIONS: Final = Listing(
    "synchronisations",
    columns=(
        ListColumn("at", gettext_lazy("When"), ListColumnKind.MOMENT, link="link"),
        ListColumn("legacy", gettext_lazy("Became LEGACY"), ListColumnKind.COUNT),
        ListColumn("orders", gettext_lazy("Which")),
        ListColumn("revived", gettext_lazy("Open again"), ListColumnKind.COUNT),
        ListColumn("open_before", gettext_lazy("Open before"), ListColumnKind.COUNT),
        ListColumn("listed", gettext_lazy("Listed"), ListColumnKind.COUNT),
        ListColumn("by", pgettext_lazy("synchronisation", "By")),
        ListColumn("state", gettext_lazy("State"), ListColumnKind.BADGE),
        ListColumn("undone_by", gettext_lazy("Undone by")),
        ListColumn("undone_at", gettext_lazy("Undone at"), ListColumnKind.MOMENT, chosen=False),
        ListColumn("id", gettext_lazy("Id"), chosen=False),
    ),
    choices=(Choice("state", gettext_lazy("State"), tuple((key, word) for key, (_c, word) in _STATES.items())),),
    fetch=_fetch,
    sorts=store.SYNCHRONISATIONS.sorts,
    usual="-at",
)
_ORDER_COLUMNS: Final = (
    ListColumn("number", gettext_lazy("Order"), link="link"),
    ListColumn("change", gettext_lazy("What the call did")),
    ListColumn("now", gettext_lazy("State now"), ListColumnKind.BADGE),
    ListColumn("effect", gettext_lazy("If it is undone"), ListColumnKind.BADGE),
)


@page("order-synchronisations", "synchronisations")
def synchronisations(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Calls that changed something, latest first."""
    return SYNCHRONISATIONS.answer(request, visit, "area/synchronisations.html")


@page("order-synchronisations/<str:sync>", "synchronisation", changes=Permission.DECIDE)
def synchronisation(request: HttpRequest, visit: Visit, sync: str) -> HttpResponse:
    """One call with the orders that it changed, and what an undo would do to each; POST undoes it."""
    with visit.transaction() as tx:
        try:
            found = lists.show(tx, sync)
        except SyncUnknown:
            raise Http404 from None
        name = _names(tx, visit)
    if request.method == "POST":
        return _undone(request, visit, found)
    is_open = found.row["state"] == lists.UNDOABLE
    listing = Listing(
        "synchronisation",
        columns=_ORDER_COLUMNS if is_open else _ORDER_COLUMNS[:-1],
        choices=(Choice("effect", gettext_lazy("If it is undone"), _effect_words()),) if is_open else (),
        fetch=lambda tx, visit, asked: _orders(tx, visit, asked, sync),
        sorts=store.CHANGED_ORDERS.sorts,
        usual="number",
    )
    return listing.answer(
        request, visit, "area/synchronisation.html", sync=found.row, by=name(found.row["by"]),
        undone_by=name(found.row["undone_by"]), state=_state(found.row["state"]), until=found.undoable_until,
        restored=found.effects[lists.RESTORED], stays=found.effects[lists.STAYS],
        may_undo=is_open and visit.may(Permission.DECIDE), title=moment(found.row["at"], visit.timezone),
    )  # fmt: skip


def _effect_words() -> tuple[tuple[str, Promise], ...]:
    return tuple((key, word) for key, (_colour, word) in _EFFECTS.items())


def _orders(tx: ShopTx, visit: Visit, asked: ListQuery, sync: str) -> ListPage:
    found, counts = lists.orders_of(
        tx, sync, effect=asked.filters.get("effect", ""), search=asked.search.removeprefix("#"), asked=asked.page
    )
    return ListPage([_order(row, visit) for row in found.rows], found.next, counts, totals=found.totals)


def _order(row: Mapping[str, Any], visit: Visit) -> dict[str, Any]:
    exists, effect = row["status"] is not None, row["effect"]
    return {
        "number": row["number"], "link": visit.url("order", number=row["number"]) if exists else "",
        "change": _CHANGES[row["before"], row["after"]],
        "now": order_badge(row["status"]) if exists else None,
        "effect": (_EFFECTS[effect][0], effect, _EFFECTS[effect][1]),
    }  # fmt: skip


def _undone(request: HttpRequest, visit: Visit, found: ShownSync) -> HttpResponse:
    """Undoes the call and says to how many orders; or why not."""
    here = redirect(visit.url("synchronisation", sync=found.row["id"]))
    if request.POST.get("sure") != "yes":
        messages.error(request, _("Tick the box to undo the synchronisation"), extra_tags="red")
        return here
    try:
        with visit.transaction() as tx:
            done = undo(tx, found.row["id"])
    except UndoRefused:
        again = found.row["state"] != lists.FINAL
        said = _("It was already undone") if again else _("It is older than 30 days and can no longer be undone")
        messages.error(request, said, extra_tags="red")
    except LockNotAcquired:
        messages.error(request, _("Another person is working on the orders: try again in a moment"), extra_tags="red")
    else:
        messages.success(request, _done_words(done["restored"], len(done["changedSince"])), extra_tags="green")
    return here


def _done_words(restored: int, stayed: int) -> str:
    said = ngettext("Undone: {n} order has its status back", "Undone: {n} orders have their status back", restored)
    words = said.format(n=restored)
    if not stayed:
        return f"{words}."
    more = ngettext("{n} was changed since and stays as it is", "{n} were changed since and stay as they are", stayed)
    return f"{words}; {more.format(n=stayed)}."
