"""Filters of the page of postings to decide."""

from __future__ import annotations

from typing import Final

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from paymatch.area.language.aside_reasons import reason_words
from paymatch.area.language.figures import amount, signed_number
from paymatch.area.page import Visit
from paymatch.domain.money import CURRENCIES

register: Final = template.Library()
_STRONG: Final = 92
_FAIR: Final = 60
_STRONG_WEIGHT: Final = 3.0
_FAIR_WEIGHT: Final = 1.0


@register.filter
def address(visit: Visit, name: str) -> str:
    """The address of a page of the shop."""
    return visit.url(name)


@register.filter
def posting_address(visit: Visit, posting: str) -> str:
    """The address of a posting."""
    return visit.url("posting", posting=posting)


register.filter("aside", reason_words)


@register.filter("signed")
def signed_amount(minor: int | None, currency: str) -> str:
    """An amount with its sign, 0 without one; nothing for None."""
    text = amount(minor, currency)
    return f"+{text}" if minor is not None and minor > 0 else text


@register.filter
def digits(currency: str) -> int:
    """Digits of the currency's minor unit."""
    return CURRENCIES[currency]


@register.filter
def strength(percent: int | None) -> str:
    """How strong a suggestion is, in a word, by its probability in per cent."""
    if percent is None:
        return ""
    return _("strong") if percent >= _STRONG else _("medium") if percent >= _FAIR else _("weak")


@register.filter
def weight_word(value: float | None) -> str:
    """How much one piece of evidence says, in a word; a dot where a candidate lacks it."""
    if value is None:
        return "·"
    size = abs(value)
    word = _("strong") if size >= _STRONG_WEIGHT else _("medium") if size >= _FAIR_WEIGHT else _("weak")
    return _("%(strength)s, against") % {"strength": word} if value < 0 else word


@register.simple_tag
def weight(value: float | None, width: int) -> SafeString:
    """A weight with its bar; a dot where a candidate lacks the evidence."""
    if value is None:
        return SafeString('<span class="muted">·</span>')
    return format_html(
        '<svg class="q-weight {}" viewBox="0 0 32 5" aria-hidden="true">'
        '<rect x="{}" width="{}" height="5" rx="2"/></svg>'
        '<span class="q-number {}">{}</span><span class="q-word {}">{}</span>',
        *("against" if value < 0 else "for", 32 - width, width, "q-short" if value < 0 else "", signed_number(value)),
        *("q-short" if value < 0 else "", weight_word(value)),
    )
