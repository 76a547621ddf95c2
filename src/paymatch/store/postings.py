"""Postings in PostgreSQL: what is booked, where it was seen, how it is allocated."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import MISSING, dataclass, fields
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Final

import msgspec

from paymatch.domain.identity import Known, trace_of
from paymatch.domain.money import digits_of
from paymatch.domain.postings import Posting, PostingSource
from paymatch.store.database import ShopId, Tx

_DECODE: Final = msgspec.json.Decoder(Posting).decode
_ENCODE: Final = msgspec.json.Encoder().encode
_DEFAULTS: Final = tuple((f.name, f.default) for f in fields(Posting))


@dataclass(frozen=True, slots=True)
class NewPosting:
    """A posting on its way into the books."""

    id: str
    posting: Posting
    source: PostingSource
    format: str
    statement_id: str


@dataclass(frozen=True, slots=True)
class StoredPosting:
    """A posting as the books have it; `open_minor` is what is not allocated, signed as the posting."""

    id: str
    posting: Posting
    status: str
    by_hand: bool
    open_minor: int
    source: PostingSource
    format: str
    import_id: str


@dataclass(frozen=True, slots=True)
class AllocationRow:
    """A part of a posting that belongs to an order; amounts signed, in the posting's and in the order's currency."""

    posting_id: str
    order_number: str
    amount_minor: int
    order_amount_minor: int
    kind: str
    by_hand: bool


def to_facts(posting: Posting) -> str:
    """The posting as JSON without what the bank did not say."""
    found = {
        name: value for name, default in _DEFAULTS if (value := getattr(posting, name)) != default or default is MISSING
    }
    return _ENCODE(found).decode()


def from_facts(text: str) -> Posting:
    """The posting of `to_facts`."""
    return _DECODE(text)


_KNOWN: Final = """
SELECT p.id, p.facts, p.source, p.format FROM postings p
WHERE p.shop_id = $1 AND p.account = $2 AND p.currency = $3 AND p.booking_date BETWEEN $4 AND $5
  AND p.amount_minor = ANY($6) AND p.statement_id <> $7"""


def known_near(
    tx: Tx,
    shop: ShopId,
    account: str,
    currency: str,
    *,
    first: date,
    last: date,
    amounts: Collection[int],
    without_statement: str,
) -> list[Known]:
    """Booked postings of these days and amounts, but for those that the statement itself has just booked."""
    rows = tx.rows(_KNOWN, shop, account, currency, first, last, list(amounts), without_statement)
    return [_known(row) for row in rows]


def parts_of_entries(
    tx: Tx, shop: ShopId, account: str, references: Collection[str], batch_ids: Collection[str]
) -> list[tuple[Known, str, str]]:
    """(posting, entry reference, batch id) of provisional details of batch entries: camt.054 before its camt.053."""
    rows = tx.rows(
        "SELECT id, facts, source, format, entry_reference, batch_id FROM postings WHERE shop_id = $1 AND account = $2"
        " AND entry_reference <> '' AND source <> 'FINAL'"
        " AND (entry_reference = ANY($3) OR (batch_id <> '' AND batch_id = ANY($4)))",
        shop,
        account,
        list(references),
        list(batch_ids),
    )
    return [(_known(row), row[4], row[5]) for row in rows]


def _known(row: tuple[Any, ...]) -> Known:
    return Known(row[0], trace_of(from_facts(row[1]), PostingSource(row[2]), row[3]))


_INSERT: Final = """
INSERT INTO postings (shop_id, id, import_id, statement_id, account, currency, digits, amount_minor, booking_date,
    value_date, bank_reference, entry_reference, batch_id, is_return, end_to_end_id, counterparty_name,
    counterparty_iban, remittance, facts, source, format, status, rematch_at, created_at)
SELECT $1, r.id, $2, r.statement_id, r.account, r.currency, r.digits, r.amount_minor, r.booking_date, r.value_date,
    r.bank_reference, r.entry_reference, r.batch_id, r.is_return, r.end_to_end_id, r.counterparty_name,
    r.counterparty_iban, r.remittance, r.facts, r.source, r.format, 'unmatched', $3, $3
FROM json_to_recordset($4::json) AS r(id text, statement_id text, account text, currency text, digits smallint,
    amount_minor bigint, booking_date date, value_date date, bank_reference text, entry_reference text, batch_id text,
    is_return boolean, end_to_end_id text, counterparty_name text, counterparty_iban text, remittance text, facts text,
    source text, format text)"""


def insert(tx: Tx, shop: ShopId, import_id: str, new: Sequence[NewPosting], now: datetime) -> None:
    """Books new postings; their matching is due at once."""
    if new:
        tx.run(_INSERT, shop, import_id, now, _ENCODE([_row(each) for each in new]).decode())


def _row(new: NewPosting) -> dict[str, Any]:
    posting = new.posting
    return {
        "id": new.id,
        "statement_id": new.statement_id,
        "account": posting.account,
        "currency": posting.currency,
        "digits": digits_of(posting.currency),
        "amount_minor": posting.amount_minor,
        "booking_date": posting.booking_date,
        "value_date": posting.value_date,
        "bank_reference": posting.bank_reference,
        "entry_reference": posting.entry_reference,
        "batch_id": posting.batch_id,
        "is_return": posting.is_return,
        "end_to_end_id": posting.end_to_end_id,
        "counterparty_name": posting.counterparty_name,
        "counterparty_iban": posting.counterparty_iban,
        "remittance": posting.text,
        "facts": to_facts(posting),
        "source": new.source,
        "format": new.format,
    }


def replace_facts(tx: Tx, shop: ShopId, posting_id: str, new: NewPosting) -> None:
    """Takes over what a more trustworthy sighting says of a posting that is booked; its decision is looked at again."""
    posting = new.posting
    tx.run(
        "UPDATE postings SET statement_id = $3, booking_date = $4, value_date = $5, bank_reference = $6,"
        " entry_reference = $7, batch_id = $8, is_return = $9, end_to_end_id = $10, counterparty_name = $11,"
        " counterparty_iban = $12, remittance = $13, facts = $14, source = $15, format = $16"
        " WHERE shop_id = $1 AND id = $2",
        shop, posting_id, new.statement_id, posting.booking_date, posting.value_date, posting.bank_reference,
        posting.entry_reference, posting.batch_id, posting.is_return, posting.end_to_end_id,
        posting.counterparty_name, posting.counterparty_iban, posting.text, to_facts(posting), new.source, new.format,
    )  # fmt: skip


def confirm(tx: Tx, shop: ShopId, posting_ids: Sequence[str]) -> None:
    """Provisional postings are final from now on."""
    tx.run("UPDATE postings SET source = 'FINAL' WHERE shop_id = $1 AND id = ANY($2)", shop, list(posting_ids))


def add_sightings(tx: Tx, shop: ShopId, import_id: str, rows: Iterable[tuple[str, str, PostingSource]]) -> None:
    """Remembers which import saw which posting: (posting, statement, source). An import can be undone by it."""
    tx.run(
        "INSERT INTO posting_sightings (shop_id, import_id, posting_id, statement_id, source)"
        " SELECT $1, $2, r.p, r.s, r.f FROM json_to_recordset($3::json) AS r(p text, s text, f text)",
        shop,
        import_id,
        _ENCODE([{"p": posting, "s": statement, "f": source} for posting, statement, source in rows]).decode(),
    )


def move_sightings(tx: Tx, shop: ShopId, old: str, new: Sequence[str], without_import: str) -> None:
    """Who saw an undivided batch has seen its parts."""
    tx.run(
        "INSERT INTO posting_sightings (shop_id, import_id, posting_id, statement_id, source)"
        " SELECT s.shop_id, s.import_id, n.id, s.statement_id, s.source"
        " FROM posting_sightings s, unnest($3::text[]) n(id)"
        " WHERE s.shop_id = $1 AND s.posting_id = $2 AND s.import_id <> $4 ON CONFLICT DO NOTHING",
        shop,
        old,
        list(new),
        without_import,
    )


_STORED: Final = """
SELECT p.id, p.facts, p.status, p.by_hand, p.amount_minor - p.allocated_minor, p.source, p.format, p.import_id
FROM postings p WHERE p.shop_id = $1 AND p.id = ANY($2) ORDER BY p.booking_date, p.id"""


def load(tx: Tx, shop: ShopId, posting_ids: Collection[str]) -> list[StoredPosting]:
    """The postings by booking date."""
    return [
        StoredPosting(row[0], from_facts(row[1]), row[2], row[3], row[4], PostingSource(row[5]), row[6], row[7])
        for row in tx.rows(_STORED, shop, list(posting_ids))
    ]


def allocations(tx: Tx, shop: ShopId, posting_ids: Collection[str]) -> list[AllocationRow]:
    """The allocations of the postings."""
    rows = tx.rows(
        "SELECT posting_id, order_number, amount_minor, order_amount_minor, kind, by_hand FROM allocations"
        " WHERE shop_id = $1 AND posting_id = ANY($2) ORDER BY posting_id, order_number",
        shop,
        list(posting_ids),
    )
    return [AllocationRow(*row) for row in rows]


_DECIDED: Final = """
WITH decided AS (
    SELECT * FROM json_to_recordset($2::json) AS r(id text, status text, decision text, by_hand boolean,
                                                    collective boolean))
UPDATE postings p SET status = d.status, decision = d.decision, by_hand = d.by_hand, collective = d.collective,
       decided_at = $3, rematch_at = NULL,
       allocated_minor = coalesce((SELECT sum(a.amount_minor) FROM allocations a
                                   WHERE a.shop_id = $1 AND a.posting_id = p.id), 0)
FROM decided d WHERE p.shop_id = $1 AND p.id = d.id"""


@dataclass(frozen=True, slots=True)
class DecidedRow:
    """How a posting stands after a decision; `decision` is the JSON that explains it."""

    id: str
    status: str
    decision: str
    by_hand: bool = False
    collective: bool = False


def add_allocations(tx: Tx, shop: ShopId, rows: Sequence[AllocationRow], now: datetime) -> None:
    """Books allocations; `write_decisions` follows in the same transaction."""
    if rows:
        tx.run(
            "INSERT INTO allocations (shop_id, posting_id, order_number, amount_minor, order_amount_minor, kind,"
            " by_hand, created_at) SELECT $1, r.posting_id, r.order_number, r.amount_minor, r.order_amount_minor,"
            " r.kind, r.by_hand, $3 FROM json_to_recordset($2::json) AS r(posting_id text, order_number text,"
            " amount_minor bigint, order_amount_minor bigint, kind text, by_hand boolean)",
            shop,
            _ENCODE(rows).decode(),
            now,
        )


def drop_allocations(tx: Tx, shop: ShopId, posting_ids: Sequence[str]) -> list[str]:
    """Takes the allocations of the postings back; the numbers of the orders that they paid."""
    rows = tx.rows(
        "DELETE FROM allocations WHERE shop_id = $1 AND posting_id = ANY($2) RETURNING order_number",
        shop,
        list(posting_ids),
    )
    return sorted({row[0] for row in rows})


def write_decisions(tx: Tx, shop: ShopId, rows: Sequence[DecidedRow], now: datetime) -> None:
    """Writes status and explanation, and the allocated sum from the allocations."""
    if rows:
        tx.run(_DECIDED, shop, _ENCODE(rows).decode(), now)


def delete(tx: Tx, shop: ShopId, posting_ids: Sequence[str]) -> None:
    """Forgets postings: those of an undone import, or a batch that its parts replace. Allocations are gone before."""
    for table, column in (("posting_keys", "posting_id"), ("posting_sightings", "posting_id"), ("postings", "id")):
        tx.run(f"DELETE FROM {table} WHERE shop_id = $1 AND {column} = ANY($2)", shop, list(posting_ids))


def status_counts(tx: Tx, shop: ShopId, import_id: str) -> dict[str, int]:
    """Status -> number of the postings that an import booked."""
    rows = tx.rows(
        "SELECT status, count(*) FROM postings WHERE shop_id = $1 AND import_id = $2 GROUP BY status", shop, import_id
    )
    return {row[0]: row[1] for row in rows}


def only_seen_by(tx: Tx, shop: ShopId, import_id: str) -> list[str]:
    """Postings that no other import has seen."""
    rows = tx.rows(
        "SELECT posting_id FROM posting_sightings s WHERE shop_id = $1 AND import_id = $2 AND NOT EXISTS (SELECT FROM"
        " posting_sightings o WHERE o.shop_id = $1 AND o.posting_id = s.posting_id AND o.import_id <> $2)"
        " ORDER BY posting_id",
        shop,
        import_id,
    )
    return [row[0] for row in rows]


def hand_over(tx: Tx, shop: ShopId, import_id: str) -> None:
    """What other imports saw too is theirs from now on; a posting that only announcements saw is provisional again."""
    tx.run("DELETE FROM posting_sightings WHERE shop_id = $1 AND import_id = $2", shop, import_id)
    tx.run(
        "UPDATE postings p SET import_id = s.import_id, statement_id = s.statement_id, source = s.source FROM ("
        " SELECT DISTINCT ON (posting_id) posting_id, import_id, statement_id, source FROM posting_sightings"
        " WHERE shop_id = $1 ORDER BY posting_id, source = 'FINAL' DESC, source = 'NOTIFICATION' DESC, import_id) s"
        " WHERE p.shop_id = $1 AND p.import_id = $2 AND s.posting_id = p.id",
        shop,
        import_id,
    )


def set_reason(tx: Tx, shop: ShopId, posting_id: str, reason: str) -> None:
    """Why a person set the posting aside or ignored it."""
    tx.run("UPDATE postings SET aside_reason = $3 WHERE shop_id = $1 AND id = $2", shop, posting_id, reason)


class _Allocation(msgspec.Struct):
    orderNumber: str  # noqa: N815  the contract's spelling
    amount: Decimal


class _Suggestion(msgspec.Struct):
    allocations: list[_Allocation]


class _Decision(msgspec.Struct):
    suggestions: list[_Suggestion] = []


def suggestions(tx: Tx, shop: ShopId, posting_id: str) -> list[list[tuple[str, Decimal]]]:
    """The posting's suggestions, best first, each a list of (order number, amount in the posting's currency)."""
    text = tx.value("SELECT decision FROM postings WHERE shop_id = $1 AND id = $2", shop, posting_id)
    if not text:
        return []
    decision = msgspec.json.decode(text, type=_Decision)
    return [[(a.orderNumber, a.amount) for a in each.allocations] for each in decision.suggestions]
