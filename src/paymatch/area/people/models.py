"""The area's own tables. Money, orders and shops are not here: they are asked for through `usecases/`."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Any, ClassVar, Final

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.postgres.expressions import ArraySubquery
from django.db import models
from django.db.models.functions import JSONObject
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from paymatch.area.people.roles import TeamRole

ROLE_NAMES: Final = (
    (TeamRole.OWNER.value, _("Owner")),
    (TeamRole.CLERK.value, _("Clerk")),
    (TeamRole.DEVELOPER.value, _("Developer")),
    (TeamRole.VIEWER.value, _("Viewer")),
)


class UserManager(BaseUserManager["User"]):
    """Finds people by e-mail address, ignoring case, each with their roles: one query for both."""

    def get_queryset(self) -> models.QuerySet[User]:
        memberships = Membership.objects.filter(user=models.OuterRef("pk")).values(
            found=JSONObject(shop="shop_id", role="role")
        )
        return super().get_queryset().annotate(known_roles=ArraySubquery(memberships))

    def get_by_natural_key(self, username: str | None) -> User:
        return self.get(email__iexact=username)

    def create_user(self, email: str, **more: Any) -> User:
        """A person without a password: the first sign-in is by link."""
        user: User = self.model(email=self.normalize_email(email).lower(), **more)
        user.set_unusable_password()
        user.save(using=self._db)
        return user


class User(AbstractBaseUser):
    """A person. `is_staff` is the operator: sees the installation, and money read-only."""

    USERNAME_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    email = models.EmailField(unique=True, max_length=254)
    name = models.CharField(max_length=120, blank=True)
    language = models.CharField(max_length=2, blank=True)
    theme = models.CharField(max_length=5, blank=True)
    is_staff = models.BooleanField(default=False)
    is_active = models.BooleanField(default=True)
    created_at = models.DateTimeField(default=timezone.now)
    last_page = models.CharField(max_length=500, blank=True)
    known_roles: list[dict[str, str]]  # read with the person by `UserManager`

    objects = UserManager()

    def __str__(self) -> str:
        return self.name or self.email

    def get_full_name(self) -> str:
        return str(self)

    def role_in(self, shop: uuid.UUID) -> TeamRole | None:
        """The person's role in the shop as it was when they were loaded; None if they do not work for it."""
        roles = {each["shop"]: each["role"] for each in self.known_roles}
        return TeamRole(roles[str(shop)]) if str(shop) in roles else None

    @property
    def initials(self) -> str:
        """One or two letters for the round badge."""
        words = (self.name or self.email.partition("@")[0].replace(".", " ")).split()
        return "".join(word[0] for word in (words[0], *words[1:][-1:])).upper() if words else "?"


class Membership(models.Model):
    """A person's role in one shop."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    shop_id = models.UUIDField(db_index=True)
    role = models.CharField(max_length=10, choices=ROLE_NAMES)
    created_at = models.DateTimeField(default=timezone.now)
    waits: bool = False  # for the first sign-in; set by `team.members`, as the moment after which it is too late
    invited_until: datetime | None = None

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["user", "shop_id"], name="one_role_per_shop")
        ]


class SignInLink(models.Model):
    """A link that signs in once; stored as the SHA-256 of its token. One that `invites` leads to the first page."""

    digest = models.BinaryField(primary_key=True, max_length=32)
    user = models.ForeignKey(User, on_delete=models.CASCADE)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)
    invites = models.BooleanField(default=False)
    shop_id = models.UUIDField(null=True)  # what an invitation is for


class CompanyIdentity(models.Model):
    """The account at the company that a person signs in with (OpenID Connect): bound at the first sign-in."""

    user = models.ForeignKey(User, on_delete=models.CASCADE)
    issuer = models.CharField(max_length=500)
    subject = models.CharField(max_length=255)
    bound_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["issuer", "subject"], name="one_person_per_subject"),
            models.UniqueConstraint(fields=["user", "issuer"], name="one_subject_per_issuer"),
        ]


class Attempt(models.Model):
    """Short-lived values shared by all server processes (`attempts.py`); `value` is JSON."""

    key = models.CharField(primary_key=True, max_length=300)
    value = models.JSONField()
    expires_at = models.DateTimeField(db_index=True)


class SavedView(models.Model):
    """A list of a shop as a person wants to see it again: the query string of its address, under a name."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(User, on_delete=models.CASCADE)
    shop_id = models.UUIDField()
    listing = models.CharField(max_length=20)
    name = models.CharField(max_length=40)
    query = models.CharField(max_length=1000)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["user", "shop_id", "listing", "name"], name="one_view_per_name")
        ]


STATEMENT, ORDERS = "statement", "orders"
"""What an uploaded file is taken for."""


class OfferedFile(models.Model):
    """A bank file, or a table of orders, that a person uploaded and that is not taken yet; its content is sealed.

    `report` is the preview of booking it, once the rehearsal has ended; `run_id` names the import running since
    `begun_at`.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    shop_id = models.UUIDField(db_index=True)
    user = models.ForeignKey(User, on_delete=models.CASCADE)
    name = models.CharField(max_length=255)
    size = models.PositiveIntegerField()
    content = models.BinaryField()
    offered_at = models.DateTimeField(default=timezone.now, db_index=True)
    run_id = models.CharField(max_length=64, blank=True)
    begun_at = models.DateTimeField(null=True)
    is_booking = models.BooleanField(default=False)
    purpose = models.CharField(max_length=20, default=STATEMENT)
    report = models.JSONField(null=True)
    error = models.TextField(blank=True)

    @property
    def state(self) -> str:
        """reading, booking, refused or ready."""
        if self.run_id:
            return "booking" if self.is_booking else "reading"
        return "refused" if self.error else "ready"
