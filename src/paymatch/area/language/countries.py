"""Countries by their names in the reader's language, for fields in which one is chosen."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from babel import Locale
from django.utils.translation import get_language

from paymatch.domain.countries import COUNTRIES


def country_choices() -> list[tuple[str, str]]:
    """(ISO 3166-1 code, name in the reader's language), by name as a dictionary has it (Unicode CLDR)."""
    return list(_choices((get_language() or "en")[:2]))


@lru_cache(maxsize=8)
def _choices(language: str) -> tuple[tuple[str, str], ...]:
    names = Locale.parse(language).territories
    return tuple(
        sorted(((code, str(names.get(code, code))) for code in COUNTRIES), key=lambda each: _sort_key(each[1]))
    )


def _sort_key(name: str) -> str:
    """Without accents: Österreich is found under O."""
    return "".join(sign for sign in unicodedata.normalize("NFD", name.casefold()) if not unicodedata.combining(sign))
