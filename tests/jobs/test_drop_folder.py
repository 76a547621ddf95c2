"""The drop folder: each file is taken once, kept, and ends in done or failed."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
import structlog

from paymatch.formats.camt.writer import CamtMessage
from paymatch.jobs.drop_folder import INTERRUPTIONS, DropFolderImporter
from paymatch.outbound.drop_folder import drop_folder
from paymatch.outbound.folders import Folder
from paymatch.store.database import Database
from paymatch.store.transactions import ShopId
from paymatch.usecases.advices.advices import list_advices
from paymatch.usecases.matching.matching import match_due
from paymatch.usecases.shops import shops
from paymatch.usecases.statements import accounts, import_process
from paymatch.usecases.work.alerts import list_alerts, resolve
from tests.confined import jobs
from tests.keys import KEYRING
from tests.usecases.conftest import ACCOUNT, Books, camt, paid

ROOT = Path(__file__).parents[2]


@pytest.fixture
def database(migrated_url: str) -> Iterator[Database]:
    found = Database(migrated_url, size=6, keyring=KEYRING)
    yield found
    found.close()


@pytest.fixture
def books(database: Database) -> Books:
    return Books(database, shops.create(database, "Dropped", Books.now - timedelta(days=9), ibans=[ACCOUNT]).shop)


OTHER = "DE02120300000000202051"
TABLE = b"Datum;Name;Verwendungszweck;Betrag\n10.03.2026;Eva;R 1;1,00\n"


def importer(books: Books, root: Path) -> DropFolderImporter:
    return DropFolderImporter(books.database, root, lambda: books.now)


def drop(books: Books, root: Path, name: str, content: bytes, *, age: float = 60, folder: str = "") -> None:
    inbox = root / str(books.shop.id) / "inbox" / folder
    inbox.mkdir(parents=True, exist_ok=True)
    (inbox / name).write_bytes(content)
    moment = books.now.timestamp() - age
    os.utime(inbox / name, (moment, moment))


def content_of(books: Books, root: Path) -> dict[str, list[str]]:
    base = root / str(books.shop.id)
    return {
        folder: sorted(str(path.relative_to(base / folder)) for path in (base / folder).rglob("*") if path.is_file())
        for folder in ("inbox", "working", "done", "failed")
    }


def file(*minors: int) -> bytes:
    return camt(CamtMessage.STATEMENT, *[paid(minor, "A") for minor in minors], number=sum(minors))


def test_good_and_bad_files(books: Books, tmp_path: Path) -> None:
    drop(books, tmp_path, "a.xml", file(100))
    drop(books, tmp_path, "b.xml", file(200)[:-40])
    drop(books, tmp_path, "c.xml", file(300))
    (tmp_path / "not a shop").mkdir()
    assert importer(books, tmp_path).look() == 3
    assert content_of(books, tmp_path) == {
        "inbox": [], "working": [], "done": ["a.xml", "c.xml"], "failed": ["b.xml", "b.xml.txt"],
    }  # fmt: skip
    reason = (tmp_path / str(books.shop.id) / "failed" / "b.xml.txt").read_text("utf-8")
    assert reason.startswith("line ")
    assert [row[1] for row in books.postings()] == [100, 300]


def test_a_file_whose_import_was_killed_is_taken_again(
    books: Books, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drop(books, tmp_path, "a.xml", file(100))
    watching = importer(books, tmp_path)
    with monkeypatch.context() as killing:
        killing.setattr(import_process, "work", jobs.be_killed_with)
        with structlog.testing.capture_logs():
            assert watching.look() == 0
    assert content_of(books, tmp_path)["failed"] == []
    assert watching.look() == 1
    assert content_of(books, tmp_path)["done"] == ["a.xml"]


def test_a_file_whose_import_is_killed_each_time_is_put_aside(
    books: Books, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drop(books, tmp_path, "a.xml", file(100))
    watching = importer(books, tmp_path)
    monkeypatch.setattr(import_process, "work", jobs.be_killed_with)
    with structlog.testing.capture_logs():
        assert [watching.look() for _ in range(INTERRUPTIONS)] == [0, 0, 1]
    assert content_of(books, tmp_path)["failed"] == ["a.xml", "a.xml.txt"]
    assert content_of(books, tmp_path)["inbox"] == []


def test_half_written_files_are_left_alone(books: Books, tmp_path: Path) -> None:
    for name, age in (("a.xml.part", 99), ("b.tmp", 99), (".hidden.xml", 99)):
        drop(books, tmp_path, name, file(100), age=age)
    drop(books, tmp_path, "growing.csv", TABLE, age=3)
    drop(books, tmp_path, "empty.xml", b"")
    (tmp_path / str(books.shop.id) / "inbox" / "link.xml").symlink_to("/etc/passwd")
    assert importer(books, tmp_path).look() == 0
    assert len(content_of(books, tmp_path)["inbox"]) == 6
    books.now += timedelta(seconds=8)
    assert importer(books, tmp_path).look() == 1
    assert "growing.csv" not in content_of(books, tmp_path)["inbox"]


def test_a_file_beside_the_inbox_is_told_of_once(books: Books, tmp_path: Path) -> None:
    watching = importer(books, tmp_path)
    watching.look()
    drop(books, tmp_path, "good.xml", file(1000))
    lost = tmp_path / str(books.shop.id) / "lost.xml"
    lost.write_bytes(file(500))
    with structlog.testing.capture_logs() as logs:
        assert [watching.look(), watching.look()] == [1, 0]
    assert [log["file"] for log in logs if "not taken" in log["event"]] == [str(lost)]
    assert lost.is_file()


def test_the_same_name_again_is_kept_beside_the_first(books: Books, tmp_path: Path) -> None:
    for minor in (100, 200):
        drop(books, tmp_path, "daily.xml", file(minor))
        importer(books, tmp_path).look()
    done = content_of(books, tmp_path)["done"]
    assert len(done) == 2
    assert {name[:5] for name in done} == {"daily"}


def test_a_folder_names_the_account(books: Books, tmp_path: Path) -> None:
    accounts.add(books.database, books.shop, OTHER, "", books.now)
    books.confirm_layout(TABLE, OTHER)
    drop(books, tmp_path, "x.csv", TABLE, folder=OTHER)
    importer(books, tmp_path).look()
    assert content_of(books, tmp_path)["done"] == ["x.csv"]
    assert books.rows("SELECT account FROM postings WHERE shop_id = $1") == [(OTHER,)]


def test_a_table_waits_for_an_answer_and_is_imported_once_it_is_given(books: Books, tmp_path: Path) -> None:
    def alerts() -> list[tuple[str, str]]:
        return [(row["kind"], row["subject"].rpartition(" ")[0]) for row in list_alerts(books.database, books.shop)]

    def asked() -> list[str]:
        return [path.name for path in (tmp_path / str(books.shop.id) / "asked").iterdir()]

    watching = importer(books, tmp_path)
    drop(books, tmp_path, "x.csv", TABLE)
    assert (watching.look(), watching.look()) == (1, 0)
    assert (asked(), books.postings()) == (["x.csv"], [])
    assert alerts() == [("table-question", "table")]
    books.confirm_layout(TABLE)
    watching.look()
    assert (content_of(books, tmp_path)["done"], asked()) == (["x.csv"], [])
    assert (len(books.postings()), alerts()) == (1, [])


def test_a_later_file_of_the_same_name_asks_again(books: Books, tmp_path: Path) -> None:
    """A person closed the alert about the first file; the next one is another question, the first one is not."""
    watching = importer(books, tmp_path)
    drop(books, tmp_path, "x.csv", TABLE)
    watching.look()
    (first,) = list_alerts(books.database, books.shop)
    resolve(books.database, books.shop, first["id"], books.now)
    assert importer(books, tmp_path).look() == 1  # a new process takes up what waits
    assert list_alerts(books.database, books.shop) == []
    drop(books, tmp_path, "x.csv", TABLE, age=30)
    watching.look()
    (second,) = list_alerts(books.database, books.shop)
    assert (second["kind"], second["text"]) == ("table-question", first["text"])
    books.confirm_layout(TABLE)
    watching.look()
    assert list_alerts(books.database, books.shop) == []


def test_a_list_of_orders_goes_to_failed_with_its_reason(books: Books, tmp_path: Path) -> None:
    drop(books, tmp_path, "orders.csv", b"Bestellnummer;Datum;Betrag;Name\nSO-1;10.03.2026;1,00;Eva\n")
    importer(books, tmp_path).look()
    assert content_of(books, tmp_path)["failed"] == ["orders.csv", "orders.csv.txt"]
    assert books.postings() == []


def test_two_workers_take_each_file_once(books: Books, tmp_path: Path) -> None:
    for number in range(12):
        drop(books, tmp_path, f"{number}.xml", file(100 + number))
    taken: list[int] = []
    workers = [threading.Thread(target=lambda: taken.append(importer(books, tmp_path).look())) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert sum(taken) == 12
    found = content_of(books, tmp_path)
    assert (len(found["done"]), found["failed"], found["working"], found["inbox"]) == (12, [], [], [])
    assert len(books.postings()) == 12


def test_what_a_dead_process_left_is_imported(books: Books, tmp_path: Path) -> None:
    drop(books, tmp_path, "a.xml", file(100))
    code = (
        "import os, sys; from pathlib import Path; from uuid import UUID\n"
        "from paymatch.outbound.drop_folder import drop_folder\n"
        "with drop_folder(Path(sys.argv[1]), UUID(sys.argv[2])) as folder:\n"
        "    with folder.taken(folder.waiting(float(sys.argv[3]))[0]): os.kill(os.getpid(), 9)"
    )
    command = [sys.executable, "-c", code, str(tmp_path), str(books.shop.id), str(books.now.timestamp())]
    died = subprocess.run(command, env=os.environ | {"PYTHONPATH": str(ROOT / "src")}, check=False)
    assert died.returncode == -9
    assert len(content_of(books, tmp_path)["working"]) == 1
    assert importer(books, tmp_path).look() == 1
    assert content_of(books, tmp_path)["done"] == ["a.xml"]
    assert [row[1] for row in books.postings()] == [100]


def test_a_file_that_is_held_is_not_taken(books: Books, tmp_path: Path) -> None:
    drop(books, tmp_path, "a.xml", file(100))
    with (
        drop_folder(tmp_path, books.shop.id) as folder,
        folder.taken(folder.waiting(books.now.timestamp())[0]) as held,
    ):
        assert held is not None
        assert importer(books, tmp_path).look() == 0
    assert importer(books, tmp_path).look() == 1


def test_folders_are_made_for_their_owner_only(books: Books, tmp_path: Path) -> None:
    (tmp_path / str(books.shop.id)).mkdir(mode=0o700)
    mask = os.umask(0)
    try:
        importer(books, tmp_path).look()
    finally:
        os.umask(mask)
    found = (tmp_path / str(books.shop.id)).iterdir()
    assert {path.name: path.stat().st_mode & 0o777 for path in found} == dict.fromkeys(
        ("inbox", "working", "done", "failed", "asked"), 0o700
    )


@pytest.mark.parametrize("name", ["", "inbox", "working", "done", "failed"])
def test_a_link_in_the_place_of_a_folder_is_refused(books: Books, tmp_path: Path, name: str) -> None:
    """Before, anyone with write access could have files moved, and reasons written, to the target of a link."""
    victim = tmp_path / "victim"
    victim.mkdir()
    watched = tmp_path / "drop"
    drop(books, watched, "a.xml", file(100)[:-40])
    place = watched / str(books.shop.id) / name
    if place.exists():
        place.rename(tmp_path / "moved")
        victim = tmp_path / "moved"
    before = sorted(victim.rglob("*"))
    place.symlink_to(victim)
    with structlog.testing.capture_logs() as logs:
        watching = importer(books, watched)
        assert [watching.look(), watching.look()] == [0, 0]
    assert [log["reason"] for log in logs] == [f"{place} is refused: it is a symbolic link"]  # once
    assert sorted(victim.rglob("*")) == before
    assert books.postings() == []


def test_a_link_on_the_way_to_the_folder_is_refused(books: Books, tmp_path: Path) -> None:
    drop(books, tmp_path / "real" / "drop", "a.xml", file(100))
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with structlog.testing.capture_logs() as logs:
        assert importer(books, tmp_path / "link" / "drop").look() == 0
    assert [log["reason"] for log in logs] == [f"{tmp_path / 'link'} is refused: it is a symbolic link"]
    assert importer(books, tmp_path / "real" / "drop").look() == 1


def test_a_folder_that_everybody_may_write_into_is_refused(books: Books, tmp_path: Path) -> None:
    drop(books, tmp_path, "a.xml", file(100))
    inbox = tmp_path / str(books.shop.id) / "inbox"
    inbox.chmod(0o777)
    with structlog.testing.capture_logs() as logs:
        assert importer(books, tmp_path).look() == 0
    assert [log["reason"] for log in logs] == [f"{inbox} is refused: it is world-writable (chmod o-w)"]
    inbox.chmod(0o770)
    assert importer(books, tmp_path).look() == 1


def test_links_to_folders_and_second_names_of_files_are_not_taken(books: Books, tmp_path: Path) -> None:
    """A second name of another user's file would show its contents in the reason of its refusal."""
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "x.csv").write_bytes(b"password")
    os.utime(secret / "x.csv", (0, 0))
    inbox = tmp_path / str(books.shop.id) / "inbox"
    inbox.mkdir(parents=True)
    (inbox / "DE0212").symlink_to(secret)
    os.link(secret / "x.csv", inbox / "y.csv")
    assert importer(books, tmp_path).look() == 0
    assert (secret / "x.csv").read_bytes() == b"password"


def test_a_file_that_is_exchanged_while_it_is_taken_is_not_imported(books: Books, tmp_path: Path) -> None:
    """The imported file is the one in done: a file that took the other's name waits for the next look."""
    drop(books, tmp_path, "a.xml", file(100))
    inbox = tmp_path / str(books.shop.id) / "inbox"
    with drop_folder(tmp_path, books.shop.id) as folder:
        (waiting,) = folder.waiting(books.now.timestamp())
        real = Folder.move

        def exchange(self: Folder, name: str, to: Folder, new_name: str) -> None:
            (inbox / "b").write_bytes(file(200))
            (inbox / "b").rename(inbox / name)
            real(self, name, to, new_name)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Folder, "move", exchange)
            with folder.taken(waiting) as held:
                assert held is None
    assert importer(books, tmp_path).look() == 1
    assert [row[1] for row in books.postings()] == [200]


ADVICE = b"Payer: Kurier Blitz GmbH\nOrder;Amount\nDF-1;100,00\nDF-2;50,00\nTotal;150,00\n"


def test_the_folder_advices_takes_remittance_advices_which_decide(books: Books, tmp_path: Path) -> None:
    books.order("DF-1", "100.00")
    books.order("DF-2", "50.00")
    books.bring(camt(CamtMessage.STATEMENT, paid(150_00, "collected", counterparty_name="Kurier Blitz GmbH")))
    match_due(books.database, books.shop, books.now)
    assert books.status("DF-1") == "UNPAID"
    drop(books, tmp_path, "advice.csv", ADVICE, folder="advices")
    drop(books, tmp_path, "torn.csv", ADVICE.replace(b"50,00", b"x"), folder="advices")
    assert importer(books, tmp_path).look() == 2
    assert (books.status("DF-1"), books.status("DF-2")) == ("PAID", "PAID")
    (advice,) = list_advices(books.database, books.shop)
    assert (advice["channel"], advice["state"], advice["file"]) == ("drop-folder", "matched", "advice.csv")
    there = content_of(books, tmp_path)
    assert (there["inbox"], there["done"], there["failed"]) == ([], ["advice.csv"], ["torn.csv", "torn.csv.txt"])
    assert "row 4" in (tmp_path / str(books.shop.id) / "failed" / "torn.csv.txt").read_text("utf-8")


def test_xml_is_taken_as_soon_as_its_last_tag_is_written(books: Books, tmp_path: Path) -> None:
    watcher, whole = importer(books, tmp_path), file(100)
    cut = whole.rstrip()[: -len(b"</Document>")]
    for content in (cut, whole[:200] + b"\0" * 50 + whole[250:]):  # growing; its end is there before its middle
        drop(books, tmp_path, "a.xml", content, age=0)
        assert watcher.look() == 0
    drop(books, tmp_path, "a.xml", whole, age=0)
    drop(books, tmp_path, "b.csv", TABLE, age=0)  # a table may always go on
    assert watcher.look() == 1
    assert content_of(books, tmp_path)["inbox"] == ["b.csv"]


def test_a_glance_asks_the_database_only_where_an_inbox_has_changed(
    books: Books, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watcher, asked = importer(books, tmp_path), list[str]()
    look_at = DropFolderImporter._shop

    def counted(self: DropFolderImporter, shop: ShopId) -> int:
        asked.append(str(shop))
        return look_at(self, shop)

    monkeypatch.setattr(DropFolderImporter, "_shop", counted)
    drop(books, tmp_path, "a.csv", TABLE, age=0)
    assert [watcher.glance() for _ in range(3)] == [0, 0, 0]
    assert len(asked) == 1
    drop(books, tmp_path, "b.xml", file(100), age=0)
    assert watcher.glance() == 1
    assert [watcher.glance() for _ in range(2)] == [0, 0]
    assert len(asked) == 2
