"""Status reports of the bank on our transfer files (pain.002), and alerts if none comes, or no debit (D-4, D-113)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import BinaryIO, Final

from paymatch.domain.calendar import plus_bank_days
from paymatch.domain.money import Currency
from paymatch.domain.refunds.refunds import REFUND_LIFECYCLE, RefundEvent, RefundMoveRefused, RefundStatus
from paymatch.domain.refunds.transfers import NOT_EXECUTED, SETTLED, TRANSFER_LIFECYCLE, TransferEvent, TransferStatus
from paymatch.domain.shops.alerts import AlertKind
from paymatch.domain.shops.audit import AuditAction
from paymatch.domain.shops.shop import Shop
from paymatch.domain.shops.shop_jobs import ALERTS
from paymatch.domain.words.message import Message
from paymatch.formats.sepa.pain002 import SentTransfer, StatusReport, TransferAnswer, read_pain002
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
_MOST_NAMED: Final = 300
"""Characters of foreign references that an alert repeats."""


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

    RJCT and CANC make ERROR, ACSC and ACCC make PROCESSED, everything else changes nothing (D-4). What contradicts
    itself, or means another transfer, changes nothing either and raises an alert (D-113). FileRefused if the file is
    not a pain.002 or not about one of our files.
    """
    report, now = read_pain002(stream), shop.now(clock)
    with database.of_shop(shop, REPORT_LOCK_SECONDS, at=clock) as tx:
        files = reported_files(tx, report)
        if not files:
            named = ", ".join(sorted(report.names))
            raise FileRefused(Message("report-of-others", names=named) if named else Message("report-of-nothing"))
        results = [result for file in files for result in _apply(tx, file, report, now)]
        moved = [result.order_number for result in results if result.moved]
        settle(tx, moved, cause="bank report", now=now)
        shop_jobs.wake(tx, ALERTS, now)
        statuses = {result.refund_id: result.status for result in results if result.moved}
        record(tx, shop, AuditAction.BANK_REPORT_IMPORTED, report.original_message_id, after=statuses)
    return results


def reported_files(tx: ShopTx, report: StatusReport) -> list[FileRow]:
    """Our transfer files that a report is about: the one with its message id.

    Programs that send the files of several others put our batch into a message of their own: then its id counts.
    """
    named = transfers.by_names(tx, sorted(report.names))
    return [file for file in named if file.message_id == report.original_message_id] or named


def _apply(tx: ShopTx, file: FileRow, report: StatusReport, now: datetime) -> list[ReportedRefund]:
    rows = transfers.of_files(tx, [file.id])
    ids = sorted({row.refund_id for row in rows})
    order_store.lock(tx, refunds.orders_of(tx, (), ids))
    held = {refund.id: refund for refund in refunds.lock_named(tx, (), ids)}
    fresh = {row.end_to_end_id: row for row in transfers.of_files(tx, [file.id])}
    answers = report.of_batch(file.payment_information_id)
    if unknown := answers.unknown(fresh.keys()):
        said = Message("alert-report-unknown", file=file.message_id, references=", ".join(unknown)[:_MOST_NAMED])
        alerts.add(tx, AlertKind.REFUND_UNEXPECTED, f"{file.message_id} report", said, now)
    found: list[ReportedRefund] = []
    for row in fresh.values():
        sent = SentTransfer(row.end_to_end_id, row.amount_minor, Currency(file.currency), row.iban)
        answer = answers.checked(sent, lists_others=bool(unknown))
        found.append(_answer(tx, file, row, held[row.refund_id], answer, now))
    return found


def _answer(
    tx: ShopTx, file: FileRow, row: TransferRow, refund: RefundRow, answer: TransferAnswer, now: datetime
) -> ReportedRefund:
    """Writes the bank's report on one transfer, and moves its refund if this is its present attempt."""
    code = next((reason.code for reason in answer.reasons if reason.code), "")
    event, said = _events(answer.status)
    reverses = event is not None and _reverses(row, event)
    if event is not None and (answer.doubt is not None or reverses):
        _alert_doubt(tx, row, refund, answer, now)
    if answer.doubt is not None:
        return _reported(refund, answer.status, code, refund.status, moved=False)
    status, shown = _next(refund, row, event), None
    if answer.status:
        after = row.status
        if said is not None and not row.debit_posting_id and TRANSFER_LIFECYCLE.allows(after, said):
            after = TRANSFER_LIFECYCLE.move(after, said)
        named = answer.known_payee if answer.known_payee != row.holder else ""
        transfers.answer(tx, row.end_to_end_id, after, bank_status=answer.status, bank_code=code, bank_name=named)
    if status is not None:
        if refund.status is RefundStatus.PROCESSED:
            refunds.put_back(tx, refund.id, status, now)  # it was not executed on any day
        # The day of a settlement that no statement has shown yet; the statement's own day replaces it.
        day = file.execution_date if event is RefundEvent.TRANSFER_BOOKED else None
        rejected = code if event is RefundEvent.TRANSFER_REJECTED else ""
        refunds.move(tx, refund.id, status, now, execution_date=day, bank_code=rejected)
        goes_on = status is RefundStatus.ERROR and file.instant and not reverses
        shown = RefundStatus.NEW if goes_on and goes_on_as_normal(tx, refund, code) else status
    return _reported(refund, answer.status, code, shown or refund.status, moved=status is not None)


def _reported(refund: RefundRow, said: str, code: str, status: RefundStatus, *, moved: bool) -> ReportedRefund:
    return ReportedRefund(refund.id, refund.order_number, refund.reference, said, code, status, moved=moved)


def _reverses(row: TransferRow, event: RefundEvent) -> bool:
    """Whether a report says the opposite of an earlier report, or of a booked debit."""
    if event is RefundEvent.TRANSFER_REJECTED:
        return row.status is TransferStatus.BOOKED
    return row.status is TransferStatus.REJECTED and not row.debit_posting_id


def _alert_doubt(tx: ShopTx, row: TransferRow, refund: RefundRow, answer: TransferAnswer, now: datetime) -> None:
    """Raises an alert about a report that says the opposite of what is known, or does not mean our transfer."""
    code = next((reason.code for reason in answer.reasons if reason.code), "")
    values = {"refund": refund.reference, "order": refund.order_number}
    if answer.doubt is None and answer.status in NOT_EXECUTED:
        said = Message("alert-rejected-late", **values, reason=code or Message("no-reason-given"))
    elif answer.doubt is None:
        said = Message("alert-settled-late", **values)
    else:
        said = Message("alert-report-doubt", **values, status=answer.status, why=Message(f"report-{answer.doubt}"))
    alerts.add(tx, AlertKind.REFUND_UNEXPECTED, f"{row.end_to_end_id} {answer.status}", said, now)


def _events(bank_status: str) -> tuple[RefundEvent | None, TransferEvent | None]:
    """The events of a pain.002 status code for the refund and its transfer; None for interim codes."""
    if bank_status in NOT_EXECUTED:
        return RefundEvent.TRANSFER_REJECTED, TransferEvent.REPORTED_REJECTED
    if bank_status in SETTLED:
        return RefundEvent.TRANSFER_BOOKED, TransferEvent.REPORTED_SETTLED
    return None, None


_WAITS_FOR: Final = {
    RefundEvent.TRANSFER_REJECTED: frozenset({RefundStatus.IN_PROCESS, RefundStatus.PROCESSED}),
    RefundEvent.TRANSFER_BOOKED: frozenset({RefundStatus.IN_PROCESS, RefundStatus.ERROR}),
}
"""Statuses that only a report has given, or none: a report is weaker than a posting, the later one counts (D-113)."""


def _next(refund: RefundRow, row: TransferRow, event: RefundEvent | None) -> RefundStatus | None:
    """The refund's new status; None if the report changes nothing: another attempt, booked, or already known."""
    if event is None or row.attempt != refund.attempt or refund.status not in _WAITS_FOR[event]:
        return None
    if row.debit_posting_id:
        return None
    try:
        return REFUND_LIFECYCLE.move(refund.status, event)
    except RefundMoveRefused:
        return None


def watch_silence(tx: ShopTx) -> int:
    """Raises an alert for each transfer file without an answer 5 bank days after its execution date; how many.

    Another one is for transfers that a report called settled, and whose debit the statements of these days do not show.
    Nothing is ever sent again because of it: the money may have left (D-4). The alert ends when the last transfer is
    answered, or debited.
    """
    now, today = tx.now, tx.today
    silent = [
        (file_id, Message("alert-bank-silent", count=count, file=message_id, day=day))
        for file_id, message_id, day, count in transfers.unanswered_files(tx, today)
        if plus_bank_days(day, SILENCE_BANK_DAYS) < today
    ]
    silent += [
        (f"{file_id} debit", Message("alert-no-debit", count=count, file=message_id, day=day))
        for file_id, message_id, day, count, shown_until in transfers.settled_without_debit(tx)
        if plus_bank_days(day, SILENCE_BANK_DAYS) < shown_until
    ]
    alerts.resolve_others(tx, AlertKind.REFUND_SILENCE, [subject for subject, _ in silent], now)
    known = alerts.subjects(tx, AlertKind.REFUND_SILENCE) if silent else set()
    new = [each for each in silent if each[0] not in known]
    for subject, said in new:
        alerts.add(tx, AlertKind.REFUND_SILENCE, subject, said, now)
    return len(new)
