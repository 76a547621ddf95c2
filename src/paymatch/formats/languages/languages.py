"""Which languages customers are written to in, and which of them is meant."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Final

LANGUAGES: Final[Mapping[str, str]] = {
    "de": "Deutsch",
    "en": "English",
    "fr": "Français",
    "it": "Italiano",
    "nl": "Nederlands",
    "pl": "Polski",
    "es": "Español",
}
"""ISO 639-1 code -> the language's own name."""

SOURCE: Final = "en"
"""The language of the texts in the code, and of whoever wants one that is not written here."""

MAX_HEADER: Final = 200  # characters; browsers send well below a hundred
_RANGE: Final = re.compile(r"([a-zA-Z]{1,8})(?:-[a-zA-Z0-9]{1,8}){0,4}(?:;q=(0(?:\.\d{1,3})?|1(?:\.0{1,3})?))?")


def language_among(*wanted: str) -> str:
    """The first of the wanted languages (`fr`, `de-AT`, `pl_PL`) that is written here, else English."""
    for each in wanted:
        code = each.strip().lower().replace("_", "-").partition("-")[0]
        if code in LANGUAGES:
            return code
    return SOURCE


def language_of(order: str, shop: str) -> str:
    """The language in which an order's customer is written to, by whatever way: the order's, else the shop's, else
    English, of those that are written here.
    """
    return language_among(order, shop)


def accepted_language(header: str) -> str:
    """The language that a browser prefers among those written here; "" if it names none (RFC 9110, 12.5.4)."""
    ranked = sorted(_accepted_languages(header), key=lambda each: -each[1])  # equal ones stay in their order
    return next((code for code, weight in ranked if weight and code in LANGUAGES), "")


def _accepted_languages(header: str) -> Iterator[tuple[str, Decimal]]:
    """(code, weight) of each language in the header; what is not well-formed is passed over."""
    for part in header[:MAX_HEADER].replace(" ", "").split(","):
        found = _RANGE.fullmatch(part)
        if found is not None:
            yield found[1].lower(), Decimal(found[2] or 1)
