"""Filters for sentences of the domain and for people."""

from __future__ import annotations

from typing import Final

from django import template

from paymatch.area.language.sentences import as_sentence, in_words
from paymatch.area.people.accounts import name_of

register: Final = template.Library()
register.filter("said", in_words)
register.filter("sentence", as_sentence)


@register.filter
def person(address: str | None) -> str:
    """The name of the person with this address; the address itself without one."""
    return name_of(address) if address else ""


@register.filter
def initials(address: str) -> str:
    """Up to two initials of the person."""
    words = name_of(address).partition("@")[0].replace(".", " ").split()
    return "".join(word[0] for word in [*words[:1], *words[1:][-1:]]).upper()
