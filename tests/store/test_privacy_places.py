"""The list of places of personal data names every column that can hold text, and none that is not there."""

from __future__ import annotations

from collections import Counter

import psycopg

from paymatch.store.privacy.places import IMPERSONAL, PLACES, swept
from paymatch.store.row_security import APP, OPERATOR

_TEXTS = """
SELECT table_name || '.' || column_name FROM information_schema.columns
WHERE table_schema = 'public' AND (data_type IN ('text', 'json', 'jsonb', 'bytea', 'character varying')
      OR data_type = 'ARRAY' AND udt_name IN ('_text', '_jsonb', '_bytea', '_varchar'))"""


def _declared() -> Counter[str]:
    personal = [f"{place.table}.{column}" for place in PLACES for column in place.columns]
    return Counter([*personal, *(f"{table}.{each}" for table, text in IMPERSONAL.items() for each in text.split())])


def test_every_text_is_a_place_or_impersonal(migrated_url: str) -> None:
    with psycopg.connect(migrated_url) as connection:
        there = {row[0] for row in connection.execute(_TEXTS.encode())}
    declared = _declared()
    assert sorted(there - set(declared)) == [], "say what they hold, in store/privacy/places.py"
    assert sorted(set(declared) - there) == [], "these columns are gone, or are no texts"
    assert [name for name, times in declared.items() if times > 1] == []


def test_swept_columns_are_texts_of_shops(migrated_url: str) -> None:
    with psycopg.connect(migrated_url) as connection:
        rows = connection.execute(
            "SELECT table_name, column_name, data_type FROM information_schema.columns WHERE table_schema = 'public'"
        ).fetchall()
    types = {(table, column): kind for table, column, kind in rows}
    for table, columns in swept().items():
        assert (table, "shop_id") in types
        assert {types[table, column] for column in columns} <= {"text", "jsonb"}, table


def test_only_the_values_of_deeds_can_be_erased_and_only_by_the_shop(migrated_url: str) -> None:
    with psycopg.connect(migrated_url) as connection:
        found = connection.execute(
            "SELECT r.rolname, has_function_privilege(r.oid, 'erase_audit_values(bigint[], timestamptz)', 'EXECUTE'),"
            " has_table_privilege(r.oid, 'audit_log', 'UPDATE') FROM pg_roles r WHERE rolname = ANY(%s)"
            " ORDER BY r.rolname", ([APP, OPERATOR],),
        ).fetchall()  # fmt: skip
        public = connection.execute(
            "SELECT has_function_privilege('public', 'erase_audit_values(bigint[], timestamptz)', 'EXECUTE')"
        ).fetchone()
    assert found == [(APP, True, False), (OPERATOR, False, False)]
    assert public == (False,)
