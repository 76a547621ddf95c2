"""What the service's tables say of a shop that lives at random, read in one transaction."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from paymatch.store.database import Database, ShopId, Tx
from tests.scenarios.reference import ModelFile


@dataclass(frozen=True)
class BankRow:
    """A booking of the simulated bank; `refund` and `attempt` if it executes a refund or brings one back."""

    id: str
    reference: str
    minor: int
    day: date
    deliver_at: datetime
    is_delivered: bool
    formats: tuple[str, ...]
    refund: str
    attempt: int


@dataclass(frozen=True)
class PostingRow:
    """A posting with its allocations: (order number, minor units)."""

    reference: str
    minor: int
    status: str
    allocations: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class ServiceBooks:
    """Everything that the model is held against between two calls of the API."""

    bank: list[BankRow]
    files: list[ModelFile]
    imports: dict[bytes, str]  # digest of the file -> id of the import that stands
    postings: list[PostingRow]
    sent: dict[str, set[int]]  # externalReference -> attempts that stand in a transfer file
    refund_ids: dict[str, str]
    events: int


_BANK = """
SELECT b.id, b.facts::json->>'bank_reference', (b.facts::json->>'amount_minor')::bigint, b.booking_date, b.deliver_at,
       b.delivered_at IS NOT NULL, b.formats, coalesce(r.external_reference, ''), coalesce(t.attempt, 0)
FROM sandbox_bookings b
LEFT JOIN transfers t ON t.shop_id = $1 AND t.end_to_end_id IN
    (b.facts::json->>'end_to_end_id', b.facts::json->>'original_end_to_end_id')
LEFT JOIN refunds r ON r.shop_id = $1 AND r.id = t.refund_id
WHERE b.shop_id = $1 ORDER BY b.id"""

_POSTINGS = """
SELECT p.bank_reference, p.amount_minor, p.status,
       (SELECT json_agg(json_build_array(a.order_number, a.amount_minor) ORDER BY a.order_number)
        FROM allocations a WHERE a.shop_id = $1 AND a.posting_id = p.id)
FROM postings p WHERE p.shop_id = $1"""

_FILES = """
SELECT sha256(content), name, format, booking_date FROM sandbox_files
WHERE shop_id = $1 AND imported_at IS NOT NULL ORDER BY created_at, id"""

_SENT = """
SELECT r.external_reference, r.id, (SELECT json_agg(t.attempt) FROM transfers t
    WHERE t.shop_id = $1 AND t.refund_id = r.id)
FROM refunds r WHERE r.shop_id = $1"""


def service_books(database: Database, shop: ShopId) -> ServiceBooks:
    """The tables as they stand."""
    with database.transaction(shop) as tx:
        refunds = tx.rows(_SENT, shop)
        return ServiceBooks(
            bank=[BankRow(*row[:6], tuple(row[6]), row[7], row[8]) for row in tx.rows(_BANK, shop)],
            files=[ModelFile(*row) for row in tx.rows(_FILES, shop)],
            imports=_imports(tx, shop),
            postings=[
                PostingRow(*row[:3], tuple((number, minor) for number, minor in row[3] or ()))
                for row in tx.rows(_POSTINGS, shop)
            ],
            sent={row[0]: set(row[2] or ()) for row in refunds},
            refund_ids={row[0]: row[1] for row in refunds},
            events=tx.value("SELECT count(*) FROM events WHERE shop_id = $1", shop),
        )


def _imports(tx: Tx, shop: ShopId) -> dict[bytes, str]:
    rows = tx.rows("SELECT sha256, id FROM imports WHERE shop_id = $1 AND status = 'BOOKED' ORDER BY id", shop)
    found = dict(rows)
    assert len(found) == len(rows), "a file is imported once"
    return found
