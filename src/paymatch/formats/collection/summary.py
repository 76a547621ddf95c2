"""The case on paper, in the shop's language: what `message.json` says for programs, as a person reads it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from importlib.resources import files
from typing import Any, Final

from paymatch.domain.money import Currency, Money, text_to_minor
from paymatch.formats.documents.typesetting import pdf_of
from paymatch.formats.languages.texts import LanguageTexts

Rows = Sequence[Mapping[str, str]]
Pair = tuple[str, str]
"""A label and its value."""

_NUMBERS: Final = frozenset({"level", "fee", "amount", "percent"})
"""Right-aligned columns."""
_WIDE: Final = {"text": 2, "name": 1}
"""Columns that share the room that the others leave, and in which parts."""


def write_summary(facts: Mapping[str, Any], tables: Mapping[str, Rows], spoken: LanguageTexts) -> bytes:
    """The PDF; amounts in `facts` and `tables` are decimal texts, dates are ISO 8601 or ""."""
    template = files(__package__).joinpath("summary.typ").read_bytes()
    return pdf_of(template, {"case": json.dumps(summary_of(facts, tables, spoken), ensure_ascii=False)})


def summary_of(facts: Mapping[str, Any], tables: Mapping[str, Rows], spoken: LanguageTexts) -> dict[str, Any]:
    """Everything that is written on the paper; what the template adds are lines and places."""
    total, *parts = _sums(facts, spoken)
    case = spoken.gettext("Case %(case)s", case=facts["case"])
    page = spoken.gettext("Page %(page)s of %(pages)s", page="{page}", pages="{pages}")
    return {
        "language": spoken.language,
        "title": spoken.gettext("Collection of order %(order)s", order=facts["orderNumber"]),
        "intro": spoken.gettext(
            "%(shop)s hands this claim over to %(agency)s.", shop=facts["shop"], agency=facts["agency"]
        ),
        "foot": f"{case} · {page}",
        "customer": {"title": spoken.gettext("Customer"), "rows": _summary_pairs(_customer(facts["customer"], spoken))},
        "claim": {
            "title": spoken.gettext("Claim"),
            "rows": _summary_pairs(_claim(facts, spoken)),
            "sums": parts,
            "total": total,
        },
        "tables": [_table(name, rows, facts["currency"], spoken) for name, rows in tables.items() if rows],
    }


def _summary_pairs(pairs: Iterator[Pair]) -> list[Pair]:
    """Those that say something."""
    return [(label, value) for label, value in pairs if value]


def _customer(customer: Mapping[str, str], spoken: LanguageTexts) -> Iterator[Pair]:
    yield spoken.gettext("Name"), customer["name"]
    yield spoken.gettext("Company"), customer["company"]
    yield spoken.gettext("Address"), customer["address"]
    yield spoken.gettext("E-mail"), customer["email"]
    yield spoken.gettext("Telephone"), customer["phone"]
    yield spoken.gettext("Customer number"), customer["number"]


def _claim(facts: Mapping[str, Any], spoken: LanguageTexts) -> Iterator[Pair]:
    ordered = {"number": facts["orderNumber"], "day": _day(facts["orderDate"], spoken)}
    yield spoken.gettext("Order"), spoken.gettext("%(number)s of %(day)s", **ordered)
    yield spoken.gettext("Due on"), _day(facts["dueDate"], spoken)
    yield spoken.gettext("Last payment reminder"), _day(facts["warnedOn"], spoken)
    yield spoken.gettext("Payment reference"), facts["reference"]


def _sums(facts: Mapping[str, Any], spoken: LanguageTexts) -> list[Pair]:
    """The total, and what it is made of."""
    until = _day(facts["interestUntil"] or facts["handedOver"], spoken)
    named = [
        (spoken.gettext("Total"), "total"),
        (spoken.gettext("Open amount"), "open"),
        (spoken.gettext("Reminder fees"), "fees"),
        (spoken.gettext("Interest until %(day)s", day=until), "interest"),
        (spoken.gettext("Lump sum for late payment"), "lumpSum"),
    ]
    return [(label, _amount(facts[name], facts["currency"], spoken)) for label, name in named]


def _table(name: str, rows: Rows, currency: str, spoken: LanguageTexts) -> dict[str, Any]:
    titles = {
        "reminders": spoken.gettext("Payment reminders"),
        "postings": spoken.gettext("Payments"),
        "interest": spoken.gettext("Interest"),
    }
    columns = list(rows[0])
    labels = _labels(spoken)
    return {
        "title": titles[name],
        "columns": [
            {"label": labels[each], "right": each in _NUMBERS, "parts": _WIDE.get(each, 0)} for each in columns
        ],
        "rows": [[_cell(each, row[each], currency, spoken) for each in columns] for row in rows],
    }


def _labels(spoken: LanguageTexts) -> dict[str, str]:
    """Column -> its heading."""
    return {
        "date": spoken.gettext("Date"), "level": spoken.gettext("Level"), "fee": spoken.gettext("Fee"),
        "amount": spoken.gettext("Amount"), "name": spoken.gettext("Name"), "text": spoken.gettext("Payment text"),
        "from": spoken.pgettext("first day", "From"), "to": spoken.pgettext("last day", "To"),
        "percent": spoken.gettext("Percent per year"),
    }  # fmt: skip


def _cell(column: str, value: str, currency: str, spoken: LanguageTexts) -> str:
    match column:
        case "date" | "from" | "to":
            return _day(value, spoken)
        case "fee" | "amount":
            return _amount(value, currency, spoken)
        case "percent":
            return spoken.decimal(Decimal(value))
    return value


def _amount(text: str, code: str, spoken: LanguageTexts) -> str:
    currency = Currency(code)
    return spoken.amount(Money(text_to_minor(text, currency), currency))


def _day(text: str, spoken: LanguageTexts) -> str:
    return spoken.short_day(date.fromisoformat(text)) if text else ""
