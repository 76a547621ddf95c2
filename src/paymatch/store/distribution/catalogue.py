"""Catalogue of the database: for each table, whether its rows can be placed by shop id, else why not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import psycopg
from psycopg.rows import class_row

SHOP: Final = "shop_id"
ANCHOR: Final = "shops"
"""The table that all others are placed beside: the rows of a shop are on one node."""

_TABLES: Final = """
SELECT c.oid::regclass::text AS name, a.attnum IS NOT NULL AS of_shop,
    ARRAY(SELECT i.indexrelid::regclass::text FROM pg_index i
          WHERE i.indrelid = c.oid AND (i.indisunique OR i.indisexclusion) AND NOT a.attnum = ANY(i.indkey::int2[])
          ORDER BY 1) AS keys_without_shop,
    -- The shop's id of the one is the shop's id of the other, and the other has one.
    ARRAY(SELECT k.conname::text FROM pg_constraint k
          WHERE k.conrelid = c.oid AND k.contype = 'f' AND NOT EXISTS (
              SELECT FROM unnest(k.conkey, k.confkey) AS pair(here, there)
              JOIN pg_attribute t ON t.attrelid = k.confrelid AND t.attnum = pair.there
              WHERE pair.here = a.attnum AND t.attname = $1)
          ORDER BY 1) AS references_without_shop,
    ARRAY(SELECT t.tgname::text FROM pg_trigger t WHERE t.tgrelid = c.oid AND NOT t.tgisinternal
          ORDER BY 1) AS triggers,
    -- A serial of the whole table: nodes would hand out numbers of their own.
    ARRAY(SELECT s.attname::text FROM pg_attribute s
          LEFT JOIN pg_attrdef d ON d.adrelid = s.attrelid AND d.adnum = s.attnum
          WHERE s.attrelid = c.oid AND s.attnum > 0 AND NOT s.attisdropped
            AND (s.attidentity <> '' OR pg_get_expr(d.adbin, d.adrelid) LIKE '%nextval(%')
          ORDER BY 1) AS serials
FROM pg_class c
LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = $1 AND NOT a.attisdropped
WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
  AND NOT EXISTS (SELECT FROM pg_depend e WHERE e.objid = c.oid AND e.deptype = 'e')
ORDER BY c.relname <> $2, 1"""


@dataclass(frozen=True, slots=True)
class SchemaTable:
    """A table of the schema; each list names obstacles to placing its rows by shop id."""

    name: str
    of_shop: bool
    keys_without_shop: list[str]
    references_without_shop: list[str]
    triggers: list[str]
    serials: list[str]

    @property
    def obstacles(self) -> list[str]:
        """Why it cannot be placed by shop id although its rows are shops'; empty for a table of the installation."""
        if not self.of_shop:
            return []
        found = {
            "unique key without shop_id": self.keys_without_shop,
            "foreign key without shop_id": self.references_without_shop,
            "trigger": self.triggers,
            "serial number": self.serials,
        }
        return [f"{self.name}: {what} {name}" for what, names in found.items() for name in names]


def tables(connection: psycopg.Connection[Any]) -> list[SchemaTable]:
    """The tables of the schema by name, the one that the others are placed beside first."""
    cursor = psycopg.RawCursor(connection, row_factory=class_row(SchemaTable))
    return cursor.execute(_TABLES.encode(), (SHOP, ANCHOR)).fetchall()
