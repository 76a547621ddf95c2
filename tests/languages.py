"""Orders in each language that is written, in one that is not, and in none; and the language that each is meant."""

from __future__ import annotations

from typing import Final

SHOP: Final = "de"
WANTED: Final = {
    "de": "de",
    "en": "en",
    "fr": "fr",
    "it": "it",
    "nl": "nl",
    "pl": "pl",
    "es": "es",
    "de-AT": "de",
    "pt": SHOP,
    "": SHOP,
}
"""Language of an order of a German shop -> language in which its customer is written to."""
