"""A database for all tests of a module that only read."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from paymatch.store.database import Database
from tests.databases import new_database


@pytest.fixture(scope="module")
def database(server_url: str, migrated_template: str) -> Iterator[Database]:
    """A migrated database without a shop."""
    with new_database(server_url, migrated_template) as url:
        found = Database(url, size=1)
        yield found
        found.close()
