"""An order while a batch is decided: which of its numbers is which, and how its open amount moves."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paymatch.domain.matching.model import OrderState
from paymatch.domain.matching.order_view import Kind, OrderView
from paymatch.domain.matching.text.numbers import Form
from tests.domain.matching.world import order, paid

ORDER = order(
    "R-2026/00293",
    creditor_reference="RF18539007547034",
    invoice_numbers=("RG26-10493", "10494"),
    marketplace_number="302-7654321-1098765",
    proforma_numbers=("PF-77",),
    shipping_numbers=("00340434160837559566",),
    item_numbers=("P-21951",),
    customer_number="20009/clai_gotthard72",
)


@pytest.mark.parametrize(
    ("compact", "found"),
    [
        ("R-2026/00293", (Kind.ORDER, Form.FULL)),
        ("R202600293", (Kind.ORDER, Form.FULL)),
        ("202600293", (Kind.ORDER, Form.DIGITS)),
        ("R2026293", (Kind.ORDER, Form.ZEROS)),
        ("2026293", (Kind.ORDER, Form.ZEROS)),
        ("00293", (Kind.ORDER, Form.TAIL)),
        ("293", (Kind.ORDER, Form.TAIL)),
        ("RF18539007547034", (Kind.REFERENCE, Form.FULL)),
        ("RG2610493", (Kind.INVOICE, Form.FULL)),
        ("10493", (Kind.INVOICE, Form.TAIL)),
        ("10494", (Kind.INVOICE, Form.FULL)),
        ("30276543211098765", (Kind.MARKETPLACE, Form.FULL)),
        ("PF77", (Kind.PROFORMA, Form.FULL)),
        ("00340434160837559566", (Kind.SHIPPING, Form.FULL)),
        ("340434160837559566", (Kind.SHIPPING, Form.ZEROS)),
        ("P21951", (Kind.ITEM, Form.FULL)),
        ("20009", (Kind.CUSTOMER, Form.FULL)),
        ("CLAIGOTTHARD72", (Kind.CUSTOMER, Form.FULL)),
        ("93", None),
        ("294", None),
        ("21951", None),
    ],
)
def test_which_of_its_numbers_is_written_and_how_completely(compact: str, found: tuple[Kind, Form] | None) -> None:
    view = OrderView(ORDER)
    assert (view.find(compact), view.find(compact)) == (found, found)  # looked up, then remembered


def test_of_two_numbers_the_more_complete_one_counts_and_of_equals_the_orders_own() -> None:
    assert OrderView(order("A-10480", invoice_numbers=("10480",))).find("10480") == (Kind.INVOICE, Form.FULL)
    assert OrderView(order("A-10480", invoice_numbers=("B-10480",))).find("10480") == (Kind.ORDER, Form.DIGITS)
    assert OrderView(order("A-26-480", invoice_numbers=("B-480",))).find("480") == (Kind.INVOICE, Form.DIGITS)


def test_complete_forms_are_those_with_and_without_letters() -> None:
    assert set(OrderView(order("SW-10840", invoice_numbers=("RG26-10493",))).full_forms()) == {
        "SW10840", "10840", "RG2610493", "2610493",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("flat_name", "called"),
    [
        ("CLAIRE GOTTHARD", True),
        ("JORG GROS", True),
        ("CLAIRE GOTTHAR", False),
        ("", False),
        ("CLAIRE GOTTHARX", False),
    ],
)
def test_it_is_called_by_each_of_its_names_letter_by_letter(flat_name: str, called: bool) -> None:
    assert OrderView(order("1834", names=("Claire Gotthard", "Jörg Gros"))).is_called(flat_name) is called


def test_which_letters_stand_in_its_numbers() -> None:
    view = OrderView(order("SW-10840", invoice_numbers=("RG26-10493",)))
    assert view.has_letters(Kind.ORDER, "SW") and view.has_letters(Kind.INVOICE, "RG")
    assert not view.has_letters(Kind.ORDER, "RG") and not view.has_letters(Kind.SHIPPING, "SW")


@pytest.mark.parametrize(
    ("change", "pays", "tolerance", "state", "left"),
    [
        ({}, 4990, 0, OrderState.SETTLED, 0),
        ({}, 4989, 0, OrderState.OPEN, 1),
        ({}, 4980, 10, OrderState.SETTLED, 10),
        ({}, 4979, 10, OrderState.OPEN, 11),
        ({}, 5000, 0, OrderState.SETTLED, -10),
        ({}, -100, 0, OrderState.OPEN, 5090),
        (paid(ORDER), -1, 0, OrderState.OPEN, 1),
        (paid(ORDER), -10, 10, OrderState.SETTLED, 10),
        (paid(ORDER), -11, 10, OrderState.OPEN, 11),
        (paid(ORDER), 100, 0, OrderState.SETTLED, -100),
        ({"state": OrderState.SETTLED}, 100, 0, OrderState.SETTLED, 4890),  # settled otherwise: money opens nothing
        ({"state": OrderState.CLOSED}, 4990, 0, OrderState.CLOSED, 0),
        ({"state": OrderState.CLOSED}, -1, 0, OrderState.CLOSED, 4991),
    ],
)
def test_an_order_is_settled_once_no_more_than_the_tolerance_is_open(
    change: dict[str, Any], pays: int, tolerance: int, state: OrderState, left: int
) -> None:
    view = OrderView(replace(ORDER, **change))
    before = view.paid
    view.take(pays, tolerance)
    assert (view.state, view.open, view.paid - before, view.touched) == (state, left, pays, 1)


@given(st.lists(st.integers(-6000, 6000).filter(bool), max_size=8), st.integers(0, 200))
def test_what_is_open_and_paid_add_up_whatever_happens(payments: list[int], tolerance: int) -> None:
    view = OrderView(ORDER)
    for minor in payments:
        view.take(minor, tolerance)
        assert view.open + view.paid == ORDER.amount_minor
        assert (view.state is OrderState.SETTLED) == (view.open <= tolerance)
    assert view.touched == len(payments)
