"""Amounts, dates and icons in templates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any, Final

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from paymatch.area.configuration import FOLDER
from paymatch.area.language.figures import (
    account_label,
    amount,
    day,
    day_field,
    iso_day,
    moment,
    signed_number,
    written,
)
from paymatch.area.language.reader_language import in_figures
from paymatch.area.lists import FieldChange, ListColumn, ListColumnKind
from paymatch.area.page import Visit
from paymatch.formats.languages.texts import group_digits

register: Final = template.Library()
register.filter("in_groups", group_digits)
for _filter in (amount, written, signed_number, day, day_field, iso_day, account_label, moment):
    register.filter(_filter)

_WHOLE: Final = 16
"""Characters of a number that is always shown in one line."""
_LONGEST_WORD: Final = 32
"""Characters of a word from which on it is broken, so that the columns behind it stay in sight."""
_CELL_CLASSES: Final = {
    ListColumnKind.MONEY: "num",
    ListColumnKind.COUNT: "num",
    ListColumnKind.DAY: "when",
    ListColumnKind.MOMENT: "when",
}


@register.filter
def grouped(count: int) -> str:
    """A number of things with its thousands apart, as the reader writes them: 20,000, in German 20.000."""
    return in_figures(f"{count:,}")


@register.filter
def money(minor: int | None, currency: str = "EUR") -> SafeString:
    """Digits, followed by the currency, smaller and muted."""
    if minor is None:
        return SafeString("")
    return unit(amount(minor, currency), currency)


@register.filter
def unit(written: str, name: str) -> SafeString:
    """A figure, and its unit after a non-breaking space, smaller and muted."""
    return format_html('{}\u00a0<span class="currency">{}</span>', written, name)


@register.filter
def device_name(user_agent: str) -> str:
    """What a session runs on: Firefox on Linux."""
    from paymatch.area.people import sessions  # noqa: PLC0415  models are there once Django is set up

    return sessions.device_name(user_agent)


@register.simple_tag
def icon(name: str, label: str = "") -> SafeString:
    """A Tabler icon drawn into the page; with a label it speaks, without it is decoration."""
    spoken = format_html('role="img" aria-label="{}"', label) if label else SafeString('aria-hidden="true"')
    return format_html('<svg class="icon" viewBox="0 0 24 24" {}>{}</svg>', spoken, _drawing(name))


@cache
def _drawing(name: str) -> SafeString:
    text = (FOLDER / "icons" / f"{name}.svg").read_text("utf-8")
    body = text[text.index(">", text.index("<svg")) + 1 : text.rindex("</svg>")]
    return SafeString(body.strip())  # nosec B703  our own file


@register.simple_tag(takes_context=True)
def query(context: Any, **changes: Any) -> str:
    """The page's query string with these values instead; None or "" takes one away."""
    values = context["request"].GET.copy()
    for name, value in changes.items():
        values.pop(name, None)
        if value not in (None, ""):
            values[name] = value
    return f"?{values.urlencode()}" if values else "?"


@register.filter
def address(visit: Visit, name: str) -> str:
    """The address of another page of the shop."""
    return visit.url(name)


@register.filter
def item(values: Mapping[str, Any], key: str) -> Any:
    """The value under a key; None if there is none."""
    return values.get(key)


@register.simple_tag(takes_context=True)
def query_of(context: Any, key: str, value: str) -> str:
    """The page's query string with one filter set, on its first page."""
    return query(context, **{key: value, "after": None})


def _moment_parts(value: datetime | None, zone: str) -> SafeString:
    """A moment that is broken between day and time only."""
    when, _comma, time = moment(value, zone).partition(", ")
    return (
        format_html('<span class="unbroken">{},</span> <span class="unbroken">{}</span>', when, time)
        if time
        else SafeString()
    )


def _changes(changes: Sequence[FieldChange], recorded: str) -> SafeString:
    """Each field with its value before and after; recorded details inside a disclosure."""
    rows = [
        (
            each.field,
            format_html("<del>{}</del> → ", each.before) if each.before else "",
            format_html("<ins>{}</ins>", each.after) if each.after else _("nothing"),
        )
        for each in changes
    ]
    if not rows:
        return SafeString("")
    changes = format_html_join("", "<div><dt>{}</dt><dd>{}{}</dd></div>", rows)
    return format_html(
        '<dl class="changes">{}</dl>'
        '<details class="recorded"><summary>JSON</summary><pre class="mono">{}</pre></details>',
        changes,
        recorded,
    )


@register.simple_tag(takes_context=True)
def cell(context: Any, row: Mapping[str, Any], column: ListColumn) -> SafeString:
    """A table cell for one value of a row; a badge is a triple (colour, title, word)."""
    value, zone = row.get(column.key), context["zone"]
    shown: Any = value if value is not None else ""
    match column.kind:
        case ListColumnKind.MONEY:
            shown = money(value, row["currency"])
        case ListColumnKind.DAY:
            shown = day(value)
        case ListColumnKind.MOMENT:
            shown = _moment_parts(value, zone)
        case ListColumnKind.BADGE if value:
            shown = format_html('<span class="badge {}" title="{}">{}</span>', *value)
        case ListColumnKind.CHANGES:
            shown = _changes(value or (), "\n".join(filter(None, (row.get("before"), row.get("after")))))
    classes = _CELL_CLASSES.get(column.kind, "")
    if column.kind is ListColumnKind.MONEY and not value:
        classes += " nought"
    if column.kind is ListColumnKind.TEXT and len(text := str(shown)) <= _WHOLE and " " not in text:
        classes += " whole"  # a number or a shortened account is not broken at its hyphen
    if column.kind is ListColumnKind.TEXT and any(len(word) > _LONGEST_WORD for word in str(shown).split()):
        classes += " long"
    if column.link and row.get(column.link):
        shown = format_html('<a href="{}">{}</a>', row[column.link], shown)
    if column is context["columns"][0]:
        classes += " first"
    return format_html(
        '<td data-label="{}" data-key="{}" class="{}">{}</td>', column.label, column.key, classes.strip(), shown
    )
