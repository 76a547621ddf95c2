"""What a person may do with an order, and why not, for every standing of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from paymatch.domain.orders.actions import Action, OrderSituation, WhyNot, actions
from paymatch.domain.orders.settlement import Mark, PaymentStatus

S, A, W = PaymentStatus, Action, WhyNot
OPEN = OrderSituation(S.UNPAID, None, 0, reminders_stopped=False)


@pytest.mark.parametrize(
    ("status", "paid", "unpaid", "reminders", "collection", "cancel"),
    [
        (S.UNPAID, None, W.NOT_SET_BY_HAND, None, None, None),
        (S.PAID_PARTIAL, None, W.NOT_SET_BY_HAND, None, None, None),
        (S.PAID, W.PAID_ALREADY, W.NOT_SET_BY_HAND, W.NOTHING_OPEN, W.NOTHING_OPEN, None),
        (S.CANCELLED, None, W.NOT_SET_BY_HAND, W.NOTHING_OPEN, W.NOTHING_OPEN, W.CANCELLED_ALREADY),
        (S.COLLECTION, None, W.NOT_SET_BY_HAND, W.NOTHING_OPEN, None, None),
    ],
)
def test_actions_of_a_status(
    status: PaymentStatus,
    paid: WhyNot | None,
    unpaid: WhyNot | None,
    reminders: WhyNot | None,
    collection: WhyNot | None,
    cancel: WhyNot | None,
) -> None:
    assert actions(replace(OPEN, status=status)) == {
        A.REFUND: W.NOTHING_LEFT, A.SET_PAID: paid, A.SET_UNPAID: unpaid, A.STOP_REMINDERS: reminders,
        A.HAND_OVER: collection, A.CANCEL: cancel,
    }  # fmt: skip


def test_what_is_there_to_refund_is_refunded() -> None:
    assert [actions(replace(OPEN, refundable_minor=minor))[A.REFUND] for minor in (0, 1)] == [W.NOTHING_LEFT, None]


def test_stopped_reminders_are_resumed_and_collection_is_withdrawn() -> None:
    found = actions(OrderSituation(S.COLLECTION, Mark.COLLECTION, 0, reminders_stopped=True))
    assert set(found) == {A.REFUND, A.SET_PAID, A.SET_UNPAID, A.RESUME_REMINDERS, A.WITHDRAW, A.CANCEL}


def test_a_mark_set_by_hand_is_removed_by_hand() -> None:
    assert actions(OrderSituation(S.PAID, Mark.PAID, 0, reminders_stopped=False))[A.SET_UNPAID] is None
