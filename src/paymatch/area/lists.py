"""Lists: filters and search in the URL, keyset pages, a choice of columns, and the whole filter as CSV or XLSX.

A page declares its columns and how rows are fetched; everything else is the same on every list:

    ORDERS = Listing("orders", columns=(...), filters=(...), fetch=fetch_orders)

    @page("orders", "orders")
    def orders(request, visit):
        return ORDERS.answer(request, visit, "area/orders.html")
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import UTC
from decimal import Decimal
from enum import StrEnum
from typing import Any, Final, Protocol
from zoneinfo import ZoneInfo

from django.http import FileResponse, HttpRequest, HttpResponse, QueryDict, StreamingHttpResponse
from django.shortcuts import render
from django.utils.functional import Promise

from paymatch.domain.money import CURRENCIES
from paymatch.formats.accounting.sheets import Shape, csv_chunks, write_xlsx
from paymatch.store.transactions import Tx

PAGE_ROWS: Final = 50
EXPORTS: Final = ("csv", "xlsx")
"""What `format` may ask for instead of the page."""
EXPORT_ROWS: Final = 1000
"""Rows that an export fetches at once: its memory does not grow with the list."""

EVERYWHERE: Final = ""
"""The time zone of whoever looks at no shop: moments are told in UTC, and say so."""

Row = Mapping[str, Any]


class ListColumnKind(StrEnum):
    """What a column holds; it decides how the cell is shown and typed in an export."""

    TEXT = "text"
    MONEY = "money"  # minor units; the row's `currency`
    DAY = "day"
    MOMENT = "moment"  # aware; shown in the visitor's time zone
    COUNT = "count"
    BADGE = "badge"
    CHANGES = "changes"  # a list of Change


_SHAPES: Final = {ListColumnKind.MONEY: Shape.MONEY, ListColumnKind.DAY: Shape.DAY, ListColumnKind.MOMENT: Shape.MOMENT}
"""How a spreadsheet shows the kinds that it types."""


@dataclass(frozen=True, slots=True)
class FieldChange:
    """A field that a deed changed, in words; "" where there was no value."""

    field: str
    before: str
    after: str

    def __str__(self) -> str:
        """`Role: Clerk → Owner`, or `Role: Owner` where there was none before."""
        return f"{self.field}: " + (f"{self.before} → {self.after or '–'}" if self.before else self.after)


@dataclass(frozen=True, slots=True)
class ListColumn:
    """A column. `chosen`: shown unless the person takes it away."""

    key: str
    label: str | Promise
    kind: ListColumnKind = ListColumnKind.TEXT
    chosen: bool = True
    link: str = ""  # the row's key that holds an address


@dataclass(frozen=True, slots=True)
class Choice:
    """A filter of a few values, shown as chips or in a select; `counted` values come with their number of rows."""

    key: str
    label: str | Promise
    values: tuple[tuple[str, str | Promise], ...]


@dataclass(frozen=True, slots=True)
class ListQuery:
    """What a list is asked for, as it stands in the URL."""

    filters: Mapping[str, str]
    search: str = ""
    after: str = ""
    limit: int = PAGE_ROWS
    seen: int = 0  # rows of the pages before

    @property
    def first_place(self) -> int:
        """The place of the page's first row in the list, from 1."""
        return self.seen + 1


@dataclass(frozen=True, slots=True)
class ListPage:
    """A page of rows. `next` is the key that the next page begins after, empty on the last one.

    `about` holds what the page says of the list and was read with its rows.
    """

    rows: Sequence[Row]
    next: str = ""
    counts: Mapping[str, int] = field(default_factory=dict)
    about: Mapping[str, Any] = field(default_factory=dict)


class Visitor(Protocol):
    """Who looks at a list, and where: at a shop, or at the installation."""

    @property
    def timezone(self) -> str:
        """The zone of the shop, that moments are shown in; EVERYWHERE where there is none."""

    def transaction(self) -> AbstractContextManager[Tx]:
        """A transaction in which the rows are fetched."""


Fetch = Callable[[Any, Any, ListQuery], ListPage]
"""Fetches a page of rows, for the kind of Visitor that looks at the list."""


@dataclass(frozen=True, slots=True)
class Listing:
    """A list of one kind of things."""

    name: str
    columns: tuple[ListColumn, ...]
    fetch: Fetch
    choices: tuple[Choice, ...] = ()
    searches: bool = True
    page_rows: int = PAGE_ROWS
    exported: tuple[ListColumn, ...] = ()
    """Columns that only a file has, behind the others."""

    def answer(self, request: HttpRequest, visit: Visitor, template: str, **more: Any) -> HttpResponse:
        """The page, or the whole filter as a file where `format` asks for csv or xlsx."""
        asked = self.read_query(request)
        match request.GET.get("format"):
            case "csv":
                return self._csv(visit, asked)
            case "xlsx":
                return self._xlsx(visit, asked)
        with visit.transaction() as tx:
            found = self.fetch(tx, visit, asked)
        values = {
            "listing": self,
            "asked": asked,
            "found": found,
            "columns": self.columns_to_show(request),
            "zone": visit.timezone,
            "last_place": asked.seen + len(found.rows),
            **more,
        }
        return render(request, template, values)

    def read_query(self, request: HttpRequest) -> ListQuery:
        """What the URL asks for."""
        return self.asked_by(request.GET)

    def asked_by(self, given: QueryDict) -> ListQuery:
        """What a query string asks for; values that no filter has are left out."""
        filters = {
            choice.key: given[choice.key]
            for choice in self.choices
            if given.get(choice.key) in {value for value, _ in choice.values}
        }
        search = given.get("q", "").strip()[:200] if self.searches else ""
        after, seen = given.get("after", "")[:400], given.get("seen", "")
        is_place = bool(after) and seen.isascii() and seen.isdecimal() and len(seen) < 9
        return ListQuery(filters, search, after, self.page_rows, int(seen) if is_place else 0)

    def columns_to_show(self, request: HttpRequest) -> list[ListColumn]:
        """The columns to show: those named by `column`, else the usual ones."""
        named = set(request.GET.getlist("column")) & {column.key for column in self.columns}
        return [column for column in self.columns if (column.key in named if named else column.chosen)]

    def _all(self, visit: Visitor, asked: ListQuery) -> Iterator[Row]:
        """Every row of the filter, in transactions of EXPORT_ROWS."""
        after = ""
        while True:
            with visit.transaction() as tx:
                found = self.fetch(tx, visit, ListQuery(asked.filters, asked.search, after, EXPORT_ROWS))
            yield from found.rows
            after = found.next
            if not after:
                return

    def _csv(self, visit: Visitor, asked: ListQuery) -> HttpResponse:
        chunks = csv_chunks([column.key for column in (*self.columns, *self.exported)], self._cells(visit, asked))
        answer = StreamingHttpResponse(chunks, content_type="text/csv; charset=utf-8")
        answer["Content-Disposition"] = f'attachment; filename="{self.name}.csv"'
        return answer

    def _xlsx(self, visit: Visitor, asked: ListQuery) -> HttpResponse:
        file = tempfile.TemporaryFile()  # noqa: SIM115  the answer closes it
        columns = (*self.columns, *self.exported)
        shapes = [_SHAPES.get(column.kind, Shape.PLAIN) for column in columns]
        write_xlsx(file, self.name, [_title(column, visit) for column in columns], shapes, self._cells(visit, asked))
        file.seek(0)
        return FileResponse(file, as_attachment=True, filename=f"{self.name}.xlsx")

    def _cells(self, visit: Visitor, asked: ListQuery) -> Iterator[list[Any]]:
        return (
            [_export_value(column, row, visit) for column in (*self.columns, *self.exported)]
            for row in self._all(visit, asked)
        )


def _title(column: ListColumn, visit: Visitor) -> str:
    """The column's name in a spreadsheet, whose moments have no time zone: one that is no shop's is said here."""
    is_told = column.kind is ListColumnKind.MOMENT and visit.timezone == EVERYWHERE
    return f"{column.label} (UTC)" if is_told else str(column.label)


def _export_value(column: ListColumn, row: Row, visit: Visitor) -> Any:
    """The cell's value as a spreadsheet types it."""
    value = row.get(column.key)
    if value is None:
        return None
    if column.kind is ListColumnKind.MONEY:
        return Decimal(value).scaleb(-CURRENCIES[row["currency"]])
    if column.kind is ListColumnKind.BADGE:
        return value[1]  # the API's constant
    if column.kind is ListColumnKind.CHANGES:
        return "; ".join(map(str, value))
    if column.kind is ListColumnKind.MOMENT:
        if visit.timezone == EVERYWHERE:
            return value.astimezone(UTC)
        return value.astimezone(ZoneInfo(visit.timezone)).replace(tzinfo=None)
    return value
