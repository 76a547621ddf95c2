"""A database per module, a shop per test, the API in process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from paymatch.api import Api, ApiConfig
from paymatch.outbound.files import DirectoryFiles, Files
from paymatch.store.database import Database
from tests.contract.client import LONG_WAIT, Clock, ShopClient, new_shop
from tests.keys import KEYRING


@pytest.fixture(scope="module")
def database(module_url: str) -> Iterator[Database]:
    opened = Database(module_url, size=8, keyring=KEYRING)
    yield opened
    opened.close()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    folder: Path = tmp_path_factory.mktemp("files")
    return DirectoryFiles(folder)


SERVICE_ADDRESS = "http://127.0.0.1:8611"
"""Where the API believes to be reached."""


@pytest.fixture
def api(database: Database, files: Files, clock: Clock) -> Api:
    config = ApiConfig(
        key_headers=("x-service-api-key", "x-other-key"),
        clock=clock,
        invoice_max_bytes=10_000_000,
        address=lambda: SERVICE_ADDRESS,
        import_wait_seconds=LONG_WAIT,
    )
    return Api(database, files, config)


@pytest.fixture
def shop(api: Api, database: Database, clock: Clock) -> ShopClient:
    return new_shop(api, database, clock)


@pytest.fixture
def make_shop(api: Api, database: Database, clock: Clock) -> Callable[..., ShopClient]:
    def make(**more: object) -> ShopClient:
        return new_shop(api, database, clock, **more)

    return make
