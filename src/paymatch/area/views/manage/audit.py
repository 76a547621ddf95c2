"""The audit log: who did what, with filter and export."""

from __future__ import annotations

from typing import Final

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy

from paymatch.area.lists import Asked, Choice, Column, Found, Kind, Listing
from paymatch.area.page import Visit, page
from paymatch.area.people.roles import Permission
from paymatch.area.views.manage.deed_words import deed_words
from paymatch.area.views.manage.settings import tabs
from paymatch.domain.shops.audit import ActorKind
from paymatch.store.database import Tx
from paymatch.usecases.work import audit as log

_KINDS: Final = (
    (ActorKind.PERSON.value, gettext_lazy("People")),
    (ActorKind.KEY.value, gettext_lazy("API keys")),
    (ActorKind.COMMAND.value, gettext_lazy("Commands")),
    (ActorKind.CUSTOMER.value, gettext_lazy("Customers")),
)


def _fetch(tx: Tx, visit: Visit, asked: Asked) -> Found:
    kind = asked.filters.get("by", "")
    rows, following = log.listed(
        tx, visit.shop, actor_kind=kind, search=asked.search, after=asked.after, limit=asked.limit
    )
    for row in rows:
        row["deed"] = ("grey plain-badge", row["deed"], deed_words(row["deed"]))
        row["before"], row["after"] = (bytes(row[key] or b"").decode() for key in ("before", "after"))
    return Found(rows, following)


AUDIT: Final = Listing(
    "audit",
    columns=(
        Column("at", gettext_lazy("When"), Kind.MOMENT),
        Column("deed", gettext_lazy("What"), Kind.BADGE),
        Column("subject", gettext_lazy("About")),
        Column("actor", gettext_lazy("Who")),
        Column("address", gettext_lazy("From")),
        Column("before", gettext_lazy("Before")),
        Column("after", gettext_lazy("After")),
        Column("seq", gettext_lazy("Number"), Kind.COUNT, chosen=False),
        Column("requestId", gettext_lazy("Request"), chosen=False),
    ),
    choices=(Choice("by", gettext_lazy("Who"), _KINDS),),
    fetch=_fetch,
)


@page("settings/audit", "audit", needs=Permission.MANAGE)
def audit(request: HttpRequest, visit: Visit) -> HttpResponse:
    """What was decided in this shop, newest first."""
    return AUDIT.answer(request, visit, "area/audit.html", **tabs(visit, "audit"))
