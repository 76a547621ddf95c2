"""The migration that begins the history of orders tells what was before it from their events (D-50)."""

from __future__ import annotations

from datetime import date

import psycopg

from paymatch.store.migrate import files, migrate
from paymatch.store.row_security import guard_tables
from paymatch.store.service_role import create_group_roles

_SHOP = "00000000-0000-0000-0000-000000000001"
_ORDER = """
INSERT INTO orders (shop_id, number, doc, type, order_date, currency, digits, amount_minor, status, postings_minor,
                    reference, created_at, updated_at)
VALUES (%s, 'A', '{}', 'INVOICE', '2026-03-01', 'EUR', 2, 900, 'PAID', 900, 'RF', '2026-03-01 09:00+01', now())"""
_EVENT = "INSERT INTO events VALUES (%s, %s, 'A', %s, %s, %s, '', %s)"
_ALLOCATION = "INSERT INTO allocations VALUES (%s, %s, 'A', %s, %s, 'payment', false, %s)"


def test_events_become_the_history_of_orders(database_url: str) -> None:
    with psycopg.connect(database_url, autocommit=True) as connection:
        create_group_roles(connection)
        connection.execute("CREATE TABLE migrations (name text PRIMARY KEY, applied_at timestamptz NOT NULL)")
        for name, text in files():
            if name < "0039":
                connection.execute(text.encode())
                guard_tables(connection)
                connection.execute("INSERT INTO migrations VALUES (%s, now())", (name,))
        connection.execute(
            "INSERT INTO shops (shop_id, name, currency, country, timezone, callback_access_code, webhook_secret,"
            " created_at) VALUES (%s, 'Shop', 'EUR', 'DE', 'Europe/Berlin', '', '', now())",
            (_SHOP,),
        )
        connection.execute(_ORDER, (_SHOP,))
        # Half past midnight in Berlin is still the day before in UTC.
        moves = (
            ("UNPAID", "PAID_PARTIAL", "2026-03-04 23:30+00"),
            ("PAID_PARTIAL", "PAID", "2026-03-05 12:00+00"),
            ("PAID", "PAID_PARTIAL", "2026-03-09 12:00+00"),
            ("PAID_PARTIAL", "PAID", "2026-03-20 12:00+00"),
        )
        for place, (before, after, at) in enumerate(moves, start=1):
            connection.execute(_EVENT, (_SHOP, place, place, before, after, at))
        connection.execute(_ALLOCATION, (_SHOP, "P1", 400, 400, "2026-03-04 23:30+00"))
        connection.execute(_ALLOCATION, (_SHOP, "P2", 500, 500, "2026-03-20 12:00+00"))
    migrate(database_url)
    with psycopg.connect(database_url) as connection:
        past = connection.execute(
            "SELECT since_date, until_date, status, postings_minor FROM order_past ORDER BY until_date"
        ).fetchall()
        since = connection.execute("SELECT since_date FROM orders").fetchone()
    assert past == [
        (date(2026, 3, 1), date(2026, 3, 5), "UNPAID", 0),
        (date(2026, 3, 5), date(2026, 3, 9), "PAID", 400),
        (date(2026, 3, 9), date(2026, 3, 20), "PAID_PARTIAL", 400),
    ]
    assert since == (date(2026, 3, 20),)
