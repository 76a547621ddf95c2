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
    "report-period-longer-than-11": "The period is longer than 11 years",
}
