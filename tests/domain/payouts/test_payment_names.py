"""Rows name a payment by different ids: the order of each row, by a second reckoning over all ways through rows."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from paymatch.domain.payouts.movements import Movement, MovementKind, same_movement
from paymatch.domain.payouts.order_moves import ProviderOrder, plan_order_moves
from paymatch.domain.payouts.payment_names import OrdersOfPayments

_K = MovementKind
ORDERS = {number: ProviderOrder(number, "EUR", 5877) for number in ("SO-1", "SO-2")}


def row(kind: MovementKind, payment: str = "", alias: str = "", order: str = "", name: str = "") -> Movement:
    minor = 5877 if kind in (_K.SALE, _K.CHARGEBACK_REVERSED) else -5877
    return Movement(
        kind, "EUR", minor, provider_id=name or f"{kind} {payment} {alias}", payment_id=payment, payment_alias=alias,
        order_reference=order,
    )  # fmt: skip


def orders_of(*rows: Movement) -> list[str]:
    """The orders of the rows that are no sales, in their order; "" for a row that moves none."""
    found = {move.movement: move.order_number for move in plan_order_moves(rows, ORDERS)}
    return [found.get(each, "") for each in rows if each.kind is not _K.SALE]


def test_a_dispute_names_the_intent_and_the_sale_its_charge() -> None:
    sale, dispute = row(_K.SALE, "ch_1", "pi_1", "SO-1"), row(_K.CHARGEBACK, "pi_1")
    assert orders_of(sale, dispute) == orders_of(dispute, sale) == ["SO-1"]


def test_a_refund_with_both_ids_leads_from_the_dispute_to_the_sale() -> None:
    sale, refund = row(_K.SALE, "ch_1", "", "SO-1"), row(_K.REFUND, "ch_1", "pi_1")
    dispute = row(_K.CHARGEBACK, "pi_1", "dp_1")
    won = row(_K.CHARGEBACK_REVERSED, "dp_1")
    assert orders_of(won, dispute, refund, sale) == ["SO-1", "SO-1", "SO-1"]
    assert orders_of(won, dispute, sale) == ["", ""]


def test_a_sale_of_an_authorisation_is_found_by_its_own_code() -> None:
    sale, refund = row(_K.SALE, "7AB", "AUTH", "SO-1"), row(_K.REFUND, "7AB", "8CD")
    won = row(_K.CHARGEBACK_REVERSED, "AUTH")
    assert orders_of(sale, refund, won) == ["SO-1", "SO-1"]


def test_sales_under_one_agreement_are_not_one_payment() -> None:
    first, second = row(_K.SALE, "1A", "B-9", "SO-1"), row(_K.SALE, "2A", "B-9")
    of_first, of_second, of_neither = row(_K.REFUND, "1A"), row(_K.REFUND, "2A"), row(_K.REFUND, "B-9", name="x")
    assert orders_of(first, second, of_first, of_second) == ["SO-1", ""]
    both = (first, replace(second, order_reference="SO-2"), of_neither)
    assert orders_of(*both) == [""]
    moves = plan_order_moves([first, second], ORDERS)
    assert [move.movement for move in moves] == [first], "the second sale does not pay the order of the first"


def test_several_charges_of_one_intent_are_of_one_order() -> None:
    sales = (row(_K.SALE, "ch_1", "pi_1", "SO-1"), row(_K.SALE, "ch_2", "pi_1", "SO-1"))
    assert orders_of(*sales, row(_K.CHARGEBACK, "pi_1")) == ["SO-1"]


def test_two_reports_of_a_sale_give_it_both_ids_in_any_order() -> None:
    one, other = row(_K.SALE, "ch_1", name="txn"), row(_K.SALE, "pi_1", name="txn")
    assert set(same_movement(one, other).payment_ids) == {"ch_1", "pi_1"}
    assert same_movement(one, other) == same_movement(other, one)


NAMES = st.sampled_from([f"{letter}{number}" for letter in "cps" for number in range(3)])


@st.composite
def rows_of_account(draw: st.DrawFn) -> list[Movement]:
    found = []
    for place in range(draw(st.integers(1, 8))):
        kind = draw(st.sampled_from([_K.SALE, _K.SALE, _K.REFUND, _K.CHARGEBACK]))
        payment, alias = draw(NAMES), draw(st.just("") | NAMES)
        order = draw(st.sampled_from(["", "SO-1", "SO-2"])) if kind is _K.SALE else ""
        found.append(row(kind, payment, "" if alias == payment else alias, order, f"row {place}"))
    return found


def _reckoned(wanted: Movement, rows: list[Movement]) -> str:
    """The order of a row that is no sale: of its own ids one whose sales are of one order, else by walking rows."""
    sales = [each for each in rows if each.kind is _K.SALE]
    for name in wanted.payment_ids:
        orders = {each.order_reference for each in sales if name in each.payment_ids} - {""}
        if len(orders) == 1:
            return orders.pop()
    shared = {
        name
        for each in sales
        for other in sales
        if set(each.payment_ids) != set(other.payment_ids)
        for name in set(each.payment_ids) & set(other.payment_ids)
    }
    reached_orders = []
    for name in set(wanted.payment_ids) - shared:
        reached = {name}
        while True:
            more = {
                other
                for each in rows
                if (set(each.payment_ids) - shared) & reached
                for other in set(each.payment_ids) - shared
            }
            if more <= reached:
                break
            reached |= more
        found = {each.order_reference for each in sales if set(each.payment_ids) & reached} - {""}
        reached_orders += list(found) if len(found) == 1 else []
    return reached_orders[0] if len(set(reached_orders)) == 1 else ""


@given(rows_of_account(), st.randoms())
def test_any_rows_in_any_order_lead_where_a_second_reckoning_does(rows: list[Movement], chance: Random) -> None:
    def order_of(each: Movement) -> str | None:
        return each.order_reference or None

    mixed = [*rows]
    chance.shuffle(mixed)
    payments, others = OrdersOfPayments(rows, order_of, {}, {}), OrdersOfPayments(mixed, order_of, {}, {})
    for each in rows:
        if each.kind is not _K.SALE:
            assert (payments.of(each) or "") == _reckoned(each, rows) == (others.of(each) or "")


def test_an_order_that_a_sale_is_booked_to_counts_before_what_its_row_says() -> None:
    sale, dispute = row(_K.SALE, "ch_1", "pi_1", "SO-1"), row(_K.CHARGEBACK, "pi_1")
    moves = plan_order_moves([sale, dispute], ORDERS, booked={"ch_1": ORDERS["SO-2"], "pi_1": ORDERS["SO-2"]})
    assert {move.movement.kind: move.order_number for move in moves} == {_K.SALE: "SO-1", _K.CHARGEBACK: "SO-2"}


def test_other_reports_of_a_row_add_their_ids() -> None:
    sale, dispute = replace(row(_K.SALE, "ch_1", "", "SO-1"), group="i:txn"), row(_K.CHARGEBACK, "pi_1")
    moves = plan_order_moves([sale, dispute], ORDERS, ids_of_events={"i:txn": {"ch_1", "pi_1"}})
    assert [move.order_number for move in moves] == ["SO-1", "SO-1"]
