"""Files of a bank: fetched, kept before the bank gets a receipt, and imported as the bank's own statement (D-80)."""

from __future__ import annotations

import hashlib
import io
from dataclasses import asdict
from datetime import datetime
from typing import Any, Final

from paymatch.domain.bank_feeds.ebics import next_fetch_at
from paymatch.domain.bank_feeds.uploads import UNDECIDED, UploadEvent, status_after
from paymatch.domain.shops.shop import Shop
from paymatch.domain.shops.shop_jobs import ALERTS
from paymatch.domain.statement_channels import StatementChannel
from paymatch.formats.sepa.pain002 import read_pain002
from paymatch.formats.statement import FileRefused
from paymatch.outbound.ebics.client import EbicsClient
from paymatch.outbound.ebics.failures import EbicsKeysChanged, EbicsOrderRefused
from paymatch.outbound.ebics.offers import SubscriberOffer, read_available, read_offer
from paymatch.outbound.ebics.order_files import files_in
from paymatch.outbound.ebics.services import (
    CHECKED,
    INSTANT,
    NORMAL,
    UNCHECKED,
    BankService,
    OrderSubject,
    usual_service,
)
from paymatch.store.bank_feeds import connections as store
from paymatch.store.bank_feeds import received, uploads
from paymatch.store.bank_feeds.connections import EbicsConnection
from paymatch.store.bank_feeds.received import EbicsFile
from paymatch.store.database import Database
from paymatch.store.shops import shops as shop_store
from paymatch.store.transactions import LockNotAcquired, Unreachable
from paymatch.store.work import shop_jobs
from paymatch.usecases.bank_feeds.connections import FETCHED
from paymatch.usecases.bank_feeds.gateway import logged
from paymatch.usecases.bank_feeds.protocol import PROTOCOL, apply_protocol
from paymatch.usecases.refunds.bank_reports import import_report, reported_files
from paymatch.usecases.statements.import_process import (
    ImportFailed,
    ImportInterrupted,
    TooManyImports,
    import_in_process,
)

DOWNLOADS_AT_MOST: Final = 50
"""Limit per subject and turn: banks deliver a file for each booking day that was never fetched."""

_UNKNOWN_LEVEL: Final = "T"
"""Used if a bank does not state permissions: a file that waits for an approval does no harm."""


def refresh_offer(database: Database, shop: Shop, row: EbicsConnection, client: EbicsClient, clock: datetime) -> None:
    """Asks what the bank offers (HTD, else HKD; HAA). At first, everything offered is fetched. EbicsFailed."""
    found = _offer_of(database, shop, row, client, clock)
    services = list(found.services) if found is not None else []
    try:
        with logged(database, shop, row, client, "HAA"):
            data = client.fetch_administrative("HAA")
        services += [each for each in read_available(data) if each not in services] if data else []
    except EbicsKeysChanged:
        raise
    except EbicsOrderRefused:
        pass  # not every bank has it, and HTD has more
    offer: dict[str, Any] = {
        "accounts": [] if found is None else list(found.accounts),
        "level": _UNKNOWN_LEVEL if found is None else found.transfer_level,
        "services": [asdict(each) for each in services],
    }
    names = {each.message for each in services}
    offered = [each for each in FETCHED if each in names] or [OrderSubject.STATEMENTS, OrderSubject.STATUS_REPORTS]
    with database.of_shop(shop, at=clock) as tx:
        own = {each.account for each in shop_store.accounts(tx)}
        first = row.offer_at is None
        accounts = [each for each in offer["accounts"] if each in own] if first else list(row.accounts)
        fetches = list(offered) if first else list(row.fetches)
        store.set_offer(tx, row.id, offer, fetches, accounts, clock)


def _offer_of(
    database: Database, shop: Shop, row: EbicsConnection, client: EbicsClient, clock: datetime
) -> SubscriberOffer | None:
    """The answer to HTD or HKD; None if the user may not ask either."""
    for order_type in ("HTD", "HKD"):
        try:
            with logged(database, shop, row, client, order_type):
                data = client.fetch_administrative(order_type)
        except EbicsOrderRefused:
            continue
        if data is not None:
            return read_offer(data, row.user_id)
    return None


def service_of(row: EbicsConnection, subject: OrderSubject) -> BankService:
    """The bank's name for downloads or uploads of the subject."""
    offered = tuple(BankService(**each) for each in row.offer.get("services", ()))
    return usual_service(subject, row.country, offered)


def transfer_service(row: EbicsConnection, *, instant: bool, checked: bool) -> BankService:
    """The bank's name for transfers; instant ones and those with a payee check have their own names."""
    own = row.transfer_service(INSTANT if instant else NORMAL, CHECKED if checked else UNCHECKED)
    return service_of(row, OrderSubject.TRANSFERS) if own is None else BankService(**own)


def has_payee_check(row: EbicsConnection, *, instant: bool, wanted: bool) -> bool:
    """Whether transfers use the service with the payee check: it is wanted, or the bank offers no other (D-131)."""
    name = INSTANT if instant else NORMAL
    if row.transfer_service(name, CHECKED) is None:
        return False
    return wanted or row.transfer_service(name, UNCHECKED) is None


def fetch_all(database: Database, shop: Shop, row: EbicsConnection, client: EbicsClient, clock: datetime) -> int:
    """Fetches everything that is due; returns the number of files. EbicsFailed, but only after all other subjects."""
    refused: EbicsOrderRefused | None = None
    count = 0
    for subject in (OrderSubject(each) for each in row.fetches):
        try:
            count += _fetch(database, shop, row, client, subject, clock)
        except EbicsOrderRefused as error:
            refused = refused or error
    with database.of_shop(shop, at=clock) as tx:
        undecided = uploads.uploads(tx, UNDECIDED, row.id)
    if undecided:
        fetch_protocol(database, shop, row, client, clock)
    if refused is not None:
        raise refused
    with database.of_shop(shop, at=clock) as tx:
        following = next_fetch_at(row.fetch_times, clock, shop.timezone)
        store.set_fetched(tx, row.id, clock, following)
        shop_jobs.wake(tx, ALERTS, shop.now(clock))
    return count


def _fetch(
    database: Database, shop: Shop, row: EbicsConnection, client: EbicsClient, subject: OrderSubject, clock: datetime
) -> int:
    """Fetches one subject until the bank has no more of it."""
    count = 0
    for _ in range(DOWNLOADS_AT_MOST):
        kept: list[int] = []

        def keep(data: bytes, kept: list[int] = kept) -> None:
            kept.append(_keep(database, shop, row, subject, data, clock))

        with logged(database, shop, row, client, "BTD", subject=subject) as order:
            came = client.fetch(service_of(row, subject), keep)
            order.outcome = "done" if came else "nothing"
        count += sum(kept)
        if not came or not sum(kept):
            break
    return count


def fetch_protocol(database: Database, shop: Shop, row: EbicsConnection, client: EbicsClient, clock: datetime) -> None:
    """Fetches HAC, which decides the status of uploads. EbicsFailed."""
    with logged(database, shop, row, client, "HAC") as order:
        came = client.fetch_protocol(lambda data: _keep_protocol(database, shop, row, data, clock))
        order.outcome = "done" if came else "nothing"
    with database.of_shop(shop, at=clock) as tx:
        uploads.set_protocol_read(tx, row.id, clock)


def _keep(
    database: Database, shop: Shop, row: EbicsConnection, subject: str, data: bytes, clock: datetime
) -> int:  # fmt: skip
    """Keeps the files of an order; returns how many are new. The bank gets its receipt later, so a kill loses none."""
    found = files_in(data, f"ebics-{subject}-{clock:%Y%m%d-%H%M%S}.xml")
    return _keep_files(database, shop, row, subject, found, clock)


def _keep_protocol(database: Database, shop: Shop, row: EbicsConnection, data: bytes, clock: datetime) -> None:
    _keep_files(database, shop, row, PROTOCOL, [(f"ebics-HAC-{clock:%Y%m%d-%H%M%S}.xml", data)], clock)


def _keep_files(
    database: Database, shop: Shop, row: EbicsConnection, subject: str, files: list[tuple[str, bytes]], clock: datetime
) -> int:
    named = [(name, hashlib.sha256(content).hexdigest(), content) for name, content in files]
    with database.of_shop(shop, at=clock) as tx:
        store.set_data_came(tx, row.id, clock)
        return received.keep(tx, row.id, subject, named, clock)


def import_received(database: Database, shop: Shop, clock: datetime, *, by_consent: bool = False) -> int:
    """Imports kept files that are not imported yet; returns their number. A refused file does not stop the others.

    `by_consent`: files read by a consent, else those from EBICS.
    """
    count = 0
    with database.of_shop(shop, at=clock) as tx:
        waiting = received.waiting(tx, failed=False, by_consent=by_consent)
    for file in waiting:
        with database.of_shop(shop, at=clock) as tx:
            content = received.content(tx, file.id)
        try:
            _import(database, shop, file, content, clock)
        except (ImportInterrupted, TooManyImports, LockNotAcquired, Unreachable):
            break  # not the file's fault: it is imported at the next turn
        except (FileRefused, ImportFailed) as error:
            with database.of_shop(shop, at=clock) as tx:
                received.set_failed(tx, file.id, error.message if isinstance(error, FileRefused) else str(error))
                shop_jobs.wake(tx, ALERTS, shop.now(clock))
            continue
        with database.of_shop(shop, at=clock) as tx:
            received.set_imported(tx, file.id, clock)
        count += 1
    return count


def _import(database: Database, shop: Shop, file: EbicsFile, content: bytes, clock: datetime) -> None:
    if file.subject == PROTOCOL:
        apply_protocol(database, shop, file.connection_id, content, clock)
    elif file.subject == OrderSubject.STATUS_REPORTS:
        _import_report(database, shop, content, clock)
    else:
        by_consent = file.subject == received.TRANSACTIONS
        channel = StatementChannel.ACCOUNT_INFORMATION if by_consent else StatementChannel.EBICS
        import_in_process(database, shop, io.BytesIO(content), file.name, clock, channel=channel)


def _import_report(database: Database, shop: Shop, content: bytes, clock: datetime) -> None:
    """Applies a status report; reports on other programs' files are ignored. It proves that the bank has our file."""
    report = read_pain002(io.BytesIO(content))
    with database.of_shop(shop, at=clock) as tx:
        files = reported_files(tx, report)
    if not files:
        return
    import_report(database, shop, io.BytesIO(content), clock)
    with database.of_shop(shop, at=clock) as tx:
        for file in files:
            found = uploads.upload(tx, file.id, lock=True)
            after = status_after(found.status, UploadEvent.REPORTED) if found is not None else None
            if after is not None:
                uploads.set_status(tx, file.id, after, clock)
