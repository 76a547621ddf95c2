"""Look-ups of the matching: bounded by their limit and by index, whatever PostgreSQL knows of its tables."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import timedelta
from typing import Any

import psycopg
import pytest

from paymatch.domain.matching.lookup.keys import MAX_HITS, amount_key, order_keys
from paymatch.formats.camt.writer import CamtMessage
from paymatch.formats.contract.bodies import check_order, decode_orders
from paymatch.store.database import Database
from paymatch.store.matching import matching, returns
from paymatch.store.orders import ledger
from paymatch.store.transactions import ShopId, Tx
from paymatch.usecases.matching.matching import match_due
from paymatch.usecases.orders import orders
from paymatch.usecases.settlement.order_keys import add_missing
from paymatch.usecases.shops import shops
from tests.usecases.conftest import ACCOUNT, DAY, Books, camt, paid

COUNTED = {
    "allocations": "5000", "callbacks": "5000", "events": "5000", "match_keys": "50000", "orders": "5000",
    "posting_keys": "5000", "postings": "5000", "statement_lines": "5000",
}  # fmt: skip
"""Tables that a new shop fills, and after how many changes PostgreSQL learns what is in them."""

IDA = {"firstName": "Ida", "lastName": "Meier", "countryCode": "DE"}


def plan(tx: Tx, statement: str, *params: Any) -> str:
    """As PostgreSQL tells it; on a cluster that of the node with the shop's rows, without the numbers of parts."""
    lines = [row[0] for row in tx.rows(f"EXPLAIN {statement}", *params)]
    return re.sub(r"_\d{6}\b", "", "\n".join(lines))


def submit(books: Books, count: int) -> None:
    bodies = [
        {
            "number": f"L-{place}", "date": f"{1 + place % 28:02d}-02-2026", "type": "PREPAYMENT", "amount": "7.00",
            "currency": "EUR", "billing": IDA,
        }
        for place in range(count)
    ]  # fmt: skip
    checked = [check_order(each) for each in decode_orders(json.dumps(bodies).encode())]
    with books.database.of_shop(books.shop, at=books.now) as tx:
        orders.submit(tx, checked)


def count_rows(books: Books) -> None:
    """PostgreSQL learns what is in the tables."""
    with psycopg.connect(books.database.url, autocommit=True) as owner:
        owner.execute("ANALYZE orders, match_keys, postings")


@pytest.mark.parametrize("counted", [False, True], ids=["never counted", "counted"])
def test_look_ups_of_the_matching_go_by_index_and_end_at_their_limit(books: Books, *, counted: bool) -> None:
    shop = books.shop.id
    submit(books, 2000)
    if counted:
        count_rows(books)
    with books.database.of_shop(ShopId(shop)) as tx:
        tx.prefer_indexes()
        by_key = plan(tx, matching.HITS, shop, [1, 2, 3], MAX_HITS)
        facts = plan(tx, matching.FACTS, shop, ["L-1"])
        books_of = plan(tx, ledger.LOAD, shop, ["L-1"])
        earlier = plan(
            tx, returns.EARLIER, shop, ACCOUNT, "EUR", "pst-1", DAY - timedelta(days=430), DAY, -1990, ["E-1"], [1990],
            ["DE75512108001245126199"],
        )  # fmt: skip
    assert "Index Only Scan using match_keys_pkey" in by_key
    assert "Sort" not in by_key
    for found in (facts, books_of):
        assert "Index Scan using orders_pkey on orders" in found
    for index in ("postings_by_end_to_end", "postings_by_amount", "postings_by_counterparty"):
        assert f"using {index}" in earlier
    for found in (by_key, facts, books_of, earlier):
        assert "Seq Scan" not in found
        assert "Bitmap" not in found


def test_a_key_is_looked_up_by_its_index_in_a_shop_that_came_after_rows_were_counted(books: Books) -> None:
    """PostgreSQL expects one row of such a shop, whatever the index: with another one it would read all of its keys."""
    submit(books, 2000)
    count_rows(books)
    new = Books(books.database, shops.create(books.database, "New", books.now, ibans=[ACCOUNT]).shop)
    submit(new, 2000)
    with new.database.of_shop(new.shop) as tx:
        tx.prefer_indexes()
        by_key = plan(tx, matching.HITS, new.shop.id, [1, 2, 3], MAX_HITS)
    assert "Index Only Scan using match_keys_pkey" in by_key
    assert "Filter: (key" not in by_key


def test_rows_are_counted_anew_after_so_many_changes_however_large_the_table(database: Database) -> None:
    with database.of_all_shops() as tx:
        rows = tx.rows("SELECT relname, reloptions FROM pg_class WHERE relname = ANY($1) ORDER BY 1", list(COUNTED))
    changes = {row.relname: dict(option.split("=") for option in row.reloptions or ()) for row in rows}
    assert {name: options["autovacuum_analyze_threshold"] for name, options in changes.items()} == COUNTED
    assert {options["autovacuum_analyze_scale_factor"] for options in changes.values()} == {"0"}


def test_a_shop_where_everybody_owes_the_same(books: Books) -> None:
    """More orders than a key may find say nothing: none is suggested, and what names an order is matched."""
    for place in range(MAX_HITS + 10):
        books.order(f"S-{80000 + place}", "19.90", billing=IDA)
    ida = {"counterparty_name": "Ida Meier"}
    report = books.bring(
        camt(CamtMessage.STATEMENT, paid(1990, "Danke", **ida), paid(1990, "Bestellung S-80007", **ida))
    )
    assert (report.matched, report.suggested) == (1, 0)
    assert books.status("S-80007") == "PAID"
    with books.database.of_shop(books.shop) as tx:
        hits, overflowed = matching.find_orders(tx, [amount_key(1990, "EUR")], MAX_HITS - 1)
    assert (hits, set(overflowed)) == ({}, {amount_key(1990, "EUR")})


PETROV = {"firstName": "Иван", "lastName": "Петров", "countryCode": "BG"}


def by_name(books: Books) -> list[str]:
    """Orders that the payment is suggested for or matched to."""
    suggested = books.rows("SELECT order_number FROM suggested_orders WHERE shop_id = $1")
    return [row[0] for row in suggested + books.rows("SELECT order_number FROM allocations WHERE shop_id = $1")]


def test_an_order_in_cyrillic_is_found_by_its_payers_name_among_many_of_its_amount(books: Books) -> None:
    submit(books, MAX_HITS + 50)  # the amount alone finds too many
    books.order("BG-1", "7.00", billing=PETROV)
    books.bring(camt(CamtMessage.STATEMENT, paid(700, "Danke", counterparty_name="PETROW IWAN")))
    assert by_name(books) == ["BG-1"]


def test_orders_of_an_earlier_version_get_their_missing_keys(books: Books) -> None:
    submit(books, MAX_HITS + 50)
    books.order("BG-1", "7.00", billing=PETROV)
    books.order("BG-2", "9.00", billing={**PETROV, "firstName": "Мария", "lastName": "Сидорова"})
    kept = books.rows("SELECT number, key FROM match_keys WHERE shop_id = $1 ORDER BY 1, 2")
    with books.database.of_shop(books.shop, at=books.now) as tx:
        (facts,) = matching.load_orders(tx, ["BG-1"]).values()
    earlier = order_keys(replace(facts, names=()))  # it had no key of a name in other letters
    with psycopg.connect(books.database.url, autocommit=True) as owner:
        owner.execute(
            "DELETE FROM match_keys WHERE number = 'BG-1' AND shop_id = %s AND key <> ALL(%s)",
            (books.shop.id, list(earlier)),
        )
    books.bring(camt(CamtMessage.STATEMENT, paid(700, "Danke", counterparty_name="IVAN PETROV")))
    assert by_name(books) == []
    assert add_missing(books.database, books.shop, books.now, page=100) == 1
    assert books.rows("SELECT number, key FROM match_keys WHERE shop_id = $1 ORDER BY 1, 2") == kept
    assert add_missing(books.database, books.shop, books.now, page=100) == 0
    match_due(books.database, books.shop, books.now)
    assert by_name(books) == ["BG-1"]
