"""What a movement means for an order: stated by the provider at any tariff, never guessed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from paymatch.domain.payouts.movements import Movement, MovementKind
from paymatch.domain.payouts.order_moves import (
    OrderMove,
    OrderMoveKind,
    ProviderOrder,
    also_spelled_otherwise,
    hold_uncovered,
    numbers_in,
    plan_order_moves,
)
from paymatch.domain.witnesses import Witness

_K = MovementKind
ORDERS = {
    "SO-101": ProviderOrder("SO-101", "EUR", 5877),
    "1002": ProviderOrder("1002", "EUR", 5877),
    "SO-103": ProviderOrder("SO-103", "USD", 6000),
}
SALE = Movement(_K.SALE, "EUR", 5877, 35, "txn_1", payment_id="ch_1", order_reference="SO-101")


def plan(*movements: Movement, witness: Witness = Witness.PROVIDER) -> list[OrderMove]:
    return plan_order_moves(movements, ORDERS, {"303-1234567-1234567": ORDERS["SO-101"]}, witness)


@pytest.mark.parametrize("fee", [0, 1, 35, 900, 5000])
def test_a_sale_credits_gross_and_withholds_its_fee_at_any_tariff(fee: int) -> None:
    sale = replace(SALE, fee_minor=fee)
    assert plan(sale) == [OrderMove(OrderMoveKind.CREDIT, "SO-101", "EUR", 5877, fee, sale)]


@pytest.mark.parametrize(
    ("kind", "gross", "fee", "move"),
    [
        (_K.REFUND, -2000, -20, OrderMoveKind.REFUND),
        (_K.CHARGEBACK, -5877, 1500, OrderMoveKind.CHARGE_BACK),
        (_K.CHARGEBACK_REVERSED, 5877, -1500, OrderMoveKind.RESTORE),
    ],
)
def test_refunds_and_chargebacks_move_the_order_of_their_payment(
    kind: MovementKind, gross: int, fee: int, move: OrderMoveKind
) -> None:
    row = Movement(kind, "EUR", gross, fee, "txn_2", payment_id="ch_1")
    assert plan(row, SALE)[0] == OrderMove(move, "SO-101", "EUR", abs(gross), fee, row)
    assert plan(row) == []


@pytest.mark.parametrize("kind", [_K.FEE, _K.ADJUSTMENT, _K.RESERVE_HELD, _K.PAYOUT, _K.CONVERSION, _K.CARRIED_OVER])
def test_rows_of_the_provider_move_no_order(kind: MovementKind) -> None:
    assert plan(replace(SALE, kind=kind)) == []


def test_the_amount_that_the_customer_paid_counts() -> None:
    sale = replace(SALE, order_reference="SO-103", gross_minor=5500, original_minor=6000, original_currency="USD")
    (move,) = plan(sale)
    assert (move.amount_minor, move.currency, move.withheld_minor) == (6000, "USD", 35)
    assert plan(replace(sale, original_minor=None, original_currency="")) == []


def test_marketplace_numbers_come_first() -> None:
    (move,) = plan(replace(SALE, order_reference="", marketplace_number="303-1234567-1234567"))
    assert move.order_number == "SO-101"


def test_numbers_stand_in_references_with_a_mark_or_in_descriptions() -> None:
    assert numbers_in(Movement(_K.SALE, "EUR", 1, order_reference="#1002")) == ("#1002", "1002")
    assert numbers_in(Movement(_K.SALE, "EUR", 1, text="Order SO-101 (tea).")) == ("SO-101",)
    assert [move.order_number for move in plan(replace(SALE, order_reference="#1002"))] == ["1002"]
    assert [move.order_number for move in plan(replace(SALE, order_reference="", text="Order SO-101"))] == ["SO-101"]
    assert plan(replace(SALE, order_reference="", text="Orders SO-101 and 1002")) == []


@pytest.mark.parametrize(
    ("witness", "decides"), [(Witness.PROVIDER, True), (Witness.PAYER, False), (Witness.MERCHANT, False)]
)
def test_a_file_from_a_way_that_is_not_trusted_waits_for_a_person(witness: Witness, decides: bool) -> None:
    (move,) = plan(SALE, witness=witness)
    assert move.is_automatic is decides


def test_a_row_against_its_kind_waits_for_a_person() -> None:
    (move,) = plan(replace(SALE, kind=_K.REFUND))
    assert not move.is_automatic


def test_a_marketplaces_number_counts_wherever_the_file_has_it() -> None:
    number = "303-1234567-1234567"
    for sale in (
        replace(SALE, order_reference=number),
        replace(SALE, order_reference="", text=f"Order {number}"),
    ):
        assert [move.order_number for move in plan(sale)] == ["SO-101"]
    both = plan_order_moves([SALE], ORDERS, {"SO-101": ORDERS["1002"]})
    assert both == [], "one number of two orders names neither"


@pytest.mark.parametrize(("given", "number"), [("1002", "#1002"), ("#1002", "1002"), ("#1002", "#1002")])
def test_a_number_is_found_with_and_without_its_mark(given: str, number: str) -> None:
    order = ProviderOrder(number, "EUR", 5877)
    for sale in (replace(SALE, order_reference=given), replace(SALE, order_reference="", text=f"Order {given}")):
        assert [each.order_number for each in plan_order_moves([sale], {number: order})] == [number]


def test_the_reference_as_it_is_comes_before_its_other_forms() -> None:
    orders = {number: ProviderOrder(number, "EUR", 5877) for number in ("1002", "#1002")}
    assert [each.order_number for each in plan_order_moves([replace(SALE, order_reference="1002")], orders)] == ["1002"]


def test_a_number_in_another_spelling_is_of_the_one_order_that_has_it() -> None:
    wanted = ["so 101", "SO103", "1002", "so"]
    found = also_spelled_otherwise(ORDERS, wanted)
    assert {number: order.order_number for number, order in found.items() if number not in ORDERS} == {
        "so 101": "SO-101",
        "SO103": "SO-103",
    }
    twins = {number: ProviderOrder(number, "EUR", 5877) for number in ("SO-101", "SO.101")}
    assert "SO101" not in also_spelled_otherwise(twins, ["SO101"])


def test_a_refund_follows_the_order_that_its_payment_is_matched_to() -> None:
    refund = Movement(_K.REFUND, "EUR", -5877, 0, "txn_2", payment_id="ch_9", order_reference="unknown")
    booked = {"ch_9": ORDERS["SO-101"]}
    (move,) = plan_order_moves([refund], {}, booked=booked)
    assert (move.kind, move.order_number) == (OrderMoveKind.REFUND, "SO-101")


@pytest.mark.parametrize("payment", ["", "ch_9"])
@pytest.mark.parametrize("kind", [_K.REFUND, _K.CHARGEBACK])
@pytest.mark.parametrize(("credited", "taken"), [(5877, 5877), (5877, 100), (99, 100), (0, 100)])
def test_a_text_takes_only_what_the_account_credited_and_of_no_other_payment(
    kind: MovementKind, payment: str, credited: int, taken: int
) -> None:
    row = Movement(kind, "EUR", -taken, 0, "txn_2", payment_id=payment, text="Order SO-101")
    (move,) = hold_uncovered(plan(row), {"SO-101": credited})
    assert move.is_automatic is (not payment and taken <= credited)
    together = [each.is_automatic for each in hold_uncovered(plan(row, SALE), {})]
    assert together == [not payment, True], "a sale that arrives with it covers it"


def test_a_refund_with_a_code_of_its_own_names_no_other_payment() -> None:
    row = Movement(_K.REFUND, "EUR", -100, 0, "TAAA4 refund -100", payment_id="TAAA4", text="Order SO-101")
    (move,) = hold_uncovered(plan(row), {"SO-101": 100})
    assert move.is_automatic
    assert not hold_uncovered(plan(replace(row, payment_id="TAAA")), {"SO-101": 100})[0].is_automatic


def test_a_column_takes_from_its_order_whatever_the_account_credited() -> None:
    row = Movement(_K.REFUND, "EUR", -5877, 0, "txn_2", payment_id="ch_9", order_reference="SO-101")
    (move,) = hold_uncovered(plan(row), {})
    assert move.is_automatic
