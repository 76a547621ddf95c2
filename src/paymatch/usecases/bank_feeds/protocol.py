"""The bank's protocol (HAC) on uploads (D-104)."""

from __future__ import annotations

from base64 import b64encode
from datetime import datetime, timedelta
from typing import Final

from paymatch.domain.bank_feeds.uploads import UNDECIDED, UploadEvent, UploadStatus, status_after
from paymatch.domain.shops.shop import Shop
from paymatch.domain.shops.shop_jobs import ALERTS
from paymatch.domain.words.message import Message
from paymatch.formats.statement import FileRefused
from paymatch.outbound.ebics.ciphers import order_digest
from paymatch.outbound.ebics.failures import EbicsAnswerUnreadable
from paymatch.outbound.ebics.protocol import ProtocolVerdict, read_protocol, verdict
from paymatch.store.bank_feeds import uploads
from paymatch.store.database import Database
from paymatch.store.refunds import transfers
from paymatch.store.work import shop_jobs

PROTOCOL: Final = "HAC"
_LAST_WORD_WITHIN: Final = timedelta(days=30)
_EVENTS: Final = {
    ProtocolVerdict.ACCEPTED: UploadEvent.ACCEPTED,
    ProtocolVerdict.WAITS_FOR_APPROVAL: UploadEvent.TAKEN_FOR_APPROVAL,
    ProtocolVerdict.REFUSED: UploadEvent.REFUSED,
}


def apply_protocol(database: Database, shop: Shop, connection: str, content: bytes, clock: datetime) -> None:
    """Moves the connection's uploads by the protocol. FileRefused if it is not one."""
    try:
        entries = read_protocol(content)
    except EbicsAnswerUnreadable as error:
        raise FileRefused(error.message) from None
    with database.of_shop(shop, at=clock) as tx:
        wanted = UNDECIDED | {UploadStatus.ACCEPTED}
        for row in uploads.uploads(tx, wanted, connection, since=clock - _LAST_WORD_WITHIN):
            digest = b64encode(order_digest(transfers.content(tx, row.file_id))).decode()
            event = _EVENTS.get(verdict(entries, row.order_number, digest))
            locked = uploads.upload(tx, row.file_id, lock=True)
            after = status_after(locked.status, event) if locked is not None and event is not None else None
            if after is not None:
                why = Message("ebics-protocol-refused") if after is UploadStatus.REFUSED else ""
                uploads.set_status(tx, row.file_id, after, clock, why)
                shop_jobs.wake(tx, ALERTS, shop.now(clock))
