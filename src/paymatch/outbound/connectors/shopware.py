"""Shopware 6's Admin API: orders by search, moves of the state machine of their transactions (client credentials)."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from paymatch.domain.connectors.systems import Credentials
from paymatch.domain.connectors.write_back import WriteBackStep
from paymatch.domain.words.message import Message
from paymatch.formats.connectors.shopware import (
    ASSOCIATIONS,
    INCLUDES,
    last_place,
    read_orders,
    read_token,
    transaction_of,
)
from paymatch.outbound.connectors.calls import ShopCalls, read, said_at, words_of
from paymatch.outbound.connectors.gateway import ChangedOrdersPage, OrderStateMoveRefused, ShopOrderState
from paymatch.outbound.http import HttpAnswer

PAGE_SIZE: Final = 100
_CHANGED: Final = ("createdAt", "updatedAt", "transactions.createdAt", "transactions.updatedAt")
"""A changed state is only in the transaction, and `updatedAt` is empty until the first change."""
_EXACT: Final = 1  # total-count-mode


class Shopware:
    """A Shopware 6 shop. Orders are sorted by their serial number, and the next page begins after the last one.

    Pages by number would skip an order as soon as one before it is deleted meanwhile.
    """

    def __init__(self, calls: ShopCalls, credentials: Credentials) -> None:
        self._calls = calls
        self._credentials = credentials
        self._token = ""

    def changed(self, since: datetime, place: str = "") -> ChangedOrdersPage:
        """A page of orders; `place` is the serial number after which it begins."""
        moment = f"{since:%Y-%m-%dT%H:%M:%S.000+00:00}"
        wanted: list[dict[str, Any]] = [
            {"type": "multi", "operator": "or", "queries": [_since(field, moment) for field in _CHANGED]}
        ]
        if place:
            wanted.append({"type": "range", "field": "autoIncrement", "parameters": {"gt": int(place)}})
        query = {
            "page": 1, "limit": PAGE_SIZE, "total-count-mode": _EXACT, "filter": wanted,
            "sort": [{"field": "autoIncrement", "order": "ASC"}], "associations": ASSOCIATIONS, "includes": INCLUDES,
        }  # fmt: skip
        answer = self._send("/api/search/order", query)
        found, last = read(answer, read_orders), read(answer, last_place)
        onward = str(last) if len(found.orders) >= PAGE_SIZE and last is not None else ""
        return ChangedOrdersPage(found.orders, onward, found.total, said_at(answer))

    def state(self, order_id: str) -> ShopOrderState | None:
        """The state of the order's latest transaction."""
        query = {
            "ids": [order_id], "associations": {"transactions": ASSOCIATIONS["transactions"]},
            "includes": {name: INCLUDES[name] for name in ("order", "order_transaction", "state_machine_state")},
        }  # fmt: skip
        handle, state = read(self._send("/api/search/order", query), transaction_of)
        return ShopOrderState(state, handle) if state else None

    def move(self, order_id: str, present: ShopOrderState, step: WriteBackStep, *, quiet: bool) -> None:
        """Moves the transaction; MoveRefused if its state machine has no such move."""
        path = f"/api/_action/order_transaction/{present.handle}/state/{step.move}"
        answer = self._send(path, {"sendMail": not quiet}, takes=(400,))
        if answer.status == 400:
            raise OrderStateMoveRefused(
                Message("connector-move-refused", move=step.move, state=present.state, why=words_of(answer))
            )

    def note(self, order_id: str, words: str, mark: str) -> None:
        """Shopware keeps a history of its states; there are no notes."""

    def _send(self, path: str, body: Any, takes: tuple[int, ...] = ()) -> HttpAnswer:
        """The answer to a call with our token; a new token where the one that we have has run out."""
        if self._token:
            answer = self._calls.send("POST", path, self._bearer(), body, takes=(*takes, 401))
            if answer.status != 401:
                return answer
        login = {
            "grant_type": "client_credentials", "client_id": self._credentials.key,
            "client_secret": self._credentials.secret,
        }  # fmt: skip
        self._token = read(self._calls.send("POST", "/api/oauth/token", (), login), read_token)
        return self._calls.send("POST", path, self._bearer(), body, takes=takes)

    def _bearer(self) -> tuple[tuple[str, str], ...]:
        return (("Authorization", f"Bearer {self._token}"),)


def _since(field: str, moment: str) -> dict[str, Any]:
    return {"type": "range", "field": field, "parameters": {"gte": moment}}
