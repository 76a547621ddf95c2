"""The due work of a shop's EBICS connections: polls the bank, imports its files, sends released files."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from paymatch.domain.bank_feeds.ebics import EbicsStatus
from paymatch.domain.bank_feeds.uploads import UploadStatus
from paymatch.domain.plurals import count_of
from paymatch.domain.shops.shop import Shop
from paymatch.domain.shops.shop_jobs import ALERTS, retry_at
from paymatch.outbound.ebics.client import EbicsClient
from paymatch.outbound.ebics.failures import EbicsFailed, EbicsKeysChanged, EbicsOrderRefused
from paymatch.store.bank_feeds import connections as store
from paymatch.store.bank_feeds import feeds, orders, uploads
from paymatch.store.bank_feeds.connections import EbicsConnection
from paymatch.store.database import Database
from paymatch.store.work import shop_jobs
from paymatch.usecases.bank_feeds.connections import ASKED_EVERY, fetch_bank_keys, load, settle_keys
from paymatch.usecases.bank_feeds.fetching import fetch_all, fetch_protocol, import_received, refresh_offer
from paymatch.usecases.bank_feeds.gateway import EbicsGateway, open_client
from paymatch.usecases.bank_feeds.sending import send_waiting

OFFER_KEPT: Final = timedelta(days=7)
"""How long a bank's list of services counts as current; banks change it without notice."""

_WHILE_UNCERTAIN: Final = timedelta(hours=1)
"""How often the protocol is fetched while an upload is undecided."""

_NOT_YET: Final = frozenset({"091002", "091003", "091004", "061001", "090003"})
"""Banks' answers to HPB before they have activated the user."""


@dataclass(frozen=True, slots=True)
class EbicsWorked:
    """What was done."""

    files: int = 0
    sent: int = 0

    @property
    def words(self) -> str:
        """For the list of jobs."""
        return f"{count_of(self.files, 'file')} fetched, {self.sent} sent"


def work_due(database: Database, shop: Shop, gateway: EbicsGateway, clock: datetime) -> EbicsWorked:
    """Does the due work of all connections; if one bank fails the others go on, and it is tried again later."""
    done = EbicsWorked()
    with database.of_shop(shop, at=clock) as tx:
        orders.forget_empty(tx, clock)
        rows = store.connections(tx)
    for row in rows:
        resting = row.resting_until is not None and row.resting_until > clock
        if resting or row.work_at > clock or row.status not in (EbicsStatus.SUBMITTED, EbicsStatus.ACTIVE):
            continue
        try:
            one = _work(database, shop, row, gateway, clock)
            done = EbicsWorked(done.files + one.files, done.sent + one.sent)
        except EbicsKeysChanged as error:
            _bank_changed_keys(database, shop, row, gateway, error, clock)
        except EbicsFailed as error:
            _note_failure(database, shop, row, error, clock)
    import_received(database, shop, clock)
    return done


def _work(database: Database, shop: Shop, row: EbicsConnection, gateway: EbicsGateway, clock: datetime) -> EbicsWorked:
    if row.status is EbicsStatus.SUBMITTED:
        _ask_for_activation(database, shop, row, gateway, clock)
        return EbicsWorked()
    settle_keys(database, shop, row, gateway, clock)
    client = open_client(database, shop, row, gateway, clock)
    if row.offer_at is None or row.offer_at <= clock - OFFER_KEPT:
        refresh_offer(database, shop, row, client, clock)
        row = load(database, shop, row.id)
    files = _fetch_if_due(database, shop, row, client, clock)
    sent = send_waiting(database, shop, row, client, clock)
    with database.of_shop(shop, at=clock) as tx:
        present = store.connection(tx, row.id)
        uncertain = uploads.uploads(tx, {UploadStatus.UNCERTAIN}, row.id)
        if present is not None and present.next_fetch_at is not None:
            moments = [present.next_fetch_at, *([clock + _WHILE_UNCERTAIN] if uncertain else [])]
            store.set_worked(tx, row.id, min(moments))
    return EbicsWorked(files, sent)


def _fetch_if_due(database: Database, shop: Shop, row: EbicsConnection, client: EbicsClient, clock: datetime) -> int:
    """Statements at the bank's times; the protocol whenever an upload is uncertain."""
    files = 0
    if row.next_fetch_at is None or row.next_fetch_at <= clock:
        files = fetch_all(database, shop, row, client, clock)
    else:
        with database.of_shop(shop, at=clock) as tx:
            uncertain = uploads.uploads(tx, {UploadStatus.UNCERTAIN}, row.id)
        if uncertain:
            fetch_protocol(database, shop, row, client, clock)
    import_received(database, shop, clock)
    return files


def _ask_for_activation(
    database: Database, shop: Shop, row: EbicsConnection, gateway: EbicsGateway, clock: datetime
) -> None:
    """Repeats HPB until the bank answers with its keys; a missing answer is not a failure."""
    try:
        fetch_bank_keys(database, shop, row.id, gateway, clock)
    except EbicsOrderRefused as error:
        if error.code not in _NOT_YET:
            raise
    with database.of_shop(shop, at=clock) as tx:
        store.set_worked(tx, row.id, clock + ASKED_EVERY)


def _bank_changed_keys(
    database: Database,
    shop: Shop,
    row: EbicsConnection,
    gateway: EbicsGateway,
    error: EbicsKeysChanged,
    clock: datetime,
) -> None:
    """The bank's new keys are fetched at once, for a person to compare; until then nothing is exchanged."""
    try:
        fetch_bank_keys(database, shop, row.id, gateway, clock)
    except EbicsFailed as failed:
        _note_failure(database, shop, row, failed, clock)
        return
    if load(database, shop, row.id).status is EbicsStatus.ACTIVE:  # it says so, but returns the keys that we know
        _note_failure(database, shop, row, error, clock)


def _note_failure(database: Database, shop: Shop, row: EbicsConnection, error: EbicsFailed, clock: datetime) -> None:
    with database.of_shop(shop, at=clock) as tx:
        until = retry_at(row.failures + 1, clock)
        feeds.record_failure(tx, feeds.EBICS, row.id, error.message, clock, until)
        shop_jobs.wake(tx, ALERTS, shop.now(clock))
