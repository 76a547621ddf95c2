"""Transfer files on their way out of the database into a folder (D-31)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from paymatch.domain.bank_feeds.uploads import NEVER_SENT
from paymatch.domain.refunds.refunds import REFUND_LIFECYCLE, RefundEvent, RefundRefused, RefundStatus
from paymatch.domain.refunds.transfers import TRANSFER_LIFECYCLE, TransferEvent, TransferStatus
from paymatch.domain.shops.audit import AuditAction
from paymatch.domain.shops.shop import Shop
from paymatch.domain.words.message import Message
from paymatch.outbound import transfer_folder
from paymatch.store.database import Database
from paymatch.store.orders import orders as order_store
from paymatch.store.refunds import refunds, transfers
from paymatch.store.refunds.refunds import RefundRow
from paymatch.store.refunds.transfers import FileRow, TransferRow
from paymatch.store.transactions import ShopTx
from paymatch.usecases.audit import record
from paymatch.usecases.refunds.withdrawing import fints_uploads, is_by_fints, refuse_if_by_fints, withdraw_upload

FILE_LOCK_SECONDS = 60
"""How long a file on its way waits for a run of the same shop, or for calls on the orders."""


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """A transfer file and its place."""

    file: FileRow
    path: Path


def write_out(
    database: Database, shop: Shop, folder: Path, clock: datetime, *, missing_too: bool = False
) -> list[WrittenFile]:
    """Writes the files that no folder has received yet, including those left behind by a hard stop. OSError.

    A file that was written once is not written again automatically: a person may have taken it to the bank, and would
    take it there twice. `missing_too` writes every missing file of the shop again. A file is put into the folder while
    its way is locked, so nothing discards it or takes it to the bank by another way at this moment. What a hard stop
    has left there of files that were discarded, or that go another way, is removed first.
    """
    now = shop.now(clock)
    with database.of_shop(shop, FILE_LOCK_SECONDS, at=clock) as tx:
        transfers.lock_runs(tx)
        _remove_what_goes_elsewhere(tx, folder)
        waiting = transfers.files(tx, unwritten_only=not missing_too)
    written: list[WrittenFile] = []
    for file in waiting:
        with database.of_shop(shop, FILE_LOCK_SECONDS, at=clock) as tx:
            transfers.lock_runs(tx)
            path = _put(tx, file.id, folder, now, missing_too=missing_too)
        if path is not None:
            written.append(WrittenFile(file, path))
    return written


def _put(tx: ShopTx, file_id: str, folder: Path, now: datetime, *, missing_too: bool) -> Path | None:
    """The place of the file in the folder; None if it is there, was taken elsewhere, or was discarded."""
    [file] = transfers.by_ids(tx, [file_id])
    name = f"{file.message_id}.xml"
    is_written = file.written_at is not None and (not missing_too or (folder / name).exists())
    if is_written or file.discarded_at is not None or file.ebics_connection or is_by_fints(tx, file):
        return None
    path = transfer_folder.put(folder, name, transfers.content(tx, file.id))
    transfers.set_written(tx, file.id, now)
    return path


def _remove_what_goes_elsewhere(tx: ShopTx, folder: Path) -> None:
    found = transfers.by_names(tx, [path.stem for path in folder.glob("*.xml")])
    by_fints = {
        id_ for id_, each in fints_uploads(tx, [file.id for file in found]).items() if each.status not in NEVER_SENT
    }
    for file in found:
        if file.discarded_at is not None or file.ebics_connection or file.id in by_fints:
            transfer_folder.remove(folder, f"{file.message_id}.xml")


def download(tx: ShopTx, name: str) -> bytes:
    """The content of a transfer file for a person who takes it to the bank; later no folder gets it automatically.

    RefundRefused if there is none with this message id, or it was discarded.
    """
    transfers.lock_runs(tx)
    file = next(iter(transfers.by_names(tx, [name])), None)
    if file is not None and file.ebics_connection:
        raise RefundRefused(Message("file-goes-by-ebics", file=file.message_id))
    if file is not None:
        refuse_if_by_fints(tx, file)
    if file is None or not transfers.set_written(tx, file.id, tx.now):
        raise RefundRefused(Message("refund-no-transfer-file-could", name=repr(name)))
    record(tx, tx.shop, AuditAction.TRANSFER_FILE_DOWNLOADED, file.id, after={"file": file.message_id})
    return transfers.content(tx, file.id)


@dataclass(frozen=True, slots=True)
class DiscardedFile:
    """A discarded transfer file, whether it was in the folder, and the refunds that are NEW again."""

    file: FileRow
    was_in_folder: bool
    refund_ids: tuple[str, ...]


def discard(database: Database, shop: Shop, name: str, folder: Path, clock: datetime) -> DiscardedFile:
    """Discards a transfer file that was never sent, as a person says: its refunds are NEW again, as a new attempt.

    `name`: its message id or its name in the folder, from which it is removed. RefundRefused if there is none, it was
    discarded before, or the bank has reported or booked any of it. LockNotAcquired; OSError.
    """
    now = shop.now(clock)
    with database.of_shop(shop, FILE_LOCK_SECONDS, at=clock) as tx:
        transfers.lock_runs(tx)
        file = next(iter(transfers.by_names(tx, [name.removesuffix(".xml")])), None)
        if file is None:
            raise RefundRefused(Message("refund-no-transfer-file", name=repr(name)))
        ids = sorted({row.refund_id for row in transfers.of_files(tx, [file.id])})
        order_store.lock(tx, refunds.orders_of(tx, (), ids))
        held = {refund.id: refund for refund in refunds.lock_named(tx, (), ids)}
        rows = transfers.of_files(tx, [file.id])
        _check_unsent(tx, file, rows, held)
        withdraw_upload(tx, file.id, file.message_id)
        for row in rows:
            _take_out(tx, row, held[row.refund_id], now)
        transfers.set_discarded(tx, file.id, now)
        record(tx, shop, AuditAction.TRANSFER_FILE_DISCARDED, file.id, after={"refunds": ids})
    return DiscardedFile(file, transfer_folder.remove(folder, f"{file.message_id}.xml"), tuple(ids))


def _check_unsent(tx: ShopTx, file: FileRow, rows: Sequence[TransferRow], held: Mapping[str, RefundRow]) -> None:
    """RefundRefused if anything shows that the file has reached the bank."""
    if file.discarded_at is not None:
        raise RefundRefused(Message("refund-transfer-file-was-already", message_id=file.message_id))
    refuse_if_by_fints(tx, file)
    answered = any(row.status is not TransferStatus.RELEASED or row.bank_status for row in rows)
    moved_on = any(held[row.refund_id].status is not RefundStatus.IN_PROCESS for row in rows)
    if answered or moved_on or transfers.is_in_postings(tx, file):
        raise RefundRefused(Message("refund-transfer-file-reached-bank", message_id=file.message_id))


def _take_out(tx: ShopTx, row: TransferRow, refund: RefundRow, now: datetime) -> None:
    after = TRANSFER_LIFECYCLE.move(row.status, TransferEvent.FILE_DISCARDED)
    transfers.answer(tx, row.end_to_end_id, after)
    refunds.begin_attempt(tx, refund.id, now)
    refunds.move(tx, refund.id, REFUND_LIFECYCLE.move(refund.status, RefundEvent.FILE_DISCARDED), now)
