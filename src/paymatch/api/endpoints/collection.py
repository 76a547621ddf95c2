"""Our addition to the API: orders handed over to the collection agency, and what the agency reports (D-54)."""

from __future__ import annotations

from datetime import date, datetime

import msgspec

from paymatch.api.call import Answer, ApiCall
from paymatch.api.router import endpoint
from paymatch.api.schema import BodyMissing
from paymatch.domain.calendar import date_text, moment_text
from paymatch.domain.shops.key_scopes import KeyScope
from paymatch.domain.shops.shop import Shop
from paymatch.formats.collection.reports import read_reports
from paymatch.outbound.collection_agency import MAX_REPORT_BYTES
from paymatch.store.orders.order_json import Include
from paymatch.usecases.collection import cases, exchange
from paymatch.usecases.orders import orders


@endpoint("POST", "order/{orderNumber}/collection", writes=True, needs_order=True)
def hand_over(call: ApiCall) -> Answer:
    """The order goes to the shop's agency and is COLLECTION; 400 if nothing is open, or no agency is set."""
    cases.hand_over(call.tx, call.shop, call.number, call.clock)
    return _order(call)


@endpoint("POST", "order/{orderNumber}/collection/withdraw", writes=True, needs_order=True)
def withdraw(call: ApiCall) -> Answer:
    """The agency gets the order no longer, and its payments decide its status; 400 if it is not in collection."""
    cases.withdraw(call.tx, call.shop, call.number, call.clock)
    return _order(call)


@endpoint("GET", "collection")
def list_cases(call: ApiCall) -> Answer:
    """The shop's cases, latest first; `active=true` leaves out those that were withdrawn."""
    rows = cases.listed(call.tx, call.shop, active_only=call.flag("active"))
    return Answer(msgspec.json.Encoder(decimal_format="number").encode([_shown(call.shop, row) for row in rows]))


@endpoint(
    "POST", "collection/reports", writes=True, scope=KeyScope.COLLECTION, body_limit=MAX_REPORT_BYTES
)  # fmt: skip
def take_reports(call: ApiCall) -> Answer:
    """What the agency reports, as JSON or CSV (docs/collection.md); says which rows were not taken, and why."""
    if not call.body.strip():
        raise BodyMissing
    done = exchange.take(call.tx, call.shop, read_reports(bytes(call.body)), call.clock)
    refused = [{"row": place, "error": why} for place, why in done.refused]
    return Answer(msgspec.json.encode({"taken": done.taken, "refused": refused}))


def _order(call: ApiCall) -> Answer:
    call.tx.commit_with_next()
    return Answer(orders.read(call.tx, call.shop, call.number, Include(collection_history=True)))


def _shown(shop: Shop, row: dict[str, object]) -> dict[str, object]:
    """A case with its dates as the API writes them (D-10)."""
    days = {name: date_text(day) for name in ("warnedOn", "interestUntil") if isinstance(day := row[name], date)}
    assert isinstance(row["handedOver"], datetime)
    told = row | days | {"handedOver": moment_text(row["handedOver"], shop.timezone)}
    return {name: value for name, value in told.items() if value not in (None, "")}
