"""A move to another database: everything arrives, and whatever speaks against it is seen."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import psycopg
import pytest

from paymatch.domain.statement_channels import StatementChannel
from paymatch.embedded import programs
from paymatch.store.database import Database
from paymatch.store.work.equality import digests
from paymatch.usecases.advices.advices import import_advice
from paymatch.usecases.work.moving import DatabaseMoveRefused, move
from tests.databases import new_database
from tests.keys import KEYRING
from tests.usecases.callbacks.callback_world import new_world

CHANGE = "UPDATE orders SET doc = doc || '{\"note\": \"x\"}' WHERE number = '2'"


@pytest.fixture
def source(migrated_url: str) -> str:
    """A database with a shop, orders and callbacks that nobody uses."""
    database = Database(migrated_url, size=1, keyring=KEYRING)
    world = new_world(database)
    for number in ("1", "2"):
        world.add_order(number)
        world.set_paid(number)
    text = b"Order,Amount\n3,12.00\nTotal,12.00\n"
    import_advice(database, world.shop, BytesIO(text), "advice.csv", world.now, StatementChannel.COMMAND_LINE)
    database.close()
    return migrated_url


@pytest.fixture
def target(server_url: str) -> Iterator[str]:
    with new_database(server_url, "template0") as url:
        yield url


def digests_of(url: str) -> dict[str, tuple[int, str]]:
    return digests(url, lambda _rows: None)


def test_everything_arrives(source: str, target: str, tmp_path: Path) -> None:
    before = digests_of(source)
    told: list[str] = []
    moved = move(source, target, programs(), tmp_path, lambda what, _size: told.append(what))
    assert digests_of(target) == digests_of(source) == before
    assert (before["public.orders"][0], before["public.callbacks"][0], before["public.advices"][0]) == (2, 2, 1)
    assert (moved.tables, moved.rows) == (len(before), sum(rows for rows, _ in before.values()))
    assert list(dict.fromkeys(told)) == ["read", "written", "rows compared", "rows compared again"]


def test_one_value_that_changes_meanwhile_is_seen(source: str, target: str, tmp_path: Path) -> None:
    def tell(what: str, _size: int) -> None:
        if what == "written":
            with psycopg.connect(source) as connection:
                connection.execute(CHANGE.encode())

    with pytest.raises(DatabaseMoveRefused, match=r"^The databases differ, first in public\.orders: something wrote"):
        move(source, target, programs(), tmp_path, tell)


def test_a_database_in_use_is_not_moved(source: str, target: str, tmp_path: Path) -> None:
    with (
        psycopg.connect(source, application_name="paymatch serve"),
        pytest.raises(DatabaseMoveRefused, match=r"in use \(paymatch serve\): stop the service"),
    ):
        move(source, target, programs(), tmp_path, lambda *_: None)
    assert digests_of(target) == {}


def test_nothing_is_moved_over_something(source: str, server_url: str, migrated_template: str, tmp_path: Path) -> None:
    with new_database(server_url, migrated_template) as other:
        before = digests_of(other)
        with pytest.raises(DatabaseMoveRefused, match=r"^The new database is not empty"):
            move(source, other, programs(), tmp_path, lambda *_: None)
        assert digests_of(other) == before
