"""Amounts, dates and icons in templates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from functools import cache
from typing import Any, Final
from zoneinfo import ZoneInfo

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from paymatch.area.configuration import FOLDER
from paymatch.area.lists import EVERYWHERE, FieldChange, ListColumn, ListColumnKind
from paymatch.area.page import Visit
from paymatch.area.templatetags.reader_language import day_and_month, in_figures
from paymatch.domain.bank_accounts import masked_account
from paymatch.domain.money import CURRENCIES
from paymatch.domain.words.typed_days import written_day

register: Final = template.Library()

MINUS: Final = "\u2212"
_CELL_CLASSES: Final = {
    ListColumnKind.MONEY: "num",
    ListColumnKind.COUNT: "num",
    ListColumnKind.DAY: "when",
    ListColumnKind.MOMENT: "when",
}


@register.filter
def amount(minor: int | None, currency: str = "EUR") -> str:
    """Minor units as digits in the reader's way: 1,234.50 or 1.234,50; nothing for None."""
    if minor is None:
        return ""
    digits = CURRENCIES[currency]
    whole, rest = divmod(abs(minor), 10**digits)
    text = f"{whole:,}" + (f".{rest:0{digits}}" if digits else "")
    return (MINUS if minor < 0 else "") + in_figures(text)


@register.filter
def written(text: str | None) -> str:
    """An amount that is written with a point, 1204.50, as `amount` shows it; nothing for none."""
    if not text:
        return ""
    shown = f"{Decimal(text):,}".replace("-", MINUS)
    return in_figures(shown)


@register.filter
def signed_number(value: float) -> str:
    """A number with its sign and one decimal in the reader's way, 0.0 without a sign."""
    text = f"{abs(value):,.1f}"
    sign = "" if text == "0.0" else MINUS if value < 0 else "+"
    return sign + in_figures(text)


@register.filter
def money(minor: int | None, currency: str = "EUR") -> SafeString:
    """Digits, and the currency behind them, smaller and muted."""
    if minor is None:
        return SafeString("")
    return unit(amount(minor, currency), currency)


@register.filter
def unit(written: str, name: str) -> SafeString:
    """A figure, and its unit behind a space that keeps both on one line, smaller and muted."""
    return format_html('{}\u00a0<span class="currency">{}</span>', written, name)


@register.filter
def day(value: date | None) -> str:
    """17 Nov, in German 17. Nov., with the year where it is not this one."""
    if value is None:
        return ""
    this_year = datetime.now(tz=ZoneInfo("UTC")).year  # noqa: TID251  how a date is shown, nothing is decided by it
    return day_and_month(value, with_year=value.year != this_year)


@register.filter
def day_field(value: date | None) -> str:
    """The day as a field for days shows it, always with its year."""
    return written_day(value, get_language() or "en") if value is not None else ""


@register.filter
def iso_day(text: str | None) -> str:
    """A day that is written as 2026-11-17, as `day` shows it."""
    return day(date.fromisoformat(text)) if text else ""


@register.filter
def account_label(account: str) -> str:
    """What tells an account of the shop from its others: its country and check digits, and its end."""
    return masked_account(account) if len(account) > 8 else account


@register.filter
def moment(value: datetime | None, zone: str = EVERYWHERE) -> str:
    """17 Nov, 08:42 in the shop's time zone; where no shop is looked at in UTC, which it then says."""
    if value is None:
        return ""
    local = value.astimezone(ZoneInfo(zone or "UTC"))
    shown = f"{day(local.date())}, {local:%H:%M}"
    return shown if zone else f"{shown}\u00a0UTC"


@register.filter
def device_name(user_agent: str) -> str:
    """What a session runs on: Firefox on Linux."""
    from paymatch.area.people.team_sessions import device  # noqa: PLC0415  models are there once Django is set up

    browser, system = device(user_agent)
    both = _("{browser} on {system}").format(browser=browser, system=system) if browser and system else ""
    return both or browser or system or _("Another program")


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


def _changes(changes: Sequence[FieldChange], recorded: str) -> SafeString:
    """Each field with its value before and after; what was recorded of them behind a disclosure."""
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
    told = format_html_join("", "<div><dt>{}</dt><dd>{}{}</dd></div>", rows)
    return format_html(
        '<dl class="changes">{}</dl>'
        '<details class="recorded"><summary>JSON</summary><pre class="mono">{}</pre></details>',
        told,
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
            shown = moment(value, zone)
        case ListColumnKind.BADGE if value:
            shown = format_html('<span class="badge {}" title="{}">{}</span>', *value)
        case ListColumnKind.CHANGES:
            shown = _changes(value or (), "\n".join(filter(None, (row.get("before"), row.get("after")))))
    classes = _CELL_CLASSES.get(column.kind, "")
    if column.kind is ListColumnKind.MONEY and not value:
        classes += " nought"
    if column.link and row.get(column.link):
        shown = format_html('<a href="{}">{}</a>', row[column.link], shown)
    if column is context["columns"][0]:
        classes += " first"
    return format_html(
        '<td data-label="{}" data-key="{}" class="{}">{}</td>', column.label, column.key, classes.strip(), shown
    )
