"""Sessions: where the people of a shop are signed in, ending that, and the owner of a session."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from allauth.usersessions.models import UserSession
from django.contrib.auth import get_user
from django.contrib.sessions.backends.db import SessionStore
from django.db import close_old_connections
from django.http import HttpRequest
from django.utils.translation import gettext as _

from paymatch.area.people.models import Membership

_BROWSERS: Final = (
    ("Edg", "Edge"), ("OPR/", "Opera"), ("Firefox", "Firefox"), ("Chrom", "Chrome"), ("Safari", "Safari"),
)  # fmt: skip
_SYSTEMS: Final = (
    ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("Windows", "Windows"), ("Mac OS", "macOS"),
    ("Linux", "Linux"),
)  # fmt: skip
"""What a user agent names, more particular names first."""


def sessions_of(shop: UUID) -> list[UserSession]:
    """The sessions of all who work for the shop, by person, the one seen last first; those that ended are forgotten."""
    people = Membership.objects.filter(shop_id=shop).values("user_id")
    found = UserSession.objects.filter(user_id__in=people).select_related("user")
    return [session for session in found.order_by("user__email", "-last_seen_at") if not session.purge()]


def end_sessions(shop: UUID, person: UUID, session: int | None = None) -> list[UserSession]:
    """Ends one or all sessions of a person who works for the shop; returns the ended ones."""
    found = UserSession.objects.filter(user_id=person, user__memberships__shop_id=shop).select_related("user")
    ended = list(found if session is None else found.filter(pk=session))
    for each in ended:
        each.end()
    return ended


def device(user_agent: str) -> tuple[str, str]:
    """(browser, system) of a user agent; "" for what it does not say."""
    browser = next((name for token, name in _BROWSERS if token in user_agent), "")
    return browser, next((name for token, name in _SYSTEMS if token in user_agent), "")


def person_of(session: str) -> str:
    """The id of the person who signed in with this session; "" if it has no owner, or has ended.

    For the front server, which asks outside of a request, before it accepts a long body.
    """
    close_old_connections()
    try:
        request = HttpRequest()
        request.session = SessionStore(session)
        user = get_user(request)
        return str(user.pk) if user.is_authenticated and user.is_active else ""
    finally:
        close_old_connections()


def device_name(user_agent: str) -> str:
    """Firefox on Linux, in the reader's language; another program where the user agent names neither."""
    browser, system = device(user_agent)
    both = _("{browser} on {system}").format(browser=browser, system=system) if browser and system else ""
    return both or browser or system or _("Another program")
