"""Final books (D-86): exported or closed days, their bookings, and changes since."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, datetime
from typing import Any, Final

import msgspec

from paymatch.domain.reports.corrections import BookedPeriod
from paymatch.domain.reports.ledger import AccountRole, LedgerAccount, LedgerBooking
from paymatch.domain.words.message import as_text
from paymatch.store.connection import Row, build
from paymatch.store.transactions import ShopTx

_ENCODE: Final = msgspec.json.Encoder(enc_hook=as_text).encode


def periods(tx: ShopTx) -> list[BookedPeriod]:
    """The final days, in order."""
    statement = """SELECT first_date AS first, last_date AS last, booked_date FROM booked_periods WHERE shop_id = $1
                   ORDER BY first_date"""
    return [build(BookedPeriod, row) for row in tx.rows(statement, tx.shop_id)]


def add_period(tx: ShopTx, period: BookedPeriod, now: datetime) -> None:
    """Marks the days as final; their bookings were added."""
    tx.run(
        "INSERT INTO booked_periods (shop_id, first_date, last_date, booked_date, booked_at)"
        " VALUES ($1, $2, $3, $4, $5)",
        tx.shop_id, period.first, period.last, period.booked_date, now,
    )  # fmt: skip


_ADD: Final = """
INSERT INTO booked_entries (shop_id, seq, date, source, is_sale, debit_role, debit, credit_role, credit, amount_minor,
                            currency, document, text, posting_id, invoice, rate, rate_date, supplement)
SELECT $1, (SELECT coalesce(max(seq), 0) FROM booked_entries WHERE shop_id = $1) + r.place, r.date, r.source, r.is_sale,
       r.debit_role, r.debit, r.credit_role, r.credit, r.amount_minor, r.currency, r.document, r.text, r.posting_id,
       r.invoice, r.rate::numeric, r.rate_date, $3
FROM json_to_recordset($2::json) AS r(place bigint, date date, source text, is_sale boolean, debit_role text,
    debit text, credit_role text, credit text, amount_minor bigint, currency text, document text, text text,
    posting_id text, invoice text, rate text, rate_date date)
RETURNING 1"""


def add(tx: ShopTx, entries: Sequence[LedgerBooking], supplement: int = 0) -> None:
    """Appends final bookings, of a supplement if not 0; the shop's books are locked."""
    if entries:
        rows = [_columns(entry) | {"place": place} for place, entry in enumerate(entries, start=1)]
        tx.run(_ADD, tx.shop_id, _ENCODE(rows).decode(), supplement)


def _columns(entry: LedgerBooking) -> dict[str, Any]:
    return {
        "date": entry.date, "source": entry.source, "is_sale": entry.is_sale, "debit_role": entry.debit.role,
        "debit": entry.debit.number, "credit_role": entry.credit.role, "credit": entry.credit.number,
        "amount_minor": entry.minor, "currency": entry.currency, "document": entry.document, "text": entry.text,
        "posting_id": entry.posting, "invoice": entry.invoice,
        "rate": None if entry.rate is None else str(entry.rate), "rate_date": entry.rate_date,
    }  # fmt: skip


_COLUMNS: Final = """date, source, is_sale, debit_role, debit, credit_role, credit, amount_minor, currency, document,
       text, posting_id, invoice, rate, rate_date"""


def entries(
    tx: ShopTx, first: date, last: date, *, sales: bool, supplement: int | None = None
) -> Iterator[LedgerBooking]:
    """The final bookings, in the order in which they became final; those of sales only on request.

    `supplement`: those of one supplement, 0 for those of a period, None for all.
    """
    statement = f"""SELECT {_COLUMNS} FROM booked_entries WHERE shop_id = $1 AND date BETWEEN $2 AND $3
        AND (NOT is_sale OR $4) AND ($5::int IS NULL OR supplement = $5) ORDER BY seq"""
    for row in tx.stream(statement, tx.shop_id, first, last, sales, supplement):
        yield _entry(row)


def days_of_supplement(tx: ShopTx, supplement: int) -> tuple[date, date] | None:
    """First and last day of a supplement's bookings; None without any."""
    row = tx.row(
        "SELECT min(date), max(date) FROM booked_entries WHERE shop_id = $1 AND supplement = $2", tx.shop_id, supplement
    )
    return (row[0], row[1]) if row is not None and row[0] is not None else None


def entries_of(tx: ShopTx, sources: Sequence[str]) -> dict[str, list[LedgerBooking]]:
    """Source -> all its final bookings."""
    statement = f"""SELECT {_COLUMNS} FROM booked_entries WHERE shop_id = $1 AND source = ANY($2) ORDER BY seq"""
    found: dict[str, list[LedgerBooking]] = {}
    for row in tx.rows(statement, tx.shop_id, list(sources)):
        found.setdefault(row.source, []).append(_entry(row))
    return found


def _entry(row: Row) -> LedgerBooking:
    return LedgerBooking(
        row.date, LedgerAccount(AccountRole(row.debit_role), row.debit),
        LedgerAccount(AccountRole(row.credit_role), row.credit), row.amount_minor, row.currency, row.document, row.text,
        row.posting_id, row.invoice, is_sale=row.is_sale, rate=row.rate, rate_date=row.rate_date,
        source=row.source,
    )  # fmt: skip


_CHANGED: Final = """
WITH booked AS MATERIALIZED (SELECT first_date, last_date, booked_date FROM booked_periods WHERE shop_id = $1),
begun AS (SELECT min(booked_date) AS day FROM booked)
SELECT p.id FROM booked b JOIN postings p ON p.shop_id = $1 AND p.booking_date BETWEEN b.first_date AND b.last_date
  AND p.since_date >= b.booked_date
UNION SELECT y.posting_id FROM booked b JOIN posting_past y ON y.shop_id = $1 AND y.until_date >= b.booked_date
  AND y.booking_date BETWEEN b.first_date AND b.last_date
UNION SELECT e.source FROM booked_entries e LEFT JOIN postings p ON p.shop_id = $1 AND p.id = e.source
WHERE e.shop_id = $1 AND e.posting_id <> '' AND (p.id IS NULL OR p.since_date >= (SELECT day FROM begun))
ORDER BY 1"""


def changed_postings(tx: ShopTx) -> list[str]:
    """Postings that may differ from their final bookings: changed, late, or removed. A superset, by the history."""
    return [row[0] for row in tx.rows(_CHANGED, tx.shop_id)]


def keep_header(tx: ShopTx, name: str, first: date, last: date, *, sales: bool, header: str) -> None:
    """Stores the header of a file of final days; the first one stays."""
    tx.run(
        "INSERT INTO booked_headers (shop_id, name, first_date, last_date, sales, header)"
        " VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING",
        tx.shop_id, name, first, last, sales, header,
    )  # fmt: skip


def header(tx: ShopTx, name: str, first: date, last: date, *, sales: bool) -> str | None:
    """The stored header of the file; None if there is none."""
    statement = """SELECT header FROM booked_headers WHERE shop_id = $1 AND name = $2 AND first_date = $3
                   AND last_date = $4 AND sales = $5"""
    found: str | None = tx.value(statement, tx.shop_id, name, first, last, sales)
    return found
