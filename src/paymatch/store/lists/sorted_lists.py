"""Lists as statements: sorted by any of their columns, read page by page, counted and summed.

A page begins after the last row of the previous page: after its value in the sorted column, and its key if values are
equal. So a row that changes or vanishes meanwhile moves no other one to a page that was already read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import Enum
from typing import Any, Final, Generic, TypeVar

from paymatch.store.transactions import Tx

T = TypeVar("T")
Made = TypeVar("Made")

_LONGEST: Final = 100
"""Characters of a text used for sorting: the place of a row is part of a URL."""
_BIGGEST: Final = 2**63
_DIGITS: Final = 20
_BETWEEN: Final = "|"


class SortKind(Enum):
    """The type of a sort column in a statement, and the value for a missing one."""

    TEXT = ("text", "")
    DAY = ("date", "infinity")
    MOMENT = ("timestamptz", "infinity")
    NUMBER = ("bigint", "0")

    def is_value(self, text: str) -> bool:
        """Whether a page can begin after this value: it comes from a URL, which anyone can edit."""
        try:
            match self:
                case SortKind.DAY:
                    return text == "infinity" or bool(date.fromisoformat(text))
                case SortKind.MOMENT:
                    return text == "infinity" or datetime.fromisoformat(text).tzinfo is not None
                case SortKind.NUMBER:
                    return (
                        len(text) <= 20
                        and text.removeprefix("-").isdecimal()
                        and text.isascii()
                        and abs(int(text)) < _BIGGEST
                    )
        except ValueError:
            return False
        return "\x00" not in text


@dataclass(frozen=True, slots=True)
class SortColumn:
    """A column of a statement, or an expression of `listed`, that rows can be sorted by.

    `is_filled`: it is never NULL, and compared as it is, so that an index helps.
    """

    column: str
    kind: SortKind = SortKind.TEXT
    is_filled: bool = False

    @property
    def expression(self) -> str:
        """The sort expression."""
        kind, missing = self.kind.value
        column = self.column if "listed." in self.column else f"listed.{self.column}"
        if self.is_filled:
            return column
        if self.kind is SortKind.TEXT:
            return f"left(lower(coalesce({column}, '')), {_LONGEST})"
        return f"coalesce({column}, '{missing}'::{kind})"


def by_text(column: str) -> SortColumn:
    """Sorted by a text, capital and small letters alike."""
    return SortColumn(column)


def by_day(column: str, *, is_filled: bool = False) -> SortColumn:
    """Sorted by a day; rows without one come last, or first where the latest day is first."""
    return SortColumn(column, SortKind.DAY, is_filled)


def by_moment(column: str, *, is_filled: bool = False) -> SortColumn:
    """Sorted by a moment; rows without one as in `by_day`."""
    return SortColumn(column, SortKind.MOMENT, is_filled)


def by_number(column: str, *, is_filled: bool = False) -> SortColumn:
    """Sorted by a count or by an amount in minor units; a missing one is 0."""
    return SortColumn(column, SortKind.NUMBER, is_filled)


def by_id(column: str = "id") -> SortColumn:
    """Sorted by the rows' key."""
    return SortColumn(column, is_filled=True)


@dataclass(frozen=True, slots=True)
class AskedPage:
    """The requested page of a list.

    `sort` is a column, "" for the default order; the page begins after the row at the place `after`. With `counts` the
    whole list is counted and summed.
    """

    limit: int
    sort: str = ""
    is_descending: bool = False
    after: str = ""
    counts: bool = False


@dataclass(frozen=True, slots=True)
class ListTotals:
    """The number of rows of a list, and their total amounts by currency in minor units, the most rows first.

    `is_more`: there are more than `count`, but the rest was not counted or summed.
    """

    count: int
    sums: tuple[tuple[str, int], ...] = ()
    is_more: bool = False


@dataclass(frozen=True, slots=True)
class PageOfRows(Generic[T]):
    """Rows; `next`: the place after which the next page begins, "" on the last one; `totals` if requested."""

    rows: Sequence[T]
    next: str = ""
    totals: ListTotals | None = None

    def map(self, make: Callable[[T], Made]) -> PageOfRows[Made]:
        """The page with each row converted."""
        return PageOfRows([make(row) for row in self.rows], self.next, self.totals)


@dataclass(frozen=True, slots=True)
class ListStatement:
    """A list. `rows` selects all of its rows, without an order; each has a `key`.

    `sorts`: a column of the page -> that of the statement. `usual` is one of these, with a minus for descending order.
    `currency` and `amount` are the statement's columns that the list's sums are of. `is_keyed`: an index finds a row by
    its key, so only the sort columns of rows outside the page are read.
    """

    rows: str
    usual: str
    sorts: Mapping[str, SortColumn]
    key: str = "id"
    key_kind: SortKind = SortKind.TEXT
    currency: str = ""
    amount: str = ""
    is_keyed: bool = False

    def page(self, tx: Tx, asked: AskedPage, *params: Any) -> PageOfRows[dict[str, Any]]:
        """The requested page; `params` are those of the rows' statement."""
        found, following = self._rows(tx, asked, params)
        return PageOfRows(found, following, self.totals(tx, *params) if asked.counts else None)

    def totals(self, tx: Tx, *params: Any) -> ListTotals:
        """The number of rows, and their total amounts."""
        if not self.amount:
            return ListTotals(tx.value(f"SELECT count(*) FROM ({self.rows}) listed", *params))
        rows = tx.rows(
            f"SELECT listed.{self.currency} AS currency, count(*) AS listed_rows,"
            f" coalesce(sum(listed.{self.amount}), 0)::bigint AS minor FROM ({self.rows}) listed"
            " GROUP BY 1 ORDER BY 2 DESC, 1",
            *params,
        )
        sums = tuple((row.currency, row.minor) for row in rows if row.currency)  # a row without one has no amount
        return ListTotals(sum(row.listed_rows for row in rows), sums)

    def _rows(self, tx: Tx, asked: AskedPage, params: tuple[Any, ...]) -> tuple[list[dict[str, Any]], str]:
        name, is_descending = self._sorted_by(asked)
        column = self.sorts[name]
        values = self._place(asked.after, column.kind)
        direction, behind = ("DESC", "<") if is_descending else ("ASC", ">")
        by, key = column.expression, f"listed.{self.key}"
        condition = ""
        if values:
            value, own = (f"${len(params) + place}::text" for place in (1, 2))
            place = f"CAST({value} AS {column.kind.value[0]}), CAST({own} AS {self.key_kind.value[0]})"
            condition = f" WHERE ({by}, {key}) {behind} ({place})"
        found = f"FROM ({self.rows}) listed{condition} ORDER BY {by} {direction}, {key} {direction}"
        statement = f"SELECT listed.*, ({by})::text AS sorted_value {found} LIMIT {asked.limit + 1:d}"
        if self.is_keyed:
            statement = (
                f"SELECT shown.*, f.sorted_by::text AS sorted_value"
                f" FROM (SELECT {key} AS key, {by} AS sorted_by {found} LIMIT {asked.limit + 1:d}) f,"
                f" LATERAL (SELECT listed.* FROM ({self.rows}) listed WHERE {key} = f.key OFFSET 0) shown"
                f" ORDER BY f.sorted_by {direction}, f.key {direction}"
            )
        rows = tx.named(statement, *params, *values)
        places = [f"{row.pop('sorted_value')}{_BETWEEN}{row[self.key]}" for row in rows]
        return rows[: asked.limit], places[asked.limit - 1] if len(rows) > asked.limit else ""

    def _sorted_by(self, asked: AskedPage) -> tuple[str, bool]:
        """(column, whether the last one comes first)."""
        if asked.sort in self.sorts:
            return asked.sort, asked.is_descending
        return self.usual.removeprefix("-"), self.usual.startswith("-")

    def _place(self, after: str, kind: SortKind) -> tuple[str, ...]:
        """(value, key) of the row after which a page begins; () for the first page, and for an invalid place."""
        value, between, key = after.rpartition(_BETWEEN)
        is_place = between and key and kind.is_value(value) and self.key_kind.is_value(key)
        return (value, key) if is_place else ()
