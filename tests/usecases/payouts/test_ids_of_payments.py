"""Refunds and chargebacks that name their sale by another id than the sale's row does, file by file."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import permutations
from typing import Final

import pytest

from paymatch.domain.statement_channels import StatementChannel
from paymatch.usecases.matching.matching import match_due
from paymatch.usecases.statements.imports import undo_import
from tests.usecases.conftest import Books

_HEAD: Final = (
    "automatic_payout_id,automatic_payout_effective_at,balance_transaction_id,created_utc,currency,gross,fee,net,"
    "reporting_category,charge_id,payment_intent_id,payment_metadata[order_id]\n"
)
_DAY: Final = "po_1,2026-11-16 00:00:00,{},2026-11-1{} 08:00:00,eur,"
SALE: Final = _HEAD + _DAY.format("txn_1", 0) + "58.77,0.35,58.42,charge,ch_1,,SO-101\n"
OTHER: Final = _HEAD + _DAY.format("txn_9", 1) + "100.00,0.35,99.65,charge,ch_9,pi_9,SO-109\n"
BRIDGE: Final = _HEAD + _DAY.format("txn_2", 2) + "-10.00,0.00,-10.00,refund,ch_1,pi_1,\n"
DISPUTE: Final = _HEAD + _DAY.format("txn_3", 3) + "-48.77,15.00,-63.77,dispute,,pi_1,\n"
FILES: Final = {"sale": SALE, "other": OTHER, "bridge": BRIDGE, "dispute": DISPUTE}


@pytest.fixture(autouse=True)
def _orders(books: Books) -> None:
    books.now = datetime(2026, 11, 20, 9, tzinfo=UTC)
    books.order("SO-101", "58.77")
    books.order("SO-109", "100.00")


def bring(books: Books, name: str, **more: StatementChannel) -> str:
    return books.bring(FILES[name].encode(), f"{name}.csv", **more).import_id


def settle(books: Books) -> None:
    for _ in range(3):
        match_due(books.database, books.shop, books.now)


def of_dispute(books: Books) -> list[tuple[object, ...]]:
    """Status and order of the dispute's posting."""
    return books.rows(
        "SELECT p.status, a.order_number, a.amount_minor FROM postings p LEFT JOIN allocations a"
        " ON a.shop_id = p.shop_id AND a.posting_id = p.id WHERE p.shop_id = $1 AND p.amount_minor = -4877"
    )


MATCHED: Final = [("matched", "SO-101", -4877)]
OPEN: Final = [("unmatched", None, None)]


def test_a_dispute_finds_its_sale_through_a_refund_whatever_comes_first(books: Books) -> None:
    imports: dict[str, str] = {}
    for order in permutations(FILES):
        for name in order:
            imports[name] = bring(books, name)
            settle(books)
            books.sound()
        assert of_dispute(books) == MATCHED, order
        assert books.status("SO-109") == "PAID", order
        for name in order[::-1]:
            undo_import(books.database, books.shop, imports[name], books.now)
            settle(books)
            books.sound()


@pytest.mark.parametrize("missing", ["bridge", "sale"])
def test_without_the_file_that_ties_it_a_dispute_is_nobodys_and_comes_back_with_it(books: Books, missing: str) -> None:
    imports = {name: bring(books, name) for name in FILES}
    settle(books)
    undo_import(books.database, books.shop, imports[missing], books.now)
    settle(books)
    assert of_dispute(books) == OPEN
    books.sound()
    bring(books, missing)
    settle(books)
    assert of_dispute(books) == MATCHED


def test_another_report_of_the_same_sale_ties_the_dispute_as_well(books: Books) -> None:
    bring(books, "sale")
    bring(books, "dispute")
    settle(books)
    assert of_dispute(books) == OPEN
    report = SALE.replace("charge,ch_1,,", "charge,ch_1,pi_1,")
    again = books.bring(report.encode(), "again.csv").import_id
    settle(books)
    assert of_dispute(books) == MATCHED
    undo_import(books.database, books.shop, again, books.now)
    settle(books)
    assert of_dispute(books) == OPEN
    books.sound()


def test_a_file_that_anyone_may_have_sent_only_suggests_the_order_of_a_dispute(books: Books) -> None:
    bring(books, "sale")
    bring(books, "dispute")
    bring(books, "bridge", channel=StatementChannel.API)
    settle(books)
    assert of_dispute(books) == [("suggested", None, None)]
    assert books.status("SO-101") == "PAID"
