"""kill -9 at every boundary of what leaves beside mail: nothing goes out under two names, and nothing is missing."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from email import message_from_bytes
from pathlib import Path
from typing import Any

import pytest

from paymatch.store.database import Database
from paymatch.store.transactions import ShopId
from paymatch.usecases.letters.writing import LetterGateways, work_due
from paymatch.usecases.work.check import check_shop
from tests.hard_stop import KILLED, boundaries, drive
from tests.keys import KEYRING
from tests.scenarios.post_drive import main
from tests.usecases.collection.handover_world import overdue
from tests.usecases.customers.test_refund_requests import Asking
from tests.usecases.letters.test_letters import ADDRESS
from tests.usecases.reminders.mail_world import MailWorld, new_world

Names = Counter[tuple[str, ...]]
"""What went out: (name under which the other side knows it, what it is about), and how often it was handed out."""


@pytest.fixture
def database(migrated_url: str) -> Iterator[Database]:
    opened = Database(migrated_url, size=3, keyring=KEYRING)
    yield opened
    opened.close()


def letters(database: Database, _: Path) -> MailWorld:
    """An order to be reminded of by letter; the first invoice of another is about to be uploaded."""
    world = new_world(database, letters="on", letters_by="provider")
    world.plan(levels="7:2.50", letters_from="1")
    world.order("A-1", billing=ADDRESS)
    world.order("A-2", billing=ADDRESS, dueDate="30-04-2026")
    world.statement(date(2026, 3, 13))
    world.go_to("2026-03-16 09:00")
    return world


def printed(database: Database, folder: Path) -> MailWorld:
    """Two written letters that wait for the printer."""
    world = letters(database, folder)
    world.set(letters_by="printer")
    world.order("A-2", billing=ADDRESS, dueDate="09-03-2026")
    world.send()
    while work_due(world.database, world.shop, LetterGateways(), world.now):
        pass
    return world


def handover(database: Database, _: Path) -> MailWorld:
    """Two orders that the agency is due to get."""
    return overdue(database, ["A-1", "A-2"])


def asking(database: Database, folder: Path) -> MailWorld:
    """A refund without bank details."""
    world = Asking(database, folder.parent / f"{folder.name}-refunds")
    world.cod("A-1")
    return MailWorld(database, ShopId(world.client.id), world.clock.now)


def of_letters(world: MailWorld, folder: Path) -> Names:
    about = dict(world.rows("SELECT id, order_number || ' ' || kind FROM letters WHERE shop_id = $1"))
    ids = [path.stem.partition("-")[2] for path in folder.glob("*.pdf")]
    return Counter((each, about[each]) for each in ids)


def of_runs(_: MailWorld, folder: Path) -> Names:
    """Each complete run names its letters once."""
    found: Names = Counter()
    for path in folder.glob("run_*.pdf"):
        lines = csv.DictReader(io.StringIO(path.with_suffix(".csv").read_bytes().decode("utf-8-sig")))
        found.update((line["letter"], line["order"]) for line in lines)
    return found


def of_parcels(world: MailWorld, folder: Path) -> Names:
    found: Names = Counter()
    for path in (folder / str(world.id) / "out").glob("*.zip"):
        with zipfile.ZipFile(path) as bundle:
            found[path.name, json.loads(bundle.read("message.json"))["orderNumber"]] += 1
    return found


def of_mails(_: MailWorld, folder: Path) -> Names:
    found = [message_from_bytes(path.read_bytes()) for path in folder.iterdir()]
    return Counter((str(each["Message-ID"]), str(each["To"])) for each in found)


Shop = Callable[[Database, Path], MailWorld]
Out = Callable[[MailWorld, Path], Names]


@pytest.mark.parametrize(
    ("what", "shop", "out", "about"),
    [
        ("letters", letters, of_letters, ["A-1 REMINDER", "A-2 INVOICE"]),
        ("print", printed, of_runs, ["A-1", "A-2"]),
        ("agency", handover, of_parcels, ["A-1", "A-2"]),
        ("bank details", asking, of_mails, ["Muster <erika@example.com>"]),
    ],
)
def test_every_boundary(
    migrated_url: str, database: Database, tmp_path: Path, what: str, shop: Shop, out: Out, about: list[str]
) -> None:
    for boundary in boundaries(3):
        folder = tmp_path / f"{what[:4]}-{boundary}"
        folder.mkdir()
        world = shop(database, folder)
        code = drive(main, migrated_url, str(world.id), folder, what, world.now, stop_at=boundary)
        assert code in (0, KILLED), f"boundary {boundary}: exit code {code}"
        stopped = code == KILLED
        later = world.now + timedelta(minutes=11)  # what the killed process had claimed is free again
        main(migrated_url, str(world.id), folder, what, later)  # here: a new process knows no more, and starts slowly
        found = out(world, folder)
        assert sorted(each[-1] for each in found) == about, f"boundary {boundary}: {found}"
        assert max(found.values()) <= 2, f"boundary {boundary}: {found}"
        assert of_callbacks_apart(world) == [], f"boundary {boundary}"
        if not stopped:
            break
    assert boundary >= 4, "claiming, deciding, handing out and recording have their boundaries"


def of_callbacks_apart(world: MailWorld) -> list[Any]:
    return [each for each in check_shop(world.database, world.shop) if each.rule.split()[0] != "callback"]
