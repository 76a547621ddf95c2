"""Our addition to the API: the reports, as the command line and the merchant area show them (D-50)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final

import msgspec

from paymatch.api import parameters
from paymatch.api.call import ApiAnswer, ApiCall
from paymatch.api.contents import json_of
from paymatch.api.refusals import INVALID_DAY, OF_PERIODS, ours
from paymatch.api.router import endpoint
from paymatch.api.sections import REPORTS
from paymatch.domain.calendar import date_text, moment_text
from paymatch.domain.money import minor_to_decimal
from paymatch.domain.reports.asked import PeriodQuery, ReportBy, ask, report_of
from paymatch.domain.reports.catalogue import ReportDefinition, plain
from paymatch.domain.reports.row_filter import EXPECTED, row_filter
from paymatch.formats.contract.json_schema import array, ref
from paymatch.formats.contract.values import invalid
from paymatch.store.transactions import ShopTx
from paymatch.usecases.reports import closing, reports
from paymatch.usecases.reports.reports import ReportPage

_JSON: Final = msgspec.json.Encoder(decimal_format="number", enc_hook=str)


@dataclass(frozen=True, slots=True)
class ReportQuery:
    """Which days, and which page."""

    from_: date | None = parameters.day("First day of the period; usually the first of the month before.")
    to: date | None = parameters.day("Last day of the period; usually today.")
    as_of: date | None = parameters.day("State at the end of this day; default today.")
    by: ReportBy = parameters.one_of(
        ReportBy, "What `cash-in` is summed up by; `booked`: `open` and `customers` by booking date.", ReportBy.MONTH
    )
    where: str = parameters.text(f"Only rows that hold: {EXPECTED}.")
    search: str = parameters.text("Only rows with this word in one of their texts.")
    limit: int = parameters.whole("Maximum number of rows of a long report.", most=10_000, default=1000)
    after: str = parameters.text("Continue behind the row that `next` of the page before names.")


def _known_report(_tx: ShopTx, params: Mapping[str, str]) -> None:
    report_of(params["report"])


@endpoint(
    "GET",
    "reports/{report}",
    REPORTS,
    "Read a report",
    "What came in, what is open as of any past day, fees, overpaid orders, unexplained postings. The rows are those"
    " of the command line and the merchant area. A report covers a period (`from`, `to`), the state at the end of a"
    " day (`asOf`), or both; other parameters of days are refused.",
    answer=json_of(ref("Report")),
    refusals=(
        ours(404, "Report '<name>' not found", "There is no such report."),
        INVALID_DAY,
        ours(
            400,
            "The report <name> has no period: it is made as of a day",
            "`from` or `to` for a report that has none.",
        ),
        ours(400, "The report <name> is not made as of a day", "`asOf` for a report of a period."),
        ours(400, "The report <name> is not made by booking date", "`by=booked` for another report."),
        ours(400, "Parameter asOf is in the future", "Reports cannot cover future days."),
        *OF_PERIODS,
        ours(
            400,
            "<what of the filter is wrong>",
            "Filter by a column that the report has, with a value that it can hold.",
        ),
    ),
    needs=_known_report,
)
def read_report(call: ApiCall, query: ReportQuery) -> ApiAnswer:
    """A report of a period (`from`, `to`) or as things stood at the end of a day (`asOf`). 404 for an unknown one."""
    report = report_of(call.params["report"])
    asked = ask(report, call.today, query.from_, query.to, query.as_of, query.by)
    page = ReportPage(query.after, query.limit + 1 if report.pages else None)
    only = row_filter(report, [query.where], query.search)
    found = list(reports.rows(call.tx, report, asked, page, only))
    shown = found[: query.limit] if report.pages else found
    body = _head(report, asked) | {"rows": [_texts(call, plain(report, row)) for row in shown]}
    if len(found) > len(shown) and shown:
        body["next"] = reports.place(shown[-1])
    return ApiAnswer(_JSON.encode(body))


@endpoint(
    "GET",
    "reports/close/{month}",
    REPORTS,
    "List changes of a closed month",
    "Postings that have changed since the month was closed, up to 1,000; `before` is missing for one that"
    " was added later, `after` for one that no longer exists.",
    answer=json_of(array(ref("ChangeSinceClose"))),
    refusals=(ours(400, "The month <month> is not closed", "Nothing was sealed to compare with."),),
)
def list_changes_since_close(call: ApiCall) -> ApiAnswer:
    """Postings of a closed month (yyyy-MM) that have changed since it was closed, up to 1,000."""
    try:
        month = date.fromisoformat(f"{call.params['month']}-01")
    except ValueError:
        raise invalid("month", expected="yyyy-MM") from None
    rows = closing.changes(call.tx, month)
    return ApiAnswer(_JSON.encode([_texts(call, _with_api_dates(row)) for row in rows]))


def _head(report: ReportDefinition, asked: PeriodQuery) -> dict[str, Any]:
    """Which days the report is about."""
    found: dict[str, Any] = {"report": report.name}
    if report.has_period:
        found |= {"from": date_text(asked.first), "to": date_text(asked.last)}
    if report.has_day:
        found["asOf"] = date_text(asked.as_of)
    return found


def _with_api_dates(row: Mapping[str, Any]) -> dict[str, Any]:
    return {"id": row["id"]} | {side: _side(row[side]) for side in ("before", "after") if row[side] is not None}


def _side(said: Mapping[str, Any]) -> dict[str, Any]:
    currency = said["currency"]
    orders = [
        {"orderNumber": number, "amount": minor_to_decimal(minor, currency)} for number, minor, *_ in said["orders"]
    ]
    return {
        **said, "bookingDate": date_text(said["bookingDate"]), "amount": minor_to_decimal(said["amount"], currency),
        "orders": orders,
    }  # fmt: skip


def _texts(call: ApiCall, row: Mapping[str, Any]) -> dict[str, Any]:
    """Days and moments as the API writes them (D-10)."""
    return {name: _text(call, value) for name, value in row.items()}


def _text(call: ApiCall, value: Any) -> Any:
    if isinstance(value, datetime):
        return moment_text(value, call.shop.timezone)
    return date_text(value) if isinstance(value, date) else value
