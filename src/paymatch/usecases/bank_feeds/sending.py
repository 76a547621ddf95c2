"""Transfer files on their way to the bank, each once: the state is recorded before each message (D-104).

Only a refund run makes such a file, so all checks before money out (D-37, D-58) have passed.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final

from paymatch.domain.bank_feeds.uploads import UploadEvent, UploadStatus, status_after
from paymatch.domain.refunds.transfers import PayeeCheck
from paymatch.domain.shops.audit import AuditAction
from paymatch.domain.shops.shop import Shop
from paymatch.domain.shops.shop_jobs import ALERTS
from paymatch.domain.words.message import Message
from paymatch.outbound.ebics.ciphers import new_transaction_key
from paymatch.outbound.ebics.client import EbicsClient
from paymatch.outbound.ebics.failures import EbicsOrderRefused, EbicsUncertain
from paymatch.outbound.ebics.services import OrderSubject
from paymatch.outbound.ebics.uploads import UploadPhase, UploadState
from paymatch.store.bank_feeds import uploads
from paymatch.store.bank_feeds.connections import EbicsConnection
from paymatch.store.bank_feeds.uploads import UploadRow
from paymatch.store.database import Database
from paymatch.store.refunds import transfers
from paymatch.store.shops import shops
from paymatch.store.work import shop_jobs
from paymatch.usecases.audit import record
from paymatch.usecases.bank_feeds.fetching import has_payee_check, transfer_service
from paymatch.usecases.bank_feeds.gateway import logged

TRIED_AGAIN: Final = frozenset({"061099", "091101", "091102", "091103", "091119"})
"""The bank has no file and does not object to it: an error at the bank, an ended transaction, our clock."""


class UploadWithdrawn(Exception):
    """The file was discarded or taken by a person while it was sent; no more of it is sent."""


def send_waiting(database: Database, shop: Shop, row: EbicsConnection, client: EbicsClient, clock: datetime) -> int:
    """Sends the connection's files; returns how many the bank accepted. EbicsFailed: the rest waits."""
    if row.sends_from is None or row.sends_from > clock or not row.transfer_level:
        return 0
    with database.of_shop(shop, at=clock) as tx:
        wanted = PayeeCheck(shops.transfer_form(tx).payee_check)
        for file in uploads.waiting_files(tx, row.id):
            checked = has_payee_check(row, instant=file.instant, wanted=wanted.covers(file.transfers))
            # After the check the bank waits for a signature that accepts its result.
            uploads.prepare(
                tx, file.file_id, row.id, new_transaction_key(), clock,
                needs_approval=checked or row.transfer_level != "E", payee_check=checked,
            )  # fmt: skip
        under_way = uploads.uploads(tx, {UploadStatus.OPEN}, row.id)
    return sum(_send(database, shop, row, client, each, clock) for each in under_way)


def _send(
    database: Database, shop: Shop, row: EbicsConnection, client: EbicsClient, upload: UploadRow, clock: datetime
) -> bool:
    """Begins or continues an upload; returns whether the bank accepted it now."""
    phase = UploadPhase(upload.phase)
    if phase is UploadPhase.SENT:  # the process ended before the bank's answer was recorded
        _move(database, shop, upload, UploadEvent.BROKE, clock, Message("ebics-uncertain"))
        return False
    if phase is not UploadPhase.ACCEPTED and not _upload(database, shop, row, client, upload, clock):
        return False
    event = UploadEvent.TAKEN_FOR_APPROVAL if upload.needs_approval else UploadEvent.ACCEPTED
    _move(database, shop, upload, event, clock)
    return True


def _upload(
    database: Database, shop: Shop, row: EbicsConnection, client: EbicsClient, upload: UploadRow, clock: datetime
) -> bool:
    with database.of_shop(shop, at=clock) as tx:
        content = transfers.content(tx, upload.file_id)

    def keep(state: UploadState) -> None:
        with database.of_shop(shop, at=clock) as tx:
            if not uploads.record(
                tx, upload.file_id, state.phase, state.transaction, state.order_id, state.next_segment, clock,
                sent=state.phase is UploadPhase.SENT,
            ):  # fmt: skip
                raise UploadWithdrawn

    state = UploadState(
        upload.transaction_key, UploadPhase(upload.phase), upload.transaction_id, upload.order_number,
        upload.next_segment,
    )  # fmt: skip
    try:
        with logged(database, shop, row, client, "BTU", subject=OrderSubject.TRANSFERS, file_id=upload.file_id):
            client.upload(
                transfer_service(row, instant=upload.instant, checked=upload.payee_check), content, state, keep,
                file_name=f"{upload.message_id}.xml", needs_approval=upload.needs_approval,
            )  # fmt: skip
    except UploadWithdrawn:
        return False
    except EbicsUncertain as error:
        _move(database, shop, upload, UploadEvent.BROKE, clock, error.message)
        return False
    except EbicsOrderRefused as error:
        if error.code in TRIED_AGAIN:
            _begin_again(database, shop, upload, clock)
            raise
        _move(database, shop, upload, UploadEvent.REFUSED, clock, error.message)
        return False
    return True


def _begin_again(database: Database, shop: Shop, upload: UploadRow, clock: datetime) -> None:
    with database.of_shop(shop, at=clock) as tx:
        found = uploads.upload(tx, upload.file_id, lock=True)
        if found is not None and found.status is UploadStatus.OPEN:
            uploads.begin_again(tx, upload.file_id, new_transaction_key(), clock)


def _move(
    database: Database, shop: Shop, upload: UploadRow, event: UploadEvent, clock: datetime, error: str = ""
) -> None:
    with database.of_shop(shop, at=clock) as tx:
        found = uploads.upload(tx, upload.file_id, lock=True)
        after = status_after(found.status, event) if found is not None else None
        if found is None or after is None:
            return
        uploads.set_status(tx, upload.file_id, after, clock, error)
        shop_jobs.wake(tx, ALERTS, shop.now(clock))
        details = {"file": upload.message_id, "status": str(after), "order": found.order_number}
        record(tx, shop, AuditAction.EBICS_UPLOADED, upload.file_id, after=details)
