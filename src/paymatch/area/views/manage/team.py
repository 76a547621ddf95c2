"""The team: invite by mail, change a role, remove. Each is recorded with the name of who did it."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from paymatch.area.language.sentences import refusal as in_words_of
from paymatch.area.mail import ServiceMail, send_service_mail
from paymatch.area.page import Visit, page
from paymatch.area.people import team
from paymatch.area.people.accounts import INVITATION_DAYS, UserRefused, first_link, has_way_in
from paymatch.area.people.models import ROLE_NAMES, User
from paymatch.area.people.roles import Permission, TeamRole
from paymatch.area.views.manage.settings import tabs
from paymatch.domain.shops.audit import AuditAction
from paymatch.domain.shops.cooling_off import cooling_message
from paymatch.domain.words.message import Message
from paymatch.outbound.mail.outgoing import MailNotSent
from paymatch.usecases.audit import record
from paymatch.usecases.reminders.trial_mails import shop_sender
from paymatch.usecases.shops import cooling_off

_MANAGE: Final = Permission.MANAGE


class InviteForm(forms.Form):
    """Whom to invite, in which role."""

    email = forms.EmailField(max_length=254, label=gettext_lazy("E-mail address"))
    role = forms.ChoiceField(choices=ROLE_NAMES, initial=TeamRole.CLERK.value, label=gettext_lazy("Role"))


@page("settings/team", "team", needs=_MANAGE, changes=_MANAGE, proof=True)
def team_page(request: HttpRequest, visit: Visit) -> HttpResponse:
    """The shop's team; POST invites, changes a role or removes."""
    wanted = request.POST.get("do")
    form = InviteForm(request.POST if wanted == "invite" else None)
    done = ""
    try:
        if wanted == "invite" and form.is_valid():
            done = invite_person(request, visit, form.cleaned_data["email"], TeamRole(form.cleaned_data["role"]))
        elif wanted in ("role", "remove", "again"):
            done = _change(request, visit, wanted)
    except UserRefused as refusal:
        if form.is_bound:
            form.add_error("email", in_words_of(refusal))
        else:
            messages.error(request, in_words_of(refusal), extra_tags="red")
    if done:
        messages.success(request, done, extra_tags="green")
        return redirect(visit.url("team"))
    with visit.transaction() as tx:
        powers = [cooling_message(each) for each in cooling_off.waiting_changes(tx)]
    values: dict[str, Any] = {
        "form": form, "members": team.members(visit.shop.id), "roles": ROLE_NAMES, "powers": powers,
    }  # fmt: skip
    return render(request, "area/team.html", values | tabs(visit, "team"))


def invite_person(request: HttpRequest, visit: Visit, email: str, role: TeamRole) -> str:
    """Adds a person to the team and mails them; returns the result as text. UserRefused."""
    return _write_invitation(request, visit, team.invite(visit.shop, email, role, visit.database))


def _write_invitation(request: HttpRequest, visit: Visit, person: User) -> str:
    """Sends the invitation; for a person who can already sign in it leads to the sign-in page."""
    base, knows = visit.service.base(request), has_way_in(person)
    link = first_link(person, base, visit.service.clock(), shop=visit.shop.id, by=visit.database)
    values = {"shop": visit.shop.name, "by": str(visit.user), "days": INVITATION_DAYS}
    with visit.transaction() as tx:
        sender = shop_sender(tx)
    kind = ServiceMail.INVITED_AGAIN if knows else ServiceMail.INVITATION
    try:
        send_service_mail(kind, person.email, link, values, person.language or visit.shop.language, sender=sender)
    except MailNotSent:
        return _("%(email)s is in the team, but the invitation could not be sent.") % {"email": person.email}
    if knows:
        return _("%(email)s is in the team and was notified by mail.") % {"email": person.email}
    return _("%(email)s is invited: the link in the mail works for seven days.") % {"email": person.email}


def _change(request: HttpRequest, visit: Visit, wanted: str) -> str:
    try:
        person = UUID(request.POST.get("person", ""))
        role = TeamRole(request.POST["role"]) if wanted == "role" else None
    except (ValueError, KeyError):
        raise UserRefused(Message("user-person-role-does-not")) from None
    with team.change_team(visit.shop.id) as members:
        if wanted == "again":
            return _write_invitation(request, visit, team.invited_person(members, person))
        if role is None:
            user = team.remove(members, person).user
            _record(visit, AuditAction.PERSON_REMOVED, user, {})
            return _("%(email)s no longer works for the shop.") % {"email": user.email}
        user = team.set_role(members, visit.shop, person, role, visit.database).user
        _record(visit, AuditAction.ROLE_CHANGED, user, {"role": role})
        return _("The role of %(email)s is changed.") % {"email": user.email}


def _record(visit: Visit, kind: AuditAction, person: User, after: dict[str, Any]) -> None:
    """The action is recorded before the change of the team is committed."""
    with visit.transaction() as tx:
        record(tx, visit.shop, kind, person.email, after=after)
