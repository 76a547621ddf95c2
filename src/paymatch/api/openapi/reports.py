"""The reports in the description of the API: each with the columns of its rows, from the catalogue."""

from __future__ import annotations

from typing import Final

from paymatch.domain.orders.fees import FeeKind
from paymatch.domain.reports.catalogue import REPORTS, ReportColumn, ReportColumnKind, ReportDefinition
from paymatch.formats.contract.json_schema import Schema, amount, array, day, moment, ref, text, thing, whole

_PART: Final = "PostingPart"


def _column(column: ReportColumn) -> Schema:
    match column.kind:
        case ReportColumnKind.MONEY:
            return amount(f"{column.label}, in the row's currency.")
        case ReportColumnKind.DAY:
            return day(column.label)
        case ReportColumnKind.MOMENT:
            return moment(column.label)
        case ReportColumnKind.COUNT:
            return whole(column.label)
        case ReportColumnKind.NUMBER:
            return {"type": "number", "description": column.label}
        case ReportColumnKind.PARTS:
            return array(ref(_PART), column.label)
        case ReportColumnKind.TEXT:
            return text(column.label)


def _report(report: ReportDefinition) -> dict[str, Schema]:
    """A report and its rows. Each has a name: programs that write clients need one for each object."""
    name = _name(report)
    fields: dict[str, Schema] = {"report": text("Its name.", const=report.name)}
    if report.has_period:
        fields |= {"from": day("First day of the period."), "to": day("Last day of the period.")}
    if report.has_day:
        fields["asOf"] = day("The report shows things as they were at the end of this day.")
    fields["rows"] = array(ref(f"{name}Row"))
    required = tuple(fields)
    if report.pages:
        fields["next"] = text("`after` of the next page; missing on the last one.")
    columns = {column.key: _column(column) for column in report.columns}
    return {
        f"{name}Report": thing(report.about, fields, required),
        f"{name}Row": thing(f"A row of the report `{report.name}`; what is not set is left out.", columns),
    }


def _name(report: ReportDefinition) -> str:
    return "".join(word.capitalize() for word in report.name.split("-"))


def _any_report() -> Schema:
    references = {report.name: ref(f"{_name(report)}Report") for report in REPORTS.values()}
    return {
        "description": "One of the reports; `report` says which.",
        "oneOf": list(references.values()),
        "discriminator": {"propertyName": "report", "mapping": {name: of["$ref"] for name, of in references.items()}},
    }


def _side(description: str) -> Schema:
    return thing(
        description,
        {
            "account": text("Account of the shop."),
            "currency": text("Currency of the account."),
            "bookingDate": day("Booking date."),
            "amount": amount("Amount, negative for outgoing money."),
            "state": text("What it was.", enum=["matched", "open", "set-aside", "ignored"], title="PostingState"),
            "reason": text("Why it was set aside."),
            "orders": array(ref(_PART), "The orders that it was matched to."),
        },
    )


SCHEMAS: Final[dict[str, Schema]] = {
    "Report": _any_report(),
    **{name: schema for report in REPORTS.values() for name, schema in _report(report).items()},
    _PART: thing(
        "A part of a posting.",
        {
            "orderNumber": text("Order number."),
            "amount": amount("The posting's money for this order, in the posting's currency."),
            "fee": amount("What the payer withheld."),
            "feeKind": text("Why.", enum=[str(each) for each in FeeKind], title="FeeKind"),
        },
        ("orderNumber", "amount"),
    ),
    "PostingWhenClosed": _side("How a posting was or is explained."),
    "ChangeSinceClose": thing(
        "A posting that has changed since its month was closed.",
        {"id": text("Id of the posting."), "before": ref("PostingWhenClosed"), "after": ref("PostingWhenClosed")},
        ("id",),
    ),
}
