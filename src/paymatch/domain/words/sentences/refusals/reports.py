"""Why a report or an export is refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from paymatch.domain.words.template import Template

SENTENCES: Final[Mapping[str, Template]] = {
    "export-datev-file-holds-one": "A DATEV file covers one fiscal year: choose days of one",
    "export-datev-needs-numbers-paymatch": (
        "DATEV needs its numbers: `paymatch shop set SHOP datev-consultant=... datev-client=...`"
    ),
    "export-datev-needs-rate-paymatch": (
        "DATEV needs the rate of {missing}: `paymatch shop set SHOP datev-rates={missing2}:...`"
    ),
    "export-datev-takes-4-999": "DATEV takes 4,999 documents and 465 MB at once: choose fewer days",
    "export-not-found": "Export '{name}' not found",
    "export-process-no-place-invoices": "This process has no place of invoices",
    "export-unknown": "There is no export {name}",
    "filter-exported-whole": "{name} is exported whole",
    "filter-no-column": "There is no column {key} in {name}",
    "filter-no-condition": "Filter {text} is not a condition",
    "filter-no-value": "{text} is not a value of {key}",
    "filter-not-text": "{key} is not a text",
    "report-month-closed-already": "The month {month} is closed already",
    "report-month-not-closed": "The month {month} is not closed",
    "report-month-not-over": "The month {month} is not over",
    "report-no-period-made-day": "The report {name} has no period: it is made as of a day",
    "report-not-found": "Report '{name}' not found",
    "report-not-made-day": "The report {name} is not made as of a day",
    "report-not-made-by-booking-date": "The report {name} is not made by booking date",
    "report-parameter-after-not-valid": "Parameter after is not valid",
    "report-parameter-asof-future": "Parameter asOf is in the future",
    "report-parameter-from-later-than": "Parameter from is later than to",
    "parameter-not-valid": "Parameter {name} is not valid",
    "statement-address-refused": "{address} did not take an earlier mail",
    "statement-no-address": "The orders of this customer name no e-mail address",
    "statement-no-such-address": "No open order of this customer names the address {address}",
    "statement-not-sent": "The mail was not sent: {error}",
    "statement-nothing-open": "This customer has no open order on that day",
    "statement-several-addresses": (
        "The open orders of this customer name several e-mail addresses: {addresses}. Choose one"
    ),
    "statement-too-many-orders": "The customer has more than {most} open orders: export the report of open orders",
    "statement-wrong-person": "The recipient at {address} said that the orders are not theirs",
    "report-period-longer-than-11": "The period is longer than 11 years",
}
