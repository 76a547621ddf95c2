"""The migration that turns what was granted on an order into what was withheld of its payment (D-36)."""

from __future__ import annotations

import psycopg

from paymatch.store.migrate import files, migrate
from paymatch.store.row_security import guard_tables
from paymatch.store.service_role import create_group_roles

_SHOP = "00000000-0000-0000-0000-000000000001"
_ORDER = """
INSERT INTO orders (shop_id, number, doc, type, order_date, currency, digits, amount_minor, status, postings_minor,
                    discount_minor, reference, created_at, updated_at)
VALUES (%s, %s, '{}', 'INVOICE', '2026-03-01', 'EUR', 2, 10000, %s, 9800, %s, %s, now(), now())"""
_POSTING = """
INSERT INTO postings (shop_id, id, import_id, statement_id, account, currency, digits, amount_minor, booking_date,
                      bank_reference, entry_reference, batch_id, is_return, end_to_end_id, counterparty_name,
                      counterparty_iban, remittance, facts, source, format, status, allocated_minor, created_at)
VALUES (%s, %s, 'i', 's', 'DE1', 'EUR', 2, 9800, '2026-03-10', '', '', '', false, '', '', '', '', '{}', 'FINAL', 'camt',
        'matched', 9800, now())"""
_ALLOCATION = "INSERT INTO allocations VALUES (%s, %s, %s, 9800, 9800, 'payment', false, now())"


def test_what_was_granted_is_withheld_and_the_order_stays_credited(database_url: str) -> None:
    with psycopg.connect(database_url, autocommit=True) as connection:
        create_group_roles(connection)
        connection.execute("CREATE TABLE migrations (name text PRIMARY KEY, applied_at timestamptz NOT NULL)")
        for name, text in files():
            if name < "0023":
                connection.execute(text.encode())
                guard_tables(connection)
                connection.execute("INSERT INTO migrations VALUES (%s, now())", (name,))
        for number, status, granted in (("A1", "PAID", 200), ("A2", "PAID_PARTIAL", 0)):
            connection.execute(_ORDER, (_SHOP, number, status, granted, f"RF{number}"))
            connection.execute(_POSTING, (_SHOP, f"P{number}"))
            connection.execute(_ALLOCATION, (_SHOP, f"P{number}", number))
    migrate(database_url)
    with psycopg.connect(database_url) as connection:
        allocations = connection.execute(
            "SELECT order_number, amount_minor, withheld_minor, order_amount_minor, fee_kind FROM allocations"
            " ORDER BY 1"
        ).fetchall()
        orders = connection.execute("SELECT number, postings_minor FROM orders ORDER BY 1").fetchall()
        forced = connection.execute(
            "SELECT bool_and(relforcerowsecurity) FROM pg_class WHERE relname IN ('orders', 'allocations')"
        ).fetchone()
    assert allocations == [("A1", 9800, 200, 10000, "BANK_CHARGE"), ("A2", 9800, 0, 9800, None)]
    assert orders == [("A1", 10000), ("A2", 9800)]
    assert forced == (True,)
