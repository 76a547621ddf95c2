"""One PostgreSQL per test run, shared by its workers; databases of their own for tests that ask for one."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import psycopg
import pytest
from hypothesis import HealthCheck, settings
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from paymatch.embedded import running_server
from paymatch.store.migrate import migrate
from paymatch.store.service_role import service_role
from tests.chromium import Chromium
from tests.keys import SECRET_KEY

# Nothing here is timed: the machine may be busy. `.ci/run` tries the same examples for the same commit, so that no
# change is refused by chance; `make test` tries others each time; `make soak` looks much longer for a counterexample.
settings.register_profile("usual", deadline=None)
settings.register_profile("gate", deadline=None, derandomize=True)
settings.register_profile("soak", deadline=None, max_examples=5000, suppress_health_check=list(HealthCheck))
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "usual"))

_SERVER_DIR = "PAYMATCH_TEST_SERVER_DIR"  # set by the controlling process, inherited by the workers of pytest-xdist


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        os.environ[_SERVER_DIR] = tempfile.mkdtemp(prefix="paymatch-tests-")
        os.environ.setdefault("PAYMATCH_SECRET_KEY", SECRET_KEY)


def pytest_unconfigure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        shutil.rmtree(os.environ.pop(_SERVER_DIR), ignore_errors=True)


@pytest.fixture(scope="session")
def server_url() -> Iterator[str]:
    """URL of the test server: PAYMATCH_TEST_DATABASE_URL (a superuser's), or the embedded one."""
    given = os.environ.get("PAYMATCH_TEST_DATABASE_URL")
    if given:
        yield given
        return
    with running_server(Path(os.environ[_SERVER_DIR]), durable=False) as url:
        yield url


@pytest.fixture
def database_url(server_url: str) -> Iterator[str]:
    """URL of a new, empty database of this test."""
    with new_database(server_url, "template0") as url:
        yield url


@pytest.fixture(scope="session")
def migrated_template(server_url: str) -> Iterator[str]:
    """Name of this worker's database with all migrations applied; nobody may be connected while it is copied."""
    with new_database(server_url, "template0") as url:
        migrate(url)
        yield str(conninfo_to_dict(url)["dbname"])


@pytest.fixture
def migrated_url(server_url: str, migrated_template: str) -> Iterator[str]:
    """URL of a new database of this test with all migrations applied and no rows."""
    with new_database(server_url, migrated_template) as url:
        yield url


@pytest.fixture(scope="module")
def module_url(server_url: str, migrated_template: str) -> Iterator[str]:
    """Like `migrated_url`, one for all tests of a module: for tests that make a shop each and look at nothing else."""
    with new_database(server_url, migrated_template) as url:
        yield url


@contextmanager
def new_database(server_url: str, template: str) -> Iterator[str]:
    """URL of a database that is dropped at the end of the block."""
    name = f"test_{uuid4().hex[:12]}"
    # Files are copied, not logged page by page: nothing of the test server outlives it, and a copy costs half.
    create = sql.SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY file_copy").format(
        sql.Identifier(name), sql.Identifier(template)
    )
    drop = sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name))
    drop_role = sql.SQL("DROP ROLE IF EXISTS {}").format(sql.Identifier(service_role(name)))
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(create)
    try:
        yield _with_database(server_url, name)
    finally:
        with psycopg.connect(server_url, autocommit=True) as connection:
            connection.execute(drop)
            connection.execute(drop_role)


def _with_database(server_url: str, name: str) -> str:
    """The same server, another database, still as a URL."""
    parts = urlsplit(server_url)
    return urlunsplit(parts._replace(path=f"/{name}"))


@pytest.fixture(scope="session")
def chromium() -> Iterator[Chromium]:
    """The browser of this process."""
    found = Chromium()
    yield found
    found.close()


@pytest.fixture
def browser(chromium: Chromium) -> Iterator[Callable[[], Any]]:
    """Shows the browser; what asks Django in the test itself comes before, because Django refuses to in its loop."""
    yield chromium.show
    chromium.clear()
