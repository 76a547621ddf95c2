"""The database goes away and comes back, elsewhere or as a standby: work goes on by itself."""

from __future__ import annotations

import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from paymatch.store.database import Database, login_parts
from paymatch.store.migrate import migrate
from paymatch.store.server import probe
from paymatch.store.transactions import Unreachable, passes
from tests.fakes.gateway import Gateway, gateway
from tests.waiting import PATIENCE_SECONDS

AWAY_SECONDS = 16


@pytest.fixture
def way(migrated_url: str) -> Iterator[Gateway]:
    with gateway(migrated_url) as opened:
        yield opened


def _works(database: Database) -> bool:
    with database.of_all_shops() as tx:
        return bool(tx.value("SELECT true"))


def test_work_goes_on_as_soon_as_the_database(way: Gateway) -> None:
    """The pool's own tries come after 1, 3, 7, 15 and 31 seconds: who waited for 16 would wait for 15 more."""
    database = Database(way.url, size=2)
    answered: list[float] = []

    def wait() -> None:
        assert _works(database)
        answered.append(time.monotonic())

    try:
        assert _works(database)
        way.close()
        time.sleep(0.2)
        waiting = threading.Thread(target=wait)
        waiting.start()
        time.sleep(AWAY_SECONDS)
        way.open()
        opened_at = time.monotonic()
        waiting.join(PATIENCE_SECONDS)
        assert 0 < answered[0] - opened_at < 14  # each second there is a try; the rest is for a busy machine
    finally:
        database.close()


def test_who_waits_longer_than_he_may_is_told(way: Gateway) -> None:
    way.close()
    database = Database(way.url, size=1, timeout=2)
    try:
        begun = time.monotonic()
        with pytest.raises(Unreachable) as told:
            _works(database)
        assert 1.9 < time.monotonic() - begun < PATIENCE_SECONDS
        assert passes(told.value)
    finally:
        database.close()


def test_an_error_that_no_server_sent_passes(migrated_url: str) -> None:
    """Before, who lost the database in the middle of waiting for a lock was answered with 500, once in thousands."""
    with psycopg.connect(migrated_url) as connection:
        lost = connection.pgconn.make_empty_result(psycopg.pq.ExecStatus.FATAL_ERROR)
        assert passes(psycopg.errors.error_from_result(lost))
        wrong = connection.pgconn.exec_(b"SELECT nothing")
        assert not passes(psycopg.errors.error_from_result(wrong))


def test_url_that_names_several_nodes_finds_the_one_that_answers(migrated_url: str) -> None:
    with gateway(migrated_url) as first, gateway(migrated_url) as second:
        hosts = f"127.0.0.1:{first.port},127.0.0.1:{second.port}"
        url = first.url.replace(f"127.0.0.1:{first.port}", hosts) + "?target_session_attrs=read-write"
        database = Database(url, size=1)
        try:
            assert _works(database)
            first.close()
            assert _works(database)
            first.open()
            second.close()
            assert _works(database)
        finally:
            database.close()


def test_standby_in_place_of_the_primary_is_left(migrated_url: str) -> None:
    with psycopg.connect(migrated_url, autocommit=True) as connection:
        _set_read_only(connection, "on")
        database = Database(migrated_url, size=1)
        try:
            with pytest.raises(Unreachable, match="a standby answers"):
                _write(database)
            _set_read_only(connection, "off")
            with suppress(Unreachable):  # the pool may have come back while the standby still was one
                _write(database)
            _write(database)
        finally:
            database.close()


def _set_read_only(connection: psycopg.Connection, value: str) -> None:
    database = sql.Identifier(connection.info.dbname)
    connection.execute(
        sql.SQL("ALTER DATABASE {} SET default_transaction_read_only = {}").format(database, sql.SQL(value))
    )


def _write(database: Database) -> None:
    with database.of_all_shops() as tx:
        tx.run("CREATE TEMP TABLE seen (n int) ON COMMIT DROP")


def test_probe_says_whether_the_database_takes_changes(migrated_url: str) -> None:
    assert probe.takes_changes(migrated_url)
    with psycopg.connect(migrated_url, autocommit=True) as connection:
        _set_read_only(connection, "on")
        assert not probe.takes_changes(migrated_url)


@pytest.fixture
def small_disk(migrated_url: str) -> Iterator[Path]:
    """A disk of one megabyte that belongs to the database server."""
    with psycopg.connect(migrated_url) as connection:
        (folder,) = connection.execute("SHOW data_directory").fetchone() or ("",)
    place = Path(tempfile.mkdtemp(prefix="pm-disk-"))
    command = ["mount", "-t", "tmpfs", "-o", f"size=1m,uid={Path(folder).stat().st_uid}", "tmpfs", str(place)]
    if subprocess.run(command, capture_output=True, check=False).returncode != 0:
        place.rmdir()
        pytest.skip("no disk can be mounted here")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)
    place.rmdir()


def test_probe_notices_a_full_disk_on_which_old_pages_still_take_changes(database_url: str, small_disk: Path) -> None:
    migrate(database_url)
    space = sql.Identifier(f"small_{small_disk.name}".replace("-", "_"))
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE TABLESPACE {} LOCATION {}").format(space, sql.Literal(str(small_disk))))
        try:
            connection.execute(sql.SQL("ALTER TABLE write_probes SET TABLESPACE {}").format(space))
            assert probe.takes_changes(database_url)
            with (small_disk / "ballast").open("wb", buffering=0) as ballast, suppress(OSError):
                while True:
                    ballast.write(bytes(4096))
            noticed = [probe.takes_changes(database_url) for _ in range(6)]
            assert noticed[-1] is False
            (small_disk / "ballast").unlink()
            assert probe.takes_changes(database_url)
        finally:
            connection.execute("ALTER TABLE write_probes SET TABLESPACE pg_default")
            connection.execute(sql.SQL("DROP TABLESPACE {}").format(space))


@pytest.mark.parametrize("silent_at", ["the login", "the statement"])
def test_probe_does_not_wait_for_a_database_that_is_silent(migrated_url: str, silent_at: str) -> None:
    """A pooler takes the login, and keeps the statement until there is a database again."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=_be_silent, args=(listener, silent_at == "the statement"), daemon=True).start()
        name = login_parts(migrated_url)["dbname"]
        begun = time.monotonic()
        assert not probe.takes_changes(
            f"postgresql://paymatch@127.0.0.1:{listener.getsockname()[1]}/{name}?sslmode=disable"
        )
        assert time.monotonic() - begun < PATIENCE_SECONDS


def _be_silent(listener: socket.socket, takes_logins: bool) -> None:
    client, _ = listener.accept()
    with client, suppress(OSError):
        if takes_logins:
            client.recv(65536)
            authenticated = b"R\0\0\0\x08\0\0\0\0"
            key, ready = b"K\0\0\0\x0c\0\0\0\x01\0\0\0\x01", b"Z\0\0\0\x05I"
            client.sendall(authenticated + key + ready)
        while client.recv(65536):  # until the probe has gone
            pass
