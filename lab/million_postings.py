"""A million postings reported and exported: time and memory (lab/results/performance.md).

`python -m lab.million_postings [POSTINGS]`: fills a database of its own with a year of postings, nine in ten of
them matched, and has the reports and exports of the year written away as they come.
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Final

import psycopg

from paymatch.domain.reports.asked import ask
from paymatch.domain.reports.catalogue import REPORTS
from paymatch.domain.reports.exports import EXPORTS
from paymatch.domain.shops.shop import Shop
from paymatch.embedded import running_server
from paymatch.store.database import Database
from paymatch.store.migrate import migrate
from paymatch.store.transactions import ShopTx
from paymatch.usecases.reports import exports, reports, sheets
from paymatch.usecases.shops import shops

NOW: Final = datetime(2026, 1, 15, 9, tzinfo=UTC)
FIRST, LAST = date(2025, 1, 1), date(2025, 12, 31)
ACCOUNT: Final = "DE89370400440532013000"
_FILL: Final = (
    """INSERT INTO orders (shop_id, number, doc, type, order_date, due_date, currency, digits, amount_minor, status,
        postings_minor, refunded_minor, last_posting_date, reference, dunning_level, initial_dunning_level,
        stop_reminder, event_count, created_at, updated_at)
    SELECT %(shop)s, 'O-' || n, '{"billing":{"lastName":"Muster"}}', 'PREPAYMENT', %(first)s::date + n %% 365, NULL,
        'EUR', 2, 1000 + n %% 9000, 'PAID', 1000 + n %% 9000, 0, %(first)s::date + n %% 365, 'RF' || n, 0, 0, false, 1,
        now(), now() FROM generate_series(1, %(count)s) n WHERE n %% 10 <> 0""",
    """INSERT INTO postings (shop_id, id, import_id, statement_id, account, currency, digits, amount_minor,
        booking_date, value_date, bank_reference, entry_reference, batch_id, is_return, end_to_end_id,
        counterparty_name, counterparty_iban, counterparty_account_end, remittance, facts, source, format, status,
        by_hand, allocated_minor, decision, decided_at, created_at, since_date)
    SELECT %(shop)s, 'pst_' || lpad(n::text, 9, '0'), 'im_1', 'st_1', %(account)s, 'EUR', 2, 1000 + n %% 9000,
        %(first)s::date + n %% 365, %(first)s::date + n %% 365, 'R' || n, '', '', false, '', 'Muster ' || n, '', '',
        'order O-' || n, '{"account":"x","currency":"EUR","amount_minor":1,"booking_date":"2025-01-01"}', 'FINAL',
        'camt', CASE WHEN n %% 10 = 0 THEN 'unmatched' ELSE 'matched' END, false,
        CASE WHEN n %% 10 = 0 THEN 0 ELSE 1000 + n %% 9000 END, '', now(), now(), %(first)s::date + n %% 365
    FROM generate_series(1, %(count)s) n""",
    """INSERT INTO allocations (shop_id, posting_id, order_number, amount_minor, order_amount_minor, kind, by_hand,
        withheld_minor, created_at)
    SELECT %(shop)s, 'pst_' || lpad(n::text, 9, '0'), 'O-' || n, 1000 + n %% 9000, 1000 + n %% 9000, 'payment', false,
        0, now() FROM generate_series(1, %(count)s) n WHERE n %% 10 <> 0""",
    "ANALYZE",
)


def main(count: int) -> None:
    """Prints seconds and the process's peak of memory after each report and export."""
    with tempfile.TemporaryDirectory() as folder, running_server(Path(folder), durable=False) as url:
        migrate(url)
        database = Database(url, size=2)
        shop = shops.create(database, "Million", NOW, ibans=[ACCOUNT]).shop
        with database.of_shop(shop) as tx:
            shops.change(tx, {"datev-consultant": "29098", "datev-client": "55003"})
        begun = time.monotonic()
        with psycopg.connect(url, autocommit=True) as connection:
            for statement in _FILL:
                values = {"shop": shop.id, "count": count, "first": FIRST, "account": ACCOUNT}
                connection.execute(statement.encode(), values if "%(" in statement else None)
        print(f"{count:,} postings filled in {time.monotonic() - begun:.0f} s, {_peak()}", flush=True)
        total = sum(_timed(name, database, shop, write) for name, write in _work(shop).items())
        print(f"all together {total:.1f} s", flush=True)
        database.close()


def _work(shop: Shop) -> dict[str, Callable[[ShopTx], Iterable[bytes]]]:
    found: dict[str, Callable[[ShopTx], Iterable[bytes]]] = {}
    for name in ("cash", "postings", "open", "unexplained"):
        if name in REPORTS:
            found[f"report {name}"] = lambda tx, name=name: _report(tx, name)  # type: ignore[misc]
    for name in ("postings", "orders", "allocations", "journal"):
        found[f"export {name}"] = lambda tx, name=name: sheets.as_csv(  # type: ignore[misc]
            EXPORTS[name], shop, exports.rows(tx, name, FIRST, LAST)
        )
    found["export datev"] = lambda tx: exports.as_datev(tx, FIRST, LAST, NOW)
    found["export beancount"] = lambda tx: exports.as_beancount(tx, FIRST, LAST)
    return found


def _report(tx: ShopTx, name: str) -> Iterable[bytes]:
    if name == "open":
        asked = ask(REPORTS[name], tx.shop.today(NOW), as_of=LAST)
    else:
        asked = ask(REPORTS[name], tx.shop.today(NOW), FIRST, LAST)
    return sheets.as_csv(REPORTS[name], tx.shop, reports.rows(tx, REPORTS[name], asked))


def _timed(name: str, database: Database, shop: Shop, write: Callable[[ShopTx], Iterable[bytes]]) -> float:
    begun, used = time.monotonic(), time.process_time()
    size = 0
    with database.of_shop(shop) as tx, Path(os.devnull).open("wb") as file:
        for chunk in write(tx):
            size += file.write(chunk)
    taken = time.monotonic() - begun
    used = time.process_time() - used
    load = f"load {os.getloadavg()[0]:.1f}"
    print(f"{name}: {taken:.1f} s, {used:.1f} s of it here, {size / 1e6:.1f} MB, {_peak()}, {load}", flush=True)
    return taken


def _peak() -> str:
    return f"peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB"


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
