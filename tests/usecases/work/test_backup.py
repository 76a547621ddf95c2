"""A backup and its way back: everything is there again, money goes out once, and what is broken changes nothing."""

from __future__ import annotations

import shutil
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import msgspec
import psycopg
import pytest
from psycopg import sql

from paymatch.domain.refunds.refunds import HoldReason
from paymatch.domain.shops.shop import Shop
from paymatch.embedded import programs
from paymatch.store.database import Database
from paymatch.store.migrate import DatabaseNewer, files, migrate
from paymatch.store.sealing import key_id
from paymatch.store.work.dumps import DumpRefused
from paymatch.store.work.sealed_files import OpeningReader, SealingWriter, SecretKey
from paymatch.usecases.refunds import refund_runs, releases
from paymatch.usecases.work.backup import (
    BackupRefused,
    Manifest,
    read_manifest,
    refuse_foreign_keys,
    restore_backup,
    write_backup,
)
from paymatch.usecases.work.check import check_shop
from tests.databases import new_database
from tests.usecases.refunds.refund_world import RefundWorld

NOW = datetime(2026, 3, 3, 12, 0, tzinfo=UTC)
Seen = list[tuple[str, int]]


def rows_of(url: str) -> dict[str, list[str]]:
    """Table -> its rows as text, in order, of every table."""
    tables = (
        "SELECT format('%I.%I', schemaname, tablename) FROM pg_tables"
        " WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1"
    )
    with psycopg.connect(url, autocommit=True) as connection:
        names = [row[0] for row in connection.execute(tables)]
        return {
            name: sorted(row[0] for row in connection.execute(f"SELECT t::text FROM {name} t".encode()))
            for name in names
        }


@contextmanager
def empty_database(url: str) -> Iterator[str]:
    with new_database(url, "template0") as found:
        yield found


LOCK, OTHER = SecretKey("the secret key of this installation"), SecretKey("another secret key")


@pytest.fixture
def world(migrated_url: str, tmp_path: Path) -> Iterator[RefundWorld]:
    database = Database(migrated_url, size=4)
    yield RefundWorld(database, tmp_path / "transfers")
    database.close()


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    """A data directory with files, and with what belongs to its machine alone."""
    folder = tmp_path / "data"
    for name, content in (("files/ab/cd/one.pdf", b"%PDF"), ("mail/two.eml", b"To: x"), ("postgres/PG_VERSION", b"18")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    (folder / "secret_key").write_text("secret", "utf-8")
    (folder / "files" / "link").symlink_to("/etc/passwd")
    return folder


@pytest.fixture
def archive(migrated_url: str, data_dir: Path, tmp_path: Path) -> Path:
    path = tmp_path / "backup.zip"
    write_backup(path, migrated_url, programs(), data_dir, ["0a0b0c0d"], NOW, lambda *_: None, lock=LOCK)
    return path


@pytest.fixture
def plain_archive(archive: Path, tmp_path: Path) -> Path:
    """The same as an older version wrote it."""
    path = tmp_path / "plain.zip"
    with archive.open("rb") as source:
        path.write_bytes(OpeningReader(source, [LOCK]).readall())
    return path


def sealed_for(lock: SecretKey, path: Path, folder: Path) -> Path:
    """The same backup, sealed for somebody else."""
    other = folder / "other.backup"
    with path.open("rb") as source, other.open("wb") as out:
        writer = SealingWriter(out, lock)
        writer.write(OpeningReader(source, [LOCK]).readall())
        writer.finish()
    return other


def restored(path: Path, url: str, folder: Path) -> Manifest:
    folder.mkdir(exist_ok=True)
    return restore_backup(path, url, programs(), folder, lambda *_: None, [LOCK])


def files_in(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_everything_is_there_again(world: RefundWorld, migrated_url: str, data_dir: Path, tmp_path: Path) -> None:
    world.client.submit("SO-90001", amount=100)
    seen: Seen = []
    path = tmp_path / "backup.zip"
    made = write_backup(
        path, migrated_url, programs(), data_dir, ["0a0b0c0d"], NOW, lambda *each: seen.append(each), lock=LOCK
    )
    assert (made.keys, made.files, made.made_at) == (("0a0b0c0d",), 2, NOW)
    assert read_manifest(path, [LOCK]) == made
    assert path.stat().st_mode & 0o777 == 0o600
    assert {what for what, _ in seen} == {"database", "files"}
    with empty_database(migrated_url) as url:
        restored(path, url, tmp_path / "new")
        assert rows_of(url) == rows_of(migrated_url)
        assert migrate(url) == []
    assert files_in(tmp_path / "new") == {"files/ab/cd/one.pdf": b"%PDF", "mail/two.eml": b"To: x"}


def test_a_backup_is_of_one_moment_while_orders_come(
    world: RefundWorld, migrated_url: str, data_dir: Path, tmp_path: Path
) -> None:
    stop = threading.Event()

    def submit() -> None:
        number = 0
        while not stop.is_set():
            number += 1
            world.client.submit(f"SO-{91000 + number}", amount=10)

    shop_keeper = threading.Thread(target=submit)
    shop_keeper.start()
    try:
        path = tmp_path / "backup.zip"
        write_backup(path, migrated_url, programs(), data_dir, [], NOW, lambda *_: None, lock=LOCK)
    finally:
        stop.set()
        shop_keeper.join()
    with empty_database(migrated_url) as url:
        restored(path, url, tmp_path / "new")
        database = Database(url, size=1)
        assert check_shop(database, world.client.shop) == []
        database.close()


def test_a_refund_of_a_backup_is_never_paid_again_by_itself(
    world: RefundWorld, migrated_url: str, data_dir: Path, tmp_path: Path
) -> None:
    world.paid("SO-90002")
    refund = world.file("SO-90002", 100)
    path = tmp_path / "backup.zip"
    write_backup(path, migrated_url, programs(), data_dir, [], NOW, lambda *_: None, lock=LOCK)
    world.pass_days(1)
    assert len(world.run().files) == 1  # after the backup, which does not know of it
    with empty_database(migrated_url) as url:
        restored(path, url, tmp_path / "new")
        database = Database(url, size=2)
        now, shop = world.clock.now, world.client.shop
        run = refund_runs.run(database, shop, now)
        assert (run.files, [held.reason for held in run.held]) == ((), [HoldReason.RESTORED])
        (row,) = releases.brought_up_to_date(database, shop, [refund], now)
        releases.release(database, shop, {refund: row.account_version}, "person", now)
        assert len(refund_runs.run(database, shop, now).files) == 1  # a person has looked at the bank account
        database.close()


def test_a_damaged_backup_changes_nothing(archive: Path, migrated_url: str, tmp_path: Path) -> None:
    content = bytearray(archive.read_bytes())
    content[len(content) // 3] ^= 0xFF
    archive.write_bytes(content)
    with empty_database(migrated_url) as url:
        with pytest.raises(BackupRefused, match=r"is damaged at database\.dump"):
            restored(archive, url, tmp_path / "new")
        assert rows_of(url) == {}
    assert files_in(tmp_path / "new") == {}


def test_what_is_no_backup_is_refused(archive: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.zip"
    cut.write_bytes(archive.read_bytes()[:-100])
    with pytest.raises(BackupRefused, match="is incomplete"):
        read_manifest(cut, [LOCK])
    other = tmp_path / "other.zip"
    with zipfile.ZipFile(other, "w") as made:
        made.writestr("hello", "world")
    with pytest.raises(BackupRefused, match="is not a backup"):
        read_manifest(other, [LOCK])


def changed(archive: Path, path: Path, **changes: object) -> Path:
    """The archive with another manifest."""
    manifest = msgspec.to_builtins(read_manifest(archive, [LOCK]))
    with zipfile.ZipFile(archive) as source, zipfile.ZipFile(path, "w") as target:
        for info in source.infolist():
            content = source.read(info)
            if info.filename == "manifest.json":
                content = msgspec.json.encode({**manifest, **changes})
            target.writestr(info, content)
    return path


def test_no_account_and_no_name_is_read_in_a_backup(
    world: RefundWorld, migrated_url: str, data_dir: Path, tmp_path: Path
) -> None:
    world.paid("SO-90003")
    (data_dir / "transfers").mkdir()
    secrets_of_payers = (b"DE89370400440532013000", b"Eva Beispiel", b"SO-90003")
    (data_dir / "transfers" / "refunds.xml").write_bytes(b"<Nm>Eva Beispiel</Nm><IBAN>DE89370400440532013000</IBAN>")
    path = tmp_path / "backup.zip"
    write_backup(path, migrated_url, programs(), data_dir, ["0a0b0c0d"], NOW, lambda *_: None, lock=LOCK)
    content = path.read_bytes()
    assert not any(
        each in content for each in (*secrets_of_payers, b"PGDMP", b"refunds.xml", b"PK\x03\x04", b"0a0b0c0d")
    )
    with path.open("rb") as source:
        opened = OpeningReader(source, [LOCK]).readall()
    assert [each in opened for each in (*secrets_of_payers[:2], b"PGDMP", b"refunds.xml")] == [True] * 4
    with pytest.raises(BackupRefused, match=f"under the secret key {key_id(OTHER.secret)}, which is not here"):
        read_manifest(sealed_for(OTHER, path, tmp_path), [LOCK])


def test_an_older_plain_backup_is_restored(plain_archive: Path, migrated_url: str, tmp_path: Path) -> None:
    with empty_database(migrated_url) as url:
        restored(plain_archive, url, tmp_path / "new")
        assert rows_of(url) == rows_of(migrated_url)


def test_a_backup_of_a_newer_version_is_refused(plain_archive: Path, tmp_path: Path) -> None:
    newer = changed(plain_archive, tmp_path / "newer.zip", migrations=[files()[0][0], "9999_future.sql"])
    with pytest.raises(DatabaseNewer, match=r"9999_future\.sql"):
        read_manifest(newer, [LOCK])
    format_of_tomorrow = changed(plain_archive, tmp_path / "format.zip", format="paymatch backup 2", paymatch="9.0")
    with pytest.raises(BackupRefused, match=r"written in a newer format, by paymatch 9\.0"):
        read_manifest(format_of_tomorrow, [LOCK])


def test_a_backup_without_its_key_is_refused(archive: Path) -> None:
    manifest = read_manifest(archive, [LOCK])
    refuse_foreign_keys(manifest, ["ffffffff", "0a0b0c0d"])
    with pytest.raises(BackupRefused, match="secret key 0a0b0c0d, which is not here"):
        refuse_foreign_keys(manifest, ["ffffffff"])


def test_only_an_empty_database_is_filled(archive: Path, migrated_url: str, tmp_path: Path) -> None:
    before = rows_of(migrated_url)
    with pytest.raises(BackupRefused, match="not empty"):
        restored(archive, migrated_url, tmp_path / "new")
    assert rows_of(migrated_url) == before
    assert files_in(tmp_path / "new") == {}


def test_a_backup_replaces_no_file(archive: Path, migrated_url: str, data_dir: Path) -> None:
    before = archive.read_bytes()
    with pytest.raises(BackupRefused, match="exists"):
        write_backup(archive, migrated_url, programs(), data_dir, [], NOW, lambda *_: None, lock=LOCK)
    assert archive.read_bytes() == before


def test_a_backup_that_fails_leaves_nothing(migrated_url: str, data_dir: Path, tmp_path: Path) -> None:
    parts = urlsplit(migrated_url)
    gone = urlunsplit(parts._replace(query=parts.query + "&application_name=x"))
    with pytest.raises(DumpRefused, match="application_name"):
        write_backup(tmp_path / "backup.zip", gone, programs(), data_dir, [], NOW, lambda *_: None, lock=LOCK)
    assert [path.name for path in tmp_path.iterdir()] == ["data"]


@pytest.mark.parametrize("name", ["data/../out", "data//etc/x", "data/postgres/cluster/PG_VERSION", "data/"])
def test_a_file_outside_of_its_folders_is_refused(
    name: str, plain_archive: Path, migrated_url: str, tmp_path: Path
) -> None:
    with zipfile.ZipFile(plain_archive, "a") as made:
        made.writestr(name, "x")
    with empty_database(migrated_url) as url:
        with pytest.raises(BackupRefused, match="outside of its folders"):
            restored(plain_archive, url, tmp_path / "new")
        assert rows_of(url) == {}
    assert not (tmp_path / "out").exists()


def test_a_restore_that_was_interrupted_is_begun_again(archive: Path, migrated_url: str, tmp_path: Path) -> None:
    target = tmp_path / "new"
    with empty_database(migrated_url) as url:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("CREATE TABLE shops (x int)")  # the dump's own cannot be made
        with pytest.raises(DumpRefused, match='relation "shops" already exists'):
            restored(archive, url, target)
        assert rows_of(url) == {"public.shops": []}
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("DROP TABLE shops")
        restored(archive, url, target)
        assert rows_of(url) == rows_of(migrated_url)


def test_a_role_that_sees_only_some_rows_makes_no_backup(
    world: RefundWorld, migrated_url: str, data_dir: Path, tmp_path: Path
) -> None:
    assert isinstance(world.client.shop, Shop)
    role = f"bound_{tmp_path.name.replace('-', '_')}"[:60].lower()
    with psycopg.connect(migrated_url, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE ROLE {} LOGIN").format(sql.Identifier(role)))
        try:
            parts = urlsplit(migrated_url)
            bound = urlunsplit(parts._replace(netloc=f"{role}@{parts.netloc.rpartition('@')[2]}"))
            with pytest.raises(DumpRefused, match="bound by row-level security"):
                write_backup(tmp_path / "b.zip", bound, programs(), data_dir, [], NOW, lambda *_: None, lock=LOCK)
        finally:
            connection.execute(sql.SQL("DROP ROLE {}").format(sql.Identifier(role)))
    assert not (tmp_path / "b.zip").exists()


def test_an_older_paymatch_refuses_a_newer_database(migrated_url: str) -> None:
    with psycopg.connect(migrated_url, autocommit=True) as connection:
        connection.execute("INSERT INTO migrations VALUES ('9999_future.sql', now())")
    with pytest.raises(DatabaseNewer, match=r"newer paymatch \(it has the migration 9999_future\.sql\)"):
        migrate(migrated_url)


def test_files_go_before_the_database(archive: Path, migrated_url: str, tmp_path: Path) -> None:
    """What is full stops the restore before there is a database that names files that are not there."""
    target = tmp_path / "new"
    target.mkdir()
    (target / "files").write_bytes(b"a file where a folder should be")
    with empty_database(migrated_url) as url:
        with pytest.raises(OSError, match="files"):
            restored(archive, url, target)
        assert rows_of(url) == {}
    shutil.rmtree(target)
