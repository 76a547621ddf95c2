"""Our addition to the API: orders handed over to the collection agency, and what the agency reports (D-54)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

import msgspec

from paymatch.api import parameters
from paymatch.api.call import ApiAnswer, ApiCall, known_order
from paymatch.api.contents import json_body, json_of
from paymatch.api.refusals import LOCKED, NO_BODY, ORDER_UNKNOWN, TOO_LARGE, ours
from paymatch.api.router import endpoint
from paymatch.api.sections import COLLECTION
from paymatch.domain.calendar import date_text, moment_text
from paymatch.domain.shops.api_keys import KeyScope
from paymatch.domain.shops.shop import Shop
from paymatch.domain.words.message import as_text
from paymatch.formats.collection.reports import AgencyReport, read_reports
from paymatch.formats.contract.bodies import BodyMissing
from paymatch.formats.contract.json_schema import array, ref
from paymatch.outbound.collection_agency import MAX_REPORT_BYTES
from paymatch.store.orders.order_json import Include
from paymatch.usecases.collection import cases, exchange
from paymatch.usecases.orders import orders


@endpoint(
    "POST",
    "order/{orderNumber}/collection",
    COLLECTION,
    "Hand an order over to collection",
    "The order becomes COLLECTION, and the agency gets it with all documents. Refused while a payment"
    " that waits for a decision may be its payment.",
    answer=json_of(ref("Order")),
    refusals=(
        ORDER_UNKNOWN,
        LOCKED,
        ours(
            400,
            "The shop has no collection agency: set one first",
            "Set with `paymatch collection agency`.",
        ),
        ours(
            400,
            "Could not hand over order (<reason>)",
            "Nothing is open, its type is not for collection, or a payment that waits for a decision may be its"
            " payment.",
        ),
    ),
    needs=known_order,
)
def hand_over(call: ApiCall) -> ApiAnswer:
    """The order goes to the shop's agency and is COLLECTION; 400 if nothing is open, or no agency is set."""
    cases.hand_over(call.tx, call.number)
    return _order(call)


@endpoint(
    "POST",
    "order/{orderNumber}/collection/withdraw",
    COLLECTION,
    "Withdraw an order from collection",
    "The agency is notified, and the order's payments decide its status.",
    answer=json_of(ref("Order")),
    refusals=(
        ORDER_UNKNOWN,
        LOCKED,
        ours(400, "Could not withdraw order '<n>' (it is not in collection)", "No agency has the order."),
    ),
    needs=known_order,
)
def withdraw(call: ApiCall) -> ApiAnswer:
    """The agency gets the order no longer, and its payments decide its status; 400 if it is not in collection."""
    cases.withdraw(call.tx, call.number)
    return _order(call)


@dataclass(frozen=True, slots=True)
class CasesQuery:
    """Which cases."""

    active: bool = parameters.flag("Only cases that are with the agency.")


@endpoint(
    "GET",
    "collection",
    COLLECTION,
    "List orders in collection",
    "Those handed over last first.",
    answer=json_of(array(ref("CollectionCase"))),
)
def list_cases(call: ApiCall, query: CasesQuery) -> ApiAnswer:
    """The shop's cases, latest first; `active=true` leaves out those that were withdrawn."""
    rows = cases.list_cases(call.tx, active_only=query.active)
    return ApiAnswer(
        msgspec.json.Encoder(decimal_format="number", enc_hook=as_text).encode(
            [_case_fields(call.shop, row) for row in rows]
        )
    )


MOST_REPORTS: Final = 1_000
"""In a call: each of them takes a millisecond, and locks its order until the last one is taken."""


def _reports(call: ApiCall) -> list[AgencyReport]:
    if not call.body.strip():
        raise BodyMissing
    return read_reports(call.body, MOST_REPORTS)


@endpoint(
    "POST",
    "collection/reports",
    COLLECTION,
    "Report on orders in collection",
    "For the agency, with its own token (`Authorization: Bearer pm_agcy_...`) or a key of the scope `collection`."
    " JSON, or CSV with the same names in its first line. Rows"
    f" that cannot be taken are named; the others are taken. At most {MOST_REPORTS:,} at once.",
    body=json_body(
        _reports,
        array(ref("CollectionReport")) | {"maxItems": MOST_REPORTS},
        [
            {"orderNumber": "2026/1001", "file": "IN-4711", "status": "ACCEPTED"},
            {"file": "IN-4711", "status": "PRELEGAL", "description": "First letter sent"},
        ],
        limit=MAX_REPORT_BYTES,
        refusals=(TOO_LARGE, NO_BODY),
    ),
    answer=json_of(ref("CollectionReportsResult")),
    refusals=(ours(400, "<why the report cannot be read>", "Then none of it is accepted."),),
    scope=KeyScope.COLLECTION,
)
def take_reports(call: ApiCall, body: list[AgencyReport]) -> ApiAnswer:
    """What the agency reports, as JSON or CSV (docs/collection.md); says which rows were refused, and why."""
    done = exchange.take(call.tx, body)
    refused = [{"row": place, "error": why} for place, why in done.refused]
    return ApiAnswer(msgspec.json.encode({"taken": done.taken, "refused": refused}, enc_hook=as_text))


def _order(call: ApiCall) -> ApiAnswer:
    call.tx.commit_with_next()
    return ApiAnswer(orders.read(call.tx, call.number, Include(collection_history=True)))


def _case_fields(shop: Shop, row: dict[str, object]) -> dict[str, object]:
    """A case with its dates as the API writes them (D-10)."""
    days = {name: date_text(day) for name in ("warnedOn", "interestUntil") if isinstance(day := row[name], date)}
    assert isinstance(row["handedOver"], datetime)
    values = row | days | {"handedOver": moment_text(row["handedOver"], shop.timezone)}
    return {name: value for name, value in values.items() if value not in (None, "")}
