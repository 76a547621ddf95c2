"""Statement lines in PostgreSQL: every entry and detail as shown, and its posting (D-40)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final, NamedTuple

import msgspec

from paymatch.domain.books.statement_lines import ShownBy
from paymatch.domain.postings import Posting, PostingSource
from paymatch.domain.words.message import as_text
from paymatch.formats.read import source_format
from paymatch.store.connection import build
from paymatch.store.statements.posting_documents import opened_facts, sealed_facts
from paymatch.store.transactions import ShopTx

_ENCODE: Final = msgspec.json.Encoder(enc_hook=as_text).encode


class LineKey(NamedTuple):
    """The place of a line."""

    statement_id: str
    position: int
    detail: int


class LineRow(NamedTuple):
    """A stored line; `is_held` if a person decided its posting when this line was among its lines."""

    import_id: str
    by: ShownBy
    position: int
    detail: int
    facts: Posting
    entry_minor: int  # the sum of its entry
    posting_id: str
    is_held: bool = False

    @property
    def key(self) -> LineKey:
        """Where it stands."""
        return LineKey(self.by.id, self.position, self.detail)


@dataclass(frozen=True, slots=True)
class TouchedSum:
    """Lines of one sum that an import showed, and their first and last day."""

    account: str
    currency: str
    amount_minor: int
    first_date: date
    last_date: date
    lines: int


_ADD: Final = """
INSERT INTO statement_lines (shop_id, import_id, statement_id, position, detail, account, currency, entry_minor,
    booking_date, source, format, series, page, facts, posting_id, is_held)
SELECT $1, $2, r.statement_id, r.position, r.detail, r.account, r.currency, r.entry_minor, r.booking_date, r.source,
    r.format, r.series, r.page, r.facts, r.posting_id, false
FROM json_to_recordset($3::json) AS r(statement_id text, position integer, detail integer, account text,
    currency text, entry_minor bigint, booking_date date, source text, format text, series text, page integer,
    facts text, posting_id text)
RETURNING 1"""


def add(tx: ShopTx, import_id: str, rows: Sequence[LineRow]) -> None:
    """Keeps the lines of an import."""
    if rows:
        vault = tx.vault()
        wire = [
            {
                "statement_id": row.by.id, "position": row.position, "detail": row.detail,
                "account": row.facts.account, "currency": row.facts.currency, "entry_minor": row.entry_minor,
                "booking_date": row.facts.booking_date, "source": row.by.source, "format": row.by.format.name,
                "series": row.by.series, "page": row.by.page, "facts": sealed_facts(row.facts, vault),
                "posting_id": row.posting_id,
            }
            for row in rows
        ]  # fmt: skip
        tx.put(_ADD, tx.shop_id, import_id, _ENCODE(wire).decode())


_MOVE: Final = """
UPDATE statement_lines SET posting_id = m.posting_id, is_held = m.is_held
FROM json_to_recordset($2::json) AS m(statement_id text, position integer, detail integer,
    posting_id text, is_held boolean)
WHERE statement_lines.shop_id = $1 AND statement_lines.statement_id = m.statement_id
  AND statement_lines.position = m.position AND statement_lines.detail = m.detail"""


def move(tx: ShopTx, moved: Sequence[tuple[LineKey, str, bool]]) -> None:
    """Moves lines to other postings, and marks them as held or not; their facts do not change."""
    if moved:
        wire = [key._asdict() | {"posting_id": posting_id, "is_held": is_held} for key, posting_id, is_held in moved]
        tx.put(_MOVE, tx.shop_id, _ENCODE(wire).decode())


_WRITE_FACTS: Final = """
UPDATE statement_lines SET facts = f.facts
FROM json_to_recordset($2::json) AS f(statement_id text, position integer, detail integer, facts text)
WHERE statement_lines.shop_id = $1 AND statement_lines.statement_id = f.statement_id
  AND statement_lines.position = f.position AND statement_lines.detail = f.detail"""


def write_facts(tx: ShopTx, facts: Mapping[LineKey, Posting]) -> None:
    """Lines of forgotten people: the only change of a line's facts (D-63)."""
    if facts:
        vault = tx.vault()
        wire = [key._asdict() | {"facts": sealed_facts(posting, vault)} for key, posting in facts.items()]
        tx.put(_WRITE_FACTS, tx.shop_id, _ENCODE(wire).decode())


_NEAR: Final = """
SELECT l.import_id, l.statement_id, l.position, l.detail, l.source, l.format, l.series, l.page, l.entry_minor, l.facts,
       l.posting_id, l.is_held
FROM unnest($4::bigint[]) w(minor) CROSS JOIN LATERAL (
    SELECT * FROM statement_lines x WHERE x.shop_id = $1 AND x.account = $2 AND x.currency = $3
      AND x.entry_minor = w.minor AND x.booking_date BETWEEN $5 AND $6 ORDER BY x.booking_date LIMIT ALL) l
ORDER BY l.statement_id, l.position, l.detail"""
"""Sum by sum: the index of sums has the lines of one in the order of their days (see `key_lookups`)."""


def near(tx: ShopTx, account: str, currency: str, amounts: Collection[int], first: date, last: date) -> list[LineRow]:
    """The lines of entries with these sums between two days, entry by entry."""
    vault = tx.vault()
    statements: dict[str, ShownBy] = {}
    found = []
    for row in tx.rows(_NEAR, tx.shop_id, account, currency, list(amounts), first, last):
        by = statements.get(row.statement_id)
        if by is None:
            by = ShownBy(row.statement_id, PostingSource(row.source), source_format(row.format), row.series, row.page)
            statements[row.statement_id] = by
        facts = opened_facts(row.facts, vault)
        place = row.position, row.detail
        found.append(LineRow(row.import_id, by, *place, facts, row.entry_minor, row.posting_id, row.is_held))
    return found


def of_format(tx: ShopTx, account: str, currency: str, name: str, first: date) -> list[Posting]:
    """What statements of one format show of an account since a day, each line as often as it was shown."""
    vault = tx.vault()
    rows = tx.rows(
        "SELECT facts FROM statement_lines WHERE shop_id = $1 AND account = $2 AND currency = $3 AND format = $4"
        " AND booking_date >= $5 ORDER BY statement_id, position, detail",
        tx.shop_id, account, currency, name, first,
    )  # fmt: skip
    return [opened_facts(row.facts, vault) for row in rows]


def postings_with_sums(
    tx: ShopTx, account: str, currency: str, amounts: Collection[int], first: date, last: date
) -> set[str]:
    """The decided postings that lines with these sums between two days belonged to."""
    rows = tx.rows(
        "SELECT DISTINCT posting_id FROM statement_lines WHERE shop_id = $1 AND account = $2 AND currency = $3"
        " AND entry_minor = ANY($4) AND booking_date BETWEEN $5 AND $6 AND is_held",
        tx.shop_id,
        account,
        currency,
        list(amounts),
        first,
        last,
    )
    return {row[0] for row in rows}


def touched_by(tx: ShopTx, import_id: str) -> list[TouchedSum]:
    """What an import showed, by account, currency and sum."""
    rows = tx.rows(
        "SELECT account, currency, entry_minor AS amount_minor, min(booking_date) AS first_date,"
        " max(booking_date) AS last_date, count(*)::integer AS lines"
        " FROM statement_lines WHERE shop_id = $1 AND import_id = $2 GROUP BY 1, 2, 3 ORDER BY 1, 2, 3",
        tx.shop_id,
        import_id,
    )
    return [build(TouchedSum, row) for row in rows]


def touched_by_statements(tx: ShopTx, statements: Sequence[str]) -> list[TouchedSum]:
    """What these statements show, by account, currency and sum."""
    if not statements:
        return []
    rows = tx.rows(
        "SELECT account, currency, entry_minor AS amount_minor, min(booking_date) AS first_date,"
        " max(booking_date) AS last_date, count(*)::integer AS lines"
        " FROM statement_lines WHERE shop_id = $1 AND statement_id = ANY($2) GROUP BY 1, 2, 3 ORDER BY 1, 2, 3",
        tx.shop_id,
        list(statements),
    )
    return [build(TouchedSum, row) for row in rows]


def delete(tx: ShopTx, import_id: str) -> None:
    """Deletes the lines of an import, as if it had never happened."""
    tx.run("DELETE FROM statement_lines WHERE shop_id = $1 AND import_id = $2", tx.shop_id, import_id)
