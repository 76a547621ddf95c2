"""Frame around every page: navigation, shops of the person, static files."""

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
from paymatch.area.proof import goes_on_at
from paymatch.area.service import the_service
from paymatch.area.static_files import prefix
from paymatch.domain.calendar import plus_bank_days


@dataclass(frozen=True, slots=True)
class NavigationEntry:
    """A line of the navigation."""

    name: str
    label: str | Promise
    icon: str
    needs: Permission = Permission.READ
    only_with: str = ""  # what the shop must have first


DAILY: Final = (
    NavigationEntry("setup", _("Setup"), "list", Permission.MANAGE, only_with="in_setup"),
    NavigationEntry("overview", _("Overview"), "layout-dashboard"),
    NavigationEntry("postings", _("Postings"), "inbox"),
    NavigationEntry("orders", _("Orders"), "receipt"),
    NavigationEntry("refunds", _("Refunds"), "arrow-back-up"),
    NavigationEntry("reminders", _("Reminders"), "mail"),
    NavigationEntry("bank", _("Bank"), "building-bank"),
    NavigationEntry("payouts", _("Payouts"), "coins", only_with="has_payouts"),
)
SOMETIMES: Final = (
    NavigationEntry("reports", _("Reports"), "chart-bar"),
    NavigationEntry("callbacks", _("Callbacks"), "webhook"),
    NavigationEntry("developers", _("Developers"), "code", Permission.DEVELOP),
    NavigationEntry("settings", _("Settings"), "settings", Permission.MANAGE),
)
BESIDE: Final = (
    NavigationEntry("alerts", _("Alerts"), "alert-triangle"),
    NavigationEntry("synchronisations", _("Synchronisations"), "refresh"),
)
"""Pages that the navigation does not show and the keyboard finds; other pages lead to them."""


_URGENT: Final = frozenset({"callbacks", "payouts"})
_LATE_BANK_DAYS: Final = 2
_JUMPS: Final[Mapping[str, str]] = {
    "overview": "v", "postings": "p", "orders": "o", "refunds": "r", "reminders": "m", "bank": "b",
    "reports": "t", "callbacks": "c", "developers": "d", "settings": "s", "alerts": "a",
    "synchronisations": "y", "payouts": "u", "setup": "e",
}  # fmt: skip
"""Page -> the key that leads to it after G."""


def frame(request: HttpRequest) -> dict[str, Any]:
    """Values for `area/base.html`."""
    found: dict[str, Any] = {"static": prefix(), "theme": getattr(request.user, "theme", "")}
    found["needs_factor"] = getattr(request, "needs_factor", False)
    found["goes_on_at"] = goes_on_at(request)
    found["company"] = company_name(the_service().settings)
    visit: Visit | None = getattr(request, "visit", None)
    found["around"] = "area/plain.html" if visit is None else "area/base.html"
    if visit is not None:
        waiting = request.waiting()
        found["data_as_of"] = [account | {"is_late": _is_late(account, visit)} for account in waiting["accounts"]]
        for name, entries in (("daily", DAILY), ("sometimes", SOMETIMES), ("beside", BESIDE)):
            found[name] = _links(request, visit, entries, waiting)
        found |= {"visit": visit, "shop": visit.shop}
        found["role"] = dict(ROLE_NAMES)[visit.role.value]
    return found


def _is_late(account: Mapping[str, Any], visit: Visit) -> bool:
    """Whether banks have booked on two days or more that no statement of the account covers."""
    return account["last_date"] is None or plus_bank_days(account["last_date"], _LATE_BANK_DAYS) < visit.today


def _links(
    request: HttpRequest, visit: Visit, entries: tuple[NavigationEntry, ...], todo: Mapping[str, Any]
) -> list[dict[str, Any]]:
    links = []
    for each in entries:
        url = visit.url_if_there(each.name)
        if url and visit.may(each.needs) and todo.get(each.only_with or "alerts") is not False:
            current = request.path == url or request.path.startswith(f"{url}/")
            link = {"url": url, "label": each.label, "icon": each.icon, "current": current}
            more = {"count": todo.get(each.name, 0), "urgent": each.name in _URGENT, "jump": _JUMPS[each.name]}
            links.append(link | more)
    return links
