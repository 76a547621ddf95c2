"""Our addition to the API: the reports, as the command line and the merchant area show them (D-50)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any, Final

import msgspec

from paymatch.api.call import Answer, ApiCall
from paymatch.api.fields import invalid
from paymatch.api.router import endpoint
from paymatch.domain.calendar import date_text, moment_text
from paymatch.domain.money import minor_to_decimal
from paymatch.domain.reports.asked import Asked, Step, ask, report_of
from paymatch.domain.reports.catalogue import Report, plain
from paymatch.usecases.reports import closing, reports
from paymatch.usecases.reports.reports import Page

DEFAULT_LIMIT: Final = 1000
MAX_LIMIT: Final = 10_000
_JSON: Final = msgspec.json.Encoder(decimal_format="number")


@endpoint("GET", "reports/{report}")
def read_report(call: ApiCall) -> Answer:
    """A report of a period (`from`, `to`) or as things stood at the end of a day (`asOf`). 404 for an unknown one."""
    report = report_of(call.params["report"])
    asked = ask(report, call.today, call.date("from"), call.date("to"), call.date("asOf"), _step(call))
    limit = call.whole("limit", DEFAULT_LIMIT, MAX_LIMIT)
    page = Page(call.query.get("after", ""), limit + 1 if report.pages and limit is not None else None)
    found = list(reports.rows(call.tx, call.shop, report, asked, page))
    shown = found[:limit] if report.pages else found
    body = _head(report, asked) | {"rows": [_texts(call, plain(report, row)) for row in shown]}
    if len(found) > len(shown) and shown:
        body["next"] = reports.place(shown[-1])
    return Answer(_JSON.encode(body))


@endpoint("GET", "reports/close/{month}")
def list_changes_since_close(call: ApiCall) -> Answer:
    """Postings of a closed month (yyyy-MM) that stand otherwise than it was sealed, up to 1,000."""
    try:
        month = date.fromisoformat(f"{call.params['month']}-01")
    except ValueError:
        raise invalid("month", expected="yyyy-MM") from None
    rows = closing.changes(call.tx, call.shop, month)
    return Answer(_JSON.encode([_texts(call, _changed(row)) for row in rows]))


def _step(call: ApiCall) -> Step:
    text = call.query.get("by", str(Step.MONTH))
    if text not in list(Step):
        raise invalid("by", allowed=[str(each) for each in Step])
    return Step(text)


def _head(report: Report, asked: Asked) -> dict[str, Any]:
    """Which days the report is about."""
    found: dict[str, Any] = {"report": report.name}
    if report.has_period:
        found |= {"from": date_text(asked.first), "to": date_text(asked.last)}
    if report.has_day:
        found["asOf"] = date_text(asked.as_of)
    return found


def _changed(row: Mapping[str, Any]) -> dict[str, Any]:
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
