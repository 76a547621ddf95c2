"""A shop that has booked for two years: ten days are booked as they come, the other days are made from them in SQL.

Booking a million lines takes minutes per shop; copying ten days 72 times takes one. `prove` books another ten days of
the same account in a shop of its own and compares every column, so that what was made is what booking gives.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Final

import psycopg
from psycopg import sql

from paymatch.domain.shops.shop import Shop
from paymatch.store.database import Database
from paymatch.usecases.work.check import check_shop

DAYS: Final = 10
PERIODS: Final = 73
FIRST: Final = date(2026, 4, 10) - timedelta(DAYS * PERIODS)
"""The history ends some days behind those of the measured files."""

_SAMPLE: Final = 70
"""The period that is compared; it is among the days of the measured files."""

_OWN: Final = frozenset({"shop_id", "id", "import_id", "statement_id", "posting_id", "created_at", "rematch_at"})
"""Columns that two bookings of one file never have in common: names and moments."""

WriteDays = Callable[[Path, int, int, list[date]], None]
"""Writes a camt.053: its path, its first number, how many entries, and their days."""


def mark(period: int) -> str:
    """What the numbers of a period begin with, and nothing else in its lines holds."""
    return f"88{period:02}88"


def write_period(path: Path, period: int, entries: int, write: WriteDays) -> None:
    """The statement of ten days."""
    days = [FIRST + timedelta(DAYS * period + day) for day in range(DAYS)]
    write(path, int(mark(period)) * 10**6, entries, days)


def multiply(url: str, shop: Shop) -> None:
    """Every row of the first period again for each other one, under other names, with other numbers and days."""
    with psycopg.connect(url) as connection:
        for table in ("imports", "statements", "postings", "statement_lines"):
            connection.execute(_copies(connection, table), {"shop": shop.id, "days": DAYS, "last": PERIODS - 1})
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE")
        connection.execute("CHECKPOINT")


def _columns(connection: psycopg.Connection, table: str) -> list[tuple[str, str]]:
    return connection.execute(
        "SELECT column_name, data_type FROM information_schema.columns WHERE table_schema = 'public'"
        " AND table_name = %s AND is_generated = 'NEVER' ORDER BY ordinal_position",
        (table,),
    ).fetchall()


def _copies(connection: psycopg.Connection, table: str) -> sql.Composed:
    columns = _columns(connection, table)
    names = sql.SQL(", ").join(sql.Identifier(name) for name, _ in columns)
    values = sql.SQL(", ").join(_copied(table, name, kind) for name, kind in columns)
    copies = (
        "INSERT INTO {} ({}) SELECT {} FROM {} CROSS JOIN generate_series(1, %(last)s) period WHERE shop_id = %(shop)s"
    )
    return sql.SQL(copies).format(sql.Identifier(table), names, values, sql.Identifier(table))


def _copied(table: str, name: str, kind: str) -> sql.Composed:
    """The value of a column in another period."""
    column = sql.Identifier(name)
    if name in {"id", "import_id", "posting_id"} or (name == "statement_id" and table != "statements"):
        other = "left({0}, position('_' in {0})) || lpad(period::text, 2, '0') || substr({0}, position('_' in {0}) + 1)"
    elif name == "sha256":
        other = "sha256({0} || period::text::bytea)"
    elif kind == "date" and name != "since_date":  # the day on which it was booked
        other = "{0} + %(days)s * period"
    elif name == "facts":
        other = (
            "replace(replace({0}, '880088', '88' || lpad(period::text, 2, '0') || '88'),"
            " booking_date::text, (booking_date + %(days)s * period)::text)"
        )
    elif kind == "text":
        other = "replace({0}, '880088', '88' || lpad(period::text, 2, '0') || '88')"
    else:
        other = "{0}"
    return sql.SQL(other).format(column)


def prove(database: Database, url: str, shop: Shop, alone: Shop, lines: int) -> None:
    """AssertionError if the history is not what booking gives.

    `alone` has booked the sample and nothing else; `lines` is how many lines a period has.
    """
    first = FIRST + timedelta(DAYS * _SAMPLE)
    with psycopg.connect(url) as connection:
        for table in ("postings", "statement_lines"):
            count = f"SELECT count(*), count(DISTINCT booking_date) FROM {table} WHERE shop_id = %s"
            assert connection.execute(count, (shop.id,)).fetchone() == (lines * PERIODS, min(lines, DAYS) * PERIODS)
        made, booked = (_rows(connection, each, first) for each in (shop, alone))
        assert len(booked) == len(made) == lines
        for one, other in zip(made, booked, strict=True):
            assert one == other, f"made {set(one) - set(other)}, booked {set(other) - set(one)}"
    for each in (shop, alone):
        assert check_shop(database, each) == []


def sample(path: Path, entries: int, write: WriteDays) -> None:
    """The file of the period that is compared."""
    write_period(path, _SAMPLE, entries, write)


def _rows(connection: psycopg.Connection, shop: Shop, first: date) -> list[tuple[object, ...]]:
    """Every line of the period with its posting: all columns that are not names or moments."""
    line, posting = (
        sql.SQL(", ").join(
            sql.SQL("{}.{}::text").format(sql.Identifier(alias), sql.Identifier(name))
            for name, _ in _columns(connection, table)
            if name not in _OWN
        )
        for alias, table in (("l", "statement_lines"), ("p", "postings"))
    )
    rows = sql.SQL(
        "SELECT {}, {} FROM statement_lines l JOIN postings p ON p.shop_id = l.shop_id AND p.id = l.posting_id"
        " WHERE l.shop_id = %s AND l.booking_date BETWEEN %s AND %s ORDER BY l.position"
    ).format(line, posting)
    return connection.execute(rows, (shop.id, first, first + timedelta(DAYS - 1))).fetchall()
