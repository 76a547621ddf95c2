"""People from the command line and the team page: create, invite, disable; links that sign in once."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction

from paymatch.area.people.models import Membership, SignInLink, User
from paymatch.area.people.roles import Role
from paymatch.domain.refusal import Refused

LINK_HOURS: Final = 1


class PersonRefused(Refused):
    """A person cannot be created or changed like this."""


def create_person(
    email: str, *, shop: UUID | None = None, role: Role = Role.OWNER, staff: bool = False, password: str = ""
) -> User:
    """The person, created or, if known, given the role too. PersonRefused for an address that is none."""
    try:
        validate_email(email)
    except ValidationError:
        raise PersonRefused(f"{email!r} is not an e-mail address") from None
    if password and len(password) < 10:
        raise PersonRefused("A password needs at least 10 characters")
    with transaction.atomic():
        user = User.objects.filter(email__iexact=email).first() or User.objects.create_user(email)
        user.is_staff = user.is_staff or staff
        if password:
            user.set_password(password)
        user.save()
        if shop is not None:
            Membership.objects.update_or_create(user=user, shop_id=shop, defaults={"role": role.value})
    return user


def sign_in_link(user: User, base_url: str, now: datetime) -> str:
    """A link that signs the person in once, within LINK_HOURS; `now` aware."""
    token = secrets.token_urlsafe(32)
    SignInLink.objects.create(digest=_digest(token), user=user, expires_at=now + timedelta(hours=LINK_HOURS))
    return f"{base_url}/login/link/{token}"


def find(email: str) -> User:
    """The person of an address, whatever its case. PersonRefused if nobody has it."""
    found = User.objects.filter(email__iexact=email).first()
    if found is None:
        raise PersonRefused(f"Nobody here has the address {email!r}")
    return found


def list_people() -> Iterator[dict[str, Any]]:
    """People by address, a row for each shop that they work for; moments aware, in UTC."""
    for user in User.objects.order_by("email").prefetch_related("memberships"):
        row = {"email": user.email, "active": user.is_active, "staff": user.is_staff, "lastSignIn": user.last_login}
        memberships = list(user.memberships.all())
        if not memberships:
            yield row | {"shop": None, "role": None}
        for each in memberships:
            yield row | {"shop": str(each.shop_id), "role": each.role}


def disable(email: str) -> User:
    """The person signs in no more, and their sessions are over. PersonRefused if nobody has the address."""
    user = find(email)
    with transaction.atomic():
        user.is_active = False
        user.save(update_fields=["is_active"])
        _end_sessions(user)
    return user


def reset(email: str) -> User:
    """The person has neither password nor second factor, and no session. PersonRefused if nobody has the address."""
    user = find(email)
    with transaction.atomic():
        user.set_unusable_password()
        user.save(update_fields=["password"])
        Authenticator.objects.filter(user=user).delete()
        _end_sessions(user)
    return user


def _end_sessions(user: User) -> None:
    for session in UserSession.objects.filter(user=user):
        session.end()


def redeem(token: str, now: datetime) -> User | None:
    """The person of a link that was not used and has not expired; the link is used up. None for any other."""
    used = SignInLink.objects.filter(
        digest=_digest(token), used_at=None, expires_at__gt=now, user__is_active=True
    ).update(used_at=now)
    return SignInLink.objects.get(digest=_digest(token)).user if used else None


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()
