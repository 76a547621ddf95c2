"""Figures of postings for pages: money in per day, the latest postings."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from paymatch.store.lists.sorted_lists import AskedPage, PageOfRows
from paymatch.store.statements import figures
from paymatch.store.statements.figures import DayIn
from paymatch.store.transactions import ShopTx


def cash_in(tx: ShopTx, today: date, days: int) -> list[tuple[date, DayIn]]:
    """(day, booked sum) of the last `days` days, up to today."""
    first = today - timedelta(days=days - 1)
    booked = figures.cash_in(tx, tx.shop.currency, first, today)
    return [(day, booked.get(day, DayIn())) for day in (first + timedelta(days=n) for n in range(days))]


def latest(tx: ShopTx, *, status: str = "", import_id: str = "", asked: AskedPage) -> PageOfRows[dict[str, Any]]:
    """Postings by import, the latest first unless sorted."""
    return figures.latest(tx, status=status, import_id=import_id, asked=asked)
