"""The lists of the installation's pages: shops with what they do, people with the shops that they work for."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from paymatch.area.lists import EVERYWHERE, Choice, ListColumn, ListColumnKind, Listing, ListPage, ListQuery
from paymatch.area.people import accounts
from paymatch.area.people.models import ROLE_NAMES, User
from paymatch.domain.shops.shop import ShopStatus
from paymatch.store.database import Database
from paymatch.store.transactions import OperatorTx
from paymatch.store.work import installation as store
from paymatch.usecases.shops import shops
from paymatch.usecases.work import installation


@dataclass(frozen=True, slots=True)
class Everywhere:
    """One of the operator's people, who looks at the installation."""

    database: Database
    user: User
    timezone: str = EVERYWHERE

    def transaction(self) -> AbstractContextManager[OperatorTx]:
        """A transaction of no shop."""
        return self.database.of_all_shops()


_STATUSES: Final[dict[str, tuple[str, str | Promise]]] = {
    ShopStatus.ACTIVE: ("green", gettext_lazy("Active")),
    ShopStatus.PAUSED: ("amber", gettext_lazy("Paused")),
    ShopStatus.DELETED: ("grey", gettext_lazy("Deleted")),
}


def _shops(tx: OperatorTx, _visit: Everywhere, asked: ListQuery) -> ListPage:
    status = asked.filters.get("status", "")
    found = installation.find_shops(tx, wanted=asked.search, status=status, asked=asked.page)
    return ListPage([_shop(row) for row in found.rows], found.next, totals=found.totals)


def _shop(row: dict[str, Any]) -> dict[str, Any]:
    colour, word = _STATUSES[row["status"]]
    kind = _("Sandbox") if row["sandbox"] else _("Live")
    return row | {"id": str(row["shop_id"]), "kind": kind, "state": (colour, row["status"], word)}


SHOPS: Final = Listing(
    "shops",
    columns=(
        ListColumn("name", gettext_lazy("Shop")),
        ListColumn("id", gettext_lazy("Id")),
        ListColumn("kind", gettext_lazy("Kind")),
        ListColumn("country", gettext_lazy("Country"), chosen=False),
        ListColumn("currency", gettext_lazy("Currency"), chosen=False),
        ListColumn("state", gettext_lazy("State"), ListColumnKind.BADGE),
        ListColumn("postings", gettext_lazy("Postings"), ListColumnKind.COUNT),
        ListColumn("callbacks", gettext_lazy("Callbacks"), ListColumnKind.COUNT),
        ListColumn("api_used_at", gettext_lazy("API last used"), ListColumnKind.MOMENT),
        ListColumn("alerts", gettext_lazy("Alerts"), ListColumnKind.COUNT),
    ),
    choices=(Choice("status", gettext_lazy("State"), tuple((key, word) for key, (_tone, word) in _STATUSES.items())),),
    fetch=_shops,
    sorts=store.SHOPS.sorts,
    usual="name",
)

_STATES: Final = (("active", gettext_lazy("Active")), ("disabled", gettext_lazy("Disabled")))


def _people(_tx: OperatorTx, visit: Everywhere, asked: ListQuery) -> ListPage:
    state = asked.filters.get("state")
    active = None if state is None else state == "active"
    found = accounts.page_of_people(asked.search, asked.page, active=active)
    names = {shop.id: shop.name for shop in shops.every(visit.database)}
    rows = [_person(each, names, visit.user) for each in found.rows]
    return ListPage(rows, found.next, totals=found.totals)


def _person(person: User, names: dict[UUID, str], visitor: User) -> dict[str, Any]:
    return {
        "email": person.email,
        "works": ", ".join(_works(person, names)),
        "staff": _("Operator") if person.is_staff else "",
        "state": ("green", "active", _("Active")) if person.is_active else ("grey", "disabled", _("Disabled")),
        "last_login": person.last_login,
        "active": person.is_active,
        "oneself": person == visitor,
    }


def _works(person: User, names: dict[UUID, str]) -> list[str]:
    """Each shop that the person works for, with the role."""
    roles = dict(ROLE_NAMES)
    return [f"{names[each.shop_id]} ({roles[each.role]})" for each in person.memberships.all() if each.shop_id in names]


PEOPLE: Final = Listing(
    "people",
    columns=(
        ListColumn("email", gettext_lazy("Person")),
        ListColumn("works", gettext_lazy("Works for")),
        ListColumn("staff", gettext_lazy("Operator")),
        ListColumn("state", gettext_lazy("State"), ListColumnKind.BADGE),
        ListColumn("last_login", gettext_lazy("Last sign-in"), ListColumnKind.MOMENT),
    ),
    choices=(Choice("state", gettext_lazy("State"), _STATES),),
    fetch=_people,
    sorts=accounts.PEOPLE_SORTS,
    usual="email",
)
