"""Events and callbacks, blocking. Written by `make docs` from the declarations of the API."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from paymatch_client.connections import Section
from paymatch_client.models.enumerations import CallbackStatus
from paymatch_client.models.events import Callback, Event
from paymatch_client.requests import Request, quoted


class Events(Section):
    """Every change of a payment status, and the callbacks that report it."""

    def list_callbacks(
        self, *, status: Sequence[CallbackStatus] = (), before: str | None = None, limit: int | None = None
    ) -> list[Callback]:
        """List callbacks.

        Newest first.

        `status`: Statuses, separated by commas.
        `before`: Continue after the callback with this id.
        `limit`: Maximum number of items; 100 by default.
        """
        return self._connection.ask(
            Request("GET", "callbacks", query={"status": status, "before": before, "limit": limit}, repeatable=True),
            list[Callback],
        )

    def iterate_callbacks(
        self, *, status: Sequence[CallbackStatus] = (), before: str | None = None, page_size: int = 100
    ) -> Iterator[Callback]:
        """All items of `list_callbacks`, asked for one page after the other.

        `before`: Continue after the callback with this id.
        `page_size`: How many are asked for at a time.
        """
        while True:
            page = self.list_callbacks(status=status, before=before, limit=page_size)
            yield from page
            if len(page) < page_size:
                return
            before = page[-1].id

    def show_callback(self, callback_id: str) -> Callback:
        """Read a callback.

        With its attempts of the last 30 days.

        `callback_id`: Id of the callback.
        """
        return self._connection.ask(Request("GET", f"callbacks/{quoted(callback_id)}", repeatable=True), Callback)

    def resend(self, callback_id: str) -> Callback:
        """Send a callback again.

        At once, under the same `webhook-id`.

        Not retried automatically after a failure.

        `callback_id`: Id of the callback.
        """
        return self._connection.ask(Request("POST", f"callbacks/{quoted(callback_id)}/resend"), Callback)

    def resend_failed(self, *, since: datetime) -> int:
        """Send failed callbacks again.

        All since a moment; answers their number.

        Not retried automatically after a failure.

        `since`: Callbacks queued at this moment or later.
        """
        return self._connection.ask(Request("POST", "callbacks/resend", query={"since": since}), int)

    def send_test(self) -> Callback:
        """Send a test callback.

        An invented order, one attempt, with `X-Service-Test: true`.

        Not retried automatically after a failure.
        """
        return self._connection.ask(Request("POST", "callbacks/test"), Callback)

    def list_events(self, *, after: int | None = None, limit: int | None = None) -> list[Event]:
        """List events.

        Changes of payment status in order; none is ever missed or repeated.

        `after`: Continue after the event with this id.
        `limit`: Maximum number of items; 100 by default.
        """
        return self._connection.ask(
            Request("GET", "events", query={"after": after, "limit": limit}, repeatable=True), list[Event]
        )

    def iterate_events(self, *, after: int | None = None, page_size: int = 100) -> Iterator[Event]:
        """All items of `list_events`, asked for one page after the other.

        `after`: Continue after the event with this id.
        `page_size`: How many are asked for at a time.
        """
        while True:
            page = self.list_events(after=after, limit=page_size)
            yield from page
            if len(page) < page_size:
                return
            after = page[-1].id
