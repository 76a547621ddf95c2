"""The suite on a distributed database: PAYMATCH_TEST_CITUS names the URLs of the nodes, the coordinator's first.

Every database of a test is then made on all nodes and its tables of shops are distributed: `make citus` does it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from time import monotonic, sleep
from typing import Final
from urllib.parse import urlsplit, urlunsplit

import psycopg
from psycopg import sql

from paymatch.store.distribution.placing import distribute
from tests.waiting import PATIENCE_SECONDS

NODES: Final = [url for url in os.environ.get("PAYMATCH_TEST_CITUS", "").split(",") if url]
SHARDS: Final = 6
ONE_SERVER: Final = {
    "tests/store/test_distribution.py::test_what_is_in_the_way_is_named": "the tables are distributed already",
    "tests/store/test_distribution.py::test_dry_run_tells": "the tables are distributed already",
    "tests/store/test_distribution.py::test_without_citus": "the tables are distributed already",
    "tests/store/test_distribution.py::test_policy_of": "the tables are distributed already",
    "tests/usecases/work/test_moving.py": "a move is of a whole database of one server (D-70)",
    "tests/usecases/work/test_backup.py": "a backup is of one server; on a cluster the nodes are archived (D-79)",
}
"""How the names of tests begin that cannot be run on nodes, and why; there they are skipped, and nowhere else."""


def why_not_on_nodes(name: str) -> str | None:
    """Why the test cannot be run on the nodes that are given; None if it can, or there are none."""
    if not NODES:
        return None
    return next((why for begin, why in ONE_SERVER.items() if name.startswith(begin)), None)


def with_database(server_url: str, name: str) -> str:
    """The same server, another database, still as a URL."""
    return urlunsplit(urlsplit(server_url)._replace(path=f"/{name}"))


def distribute_on_nodes(name: str, nodes: Sequence[str] = (), shards: int = SHARDS) -> None:
    """Makes the migrated database of the coordinator one of all nodes: Citus in each, the tables on them."""
    nodes = nodes or NODES
    with psycopg.connect(nodes[0], autocommit=True) as one_at_a_time:  # roles belong to all databases of a node
        one_at_a_time.execute("SELECT pg_advisory_lock(79)")
        for url in nodes:
            with psycopg.connect(with_database(url, name), autocommit=True) as connection:
                connection.execute("CREATE EXTENSION citus")
        with psycopg.connect(with_database(nodes[0], name), autocommit=True) as connection:
            places = [(urlsplit(url).hostname, urlsplit(url).port) for url in nodes]
            connection.execute("SELECT citus_set_coordinator_host(%s, %s)", places[0])
            for place in places[1:]:
                connection.execute("SELECT citus_add_node(%s, %s)", place)
            connection.execute("SELECT citus_set_node_property(%s, %s, 'shouldhaveshards', true)", places[0])
        distribute(with_database(nodes[0], name), shards)


def create_on(url: str, name: str, template: str) -> None:
    """Makes the database on one node."""
    create = sql.SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY file_copy").format(
        sql.Identifier(name), sql.Identifier(template)
    )
    run_while_unused(url, template, create)


def run_while_unused(url: str, database: str, statement: sql.Composed) -> None:
    """Runs a statement that wants a database for itself; who uses it is sent away.

    Citus looks after each database in a process of its own, which comes back: it is tried until it was away.
    """
    until = monotonic() + PATIENCE_SECONDS
    leave = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s"
    with psycopg.connect(url, autocommit=True) as connection:
        while True:
            connection.execute(leave, (database,))
            try:
                connection.execute(statement)
            except psycopg.errors.ObjectInUse:
                if monotonic() > until:
                    raise
                sleep(0.05)
            else:
                return
