"""Payments that announcements tie together over more days than a window is wide at first."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from random import Random
from typing import Any

import pytest

from paymatch.domain.money import EUR
from paymatch.domain.postings import Posting
from paymatch.domain.shops.shop import Shop
from paymatch.domain.statement_channels import StatementChannel
from paymatch.formats.camt.writer import CamtMessage
from paymatch.store.database import Database
from paymatch.store.statements.posting_documents import opened_facts
from paymatch.usecases.shops import shops
from paymatch.usecases.statements.booking.booking import MARGIN
from paymatch.usecases.statements.booking.scratch import LOT_SIZE
from paymatch.usecases.statements.import_report import ImportReport
from paymatch.usecases.statements.imports import undo_import
from paymatch.usecases.statements.statements import import_file
from paymatch.usecases.work.check import check_shop
from tests.domain.books.shown import Postings, books_of, entries_of
from tests.keys import KEYRING
from tests.usecases.statements.bank_world import ACCOUNT, FIRST, NOW, Line, World, announcement, camt

DAYS = 5 * MARGIN.days
PART = DAYS // 3


@pytest.fixture(scope="module")
def database(module_url: str) -> Iterator[Database]:
    found = Database(module_url, size=4, keyring=KEYRING)
    yield found
    found.close()


def files_of(chance: Random) -> list[bytes]:
    """One customer pays one sum again and again; final statements and announcements name about every second day."""
    payment = Posting(ACCOUNT, EUR, 1990, FIRST, value_date=FIRST, remittance_lines=("Abo",), counterparty_name="Anna")
    found = []
    for begin in range(0, DAYS, PART):
        kinds: dict[CamtMessage | None, list[Line]] = {None: [], CamtMessage.NOTIFICATION: [], CamtMessage.INTRADAY: []}
        for place in range(begin, begin + PART):
            day = FIRST + timedelta(place)
            for lines in kinds.values():
                if chance.random() < 0.5:
                    lines.append(Line((replace(payment, booking_date=day, value_date=day),), day))
        world = World(0, 0, DAYS)
        world.lines = kinds.pop(None)
        found.append(camt(world, begin, begin + PART - 1))
        found += [announcement(world, message, lines) for message, lines in kinds.items() if message is not None]
    return found


def bring(database: Database, shop: Shop, content: bytes, lot_size: int) -> ImportReport:
    way = StatementChannel.COMMAND_LINE
    return import_file(
        database, shop, io.BytesIO(content), "file", NOW + timedelta(DAYS), channel=way, lot_size=lot_size
    )


def books(database: Database, shop: Shop) -> Postings:
    """The postings as they are stored, said as `books_of` says them."""
    with database.of_shop(shop) as tx:
        rows = tx.rows("SELECT facts, source, format FROM postings WHERE shop_id = $1", shop.id)
        vault = tx.vault()
    return Counter((repr(opened_facts(row.facts, vault)), row.source, row.format) for row in rows)


def in_one_piece(files: Sequence[bytes]) -> Counter[Any]:
    return books_of(entries_of(content, str(place)) for place, content in enumerate(files))


@pytest.mark.parametrize(("seed", "lot_size"), [(1, 3), (2, LOT_SIZE)])
def test_a_chain_of_announcements_is_folded_as_one_piece(database: Database, seed: int, lot_size: int) -> None:
    """Whatever comes last, in the middle or at an edge: its window grows to the group, and undoing it does as well."""
    chance = Random(seed)
    files = files_of(chance)
    shop = shops.create(database, "Chain", NOW - timedelta(days=90), ibans=[ACCOUNT]).shop
    first, *others = chance.sample(files, len(files))
    undone = bring(database, shop, first, lot_size)
    reports = [bring(database, shop, content, lot_size) for content in others]
    lines = sum(len(entries_of(content, "")) for content in files)
    assert reports[-1].folded > lines, "all lines were read, and some of them again"
    assert books(database, shop) == in_one_piece(files)
    undo_import(database, shop, undone.import_id, NOW, lot_size)
    assert books(database, shop) == in_one_piece(others)
    bring(database, shop, first, lot_size)
    assert books(database, shop) == in_one_piece(files)
    assert check_shop(database, shop) == []
