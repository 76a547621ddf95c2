"""What is written back, from the payment status and the shop's state: every pair, and by whom the state was set."""

from __future__ import annotations

from datetime import date

import pytest

from paymatch.domain.connectors.systems import Connector, ShopSystem, change_connector, new_connector
from paymatch.domain.connectors.write_back import WRITTEN, Present, plan
from paymatch.domain.orders.settlement import PaymentStatus

_P = PaymentStatus
WOO_STATES = ("pending", "on-hold", "processing", "completed", "cancelled", "refunded", "failed", "trash", "shipped")
SHOPWARE_STATES = (
    "open", "in_progress", "reminded", "authorized", "paid", "paid_partially", "cancelled", "refunded", "failed",
    "chargeback",
)  # fmt: skip


def connector(system: ShopSystem) -> Connector:
    return new_connector("x", system, "https://shop.example", date(2026, 3, 1))


def moves(system: ShopSystem, status: PaymentStatus, state: str, before: str = "", *ours: str) -> str:
    """The moves, `!` for a problem, "" for nothing."""
    found = plan(connector(system), status, Present(state, before, frozenset(ours)))
    assert not (found.steps and found.problem)
    return "!" if found.problem else " ".join(step.move for step in found.steps)


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        # pending, on-hold, processing, completed, cancelled, refunded, failed, trash, a plugin's own
        (_P.PAID, ["processing", "processing", "", "", "!", "!", "!", "!", ""]),
        (_P.PAID_PARTIAL, [""] * 9),
        (_P.UNPAID, [""] * 9),
        (_P.CANCELLED, ["cancelled", "cancelled", "!", "!", "", "", "!", "", "!"]),
    ],
)
def test_woocommerce_where_we_have_set_nothing(status: PaymentStatus, expected: list[str]) -> None:
    assert [moves(ShopSystem.WOOCOMMERCE, status, state) for state in WOO_STATES] == expected


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (_P.PAID, ["processing", "processing", "", "", "!", "!", "!", "!", ""]),
        (_P.PAID_PARTIAL, ["", "", "on-hold", "!", "!", "!", "!", "!", "!"]),
        (_P.UNPAID, ["", "", "on-hold", "!", "!", "!", "!", "!", "!"]),
        (_P.CANCELLED, ["cancelled", "cancelled", "cancelled", "!", "", "", "!", "", "!"]),
    ],
)
def test_woocommerce_where_processing_is_ours(status: PaymentStatus, expected: list[str]) -> None:
    found = [moves(ShopSystem.WOOCOMMERCE, status, state, "on-hold", "processing") for state in WOO_STATES]
    assert found == expected


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        # open, in_progress, reminded, authorized, paid, paid_partially, cancelled, refunded, failed, chargeback
        (_P.PAID, ["paid", "paid", "paid", "paid", "", "paid", "!", "!", "!", "!"]),
        (_P.PAID_PARTIAL, ["paid_partially"] * 4 + ["", "", "", "", "", ""]),
        (_P.UNPAID, [""] * 10),
        (_P.CANCELLED, ["cancel"] * 4 + ["!", "!", "", "!", "!", "!"]),
    ],
)
def test_shopware_where_we_have_set_nothing(status: PaymentStatus, expected: list[str]) -> None:
    assert [moves(ShopSystem.SHOPWARE, status, state) for state in SHOPWARE_STATES] == expected


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (_P.PAID, ["paid", "paid", "paid", "paid", "", "paid", "reopen paid", "!", "!", "!"]),
        (
            _P.PAID_PARTIAL,
            ["paid_partially"] * 4 + ["cancel reopen paid_partially", "", "reopen paid_partially", "!", "!", "!"],
        ),
        (_P.UNPAID, ["", "", "", "", "cancel reopen", "!", "reopen", "!", "!", "!"]),
        (_P.CANCELLED, ["cancel"] * 4 + ["cancel", "!", "", "!", "!", "!"]),
    ],
)
def test_shopware_where_paid_and_cancelled_are_ours(status: PaymentStatus, expected: list[str]) -> None:
    found = [moves(ShopSystem.SHOPWARE, status, state, "open", "paid", "cancelled") for state in SHOPWARE_STATES]
    assert found == expected


@pytest.mark.parametrize("system", ShopSystem)
def test_other_statuses_change_nothing(system: ShopSystem) -> None:
    for status in set(PaymentStatus) - WRITTEN:
        for state in (*WOO_STATES, *SHOPWARE_STATES):
            assert moves(system, status, state, "open", "paid", "processing") == ""


def test_the_owner_says_which_status_is_paid() -> None:
    wanted = change_connector(connector(ShopSystem.WOOCOMMERCE), {"paid-status": "wc-Completed"})
    found = plan(wanted, _P.PAID, Present("on-hold"))
    assert [(step.move, step.state) for step in found.steps] == [("completed", "completed")]
    problem = plan(wanted, _P.PAID, Present("cancelled")).problem
    assert problem == (
        "the payment status is PAID, but the order has the state cancelled in the shop, which paymatch does not change"
    )
