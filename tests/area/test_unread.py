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


SWIFT = (
    ":61:2610191020C57;60NTRFNONREF//CH2629200239\n166?00GUTSCHRIFT?20SVWZ+Bestellung WT-?2111135"
    "?31CH5604835012345\n678009?32Wiebke ?33Ullrich"
)


def test_a_swift_entry_with_a_wrong_amount_asks_for_the_amount_only() -> None:
    from paymatch.area.views.bank.unread import marked, readable_values

    before, wrong, behind = marked(SWIFT, "the statement line is not a date, mark, amount and transaction type")
    assert (before, wrong, before + wrong + behind) == (":61:2610191020C", "57;60", SWIFT)
    assert readable_values(SWIFT, wrong) == {
        "day": date(2026, 10, 20), "iban": "CH5604835012345678009", "name": "Wiebke Ullrich",
        "text": "Bestellung WT-11135",
    }  # fmt: skip
