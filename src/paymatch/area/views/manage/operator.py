"""The installation for its operator: health, due work, shops, people. No shop's money is shown here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import wraps
from importlib import metadata
from typing import Any, Final
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from paymatch.area.language.sentences import refusal as in_words_of
from paymatch.area.lists import EVERYWHERE, FieldChange
from paymatch.area.page import View
from paymatch.area.people import accounts
from paymatch.area.people.accounts import UserRefused
from paymatch.area.proof import first_prove, lacks_second_factor
from paymatch.area.service import the_service
from paymatch.area.views.alert_labels import alert_words
from paymatch.area.views.manage import operator_lists
from paymatch.area.views.manage.audit_changes import changes_of
from paymatch.area.views.manage.labels.audit import action_words, who_words
from paymatch.area.views.manage.labels.work import job_words, tally_words
from paymatch.area.views.manage.operator_lists import Everywhere
from paymatch.domain.shops.audit import INSTALLATION, Actor, ActorKind
from paymatch.domain.shops.shop import ShopUnknown
from paymatch.store.database import Database
from paymatch.usecases import audit
from paymatch.usecases.shops import shops
from paymatch.usecases.work import installation, metrics
from paymatch.usecases.work.metrics import WorkFigures

_ENTRIES: Final = 50


def for_operators(*methods: str) -> Callable[[View], View]:
    """Http404 for everyone except the operator's people; POST needs a fresh second factor."""

    def declare(view: View) -> View:
        @wraps(view)
        def guarded_view(request: HttpRequest, **parts: Any) -> HttpResponse:
            if not request.user.is_staff:
                raise Http404
            if request.method not in methods:
                return HttpResponseNotAllowed(methods)
            request.needs_factor = "POST" in methods and lacks_second_factor(request)
            back = request.path if "GET" in methods else reverse("operator_shops")
            unproven = first_prove(request, back) if request.method == "POST" else None
            return unproven if unproven is not None else view(request, **parts)

        return login_required(guarded_view)  # type: ignore[no-any-return]

    return declare


def database_of(request: HttpRequest) -> Database:
    """The database, with the person as the one who acts."""
    actor = Actor(ActorKind.PERSON, request.user.email, request.META.get("REMOTE_ADDR", ""))
    return the_service().database.acting_as(actor)


@for_operators("GET", "HEAD")
def operator(request: HttpRequest) -> HttpResponse:
    """Health, alerts, due work, the last sign-ins and other actions outside of shops (D-46)."""
    service = the_service()
    found = metrics.work_figures(service.database, service.clock())
    entries = audit.last_entries(service.database, INSTALLATION, "", _ENTRIES)
    alerts = installation.open_alerts(service.database)
    for row in alerts:
        row["words"] = alert_words(row["kind"])
    for row in entries:
        row["words"], row["who"] = action_words(row["action"]), who_words(row["actorKind"], row["actor"])
        row["changed"] = changes_of("", bytes(row["after"] or b"").decode(), "", EVERYWHERE)
    counts, names = installation.counts(service.database, [each.after for row in entries for each in row["changed"]])
    for row in entries:
        row["changed"] = [_name_shops(each, names) for each in row["changed"]]
    values = {
        "entries": entries,
        "counts": counts,
        "alerts": alerts,
        "health": installation.health(service.database, service.settings.data_dir, service.clock()),
        "version": metadata.version("paymatch"),
        "found": found,
        "jobs": [{"work": each, "words": job_words(each.kind)} for each in found.jobs],
        "tallies": _count_postings(found),
        "tab": "operator",
    }
    return render(request, "area/operator.html", values)


def _name_shops(change: FieldChange, names: Mapping[str, str]) -> FieldChange:
    """A change with shops by their names, which say more than ids."""
    return replace(change, after=names.get(change.after, change.after))


def _count_postings(found: WorkFigures) -> list[tuple[str | Promise, int]]:
    """What was counted since shops exist, then the postings that wait, each in words."""
    pairs = [*sorted(found.tallies.items()), *found.open_postings.items()]
    return [(tally_words(name), count) for name, count in pairs]


@for_operators("GET", "HEAD")
def shop_list(request: HttpRequest) -> HttpResponse:
    """Shops by name, with what they did since they exist."""
    return operator_lists.SHOPS.answer(request, _everywhere(request), "area/operator_shops.html", tab="operator_shops")


@for_operators("POST")
def set_shop(request: HttpRequest, shop: UUID) -> HttpResponse:
    """Pauses a shop, or lets it go on."""
    database, running = database_of(request), request.POST.get("do") == "resume"
    try:
        found = shops.find(database, str(shop))
    except ShopUnknown:
        raise Http404 from None
    installation.set_running(database, found, running=running)
    text = _("%(shop)s is active again.") if running else _("%(shop)s is paused: it takes no calls and sends nothing.")
    messages.success(request, text % {"shop": found.name}, extra_tags="green")
    return redirect("operator_shops")


@for_operators("GET", "HEAD", "POST")
def people(request: HttpRequest) -> HttpResponse:
    """People by address, and the shops that they work for. POST disables or resets one of them."""
    if request.method == "POST":
        return _change_person(request)
    return operator_lists.PEOPLE.answer(
        request, _everywhere(request), "area/operator_people.html", tab="operator_people"
    )


def _everywhere(request: HttpRequest) -> Everywhere:
    return Everywhere(database_of(request), request.user)


def _change_person(request: HttpRequest) -> HttpResponse:
    """Disables a person, or takes password and second factor away and shows a link that signs in once."""
    service, by = the_service(), database_of(request)
    email, wanted = request.POST.get("email", ""), request.POST.get("do")
    try:
        if wanted == "disable" and email == request.user.email:
            messages.error(request, _("You cannot disable yourself."))
        elif wanted == "disable":
            accounts.disable(email, by=by)
            messages.success(request, _("%(email)s can no longer sign in.") % {"email": email}, extra_tags="green")
        elif wanted == "reset":
            person = accounts.reset(email, by=by)
            base = service.base(request)
            values = {"email": email, "link": accounts.link_to_begin(person, base, service.clock(), by=by)}
            text = _("%(email)s has neither password nor second factor. This link signs in once, within the hour:")
            messages.warning(request, f"{text % values} {values['link']}")
    except UserRefused as refusal:
        messages.error(request, in_words_of(refusal))
    return redirect("operator_people")
