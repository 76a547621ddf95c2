"""Where the people of the shop are signed in; the owner ends sessions of the team."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from allauth.usersessions.models import UserSession
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from paymatch.area.page import Visit, page
from paymatch.area.people.roles import Permission
from paymatch.area.people.sessions import device, end_sessions, sessions_of
from paymatch.area.views.manage.settings import tabs
from paymatch.domain.shops.audit import AuditAction
from paymatch.usecases.audit import record


@page("settings/sessions", "sessions", needs=Permission.MANAGE, changes=Permission.MANAGE)
def sessions(request: HttpRequest, visit: Visit) -> HttpResponse:
    """The sessions of the team. POST ends one of a person, or all of them."""
    if request.method == "POST":
        ended = _end_sessions(request, visit)
        if ended:
            text = ngettext("{n} session of {email} has ended.", "{n} sessions of {email} have ended.", len(ended))
            said = text.format(n=len(ended), email=ended[0].user.email)
            messages.success(request, said, extra_tags="green")
        return redirect(visit.url("sessions"))
    here = request.session.session_key
    rows = [_row(each, here) for each in sessions_of(visit.shop.id)]
    return render(request, "area/sessions.html", {"rows": rows} | tabs(visit, "sessions"))


def _end_sessions(request: HttpRequest, visit: Visit) -> list[UserSession]:
    session = request.POST.get("session", "")
    try:
        person = UUID(request.POST.get("person", ""))
    except ValueError:
        return []
    if session and not session.isdecimal():
        return []
    ended = end_sessions(visit.shop.id, person, int(session) if session else None)
    if ended:
        with visit.transaction() as tx:
            record(
                tx, visit.shop, AuditAction.SESSIONS_ENDED, ended[0].user.email, after={"sessions": len(ended)}
            )  # fmt: skip
    return ended


def _row(session: UserSession, here: str | None) -> dict[str, Any]:
    browser, system = device(session.user_agent)
    known = _("{browser} on {system}").format(browser=browser, system=system) if browser and system else ""
    return {
        "session": session,
        "device": known or browser or system or _("Another program"),
        "is_here": session.session_key == here,
    }
