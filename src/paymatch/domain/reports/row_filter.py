"""Filters of a table's rows: conditions on any of its columns, and a word to search for in its texts."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from operator import eq, ge, gt, le, lt, ne
from typing import Any, Final
from zoneinfo import ZoneInfo

from paymatch.domain.refusal import Refused
from paymatch.domain.reports.catalogue import ReportColumn, ReportColumnKind, ReportDefinition, cell
from paymatch.domain.words.message import Message

_CONDITION: Final = re.compile(r"\s*(\w+)\s*(!=|>=|<=|=|>|<|~)(.*)", re.DOTALL)
_COMPARED: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "=": eq, "!=": ne, ">=": ge, "<=": le, ">": gt, "<": lt,
}  # fmt: skip
EXPECTED: Final = "a column, one of = != >= <= > < ~ and a value, several with semicolons: amount>=100;currency=EUR"


class FilterRefused(Refused):
    """The filter names no column of the table, or compares it with an invalid value."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A column compared with a value; `~` is true if the text contains the value, in either case."""

    column: ReportColumn
    sign: str
    value: Any

    def holds(self, row: Mapping[str, Any], zone: ZoneInfo) -> bool:
        """Whether a row satisfies it. An unset value equals nothing."""
        found = _comparable(self.column, row, zone)
        if found is None:
            return self.sign == "!="
        if self.sign == "~":
            return self.value in found
        return _COMPARED[self.sign](found, self.value)


@dataclass(frozen=True, slots=True)
class RowFilter:
    """All conditions must be true, and the word, if any, must be in one of the row's texts."""

    conditions: tuple[Condition, ...] = ()
    word: str = ""
    texts: tuple[ReportColumn, ...] = ()

    @property
    def takes_all(self) -> bool:
        """Whether every row passes."""
        return not self.conditions and not self.word

    def takes(self, row: Mapping[str, Any], zone: ZoneInfo) -> bool:
        """Whether the row passes; moments are compared by their day in the zone."""
        if not all(condition.holds(row, zone) for condition in self.conditions):
            return False
        return not self.word or any(self.word in (_comparable(each, row, zone) or "") for each in self.texts)


ALL: Final = RowFilter()


def row_filter(report: ReportDefinition, where: Sequence[str], word: str) -> RowFilter:
    """The filter of `amount>=100`, `kind=return` and the like, and of a word; FilterRefused."""
    conditions = tuple(_condition(report, each) for text in where for each in text.split(";") if each.strip())
    texts = tuple(column for column in report.columns if column.kind in (ReportColumnKind.TEXT, ReportColumnKind.PARTS))
    return RowFilter(conditions, " ".join(word.split()).casefold(), texts)


def _condition(report: ReportDefinition, text: str) -> Condition:
    columns = {column.key: column for column in report.columns}
    said = _CONDITION.fullmatch(text)
    if said is None:
        raise FilterRefused(
            Message("filter-no-condition", text=repr(text.strip())), parameter="where", expected=EXPECTED
        )
    key, sign, value = said[1], said[2], said[3].strip()
    if key not in columns:
        raise FilterRefused(
            Message("filter-no-column", key=repr(key), name=report.name), parameter="where", allowed=list(columns)
        )
    return Condition(columns[key], sign, _value(columns[key], sign, value))


def _value(column: ReportColumn, sign: str, text: str) -> Any:
    is_text = column.kind in (ReportColumnKind.TEXT, ReportColumnKind.PARTS)
    if sign == "~" and not is_text:
        raise FilterRefused(Message("filter-not-text", key=column.key), parameter="where", expected="= != >= <= > or <")
    try:
        match column.kind:
            case ReportColumnKind.DAY | ReportColumnKind.MOMENT:
                return date.fromisoformat(text)
            case ReportColumnKind.MONEY | ReportColumnKind.NUMBER | ReportColumnKind.COUNT:
                return _finite(Decimal(text))
    except (ValueError, InvalidOperation):
        wanted = (
            "a date as 2026-03-31"
            if column.kind in (ReportColumnKind.DAY, ReportColumnKind.MOMENT)
            else "a number as 1234.50"
        )
        raise FilterRefused(
            Message("filter-no-value", text=repr(text), key=column.key), parameter="where", expected=wanted
        ) from None
    return text.casefold()


def _finite(number: Decimal) -> Decimal:
    if not number.is_finite():
        raise InvalidOperation
    return number


def _comparable(column: ReportColumn, row: Mapping[str, Any], zone: ZoneInfo) -> Any:
    found = cell(column, row)
    if isinstance(found, datetime):
        return found.astimezone(zone).date()
    return found.casefold() if isinstance(found, str) else found
