"""WooCommerce's REST API v3: orders by their last change, statuses and notes (basic authentication over TLS)."""

from __future__ import annotations

from base64 import b64encode
from datetime import datetime, timedelta
from functools import partial
from typing import Final
from urllib.parse import urlencode

from paymatch.domain.connectors.systems import Credentials
from paymatch.domain.connectors.write_back import WriteBackStep
from paymatch.domain.words.message import Message
from paymatch.formats.connectors.foreign_orders import OrderUnreadable, moment
from paymatch.formats.connectors.woocommerce import FIELDS, changed_at, read_notes, read_orders, read_state
from paymatch.outbound.connectors.calls import ShopCalls, read, said_at, words_of
from paymatch.outbound.connectors.gateway import ChangedOrdersPage, OrderStateMoveRefused, ShopOrderState

PAGE_SIZE: Final = 100  # the most that the API gives
_ORDERS: Final = "/wp-json/wc/v3/orders"


class WooCommerce:
    """A WooCommerce shop. Orders are asked for in the order of their last change, and the next page by that moment.

    Pages by number would skip an order as soon as one before it is changed meanwhile and moves behind it.
    `modified_after` leaves out the moment itself, so it is asked for from a second before: what comes twice is known.
    """

    def __init__(self, calls: ShopCalls, credentials: Credentials) -> None:
        self._calls = calls
        login = b64encode(f"{credentials.key}:{credentials.secret}".encode()).decode("ascii")
        self._headers = (("Authorization", f"Basic {login}"),)

    def changed(self, since: datetime, place: str = "") -> ChangedOrdersPage:
        """A page of orders; `place` is the moment from which it goes on, and the number of the page from there."""
        begins, _, number = place.partition(" ")
        begins = begins or f"{since:%Y-%m-%dT%H:%M:%S}"
        query = urlencode(
            {"modified_after": begins, "dates_are_gmt": "true", "orderby": "modified", "order": "asc",
             "status": "any", "per_page": PAGE_SIZE, "page": number or 1, "_fields": FIELDS}
        )  # fmt: skip
        answer = self._calls.send("GET", f"{_ORDERS}?{query}", self._headers)
        found = read(answer, partial(read_orders, total=answer.headers.get("x-wp-total", "")))
        onward = _next(begins, int(number or 1), read(answer, changed_at)) if len(found.orders) >= PAGE_SIZE else ""
        return ChangedOrdersPage(found.orders, onward, found.total, said_at(answer))

    def state(self, order_id: str) -> ShopOrderState | None:
        """The order's status."""
        answer = self._calls.send("GET", f"{_ORDERS}/{order_id}?_fields=id,status", self._headers, takes=(404,))
        return None if answer.status == 404 else ShopOrderState(read(answer, read_state))

    def move(self, order_id: str, present: ShopOrderState, step: WriteBackStep, *, quiet: bool) -> None:
        """Sets the status; MoveRefused if the shop has none of this name. WooCommerce sends its own mails."""
        answer = self._calls.send("PUT", f"{_ORDERS}/{order_id}", self._headers, {"status": step.move}, takes=(400,))
        if answer.status == 400:
            raise OrderStateMoveRefused(
                Message("connector-move-refused", move=step.move, state=present.state, why=words_of(answer))
            )

    def note(self, order_id: str, words: str, mark: str) -> None:
        """Adds a note that the customer does not see, unless there is one with this mark."""
        path = f"{_ORDERS}/{order_id}/notes"
        notes = read(self._calls.send("GET", f"{path}?type=internal", self._headers), read_notes)
        if not any(mark in note for note in notes):
            self._calls.send("POST", path, self._headers, {"note": f"{words} {mark}"})


def _next(begins: str, number: int, moments: list[str]) -> str:
    """Where the next page begins: from a second before the last change of this one; else the next page by number."""
    try:
        last = moment(moments[-1], "date_modified_gmt") - timedelta(seconds=1)
    except OrderUnreadable:
        return f"{begins} {number + 1}"
    onward = f"{last:%Y-%m-%dT%H:%M:%S}"
    return f"{onward} 1" if onward > begins else f"{begins} {number + 1}"
