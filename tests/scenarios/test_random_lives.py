"""Random lives of shops against a reference model of the ledger; `make soak` lives 5,000 of them.

The suite lives 24, because a life takes about a second; more would cost it minutes.
"""

from __future__ import annotations

import pytest
import structlog

from tests.scenarios.lives import crashing_database, live

LIVES = 4
CHUNKS = 6


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_random_lives_agree_with_the_model(module_url: str, chunk: int) -> None:
    with crashing_database(module_url) as (database, crashes), structlog.testing.capture_logs():
        for seed in range(chunk * LIVES, (chunk + 1) * LIVES):
            live(database, crashes, seed)
