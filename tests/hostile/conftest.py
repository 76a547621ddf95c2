"""The database of a module that attacks."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from paymatch.store.database import Database


@pytest.fixture(scope="module")
def database(module_url: str) -> Iterator[Database]:
    opened = Database(module_url, size=6)
    yield opened
    opened.close()
