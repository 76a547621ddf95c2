"""Statements that travel together: answers in order, failures where they belong, and connections that live on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import psycopg
import pytest

from paymatch.store.connection import MOST_PREPARED, PREPARED_AT, Pipeline
from paymatch.store.database import Database
from paymatch.store.transactions import LockNotAcquired

MB = 1024 * 1024


@pytest.fixture
def pipeline(module_url: str) -> Iterator[Pipeline]:
    with psycopg.connect(module_url, autocommit=True) as connection:
        yield Pipeline(connection)


def ask(pipeline: Pipeline, *texts: str) -> list[list[tuple[object, ...]]]:
    """The rows of each statement."""
    answers = pipeline.ask([pipeline.bind(text, ()) for text in texts])
    return [[tuple(row) for row in pipeline.rows(answer)] for answer in answers]


def prepared(pipeline: Pipeline) -> list[object]:
    """The statements that PostgreSQL keeps, in the order of their coming."""
    (rows,) = ask(pipeline, "SELECT statement FROM pg_prepared_statements ORDER BY prepare_time")
    return [row[0] for row in rows]


def test_answers_come_in_order_with_their_values(pipeline: Pipeline) -> None:
    statements = [
        pipeline.bind("SELECT $1::int + 1 AS a, $2::text AS b, $3::date - 1 AS c", (41, "ü", None)),
        pipeline.bind("SELECT generate_series(1, $1)", (3,)),
        pipeline.bind("SELECT 1 WHERE false", ()),
    ]
    first, second, third = (pipeline.rows(answer) for answer in pipeline.ask(statements))
    assert [(row.a, row.b, row.c) for row in first] == [(42, "ü", None)]
    assert (second, third) == ([(1,), (2,), (3,)], [])


def test_what_fails_stops_those_behind_it_and_nothing_else(pipeline: Pipeline) -> None:
    ask(pipeline, "CREATE TEMP TABLE seen (n int)", "INSERT INTO seen VALUES (1)")
    with pytest.raises(psycopg.errors.DivisionByZero):
        ask(pipeline, "INSERT INTO seen VALUES (2)", "SELECT 1 / 0", "INSERT INTO seen VALUES (3)")
    assert ask(pipeline, "SELECT n FROM seen") == [[(1,)]]


def test_what_comes_often_is_prepared_and_the_oldest_forgotten(pipeline: Pipeline) -> None:
    for _ in range(PREPARED_AT - 1):
        ask(pipeline, "SELECT 0 AS often")
    assert prepared(pipeline) == []
    for number in range(MOST_PREPARED + 1):
        for _ in range(PREPARED_AT):
            assert ask(pipeline, f"SELECT {number} AS often") == [[(number,)]]
    ask(pipeline, "SELECT 'then'")
    assert prepared(pipeline) == [f"SELECT {number} AS often" for number in range(1, MOST_PREPARED + 1)]
    assert ask(pipeline, "SELECT 0 AS often", "SELECT 1 AS often") == [[(0,)], [(1,)]]


def test_a_statement_that_failed_while_it_was_prepared_is_prepared_again(pipeline: Pipeline) -> None:
    for _ in range(PREPARED_AT + 1):
        with suppress(psycopg.errors.DivisionByZero):
            ask(pipeline, "SELECT 1 / 0", "SELECT 7 AS behind")
    assert ask(pipeline, "SELECT 7 AS behind") == [[(7,)]]
    assert prepared(pipeline) == ["SELECT 1 / 0", "SELECT 7 AS behind"]


def test_long_statements_and_long_answers_do_not_wait_for_each_other(pipeline: Pipeline) -> None:
    long = "x" * (8 * MB)
    answers = pipeline.ask([pipeline.bind("SELECT $1::text", (long,)) for _ in range(4)])
    assert [len(pipeline.rows(answer)[0][0]) for answer in answers] == [8 * MB] * 4


def test_a_connection_that_ended_in_the_pool_is_replaced(module_url: str) -> None:
    database = Database(module_url, size=1)
    try:
        with database.of_all_shops() as tx:
            pid = tx.value("SELECT pg_backend_pid()")
        with psycopg.connect(module_url, autocommit=True) as other:
            other.execute("SELECT pg_terminate_backend(%s, 5000)", (pid,))
        with database.of_all_shops() as tx:
            assert tx.value("SELECT pg_backend_pid()") != pid
    finally:
        database.close()


def test_a_connection_that_ends_in_a_transaction_fails_it_and_is_replaced(module_url: str) -> None:
    database = Database(module_url, size=1)
    try:
        with pytest.raises(psycopg.OperationalError), database.of_all_shops() as tx:
            pid = tx.value("SELECT pg_backend_pid()")
            with psycopg.connect(module_url, autocommit=True) as other:
                other.execute("SELECT pg_terminate_backend(%s, 5000)", (pid,))
            tx.value("SELECT 5")
        with database.of_all_shops() as tx:
            assert tx.value("SELECT 5") == 5
    finally:
        database.close()


def test_what_was_put_off_fails_with_the_next_statement_or_the_commit(module_url: str) -> None:
    database = Database(module_url, size=1)
    try:
        with pytest.raises(psycopg.errors.DivisionByZero), database.of_all_shops() as tx:
            tx.put("SELECT 1 / 0")
        with database.of_all_shops() as tx:
            with pytest.raises(psycopg.errors.DivisionByZero), tx.savepoint():
                tx.put("SELECT 1 / 0")
            assert tx.value("SELECT 5") == 5
        with database.of_all_shops() as tx:
            tx.commit_with_next()
            assert tx.value("SELECT 6") == 6
            with pytest.raises(AssertionError):
                tx.value("SELECT 7")  # it would run outside of the transaction
    finally:
        database.close()


def test_a_lock_put_off_is_not_acquired_in_the_api_s_words(module_url: str) -> None:
    database = Database(module_url, size=2)
    try:
        with database.of_all_shops() as holder, pytest.raises(LockNotAcquired):
            holder.run("SELECT pg_advisory_xact_lock(7)")
            with database.of_all_shops(lock_wait_seconds=1) as tx:
                tx.put("SELECT pg_advisory_xact_lock(7)")
    finally:
        database.close()


def test_what_is_taken_back_takes_what_stood_in_it_along(module_url: str) -> None:
    database = Database(module_url, size=1)
    with database.of_all_shops() as tx:
        tx.run("CREATE TEMP TABLE nested (n int) ON COMMIT DROP")
        with suppress(ValueError), tx.savepoint():
            tx.run("INSERT INTO nested VALUES (1)")
            with tx.savepoint():
                tx.put("INSERT INTO nested VALUES (2)")
            raise ValueError
        with tx.savepoint():
            tx.put("INSERT INTO nested VALUES (3)")
        assert tx.rows("SELECT n FROM nested") == [(3,)]
    database.close()


@pytest.mark.parametrize(
    "values",
    [
        ["", " ", "a,b", 'a"b', "a\\b", "{}", "NULL", "{a}", "Jörg\n", "'"],
        ["a", None, "b"],
        [],
    ],
)
def test_a_list_of_texts_arrives_as_it_is(pipeline: Pipeline, values: list[str | None]) -> None:
    (answer,) = pipeline.ask([pipeline.bind("SELECT unnest($1::text[])", (values,))])
    assert [tuple(row) for row in pipeline.rows(answer)] == [(value,) for value in values]


def test_a_text_that_postgresql_has_not_is_refused_in_a_list_too(pipeline: Pipeline) -> None:
    with pytest.raises(psycopg.DataError):
        pipeline.bind("SELECT unnest($1::text[])", (["a\x00b"],))
