"""People's actions on orders, besides the API: on one order or many, and comments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from paymatch.domain.orders.actions import Action, OrderSituation, WhyNot, actions
from paymatch.domain.orders.settlement import Mark, PaymentStatus
from paymatch.domain.orders.submission import OrderRefused, OrderUnknown
from paymatch.domain.refusal import Refused
from paymatch.domain.shops.shop import Shop
from paymatch.domain.words.message import Message
from paymatch.store.database import Database
from paymatch.store.orders import order_list, order_notes
from paymatch.store.orders import orders as order_store
from paymatch.store.orders.order_list import ListedOrder
from paymatch.store.transactions import ShopTx
from paymatch.usecases.collection import cases
from paymatch.usecases.orders import orders
from paymatch.usecases.reminders import stops
from paymatch.usecases.settlement import credits

MOST_AT_ONCE: Final = 200
MAX_COMMENT: Final = 2000

CARRIED_OUT_BY: Final[Mapping[Action, Callable[[ShopTx, str], None]]] = {
    Action.SET_PAID: orders.set_paid,
    Action.SET_UNPAID: orders.set_unpaid,
    Action.CANCEL: orders.cancel,
    Action.HAND_OVER: cases.hand_over,
    Action.WITHDRAW: cases.withdraw,
    Action.STOP_REMINDERS: stops.stop,
    Action.RESUME_REMINDERS: stops.resume,
    Action.KEEP_CREDIT: credits.keep,
    Action.BOOK_INCOME: credits.book_as_income,
    Action.NOTE_LOSS: credits.note_loss,
}
"""Actions that need only the order; a refund also has an amount and a reason."""


@dataclass(frozen=True, slots=True)
class ActionPreview:
    """The effect of an action on an order: none if there is a reason against it."""

    order: ListedOrder
    why_not: WhyNot | None


def standing_of(order: ListedOrder) -> OrderSituation:
    """The facts that decide which actions are possible."""
    mark = Mark(order.mark) if order.mark else None
    overpaid = max(order.overpaid_minor - order.planned_minor, 0)
    return OrderSituation(
        PaymentStatus(order.status), mark, order.refundable_minor, order.reminders_stopped, overpaid,
        order.missing_minor,
    )  # fmt: skip


def foreseen(tx: ShopTx, action: Action, numbers: Sequence[str]) -> list[ActionPreview]:
    """The effect of the action on each of the shop's orders among these, by number; at most MOST_AT_ONCE."""
    found = order_list.several(tx, list(numbers)[:MOST_AT_ONCE])
    return [ActionPreview(order, actions(standing_of(order)).get(action, WhyNot.AS_WANTED)) for order in found]


def carry_out(database: Database, shop: Shop, action: Action, numbers: Sequence[str], clock: datetime) -> list[str]:
    """Performs the action separately on each order that allows it, at most MOST_AT_ONCE; returns their numbers."""
    done = []
    with database.of_shop(shop, at=clock) as tx:
        possible = [each.order.number for each in foreseen(tx, action, numbers) if each.why_not is None]
    for number in possible:
        try:
            with database.of_shop(shop, at=clock) as tx:
                CARRIED_OUT_BY[action](tx, number)
        except Refused:
            continue  # it has changed since; its page shows why
        done.append(number)
    return done


def comment(tx: ShopTx, number: str, said: str) -> None:
    """Keeps the actor's comment on the order. OrderUnknown; OrderRefused if it is empty."""
    text = said.strip()[:MAX_COMMENT]
    if not text:
        raise OrderRefused(Message("assign-no-comment"), parameter="said")
    order_store.lock(tx, [number])
    if not order_notes.add_comment(tx, number, text, tx.now):
        raise OrderUnknown(number)
