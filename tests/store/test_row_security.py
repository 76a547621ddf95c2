"""Row-level security is written once and is on every table with a shop id (D-43)."""

from __future__ import annotations

import psycopg

from paymatch.store.migrate import files
from paymatch.store.row_security import guard_tables

SHARED = {
    "migrations", "sealing_keys", "early_bounces", "page_allowances", "last_exchange_rates", "write_probes",
    "heartbeats",
}  # fmt: skip
"""Tables of the installation, which have no rows of shops."""

OF_SHOP = "(shop_id = ( SELECT (NULLIF(current_setting('paymatch.shop'::text, true), ''::text))::uuid AS \"nullif\"))"
OF_SHOP_BY_ROW = "(shop_id = (NULLIF(current_setting('paymatch.shop'::text, true), ''::text))::uuid)"
POLICIES = [
    ("of_operator", "paymatch_operator", "ALL", "true", None),
    ("of_shop", "paymatch_app", "ALL", OF_SHOP, None),
]


def test_every_table_is_guarded_or_belongs_to_the_installation(migrated_url: str) -> None:
    with psycopg.connect(migrated_url) as connection:
        rows = connection.execute(
            "SELECT relname, relrowsecurity AND relforcerowsecurity FROM pg_class"
            " WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') ORDER BY 1"
        ).fetchall()
        assert {name for name, guarded in rows if not guarded} == SHARED
        for name in {name for name, _ in rows} - SHARED:
            policies = connection.execute(
                "SELECT policyname, array_to_string(roles, ','), cmd, qual, with_check FROM pg_policies"
                " WHERE tablename = %s ORDER BY 1",
                (name,),
            ).fetchall()
            assert [each for each in policies if each[0] != "of_eraser"] == POLICIES, name
            more = [each[1:] for each in policies if each[0] == "of_eraser"]
            assert more == ([("public", "ALL", OF_SHOP_BY_ROW, None)] if name == "audit_log" else []), name


def test_no_view_nor_function_shows_rows_past_the_policies(migrated_url: str) -> None:
    with psycopg.connect(migrated_url) as connection:
        views = connection.execute(
            "SELECT relname FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('v', 'm')"
        ).fetchall()
        definers = connection.execute(
            "SELECT proname FROM pg_proc WHERE pronamespace = current_schema()::regnamespace AND prosecdef"
        ).fetchall()
    assert (views, sorted(definers)) == ([], [("count_grown_rows",), ("erase_audit_values",)]), "tried in other tests"


def test_new_table_is_guarded_once(migrated_url: str) -> None:
    with psycopg.connect(migrated_url) as connection:
        connection.execute("CREATE TABLE gift_cards (shop_id uuid NOT NULL, id text, PRIMARY KEY (shop_id, id))")
        connection.execute("CREATE TABLE bank_holidays (day date PRIMARY KEY)")
        assert guard_tables(connection) == ["gift_cards"]
        assert guard_tables(connection) == []


def test_table_that_lost_its_guard_gets_it_back(migrated_url: str) -> None:
    with psycopg.connect(migrated_url) as connection:
        connection.execute("ALTER TABLE orders NO FORCE ROW LEVEL SECURITY")
        connection.execute("DROP POLICY of_shop ON postings")
        assert guard_tables(connection) == ["orders", "postings"]
        assert guard_tables(connection) == []


def test_migrations_leave_it_to_the_one_place() -> None:
    assert [name for name, text in files() if "CREATE POLICY" in text or "ENABLE ROW LEVEL" in text] == []
