"""The database of a module and a shop that refunds; modules that check its books afterwards make their own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from paymatch.store.database import Database
from tests.usecases.refunds.refund_world import RefundWorld


@pytest.fixture(scope="module")
def database(module_url: str) -> Iterator[Database]:
    opened = Database(module_url, size=6)
    yield opened
    opened.close()


@pytest.fixture
def world(database: Database, tmp_path: Path) -> RefundWorld:
    return RefundWorld(database, tmp_path)
