"""Places the tables of shops on the nodes of a Citus cluster; the installation's tables stay where they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, Final

import psycopg
from psycopg import sql

from paymatch.domain.refusal import Refused
from paymatch.domain.words.message import Message
from paymatch.store.distribution.catalogue import ANCHOR, SHOP, SchemaTable, tables
from paymatch.store.row_security import APP, OPERATOR, guard_tables

_IS_PLACED: Final = "SELECT logicalrelid::text FROM pg_dist_partition WHERE partmethod = 'h'"
_FUNCTIONS: Final = """
SELECT create_distributed_function(p.oid::regprocedure) FROM pg_proc p
WHERE p.pronamespace = current_schema()::regnamespace
  AND NOT EXISTS (SELECT FROM pg_depend e WHERE e.objid = p.oid AND e.deptype = 'e')
  AND NOT EXISTS (SELECT FROM pg_dist_object d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid)"""
_MAY_LOG_IN: Final = "SELECT FROM pg_roles WHERE rolname = %s AND rolcanlogin"
_HAS_SETTING: Final = "SELECT FROM pg_roles WHERE rolname = %s AND %s = ANY(rolconfig)"
_SETTINGS: Final = {"TimeZone": "UTC", "DateStyle": "ISO", "jit": "off"}
"""The service's connection settings: computations with moments must agree on every node."""


class NotDistributable(Refused):
    """The database cannot be distributed; the text names the missing part or the obstacle."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A table's place, its rows if this call moved them, and why it stays, or the obstacle."""

    name: str
    place: str  # "distributed", "distributed before", "to be distributed" or "local"
    rows: int | None
    why: str


def is_distributed(connection: psycopg.Connection[Any]) -> bool:
    """Whether the database's tables of shops are on the nodes of a Citus cluster."""
    return ANCHOR in placed_tables(connection)


def placed_tables(connection: psycopg.Connection[Any]) -> set[str]:
    """Names of the tables that are on the nodes; none without Citus."""
    known = connection.execute("SELECT to_regclass('pg_dist_partition') IS NOT NULL").fetchone()
    return {row[0] for row in connection.execute(_IS_PLACED)} if known == (True,) else set()


def survey(url: str) -> list[Placed]:
    """Each table of the schema with all obstacles; changes nothing, and needs no Citus."""
    with psycopg.connect(url, autocommit=True) as connection:
        done = placed_tables(connection)
        return [_placement_of(table, {}, done) for table in tables(connection)]


def distribute(url: str, shards: int) -> list[Placed]:
    """Every table of shops cut into `shards` parts by shop id; returns the result for each table of the schema.

    Run as the owner of the tables, who may alter roles. Done once; a later call places the remaining tables. One
    transaction: users of the tables wait meanwhile. NotDistributable, without any change, if there is an obstacle, or
    if a table lost a row.
    """
    with psycopg.connect(url, autocommit=True) as connection:
        _check(connection)
        with connection.transaction():
            admit_between_nodes(connection)
            return place(connection, shards)


def place(connection: psycopg.Connection[Any], shards: int | None = None) -> list[Placed]:
    """As `distribute`, in the transaction that is open; without `shards` beside tables that are placed already."""
    found = tables(connection)
    _refuse([obstacle for table in found for obstacle in table.obstacles])
    done = placed_tables(connection)
    todo = [table for table in found if table.of_shop and table.name not in done]
    # One connection a node, so that what the transaction did to a table before is seen.
    connection.execute("SET LOCAL citus.multi_shard_modify_mode = 'sequential'")
    guard_tables(
        connection, by_row=True
    )  # before: an owner bound by row-level security would see none of the rows it hands over
    connection.execute(_FUNCTIONS)
    rows = {table.name: _place(connection, table, shards) for table in todo}
    return [_placement_of(table, rows, done) for table in found]


def admit_between_nodes(connection: psycopg.Connection[Any]) -> None:
    """The coordinator asks the other nodes as the role that the transaction has become: that role has to log in there.

    It has no password, so only what pg_hba.conf of the nodes lets in between them gets in (D-79).
    """
    for role in (APP, OPERATOR):
        if connection.execute(_MAY_LOG_IN, (role,)).fetchone() is None:
            connection.execute(sql.SQL("ALTER ROLE {} LOGIN").format(sql.Identifier(role)))
        for name, value in _SETTINGS.items():
            setting = f"{name}={value}"
            if connection.execute(_HAS_SETTING, (role, setting)).fetchone() is None:
                connection.execute(
                    sql.SQL("ALTER ROLE {} SET {} = {}").format(
                        sql.Identifier(role), sql.Identifier(name), sql.Literal(value)
                    )
                )


def _check(connection: psycopg.Connection[Any]) -> None:
    citus = connection.execute("SELECT extversion FROM pg_extension WHERE extname = 'citus'").fetchone()
    if citus is None:
        raise NotDistributable(Message("not-distributable-database-no-citus-have"))
    if connection.execute("SELECT FROM pg_dist_node WHERE isactive AND shouldhaveshards").fetchone() is None:
        raise NotDistributable(Message("not-distributable-no-node-cluster-takes"))


def _refuse(obstacles: Sequence[str]) -> None:
    if obstacles:
        raise NotDistributable(Message("not-distributable-these-tables-cannot-placed", obstacles="; ".join(obstacles)))


def _place(connection: psycopg.Connection[Any], table: SchemaTable, shards: int | None) -> int:
    """Its rows: all are on the nodes now."""
    before = _rows(connection, table)
    if table.name == ANCHOR:
        connection.execute(
            "SELECT create_distributed_table(%s, %s, colocate_with => 'none', shard_count => %s)",
            (table.name, SHOP, shards),
        )
    else:
        connection.execute("SELECT create_distributed_table(%s, %s, colocate_with => %s)", (table.name, SHOP, ANCHOR))
    after = _rows(connection, table)
    if after != before:
        raise NotDistributable(
            Message("not-distributable-had-rows-would-have", name=table.name, before=before, after=after)
        )
    return after


def _rows(connection: psycopg.Connection[Any], table: SchemaTable) -> int:
    """The number of its rows that the owner sees."""
    row = connection.execute(sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(table.name))).fetchone()
    assert row is not None
    return int(row[0])


def _placement_of(table: SchemaTable, rows: Mapping[str, int], done: Set[str]) -> Placed:
    if not table.of_shop:
        return Placed(table.name, "local", None, "belongs to the installation: it has no shop_id")
    if table.name in rows:
        return Placed(table.name, "distributed", rows[table.name], "")
    if table.name in done:
        return Placed(table.name, "distributed before", None, "")
    return Placed(table.name, "to be distributed", None, "; ".join(table.obstacles))
