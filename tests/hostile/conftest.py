"""The database of a module that attacks."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from paymatch.store.database import Database
from paymatch.usecases.shops import shops
from tests.keys import KEYRING
from tests.usecases.conftest import ACCOUNT, Books


@pytest.fixture(scope="module")
def database(module_url: str) -> Iterator[Database]:
    opened = Database(module_url, size=6, keyring=KEYRING)
    yield opened
    opened.close()


@pytest.fixture
def books(database: Database) -> Books:
    """A shop with one confirmed account, without orders."""
    now = datetime(2026, 3, 11, 9, tzinfo=UTC)
    return Books(database, shops.create(database, "Books", now - timedelta(days=60), ibans=[ACCOUNT]).shop)
