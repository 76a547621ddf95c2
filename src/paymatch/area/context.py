"""What the frame around every page shows: navigation, shops of the person, static files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from paymatch.area.configuration import company_name
from paymatch.area.page import Visit
from paymatch.area.people.models import ROLE_NAMES
from paymatch.area.people.roles import Permission
from paymatch.area.service import the_service
from paymatch.area.static_files import prefix


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the navigation."""

    name: str
    label: str | Promise
    icon: str
    needs: Permission = Permission.READ


DAILY: Final = (
    Entry("overview", _("Overview"), "layout-dashboard"),
    Entry("postings", _("Postings"), "inbox"),
    Entry("orders", _("Orders"), "receipt"),
    Entry("refunds", _("Refunds"), "arrow-back-up"),
    Entry("reminders", _("Reminders"), "mail"),
    Entry("bank", _("Bank"), "building-bank"),
)
SOMETIMES: Final = (
    Entry("reports", _("Reports"), "chart-bar"),
    Entry("callbacks", _("Callbacks"), "webhook"),
    Entry("developers", _("Developers"), "code", Permission.DEVELOP),
    Entry("settings", _("Settings"), "settings", Permission.MANAGE),
)


_URGENT: Final = frozenset({"callbacks"})


def frame(request: HttpRequest) -> dict[str, Any]:
    """Values for `area/base.html`."""
    found: dict[str, Any] = {"static": prefix(), "theme": getattr(request.user, "theme", "")}
    found["company"] = company_name(the_service().settings)
    visit: Visit | None = getattr(request, "visit", None)
    found["around"] = "area/plain.html" if visit is None else "area/base.html"
    if visit is not None:
        waiting = request.waiting()
        found["accounts"] = waiting["accounts"]
        daily, sometimes = (_links(request, visit, entries, waiting) for entries in (DAILY, SOMETIMES))
        found |= {"visit": visit, "shop": visit.shop, "daily": daily, "sometimes": sometimes}
        found["role"] = dict(ROLE_NAMES)[visit.role.value]
    return found


def _links(
    request: HttpRequest, visit: Visit, entries: tuple[Entry, ...], todo: Mapping[str, Any]
) -> list[dict[str, Any]]:
    links = []
    for each in entries:
        url = visit.url_if_there(each.name)
        if url and visit.may(each.needs):
            current = request.path == url or request.path.startswith(f"{url}/")
            link = {"url": url, "label": each.label, "icon": each.icon, "current": current}
            links.append(link | {"count": todo.get(each.name, 0), "urgent": each.name in _URGENT})
    return links
