"""Alerts: raised when something is missing, closed automatically when it arrives, or by a person."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any, Final

from paymatch.domain.books.completeness import Gap, GapKind
from paymatch.domain.calendar import next_bank_day
from paymatch.domain.callbacks.deliveries import FAILING_AFTER
from paymatch.domain.refusal import Unknown
from paymatch.domain.shops.alerts import FOR_INFORMATION, Alert, AlertKind
from paymatch.domain.shops.audit import AuditAction
from paymatch.domain.shops.shop import Shop, ShopStatus
from paymatch.domain.shops.shop_jobs import ALERT_AFTER
from paymatch.domain.words.message import Message, Sum, Value
from paymatch.store.callbacks import callbacks, health
from paymatch.store.database import Database
from paymatch.store.ids import Ids
from paymatch.store.statements import import_errors, statements
from paymatch.store.transactions import ShopTx
from paymatch.store.work import alerts as store
from paymatch.store.work import shop_jobs as jobs
from paymatch.store.work.alerts import OpenAlerts
from paymatch.usecases.audit import record
from paymatch.usecases.bank_feeds.consent_alerts import consent_alerts
from paymatch.usecases.bank_feeds.ebics_alerts import ebics_alerts
from paymatch.usecases.bank_feeds.feeds import silent_feed_alerts
from paymatch.usecases.collection.base_rates import unknown_rate_alerts
from paymatch.usecases.collection.cases import stuck_cases
from paymatch.usecases.collection.unpaid_reports import unpaid_report_alerts
from paymatch.usecases.connectors.connectors import connector_alerts
from paymatch.usecases.customers.notices import wrong_person_alerts
from paymatch.usecases.customers.refund_requests import missing_details_alerts
from paymatch.usecases.fints.dialogues import fints_alerts
from paymatch.usecases.letters.letter_lists import letter_alerts
from paymatch.usecases.orders.synchronisation import sync_alerts
from paymatch.usecases.payouts.payout_alerts import payout_alerts
from paymatch.usecases.refunds.proof import money_out_alerts
from paymatch.usecases.refunds.refunds import given_back_twice_alerts, refunds_of_unpaid_alerts
from paymatch.usecases.refunds.releases import waiting_alerts
from paymatch.usecases.refunds.timing import deadline_alerts
from paymatch.usecases.reminders.reminder_lists import mail_alerts
from paymatch.usecases.reports.scheduled import waiting_export_alerts
from paymatch.usecases.shops.cooling_off import cooling_alerts
from paymatch.usecases.statements.accounts import unconfirmed_alerts
from paymatch.usecases.statements.bank_connections import ending_consents
from paymatch.usecases.statements.completeness import AccountKey, KeptGaps

CONFIRMED_WITHIN_BANK_DAYS: Final = 5
"""The time after which an announced payment must be in a final statement."""

_KINDS: Final = {
    GapKind.MISMATCH: AlertKind.BALANCE_MISMATCH,
    GapKind.UNREADABLE: AlertKind.UNREADABLE,
    GapKind.BALANCE: AlertKind.STATEMENT_GAP,
    GapKind.SEQUENCE: AlertKind.STATEMENT_GAP,
    GapKind.SUM: AlertKind.BALANCE_MISMATCH,
    GapKind.AMBIGUOUS: AlertKind.BALANCE_MISMATCH,
}


class AlertUnknown(Unknown):
    """There is no open alert with this id."""

    def __init__(self, alert_id: str) -> None:
        super().__init__(Message("alert-unknown", alert_id=repr(alert_id)))


def keep_alerts(tx: ShopTx, kept: KeptGaps | None = None) -> tuple[int, int]:
    """Raises new alerts and closes those without a cause; how many of each. Run by the worker's housekeeping.

    `kept` are the shop's gaps where nothing but an import changes them; None: all its postings are summed again.
    """
    now = tx.now
    rows = store.alerts(tx)
    causes = _causes(tx, kept or KeptGaps())
    wanted = {(alert.kind.value, alert.subject): alert for alert in causes}
    opened = {(row.kind, row.subject): row for row in rows}
    ids = Ids(now)
    raised = sum(store.raise_(tx, ids.new("al"), wanted[key], now) for key in sorted(wanted.keys() - opened))
    closed = [row for key, row in opened.items() if key not in wanted and row.kind in store.MANAGED]
    gone = [row.id for row in closed]
    _match_again(tx, [(row.kind, row.subject) for row in closed], now)
    return raised, store.resolve(tx, gone, now, by_hand=False) if gone else 0


def open_kinds(tx: ShopTx) -> dict[AlertKind, OpenAlerts]:
    """Kind -> the open alerts of it that the shop has, in the order of the kinds; of unreadable entries, how many wait.

    Entries are counted as the bank's page lists them: a file of only such entries raises two alerts, and may have many
    entries.
    """
    found = store.by_kind(tx)
    if AlertKind.UNREADABLE in found:
        waiting = import_errors.count_waiting(tx)
        found[AlertKind.UNREADABLE] = OpenAlerts(waiting) if waiting else found[AlertKind.UNREADABLE]
    return {kind: found[kind] for kind in AlertKind if kind in found}


def list_alerts(database: Database, shop: Shop, *, with_resolved: bool = False) -> list[dict[str, Any]]:
    """The shop's alerts, latest first."""
    with database.of_shop(shop) as tx:
        rows = store.alerts(tx, with_resolved=with_resolved)
    return [
        {
            "id": row.id, "level": "info" if row.kind in FOR_INFORMATION else "warning", "kind": row.kind,
            "subject": row.subject, "text": row.text, "code": row.text.code if isinstance(row.text, Message) else "",
            "raisedAt": row.created_at, "resolvedAt": row.resolved_at,
        }
        for row in rows
    ]  # fmt: skip


def resolve(database: Database, shop: Shop, alert_id: str, clock: datetime) -> dict[str, Any]:
    """Closes an alert by hand: it is not raised again. AlertUnknown if there is no open one of this id."""
    with database.of_shop(shop, at=clock) as tx:
        kind, subject = store.kind_and_subject(tx, alert_id)
        if not store.resolve(tx, [alert_id], shop.now(clock), by_hand=True):
            raise AlertUnknown(alert_id)
        _match_again(tx, [(kind, subject)], shop.now(clock))
        record(tx, shop, AuditAction.ALERT_RESOLVED, alert_id, after={"alert": kind})
    return {"id": alert_id, "resolved": True}


def _match_again(tx: ShopTx, closed: Iterable[tuple[str, str]], now: datetime) -> None:
    """Schedules postings of statements that did not add up, once the statement does or a person has checked it."""
    looked_at = [part for kind, subject in closed if kind == AlertKind.BALANCE_MISMATCH for part in subject.split()]
    if looked_at:
        statements.mark_postings_of(tx, looked_at, now)


def _causes(tx: ShopTx, kept: KeptGaps) -> list[Alert]:
    """Every alert that has a cause now, raised already or not."""
    today = tx.today
    return [
        *_incomplete(kept.gaps(tx)),
        *failing_jobs(tx),
        *connector_alerts(tx),
        *stuck_cases(tx),
        *unpaid_report_alerts(tx),
        *unknown_rate_alerts(tx),
        *_callback_health(tx, tx.now),
        *_never_confirmed(tx, today),
        *unconfirmed_alerts(tx),
        *payout_alerts(tx),
        *ending_consents(tx, today),
        *ebics_alerts(tx),
        *fints_alerts(tx),
        *consent_alerts(tx),
        *mail_alerts(tx),
        *letter_alerts(tx),
        *sync_alerts(tx),
        *waiting_alerts(tx),
        *deadline_alerts(tx),
        *given_back_twice_alerts(tx),
        *money_out_alerts(tx, tx.now),
        *refunds_of_unpaid_alerts(tx),
        *cooling_alerts(tx),
        *wrong_person_alerts(tx),
        *missing_details_alerts(tx),
        *_unreadable(tx),
        *silent_feed_alerts(tx, today),
        *waiting_export_alerts(tx),
    ]


def _incomplete(gaps: Mapping[AccountKey, Sequence[Gap]]) -> Iterator[Alert]:
    for (account, currency), missing in gaps.items():
        for gap in missing:
            if not gap.proven:
                continue  # the balances meet: the bank has only counted differently
            subject = f"{account} {currency} {gap.kind} {gap.first_date} {' '.join(gap.statements)}"
            yield Alert(
                _KINDS[gap.kind],
                subject,
                Message("alert-gap", account=account or Message("account-not-named"), gap=gap.text),
            )


def _unreadable(tx: ShopTx) -> Iterator[Alert]:
    for import_id, name, count, reason in store.unreadable(tx):
        yield Alert(AlertKind.UNREADABLE, import_id, Message("alert-unreadable", file=name, count=count, reason=reason))


def _callback_health(tx: ShopTx, now: datetime) -> Iterator[Alert]:
    """The fault of the shop's callback receiver (docs/callbacks.md)."""
    given_up = health.given_up(tx, tx.shop.timezone)
    paused_at = callbacks.paused_at(tx)
    for day in given_up:
        said = Message(
            "alert-callbacks-given-up", count=day.count, day=day.day, order=day.order_number, error=day.error
        )
        yield Alert(AlertKind.CALLBACKS_GIVEN_UP, str(day.day), said)
    if not tx.shop.sends_callbacks or tx.shop.status is not ShopStatus.ACTIVE:
        return
    if paused_at is not None:
        gone = health.receiver_is_gone(tx)
        said = Message("alert-receiver-gone") if gone else Message("alert-callbacks-paused")
        yield Alert(AlertKind.CALLBACKS_PAUSED, f"{paused_at:%Y-%m-%dT%H:%M:%S}", said)
        return
    failing = health.failing_callbacks(tx, now - FAILING_AFTER)
    if failing is not None:
        said = Message("alert-callbacks-failing", count=failing.count, error=failing.error, **_moment(failing.since))
        yield Alert(AlertKind.CALLBACKS_FAILING, failing.first_id, said)


def failing_jobs(tx: ShopTx) -> Iterator[Alert]:
    """An alert per job that keeps failing; the subject names the series, so the next series raises a new alert."""
    for kind, failures, since, error in jobs.failing_jobs(tx, ALERT_AFTER):
        said = Message("alert-job-failing", kind=kind, count=failures, error=error, **_moment(since))
        yield Alert(AlertKind.JOB_FAILING, f"{kind} {since:%Y-%m-%dT%H:%M:%S}", said)


def _moment(at: datetime) -> dict[str, Value]:
    """A moment as sentences name it: its day and its time in UTC."""
    return {"day": at.date(), "time": f"{at:%H:%M}"}


def _never_confirmed(tx: ShopTx, today: date) -> Iterator[Alert]:
    for posting_id, account, currency, day, minor, name in store.never_confirmed(tx, today):
        if _confirmed_by(day) < today:
            said = Message(
                "alert-never-confirmed", account=account, amount=Sum(minor, currency), day=day,
                who=name or Message("nobody-named"),
            )  # fmt: skip
            yield Alert(AlertKind.NEVER_CONFIRMED, posting_id, said)


def _confirmed_by(day: date) -> date:
    for _ in range(CONFIRMED_WITHIN_BANK_DAYS):
        day = next_bank_day(day + timedelta(days=1))
    return day
