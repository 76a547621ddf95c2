"""The API on 127.0.0.1, in a thread of the test, with a clock that the test moves."""

from __future__ import annotations

import io
from collections.abc import Iterator
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

import pytest

from paymatch.api import Api, ApiConfig
from paymatch.outbound.files import DirectoryFiles
from paymatch.store.database import Database
from tests.client.world import World, new_world
from tests.contract.client import LONG_WAIT, START, Clock
from tests.fakes.serving import serving
from tests.keys import KEYRING


class Handler(WSGIRequestHandler):
    """Hands on the path from the request line unchanged, which numbers with slashes need."""

    def get_environ(self) -> dict[str, Any]:
        return super().get_environ() | {"REQUEST_URI": self.path}

    def log_message(self, format: str, *args: Any) -> None:
        """Says nothing."""


class Server(ThreadingMixIn, WSGIServer):
    """A thread per connection."""

    daemon_threads = True


@pytest.fixture(scope="module")
def database(module_url: str) -> Iterator[Database]:
    opened = Database(module_url, size=8, keyring=KEYRING)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def clock() -> Clock:
    return Clock()


@pytest.fixture(scope="module")
def api(clock: Clock, database: Database, tmp_path_factory: pytest.TempPathFactory) -> Api:
    files = DirectoryFiles(tmp_path_factory.mktemp("files"))
    config = ApiConfig(
        key_headers=("x-service-api-key",), clock=clock, invoice_max_bytes=10_000_000, import_wait_seconds=LONG_WAIT
    )
    return Api(database, files, config)


@pytest.fixture(scope="module")
def address(api: Api) -> Iterator[str]:
    server = Server(("127.0.0.1", 0), Handler)
    server.set_app(lambda environ, start: api(_read(environ), lambda status, heads: start(status, _plain(heads))))
    with serving(server) as url:
        yield url


def _read(environ: dict[str, Any]) -> dict[str, Any]:
    """The request with its body in memory, as the front hands it on: a socket has no end."""
    length = int(environ.get("CONTENT_LENGTH") or 0)
    return environ | {"wsgi.input": io.BytesIO(environ["wsgi.input"].read(length))}


def _plain(heads: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Headers as wsgiref takes them: nothing that is derived from `str`."""
    return [(name, "".join(value)) for name, value in heads]


@pytest.fixture
def world(api: Api, address: str, database: Database, clock: Clock) -> World:
    clock.now = START
    return new_world(api, address, database, clock)
