"""The owner of a session, outside of a request: the front server asks before it accepts a long body."""

from __future__ import annotations

from django.contrib.auth import get_user
from django.contrib.sessions.backends.db import SessionStore
from django.db import close_old_connections
from django.http import HttpRequest


def person_of(session: str) -> str:
    """The id of the person who signed in with this session; "" if it has no owner, or has ended."""
    close_old_connections()
    try:
        request = HttpRequest()
        request.session = SessionStore(session)
        user = get_user(request)
        return str(user.pk) if user.is_authenticated and user.is_active else ""
    finally:
        close_old_connections()
