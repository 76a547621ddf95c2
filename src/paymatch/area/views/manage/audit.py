"""The audit log: who did what, with filter and export."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy

from paymatch.area.lists import Choice, FieldChange, ListColumn, ListColumnKind, Listing, ListPage, ListQuery
from paymatch.area.page import Visit, page
from paymatch.area.people.accounts import name_of
from paymatch.area.people.roles import Permission
from paymatch.area.views.manage.audit_changes import changes_of
from paymatch.area.views.manage.labels.audit import action_words, who_words
from paymatch.area.views.manage.labels.subjects import ids_in, row_link, subject_words, with_names
from paymatch.area.views.manage.settings import tabs
from paymatch.domain.shops.audit import ActorKind, AuditAction
from paymatch.store.lists.audit_subjects import AuditSubject, names_of
from paymatch.store.transactions import ShopTx
from paymatch.store.work import audit as store
from paymatch.usecases import audit as log
from paymatch.usecases.shops import shops

_KINDS: Final = (
    (ActorKind.PERSON.value, gettext_lazy("People")),
    (ActorKind.KEY.value, gettext_lazy("API keys")),
    (ActorKind.COMMAND.value, gettext_lazy("Commands")),
    (ActorKind.CUSTOMER.value, gettext_lazy("Customers")),
)


def _fetch(tx: ShopTx, visit: Visit, asked: ListQuery) -> ListPage:
    kind = asked.filters.get("by", "")
    found = log.list_entries(tx, actor_kind=kind, search=asked.search, asked=asked.page)
    hints = {key.id: key.hint for key in shops.keys(tx)}
    for row in found.rows:
        row["before"], row["after"] = (bytes(row[key] or b"").decode() for key in ("before", "after"))
    names = names_of(tx, ids_in(row[key] for row in found.rows for key in ("subject", "before", "after")))
    for row in found.rows:
        subject = row["subject"]
        row["link"] = _link(visit, row["action"], subject, names.get(subject))
        row["action"] = ("grey plain-badge", row["action"], action_words(row["action"]))
        changes = changes_of(row["before"], row["after"], visit.shop.currency, visit.shop.timezone)
        row["changed"] = [_with_names(each, names) for each in changes]
        row["who"] = hints.get(row["actor"]) or who_words(row["actorKind"], name_of(row["actor"]))
        row["about"] = hints.get(subject) or subject_words(subject, names, row["before"], row["after"])
    return ListPage(found.rows, found.next, totals=found.totals)


def _with_names(change: FieldChange, names: Mapping[str, AuditSubject]) -> FieldChange:
    """The change with what ids name in their place."""
    return FieldChange(*(with_names(each, names) for each in (change.field, change.before, change.after)))


_PAGES: Final = {"key_": ("key", "key"), "os_": ("synchronisation", "sync")}
"""What an id begins with -> the page of what it names, and its variable part."""


_OF_ORDERS: Final = frozenset(
    {
        AuditAction.ORDER_MARKED,
        AuditAction.ORDER_AMOUNT_CHANGED,
        AuditAction.ORDER_ADJUSTED,
        AuditAction.REMINDERS_STOPPED,
        AuditAction.REMINDERS_RESUMED,
        AuditAction.LETTER_DISCARDED,
        AuditAction.CUSTOMER_SAYS_PAID,
        AuditAction.CUSTOMER_SAYS_NOT_PAID,
        AuditAction.WRONG_PERSON,
        AuditAction.WRONG_PERSON_LIFTED,
        AuditAction.LINK_REVOKED,
        AuditAction.ORDER_HANDED_OVER,
        AuditAction.ORDER_WITHDRAWN,
        AuditAction.COLLECTION_REPORTED,
    }
)
"""Actions whose subject is an order's number."""


def _link(visit: Visit, entry: str, subject: str, row: AuditSubject | None) -> str:
    """The address of the page about the entry's subject, which is a `row` if it is still there; "" if there is none."""
    if entry in _OF_ORDERS:
        return visit.url("order", number=subject)
    if entry == AuditAction.ACCOUNT_STATEMENT_SENT:
        return visit.url("open_items", customer=subject)
    if row is not None:
        return row_link(visit, subject, row)
    for start, (name, part) in _PAGES.items():
        if subject.startswith(start):
            return visit.url(name, **{part: subject})
    return ""


AUDIT: Final = Listing(
    "audit",
    columns=(
        ListColumn("at", gettext_lazy("When"), ListColumnKind.MOMENT),
        ListColumn("action", gettext_lazy("What"), ListColumnKind.BADGE),
        ListColumn("about", gettext_lazy("About"), link="link"),
        ListColumn("who", gettext_lazy("Who")),
        ListColumn("changed", gettext_lazy("What changed"), ListColumnKind.CHANGES),
        ListColumn("address", gettext_lazy("From"), chosen=False),
        ListColumn("subject", gettext_lazy("Id of the subject"), chosen=False),
        ListColumn("actor", gettext_lazy("Id of who did it"), chosen=False),
        ListColumn("before", gettext_lazy("Before (JSON)"), chosen=False),
        ListColumn("after", gettext_lazy("After (JSON)"), chosen=False),
        ListColumn("seq", gettext_lazy("Number"), ListColumnKind.COUNT, chosen=False),
        ListColumn("requestId", gettext_lazy("Request"), chosen=False),
    ),
    choices=(Choice("by", gettext_lazy("Who"), _KINDS),),
    fetch=_fetch,
    sorts=store.AUDIT.sorts,
    usual="-at",
)


@page("settings/audit", "audit", needs=Permission.MANAGE)
def audit(request: HttpRequest, visit: Visit) -> HttpResponse:
    """What was decided in this shop, newest first."""
    return AUDIT.answer(request, visit, "area/audit.html", **tabs(visit, "audit"))
