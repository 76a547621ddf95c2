"""The team of a shop: who works for it in which role. A shop always keeps an owner."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from django.db import transaction

from paymatch.area.people.accounts import UserRefused, create_person, has_way_in
from paymatch.area.people.cooling_off import gains_role
from paymatch.area.people.models import Membership, SignInLink, User
from paymatch.area.people.roles import TeamRole
from paymatch.domain.shops.shop import Shop
from paymatch.domain.words.message import Message
from paymatch.store.database import Database


def members(shop: UUID) -> list[Membership]:
    """The people who work for the shop, by address; `invited_until` of those who have not begun yet."""
    found = list(Membership.objects.filter(shop_id=shop).select_related("user").order_by("user__email"))
    links = SignInLink.objects.filter(shop_id=shop, invites=True, used_at=None).values_list("user_id", "expires_at")
    until = dict(links)
    for each in found:
        each.waits = each.user.last_login is None and not has_way_in(each.user)
        each.invited_until = until.get(each.user_id) if each.waits else None
    return found


@contextmanager
def change_team(shop: UUID) -> Iterator[dict[UUID, Membership]]:
    """The team by the people's ids, locked; what the block changes is kept if it ends well and an owner is left."""
    with transaction.atomic():
        found = Membership.objects.filter(shop_id=shop).select_related("user").select_for_update(of=("self",))
        yield {each.user_id: each for each in found}
        if not Membership.objects.filter(shop_id=shop, role=TeamRole.OWNER.value, user__is_active=True).exists():
            raise UserRefused(Message("user-shop-needs-owner-make"))


def invite(shop: Shop, email: str, role: TeamRole, by: Database) -> User:
    """Adds the person to the shop. PersonRefused if they already work for it, or the address is invalid.

    Their releases count a day later (D-58).
    """
    if Membership.objects.filter(shop_id=shop.id, user__email__iexact=email).exists():
        raise UserRefused(Message("user-in-team-already", email=email))
    with transaction.atomic():
        user = create_person(email, shop=shop.id, role=role, by=by)
        gains_role(shop, user.email, role, None, by)
    return user


def set_role(team: dict[UUID, Membership], shop: Shop, person: UUID, role: TeamRole, by: Database) -> Membership:
    """Changes the person's role; a new permission to release counts a day later (D-58).

    PersonRefused for a person outside of the team.
    """
    found = _member(team, person)
    gains_role(shop, found.user.email, role, TeamRole(found.role), by)
    found.role = role.value
    found.save(update_fields=["role"])
    return found


def remove(team: dict[UUID, Membership], person: UUID) -> Membership:
    """Removes the person from the shop. PersonRefused for a person outside of the team."""
    found = _member(team, person)
    SignInLink.objects.filter(user=found.user, shop_id=found.shop_id, invites=True).delete()
    found.delete()
    return found


def invited_person(team: dict[UUID, Membership], person: UUID) -> User:
    """The person of the team whose invitation waits. PersonRefused for anyone else."""
    user = _member(team, person).user
    if has_way_in(user):
        raise UserRefused(Message("user-signed-in-already", email=user.email))
    return user


def _member(team: dict[UUID, Membership], person: UUID) -> Membership:
    if person not in team:
        raise UserRefused(Message("user-person-not-team"))
    return team[person]
