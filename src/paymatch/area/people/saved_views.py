"""Saved views: the filter of a list under a name, of one person in one shop."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from django.db import transaction

from paymatch.area.people.accounts import UserRefused
from paymatch.area.people.models import SavedView, User
from paymatch.domain.words.message import Message

MOST: Final = 20
MAX_NAME: Final = 40
MAX_QUERY: Final = 1000


def views_of(user: User, shop: UUID, listing: str) -> list[SavedView]:
    """The person's views of a list of the shop, by name."""
    return list(SavedView.objects.filter(user=user, shop_id=shop, listing=listing).order_by("name"))


def keep(user: User, shop: UUID, listing: str, name: str, query: str) -> None:
    """Saves the query string under the name, replacing an earlier one. PersonRefused without a name, or room."""
    if not name or len(name) > MAX_NAME:
        raise UserRefused(Message("user-give-view-name-first"))
    if len(query) > MAX_QUERY:
        raise UserRefused(Message("user-filter-too-long-kept"))
    with transaction.atomic():
        User.objects.select_for_update().get(pk=user.pk)
        known = {view.name for view in views_of(user, shop, listing)}
        if name not in known and len(known) >= MOST:
            raise UserRefused(Message("user-delete-view-first-already", most=MOST))
        SavedView.objects.update_or_create(
            user=user, shop_id=shop, listing=listing, name=name, defaults={"query": query}
        )


def delete(user: User, shop: UUID, listing: str, name: str) -> None:
    """The person has no view of this name."""
    SavedView.objects.filter(user=user, shop_id=shop, listing=listing, name=name).delete()
