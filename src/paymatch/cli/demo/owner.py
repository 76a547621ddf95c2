"""The owner of the demo shop, who looks at it in the merchant area."""

from __future__ import annotations

from typing import Final

from paymatch.cli.demo.life import Life
from paymatch.cli.users import loaded_area

EMAIL: Final = "owner@demo.example"


def owner_link(life: Life) -> str:
    """A link that signs the demo's owner in to the service of this demo: once, within the hour."""
    service = loaded_area(life.database)
    from paymatch.area.people import accounts

    owner = accounts.create_person(EMAIL, shop=life.shop.id)
    return accounts.sign_in_link(owner, life.client.base.removesuffix("/api/v2"), service.clock())
