"""The channel of a transfer file, and withdrawing it while the bank certainly does not have it (D-104, D-138)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from paymatch.domain.bank_feeds.uploads import NEVER_SENT, UploadEvent, UploadStatus, status_after
from paymatch.domain.calendar import plus_bank_days
from paymatch.domain.refunds.refunds import RefundRefused
from paymatch.domain.shops.audit import AuditAction
from paymatch.domain.shops.shop import Shop
from paymatch.domain.words.message import Message
from paymatch.store.bank_feeds import fints, uploads
from paymatch.store.bank_feeds.fints import FintsUpload
from paymatch.store.bank_feeds.uploads import UploadRow
from paymatch.store.refunds import transfers
from paymatch.store.refunds.transfers import FileRow
from paymatch.store.transactions import ShopTx
from paymatch.usecases.audit import record

WORD_WITHIN_BANK_DAYS: Final = 2
"""The time after which a bank's protocol names each order that it has."""

_MAY_BE_THERE: Final = frozenset({"SENT", "ACCEPTED"})  # phases of the client


def withdraw_upload(tx: ShopTx, file_id: str, message_id: str) -> None:
    """Withdraws the file from EBICS. RefundRefused if the bank has it, or may have it.

    The upload's row is locked: an upload in progress notices the withdrawal before its next message.
    """
    now = tx.now
    found = uploads.upload(tx, file_id, lock=True)
    if found is not None and found.status is not UploadStatus.WITHDRAWN:
        after = status_after(found.status, UploadEvent.WITHDRAWN)
        if after is None or _may_be_at_bank(found, tx.shop, tx.wall_time):
            raise RefundRefused(Message("file-is-at-bank", file=message_id))
        uploads.set_status(tx, file_id, after, now)


def _may_be_at_bank(row: UploadRow, shop: Shop, clock: datetime) -> bool:
    """Whether only the bank knows the status of the upload; after days of silence a person may decide."""
    if row.status is UploadStatus.OPEN:
        return row.phase in _MAY_BE_THERE
    if row.status is not UploadStatus.UNCERTAIN:
        return False
    if row.sent_at is None or row.protocol_at is None:
        return True
    silent_since = plus_bank_days(row.sent_at.date(), WORD_WITHIN_BANK_DAYS)
    return shop.today(clock) <= silent_since or row.protocol_at < row.sent_at + timedelta(days=1)


def hand_out(tx: ShopTx, name: str) -> None:
    """Returns the file from EBICS to the folder and to people. RefundRefused as in `withdraw_upload`."""
    transfers.lock_runs(tx)
    file = next(iter(transfers.by_names(tx, [name])), None)
    if file is None or not file.ebics_connection or file.discarded_at is not None:
        raise RefundRefused(Message("file-goes-not-by-ebics", file=name))
    withdraw_upload(tx, file.id, file.message_id)
    uploads.hand_back(tx, file.id)
    record(tx, tx.shop, AuditAction.EBICS_CHANGED, file.id, after={"file": file.message_id, "way": "folder"})


def is_by_fints(tx: ShopTx, file: FileRow) -> bool:
    """Whether the bank has the file by FinTS, or may have it."""
    found = fints.upload(tx, file.id, lock=True)
    return found is not None and found.status not in NEVER_SENT


def refuse_if_by_fints(tx: ShopTx, file: FileRow) -> None:
    """RefundRefused if the bank has the file by FinTS, or may have it: a file uses one channel only."""
    if is_by_fints(tx, file):
        raise RefundRefused(Message("fints-file-sent", file=file.message_id))


def fints_uploads(tx: ShopTx, file_ids: Sequence[str]) -> dict[str, FintsUpload]:
    """The known states of those files that are sent by FinTS, by file."""
    return {each.file_id: each for each in fints.uploads(tx, set(UploadStatus), file_ids)}
