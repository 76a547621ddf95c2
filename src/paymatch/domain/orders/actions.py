"""Actions that a person may take on an order, and why not: in one place for pages that show both."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from paymatch.domain.orders.settlement import AWAITING_MONEY, OPEN_STATUSES, Mark, PaymentStatus
from paymatch.domain.orders.submission import OrderRefused, check_set_paid, check_set_unpaid


class Action(StrEnum):
    REFUND = "refund"
    SET_PAID = "set-paid"
    SET_UNPAID = "set-unpaid"
    STOP_REMINDERS = "stop-reminders"
    RESUME_REMINDERS = "resume-reminders"
    HAND_OVER = "hand-over"  # to the collection agency
    WITHDRAW = "withdraw"  # from collection
    CANCEL = "cancel"
    KEEP_CREDIT = "keep-credit"  # of the overpaid amount, for the customer's next order (D-87)
    BOOK_INCOME = "book-income"  # of what is overpaid
    NOTE_LOSS = "note-loss"  # of money paid out beyond what came in


class WhyNot(StrEnum):
    """Why an action is not possible."""

    NOTHING_LEFT = "nothing-left"  # of the payments, that could be refunded
    PAID_ALREADY = "paid-already"
    NOT_SET_BY_HAND = "not-set-by-hand"  # only a mark that a person or the shop set can be removed
    NOTHING_OPEN = "nothing-open"  # no reminders are sent for the order
    CANCELLED_ALREADY = "cancelled-already"
    AS_WANTED = "as-wanted"  # reminders are stopped already, or not stopped


@dataclass(frozen=True, slots=True)
class OrderSituation:
    """The state of an order; the amount in minor units of its currency."""

    status: PaymentStatus
    mark: Mark | None
    refundable_minor: int
    reminders_stopped: bool
    overpaid_minor: int = 0  # that no planned refund returns
    missing_minor: int = 0  # paid out beyond what came in


def actions(order: OrderSituation) -> dict[Action, WhyNot | None]:
    """The actions that make sense for the order, each with the reason why it is not possible, or None."""
    reminders = Action.RESUME_REMINDERS if order.reminders_stopped else Action.STOP_REMINDERS
    collection = Action.WITHDRAW if order.mark is Mark.COLLECTION else Action.HAND_OVER
    of_overpaid = (Action.KEEP_CREDIT, Action.BOOK_INCOME) if order.overpaid_minor > 0 else ()
    of_missing = (Action.NOTE_LOSS,) if order.missing_minor > 0 else ()
    return {
        Action.REFUND: None if order.refundable_minor > 0 else WhyNot.NOTHING_LEFT,
        Action.SET_PAID: WhyNot.PAID_ALREADY if _refuses_paid(order) else None,
        Action.SET_UNPAID: WhyNot.NOT_SET_BY_HAND if _refuses_unpaid(order) else None,
        reminders: None if order.status in OPEN_STATUSES else WhyNot.NOTHING_OPEN,
        collection: None if order.status in AWAITING_MONEY else WhyNot.NOTHING_OPEN,
        Action.CANCEL: WhyNot.CANCELLED_ALREADY if order.status is PaymentStatus.CANCELLED else None,
    } | dict.fromkeys((*of_overpaid, *of_missing))


def _refuses_paid(order: OrderSituation) -> bool:
    try:
        check_set_paid(order.status)
    except OrderRefused:
        return True
    return False


def _refuses_unpaid(order: OrderSituation) -> bool:
    try:
        check_set_unpaid(order.status, order.mark)
    except OrderRefused:
        return True
    return False
