"""Everything that is done to an order is undone in any order; each step agrees with a second reckoning."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog

from paymatch.store.database import Database
from tests.keys import KEYRING
from tests.length import times
from tests.scenarios.undoing import Undoing

SEEDS = times(2, 10)
STEPS = times(45, 120)


@pytest.fixture(scope="module")
def database(module_url: str) -> Iterator[Database]:
    opened = Database(module_url, size=4, keyring=KEYRING)
    with structlog.testing.capture_logs():
        yield opened
    opened.close()


@pytest.mark.parametrize("seed", range(SEEDS))
def test_steps_and_their_undoing_agree_with_the_reckoning(database: Database, tmp_path: Path, seed: int) -> None:
    Undoing(database, tmp_path, seed).live(STEPS)
