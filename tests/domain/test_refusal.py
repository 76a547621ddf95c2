"""What a refusal tells a program beside its text: only what is known (D-13, D-39)."""

from __future__ import annotations

from typing import Any

import pytest

from paymatch.domain.refusal import Refused
from paymatch.domain.words.message import Message


@pytest.mark.parametrize(
    ("given", "additions"),
    [
        ({}, {}),
        ({"parameter": "type"}, {"parameter": "type"}),
        ({"allowed": ("COD", "OTHER")}, {"allowed": ["COD", "OTHER"]}),
        ({"expected": "dd-MM-yyyy"}, {"expected": "dd-MM-yyyy"}),
        (
            {"parameter": "date", "allowed": ("today",), "expected": "dd-MM-yyyy"},
            {"parameter": "date", "allowed": ["today"], "expected": "dd-MM-yyyy"},
        ),
    ],
)
def test_a_refusal_adds_what_is_known(given: dict[str, Any], additions: dict[str, Any]) -> None:
    refused = Refused(Message("text", value="Unknown type"), **given)
    assert (str(refused), refused.additions) == ("Unknown type", additions)
