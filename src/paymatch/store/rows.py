"""Rows of the database: tuples to be unpacked, whose columns are read by name where there are more than three."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, TypeVar, cast

from psycopg import Cursor, ServerCursor
from psycopg.pq.abc import PGresult
from psycopg.rows import RowMaker

T = TypeVar("T")


class Row(tuple[Any, ...]):
    """The type of a row: a named tuple of its columns, made once for each list of names."""

    __slots__ = ()

    if TYPE_CHECKING:

        def __getattr__(self, column: str) -> Any: ...

        def _asdict(self) -> dict[str, Any]: ...


def named_rows(cursor: Cursor[Any] | ServerCursor[Any]) -> RowMaker[Row]:
    """psycopg's row factory: what makes a row of the values that the cursor's statement returns.

    A column without a name that Python can use (`?column?`, a second `count`) has its place only.
    """
    return Row if cursor.pgresult is None else row_maker(cursor.pgresult)


def row_maker(result: PGresult) -> RowMaker[Row]:
    """What makes a row of the values of a statement's answer."""
    if not result.nfields:
        return Row
    return _maker(tuple(result.fname(place) or b"" for place in range(result.nfields)))


@lru_cache(maxsize=1024)
def _maker(names: tuple[bytes, ...]) -> RowMaker[Row]:
    kind = namedtuple("Row", [name.decode() for name in names], rename=True)  # type: ignore[misc]
    return cast(RowMaker[Row], partial(tuple.__new__, kind))


def build(kind: Callable[..., T], row: Row, /, *, without: str = "", **values: Any) -> T:
    """A `kind` of the row's columns by their names; `values` stand for columns that are read in another way.

    The column `without` is only read to make one of the values.
    """
    columns = row._asdict()
    columns.pop(without, None)
    return kind(**{**columns, **values})
