"""Which import saw which posting, and what it said of it: by this an import can be undone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import msgspec

from paymatch.domain.books.statement_lines import ResolvedPosting, StatementLine
from paymatch.domain.postings import Posting, PostingSource
from paymatch.store.database import ShopId, Tx, text_array
from paymatch.store.statements import postings
from paymatch.store.statements.posting_facts import opened_facts, sealed_facts
from paymatch.store.statements.postings import Changed

_ENCODE: Final = msgspec.json.Encoder().encode


@dataclass(frozen=True, slots=True)
class Row:
    """A posting seen in a statement. `facts` is empty if it said what the posting says now."""

    posting_id: str
    statement_id: str
    source: PostingSource
    format: str
    facts: str


_ADD: Final = """
INSERT INTO statement_lines (shop_id, import_id, posting_id, statement_id, source, format, facts)
SELECT $1, $2, r.posting_id, r.statement_id, r.source, r.format, r.facts
FROM json_to_recordset($3::json) AS r(posting_id text, statement_id text, source text, format text, facts text)
ON CONFLICT (shop_id, import_id, posting_id)
DO UPDATE SET statement_id = excluded.statement_id, source = excluded.source, format = excluded.format,
              facts = excluded.facts
WHERE statement_lines.source <> 'FINAL' AND excluded.source <> 'INTRADAY'"""


def add(tx: Tx, shop: ShopId, import_id: str, rows: Sequence[Row]) -> None:
    """Remembers what an import saw. Of several statements of one import the most binding one stays."""
    if rows:
        tx.run(_ADD, shop, import_id, _ENCODE(rows).decode())


_SILENT: Final = """
SELECT posting_id, import_id, statement_id, source, format FROM statement_lines
WHERE shop_id = $1 AND posting_id = ANY($2) AND import_id <> $3 AND facts = ''"""

# No join, as in `postings.change`.
_SAID: Final = """
INSERT INTO statement_lines (shop_id, posting_id, import_id, statement_id, source, format, facts)
SELECT $1, r.posting_id, r.import_id, r.statement_id, r.source, r.format, r.facts
FROM json_to_recordset($2::json)
    AS r(posting_id text, import_id text, statement_id text, source text, format text, facts text)
ON CONFLICT (shop_id, import_id, posting_id) DO UPDATE SET facts = excluded.facts"""


def keep_what_was_said(tx: Tx, shop: ShopId, import_id: str, changed: Sequence[Changed]) -> None:
    """The other imports of postings that are about to change said what the postings say until now."""
    if not changed:
        return
    silent = tx.rows(_SILENT, shop, text_array([each.id for each in changed]), import_id)
    facts = {each.id: sealed_facts(each.before, tx.vault(shop)) for each in changed} if silent else {}
    names = ("posting_id", "import_id", "statement_id", "source", "format")
    rows = [dict(zip(names, row, strict=True), facts=facts[row[0]]) for row in silent]
    if rows:
        tx.run(_SAID, shop, _ENCODE(rows).decode())


def inherit(tx: Tx, shop: ShopId, whole: str, parts: Sequence[str], without_import: str) -> None:
    """Who saw an undivided batch has seen its parts."""
    tx.run(
        "INSERT INTO statement_lines (shop_id, import_id, posting_id, statement_id, source, format)"
        " SELECT s.shop_id, s.import_id, n.id, s.statement_id, s.source, s.format"
        " FROM statement_lines s, unnest($3::text[]) n(id)"
        " WHERE s.shop_id = $1 AND s.posting_id = $2 AND s.import_id <> $4 ON CONFLICT DO NOTHING",
        shop,
        whole,
        list(parts),
        without_import,
    )


_EXCHANGE: Final = """
WITH gone AS (
    DELETE FROM statement_lines
    WHERE shop_id = $1 AND posting_id = ANY($2::text[] || $3::text[]) AND source = $4 AND format = $5
    RETURNING posting_id, import_id, statement_id)
SELECT DISTINCT posting_id = ANY($2::text[]), import_id, statement_id FROM gone ORDER BY 1, 2, 3"""

_OWNERS: Final = """
UPDATE postings p SET import_id = (SELECT min(s.import_id) FROM statement_lines s
                                   WHERE s.shop_id = $1 AND s.posting_id = p.id)
WHERE p.shop_id = $1 AND p.id = ANY($2) AND NOT EXISTS (
    SELECT FROM statement_lines s WHERE s.shop_id = $1 AND s.posting_id = p.id AND s.import_id = p.import_id)"""


def exchange(
    tx: Tx, shop: ShopId, ones: Sequence[str], others: Sequence[str], source: PostingSource, file_format: str
) -> None:
    """What statements of this kind said of the one side they said of the other, and the other way round."""
    rows = tx.rows(_EXCHANGE, shop, text_array(ones), text_array(others), source, file_format)
    for was_of_ones, import_id, statement_id in rows:
        now_of = others if was_of_ones else ones
        add(tx, shop, import_id, [Row(each, statement_id, source, file_format, "") for each in now_of])
    tx.run(_OWNERS, shop, text_array([*ones, *others]))


def only_seen_by(tx: Tx, shop: ShopId, import_id: str) -> list[str]:
    """Postings that no other import has seen."""
    rows = tx.rows(
        "SELECT posting_id FROM statement_lines s WHERE shop_id = $1 AND import_id = $2 AND NOT EXISTS (SELECT FROM"
        " statement_lines o WHERE o.shop_id = $1 AND o.posting_id = s.posting_id AND o.import_id <> $2)"
        " ORDER BY posting_id",
        shop,
        import_id,
    )
    return [row[0] for row in rows]


_OTHERS: Final = """
SELECT p.id, p.facts, p.source, p.format, p.facts_rank, p.date_rank, o.import_id, o.statement_id,
       o.source AS other_source, o.format AS other_format, o.facts AS other_facts
FROM statement_lines s
JOIN postings p ON p.shop_id = s.shop_id AND p.id = s.posting_id
JOIN statement_lines o ON o.shop_id = s.shop_id AND o.posting_id = s.posting_id AND o.import_id <> s.import_id
WHERE s.shop_id = $1 AND s.import_id = $2
ORDER BY p.id, o.source = 'FINAL' DESC, o.source = 'NOTIFICATION' DESC, o.import_id"""


def forget(tx: Tx, shop: ShopId, import_id: str, now: datetime) -> list[str]:
    """What other imports saw too says again what they said: facts, days, provisional or final. Ids that moved days."""
    vault = tx.vault(shop)
    changed: dict[str, tuple[Changed, str]] = {}
    for row in tx.rows(_OTHERS, shop, import_id):
        current = ResolvedPosting(
            opened_facts(row.facts, vault), PostingSource(row.source), row.format, row.facts_rank, row.date_rank
        )
        seen = StatementLine(
            opened_facts(row.other_facts, vault) if row.other_facts else current.posting,
            PostingSource(row.other_source),
            row.other_format or row.format,
        )
        if row.id not in changed:
            changed[row.id] = Changed(row.id, row.statement_id, seen.resolved(), current.posting), row.import_id
        else:
            so_far, owner = changed[row.id]
            resolved = so_far.resolved.with_line(seen)
            changed[row.id] = Changed(row.id, so_far.statement_id, resolved, so_far.before), owner
    rows = [each for each, _ in changed.values()]
    keep_what_was_said(tx, shop, import_id, rows)
    postings.change(tx, shop, rows, now)
    tx.run("DELETE FROM statement_lines WHERE shop_id = $1 AND import_id = $2", shop, import_id)
    owners = [{"id": posting_id, "owner": owner} for posting_id, (_, owner) in changed.items()]
    tx.run(
        "UPDATE postings p SET import_id = r.owner FROM json_to_recordset($3::json) AS r(id text, owner text)"
        " WHERE p.shop_id = $1 AND p.id = r.id AND p.import_id = $2",
        shop,
        import_id,
        _ENCODE(owners).decode(),
    )
    return [each.id for each in rows if _moved(each.before, each.resolved.posting)]


def _moved(before: Posting, after: Posting) -> bool:
    return before.booking_date != after.booking_date
