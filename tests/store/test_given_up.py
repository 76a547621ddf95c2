"""Work without a waiting caller is not done: the database was away, and the caller has asked again since."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from paymatch.client_disconnect import PATIENCE_SECONDS, WaitingClient, is_given_up, on_behalf_of
from paymatch.store.database import Database
from paymatch.store.transactions import Unreachable, passes

LATE = PATIENCE_SECONDS + 0.1


def left() -> bool:
    return True


def waiting() -> bool:
    return False


@pytest.fixture
def database(migrated_url: str) -> Iterator[Database]:
    found = Database(migrated_url, size=1)
    with found.of_all_shops() as tx:
        tx.run("CREATE TEMPORARY TABLE written (number integer)")
    yield found
    found.close()


def _write(database: Database) -> None:
    with database.of_all_shops() as tx:
        tx.put("SET LOCAL ROLE NONE")
        tx.run("INSERT INTO written VALUES (1)")


def _written(database: Database) -> int:
    with database.of_all_shops() as tx:
        return int(tx.value("SELECT count(*) FROM written"))


def test_work_of_a_caller_who_left_while_it_waited_is_not_done(database: Database) -> None:
    with on_behalf_of(WaitingClient(LATE, left)), pytest.raises(Unreachable, match="no one waits") as refused:
        _write(database)
    assert passes(refused.value)  # like a database that is away: nothing is wrong with the call
    assert _written(database) == 0


@pytest.mark.parametrize("caller", [WaitingClient(LATE, waiting), WaitingClient(0, left)])
def test_everything_else_is_done(database: Database, caller: WaitingClient) -> None:
    with on_behalf_of(caller):
        _write(database)
    assert _written(database) == 1


def test_the_wait_in_the_queue_and_the_wait_for_the_database_count_together() -> None:
    with on_behalf_of(WaitingClient(PATIENCE_SECONDS / 2, left)):
        assert (is_given_up(PATIENCE_SECONDS / 2), is_given_up(PATIENCE_SECONDS / 2 + 0.1)) == (False, True)
    assert not is_given_up(1000)  # jobs are not calls
