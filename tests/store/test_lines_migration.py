"""The migration that carries the books of older versions over to statement lines (D-40)."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID

import psycopg

from paymatch.domain.shops.shop import Shop
from paymatch.formats.camt.writer import CamtMessage
from paymatch.store.database import Database
from paymatch.store.migrate import files, migrate
from paymatch.store.row_security import guard_tables
from paymatch.store.service_role import create_group_roles
from paymatch.store.shops import shops as shop_store
from paymatch.store.transactions import ShopId
from paymatch.usecases.statements.imports import undo_import
from tests.keys import KEYRING
from tests.usecases.conftest import ACCOUNT, DAY, Books, batch, camt, paid

_SHOP = "00000000-0000-0000-0000-000000000001"
_NOW = datetime(2026, 3, 12, 9, tzinfo=UTC)
_STATEMENT = """
INSERT INTO statements (shop_id, id, import_id, account, currency, format, source, statement_id, sequence, first_date,
    last_date, booked_minor, created_at)
VALUES (%s, %s, %s, %s, 'EUR', %s, %s, '', '', '2026-03-10', '2026-03-10', 0, now())"""
_IMPORT = """
INSERT INTO imports (shop_id, id, file_name, sha256, format, version, size_bytes, status, result, channel,
    created_at)
VALUES (%s, %s, 'old', %s, 'camt', '', 1, 'BOOKED', '{}', 'command-line', now())"""
_POSTING = """
INSERT INTO postings (shop_id, id, import_id, statement_id, account, currency, digits, amount_minor, booking_date,
    bank_reference, entry_reference, batch_id, is_return, end_to_end_id, counterparty_name, counterparty_iban,
    remittance, facts, source, format, facts_rank, date_rank, entry_group, status, by_hand, created_at)
VALUES (%s, %s, %s, %s, %s, 'EUR', 2, %s, '2026-03-10', '', %s, '', false, '', '', '', '', %s, %s, 'camt', 0, 0, %s,
    'ignored', %s, now())"""
_LINE = """
INSERT INTO statement_lines (shop_id, import_id, posting_id, statement_id, source, format, facts)
VALUES (%s, %s, %s, %s, %s, %s, %s)"""


def facts(minor: int, text: str, day: date = DAY, **more: Any) -> str:
    return json.dumps(
        {
            "account": ACCOUNT, "currency": "EUR", "amount_minor": minor, "booking_date": str(day),
            "value_date": str(day), "remittance_lines": [text], "counterparty_name": "Eva Muster",
            "counterparty_iban": "DE75512108001245126199", **more,
        }
    )  # fmt: skip


def old_books(url: str) -> None:
    """A payment that a camt.052 announced for the 9th, and a batch of two whose sum the camt.053 showed."""
    with psycopg.connect(url, autocommit=True) as connection:
        create_group_roles(connection)
        connection.execute("CREATE TABLE migrations (name text PRIMARY KEY, applied_at timestamptz NOT NULL)")
        for name, text in files():
            if name < "0058":
                connection.execute(text.encode())
                guard_tables(connection)
                connection.execute("INSERT INTO migrations VALUES (%s, now())", (name,))
        connection.execute(
            "INSERT INTO shops (shop_id, name, currency, country, timezone, callback_access_code, webhook_secret,"
            " created_at) VALUES (%s, 'Old', 'EUR', 'DE', 'Europe/Berlin', 'a', 'b', now())",
            (_SHOP,),
        )
        for name, source in (("early", "INTRADAY"), ("news", "NOTIFICATION"), ("final", "FINAL")):
            number = {"INTRADAY": 2, "NOTIFICATION": 4, "FINAL": 3}[source]
            connection.execute(_IMPORT, (_SHOP, f"im_{name}", name.encode()))
            connection.execute(_STATEMENT, (_SHOP, name, f"im_{name}", ACCOUNT, f"camt.05{number}", source))
        part: dict[str, Any] = {"entry_reference": "B1", "bank_reference": "B1", "batch_size": 2}
        rows = [
            ("one", 1990, "", facts(1990, "SO-1", bank_reference="R1"), "", True),
            ("p1", 1000, "B1", facts(1000, "A", **part), "grp", False),
            ("p2", 2000, "B1", facts(2000, "B", detail_index=1, **part), "grp", False),
        ]
        for name, minor, reference, said, group, by_hand in rows:
            values = (_SHOP, name, "im_final", "final", ACCOUNT, minor, reference, said, "FINAL", group, by_hand)
            connection.execute(_POSTING, values)
        before = facts(1990, "SO-1", date(2026, 3, 9), bank_reference="R1")
        connection.execute(_LINE, (_SHOP, "im_early", "one", "early", "INTRADAY", "camt", before))
        for name in ("one", "p1", "p2"):
            connection.execute(_LINE, (_SHOP, "im_final", name, "final", "FINAL", "camt", ""))
        for name in ("p1", "p2"):
            connection.execute(_LINE, (_SHOP, "im_news", name, "news", "NOTIFICATION", "camt", ""))


def test_old_books_are_carried_over(database_url: str) -> None:
    old_books(database_url)
    migrate(database_url)
    with psycopg.connect(database_url) as connection:
        found = connection.execute(
            "SELECT statement_id, detail, entry_minor, booking_date::text, source, posting_id, is_held, import_id"
            " FROM statement_lines ORDER BY 1, 3, 2"
        ).fetchall()
    assert found == [
        ("early", 0, 1990, "2026-03-09", "INTRADAY", "one", True, "im_early"),
        ("final", 0, 1990, "2026-03-10", "FINAL", "one", True, "im_final"),
        ("final", 0, 3000, "2026-03-10", "FINAL", "p1", False, "im_final"),
        ("final", 1, 3000, "2026-03-10", "FINAL", "p2", False, "im_final"),
        ("news", 0, 3000, "2026-03-10", "NOTIFICATION", "p1", False, "im_news"),
        ("news", 1, 3000, "2026-03-10", "NOTIFICATION", "p2", False, "im_news"),
    ]
    database = Database(database_url, size=2, keyring=KEYRING)
    try:
        with database.of_shop(ShopId(UUID(_SHOP))) as tx:
            shop = shop_store.load(tx)
        assert isinstance(shop, Shop)
        go_on(Books(database, shop, _NOW))
    finally:
        database.close()


def go_on(books: Books) -> None:
    """The same statements once more are known, what they add is new, and what the old ones showed can be undone."""
    parts = batch("B1", paid(1000, "A"), paid(2000, "B"))
    again = camt(CamtMessage.STATEMENT, paid(1990, "SO-1", bank_reference="R1"), parts, paid(500, "C"))
    report = books.bring(again)
    assert (report.new, report.known) == (1, 3)
    booked = books.rows("SELECT id FROM postings WHERE shop_id = $1 AND amount_minor > 500 ORDER BY 1")
    assert booked == [("one",), ("p1",), ("p2",)]
    for name in ("im_final", report.import_id):
        undo_import(books.database, books.shop, name, _NOW)
    assert books.rows("SELECT id, booking_date::text, source FROM postings WHERE shop_id = $1 ORDER BY 1") == [
        ("one", "2026-03-09", "INTRADAY"), ("p1", "2026-03-10", "NOTIFICATION"), ("p2", "2026-03-10", "NOTIFICATION"),
    ]  # fmt: skip
