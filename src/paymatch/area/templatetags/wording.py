"""Filters for sentences of the domain and for people."""

from __future__ import annotations

from typing import Final

from django import template
from django.utils.translation import gettext_lazy, pgettext_lazy

from paymatch.area.language.sentences import as_sentence, in_words
from paymatch.area.people.accounts import name_of

register: Final = template.Library()
register.filter("said", in_words)
register.filter("sentence", as_sentence)


_FORMATS: Final = {"settlement": gettext_lazy("Settlement file")}
_SCOPES: Final = {
    "read": gettext_lazy("read"),
    "read-write": gettext_lazy("read and write"),
    "orders": pgettext_lazy("scope", "orders"),
    "refunds": pgettext_lazy("scope", "refunds"),
    "statements": pgettext_lazy("scope", "statements"),
    "collection": pgettext_lazy("scope", "collection"),
}


@register.filter
def format_name(name: str) -> str:
    """The format of a file of a bank or a payment service, as people call it."""
    return str(_FORMATS.get(name, name))


@register.filter
def scope_words(scope: str) -> str:
    """The rights of a key in words."""
    return ", ".join(str(_SCOPES.get(each, each)) for each in scope.split(","))


@register.filter
def person(address: str | None) -> str:
    """The name of whoever has this address; the address itself without one."""
    return name_of(address) if address else ""


@register.filter
def initials(address: str) -> str:
    """Up to two initials of the person."""
    words = name_of(address).partition("@")[0].replace(".", " ").split()
    return "".join(word[0] for word in [*words[:1], *words[1:][-1:]]).upper()
