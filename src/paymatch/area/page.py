"""How a page is declared: its path below the shop, what it needs, and who may see it, in one line above the view.

    @page("orders/<str:number>", "order", needs=Permission.READ)
    def order(request: HttpRequest, visit: Visit, number: str) -> HttpResponse: ...

The list of all pages makes the routes, the navigation's links, and the tests' matrix of roles.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache, partial, wraps
from typing import Any, Final
from uuid import UUID
from zoneinfo import ZoneInfo

from allauth.mfa.utils import is_mfa_enabled
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import render
from django.urls import NoReverseMatch, URLPattern, path, reverse
from django.utils import timezone

from paymatch.area.people.models import User
from paymatch.area.people.roles import Permission, TeamRole, may, needs_second_factor
from paymatch.area.proof import first_prove, lacks_second_factor, set_up_second_factor
from paymatch.area.service import Service, the_service
from paymatch.domain.shops.audit import Actor, ActorKind
from paymatch.domain.shops.shop import Shop, ShopUnknown
from paymatch.store.database import Database
from paymatch.store.transactions import ShopId, ShopTx
from paymatch.usecases.work import todo

View = Callable[..., HttpResponse]


@dataclass(frozen=True, slots=True)
class Visit:
    """The visitor of a shop, and their role."""

    service: Service
    user: User
    shop: Shop
    role: TeamRole
    address: str = ""

    @property
    def actor(self) -> Actor:
        """The person as the audit log names them."""
        return Actor(ActorKind.PERSON, self.user.email, self.address)

    @property
    def database(self) -> Database:
        """The database, with the person as the one who acts."""
        return self.service.database.acting_as(self.actor)

    def transaction(self) -> AbstractContextManager[ShopTx]:
        """A transaction of the shop in which the person acts."""
        return self.database.of_shop(self.shop, at=self.service.clock())

    @property
    def shop_id(self) -> ShopId:
        return ShopId(self.shop.id)

    @property
    def timezone(self) -> str:
        """The shop's time zone."""
        return self.shop.timezone

    @property
    def now(self) -> datetime:
        """The shop's moment, aware."""
        return self.shop.now(self.service.clock())

    @property
    def today(self) -> date:
        """The calendar day in the shop's time zone."""
        return self.shop.today(self.service.clock())

    def local(self, moment: datetime) -> datetime:
        """The moment in the shop's time zone."""
        return moment.astimezone(ZoneInfo(self.shop.timezone))

    def may(self, permission: Permission) -> bool:
        """Whether the person has this permission."""
        return may(self.role, permission)

    def sees(self, name: str) -> bool:
        """Whether the person may open the page of this name."""
        return any(each.name == name and self.may(each.needs) for each in PAGES)

    def url_if_there(self, name: str) -> str:
        """The address of another page of this shop; "" for a page that does not exist."""
        try:
            return self.url(name)
        except NoReverseMatch:
            return ""

    def url(self, name: str, **parts: Any) -> str:
        """The address of another page of this shop."""
        return reverse(name, kwargs={"shop": self.shop.id, **parts})


@dataclass(frozen=True, slots=True)
class AreaPage:
    """A page of a shop. `needs` guards GET and HEAD, `changes` POST; without `changes` there is no POST.

    `proof`: POST needs a fresh second factor.
    """

    route: str
    name: str
    needs: Permission
    changes: Permission | None
    view: View
    proof: bool = False


PAGES: Final[list[AreaPage]] = []


def page(
    route: str,
    name: str,
    *,
    needs: Permission = Permission.READ,
    changes: Permission | None = None,
    proof: bool = False,
) -> Callable[[View], View]:
    """Declares a page below /shops/<shop>/."""

    def declare(view: View) -> View:
        PAGES.append(AreaPage(route, name, needs, changes, view, proof))
        return view

    return declare


def routes() -> Sequence[URLPattern]:
    """The routes of all pages that were declared, each with and without a slash; those with a variable part last."""
    found = []
    for each in sorted(PAGES, key=lambda declared: "<" in declared.route):
        view = login_required(_require_permission(each))
        found.append(path(f"shops/<uuid:shop>/{each.route}/", view))
        found.append(path(f"shops/<uuid:shop>/{each.route}", view, name=each.name))
    return found


def _require_permission(declared: AreaPage) -> View:
    @wraps(declared.view)
    def view(request: HttpRequest, shop: UUID, **parts: Any) -> HttpResponse:
        visit = _visit(request, shop)
        request.visit = visit
        reads = request.method in ("GET", "HEAD")
        if not reads and (declared.changes is None or request.method != "POST"):
            return HttpResponseNotAllowed(["GET", "HEAD"] if declared.changes is None else ["GET", "HEAD", "POST"])
        needed = declared.needs if reads or declared.changes is None else declared.changes
        if not visit.may(needed):
            return render(request, "area/not_allowed.html", status=403)
        if needs_second_factor(visit.role, visit.shop.second_factor) and not is_mfa_enabled(visit.user):
            return set_up_second_factor(request, request.get_full_path())
        unproven = first_prove(request, request.path) if declared.proof and not reads else None
        if unproven is not None:
            return unproven
        changes = declared.changes if declared.proof else None
        request.lacks_factor = cache(partial(lacks_second_factor, request))
        request.needs_factor = changes is not None and visit.may(changes) and request.lacks_factor()
        with timezone.override(visit.shop.timezone):  # in which sentences name their moments
            answer = declared.view(request, visit, **parts)
        if request.method == "GET" and not request.headers.get("HX-Request") and answer.status_code == 200:
            _remember(request)
        return answer

    return view


def _visit(request: HttpRequest, shop: UUID) -> Visit:
    """The visit of a page; `request.waiting()` returns the waiting work, for the page and its frame.

    Http404 for a person without a role in the shop, so no one learns which shops exist.
    """
    role = request.user.role_in(shop)
    if role is None:
        raise Http404
    service, address = the_service(), request.META.get("REMOTE_ADDR", "")
    try:
        with service.database.of_shop(ShopId(shop)) as tx:
            tx.commit_with_next()
            found, waiting = todo.shop_with_todo(tx)
    except ShopUnknown:
        raise Http404 from None
    visit = Visit(service, request.user, found, role, address)
    # What a page shows after it has changed something is asked for again.
    request.waiting = (lambda: waiting) if request.method in ("GET", "HEAD") else cache(partial(_waiting_work, visit))
    return visit


def _waiting_work(visit: Visit) -> dict[str, Any]:
    """The work that waits for a person now, and the age of the bank's data."""
    with visit.transaction() as tx:
        tx.commit_with_next()
        return todo.shop_with_todo(tx)[1]


def _remember(request: HttpRequest) -> None:
    """Where the person was: `/` leads there again."""
    where = request.get_full_path()[:500]
    if request.user.last_page != where:
        User.objects.filter(pk=request.user.pk).update(last_page=where)
