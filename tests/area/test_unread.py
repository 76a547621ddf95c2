"""The wrong part of a line that could not be read, and what it says plainly."""

from __future__ import annotations

from datetime import date

import pytest

from paymatch.area.service import Service
from paymatch.domain.words.message import Message

LINE = "09.11.2026;Hafencafé Ditzum;RE 2026-10359 10360;1.2?4,50;EUR;DE89370400440532013000"


@pytest.fixture(autouse=True)
def area(service: Service) -> None:
    """The merchant area is set up."""


def test_the_part_that_the_reason_names_is_marked() -> None:
    from paymatch.area.views.bank.unread import marked

    assert marked(LINE, Message("assign-not-matched", posting="1.2?4,50"))[1] == "1.2?4,50"
    assert marked(LINE, "amount '1.2?4,50' cannot be read")[0].endswith("10360;")
    assert marked(LINE, "the amount is missing") == (LINE, "", "")


def test_what_is_said_plainly_is_filled_in() -> None:
    from paymatch.area.views.bank.unread import readable_values

    assert readable_values(LINE, "1.2?4,50") == {
        "day": date(2026, 11, 9), "iban": "DE89370400440532013000", "name": "Hafencafé Ditzum",
        "text": "RE 2026-10359 10360",
    }  # fmt: skip
    assert readable_values("31.02.2026", "") == {}
