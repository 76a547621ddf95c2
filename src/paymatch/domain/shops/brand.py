"""A shop as its customers see it on pages, in mails and letters: name, logo, colour, whom to ask, legal footer."""

from __future__ import annotations

from dataclasses import dataclass

from paymatch.domain.shops.colours import USUAL_ACCENT, Colour


@dataclass(frozen=True, slots=True)
class Logo:
    """A picture as it was drawn anew from what the shop uploaded: PNG; size in pixels."""

    png: bytes
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Brand:
    """What customers see of a shop; "" for what it has not said. `footer` may have several lines."""

    name: str
    accent: Colour = USUAL_ACCENT
    email: str = ""
    phone: str = ""
    website: str = ""
    footer: str = ""
    logo: Logo | None = None
    imprint_url: str = ""
    privacy_url: str = ""
