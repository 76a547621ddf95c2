"""Labels of actions with orders: their names, requirements and results, and why one is not possible."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from paymatch.area.people.roles import Permission
from paymatch.domain.orders.actions import Action, WhyNot

TITLES: Final[Mapping[Action, str | Promise]] = {
    Action.REFUND: gettext_lazy("Refund"),
    Action.SET_PAID: gettext_lazy("Set paid"),
    Action.SET_UNPAID: gettext_lazy("Set unpaid"),
    Action.STOP_REMINDERS: gettext_lazy("Stop reminders"),
    Action.RESUME_REMINDERS: gettext_lazy("Resume reminders"),
    Action.HAND_OVER: gettext_lazy("Hand over to collection"),
    Action.WITHDRAW: gettext_lazy("Withdraw from collection"),
    Action.CANCEL: gettext_lazy("Cancel order"),
    Action.KEEP_CREDIT: gettext_lazy("Keep as credit"),
    Action.BOOK_INCOME: gettext_lazy("Book as income"),
    Action.NOTE_LOSS: gettext_lazy("Note as loss"),
}
NEEDS: Final[Mapping[Action, Permission]] = {
    Action.REFUND: Permission.REFUND,
    Action.SET_PAID: Permission.DECIDE,
    Action.SET_UNPAID: Permission.DECIDE,
    Action.STOP_REMINDERS: Permission.REMIND,
    Action.RESUME_REMINDERS: Permission.REMIND,
    Action.HAND_OVER: Permission.DECIDE,
    Action.WITHDRAW: Permission.DECIDE,
    Action.CANCEL: Permission.DECIDE,
    Action.KEEP_CREDIT: Permission.DECIDE,
    Action.BOOK_INCOME: Permission.DECIDE,
    Action.NOTE_LOSS: Permission.DECIDE,
}
DONE: Final[Mapping[Action, str | Promise]] = {
    Action.SET_PAID: gettext_lazy("The order is set paid."),
    Action.SET_UNPAID: gettext_lazy("The payments decide again."),
    Action.STOP_REMINDERS: gettext_lazy("No reminder is sent for this order."),
    Action.RESUME_REMINDERS: gettext_lazy("The plan decides about reminders again."),
    Action.HAND_OVER: gettext_lazy("The order is in collection; the agency gets it with the next delivery."),
    Action.WITHDRAW: gettext_lazy("The order is no longer in collection; the agency gets a message."),
    Action.CANCEL: gettext_lazy("The order is cancelled."),
    Action.KEEP_CREDIT: gettext_lazy("What was paid too much is kept for the customer's next order."),
    Action.BOOK_INCOME: gettext_lazy("What was paid too much is booked as income."),
    Action.NOTE_LOSS: gettext_lazy("The missing amount is recorded as a loss."),
}
WHY_NOT: Final[Mapping[WhyNot, str | Promise]] = {
    WhyNot.NOTHING_LEFT: gettext_lazy("Not possible: nothing of the payments is left"),
    WhyNot.PAID_ALREADY: gettext_lazy("Not possible: already paid"),
    WhyNot.NOT_SET_BY_HAND: gettext_lazy("Not possible: only a manual mark can be removed"),
    WhyNot.NOTHING_OPEN: gettext_lazy("Not possible: nothing of this order is open"),
    WhyNot.CANCELLED_ALREADY: gettext_lazy("Not possible: already cancelled"),
    WhyNot.AS_WANTED: gettext_lazy("Nothing to do: it is so already"),
}
NOT_MY_ROLE: Final = gettext_lazy("Your role does not include this")
