"""Headings of the sign-in library, which English has in Title Case, as ours: sentence case."""

from __future__ import annotations

from typing import Final

from django import template
from django.utils.translation import get_language

register: Final = template.Library()


@register.filter(is_safe=True)
def sentence_case(text: str) -> str:
    """The markup with all words but the first in small letters where only their first letter is a capital."""
    if get_language() != "en":
        return text
    first, *others = text.strip().split(" ")
    words = [each.lower() if each.istitle() and each.replace("-", "").isalpha() else each for each in others]
    return " ".join([_first(first), *words])


def _first(word: str) -> str:
    """The first word, with a capital at its beginning alone: `Two-Factor` is `Two-factor`."""
    return word.capitalize() if word.istitle() and word.replace("-", "").isalpha() else word
