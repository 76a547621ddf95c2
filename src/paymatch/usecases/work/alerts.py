"""Alerts: raised where something is missing, closed by themselves when it has come, or by a person."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from typing import Any, Final

from paymatch.domain.bank_days import next_bank_day
from paymatch.domain.books.completeness import GapKind
from paymatch.domain.callbacks.deliveries import FAILING_AFTER
from paymatch.domain.refusal import Unknown
from paymatch.domain.shops.alerts import FOR_INFORMATION, Alert, AlertKind, silent_after
from paymatch.domain.shops.audit import DeedKind
from paymatch.domain.shops.shop import Shop, ShopStatus
from paymatch.domain.shops.shop_jobs import ALERT_AFTER
from paymatch.domain.words.recognised import recognised
from paymatch.domain.words.said import Said, Sum, Value
from paymatch.store.callbacks import callbacks, health
from paymatch.store.database import Database, ShopId, Tx
from paymatch.store.ids import Ids
from paymatch.store.statements import import_errors
from paymatch.store.work import alerts as store
from paymatch.store.work import shop_jobs as jobs
from paymatch.usecases.collection.base_rates import unknown_rate_alerts
from paymatch.usecases.collection.cases import stuck_cases
from paymatch.usecases.connectors.connectors import connector_alerts
from paymatch.usecases.customers.notices import wrong_person_alerts
from paymatch.usecases.customers.refund_requests import missing_details_alerts
from paymatch.usecases.letters.letter_lists import letter_alerts
from paymatch.usecases.orders.synchronisation import sync_alerts
from paymatch.usecases.refunds.new_powers import new_power_alerts
from paymatch.usecases.refunds.releases import waiting_alerts
from paymatch.usecases.reminders.reminder_lists import mail_alerts
from paymatch.usecases.statements.accounts import unconfirmed_alerts
from paymatch.usecases.statements.bank_connections import ending_consents
from paymatch.usecases.statements.completeness import gaps
from paymatch.usecases.work.audit import record_deed

CONFIRMED_WITHIN_BANK_DAYS: Final = 5
"""An announced payment stands in a final statement by then."""

_KINDS: Final = {
    GapKind.MISMATCH: AlertKind.BALANCE_MISMATCH,
    GapKind.UNREADABLE: AlertKind.UNREADABLE,
    GapKind.BALANCE: AlertKind.STATEMENT_GAP,
    GapKind.SEQUENCE: AlertKind.STATEMENT_GAP,
}


class AlertUnknown(Unknown):
    """There is no open alert of this id."""

    def __init__(self, alert_id: str) -> None:
        super().__init__(f"There is no open alert {alert_id!r}")


def keep_alerts(tx: Tx, shop: Shop, clock: datetime) -> tuple[int, int]:
    """Raises what is new and closes what has gone; how many of each. Run by the worker's housekeeping."""
    shop_id, now = ShopId(shop.id), shop.now(clock)
    wanted = {(alert.kind.value, alert.subject): alert for alert in _causes(tx, shop, clock)}
    opened = {(row.kind, row.subject): row for row in store.alerts(tx, shop_id)}
    ids = Ids(now)
    raised = sum(store.raise_(tx, shop_id, ids.new("al"), wanted[key], now) for key in sorted(wanted.keys() - opened))
    gone = [row.id for key, row in opened.items() if key not in wanted and row.kind in store.MANAGED]
    return raised, store.resolve(tx, shop_id, gone, now, by_hand=False)


def open_kinds(tx: Tx, shop: Shop) -> dict[AlertKind, int]:
    """Kind -> how many open alerts of it the shop has, in the order of the kinds; of unreadable entries, how many wait.

    Entries are counted as the bank's page lists them: a file of theirs alone raises two alerts, and may hold many.
    """
    found = store.by_kind(tx, ShopId(shop.id))
    if AlertKind.UNREADABLE in found:
        found[AlertKind.UNREADABLE] = import_errors.waiting(tx, ShopId(shop.id)) or found[AlertKind.UNREADABLE]
    return {kind: found[kind] for kind in AlertKind if kind in found}


def list_alerts(database: Database, shop: Shop, *, with_resolved: bool = False) -> list[dict[str, Any]]:
    """The shop's alerts, latest first."""
    with database.transaction(ShopId(shop.id)) as tx:
        rows = store.alerts(tx, ShopId(shop.id), with_resolved=with_resolved)
    return [
        {
            "id": row.id, "level": "info" if row.kind in FOR_INFORMATION else "warning", "kind": row.kind,
            "subject": row.subject, "text": row.text, "code": row.text.code if isinstance(row.text, Said) else "",
            "raisedAt": row.created_at, "resolvedAt": row.resolved_at,
        }
        for row in rows
    ]  # fmt: skip


def resolve(database: Database, shop: Shop, alert_id: str, clock: datetime) -> dict[str, Any]:
    """Closes an alert by hand: it is not raised again. AlertUnknown if there is no open one of this id."""
    with database.transaction(ShopId(shop.id)) as tx:
        kind = store.kind_of(tx, ShopId(shop.id), alert_id)
        if not store.resolve(tx, ShopId(shop.id), [alert_id], shop.now(clock), by_hand=True):
            raise AlertUnknown(alert_id)
        record_deed(tx, shop, DeedKind.ALERT_RESOLVED, alert_id, after={"alert": kind})
    return {"id": alert_id, "resolved": True}


def _causes(tx: Tx, shop: Shop, clock: datetime) -> Iterator[Alert]:
    shop_id, today = ShopId(shop.id), shop.today(clock)
    for (account, currency), missing in gaps(tx, shop_id).items():
        for gap in missing:
            if not gap.proven:
                continue  # the balances meet: the bank has only counted differently
            subject = f"{account} {currency} {gap.kind} {gap.first_date} {' '.join(gap.statements)}"
            yield Alert(
                _KINDS[gap.kind], subject, Said("alert-gap", account=account or Said("account-not-named"), gap=gap.text)
            )
    yield from failing_jobs(tx, shop_id)
    yield from connector_alerts(tx, shop)
    yield from stuck_cases(tx, shop_id)
    yield from unknown_rate_alerts(tx, shop, clock)
    yield from _callback_health(tx, shop, shop.now(clock))
    yield from _never_confirmed(tx, shop_id, today)
    yield from unconfirmed_alerts(tx, shop_id)
    yield from ending_consents(tx, shop_id, today)
    yield from mail_alerts(tx, shop)
    yield from letter_alerts(tx, shop, clock)
    yield from sync_alerts(tx, shop, clock)
    yield from waiting_alerts(tx, shop_id)
    yield from new_power_alerts(tx, shop)
    yield from wrong_person_alerts(tx, shop)
    yield from missing_details_alerts(tx, shop)
    for import_id, name, count, reason in store.unreadable(tx, shop_id):
        yield Alert(AlertKind.UNREADABLE, import_id, Said("alert-unreadable", file=name, count=count, reason=reason))
    for account, days in store.statement_days(tx, shop_id).items():
        expected = silent_after(days)
        if expected is not None and today > expected:
            said = Said("alert-silent-feed", account=account, day=days[-1])
            yield Alert(AlertKind.SILENT_FEED, f"{account} {days[-1]}", said)


def _callback_health(tx: Tx, shop: Shop, now: datetime) -> Iterator[Alert]:
    """What is wrong with the shop's receiver of callbacks (docs/callbacks.md)."""
    shop_id = ShopId(shop.id)
    for day in health.given_up(tx, shop_id, shop.timezone):
        error = recognised(day.error)
        said = Said("alert-callbacks-given-up", count=day.count, day=day.day, order=day.order_number, error=error)
        yield Alert(AlertKind.CALLBACKS_GIVEN_UP, str(day.day), said)
    if not shop.sends_callbacks or shop.status is not ShopStatus.ACTIVE:
        return
    paused_at = callbacks.paused_at(tx, shop_id)
    if paused_at is not None:
        gone = health.receiver_is_gone(tx, shop_id)
        said = Said("alert-receiver-gone") if gone else Said("alert-callbacks-paused")
        yield Alert(AlertKind.CALLBACKS_PAUSED, f"{paused_at:%Y-%m-%dT%H:%M:%S}", said)
        return
    failing = health.failing(tx, shop_id, now - FAILING_AFTER)
    if failing is not None:
        error = recognised(failing.error)
        said = Said("alert-callbacks-failing", count=failing.count, error=error, **_moment(failing.since))
        yield Alert(AlertKind.CALLBACKS_FAILING, failing.first_id, said)


def failing_jobs(tx: Tx, shop_id: ShopId) -> Iterator[Alert]:
    """An alert per job that fails again and again; the subject names the series, so that the next one is news."""
    for kind, failures, since, error in jobs.failing(tx, shop_id, ALERT_AFTER):
        said = Said("alert-job-failing", kind=kind, count=failures, error=error, **_moment(since))
        yield Alert(AlertKind.JOB_FAILING, f"{kind} {since:%Y-%m-%dT%H:%M:%S}", said)


def _moment(at: datetime) -> dict[str, Value]:
    """A moment as sentences name it: its day and its time in UTC."""
    return {"day": at.date(), "time": f"{at:%H:%M}"}


def _never_confirmed(tx: Tx, shop_id: ShopId, today: date) -> Iterator[Alert]:
    for posting_id, account, currency, day, minor, name in store.never_confirmed(tx, shop_id, today):
        if _confirmed_by(day) < today:
            said = Said(
                "alert-never-confirmed", account=account, amount=Sum(minor, currency), day=day,
                who=name or Said("nobody-named"),
            )  # fmt: skip
            yield Alert(AlertKind.NEVER_CONFIRMED, posting_id, said)


def _confirmed_by(day: date) -> date:
    for _ in range(CONFIRMED_WITHIN_BANK_DAYS):
        day = next_bank_day(day + timedelta(days=1))
    return day
