"""Lists: filters and search in the URL, keyset pages, a choice of columns, and the whole filter as CSV or XLSX.

A page declares its columns and how rows are fetched; everything else is the same on every list:

    ORDERS = Listing("orders", columns=(...), filters=(...), fetch=fetch_orders)

    @page("orders", "orders")
    def orders(request, visit):
        return ORDERS.answer(request, visit, "area/orders.html")
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
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
from paymatch.store.lists.sorted_lists import AskedPage, ListTotals
from paymatch.store.transactions import Tx

PAGE_ROWS: Final = 50
EXPORTS: Final = ("csv", "xlsx")
"""The values of `format` besides the page."""
EXPORT_ROWS: Final = 1000
"""Rows that an export fetches at once: its memory does not grow with the list."""

EVERYWHERE: Final = ""
"""The time zone outside of a shop: moments are shown in UTC, and marked as such."""

Row = Mapping[str, Any]


class ListColumnKind(StrEnum):
    """The type of a column; it decides how the cell is shown and typed in an export."""

    TEXT = "text"
    MONEY = "money"  # minor units; the row's `currency`
    DAY = "day"
    MOMENT = "moment"  # aware; shown in the visitor's time zone
    COUNT = "count"
    BADGE = "badge"
    CHANGES = "changes"  # a list of Change


_LARGEST_FIRST: Final = (ListColumnKind.MONEY, ListColumnKind.COUNT, ListColumnKind.MOMENT, ListColumnKind.DAY)
_SHAPES: Final = {ListColumnKind.MONEY: Shape.MONEY, ListColumnKind.DAY: Shape.DAY, ListColumnKind.MOMENT: Shape.MOMENT}
"""How a spreadsheet shows the kinds that it types."""


@dataclass(frozen=True, slots=True)
class FieldChange:
    """A field changed by an audited action, as text; "" where there was no value."""

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
    """The request for a list, from the URL."""

    filters: Mapping[str, str]
    page: AskedPage
    search: str = ""
    seen: int = 0  # rows of the pages before

    @property
    def after(self) -> str:
        """The place that the page begins behind."""
        return self.page.after

    @property
    def limit(self) -> int:
        """Rows of a page."""
        return self.page.limit

    @property
    def sort(self) -> str:
        """The sort column in URL form: `amount`, `-amount`; "" for the default order."""
        return f"{'-' if self.page.is_descending else ''}{self.page.sort}" if self.page.sort else ""

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
    totals: ListTotals | None = None


@dataclass(frozen=True, slots=True)
class Heading:
    """The heading of a column. `sort` is what its link asks for, "" where rows cannot be sorted by it.

    `direction` is ascending or descending where the rows are sorted by it.
    """

    column: ListColumn
    sort: str = ""
    direction: str = ""

    @property
    def icon(self) -> str:
        """The arrow beside the heading that the rows are sorted by."""
        return "chevron-up" if self.direction == "ascending" else "chevron-down"


def _heading(column: ListColumn, now: str, *, is_sorted_by: bool) -> Heading:
    """A heading; the latest, the most and the highest come first where a column is sorted by for the first time."""
    if not is_sorted_by:
        return Heading(column)
    key = column.key
    if now.removeprefix("-") == key:
        is_descending = now.startswith("-")
        return Heading(column, key if is_descending else f"-{key}", "descending" if is_descending else "ascending")
    return Heading(column, f"-{key}" if column.kind in _LARGEST_FIRST else key)


class Visitor(Protocol):
    """The viewer of a list, and its place: a shop, or the installation."""

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
    """Columns that only a file has, after the others."""
    sorts: Collection[str] = field(default=(), compare=False)
    """Columns that the list can be sorted by."""
    usual: str = ""
    """How it is sorted unless a person chooses, as an address says it; "" for an order that belongs to no column."""

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
            "headings": self.headings(request, asked),
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
        after, seen, sort = given.get("after", "")[:400], given.get("seen", ""), given.get("sort", "")
        column = sort.removeprefix("-")
        column = column if column in self.sorts else ""
        is_place = bool(after) and seen.isascii() and seen.isdecimal() and len(seen) < 9
        asked = AskedPage(self.page_rows, column, bool(column) and sort.startswith("-"), after, counts=True)
        return ListQuery(filters, asked, search, int(seen) if is_place else 0)

    def asked_without_totals(self, given: QueryDict) -> ListQuery:
        """What a query string asks for, without counting the whole list."""
        asked = self.asked_by(given)
        return replace(asked, page=replace(asked.page, counts=False))

    def headings(self, request: HttpRequest, asked: ListQuery) -> list[Heading]:
        """The headings of the columns to show, with what sorting by each is called."""
        now = asked.sort or self.usual
        return [
            _heading(column, now, is_sorted_by=column.key in self.sorts) for column in self.columns_to_show(request)
        ]

    def columns_to_show(self, request: HttpRequest) -> list[ListColumn]:
        """The columns to show: those named by `column`, else the usual ones."""
        named = set(request.GET.getlist("column")) & {column.key for column in self.columns}
        return [column for column in self.columns if (column.key in named if named else column.chosen)]

    def _all(self, visit: Visitor, asked: ListQuery) -> Iterator[Row]:
        """Every row of the filter, in transactions of EXPORT_ROWS."""
        page = replace(asked.page, after="", limit=EXPORT_ROWS, counts=False)
        while True:
            with visit.transaction() as tx:
                found = self.fetch(tx, visit, ListQuery(asked.filters, page, asked.search))
            yield from found.rows
            if not found.next:
                return
            page = replace(page, after=found.next)

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
    """The column's name in a spreadsheet, whose moments have no time zone: it is named here."""
    is_moment = column.kind is ListColumnKind.MOMENT
    return f"{column.label} ({visit.timezone or 'UTC'})" if is_moment else str(column.label)


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
        return value.astimezone(UTC if visit.timezone == EVERYWHERE else ZoneInfo(visit.timezone))
    return value
