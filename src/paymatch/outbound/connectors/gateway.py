"""The interface of a shop system to the rest of the package; tests have a fake of each (`tests/fakes/`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from paymatch.domain.connectors.write_back import WriteBackStep
from paymatch.domain.refusal import Refused
from paymatch.domain.words.message import Message
from paymatch.formats.connectors.foreign_orders import ForeignOrder, Unreadable


class ConnectorFailed(Refused):
    """A failed request to the shop system; a retry may work. `wait`: the requested pause.

    `for_a_person`: it is permanent.
    """

    def __init__(self, said: Message, *, wait: timedelta | None = None, for_a_person: bool = False) -> None:
        super().__init__(said)
        self.message: Message = said
        self.wait = wait
        self.for_a_person = for_a_person


class OrderStateMoveRefused(Refused):
    """The shop's state machine has no such move: trying again changes nothing."""

    def __init__(self, said: Message) -> None:
        super().__init__(said)
        self.message: Message = said


@dataclass(frozen=True, slots=True)
class ChangedOrdersPage:
    """Orders that were changed. `next`: where the next page begins, "" after the last one.

    `shop_at`: what the shop's clock showed when it answered, None if it does not say.
    """

    orders: Sequence[ForeignOrder | Unreadable]
    next: str = ""
    total: int | None = None
    shop_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class ShopOrderState:
    """An order in its present state in the shop. `handle`: what moves are made of, where it is not the order."""

    state: str
    handle: str = ""


class ShopSystemDoor(Protocol):
    """A shop system. Every method raises ConnectorFailed where the shop did not answer as it should."""

    def changed(self, since: datetime, place: str = "") -> ChangedOrdersPage:
        """A page of the orders that were changed since a moment; `place` is the `next` of the page before."""

    def state(self, order_id: str) -> ShopOrderState | None:
        """The order's state; None if the shop no longer has it."""

    def move(self, order_id: str, present: ShopOrderState, step: WriteBackStep, *, quiet: bool) -> None:
        """Makes a move; MoveRefused if the state machine has none. `quiet`: the shop sends its customer nothing."""

    def note(self, order_id: str, words: str, mark: str) -> None:
        """Leaves a note for the shop's people at the order, once for each `mark`; nothing where there are no notes."""
