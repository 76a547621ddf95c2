"""The reader's language: which ones there are, and how it writes numbers and days (CLDR, by Babel)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Final

from babel import Locale
from babel.numbers import get_decimal_symbol, get_group_symbol
from django.utils.formats import date_format
from django.utils.translation import get_language, pgettext

SOURCE: Final = "en"
"""The language of the texts in the code."""


def languages_in(folders: Iterable[Path]) -> tuple[tuple[str, str], ...]:
    """(code, own name) of each language that has a catalogue in one of the folders, English first."""
    found = {path.parents[1].name for folder in folders for path in folder.glob("*/LC_MESSAGES/django.po")}
    return tuple((code, _own_name(code)) for code in (SOURCE, *sorted(found - {SOURCE})))


def in_figures(english: str) -> str:
    """Digits that are written as in English, 1,234.50, in the reader's way: 1.234,50."""
    return english.translate(_marks(get_language() or SOURCE))


def decimal_mark() -> str:
    """What the reader writes in front of decimals."""
    return str(get_decimal_symbol(get_language() or SOURCE))


def day_and_month(value: date, *, with_year: bool) -> str:
    """A day with its month in short: 17 Nov, 17. Nov."""
    written = pgettext("day and month in Django's letters", "j M")
    return date_format(value, f"{written} Y" if with_year else written)


@lru_cache(maxsize=64)
def _marks(language: str) -> dict[int, str]:
    return str.maketrans({",": get_group_symbol(language), ".": get_decimal_symbol(language)})


def _own_name(code: str) -> str:
    name = Locale.parse(code).get_display_name() or code
    return name[:1].upper() + name[1:]
