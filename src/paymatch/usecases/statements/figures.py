"""Figures of postings for pages: what came in per day, the latest ones."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from paymatch.domain.calendar import place_after
from paymatch.store.statements import figures
from paymatch.store.statements.figures import DayIn
from paymatch.store.transactions import ShopTx


def cash_in(tx: ShopTx, today: date, days: int) -> list[tuple[date, DayIn]]:
    """(day, what was booked on it) of the last `days` days, the last one today."""
    first = today - timedelta(days=days - 1)
    booked = figures.cash_in(tx, tx.shop.currency, first, today)
    return [(day, booked.get(day, DayIn())) for day in (first + timedelta(days=n) for n in range(days))]


def latest(
    tx: ShopTx, *, status: str = "", import_id: str = "", after: str = "", limit: int = 50
) -> tuple[list[dict[str, Any]], str]:
    """(postings by import, the latest first; the key that the next page begins after, empty on the last one)."""
    before = place_after(after)
    rows = figures.latest(tx, status=status, import_id=import_id, before=before, limit=limit + 1)
    more = len(rows) > limit
    return list(rows[:limit]), f"{rows[limit - 1]['created_at'].isoformat()} {rows[limit - 1]['id']}" if more else ""
