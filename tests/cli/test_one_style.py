"""One style in all that commands print as JSON: amounts are texts with decimals, days and moments are ISO 8601."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import Any

import pytest

from paymatch.formats.camt.writer import CamtMessage
from tests.cli.conftest import Run
from tests.usecases.conftest import Books, camt, paid

CARRIER = {"counterparty_name": "DPD Deutschland GmbH", "counterparty_iban": "DE02120300000000202051"}
PARCELS = ("01234567890123", "01234567890999")
COMMANDS = (
    "order list Shop", "order list Shop --overpaid", "order show Shop SO-471101", "order show Shop SO-471103",
    "postings Shop", "fees Shop", "claims Shop", "refunds list Shop", "statement list Shop", "statement check Shop",
    "account list Shop", "alerts Shop", "reminders preview Shop", "report Shop postings", "report Shop open",
    "jobs list Shop", "audit list Shop", "key list Shop", "callbacks list Shop",
)  # fmt: skip
MONEY = re.compile(r"amount|open|paid|overpaid|fee|gross|missing|unexplained|balance|sum[A-Z]\w*|\w*Amount", re.ASCII)
DAY_OF_API = re.compile(r"\d\d-\d\d-\d{4}")


@pytest.fixture
def lived(books: Books, run: Run) -> Run:
    """A shop with all that has an amount or a day: payments, a payout with its fee, too much paid, a refund."""
    books.order("SO-471101", "12.00", dueDate="15-03-2026")
    books.order("SO-471102", "30.00")
    for number, amount, parcel in (("SO-471103", "40.00", PARCELS[0]), ("SO-471104", "60.50", PARCELS[1])):
        billing = {"lastName": f"Kunde{number}", "countryCode": "DE"}
        books.order(number, amount, type="COD", shippingNumbers=[parcel], billing=billing)
    books.order("SO-471105", "19.90", type="COD", shippingNumbers=["01234567899999"])
    payout = paid(9750, f"Nachnahme {PARCELS[0]} {PARCELS[1]}", **CARRIER)
    more = paid(3000, "SO-471101", booking_date=date(2026, 3, 10))
    books.bring(camt(CamtMessage.STATEMENT, payout, more, paid(3000, "")))
    postings = {row["text"]: row["id"] for row in run("postings", "Shop")[1]}
    assert run("match", "Shop", postings["SO-471101"], "SO-471101", "--yes")[0] == 0
    assert run("refunds", "create", "Shop", "SO-471101", "18.00", "--reference", "R-1")[0] == 0
    return run


def values(found: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """(name, value) of everything in a JSON value."""
    if isinstance(found, dict):
        for key, value in found.items():
            yield from values(value, key)
    elif isinstance(found, list):
        for value in found:
            yield from values(value, name)
    else:
        yield name, found


def test_amounts_are_texts_and_days_are_iso_in_every_list(lived: Run) -> None:
    amounts, days = 0, 0
    for words in COMMANDS:
        code, found, error = lived(*words.split())
        assert (code, error) == (0, ""), words
        for name, value in values(found):
            assert not isinstance(value, float) or name in {"probability", "weight"}, (words, name)
            if MONEY.fullmatch(name) and value is not None and value != "":
                assert isinstance(value, str), (words, name)
                assert re.fullmatch(r"-?\d+\.\d\d( [A-Z]{3})?|ok|mismatch|unknown|yes|no", value), (words, name, value)
                amounts += 1
            if isinstance(value, str):
                assert not DAY_OF_API.match(value), (words, name, value)
                days += bool(re.match(r"\d{4}-\d\d-\d\d", value))
    assert amounts > 40
    assert days > 30


@pytest.mark.parametrize(
    "words", [("postings", "Matched"), ("order list", "paid"), ("refunds list", "new"), ("callbacks list", "off")]
)
def test_statuses_are_known_in_any_case(lived: Run, words: tuple[str, str]) -> None:
    command, status = words
    lower, upper = (lived(*command.split(), "Shop", "--status", text) for text in (status, status.upper()))
    assert (lower[0], lower[2]) == (0, "")
    assert lower[1] == upper[1]
    assert len(lower[1]) >= (command != "callbacks list")
