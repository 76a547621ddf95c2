"""Status reports of the bank on our transfer files (pain.002), and alerts if none comes (D-4)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import BinaryIO, Final

from paymatch.domain.calendar import plus_bank_days
from paymatch.domain.refunds.refunds import REFUND_LIFECYCLE, RefundEvent, RefundMoveRefused, RefundStatus
from paymatch.domain.refunds.transfers import SETTLED, TRANSFER_LIFECYCLE, TransferEvent, TransferStatus
from paymatch.domain.shops.alerts import AlertKind
from paymatch.domain.shops.audit import AuditAction
from paymatch.domain.shops.shop import Shop
from paymatch.domain.shops.shop_jobs import ALERTS
from paymatch.domain.words.message import Message
from paymatch.formats.sepa.pain002 import StatusReport, read_pain002
from paymatch.formats.statement import FileRefused
from paymatch.store.database import Database
from paymatch.store.orders import orders as order_store
from paymatch.store.refunds import refunds, transfers
from paymatch.store.refunds.refunds import RefundRow
from paymatch.store.refunds.transfers import FileRow, TransferRow
from paymatch.store.transactions import ShopTx
from paymatch.store.work import alerts, shop_jobs
from paymatch.usecases.audit import record
from paymatch.usecases.refunds.timing import goes_on_as_normal
from paymatch.usecases.settlement.ledger import settle

SILENCE_BANK_DAYS: Final = 5
REPORT_LOCK_SECONDS: Final = 60


@dataclass(frozen=True, slots=True)
class ReportedRefund:
    """A report's status of one refund, and the refund's state afterwards."""

    refund_id: str
    order_number: str
    reference: str
    bank_status: str  # RJCT ACSC ...; "" if the report does not mention this one
    bank_code: str  # reason, AC04 for example
    status: RefundStatus
    moved: bool


def import_report(database: Database, shop: Shop, stream: BinaryIO, clock: datetime) -> list[ReportedRefund]:
    """Applies a status report to the refunds of its transfer file; a repeated report does nothing.

    RJCT makes ERROR, ACSC and ACCC make PROCESSED, everything else changes nothing (D-4). FileRefused if the file is
    not a pain.002 or not about one of our files.
    """
    report, now = read_pain002(stream), shop.now(clock)
    names = {report.original_message_id, *(batch.payment_information_id for batch in report.batches)} - {""}
    with database.of_shop(shop, REPORT_LOCK_SECONDS, at=clock) as tx:
        files = transfers.by_names(tx, sorted(names))
        if not files:
            named = ", ".join(sorted(names))
            raise FileRefused(Message("report-of-others", names=named) if named else Message("report-of-nothing"))
        results = [result for file in files for result in _apply(tx, file, report, now)]
        moved = [result.order_number for result in results if result.moved]
        settle(tx, moved, cause="bank report", now=now)
        shop_jobs.wake(tx, ALERTS, now)
        told = {result.refund_id: result.status for result in results if result.moved}
        record(tx, shop, AuditAction.BANK_REPORT_IMPORTED, report.original_message_id, after=told)
    return results


def _apply(tx: ShopTx, file: FileRow, report: StatusReport, now: datetime) -> list[ReportedRefund]:
    rows = transfers.of_files(tx, [file.id])
    ids = sorted({row.refund_id for row in rows})
    order_store.lock(tx, refunds.orders_of(tx, (), ids))
    held = {refund.id: refund for refund in refunds.lock_named(tx, (), ids)}
    fresh = {row.end_to_end_id: row for row in transfers.of_files(tx, [file.id])}
    found: list[ReportedRefund] = []
    for row in fresh.values():
        bank_status, reasons = report.status_of(file.payment_information_id, row.end_to_end_id)
        code = next((reason.code for reason in reasons if reason.code), "")
        named = report.payee_of(row.end_to_end_id, row.holder)
        found.append(_answer(tx, file, row, held[row.refund_id], (bank_status, code, named), now))
    return found


def _answer(
    tx: ShopTx,
    file: FileRow,
    row: TransferRow,
    refund: RefundRow,
    said_of_it: tuple[str, str, str],
    now: datetime,
) -> ReportedRefund:
    """Writes the bank's report on one transfer, and moves its refund if this is its present attempt.

    `said_of_it`: status, code of the reason, name of the payee.
    """
    bank_status, code, named = said_of_it
    event, said = _events(bank_status)
    status, shown = _next(refund, row, event), None
    if bank_status:
        # A report that does not move the transfer is recorded with it: of two answers the first counts.
        after = row.status
        if said is not None and TRANSFER_LIFECYCLE.allows(after, said):
            after = TRANSFER_LIFECYCLE.move(after, said)
        transfers.answer(tx, row.end_to_end_id, after, bank_status=bank_status, bank_code=code, bank_name=named)
    if status is not None:
        # The day of a settlement that no statement has shown yet; the statement's own day replaces it.
        day = file.execution_date if event is RefundEvent.TRANSFER_BOOKED else None
        rejected = code if event is RefundEvent.TRANSFER_REJECTED else ""
        refunds.move(tx, refund.id, status, now, execution_date=day, bank_code=rejected)
        if status is RefundStatus.ERROR and file.instant and goes_on_as_normal(tx, refund, code):
            shown = RefundStatus.NEW
    elif event is RefundEvent.TRANSFER_REJECTED and row.status is TransferStatus.BOOKED:
        why = code or Message("no-reason-given")
        late = Message("alert-rejected-late", refund=refund.reference, order=refund.order_number, reason=why)
        alerts.add(tx, AlertKind.REFUND_UNEXPECTED, row.end_to_end_id, late, now)
    return ReportedRefund(
        refund.id, refund.order_number, refund.reference, bank_status, code, shown or status or refund.status,
        moved=status is not None,
    )  # fmt: skip


def _events(bank_status: str) -> tuple[RefundEvent | None, TransferEvent | None]:
    """The events of a pain.002 status code for the refund and its transfer; None for interim codes."""
    if bank_status == "RJCT":
        return RefundEvent.TRANSFER_REJECTED, TransferEvent.REPORTED_REJECTED
    if bank_status in SETTLED:
        return RefundEvent.TRANSFER_BOOKED, TransferEvent.REPORTED_SETTLED
    return None, None


def _next(refund: RefundRow, row: TransferRow, event: RefundEvent | None) -> RefundStatus | None:
    """The refund's new status; None if the report changes nothing: another attempt, or already known."""
    # A report is weaker than a posting: it only moves a refund that still waits for the bank.
    if event is None or row.attempt != refund.attempt or refund.status is not RefundStatus.IN_PROCESS:
        return None
    try:
        return REFUND_LIFECYCLE.move(refund.status, event)
    except RefundMoveRefused:
        return None


def watch_silence(tx: ShopTx) -> int:
    """Raises an alert for each transfer file without an answer 5 bank days after its execution date; how many.

    Nothing is ever sent again because of it: the money may have left (D-4). The alert ends when the last transfer is
    answered.
    """
    now, today = tx.now, tx.today
    silent = [
        (file_id, message_id, day, count)
        for file_id, message_id, day, count in transfers.unanswered_files(tx, today)
        if plus_bank_days(day, SILENCE_BANK_DAYS) < today
    ]
    alerts.resolve_others(tx, AlertKind.REFUND_SILENCE, [file_id for file_id, *_ in silent], now)
    known = alerts.subjects(tx, AlertKind.REFUND_SILENCE) if silent else set()
    new = [each for each in silent if each[0] not in known]
    for file_id, message_id, day, count in new:
        said = Message("alert-bank-silent", count=count, file=message_id, day=day)
        alerts.add(tx, AlertKind.REFUND_SILENCE, file_id, said, now)
    return len(new)
