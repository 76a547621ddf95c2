"""Transfer files that were never sent: discarded by a person, and never once the bank knows of them (D-31)."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from paymatch.domain.refunds.refunds import HoldReason, RefundRefused
from paymatch.store.refunds import transfers
from paymatch.usecases.refunds import transfer_files
from paymatch.usecases.refunds.transfer_files import DiscardedFile, WrittenFile, write_out
from tests.usecases.refunds.refund_world import RefundWorld, status_report, texts
from tests.waiting import wait_until

LOCK_WAITS = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND $1::uuid IS NOT NULL"


def sent(world: RefundWorld, folder: Path) -> tuple[str, str]:
    """(refund, name of its transfer file), which lies in the folder."""
    world.paid("SO-85001")
    refund = world.file("SO-85001", 40)
    world.pass_days(1)
    world.run()
    (written,) = write_out(world.database, world.client.shop, folder, world.clock.now)
    return refund, written.path.name


def discard(world: RefundWorld, name: str, folder: Path) -> DiscardedFile:
    return transfer_files.discard(world.database, world.client.shop, name, folder, world.clock.now)


def test_discarded_file_is_gone_and_its_refund_goes_out_once_more(world: RefundWorld, tmp_path: Path) -> None:
    refund, name = sent(world, tmp_path / "out")
    first = world.end_to_end(refund)
    found = discard(world, name, tmp_path / "out")
    assert (found.refund_ids, found.was_in_folder) == ((refund,), True)
    assert list((tmp_path / "out").iterdir()) == []
    assert world.status(refund) == "NEW"
    world.check()
    assert write_out(world.database, world.client.shop, tmp_path / "out", world.clock.now, missing_too=True) == []
    assert [each.reason for each in world.run().held] == [HoldReason.SECOND_ATTEMPT]
    world.release(refund)
    (file,) = world.run().files
    assert file.total_minor == 4000
    assert texts(world.contents()[1], "EndToEndId") == [f"{first}-2"]
    world.check()


def test_file_is_discarded_once(world: RefundWorld, tmp_path: Path) -> None:
    _, name = sent(world, tmp_path)
    discard(world, name, tmp_path)
    with pytest.raises(RefundRefused, match="was already discarded"), world.client.unchanged():
        discard(world, name, tmp_path)
    with pytest.raises(RefundRefused, match=r"^There is no transfer file 'PMX'$"):
        discard(world, "PMX", tmp_path)


def test_what_a_hard_stop_left_of_a_discarded_file_is_removed_before_another_is_written(
    world: RefundWorld, tmp_path: Path
) -> None:
    """Discarding commits, then removes the file: between the two the process may die."""
    refund, name = sent(world, tmp_path)
    content = (tmp_path / name).read_bytes()
    discard(world, name, tmp_path)
    (tmp_path / name).write_bytes(content)
    (tmp_path / "of-another-program.xml").write_bytes(b"<x/>")
    world.release(refund)
    world.run()
    (written,) = write_out(world.database, world.client.shop, tmp_path, world.clock.now)
    assert sorted(path.name for path in tmp_path.glob("*.xml")) == sorted([written.path.name, "of-another-program.xml"])
    assert texts(written.path.read_bytes(), "EndToEndId") == [world.end_to_end(refund)]


@pytest.mark.parametrize("way", ["discard", "download"])
def test_a_file_that_leaves_another_way_at_this_moment_is_put_into_no_folder(
    world: RefundWorld, tmp_path: Path, way: str
) -> None:
    """Writing waits for what is decided about the file, and sees it: it may not read first and put afterwards."""
    world.paid("SO-85001")
    refund = world.file("SO-85001", 40)
    world.pass_days(1)
    world.run()
    [(name,)] = world.client.rows("SELECT message_id FROM transfer_files WHERE shop_id = $1")
    found: list[list[WrittenFile]] = []
    shop, now = world.client.shop, world.clock.now
    with world.database.of_shop(shop, at=now) as tx:
        transfers.lock_runs(tx)
        writing = threading.Thread(target=lambda: found.append(write_out(world.database, shop, tmp_path, now)))
        writing.start()
        wait_until(lambda: world.client.rows(LOCK_WAITS))
        if way == "download":
            transfer_files.download(tx, name)
        else:
            transfers.set_discarded(tx, transfers.by_names(tx, [name])[0].id, now)
    writing.join()
    assert (found, list(tmp_path.glob("*.xml"))) == ([[]], [])
    assert world.status(refund) == "IN_PROCESS"


@pytest.mark.parametrize("answer", ["debit", "report", "accepted"])
def test_file_that_the_bank_knows_is_not_discarded(world: RefundWorld, tmp_path: Path, answer: str) -> None:
    refund, name = sent(world, tmp_path)
    if answer == "debit":
        world.debit(4000, world.end_to_end(refund))
    else:
        status = "RJCT" if answer == "report" else "ACCP"
        world.report(status_report(world.contents()[0], (world.end_to_end(refund), status, "")))
    before = world.status(refund)
    with pytest.raises(RefundRefused, match="has reached the bank"), world.client.unchanged():
        discard(world, name, tmp_path)
    assert (world.status(refund), (tmp_path / name).exists()) == (before, True)


def test_debit_of_another_amount_keeps_the_file_too(world: RefundWorld, tmp_path: Path) -> None:
    refund, name = sent(world, tmp_path)
    world.debit(3999, world.end_to_end(refund))
    with pytest.raises(RefundRefused, match="has reached the bank"):
        discard(world, name, tmp_path)


def test_debit_that_comes_after_all_holds_the_refund_and_tells_a_person(world: RefundWorld, tmp_path: Path) -> None:
    refund, name = sent(world, tmp_path)
    first = world.end_to_end(refund)
    discard(world, name, tmp_path)
    world.debit(4000, first)
    run = world.run()
    assert (run.files, len(run.held)) == ((), 1)
    rows = world.client.rows("SELECT kind FROM alerts WHERE shop_id = $1 AND resolved_at IS NULL ORDER BY kind")
    assert ("refund-unexpected",) in rows
    assert len(world.contents()) == 1


def test_discarded_transfers_leave_the_limit_of_the_day(world: RefundWorld, tmp_path: Path) -> None:
    world.client.run("UPDATE shops SET refund_day_limit_minor = 4000 WHERE shop_id = $1")
    refund, name = sent(world, tmp_path)
    discard(world, name, tmp_path)
    world.paid("SO-84110")
    other = world.file("SO-84110", 40, plannedDate="04-03-2026")
    world.pass_days(1)
    assert [each.reason for each in world.run().held] == [HoldReason.SECOND_ATTEMPT]
    assert world.status(other) == "IN_PROCESS"
    world.release(refund)
    assert world.run().held == ()
    assert world.status(refund) == "IN_PROCESS"
