"""What the service's tables say of a shop that lives at random, read in one transaction."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from paymatch.store.database import Database
from paymatch.store.transactions import ShopId
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
    account: str  # the other party's
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
    imports: dict[str, str]  # digest of the file -> id of the import that stands
    postings: list[PostingRow]
    sent: dict[str, set[int]]  # externalReference -> attempts that stand in a transfer file
    refund_ids: dict[str, str]
    events: int


_BOOKS = """
SELECT
  (SELECT json_agg(json_build_array(b.id, b.facts::json->>'bank_reference', (b.facts::json->>'amount_minor')::bigint,
          b.booking_date, b.deliver_at, b.delivered_at IS NOT NULL, b.formats, b.facts::json->>'counterparty_iban',
          coalesce(r.external_reference, ''), coalesce(t.attempt, 0)) ORDER BY b.id)
   FROM sandbox_bookings b
   LEFT JOIN transfers t ON t.shop_id = $1 AND t.end_to_end_id IN
        (b.facts::json->>'end_to_end_id', b.facts::json->>'original_end_to_end_id')
   LEFT JOIN refunds r ON r.shop_id = $1 AND r.id = t.refund_id
   WHERE b.shop_id = $1),
  (SELECT json_agg(json_build_array(encode(sha256(f.content), 'hex'), f.name, f.format, f.booking_date)
          ORDER BY f.created_at, f.id)
   FROM sandbox_files f WHERE f.shop_id = $1 AND f.imported_at IS NOT NULL),
  (SELECT json_agg(json_build_array(encode(i.sha256, 'hex'), i.id))
   FROM imports i WHERE i.shop_id = $1 AND i.status = 'BOOKED'),
  (SELECT json_agg(json_build_array(p.bank_reference, p.amount_minor, p.status,
          (SELECT json_agg(json_build_array(a.order_number, a.amount_minor) ORDER BY a.order_number)
           FROM allocations a WHERE a.shop_id = $1 AND a.posting_id = p.id)))
   FROM postings p WHERE p.shop_id = $1),
  (SELECT json_agg(json_build_array(r.external_reference, r.id,
          (SELECT json_agg(t.attempt) FROM transfers t WHERE t.shop_id = $1 AND t.refund_id = r.id)))
   FROM refunds r WHERE r.shop_id = $1),
  (SELECT count(*) FROM events WHERE shop_id = $1)"""


def service_books(database: Database, shop: ShopId) -> ServiceBooks:
    """The tables as they stand."""
    with database.of_shop(shop) as tx:
        found = tx.row(_BOOKS, shop)
    assert found is not None
    parts: list[list[Any]] = [[] if part is None else part for part in found[:5]]
    bank, files, imports, postings, refunds = parts
    by_digest = dict(imports)
    assert len(by_digest) == len(imports), "a file is imported once"
    return ServiceBooks(
        bank=[
            BankRow(
                booking_id,
                reference,
                minor,
                date.fromisoformat(day),
                datetime.fromisoformat(deliver_at),
                is_delivered,
                tuple(formats),
                account,
                refund,
                attempt,
            )
            for booking_id, reference, minor, day, deliver_at, is_delivered, formats, account, refund, attempt in bank
        ],
        files=[ModelFile(digest, name, kind, date.fromisoformat(day)) for digest, name, kind, day in files],
        imports=by_digest,
        postings=[
            PostingRow(reference, minor, status, tuple((each[0], each[1]) for each in allocations or ()))
            for reference, minor, status, allocations in postings
        ],
        sent={row[0]: set(row[2] or ()) for row in refunds},
        refund_ids={row[0]: row[1] for row in refunds},
        events=found[5],
    )
