"""Statements about our own refunds: several messages of one transfer act once, and are taken back with care."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from paymatch.domain.orders.split import AssignmentRefused
from paymatch.formats.camt.writer import WrittenEntry
from paymatch.store.database import Database
from paymatch.usecases.statements.imports import undo_import
from tests.keys import KEYRING
from tests.usecases.refunds.refund_world import RefundWorld, texts


@pytest.fixture
def world(migrated_url: str, tmp_path: Path) -> Iterator[RefundWorld]:
    database = Database(migrated_url, size=2, keyring=KEYRING)
    yield RefundWorld(database, tmp_path)
    database.close()


def test_a_transfer_in_two_formats_executes_once_and_its_import_stays(world: RefundWorld) -> None:
    world.paid("SO-471101")
    refund = world.file("SO-471101", 40)
    world.pass_days(1)
    world.run()
    first = world.debit(4000, world.end_to_end(refund))
    own = world.posting(-4000, end_to_end_id=world.end_to_end(refund), counterparty_name="Eva Muster")
    second = world.camt(WrittenEntry((own,)))
    assert (first.new, second.new, second.known) == (1, 0, 1)
    assert (world.status(refund), world.client.status("SO-471101")) == ("PROCESSED", "REFUNDED_PARTIAL")
    undo_import(world.database, world.client.shop, first.import_id, world.clock.now)
    assert world.status(refund) == "PROCESSED"
    undo_import(world.database, world.client.shop, second.import_id, world.clock.now)
    assert (world.status(refund), world.client.status("SO-471101")) == ("IN_PROCESS", "PAID")
    world.check()


def test_details_of_a_batch_that_executed_refunds_take_its_place(world: RefundWorld) -> None:
    ids = []
    for number, amount in (("SO-471101", 40), ("SO-471102", 30)):
        world.paid(number)
        ids.append(world.file(number, amount))
    world.pass_days(1)
    world.run()
    batch = texts(world.contents()[0], "PmtInf/PmtInfId")[0]
    whole = world.posting(-7000, batch_id=batch, bank_reference="B1")
    assert world.camt(WrittenEntry((whole,))).new == 1
    assert [world.status(each) for each in ids] == ["PROCESSED", "PROCESSED"]
    parts = tuple(
        replace(world.posting(-minor, end_to_end_id=world.end_to_end(each), batch_id=batch, entry_reference="B1"),
                detail_index=place, bank_reference="B1", batch_size=2)
        for place, (each, minor) in enumerate(zip(ids, (4000, 3000), strict=True))
    )  # fmt: skip
    report = world.camt(WrittenEntry(parts, bank_reference="B1"))
    assert (report.new, report.known) == (0, 2)
    assert [world.status(each) for each in ids] == ["PROCESSED", "PROCESSED"]
    world.check()


def test_a_refund_that_came_back_is_the_refunds(world: RefundWorld) -> None:
    world.paid("SO-471101")
    refund = world.file("SO-471101", 40)
    world.pass_days(1)
    world.run()
    world.debit(4000, world.end_to_end(refund))
    world.pass_days(1)
    back = world.give_back(4000, world.end_to_end(refund))
    assert back.new == 1
    assert (world.status(refund), world.client.status("SO-471101")) == ("RETURNED", "PAID")
    undo_import(world.database, world.client.shop, back.import_id, world.clock.now)
    assert (world.status(refund), world.client.status("SO-471101")) == ("PROCESSED", "REFUNDED_PARTIAL")
    world.check()


def test_a_debit_that_alone_tells_of_a_refund_is_not_undone(world: RefundWorld) -> None:
    world.paid("SO-471101")
    refund = world.file("SO-471101", 40)
    reference = world.refund(refund)["referenceNumber"]
    report = world.debit(4000, reference)
    assert world.status(refund) == "PROCESSED"
    with pytest.raises(AssignmentRefused, match="executed refunds outside our transfer files"):
        undo_import(world.database, world.client.shop, report.import_id, world.clock.now)
    assert world.status(refund) == "PROCESSED"
    world.check()
