"""The connection to the database: pipelined statements, answered in one round trip, and rows as they come back.

Statements use libpq's pipeline mode; psycopg writes and reads values. psycopg's own pipeline costs twice the CPU of
separately sent statements, this one a third of it (docs/performance.md). Rows are tuples to be unpacked; with more than
three columns, read them by name.
"""

from __future__ import annotations

import select
from collections import Counter, OrderedDict, namedtuple
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar, cast

import psycopg
from psycopg import Connection, Cursor, ServerCursor
from psycopg.adapt import PyFormat, Transformer
from psycopg.pq import ConnStatus, ExecStatus
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
    """psycopg's row factory: makes a row from the values that the cursor's statement returns.

    A column without a usable Python name (`?column?`, a second `count`) only has its position.
    """
    return Row if cursor.pgresult is None else row_maker(cursor.pgresult)


def row_maker(result: PGresult) -> RowMaker[Row]:
    """The factory of rows from the values of a statement's answer."""
    if not result.nfields:
        return Row
    return _maker(tuple(result.fname(place) or b"" for place in range(result.nfields)))


@lru_cache(maxsize=1024)
def _maker(names: tuple[bytes, ...]) -> RowMaker[Row]:
    kind = namedtuple("Row", [name.decode() for name in names], rename=True)  # type: ignore[misc]
    return cast(RowMaker[Row], partial(tuple.__new__, kind))


def build(kind: Callable[..., T], row: Row, /, *, without: str = "", **values: Any) -> T:
    """A `kind` from the row's columns by their names; `values` replace columns that are read differently.

    The column `without` is only read to make one of the values.
    """
    columns = row._asdict()
    columns.pop(without, None)
    return kind(**{**columns, **values})


PREPARED_AT: Final = 3
"""A statement is prepared when a connection sends it for this time."""
MOST_PREPARED: Final = 200
_MOST_COUNTED: Final = 2000
_GOOD: Final = (ExecStatus.COMMAND_OK, ExecStatus.TUPLES_OK)

_Key = tuple[str, tuple[int, ...]]


class Statement(NamedTuple):
    """A statement with its parameters in PostgreSQL's form."""

    text: str
    types: tuple[int, ...]
    values: Sequence[Any]
    formats: Sequence[int]


def text_array(values: Sequence[str]) -> str:
    """A PostgreSQL array in text form; for long lists ten times cheaper than the driver's own way."""
    elements = '","'.join(value.replace("\\", "\\\\").replace('"', '\\"') for value in values)
    return f'{{"{elements}"}}' if values else "{}"


def _is_of_texts(value: Any) -> bool:
    """Whether a parameter is a list of texts alone: the driver sends them as an array of unknown type, too."""
    return type(value) is list and set(map(type, value)) == {str}


class Pipeline:
    """The pipeline: sends several statements of a connection at once. Placeholders are $1, $2 ..."""

    def __init__(self, connection: Connection[tuple[Any, ...]]) -> None:
        self.pgconn = connection.pgconn
        self._transformer = Transformer(connection)
        self._names: OrderedDict[_Key, bytes] = OrderedDict()  # of prepared statements; the one used last comes last
        self._new: list[_Key] = []  # prepared by the present call
        self._sent: Counter[_Key] = Counter()
        self._count = 0
        self.is_pooled = False
        """Whether a pooler may hand each transaction another session, where nothing would be prepared."""
        self._socket = select.poll()
        self._socket.register(self.pgconn.socket, select.POLLIN)

    def is_alive(self) -> bool:
        """Whether the server has not ended the connection so far; nothing is sent."""
        try:
            while self._socket.poll(0):
                self.pgconn.consume_input()
        except psycopg.OperationalError:
            return False
        return self.pgconn.status == ConnStatus.OK

    def bind(self, text: str, params: Sequence[Any]) -> Statement:
        """The statement in its wire form; psycopg.Error for a parameter that PostgreSQL cannot accept."""
        if not params:
            return Statement(text, (), (), ())
        params = [text_array(each) if _is_of_texts(each) else each for each in params]
        values = self._transformer.dump_sequence(params, [PyFormat.AUTO] * len(params))
        return Statement(text, self._transformer.types or (), values, self._transformer.formats or ())

    def ask(self, statements: Sequence[Statement]) -> list[PGresult]:
        """The answer of each statement. psycopg.Error of the first that fails; the ones after it are not run."""
        drops = self._drops()
        self._new.clear()
        self.pgconn.enter_pipeline_mode()
        is_own = [flag for statement in (*drops, *statements) for flag in self._send(statement)]
        self.pgconn.pipeline_sync()
        results = self._receive()
        self.pgconn.exit_pipeline_mode()
        failed = next((result for result in results if result.status not in _GOOD), None)
        if failed is not None:
            prepared = sum(r.status in _GOOD and not own for r, own in zip(results, is_own, strict=False))
            for key in self._new[prepared:]:
                del self._names[key]
            raise psycopg.errors.error_from_result(failed)
        return [result for result, own in zip(results, is_own, strict=True) if own][len(drops) :]

    def rows(self, result: PGresult) -> list[Row]:
        """The rows of an answer."""
        self._transformer.set_pgresult(result)
        return self._transformer.load_rows(0, result.ntuples, row_maker(result))

    def _send(self, statement: Statement) -> list[bool]:
        """Hands a statement to libpq, prepared if it comes often; of each answer to that, whether it is its own."""
        text, types, values, formats = statement
        name = self._names.get((text, types))
        if name is not None:
            self._names.move_to_end((text, types))
            self.pgconn.send_query_prepared(name, values, formats)
            return [True]
        if not self._comes_often((text, types)):
            self.pgconn.send_query_params(text.encode(), values, types, formats)
            return [True]
        self._count += 1
        name = self._names[text, types] = b"often_%d" % self._count
        self._new.append((text, types))
        self.pgconn.send_prepare(name, text.encode(), types)
        self.pgconn.send_query_prepared(name, values, formats)
        return [False, True]

    def _comes_often(self, key: _Key) -> bool:
        if self.is_pooled or key[0].startswith("SET "):  # a SET has nothing to plan, and another text for each shop
            return False
        if len(self._sent) >= _MOST_COUNTED:
            self._sent.clear()
        self._sent[key] += 1
        return self._sent[key] >= PREPARED_AT

    def _drops(self) -> list[Statement]:
        """Statements that drop the prepared ones beyond MOST_PREPARED, those not used for longest."""
        names = [self._names.popitem(last=False)[1] for _ in range(len(self._names) - MOST_PREPARED)]
        return [Statement(f"DEALLOCATE {name.decode()}", (), (), ()) for name in names]

    def _receive(self) -> list[PGresult]:
        """All answers, once they are here."""
        pgconn, results = self.pgconn, list[PGresult]()
        while pgconn.flush():  # a long statement: early answers must be read, or both sides wait
            self._socket.modify(pgconn.socket, select.POLLIN | select.POLLOUT)
            if self._socket.poll()[0][1] & ~select.POLLOUT:
                pgconn.consume_input()
            self._socket.modify(pgconn.socket, select.POLLIN)
        while True:
            while pgconn.is_busy():
                self._socket.poll()
                pgconn.consume_input()
            result = pgconn.get_result()
            if result is None:  # the end of one statement's answers, or of the connection
                if pgconn.status != ConnStatus.OK:
                    raise psycopg.OperationalError(pgconn.get_error_message())
            elif result.status == ExecStatus.PIPELINE_SYNC:
                return results
            else:
                results.append(result)


class PipelineConnection(Connection[tuple[Any, ...]]):
    """A connection with its pipeline."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.pipe = Pipeline(self)
