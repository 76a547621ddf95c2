"""A handover that dies at any transaction boundary: no order is left out, none goes to the agency twice (D-54)."""

from __future__ import annotations

import json
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from paymatch.store.database import Database
from paymatch.usecases.collection.cases import hand_over_due
from paymatch.usecases.collection.exchange import AgencyGateways, tell_agency
from paymatch.usecases.work.check import check_shop
from tests.keys import KEYRING
from tests.usecases.collection.handover_world import overdue
from tests.usecases.letters.test_letter_stops import Stopped, stop_at
from tests.usecases.reminders.mail_world import MailWorld

NUMBERS = ["A-1001", "A-1002"]


@pytest.fixture(scope="module")
def database(module_url: str) -> Iterator[Database]:
    opened = Database(module_url, size=2, keyring=KEYRING)
    yield opened
    opened.close()


def work(world: MailWorld, folder: Path) -> None:
    hand_over_due(world.database, world.shop, world.now)
    tell_agency(world.database, world.shop, AgencyGateways(folder), world.now)


def parcels(world: MailWorld, folder: Path) -> list[tuple[str, str]]:
    """(name, order) of all that lies in the agency's folder."""
    found = []
    for path in sorted((folder / str(world.id) / "out").glob("*.zip")):
        with zipfile.ZipFile(path) as bundle:
            found.append((path.name, json.loads(bundle.read("message.json"))["orderNumber"]))
    return found


def test_every_boundary(database: Database, tmp_path: Path) -> None:
    boundary, stopped = 0, True
    while stopped:
        boundary, stopped = boundary + 1, False
        world = overdue(database, NUMBERS)
        database.at_boundary = stop_at(boundary)
        try:
            work(world, tmp_path)
        except Stopped:
            stopped = True
        finally:
            database.at_boundary = None
        before = parcels(world, tmp_path)
        work(world, tmp_path)
        after = parcels(world, tmp_path)
        assert set(before) <= set(after), f"boundary {boundary}: a parcel is repeated under its own name"
        assert Counter(order for _, order in after) == Counter(NUMBERS), f"boundary {boundary}"
        assert world.rows("SELECT number, status FROM orders WHERE shop_id = $1 ORDER BY 1") == [
            (number, "COLLECTION") for number in NUMBERS
        ]
        assert check_shop(database, world.shop) == []
    assert boundary > 6, "looking, handing over, writing and recording have their boundaries"
