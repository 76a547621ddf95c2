"""Alerts in PostgreSQL."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

from psycopg.types.json import Jsonb

from paymatch.domain.shops.alerts import OF_EVENTS, Alert, AlertKind
from paymatch.domain.words.message import Message, said_today, to_json
from paymatch.store.connection import build
from paymatch.store.ids import new_id
from paymatch.store.messages import recall
from paymatch.store.transactions import ShopTx


@dataclass(frozen=True, slots=True)
class AlertRow:
    """A stored alert; `resolved_at` None while it is open."""

    id: str
    kind: str
    subject: str
    text: str  # in its code's present words; the stored words if it has no code
    created_at: datetime
    resolved_at: datetime | None


def alerts(tx: ShopTx, *, with_resolved: bool = False) -> list[AlertRow]:
    """The shop's alerts, latest first."""
    rows = tx.rows(
        "SELECT id, kind, subject, text, code, named, created_at, resolved_at FROM alerts"
        " WHERE shop_id = $1 AND ($2 OR resolved_at IS NULL) ORDER BY created_at DESC, id DESC",
        tx.shop_id,
        with_resolved,
    )
    return [
        AlertRow(
            row.id, row.kind, row.subject, said_today(row.text, row.code, row.named), row.created_at, row.resolved_at
        )
        for row in rows
    ]  # fmt: skip


@dataclass(frozen=True, slots=True)
class OpenAlerts:
    """The number of open alerts of a kind, and the first orders that they name."""

    count: int
    orders: tuple[str, ...] = ()


_OPEN_BY_KIND: Final = """
SELECT kind, count(*),
       (array_agg(named ->> 'order' ORDER BY named ->> 'order') FILTER (WHERE named ->> 'order' <> ''))[:3]
FROM alerts WHERE shop_id = $1 AND resolved_at IS NULL GROUP BY kind"""


def by_kind(tx: ShopTx) -> dict[str, OpenAlerts]:
    """Kind -> the shop's open alerts of it; three orders at most."""
    return {kind: OpenAlerts(count, tuple(orders or ())) for kind, count, orders in tx.rows(_OPEN_BY_KIND, tx.shop_id)}


def raise_(tx: ShopTx, alert_id: str, alert: Alert, now: datetime) -> bool:
    """Stores an alert; False if it is open already, or a person has closed it."""
    return _insert(tx, alert_id, alert.kind, alert.subject, alert.text, now)


def resolve(tx: ShopTx, alert_ids: Collection[str], now: datetime, *, by_hand: bool) -> int:
    """Closes open alerts; how many there were."""
    return tx.run(
        "UPDATE alerts SET resolved_at = $3, resolved_by_hand = $4"
        " WHERE shop_id = $1 AND id = ANY($2) AND resolved_at IS NULL",
        tx.shop_id,
        list(alert_ids),
        now,
        by_hand,
    )


def kind_and_subject(tx: ShopTx, alert_id: str) -> tuple[str, str]:
    """The subject of the alert; two empty texts if the shop has no such alert."""
    row = tx.row("SELECT kind, subject FROM alerts WHERE shop_id = $1 AND id = $2", tx.shop_id, alert_id)
    return (row.kind, row.subject) if row else ("", "")


@dataclass(frozen=True, slots=True)
class ReportedMail:
    """An open alert about a mail; `error` is the report's text."""

    id: str
    subject: str
    error: str


def open_about(tx: ShopTx, kind: AlertKind, subjects: Collection[str]) -> list[ReportedMail]:
    """The open alerts of a kind about these mails."""
    rows = tx.rows(
        "SELECT id, subject, coalesce(named ->> 'error', '') AS error FROM alerts WHERE shop_id = $1 AND kind = $2"
        " AND subject = ANY($3) AND resolved_at IS NULL ORDER BY id",
        tx.shop_id,
        kind,
        list(subjects),
    )
    return [build(ReportedMail, row) for row in rows]


def resolve_about(tx: ShopTx, subject: str, now: datetime) -> None:
    """Closes the open alerts about a subject, whose cause is gone."""
    tx.put(
        "UPDATE alerts SET resolved_at = $3 WHERE shop_id = $1 AND subject = $2 AND resolved_at IS NULL",
        tx.shop_id,
        subject,
        now,
    )


def open_kinds(tx: ShopTx, kinds: Collection[str]) -> set[str]:
    """Those of the kinds with an open alert."""
    rows = tx.rows(
        "SELECT DISTINCT kind FROM alerts WHERE shop_id = $1 AND kind = ANY($2) AND resolved_at IS NULL",
        tx.shop_id,
        list(kinds),
    )
    return {row[0] for row in rows}


def never_confirmed(tx: ShopTx, before: date) -> list[tuple[str, str, str, date, int, str]]:
    """(posting, account, currency, booking date, amount, name) of postings that are only announced, from before a day.

    Accounts without any final statement are left out: such a shop only gets announcements.
    """
    rows = tx.rows(
        "SELECT p.id, p.account, p.currency, p.booking_date, p.amount_minor, p.counterparty_name FROM postings p"
        " WHERE p.shop_id = $1 AND p.source <> 'FINAL' AND p.booking_date < $2 AND EXISTS (SELECT FROM statements s"
        " WHERE s.shop_id = $1 AND s.account = p.account AND s.source = 'FINAL')"
        " ORDER BY p.booking_date, p.id LIMIT 200",
        tx.shop_id,
        before,
    )
    return [
        (posting, account, currency, day, amount_minor, name)
        for posting, account, currency, day, amount_minor, name in rows
    ]


def statement_days(tx: ShopTx) -> dict[str, list[date]]:
    """Account -> last days of its statements."""
    found: dict[str, list[date]] = {}
    rows = tx.rows(
        "SELECT DISTINCT account, last_date FROM statements WHERE shop_id = $1 AND last_date IS NOT NULL"
        " AND account <> '' ORDER BY 1, 2",
        tx.shop_id,
    )
    for account, day in rows:
        found.setdefault(account, []).append(day)
    return found


def unreadable(tx: ShopTx) -> list[tuple[str, str, int, str]]:
    """(import, file, number of unreadable entries, first reason) of imports with entries that a person must see."""
    rows = tx.rows(
        "SELECT i.id, i.file_name, count(*), (array_agg(e.reason ORDER BY e.reason, e.position))[1],"
        " (array_agg(e.reason_message ORDER BY e.reason, e.position))[1] FROM import_errors e"
        " JOIN imports i ON i.shop_id = e.shop_id AND i.id = e.import_id"
        " WHERE e.shop_id = $1 AND e.resolved_at IS NULL AND i.status = 'BOOKED' GROUP BY 1, 2 ORDER BY 1",
        tx.shop_id,
    )
    return [
        (import_id, file_name, entries, recall(reason, kept)) for import_id, file_name, entries, reason, kept in rows
    ]


MANAGED: Final = tuple(kind for kind in AlertKind if kind not in OF_EVENTS)
"""Kinds that housekeeping raises, and closes when their cause is gone."""


def add(tx: ShopTx, kind: str, subject: str, text: Message, now: datetime) -> bool:
    """Raises an alert unless one of its kind about the subject is open or was closed by a person; whether it is new."""
    return _insert(tx, new_id("al", now), kind, subject, text, now)


def _insert(tx: ShopTx, alert_id: str, kind: str, subject: str, text: Message, now: datetime) -> bool:
    words = to_json(text)
    return bool(
        tx.run(
            "INSERT INTO alerts (shop_id, id, kind, subject, text, code, named, created_at)"
            " SELECT $1, $2, $3, $4, $5, $6, $7, $8"
            " WHERE NOT EXISTS (SELECT FROM alerts WHERE shop_id = $1 AND kind = $3 AND subject = $4"
            " AND resolved_by_hand) ON CONFLICT (shop_id, kind, subject) WHERE resolved_at IS NULL DO NOTHING"
            " RETURNING 1",
            tx.shop_id, alert_id, kind, subject, str(text), words["code"], Jsonb(words["values"]), now,
        )
    )  # fmt: skip


def subjects(tx: ShopTx, kind: str) -> set[str]:
    """What alerts of this kind have ever been raised about, resolved ones included."""
    return {row[0] for row in tx.rows("SELECT subject FROM alerts WHERE shop_id = $1 AND kind = $2", tx.shop_id, kind)}


def resolve_others(tx: ShopTx, kind: str, still_open: Collection[str], now: datetime) -> None:
    """Resolves the open alerts of this kind whose subject is not among `still_open`."""
    tx.put(
        "UPDATE alerts SET resolved_at = $4 WHERE shop_id = $1 AND kind = $2 AND resolved_at IS NULL"
        " AND NOT subject = ANY($3)",
        tx.shop_id,
        kind,
        list(still_open),
        now,
    )
