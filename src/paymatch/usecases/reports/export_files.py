"""Exports as files: their names, and their bytes in a stream."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, BinaryIO, Final
from zoneinfo import ZoneInfo

from paymatch.domain.reports.asked import ExportUnknown
from paymatch.domain.reports.exports import EXPORTS, FILES
from paymatch.domain.reports.row_filter import ALL, FilterRefused, RowFilter, row_filter
from paymatch.domain.words.message import Message
from paymatch.outbound.files import Files
from paymatch.store.transactions import ShopTx
from paymatch.usecases.reports import exports, journal, sheets
from paymatch.usecases.reports.exports import ExportRefused

_PIECE: Final = 64_000


@dataclass(frozen=True, slots=True)
class DeliveredPart:
    """A scheduled delivery: the number of the supplement, 0 for a period, and the postings (D-115)."""

    supplement: int
    postings: frozenset[str]


@dataclass(frozen=True, slots=True)
class ExportRequest:
    """The content and days of an export; `statuses` are those of orders and refunds, all if none is named.

    `only` selects rows of a table; files for bookkeeping programs are whole. `part`: a scheduled delivery.
    """

    name: str
    first: date
    last: date
    statuses: Sequence[str] = ()
    sales: bool = False
    only: RowFilter = ALL
    part: DeliveredPart | None = None

    @property
    def supplement(self) -> int | None:
        """The number of the supplement, 0 for a scheduled period; None for a person's export."""
        return None if self.part is None else self.part.supplement


def file_name(wanted: ExportRequest, *, with_days: bool = False) -> str:
    """The name of the file, with its days or its supplement's number if several share a place."""
    days = f"-{wanted.first}-{wanted.last}" if with_days else ""
    if wanted.supplement:
        days = f"-supplement-{wanted.supplement}"
    if wanted.name in FILES:
        return FILES[wanted.name][0].format(days=days)
    return f"{wanted.name}{days}.csv"


def media_type(wanted: ExportRequest) -> str:
    """The file's media type."""
    return FILES[wanted.name][1] if wanted.name in FILES else "text/csv; charset=utf-8"


def check(tx: ShopTx, wanted: ExportRequest) -> None:
    """ExportUnknown, or ExportRefused for an impossible export, before any of it is sent."""
    if wanted.name not in EXPORTS and wanted.name not in FILES:
        raise ExportUnknown(wanted.name)
    if wanted.name == "datev":
        exports.check_datev(tx, wanted.first, wanted.last, sales=wanted.sales)
    if wanted.name == "datev-documents":
        _invoices(tx, wanted)


def _invoices(tx: ShopTx, wanted: ExportRequest) -> Sequence[Any]:
    postings = wanted.part.postings if wanted.part is not None and wanted.part.supplement else None
    return exports.invoices_of(tx, wanted.first, wanted.last, sales=wanted.sales, postings=postings)


BOOKINGS: Final = frozenset({"journal", "datev", "beancount"})
"""The exports that are made of bookings."""


def prepare(tx: ShopTx, wanted: ExportRequest, now: datetime) -> None:
    """Before a file is written, in a separate transaction: refuses as `check` does; whole months become final.

    A part of the journal is only a view of it, and an unfinished month is not final.
    """
    check(tx, wanted)
    if wanted.name in BOOKINGS and wanted.only.takes_all:
        journal.leave_whole_months(tx, wanted.first, wanted.last, now)
        keep_header(tx, wanted, now)


def keep_header(tx: ShopTx, wanted: ExportRequest, now: datetime) -> None:
    """A file of final days keeps its header from now on, and so does a supplement."""
    if wanted.supplement or journal.have_left(tx, wanted.first, wanted.last):
        exports.keep_header(
            tx, wanted.name, wanted.first, wanted.last, now, sales=wanted.sales, supplement=wanted.supplement
        )  # fmt: skip


def only(name: str, where: Sequence[str], word: str) -> RowFilter:
    """The wanted rows of the table; FilterRefused, also for a whole file."""
    if not "".join(where).strip() and not word.strip():
        return ALL
    if name in FILES:
        raise FilterRefused(
            Message("filter-exported-whole", name=name), parameter="where" if "".join(where).strip() else "search"
        )
    if name not in EXPORTS:
        raise ExportUnknown(name)
    return row_filter(EXPORTS[name], where, word)


def write_xlsx(tx: ShopTx, wanted: ExportRequest, file: BinaryIO) -> None:
    """Writes a table as XLSX."""
    sheets.as_xlsx(file, EXPORTS[wanted.name], tx.shop, _rows(tx, wanted))


_POSTING_COLUMNS: Final = {"postings": "id", "allocations": "postingId", "fees": "postingId"}
"""Where tables of postings name them."""


def _rows(tx: ShopTx, wanted: ExportRequest) -> Iterable[Mapping[str, Any]]:
    rows = exports.rows(
        tx, wanted.name, wanted.first, wanted.last, wanted.statuses, sales=wanted.sales, supplement=wanted.supplement
    )
    if wanted.part is not None and wanted.name in _POSTING_COLUMNS:
        column, postings = _POSTING_COLUMNS[wanted.name], wanted.part.postings
        return (row for row in rows if row[column] in postings)
    if wanted.only.takes_all:
        return rows
    zone = ZoneInfo(tx.shop.timezone)
    return (row for row in rows if wanted.only.takes(row, zone))


def pieces(file: BinaryIO) -> Iterator[bytes]:
    """The content written to the file, from its beginning."""
    file.seek(0)
    while piece := file.read(_PIECE):
        yield piece


def chunks(tx: ShopTx, wanted: ExportRequest, now: datetime, kept: Files | None) -> Iterator[bytes]:
    """The file, streamed on demand: a table as CSV. ExportRefused as in `check`.

    `kept` is the store of invoices; without it DATEV documents are refused.
    """
    check(tx, wanted)
    first, last, sales, supplement = wanted.first, wanted.last, wanted.sales, wanted.supplement
    match wanted.name:
        case "datev":
            return exports.as_datev(tx, first, last, now, sales=sales, supplement=supplement)
        case "beancount":
            return exports.as_beancount(tx, first, last, sales=sales, supplement=supplement)
        case "datev-documents":
            return _documents(tx, wanted, now, kept)
    return sheets.as_csv(EXPORTS[wanted.name], tx.shop, _rows(tx, wanted))


def _documents(tx: ShopTx, wanted: ExportRequest, now: datetime, kept: Files | None) -> Iterator[bytes]:
    """The package is written before its first byte is sent: it begins with data that is known last."""
    if kept is None:
        raise ExportRefused(Message("export-process-no-place-invoices"))
    with tempfile.TemporaryFile() as file:
        exports.as_datev_documents(tx, _invoices(tx, wanted), tx.shop.now(now), kept, file)
        yield from pieces(file)
