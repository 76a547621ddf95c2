"""Audit of sign-ins: each person and network address, failed attempts, changed sign-in methods (D-46)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.http import HttpRequest

from paymatch.area.people.models import User
from paymatch.area.service import the_service
from paymatch.domain.shops.audit import INSTALLATION, Actor, ActorKind, AuditAction
from paymatch.usecases.audit import record_alone

UNKNOWN_ADDRESS: Final = "an unknown address"
"""The actor of a sign-in with an unknown address; it is not kept, as it may be a password."""


def record_sign_in(
    request: HttpRequest, kind: AuditAction, user: User | None, after: Mapping[str, Any] | None = None
) -> None:
    """Records an action about `user` in the installation's chain. A failed sign-in is a stranger's."""
    about = user.email if user is not None else UNKNOWN_ADDRESS
    who = (ActorKind.STRANGER, "") if kind is AuditAction.SIGN_IN_FAILED else (ActorKind.PERSON, about)
    actor = Actor(*who, request.META.get("REMOTE_ADDR", ""))
    record_alone(the_service().database.acting_as(actor), INSTALLATION, kind, about, after=after)
