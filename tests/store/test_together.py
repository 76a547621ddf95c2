"""Readers that ask together: their answers, how many trips they cost, and what they may not do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest

from paymatch.store.database import Database, Tx
from paymatch.store.pipeline import Pipeline
from paymatch.store.together import ask_together


@pytest.fixture
def tx(module_url: str) -> Iterator[Tx]:
    database = Database(module_url, size=1)
    with database.transaction(None) as found:
        found.value("SELECT 0")
        yield found
    database.close()


@pytest.fixture
def trips(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The statements of each round trip."""
    found: list[list[str]] = []
    ask: Any = Pipeline.ask

    def asking(self: Pipeline, statements: Any) -> Any:
        found.append([each.text for each in statements])
        return ask(self, statements)

    monkeypatch.setattr(Pipeline, "ask", asking)
    return found


def chain(length: int) -> Callable[[Tx], int]:
    """A reader that asks so often, each time with what it was answered before."""

    def read(tx: Tx) -> int:
        number = 0
        for _ in range(length):
            number = tx.value("SELECT $1::int + 1", number)
        return number

    return read


def test_readers_need_as_many_trips_as_the_one_that_asks_most(tx: Tx, trips: list[list[str]]) -> None:
    assert ask_together(tx, *map(chain, (2, 0, 3, 1))) == (2, 0, 3, 1)
    assert [len(trip) for trip in trips] == [3, 2, 1]


def test_readers_within_readers_ask_with_all_others(tx: Tx, trips: list[list[str]]) -> None:
    def nested(asking: Tx) -> tuple[int, tuple[int, int], int]:
        first = chain(1)(asking)
        return first, ask_together(asking, chain(2), chain(1)), chain(1)(asking)

    assert ask_together(tx, nested, chain(4)) == ((1, (2, 1), 1), 4)
    assert [len(trip) for trip in trips] == [2, 3, 2, 2]


def test_every_way_to_ask_is_answered(tx: Tx) -> None:
    rows = "SELECT number, text FROM (VALUES (1, 'one'), (2, 'two')) AS t (number, text) WHERE number > $1"
    assert ask_together(
        tx,
        lambda asking: [(row[0], row[1]) for row in asking.rows(rows, 0)],
        lambda asking: ask_together(
            asking, lambda each: each.named(rows, 1), lambda each: each.row(rows, 9), lambda each: each.value(rows, 1)
        ),
        lambda asking: ask_together(asking, lambda each: each.text("SELECT 'ä'"), lambda each: each.texts(rows, 9)),
    ) == ([(1, "one"), (2, "two")], ([{"number": 2, "text": "two"}], None, 2), ("ä".encode(), None))


def test_what_was_put_off_goes_along_before_the_questions(tx: Tx, trips: list[list[str]]) -> None:
    tx.put("CREATE TEMP TABLE put_off (n int) ON COMMIT DROP")
    tx.put("INSERT INTO put_off VALUES (7)")
    count = "SELECT n FROM put_off"
    assert ask_together(tx, lambda asking: asking.value(count), chain(1)) == (7, 1)
    assert [len(trip) for trip in trips] == [4]


def test_no_reader_changes_anything(tx: Tx) -> None:
    def changing(way: str) -> Callable[[Tx], Any]:
        return lambda asking: getattr(asking, way)("CREATE TEMP TABLE never (n int)")

    for way in ("run", "put", "wait_for_locks"):
        with pytest.raises(AssertionError, match="a reader"):
            ask_together(tx, chain(1), changing(way))
    with pytest.raises(AssertionError, match="a reader"):
        ask_together(tx, chain(1), lambda asking: next(asking.stream("SELECT 1")))
    assert tx.value("SELECT to_regclass('pg_temp.never')") is None


def test_a_reader_that_asks_something_else_when_called_anew_is_a_mistake(tx: Tx) -> None:
    calls = iter(range(9))

    def fickle(asking: Tx) -> int:
        return int(asking.value(f"SELECT {next(calls)}") + asking.value("SELECT 1"))

    with pytest.raises(AssertionError, match="asks the same"):
        ask_together(tx, fickle, chain(1))


def test_errors_of_readers_and_of_questions_rise(module_url: str) -> None:
    database = Database(module_url, size=1)
    with pytest.raises(ZeroDivisionError), database.transaction(None) as tx:
        ask_together(tx, chain(2), lambda asking: 1 // asking.value("SELECT 0"))
    with pytest.raises(psycopg.errors.DivisionByZero), database.transaction(None) as tx:
        ask_together(tx, chain(1), lambda asking: asking.value("SELECT 1 / 0"))
    with database.transaction(None) as tx:
        assert ask_together(tx, chain(1), chain(1)) == (1, 1)
    database.close()
