"""Our addition to the API: the feed of the shop's events, by which a receiver that was down catches up by itself."""

from __future__ import annotations

from typing import Final

import msgspec

from paymatch.api.call import Answer, ApiCall
from paymatch.api.router import endpoint
from paymatch.domain.calendar import moment_text
from paymatch.usecases.orders import events

DEFAULT_LIMIT: Final = 100
MAX_LIMIT: Final = 1000
_MAX_SEQ: Final = 999_999_999


@endpoint("GET", "events")
def list_events(call: ApiCall) -> Answer:
    """Changes of paymentStatus in their order. `after`: the `id` of the last one known; `limit`: 100, at most 1,000.

    Ids count from 1 without gaps, and one is visible only after all lower ones, so none is ever missed.
    """
    after = call.whole("after", 0, _MAX_SEQ) or 0
    limit = call.whole("limit", DEFAULT_LIMIT, MAX_LIMIT) or DEFAULT_LIMIT
    found = [
        {
            "id": event.seq,
            "orderNumber": event.order_number,
            "previousPaymentStatus": event.from_status,
            "paymentStatus": event.to_status,
            "cause": event.cause,
            "timestamp": moment_text(event.at, call.shop.timezone),
        }
        for event in events.after(call.tx, call.shop, after, limit)
    ]
    return Answer(msgspec.json.encode(found))
