"""Our addition to the API: the feed of the shop's events, so that a receiver catches up after downtime."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from paymatch.api import parameters
from paymatch.api.call import ApiAnswer, ApiCall
from paymatch.api.contents import json_of
from paymatch.api.router import endpoint
from paymatch.api.sections import EVENTS
from paymatch.domain.calendar import moment_text
from paymatch.domain.words.message import as_text
from paymatch.formats.contract.json_schema import array, ref
from paymatch.usecases.orders import events


@dataclass(frozen=True, slots=True)
class EventsQuery:
    """Which events."""

    after: int = parameters.whole("Continue after the event with this id.", most=999_999_999, default=0)
    limit: int = parameters.page_limit()


@endpoint(
    "GET",
    "events",
    EVENTS,
    "List events",
    "Changes of payment status in order; none is ever missed or repeated.",
    answer=json_of(array(ref("Event"))),
)
def list_events(call: ApiCall, query: EventsQuery) -> ApiAnswer:
    """Changes of paymentStatus in their order. `after`: the `id` of the last one known; `limit`: 100, at most 1,000.

    Ids count from 1 without gaps, and one is visible only after all lower ones, so none is ever missed.
    """
    found = [
        {
            "id": event.seq,
            "orderNumber": event.order_number,
            "previousPaymentStatus": event.from_status,
            "paymentStatus": event.to_status,
            "cause": event.cause,
            "timestamp": moment_text(event.at, call.shop.timezone),
        }
        for event in events.after(call.tx, query.after, query.limit)
    ]
    return ApiAnswer(msgspec.json.encode(found, enc_hook=as_text))
