"""An order while a batch is decided: which of its numbers is which, and how its open amount moves."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paymatch.domain.matching.model import OrderState
from paymatch.domain.matching.prepare import KeyKind, OrderView
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
        ("R-2026/00293", (KeyKind.ORDER, Form.FULL)),
        ("R202600293", (KeyKind.ORDER, Form.FULL)),
        ("202600293", (KeyKind.ORDER, Form.DIGITS)),
        ("R2026293", (KeyKind.ORDER, Form.ZEROS)),
        ("2026293", (KeyKind.ORDER, Form.ZEROS)),
        ("00293", (KeyKind.ORDER, Form.TAIL)),
        ("293", (KeyKind.ORDER, Form.TAIL)),
        ("RF18539007547034", (KeyKind.REFERENCE, Form.FULL)),
        ("RG2610493", (KeyKind.INVOICE, Form.FULL)),
        ("10493", (KeyKind.INVOICE, Form.TAIL)),
        ("10494", (KeyKind.INVOICE, Form.FULL)),
        ("30276543211098765", (KeyKind.MARKETPLACE, Form.FULL)),
        ("PF77", (KeyKind.PROFORMA, Form.FULL)),
        ("00340434160837559566", (KeyKind.SHIPPING, Form.FULL)),
        ("340434160837559566", (KeyKind.SHIPPING, Form.ZEROS)),
        ("P21951", (KeyKind.ITEM, Form.FULL)),
        ("20009", (KeyKind.CUSTOMER, Form.FULL)),
        ("CLAIGOTTHARD72", (KeyKind.CUSTOMER, Form.FULL)),
        ("93", None),
        ("294", None),
        ("21951", None),
    ],
)
def test_which_of_its_numbers_is_written_and_how_completely(compact: str, found: tuple[KeyKind, Form] | None) -> None:
    view = OrderView(ORDER)
    assert (view.find(compact), view.find(compact)) == (found, found)  # looked up, then remembered


def test_of_two_numbers_the_more_complete_one_counts_and_of_equals_the_orders_own() -> None:
    assert OrderView(order("A-10480", invoice_numbers=("10480",))).find("10480") == (KeyKind.INVOICE, Form.FULL)
    assert OrderView(order("A-10480", invoice_numbers=("B-10480",))).find("10480") == (KeyKind.ORDER, Form.DIGITS)
    assert OrderView(order("A-26-480", invoice_numbers=("B-480",))).find("480") == (KeyKind.INVOICE, Form.DIGITS)


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
    assert view.has_letters(KeyKind.ORDER, "SW") and view.has_letters(KeyKind.INVOICE, "RG")
    assert not view.has_letters(KeyKind.ORDER, "RG") and not view.has_letters(KeyKind.SHIPPING, "SW")


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
