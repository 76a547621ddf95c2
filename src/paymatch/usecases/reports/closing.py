"""Closing a month: its content is kept and sealed; later changes are listed, never silent (D-50)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime
from typing import Any, Final

import msgspec

from paymatch.domain.reports.asked import PeriodQuery, ReportRefused, month_end, month_of
from paymatch.domain.reports.seal import seal
from paymatch.domain.shops.audit import AuditAction
from paymatch.domain.shops.shop import Shop
from paymatch.domain.words.message import Message, as_text
from paymatch.store.database import Database
from paymatch.store.reports import closings as store
from paymatch.store.reports.closings import ClosedMonth
from paymatch.store.transactions import ShopTx
from paymatch.usecases.audit import record
from paymatch.usecases.reports import cash, figures, journal, receivables

Row = dict[str, Any]
CHANGES_AT_ONCE: Final = 1000


def close(database: Database, shop: Shop, month: date, clock: datetime) -> Row:
    """Closes a month permanently; returns its list entry. ReportRefused while it is not over, or if it is closed.

    Nothing is locked: later corrections are listed as changes.
    """
    today = shop.today(clock)
    month = month_of(month)
    with database.of_shop(shop, at=clock) as tx:
        store.lock(tx)
        closed = check_open(tx, month)
        journal.leave(tx, month, month_end(month), clock)
        count = store.keep_postings(tx, month, month_end(month))
        summary = _summary(tx, month, today)
        previous = closed[-1].hash if closed else b""
        sealed = seal(previous, month, summary, store.lines(tx, month))
        added = ClosedMonth(
            month, len(closed) + 1, shop.now(clock), today, tx.actor.name, count, summary, sealed
        )  # fmt: skip
        store.add(tx, added)
        record(
            tx, shop, AuditAction.MONTH_CLOSED, f"{month:%Y-%m}", after={"postings": count, "hash": sealed.hex()}
        )  # fmt: skip
        return _closed_month_row(tx, added, is_whole=True)


def check_open(tx: ShopTx, month: date) -> list[ClosedMonth]:
    """The months that are closed; ReportRefused unless the month is over and not closed."""
    month = month_of(month)
    if month_end(month) >= tx.today:
        raise ReportRefused(Message("report-month-not-over", month=f"{month:%Y-%m}"), parameter="month")
    closed = store.months(tx)
    if any(each.month == month for each in closed):
        raise ReportRefused(Message("report-month-closed-already", month=f"{month:%Y-%m}"), parameter="month")
    return closed


def _summary(tx: ShopTx, month: date, today: date) -> str:
    """As JSON: the month's balances and days until paid as known today, and the open items at its end."""
    asked = PeriodQuery(month, month_end(month), today)
    said = {
        "cash": cash.months(tx, asked), "open": receivables.open_sums(tx, month_end(month)),
        "paid": figures.paid_in_month(tx, asked),
    }  # fmt: skip
    return msgspec.json.encode(said, order="sorted", enc_hook=as_text).decode()


def list_closed_months(tx: ShopTx) -> list[Row]:
    """The closed months, the latest first: whether each seal is valid, and how much has changed since."""
    found, previous = [], b""
    for each in sorted(store.months(tx), key=lambda closed: closed.seq):
        is_whole = seal(previous, each.month, each.summary, store.lines(tx, each.month)) == each.hash
        previous = each.hash
        found.append(_closed_month_row(tx, each, is_whole=is_whole))
    return sorted(found, key=lambda row: row["month"], reverse=True)


def whole_months(tx: ShopTx) -> frozenset[date]:
    """The closed months with valid seals."""
    return frozenset(row["month"] for row in list_closed_months(tx) if row["seal"] == "holds")


def seal_anew(tx: ShopTx, whole: frozenset[date]) -> dict[str, str]:
    """Month -> new hash of the months that an erased person was named in, and of those chained to them (D-63).

    Only valid seals are renewed: erasing a person never repairs a broken seal.
    """
    previous, found = b"", {}
    for each in store.months(tx):
        sealed = each.hash
        if each.month in whole:
            sealed = seal(previous, each.month, each.summary, store.lines(tx, each.month))
        if sealed != each.hash:
            store.set_hash(tx, each.month, sealed)
            found[f"{each.month:%Y-%m}"] = sealed.hex()
        previous = sealed
    return found


def overview(tx: ShopTx) -> list[Row]:
    """The closed months, the latest first, with their changes from the history; without checking the seals."""
    counts = store.changes_by_history(tx)
    found = [_row(each, counts.get(each.month, 0)) for each in store.months(tx)]
    return sorted(found, key=lambda row: row["month"], reverse=True)


def holds(tx: ShopTx, month: date) -> bool | None:
    """Whether the seal of a month is valid; None if it is not closed."""
    previous = b""
    for each in store.months(tx):
        if each.month == month:
            return seal(previous, month, each.summary, store.lines(tx, month)) == each.hash
        previous = each.hash
    return None


def _row(closed: ClosedMonth, changes: int) -> Row:
    return {
        "month": closed.month,
        "closedAt": closed.closed_at,
        "closedBy": closed.closed_by,
        "postings": closed.postings,
        "changes": changes,
        "hash": closed.hash.hex(),
    }


def _closed_month_row(tx: ShopTx, closed: ClosedMonth, *, is_whole: bool) -> Row:
    changed = store.count_changes(tx, closed.month, month_end(closed.month))
    return _row(closed, changed) | {"seal": "holds" if is_whole else "broken"}


def changes(tx: ShopTx, month: date) -> Iterator[Row]:
    """The postings of a closed month that differ from the sealed ones, up to CHANGES_AT_ONCE.

    `before` and `after` are None where there was or is no such posting. ReportRefused if the month is not closed.
    """
    month = month_of(month)
    if all(each.month != month for each in store.months(tx)):
        raise ReportRefused(Message("report-month-not-closed", month=f"{month:%Y-%m}"), parameter="month")
    for row in store.changes(tx, month, month_end(month), CHANGES_AT_ONCE):
        yield {"id": row.posting_id, "before": _read(row.before), "after": _read(row.after)}


def _read(explained: str | None) -> Row | None:
    if explained is None:
        return None
    account, currency, day, amount, state, reason, parts = msgspec.json.decode(explained)
    return {
        "account": account, "currency": currency, "bookingDate": date.fromisoformat(day), "amount": amount,
        "state": state, "reason": str(reason), "orders": [tuple(part[:4]) for part in parts],
    }  # fmt: skip
