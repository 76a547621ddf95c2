"""Row-level security: the rows of each table that the service sees, and its rights on them, defined once.

The second wall behind the queries (D-43). Every table with a `shop_id` has it from the transaction on
in which a migration creates it: PAYMATCH_APP sees the rows of one shop (`SET LOCAL paymatch.shop`), PAYMATCH_OPERATOR
(find the shops with due work, list shops) sees all.
"""

from __future__ import annotations

from typing import Final

import psycopg

APP: Final = "paymatch_app"
OPERATOR: Final = "paymatch_operator"
AREA: Final = "paymatch_area"
"""The role of the merchant area's own tables (people, sessions), which are in a separate schema."""
ROLES: Final = (APP, OPERATOR, AREA)
"""Roles without login and without BYPASSRLS: every transaction of the service becomes one of them."""

OF_SHOP: Final = "shop_id = (SELECT nullif(current_setting('paymatch.shop', true), '')::uuid)"
"""The rows of the transaction's shop; the subquery is computed once a statement, not once a row."""
OF_SHOP_BY_ROW: Final = "shop_id = nullif(current_setting('paymatch.shop', true), '')::uuid"
"""The same for tables that are distributed: Citus takes no subquery in a policy (D-79)."""

_ALL: Final = "SELECT, INSERT, UPDATE, DELETE"
_PRIVILEGES: Final = {
    "audit_log": "SELECT, INSERT",  # append-only (D-45)
    "audit_heads": "SELECT, INSERT, UPDATE",
}
"""The service's rights on tables where it does not have all four."""
KEPT_FOR_EVER: Final = frozenset(_PRIVILEGES)
"""Tables from which nothing is ever deleted, not even with the shop."""

_UNGUARDED: Final = """
SELECT c.oid::regclass::text FROM pg_class c
WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
  AND EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'shop_id' AND NOT a.attisdropped)
  AND NOT (c.relrowsecurity AND c.relforcerowsecurity = {forced}
           AND EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = c.oid AND p.polname = 'of_shop'
                       AND position('SELECT' IN pg_get_expr(p.polqual, p.polrelid)) {found})
           AND EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = c.oid AND p.polname = 'of_operator'))
ORDER BY 1"""
_GUARD: Final = f"""
ALTER TABLE {{table}} ENABLE ROW LEVEL SECURITY;
ALTER TABLE {{table}} {{force}} ROW LEVEL SECURITY;
DROP POLICY IF EXISTS of_shop ON {{table}};
DROP POLICY IF EXISTS of_operator ON {{table}};
CREATE POLICY of_shop ON {{table}} TO {APP} USING ({{of_shop}});
CREATE POLICY of_operator ON {{table}} TO {OPERATOR} USING (true);
GRANT {{privileges}} ON {{table}} TO {APP}, {OPERATOR};
"""
_USAGE: Final = f"""
DO $$ BEGIN
    EXECUTE format('GRANT USAGE ON SCHEMA %I TO {APP}, {OPERATOR}', current_schema());
END $$"""
_NO_ERASER: Final = """
SELECT to_regprocedure('erase_audit_values(bigint[], timestamptz)') IS NULL AND EXISTS (
    SELECT FROM pg_attribute WHERE attrelid = to_regclass('audit_log') AND attname = 'erased_at')"""
_ERASER: Final = f"""
CREATE POLICY of_eraser ON audit_log USING ({OF_SHOP_BY_ROW});
DO $$ BEGIN
    EXECUTE format($function$
        CREATE FUNCTION erase_audit_values(numbers bigint[], erased timestamptz) RETURNS bigint
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
        DECLARE found bigint;
        BEGIN
            UPDATE %I.audit_log SET before = '', after = '', address = '', salt = '', erased_at = erased
            WHERE {OF_SHOP_BY_ROW} AND seq = ANY(numbers) AND erased_at IS NULL;
            GET DIAGNOSTICS found = ROW_COUNT;
            RETURN found;
        END
        $body$
    $function$, current_schema());
END $$;
REVOKE ALL ON FUNCTION erase_audit_values(bigint[], timestamptz) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION erase_audit_values(bigint[], timestamptz) TO {APP};
"""
"""The only change of the audit log that the service can request: its owner empties values of the shop's entries (D-64).

Row-level security also binds the owner, who may have any name: the policy is for all, and shows no one more. Written in
the forms that Citus accepts: no subquery in a policy, no parameters in a function in SQL.
"""


def guard_tables(connection: psycopg.Connection, *, by_row: bool = False) -> list[str]:
    """Guards each table with a `shop_id` that is not guarded yet; their names. Part of a migration's transaction.

    `by_row`: in the form for distributed tables; a table guarded in the other form is guarded again. The owner, which
    the service never is, is not bound: Citus moves rows as the owner while they are written.
    """
    unguarded = _UNGUARDED.format(found="= 0" if by_row else "> 0", forced=not by_row)
    tables = [row[0] for row in connection.execute(unguarded.encode())]
    form = {"of_shop": OF_SHOP_BY_ROW, "force": "NO FORCE"} if by_row else {"of_shop": OF_SHOP, "force": "FORCE"}
    for table in tables:  # a name as PostgreSQL quotes it
        guard = _GUARD.format(table=table, **form, privileges=_PRIVILEGES.get(table, _ALL))
        connection.execute(guard.encode())
    if tables:
        connection.execute(_USAGE.encode())
    if connection.execute(_NO_ERASER.encode()).fetchone() == (True,):
        connection.execute(_ERASER.encode())
    return tables
