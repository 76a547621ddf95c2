"""What statements read: not more than they need, whatever PostgreSQL has counted (D-135).

Rows are counted statement by statement. Work on a few orders reads some rows for each of them; a statement that reads
as many as the shop has goes by the wrong index, and will be slow in the seconds after a large load.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest

from paymatch.domain.orders.settlement import Mark
from paymatch.domain.postings import Posting
from paymatch.formats.camt.writer import CamtMessage
from paymatch.formats.contract.bodies import check_order, decode_orders
from paymatch.store.connection import Pipeline
from paymatch.store.matching import matching
from paymatch.store.orders import orders as order_store
from paymatch.store.orders.order_json import Include
from paymatch.store.statements import postings
from paymatch.usecases.orders import orders
from paymatch.usecases.settlement.ledger import settle
from paymatch.usecases.shops import shops
from tests.usecases.conftest import ACCOUNT, Books, camt, paid

ORDERS, PAID, FEW = 700, 400, 10
MOST = 300
"""Rows that a statement may read for a few orders, each of which has about ten keys."""

TABLES = ("orders", "match_keys", "postings", "allocations", "events", "callbacks", "statement_lines", "posting_keys")
BOUNDED = {
    "SELECT count(*) FROM (SELECT 1 FROM orders": "open orders are counted up to 5,000",
    "SELECT remittance, counterparty_name FROM postings": "the 400 latest texts",
    "SELECT last_posting_date - order_date": "the orders that were paid last",
    "SELECT w.account, w.currency, p.booking_date, sum(p.amount_minor)": "the days that the file's balances prove",
}
"""Statements that read more on purpose, and what ends them."""

_OIDS = """
SELECT c.oid FROM pg_class c WHERE c.relname = ANY(%s) OR c.oid IN (
    SELECT i.indexrelid FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid WHERE t.relname = ANY(%s))"""
_READ = "SELECT sum(pg_stat_get_xact_tuples_returned(o))::bigint FROM unnest($1::oid[]) o"


@contextmanager
def rows_read(books: Books, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, int]]:
    """Statement -> the most rows that it has read in the block at once, of tables that a new shop fills."""
    with psycopg.connect(books.database.url) as connection:
        oids = [row[0] for row in connection.execute(_OIDS, (list(TABLES), list(TABLES)))]
    ask, found = Pipeline.ask, dict[str, int]()

    def so_far(pipe: Pipeline) -> int:
        answer = ask(pipe, [pipe.bind(_READ, ("{" + ",".join(map(str, oids)) + "}",))])[0]
        return int((answer.get_value(0, 0) or b"0").decode())

    def counting(self: Pipeline, statements: Sequence[Any]) -> Any:
        answers = []
        for statement in statements:
            name = " ".join(statement.text.split())
            if name.startswith(("BEGIN", "COMMIT", "SET ", "SAVEPOINT", "RELEASE", "SELECT set_config")):
                answers += ask(self, [statement])
                continue
            before = so_far(self)
            answers += ask(self, [statement])
            found[name] = max(found.get(name, 0), so_far(self) - before)
        return answers

    with monkeypatch.context() as patched:
        patched.setattr(Pipeline, "ask", counting)
        yield found


def submit(books: Books, numbers: Sequence[int], euros: int = 10) -> None:
    bodies = [
        {
            "number": f"SO-{10_000 + number}", "date": f"{1 + number % 28:02d}-02-2026", "type": "PREPAYMENT",
            "amount": f"{euros + number // 100}.{number % 100:02d}", "currency": "EUR",
            "billing": {"lastName": f"Muster{number}", "countryCode": "DE"},
        }
        for number in numbers
    ]  # fmt: skip
    checked = [check_order(each) for each in decode_orders(json.dumps(bodies).encode())]
    with books.database.of_shop(books.shop, at=books.now) as tx:
        orders.submit(tx, checked)


def payments(numbers: Sequence[int]) -> list[Posting]:
    return [
        paid(1000 + number, f"Bestellung SO-{10_000 + number}", counterparty_name=f"Eva Muster{number}")
        for number in numbers
    ]


def _sum_of(postings: Sequence[Posting]) -> int:
    return sum(each.amount_minor for each in postings)


def filled(books: Books) -> Books:
    submit(books, range(ORDERS))
    report = books.bring(camt(CamtMessage.STATEMENT, *payments(range(PAID))), "before")
    assert report.matched == PAID
    return books


@pytest.fixture(params=["never counted", "counted before the shop came"])
def loaded(request: pytest.FixtureRequest, books: Books) -> Books:
    """A shop right after its load, of which PostgreSQL has counted nothing, or only the rows of another shop."""
    if request.param == "never counted":
        return filled(books)
    submit(books, range(PAID))
    books.bring(camt(CamtMessage.STATEMENT, *payments(range(20))), "of the other shop")
    with psycopg.connect(books.database.url, autocommit=True) as owner:
        owner.execute(f"ANALYZE {', '.join(TABLES)}")
    created = shops.create(books.database, "New", books.now, ibans=[ACCOUNT])
    return filled(Books(books.database, created.shop))


def test_no_statement_reads_the_shop_for_a_few_orders(loaded: Books, monkeypatch: pytest.MonkeyPatch) -> None:
    some = range(PAID, PAID + FEW)
    numbers = [f"SO-{10_000 + number}" for number in some]
    with rows_read(loaded, monkeypatch) as found:
        report = loaded.bring(
            camt(CamtMessage.STATEMENT, *payments(some), number=2, opening=_sum_of(payments(range(PAID)))), "few"
        )
        submit(loaded, range(PAID + FEW, PAID + 2 * FEW))
        submit(loaded, range(PAID + FEW, PAID + 2 * FEW), 20)
        submit(loaded, range(ORDERS, ORDERS + FEW))
        with loaded.database.of_shop(loaded.shop, at=loaded.now) as tx:
            order_store.lock(tx, numbers)
            order_store.set_mark(tx, numbers, Mark.PAID, loaded.now)
            settle(tx, numbers, cause="set paid", now=loaded.now)
            order_store.read_many(tx, numbers, Include())
    assert report.matched == FEW
    too_many = {name: count for name, count in found.items() if count > MOST and not name.startswith(tuple(BOUNDED))}
    assert too_many == {}


def test_no_statement_reads_all_open_postings_for_a_few_debits(books: Books, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each debit may be what returned money waits for; what else waits is many, and is not looked through."""
    waiting = [paid(1000 + place, f"Miete {place}", counterparty_name=f"Eva Muster{place}") for place in range(PAID)]
    assert books.bring(camt(CamtMessage.STATEMENT, *waiting), "open ones").matched == 0
    debits = [paid(-500 - place, f"Lieferant {place}", counterparty_name="Lieferant AG") for place in range(FEW)]
    with rows_read(books, monkeypatch) as found:
        books.bring(camt(CamtMessage.STATEMENT, *debits, number=2, opening=_sum_of(waiting)), "debits")
    assert {name: count for name, count in found.items() if count > MOST and not name.startswith(tuple(BOUNDED))} == {}


def test_a_posting_that_is_deleted_meanwhile_does_not_come_back(books: Books) -> None:
    """What is written at a key was read before: the row is held from the reading on."""
    books.bring(camt(CamtMessage.STATEMENT, paid(1000, "Miete")), "one")
    with books.database.of_shop(books.shop, at=books.now) as tx:
        (posting,) = [row[0] for row in tx.rows("SELECT id FROM postings WHERE shop_id = $1", tx.shop_id)]
    with ThreadPoolExecutor(1) as other:
        with books.database.of_shop(books.shop, at=books.now) as tx:
            postings.delete(tx, [posting], books.now)
            called = other.submit(call, books, posting)
            assert wait([called], timeout=0.3).not_done
        assert called.result() == 0
    assert books.postings() == []


def call(books: Books, posting: str) -> int:
    with books.database.of_shop(books.shop, at=books.now) as tx:
        return matching.mark_postings_for_rematch(tx, [posting], books.now)
