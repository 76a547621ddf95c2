"""What a re-submission changes of an order: fields by name, with values unless they say who the customer is."""

from __future__ import annotations

from typing import Any

import pytest

from paymatch.domain.orders.changes import MAX_VALUE, Change, changed_fields, is_readdressed


@pytest.mark.parametrize(
    ("before", "after", "changes"),
    [
        ({"amount": "10.00"}, {"amount": "10.00"}, {}),
        ({"amount": "462.50"}, {"amount": "486.40"}, {"amount": ("462.50", "486.40")}),
        ({}, {"dueDate": "2026-03-01"}, {"dueDate": ("", "2026-03-01")}),
        ({"dueDate": "2026-03-01"}, {}, {"dueDate": ("2026-03-01", "")}),
        ({"stopReminder": False}, {"stopReminder": True}, {"stopReminder": ("false", "true")}),
        ({"invoiceNumbers": ["A"]}, {"invoiceNumbers": ["A", "B"]}, {"invoiceNumbers": ("A", "A, B")}),
        ({"invoiceNumbers": []}, {"invoiceNumbers": ["A"]}, {"invoiceNumbers": ("", "A")}),
        ({"items": [{"name": "Tea"}]}, {"items": []}, {"items": None}),
        ({"customerEmail": "a@example.org"}, {"customerEmail": "b@example.org"}, {"customerEmail": None}),
        (
            {"billing": {"city": "Kiel", "street": "A"}},
            {"billing": {"city": "Bonn", "street": "A"}},
            {"billing.city": None},
        ),
        ({}, {"shipping": {"city": "Bonn"}}, {"shipping.city": None}),
        ({"b": "1", "a": "1"}, {"b": "2", "a": "2"}, {"a": ("1", "2"), "b": ("1", "2")}),
        ({"note": "x"}, {"note": "y" * 500}, {"note": ("x", "y" * MAX_VALUE)}),
    ],
)
def test_changed_fields(before: dict[str, Any], after: dict[str, Any], changes: dict[str, Change]) -> None:
    found = changed_fields(before, after)
    assert found == changes
    assert list(found) == sorted(found)


@pytest.mark.parametrize(
    ("before", "after", "readdressed"),
    [
        ("a@example.org", "b@example.org", True),
        ("a@example.org", "", True),
        ("a@example.org", None, True),
        ("a@example.org", " A@Example.org", False),
        ("", "b@example.org", False),
        (None, None, False),
    ],
)
def test_mail_goes_to_somebody_else(before: str | None, after: str | None, readdressed: bool) -> None:
    assert is_readdressed({"customerEmail": before}, {"customerEmail": after}) is readdressed
    without = {} if before is None else {"customerEmail": before}
    assert is_readdressed(without, {"customerEmail": after}) is readdressed
