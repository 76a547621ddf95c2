"""The audit log: who did what, with filter and export."""

from __future__ import annotations

from typing import Final

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy

from paymatch.area.lists import Asked, Choice, Column, Found, Kind, Listing
from paymatch.area.page import Visit, page
from paymatch.area.people.roles import Permission
from paymatch.area.views.manage.deed_changes import changes_of
from paymatch.area.views.manage.deed_words import deed_words, who_words
from paymatch.area.views.manage.settings import tabs
from paymatch.domain.shops.audit import ActorKind, DeedKind
from paymatch.store.database import Tx
from paymatch.usecases import audit as log
from paymatch.usecases.shops import shops

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
    hints = {key.id: key.hint for key in shops.keys(tx, visit.shop)}
    for row in rows:
        row["link"] = _link(visit, row["deed"], row["subject"])
        row["deed"] = ("grey plain-badge", row["deed"], deed_words(row["deed"]))
        row["before"], row["after"] = (bytes(row[key] or b"").decode() for key in ("before", "after"))
        row["changed"] = changes_of(row["before"], row["after"], visit.shop.currency, visit.shop.timezone)
        row["who"] = hints.get(row["actor"]) or who_words(row["actorKind"], row["actor"])
        row["about"] = hints.get(row["subject"], row["subject"])
    return Found(rows, following)


_PAGES: Final = {
    "im_": ("bank_import", "import_id"), "pst_": ("posting", "posting"), "key_": ("key", "key"),
    "os_": ("synchronisation", "sync"),
}  # fmt: skip
"""What an id begins with -> the page of what it names, and its variable part."""


_OF_ORDERS: Final = frozenset(
    {
        DeedKind.ORDER_MARKED, DeedKind.REMINDERS_STOPPED, DeedKind.REMINDERS_RESUMED, DeedKind.LETTER_DISCARDED,
        DeedKind.CUSTOMER_SAYS_PAID, DeedKind.WRONG_PERSON, DeedKind.WRONG_PERSON_LIFTED, DeedKind.LINK_REVOKED,
        DeedKind.ORDER_HANDED_OVER, DeedKind.ORDER_WITHDRAWN, DeedKind.COLLECTION_REPORTED,
    }
)  # fmt: skip
"""Deeds whose subject is an order's number."""


def _link(visit: Visit, deed: str, subject: str) -> str:
    """The address of the page about the deed's subject; "" where there is none."""
    if deed in _OF_ORDERS:
        return visit.url("order", number=subject)
    if deed == DeedKind.ALERT_RESOLVED:
        return f"{visit.url('alerts')}?q={subject}"
    for start, (name, part) in _PAGES.items():
        if subject.startswith(start):
            return visit.url(name, **{part: subject})
    return ""


AUDIT: Final = Listing(
    "audit",
    columns=(
        Column("at", gettext_lazy("When"), Kind.MOMENT),
        Column("deed", gettext_lazy("What"), Kind.BADGE),
        Column("about", gettext_lazy("About"), link="link"),
        Column("who", gettext_lazy("Who")),
        Column("changed", gettext_lazy("What changed"), Kind.CHANGES),
        Column("address", gettext_lazy("From"), chosen=False),
        Column("subject", gettext_lazy("Id of the subject"), chosen=False),
        Column("actor", gettext_lazy("Id of who did it"), chosen=False),
        Column("before", gettext_lazy("Before (JSON)"), chosen=False),
        Column("after", gettext_lazy("After (JSON)"), chosen=False),
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
