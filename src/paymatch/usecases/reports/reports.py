"""The reports: all are requested in the same way and return rows with the catalogue's columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from itertools import islice
from typing import Any, Final
from zoneinfo import ZoneInfo

from paymatch.domain.reports.asked import PeriodQuery, ReportRefused
from paymatch.domain.reports.catalogue import REPORTS, ReportDefinition
from paymatch.domain.reports.row_filter import ALL, RowFilter
from paymatch.domain.shops.shop import Shop
from paymatch.domain.words.message import Message
from paymatch.store.transactions import ShopTx
from paymatch.usecases.reports import cash, closing, figures, receivables, reconciliation

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ReportPage:
    """A page of a long report: after the row `after` (as `place` names it), at most `limit` rows."""

    after: str = ""
    limit: int | None = None


Maker = Callable[[ShopTx, Shop, PeriodQuery, ReportPage], Iterable[Row]]

_MAKERS: Final[Mapping[str, Maker]] = {
    "cash": lambda tx, shop, asked, _page: cash.months(tx, asked),
    "postings": lambda tx, shop, asked, page: cash.postings(tx, asked, _place(page.after), page.limit),
    "unexplained": lambda tx, shop, asked, page: cash.unexplained_postings(tx, asked, _place(page.after), page.limit),
    "open": lambda tx, shop, asked, page: receivables.open_orders(tx, asked, _place(page.after), page.limit),
    "customers": lambda tx, shop, asked, _page: receivables.by_customer(tx, asked),
    "reconciliation": lambda tx, shop, asked, _page: reconciliation.reconciliation(tx, asked.as_of),
    "ageing": lambda tx, shop, asked, _page: receivables.ageing(tx, asked.as_of),
    "overpaid": lambda tx, shop, asked, page: receivables.overpaid(tx, asked, page.after, page.limit),
    "fees": lambda tx, shop, asked, _page: figures.fees(tx, asked),
    "cash-in": lambda tx, shop, asked, _page: figures.cash_in(tx, asked),
    "matched": lambda tx, shop, asked, _page: figures.matches_by_way(tx, asked),
    "set-paid": lambda tx, shop, asked, _page: figures.set_paid(tx, asked),
    "dso": lambda tx, shop, asked, _page: figures.dso(tx, asked),
    "reminders": lambda tx, shop, asked, _page: figures.reminders(tx, asked),
    "close": lambda tx, shop, _asked, _page: closing.list_closed_months(tx),
}
assert _MAKERS.keys() == REPORTS.keys(), "every report has its maker"


def rows(
    tx: ShopTx, report: ReportDefinition, asked: PeriodQuery, page: ReportPage = ReportPage(), only: RowFilter = ALL
) -> Iterator[Row]:
    """The rows of a report that pass the filter; long reports are streamed."""
    if only.takes_all:
        yield from _MAKERS[report.name](tx, tx.shop, asked, page)
        return
    zone = ZoneInfo(tx.shop.timezone)
    found = _MAKERS[report.name](tx, tx.shop, asked, ReportPage(page.after))
    yield from islice((row for row in found if only.takes(row, zone)), page.limit)


def place(row: Row) -> str:
    """The place of a row in a long report, for the next page."""
    day = row.get("_day")
    return f"{day.isoformat()} {row['_id']}" if day else str(row["_id"])


def _place(text: str) -> tuple[date, str] | None:
    """Parses the text of `place`, None for ""; ReportRefused for anything else."""
    if not text:
        return None
    day, _, last = text.partition(" ")
    try:
        return date.fromisoformat(day), last
    except ValueError:
        raise ReportRefused(Message("report-parameter-after-not-valid"), parameter="after") from None
