"""Small bank files after public bug reports, beside the repository: each comes out as its expectation says."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import pytest

from paymatch.domain.money import Currency, minor_to_text
from paymatch.formats.statement import FileRefused
from paymatch.store.database import Database
from paymatch.store.statements import postings as posting_store
from paymatch.usecases.shops import shops
from tests.usecases.conftest import ACCOUNT, Books

pytestmark = pytest.mark.corpus

_PLACES = tuple(Path(__file__).resolve().parents[up] / "shared" / "inputs" / "public" for up in (4, 5))
FOLDER: Final = next((place for place in _PLACES if (place / "expected.json").is_file()), None)
CASES: Final[list[dict[str, Any]]] = json.loads((FOLDER / "expected.json").read_text())["cases"] if FOLDER else []
NOW = datetime(2026, 11, 26, 9, tzinfo=UTC)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['kind']}-{case['id']}")
def test_public_input(database: Database, case: dict[str, Any]) -> None:
    shop = shops.create(database, f"Public {case['id']}", NOW - timedelta(days=60), ibans=[ACCOUNT]).shop
    books = Books(database, shop, now=NOW)
    for order in case.get("orders", ()):
        books.order(order["number"], str(Decimal(str(order["amount"]))), date=order["date"], billing=order["billing"])
    outcome = outcome_of(books, case)
    misses = [missed(outcome, expected) for expected in case["expect"]]
    assert [] in misses, (case["why"], misses)


def outcome_of(books: Books, case: dict[str, Any]) -> dict[str, Any]:
    """What came of importing the files, in the words of the expectation."""
    assert FOLDER is not None
    outcome: dict[str, Any] = {"refused": "", "errors": 0, "balance": ""}
    for name in case["files"]:
        try:
            report = books.bring((FOLDER / name).read_bytes(), name)
        except FileRefused as refusal:
            outcome["refused"] = str(refusal)
        else:
            outcome["errors"] += report.errors
            outcome["balance"] = report.balance
    with books.database.of_shop(books.shop) as tx:
        rows = tx.rows("SELECT id FROM postings WHERE shop_id = $1", books.shop.id)
        stored = posting_store.load(tx, [row[0] for row in rows])
    outcome["postings"] = sorted(
        f"{each.posting.booking_date} {minor_to_text(each.posting.amount_minor, each.posting.currency)}"
        f" {each.posting.currency}"
        for each in stored
    )
    outcome["texts"] = [each.posting.shown_text for each in stored]
    outcome["unmatched"] = all(each.status != "matched" for each in stored)
    states = books.rows("SELECT number, status, postings_minor, currency FROM orders WHERE shop_id = $1")
    outcome["status"] = {
        number: f"{status} {minor_to_text(minor, Currency(code))}" for number, status, minor, code in states
    }
    return outcome


def missed(outcome: dict[str, Any], expected: dict[str, Any]) -> list[str]:
    """What of the expectation did not come out."""
    found = []
    for name, value in expected.items():
        said = outcome[name]
        match name:
            case "postings":
                right = said == sorted(value)
            case "texts":
                right = all(any(re.search(text, each) for each in said) for text in value)
            case "refused":
                right = re.search(value, said) is not None
            case "status":
                right = all(f"{said[number]} ".startswith(f"{text} ") for number, text in value.items())
            case _:
                right = said == value
        found += [] if right else [f"{name}: {said!r}, expected {value!r}"]
    return found
