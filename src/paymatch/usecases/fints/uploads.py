"""Transfer files sent by FinTS, each once: their known state, and a person's decision (D-138)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from paymatch.domain.bank_feeds.fints import SendPhase
from paymatch.domain.bank_feeds.uploads import UploadEvent, UploadStatus, status_after
from paymatch.domain.money import EUR
from paymatch.domain.refunds.refunds import RefundRefused
from paymatch.domain.refusal import Unknown
from paymatch.domain.shops.audit import AuditAction
from paymatch.domain.shops.shop_jobs import ALERTS
from paymatch.domain.words.message import Message
from paymatch.outbound.fints.transfers import FintsOrder, FintsTransfer
from paymatch.store.bank_feeds import fints as store
from paymatch.store.bank_feeds.fints import FintsUpload
from paymatch.store.refunds import transfers
from paymatch.store.refunds.transfers import FileRow, TransferRow
from paymatch.store.statements import bank_connections
from paymatch.store.transactions import ShopTx
from paymatch.store.work import shop_jobs
from paymatch.usecases.audit import record
from paymatch.usecases.refunds.withdrawing import refuse_if_by_fints


def file_to_send(tx: ShopTx, name: str) -> FileRow:
    """The transfer file of this message id, if it may go by FinTS. RefundRefused."""
    file = next(iter(transfers.by_names(tx, [name])), None)
    if file is None or file.discarded_at is not None:
        raise RefundRefused(Message("fints-file-unknown", file=name))
    if file.ebics_connection:
        raise RefundRefused(Message("fints-file-ebics", file=name))
    if file.currency != EUR:
        raise RefundRefused(Message("fints-euro-only"))
    refuse_if_sent(tx, file)
    return file


def refuse_if_sent(tx: ShopTx, file: FileRow) -> None:
    """RefundRefused if the bank has the file by FinTS, may have it, or has reported on it."""
    refuse_if_by_fints(tx, file)
    answered = any(row.bank_status or row.debit_posting_id for row in transfers.of_files(tx, [file.id]))
    if answered or transfers.is_in_postings(tx, file):
        raise RefundRefused(Message("refund-transfer-file-reached-bank", message_id=file.message_id))


def upload_of(tx: ShopTx, file_id: str) -> FintsUpload | None:
    """The known state of a file sent by FinTS; None if it never was."""
    return store.upload(tx, file_id)


def transfers_file(tx: ShopTx, file_id: str) -> FileRow:
    """The file of an upload that was begun."""
    return next(each for each in transfers.files(tx) if each.id == file_id)


def order_of(tx: ShopTx, file: FileRow) -> FintsOrder:
    """The file as it is sent."""
    rows = transfers.of_files(tx, [file.id])
    return FintsOrder(
        file.account, file.payment_information_id, transfers.content(tx, file.id), file.version,
        tuple(FintsTransfer(row.end_to_end_id, row.iban, row.holder) for row in rows), file.total_minor, file.instant,
    )  # fmt: skip


def settle(tx: ShopTx, file_id: str, dialogue_id: str, event: UploadEvent, said: str) -> None:
    """Records how the dialogue ended for the file; a refusal after the bank may have acted leaves it uncertain."""
    found = store.upload(tx, file_id, lock=True)
    if found is None or found.dialogue_id != dialogue_id:
        return
    after = status_after(found.status, event)
    if after is not None:
        _move(tx, found, after, said)


def settle_lost(tx: ShopTx, file_id: str, dialogue_id: str) -> None:
    """The process that sent the file has ended: what was recorded before its last message decides."""
    found = store.upload(tx, file_id, lock=True)
    if found is None or found.dialogue_id != dialogue_id or found.status is not UploadStatus.OPEN:
        return
    settle(tx, file_id, dialogue_id, *end_without_answer(found.phase, Message("fints-lost")))


def end_without_answer(phase: SendPhase, why: str) -> tuple[UploadEvent, str]:
    """The status if the dialogue ends in this phase without the bank's answer on the order."""
    if phase is SendPhase.SENT:
        return UploadEvent.BROKE, Message("fints-uncertain")
    return UploadEvent.REFUSED, Message("fints-not-sent", why=why)


def decide(tx: ShopTx, name: str, *, is_there: bool) -> None:
    """Records what a person saw in the bank's list of transfers. RefundRefused unless the file is uncertain."""
    transfers.lock_runs(tx)
    file = next(iter(transfers.by_names(tx, [name])), None)
    found = store.upload(tx, file.id, lock=True) if file is not None else None
    if found is None or found.status is not UploadStatus.UNCERTAIN:
        raise RefundRefused(Message("fints-file-not-open", file=name))
    after = UploadStatus.ACCEPTED if is_there else UploadStatus.REFUSED
    store.set_upload(tx, found.file_id, after, found.said, tx.wall_time, tx.actor.name)
    shop_jobs.wake(tx, ALERTS, tx.now)
    details = {"file": name, "isThere": is_there}
    record(tx, tx.shop, AuditAction.FINTS_DECIDED, found.file_id, after=details)


def _move(tx: ShopTx, found: FintsUpload, after: UploadStatus, said: str) -> None:
    store.set_upload(tx, found.file_id, after, said, tx.wall_time)
    shop_jobs.wake(tx, ALERTS, tx.now)
    details = {"file": found.message_id, "status": str(after)}
    record(tx, tx.shop, AuditAction.FINTS_ENDED, found.file_id, after=details)


class FileUnknown(Unknown):
    """The shop has no transfer file of this name."""


@dataclass(frozen=True, slots=True)
class ShownFile:
    """A transfer file with its payments. `sendable`: it may go by FinTS now."""

    file: FileRow
    rows: Sequence[TransferRow]
    content: bytes
    upload: FintsUpload | None
    sendable: bool


def file_view(tx: ShopTx, name: str) -> ShownFile:
    """The file of this message id. FileUnknown."""
    file = next(iter(transfers.by_names(tx, [name])), None)
    if file is None:
        raise FileUnknown(Message("fints-file-unknown", file=name))
    has_connection = any(row.account == file.account for row in bank_connections.connections(tx))
    try:
        file_to_send(tx, name)
    except RefundRefused:
        has_connection = False
    rows = transfers.of_files(tx, [file.id])
    return ShownFile(file, rows, transfers.content(tx, file.id), store.upload(tx, file.id), has_connection)
