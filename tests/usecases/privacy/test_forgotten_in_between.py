"""People are erased between imports, in any order: no payment is booked twice and none is lost (D-63)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from paymatch.domain.privacy.person import PersonRefused, sought
from paymatch.outbound.files import DirectoryFiles
from paymatch.store.database import Database
from paymatch.usecases.privacy import erasing
from paymatch.usecases.privacy.files import Folders
from paymatch.usecases.work.check import check_shop
from tests.keys import KEYRING
from tests.usecases.statements.bank_world import NOW, World, downloads, table
from tests.usecases.statements.test_booking_in_any_order import bring, new_shop, sums, sums_of

SOAK = os.environ.get("HYPOTHESIS_PROFILE") == "soak"
PEOPLE = ("Jürgen Groß", "Anna Müller", "Søren Łukasz", "Max Weiß")


@pytest.fixture(scope="module")
def database(module_url: str) -> Iterator[Database]:
    found = Database(module_url, size=4, keyring=KEYRING)
    yield found
    found.close()


@pytest.mark.parametrize("seed", range(40 if SOAK else 4))
def test_books_are_the_same(database: Database, tmp_path: Path, seed: int) -> None:
    chance = Random(seed)
    world = World(seed, 20, days=4, references=chance.choice([0.0, 0.6, 1.0]), batches=0.2, twins=0.3, shifted=0.1)
    files = [*downloads(world), table(world, 0, world.days - 1)]
    chance.shuffle(files)
    shop, half = new_shop(database, world), len(files) // 2
    bring(database, shop, files[:half])
    for name in chance.sample(PEOPLE, 2):
        try:
            erasing.erase(database, shop, sought(name=name), DirectoryFiles(tmp_path), Folders(()), NOW,
                          although_open=True)  # fmt: skip
        except PersonRefused:
            continue  # nobody of this name has paid yet
    bring(database, shop, [*files[half:], *chance.sample(files, 2)])
    assert sums_of(database, shop) == sums(world)
    assert check_shop(database, shop) == []
