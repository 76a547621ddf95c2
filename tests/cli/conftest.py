"""A shop whose commands are run as from a terminal."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from typer.testing import CliRunner

from paymatch.cli.main import app
from paymatch.store.database import Database
from paymatch.usecases.shops import shops
from tests.keys import KEYRING
from tests.usecases.conftest import ACCOUNT, Books

Run = Callable[..., Any]


def spoken(errors: str) -> str:
    """The error lines that programs get as JSON as people get them; other lines stay."""
    return "".join(_spoken(line) for line in errors.splitlines(keepends=True))


def _spoken(line: str) -> str:
    return f"Error: {json.loads(line)['error']}\n" if line.startswith('{"error":') else line


@pytest.fixture
def books(migrated_url: str) -> Iterator[Books]:
    database = Database(migrated_url, size=2, keyring=KEYRING)
    yield Books(database, shops.create(database, "Shop", Books.now - timedelta(days=60), ibans=[ACCOUNT]).shop)
    database.close()


@pytest.fixture
def run(migrated_url: str, books: Books, monkeypatch: pytest.MonkeyPatch) -> Run:
    """The JSON that a command prints, with its exit code and what it says on stderr."""
    monkeypatch.setenv("PAYMATCH_DATABASE_URL", migrated_url)

    def call(*arguments: str, given: str = "") -> tuple[int, Any, str]:
        result = CliRunner().invoke(app, [*arguments, "--json"], input=given)
        return result.exit_code, json.loads(result.stdout) if result.stdout else None, spoken(result.stderr)

    return call
