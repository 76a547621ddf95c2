"""An erasure that is interrupted, or undone by a restore, is finished; files have periods of their own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import BinaryIO

import pytest
from pydantic import SecretStr

from paymatch.domain.privacy.person import PersonRefused, sought
from paymatch.domain.reports.ledger import invoice_id
from paymatch.formats.accounting.datev_documents import Document, write_documents
from paymatch.outbound.files import DirectoryFiles, FilesUnavailable
from paymatch.settings import Settings
from paymatch.usecases.privacy import erasing, periods, register, replaying
from paymatch.usecases.privacy.files import Folders
from paymatch.usecases.privacy.register import ErasureEntry
from tests.usecases.privacy.test_erasing import EMAIL, HERS, STATEMENT, World, live, world
from tests.usecases.privacy.test_periods import after, change

assert world
LATER = datetime(2026, 6, 1, tzinfo=UTC)


class AwayFiles:
    """A storage that does not answer when something is to be deleted."""

    def __init__(self, kept: DirectoryFiles) -> None:
        self._kept = kept

    def put(self, data: bytes | BinaryIO, suffix: str) -> str:
        return self._kept.put(data, suffix)

    def open(self, key: str) -> BinaryIO:
        return self._kept.open(key)

    def delete(self, key: str) -> None:
        raise FilesUnavailable(key)


@contextmanager
def killed_at(world: World, place: str, commit: int = 1) -> Iterator[None]:
    """The process ends around the n-th commit that writes: an erasure's first one is that of values of entries."""

    class Killed(BaseException):
        pass

    passed: list[str] = []

    def end(boundary: str) -> None:
        passed.append(boundary)
        if passed.count(place) == commit:
            raise Killed

    world.books.database.at_boundary = end
    with pytest.raises(Killed):
        yield
    world.books.database.at_boundary = None


def test_invoices_go_although_the_storage_was_away(world: World) -> None:
    live(world)
    now = world.books.now + timedelta(days=30)
    asked = sought(email=EMAIL)
    erasing.erase(world.books.database, world.books.shop, asked, AwayFiles(world.files), world.folders, now)
    assert len(list((world.folder / "files").rglob("*.pdf"))) == 1
    assert world.books.rows("SELECT count(*) FROM invoices WHERE shop_id = $1") == [(0,)]
    assert periods.forget_files(world.books.database, world.books.shop, world.files, None, now) == periods.Gone()
    assert list((world.folder / "files").rglob("*.pdf")) == []
    assert world.books.rows("SELECT count(*) FROM leaving_files WHERE shop_id = $1") == [(0,)]


@pytest.mark.parametrize(("place", "commit"), [("before commit", 1), ("after commit", 1), ("before commit", 2)])
def test_erasing_that_was_killed_before_its_commit_is_asked_for_again(world: World, place: str, commit: int) -> None:
    live(world)
    with killed_at(world, place, commit):
        world.erase()
    assert "orders.doc" in world.found()
    world.erase()
    assert world.found() == set()


def test_erasing_that_was_killed_behind_its_commit_is_finished_by_the_job(world: World) -> None:
    live(world)
    with killed_at(world, "after commit", 2):
        world.erase()
    (waiting,) = (world.folder / "files").rglob("*.pdf")
    assert world.found() == {str(waiting)}, "the invoice alone waits"
    periods.forget_files(world.books.database, world.books.shop, world.files, None, world.books.now)
    assert world.found() == set()


def test_who_was_erased_since_a_backup_is_erased_again(world: World) -> None:
    """The database as a backup brings it back, beside the register of what came later."""
    live(world)
    settings = Settings(data_dir=world.folder / "data", secret_key=SecretStr("x" * 64))
    planned = erasing.preview(world.books.database, world.books.shop, sought(email=EMAIL), world.folders, LATER)
    target = planned.person.target
    path = register.place(settings)
    register.write(path, ErasureEntry("era_1", LATER, world.books.shop.id, target.orders, target.postings))
    path.write_bytes(path.read_bytes() + b'{"erasure": "cut sho')
    assert world.found(*HERS) - {str(path)} == world.found(*HERS), "the register names nobody"
    told = replaying.replay(world.books.database, settings, world.files, LATER + timedelta(days=1), LATER)
    assert told == {"erasures": 0, "erasedAgain": 0} and "orders.doc" in world.found()
    told = replaying.replay(world.books.database, settings, world.files, LATER, LATER)
    assert told == {"erasures": 1, "erasedAgain": 1}
    left = {place for place in world.found() if str(world.folder / "drop") not in place}
    assert left == set(), "the drop folder of this test is no folder of the installation"
    assert replaying.replay(world.books.database, settings, world.files, LATER, LATER)["erasedAgain"] == 0
    assert world.books.bring(STATEMENT.replace(b"<MsgId>", b"<MsgId>y")).new == 0
    world.books.sound()
    assert len(list(register.read(path, LATER))) == 1, "erasing again is not noted again"


def test_erasures_are_noted_outside_of_backups(world: World) -> None:
    live(world)
    path = world.folder / "erased.jsonl"
    folders = Folders(world.folders.roots, path)
    done = erasing.erase(world.books.database, world.books.shop, sought(email=EMAIL), world.files, folders, LATER)
    [entry] = register.read(path, LATER)
    assert (entry.erasure, entry.shop, entry.orders) == (done.id, world.books.shop.id, ("A-1", "A-2"))
    assert len(entry.postings) == 3 and path.stat().st_mode & 0o777 == 0o600
    assert world.found() == set()
    with pytest.raises(PersonRefused):
        erasing.erase(world.books.database, world.books.shop, sought(email=EMAIL), world.files, folders, LATER)
    assert len(list(register.read(path, LATER))) == 1


def test_package_of_invoices_for_bookkeepers_goes_with_the_invoice(world: World) -> None:
    """What a PDF says is compressed: the package is known by the invoice's id in it."""
    live(world)
    package = world.folder / "drop" / "datev-documents-2026-03-01-2026-03-31.zip"
    document = Document(invoice_id(world.books.shop.id, "A-1", "I-1"), "pdf")
    with package.open("wb") as file, (world.folder / "drop" / "other.xml").open("rb") as content:
        write_documents(file, [(document, content)], LATER)
    world.erase()
    assert not package.exists()


def test_invoices_and_bank_files_have_periods_of_their_own(world: World) -> None:
    live(world)
    shop, drop = world.books.shop, world.folder / "inbox"
    for place, name, age in (("done", "old.sta", 100), ("failed", "old.sta", 91), ("done", "new.sta", 10)):
        folder = drop / str(shop.id) / place
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x")
        at = (world.books.now - timedelta(days=age)).timestamp()
        os.utime(folder / name, (at, at))
    (drop / str(shop.id) / "waiting.sta").write_text("x")

    def run(of: World) -> periods.Gone:
        return periods.forget_files(of.books.database, shop, of.files, drop, of.books.now)

    assert run(after(world, 3000)) == periods.Gone(), "by default both are kept"
    change(world, keep_drop_days="90", keep_invoice_days="60")
    assert run(world) == periods.Gone("2 bank files deleted")
    left = sorted(path.name for path in Path(drop).rglob("*") if path.is_file())
    assert left == ["new.sta", "waiting.sta"]
    assert run(after(world, 59)) == periods.Gone()
    assert run(after(world, 61)) == periods.Gone("1 invoice deleted")
    assert list((world.folder / "files").rglob("*.pdf")) == []
    world.books.sound()


def test_mail_in_files_goes_when_its_message_does(world: World) -> None:
    """keep-mail-days: where no server takes mail, it lies in files."""
    shop, kept = world.books.shop, world.folder / "mail"
    for name, age in (("ml_1.eml", 366), ("ml_2.eml", 364)):
        (kept / str(shop.id)).mkdir(parents=True, exist_ok=True)
        (kept / str(shop.id) / name).write_text("x")
        at = (world.books.now - timedelta(days=age)).timestamp()
        os.utime(kept / str(shop.id) / name, (at, at))
    gone = periods.forget_files(world.books.database, shop, world.files, None, world.books.now, kept)
    assert gone == periods.Gone("1 mail deleted")
    assert [path.name for path in kept.rglob("*.eml")] == ["ml_2.eml"]
