"""No request makes the API fail, however it is made up. `REQUESTS=100000` sends as many as `make soak` does."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from paymatch.api import Api, ApiConfig
from paymatch.outbound.files import DirectoryFiles
from paymatch.store.database import Database
from tests.contract.client import Clock, Reply, new_shop
from tests.hostile.requests import Attack, fault
from tests.keys import KEYRING
from tests.length import times

REQUESTS = int(os.environ.get("REQUESTS", times(400, 1000)))
SEEDS = 4


@pytest.fixture(scope="module")
def database(module_url: str) -> Iterator[Database]:
    opened = Database(module_url, size=4, keyring=KEYRING)
    yield opened
    opened.close()


@pytest.mark.parametrize("seed", range(SEEDS))
def test_no_request_makes_the_api_fail(database: Database, tmp_path: Path, seed: int) -> None:
    clock = Clock()
    config = ApiConfig(key_headers=("x-service-api-key",), clock=clock, invoice_max_bytes=10_000_000)
    attack = Attack(new_shop(Api(database, DirectoryFiles(tmp_path), config), database, clock), Random(seed))
    attack.send(REQUESTS // SEEDS)
    assert {200, 400, 401, 404, 405} <= set(attack.said)


@pytest.mark.parametrize(
    ("reply", "seconds", "expected"),
    [
        (Reply(500, {}, b"{}"), 0.0, "an error of ours"),
        (Reply(200, {}, b""), 2.5, "2.5 s of CPU"),
        (Reply(404, {"Content-Type": "text/plain"}, b"x"), 0.0, "an error that is not JSON"),
        (Reply(404, {"Content-Type": "application/json"}, b"{}"), 0.0, "an error without its text"),
        (Reply(404, {"Content-Type": "application/json"}, b'{"error":"x"}'), 0.0, ""),
    ],
)
def test_what_the_fuzzer_takes_for_a_fault(reply: Reply, seconds: float, expected: str) -> None:
    assert fault("GET", reply, seconds) == expected
