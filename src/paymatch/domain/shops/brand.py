"""A shop as its customers see it on pages, in mails and letters: name, logo, colour, contact, legal footer."""

from __future__ import annotations

from dataclasses import dataclass

from paymatch.domain.shops.colours import USUAL_ACCENT, Colour


@dataclass(frozen=True, slots=True)
class Logo:
    """A picture re-encoded from the shop's upload: PNG; size in pixels."""

    png: bytes
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Brand:
    """The shop's details that customers see; "" if unset. `footer` may have several lines."""

    name: str
    accent: Colour = USUAL_ACCENT
    email: str = ""
    phone: str = ""
    website: str = ""
    footer: str = ""
    logo: Logo | None = None
    imprint_url: str = ""
    privacy_url: str = ""
