"""Alerts about EBICS connections."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from datetime import datetime
from typing import Final

from paymatch.domain.bank_feeds.ebics import EbicsStatus
from paymatch.domain.bank_feeds.uploads import UploadStatus
from paymatch.domain.calendar import plus_bank_days
from paymatch.domain.shops.alerts import Alert, AlertKind
from paymatch.domain.shops.shop import Shop
from paymatch.domain.words.message import Message
from paymatch.store.bank_feeds import connections as store
from paymatch.store.bank_feeds import received, uploads
from paymatch.store.bank_feeds.connections import EbicsConnection
from paymatch.store.transactions import ShopTx

FAILING_AFTER: Final = 3
"""Failures in a row after which a person should look: the banks' servers are maintained at night."""

_SENTENCES: Final = {
    UploadStatus.UNCERTAIN: "alert-ebics-uncertain",
    UploadStatus.WAITING: "alert-ebics-waits-in-bank",
    UploadStatus.REFUSED: "alert-ebics-refused",
}


def ebics_alerts(tx: ShopTx) -> Iterator[Alert]:
    """Keys to compare, connections that fail or are silent, files that were not imported, uploads that need a look."""
    rows = store.connections(tx)
    for row in rows:
        yield from _of_connection(tx.shop, row, tx.wall_time)
    if not rows:
        return
    for file in received.waiting(tx, failed=True):
        said = Message("alert-ebics-file", file=file.name, why=file.error)
        yield Alert(AlertKind.EBICS, f"file {file.id}", said)
    for upload in uploads.uploads(tx, set(_SENTENCES)):
        said = Message(_SENTENCES[upload.status], file=upload.message_id, why=upload.last_error or "-")
        yield Alert(AlertKind.EBICS, f"upload {upload.file_id} {upload.status}", said)


def _of_connection(shop: Shop, row: EbicsConnection, clock: datetime) -> Iterator[Alert]:
    """One alert at most: a failing connection is also silent, but is reported once."""
    if row.status is EbicsStatus.TO_COMPARE:
        code = "alert-ebics-bank-changed-keys" if row.bank_keys else "alert-ebics-compare"
        name = hashlib.sha256(row.offered_bank_keys.encode()).hexdigest()[:16]
        yield Alert(AlertKind.EBICS, f"{row.id} compare {name}", Message(code, bank=row.bank_name))
        return
    if row.status not in (EbicsStatus.ACTIVE, EbicsStatus.SUBMITTED):
        return
    since, asked = row.failing_since, row.last_fetched_at or row.activated_at
    if since is not None and (row.failures >= FAILING_AFTER or _is_silent(shop, since, clock)):
        said = Message(
            "alert-ebics-failing", bank=row.bank_name, count=row.failures, day=since.date(), time=f"{since:%H:%M}",
            error=row.last_error,
        )  # fmt: skip
        yield Alert(AlertKind.EBICS, f"{row.id} failing {since:%Y-%m-%dT%H:%M:%S}", said)
    elif row.status is EbicsStatus.ACTIVE and since is None and asked is not None and _is_silent(shop, asked, clock):
        said = Message("alert-ebics-silent", bank=row.bank_name, day=shop.day_of(asked))
        yield Alert(AlertKind.EBICS, f"{row.id} silent {asked:%Y-%m-%dT%H:%M:%S}", said)


def _is_silent(shop: Shop, since: datetime, clock: datetime) -> bool:
    """Whether a whole bank day has passed since."""
    return shop.today(clock) > plus_bank_days(shop.day_of(since), 1)
