"""People from the command line and the team page: create, invite, disable; links that sign in once.

Each is recorded (D-46), as an action of the actor of the database `by`; without it of the service's.
"""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import connection, transaction
from django.db.models import F
from django.utils import timezone

from paymatch.area.people.models import CompanyIdentity, Membership, SignInLink, User
from paymatch.area.people.roles import TeamRole
from paymatch.area.service import the_service
from paymatch.domain.refusal import Refused
from paymatch.domain.shops.audit import INSTALLATION, AuditAction, Chain
from paymatch.domain.words.message import Message
from paymatch.store.database import Database
from paymatch.store.lists.sorted_lists import AskedPage, ListTotals, PageOfRows
from paymatch.usecases.audit import record_alone

LINK_HOURS: Final = 1
INVITATION_DAYS: Final = 7


class UserRefused(Refused):
    """A person cannot be created or changed like this."""


def create_person(
    email: str,
    *,
    shop: UUID | None = None,
    role: TeamRole = TeamRole.OWNER,
    staff: bool = False,
    password: str = "",
    by: Database | None = None,
) -> User:
    """The person, created or, if known, given the role too. PersonRefused for an invalid address."""
    try:
        validate_email(email)
    except ValidationError:
        raise UserRefused(Message("user-not-e-mail-address", email=repr(email))) from None
    if password and len(password) < 10:
        raise UserRefused(Message("user-password-needs-least-10"))
    with transaction.atomic():
        known = User.objects.filter(email__iexact=email).first()
        user = known or User.objects.create_user(email)
        user.is_staff = user.is_staff or staff
        if password:
            user.set_password(password)
        user.save()
        if shop is not None:
            Membership.objects.update_or_create(user=user, shop_id=shop, defaults={"role": role.value})
            _record(by, AuditAction.PERSON_INVITED, user, {"role": role}, Chain(shop))
        kind = AuditAction.PERSON_CHANGED if known else AuditAction.PERSON_CREATED
        _record(by, kind, user, {"staff": staff, "password": "set" if password else "", "shop": shop})
    return user


def create_first_person(email: str, name: str, password: str, *, by: Database | None = None) -> User | None:
    """The first person, an operator, without a password if a passkey follows; None if there is anyone already (D-140).

    Of two who try at once one comes first. UserRefused for an invalid address.
    """
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(f"LOCK TABLE {User._meta.db_table} IN SHARE ROW EXCLUSIVE MODE")
        if User.objects.exists():
            return None
        user = create_person(email, staff=True, password=password, by=by)
        user.name = name
        user.save(update_fields=["name"])
    return user


def sign_in_link(user: User, base_url: str, now: datetime, *, by: Database | None = None) -> str:
    """A link that signs the person in once, within LINK_HOURS; `now` aware."""
    token = secrets.token_urlsafe(32)
    _record(by, AuditAction.SIGN_IN_LINK_MADE, user)
    SignInLink.objects.create(digest=_digest(token), user=user, expires_at=now + timedelta(hours=LINK_HOURS))
    return f"{base_url}/login/link/{token}"


def has_way_in(user: User) -> bool:
    """Whether the person can sign in: with a password, a passkey, or an account at the company."""
    return (
        user.has_usable_password()
        or Authenticator.objects.filter(user=user, type=Authenticator.Type.WEBAUTHN).exists()
        or CompanyIdentity.objects.filter(user=user).exists()
    )


def first_link(
    user: User, base_url: str, now: datetime, *, shop: UUID | None = None, by: Database | None = None
) -> str:
    """Where an invited person begins: for INVITATION_DAYS the page that sets name and password.

    It replaces the invitation to the same shop of before. A person who can sign in already does so instead.
    """
    if has_way_in(user):
        return f"{base_url}/login"
    token = secrets.token_urlsafe(32)
    _record(by, AuditAction.SIGN_IN_LINK_MADE, user)
    with transaction.atomic():
        SignInLink.objects.filter(user=user, shop_id=shop, invites=True, used_at=None).delete()
        expires_at = now + timedelta(days=INVITATION_DAYS)
        SignInLink.objects.create(digest=_digest(token), user=user, expires_at=expires_at, invites=True, shop_id=shop)
    return f"{base_url}/login/invitation/{token}"


def link_to_begin(user: User, base_url: str, now: datetime, *, by: Database | None = None) -> str:
    """The link from an operator: an invitation, or a one-time sign-in link for a person who can already sign in."""
    return (sign_in_link if has_way_in(user) else first_link)(user, base_url, now, by=by)


def person_invited(token: str, now: datetime) -> User | None:
    """The person of a valid, unexpired invitation who cannot sign in yet."""
    links = SignInLink.objects.filter(digest=_digest(token), used_at=None, expires_at__gt=now, invites=True)
    link = links.filter(user__is_active=True).select_related("user").first()
    if link is None or has_way_in(link.user):
        return None
    withdrawn = link.shop_id and not Membership.objects.filter(user=link.user, shop_id=link.shop_id).exists()
    return None if withdrawn else link.user


def begin(user: User, name: str, password: str) -> None:
    """Sets the person's name, and a password unless a passkey follows; with a password, links no longer sign in."""
    with transaction.atomic():
        user.name = name
        if password:
            user.set_password(password)
            SignInLink.objects.filter(user=user, used_at=None).update(used_at=timezone.now())
        user.save(update_fields=["name", "password"])
        _record(None, AuditAction.PERSON_CHANGED, user, {"name": name, "password": "set" if password else ""})


PEOPLE_SORTS: Final = {"email": "email", "staff": "is_staff", "state": "is_active", "last_login": "last_login"}
"""What people can be sorted by: a column of the page -> a field."""


def page_of_people(wanted: str, asked: AskedPage, *, active: bool | None = None) -> PageOfRows[User]:
    """People whose address contains `wanted`, by address unless sorted; `active` None: the disabled ones, too."""
    people = User.objects.filter(email__icontains=wanted)
    if active is not None:
        people = people.filter(is_active=active)
    field = F(PEOPLE_SORTS.get(asked.sort, "email"))
    order = field.desc(nulls_first=True) if asked.is_descending else field.asc(nulls_last=True)
    addresses = list(people.order_by(order, "email").values_list("email", flat=True))
    begin = addresses.index(asked.after) + 1 if asked.after in addresses else 0
    shown = addresses[begin : begin + asked.limit]
    found = {each.email: each for each in User.objects.filter(email__in=shown).prefetch_related("memberships")}
    following = shown[-1] if len(addresses) > begin + asked.limit else ""
    return PageOfRows([found[email] for email in shown if email in found], following, ListTotals(len(addresses)))


def find(email: str) -> User:
    """The person with an address, ignoring case. PersonRefused if no one has it."""
    found = User.objects.filter(email__iexact=email).first()
    if found is None:
        raise UserRefused(Message("user-nobody-with-address", email=repr(email)))
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


def disable(email: str, *, by: Database | None = None) -> User:
    """Disables the person, and ends their sessions and links. PersonRefused if no one has the address."""
    user = find(email)
    with transaction.atomic():
        user.is_active = False
        user.save(update_fields=["is_active"])
        _end_sessions(user)
        _end_links(user)
        _record(by, AuditAction.PERSON_DISABLED, user)
    return user


def reset(email: str, *, by: Database | None = None) -> User:
    """Removes all of the person's sign-in methods and sessions. PersonRefused if no one has the address."""
    user = find(email)
    with transaction.atomic():
        user.set_unusable_password()
        user.save(update_fields=["password"])
        Authenticator.objects.filter(user=user).delete()
        CompanyIdentity.objects.filter(user=user).delete()
        _end_sessions(user)
        _end_links(user)
        _record(by, AuditAction.PERSON_RESET, user)
    return user


def _end_sessions(user: User) -> None:
    for session in UserSession.objects.filter(user=user):
        session.end()


def _end_links(user: User) -> None:
    """Revokes earlier links: their holder may be the reason."""
    SignInLink.objects.filter(user=user, used_at=None).delete()


def person_of_link(token: str, now: datetime) -> User | None:
    """The person that an unused, unexpired link would sign in; leaves it unchanged. None for any other."""
    link = SignInLink.objects.filter(
        digest=_digest(token), used_at=None, expires_at__gt=now, user__is_active=True, invites=False
    )
    found = link.select_related("user").first()
    return found.user if found is not None else None


def redeem(token: str, now: datetime) -> User | None:
    """The person of a link that was not used and has not expired; the link is used up. None for any other."""
    used = SignInLink.objects.filter(
        digest=_digest(token), used_at=None, expires_at__gt=now, user__is_active=True, invites=False
    ).update(used_at=now)
    return SignInLink.objects.get(digest=_digest(token)).user if used else None


def _record(
    by: Database | None,
    kind: AuditAction,
    user: User,
    after: dict[str, Any] | None = None,
    chain: Chain = INSTALLATION,
) -> None:
    record_alone(by or the_service().database, chain, kind, user.email, after=after)


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()


_KEPT_SECONDS: Final = 60.0
_MOST: Final = 10_000
_known: dict[str, str] = {}
_read_at = [float("-inf")]


def name_of(address: str) -> str:
    """The person's name; the text itself if the address has none."""
    if "@" not in address:
        return address
    if time.monotonic() - _read_at[0] > _KEPT_SECONDS:
        found = dict(User.objects.exclude(name="").values_list("email", "name")[:_MOST])
        _known.clear()
        _known.update(found)
        _read_at[0] = time.monotonic()
    return _known.get(address, address)


def forget_names() -> None:
    """A person of this process has another name now."""
    _read_at[0] = float("-inf")
