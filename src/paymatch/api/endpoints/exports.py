"""Our addition to the API: exports, as the command line and the merchant area write them (docs/exports.md)."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Final

from paymatch.api import parameters
from paymatch.api.call import ApiAnswer, ApiCall
from paymatch.api.contents import BINARY
from paymatch.api.refusals import INVALID_DAY, OF_PERIODS, ours
from paymatch.api.router import endpoint
from paymatch.api.sections import REPORTS as SECTION
from paymatch.domain.orders.settlement import PaymentStatus
from paymatch.domain.refunds.refunds import RefundStatus
from paymatch.domain.reports.asked import ask
from paymatch.domain.reports.catalogue import REPORTS
from paymatch.domain.reports.exports import EXPORTS
from paymatch.domain.reports.row_filter import EXPECTED
from paymatch.formats.contract.values import invalid
from paymatch.usecases.reports import export_files
from paymatch.usecases.reports.export_files import ExportRequest

_XLSX: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_STATUSES: Final = {"orders": tuple(PaymentStatus), "refunds": tuple(RefundStatus)}


@dataclass(frozen=True, slots=True)
class ExportQuery:
    """Which days and rows, and in which form."""

    from_: date | None = parameters.day("First day; usually the first of the month before.")
    to: date | None = parameters.day("Last day; usually today.")
    format: str = parameters.text(
        "Of tables; all else is one file.", default="csv", enum=["csv", "xlsx"], title="ExportFormat"
    )
    status: str = parameters.text(
        "Statuses of orders or refunds, separated by commas.", pattern="^([A-Z_]+(,[A-Z_]+)*)?$"
    )
    where: str = parameters.text(f"Only rows of a table that hold: {EXPECTED}.")
    search: str = parameters.text("Only rows of a table with this word in one of their texts.")
    sales: bool = parameters.flag("Also book the orders, as revenue.")


@endpoint(
    "GET",
    "exports/{export}",
    SECTION,
    "Export a table or a file for bookkeeping",
    "Tables (orders, postings, allocations, refunds, fees, journal) as CSV or XLSX, a DATEV file, the invoices that"
    " it links, or a beancount ledger. The command line and the merchant area write the same files.",
    answer={
        "text/csv": {"schema": {"type": "string"}},
        "text/plain": {"schema": {"type": "string"}},
        "application/zip": {"schema": BINARY},
        _XLSX: {"schema": BINARY},
    },
    refusals=(
        ours(404, "Export '<name>' not found", "There is no such export."),
        INVALID_DAY,
        *OF_PERIODS,
        ours(
            400,
            "<what of the filter is wrong>",
            "Filter by a column that the table has, with a value that it can hold.",
        ),
        ours(
            400,
            "<what a DATEV file lacks>",
            "Its numbers, the rate of a currency, days of one fiscal year, or room for the documents.",
        ),
    ),
)
def read_export(call: ApiCall, query: ExportQuery) -> ApiAnswer:
    """A table as CSV or XLSX, or a file for a bookkeeping program, of a period. 404 for an unknown one.

    What is refused is refused before the first byte.
    """
    name = call.params["export"]
    asked = ask(REPORTS["fees"], call.today, query.from_, query.to)
    only = export_files.only(name, [query.where], query.search)
    wanted = ExportRequest(name, asked.first, asked.last, _statuses(query.status, name), query.sales, only)
    export_files.check(call.tx, wanted)
    formats = ("csv", "xlsx") if name in EXPORTS else ("csv",)
    if query.format not in formats:
        raise invalid("format", allowed=formats)
    with call.transaction() as tx:
        export_files.prepare(tx, wanted, call.clock)
    if query.format == "xlsx":
        return _attachment(call, f"{name}.xlsx", _XLSX, _xlsx(call, wanted))
    return _attachment(call, export_files.file_name(wanted), export_files.media_type(wanted), _chunks(call, wanted))


def _statuses(said: str, name: str) -> tuple[str, ...]:
    found = tuple(filter(None, said.split(",")))
    allowed = _STATUSES.get(name, ())
    if not set(found) <= set(allowed):
        raise invalid("status", allowed=[str(each) for each in allowed])
    return found


def _attachment(call: ApiCall, name: str, media_type: str, chunks: Iterator[bytes]) -> ApiAnswer:
    return ApiAnswer(chunks, media_type, (("Content-Disposition", f'attachment; filename="{name}"'),))


def _chunks(call: ApiCall, wanted: ExportRequest) -> Iterator[bytes]:
    """The file, read while it is sent."""
    with call.transaction() as tx:
        yield from export_files.chunks(tx, wanted, call.clock, call.files)


def _xlsx(call: ApiCall, wanted: ExportRequest) -> Iterator[bytes]:
    """The whole table is written first: its file begins with what is known last."""
    with tempfile.TemporaryFile() as file:
        with call.transaction() as tx:
            export_files.write_xlsx(tx, wanted, file)
        yield from export_files.pieces(file)
