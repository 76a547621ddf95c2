"""Segments of a search table: a few rows share a signature, so that a search can skip most rows (D-101).

A row that is written is in no segment (0) until the job has gathered it. Once it is written again, it has
left its segment.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from typing import Any, Final, NamedTuple

import msgspec

from paymatch.domain.search import signatures
from paymatch.domain.search.query import Chunk, SearchQuery
from paymatch.domain.search.signatures import BITS, Places
from paymatch.domain.search.typing_errors import halves, may_be_mistyped
from paymatch.domain.words.message import as_text
from paymatch.store.connection import Row
from paymatch.store.search.tables import Parameters, SearchTable
from paymatch.store.transactions import ShopTx

MOST_ROWS: Final = 16
MOST_BITS: Final = BITS // 4
"""A signature with more bits lets too many searches pass."""
_MOST_LOOKED_AT: Final = 12
"""Of a long text so many bits are looked at: they are enough to tell it from others."""
LOOSE: Final = 0
_MARK_AT: Final = 8
"""Characters of the key's name before the marks of an account, each of two."""
_ENCODE: Final = msgspec.json.Encoder(enc_hook=as_text).encode


class Segment(NamedTuple):
    """A segment, and the latest day of its rows when it was made."""

    segment: int
    newest: date


class SegmentRows(NamedTuple):
    """Rows of some segments; the rows of all later ones are not later than `then`, None: there are none."""

    rows: list[Row]
    then: date | None


_PART: Final = """
SELECT g.read, g.last_segment, g.last_newest, r.* FROM (
    SELECT coalesce(array_agg(h.segment), '{{}}') || {loose}::integer[] AS numbers, count(*)::integer AS read,
        (array_agg(h.segment))[count(*)] AS last_segment, (array_agg(h.newest))[count(*)] AS last_newest
    FROM (SELECT i.segment, i.newest FROM search_segments i WHERE i.shop_id = $1 AND i.searched = {table}
        AND (i.newest, i.segment) < ({newest}::date, {segment}::integer) AND {bits}
        ORDER BY i.newest DESC, i.segment DESC LIMIT {size}) h) g
LEFT JOIN LATERAL (SELECT true AS is_row, x.* FROM ({rows}) x) r ON true"""
"""How far the segments are read, beside each row of theirs; one line without a row where they have none."""
_BEFORE_ALL: Final = Segment(0, date.max)
_FIRST_READ: Final = 64
_MORE_READ: Final = 3
"""So many times as many are read next, as long as it is not enough."""


def parts(tx: ShopTx, table: SearchTable, bits: str, params: Parameters, rows: str) -> Iterator[SegmentRows]:
    """What `rows` selects of the segments whose signature fulfils the condition `bits`, part by part.

    First what is in no segment, with the latest segments; then more of these. `rows` is a SELECT with the parameters
    `params`, and its segments are those of the array `g.numbers`.
    """
    last, size, loose, names = _BEFORE_ALL, _FIRST_READ, [LOOSE], ("table", "newest", "segment", "size", "loose")
    places = {name: f"${len(params.values) + at}" for at, name in enumerate(names, 1)}
    statement = _PART.format(bits=bits, rows=rows, **places)
    while True:
        found = tx.rows(statement, *params.values, table.name, last.newest, last.segment, size, loose)
        first, has_more = found[0], found[0].read == size
        yield SegmentRows([row for row in found if row.is_row], first.last_newest if has_more else None)
        if not has_more:
            return
        last, size, loose = Segment(first.last_segment, first.last_newest), size * _MORE_READ, []


def having_all(places: Places) -> str:
    """The condition that all of these bits are there, or of very many some."""
    chosen = sorted(places)[:_MOST_LOOKED_AT]
    return " AND ".join(f"get_bit(i.signature, {place:d}) = 1" for place in chosen) or "true"


def having_one(ways: Iterable[Places]) -> str:
    """The condition that all bits of one of these are there."""
    return f"({' OR '.join(having_all(each) for each in ways)})"


def exact_bits(query: SearchQuery) -> str:
    """What the signature of a row has that the query finds as it was typed."""
    chunks = " AND ".join(_chunk_bits(chunk) for chunk in query.chunks)
    ways = [f"({chunks})" if chunks else "false"]
    ways += [having_all(signatures.text_places(query.number))] if query.number else []
    ways += [having_all(signatures.amount_places(amount)) for amount in query.amounts]
    return f"({' OR '.join(ways)})"


def near_bits(query: SearchQuery) -> str:
    """What the signature of a row has in which every word is, each exactly or with one typing error."""
    return f"({' AND '.join(_nearly_bits(word) for word in query.words)})"


def _chunk_bits(chunk: Chunk) -> str:
    return having_one([signatures.text_places(chunk.stored), *map(signatures.amount_places, chunk.amounts)])


def _nearly_bits(word: str) -> str:
    exact = having_all(signatures.text_places(word))
    if not may_be_mistyped(word):
        return f"({exact})"
    parts = halves(word)
    kept = having_one([signatures.text_places(f" {parts.begin}"), signatures.text_places(f"{parts.end} ")])
    return f"({exact} OR {having_one(signatures.forms(word))} AND {kept})"


_LOOSE_ROWS: Final = """
SELECT s.{key} AS key, s.{day} AS day, s.amount, s.words, s.long_words, {account} AS account FROM {name} s
WHERE s.shop_id = $1 AND s.segment = 0 ORDER BY s.{day}, s.{key} LIMIT $2 FOR UPDATE SKIP LOCKED"""
_LAST: Final = "SELECT coalesce(max(segment), 0) FROM search_segments WHERE shop_id = $1 AND searched = $2"
_SAVE: Final = """
INSERT INTO search_segments (shop_id, searched, segment, newest, size, signature)
SELECT $1, $2, r.segment, r.newest, r.size, decode(r.signature, 'base64') FROM json_to_recordset($3::json)
    AS r(segment integer, newest date, size integer, signature text)
RETURNING segment"""
_PUT_IN: Final = """
UPDATE {name} s SET segment = r.segment FROM json_to_recordset($2::json) AS r(key text, segment integer)
WHERE s.shop_id = $1 AND s.{key} = r.key"""


def gather(tx: ShopTx, table: SearchTable, batch: int) -> int:
    """Puts rows, the earliest first, into new segments; how many rows. What fills no segment stays as it is.

    A row that another transaction writes is left to the next time, which rules out deadlocks.
    """
    statement = _LOOSE_ROWS.format(**table.names, account="s.account" if table.has_accounts else "''")
    rows = tx.rows(statement, tx.shop_id, batch)
    if len(rows) < MOST_ROWS:
        return 0
    last = tx.value(_LAST, tx.shop_id, table.name)
    segments, placed = list[dict[str, Any]](), list[dict[str, Any]]()
    for number, (members, places) in enumerate(_groups(rows), last + 1):
        segments.append({
            "segment": number, "newest": max(row.day for row in members), "size": len(members),
            "signature": b64encode(signatures.signature(places)).decode(),
        })  # fmt: skip
        placed += [{"key": row.key, "segment": number} for row in members]
    tx.rows(_SAVE, tx.shop_id, table.name, _ENCODE(segments).decode())
    tx.run(_PUT_IN.format(**table.names), tx.shop_id, _ENCODE(placed).decode())
    return len(placed)


def _groups(rows: Sequence[Any]) -> Iterator[tuple[Sequence[Any], set[int]]]:
    """(rows of a segment, their bits): of so many rows that the bits still distinguish segments."""
    at, size = 0, MOST_ROWS
    while at + size <= len(rows):
        members = rows[at : at + size]
        places = _places_of(members)
        if len(places) > MOST_BITS and size > 1:
            size //= 2
            continue
        yield members, places
        at, size = at + size, MOST_ROWS


def _places_of(rows: Sequence[Any]) -> set[int]:
    words = (word for row in rows for word in row.long_words.split())
    places = signatures.rows_places((row.words for row in rows), words)
    places.update(*(signatures.amount_places(row.amount) for row in rows))
    return places.union(*(_account_places(row.account) for row in rows))


def _account_places(marks: str) -> Places:
    pairs = (marks[at : at + 2] for at in range(_MARK_AT, len(marks), 2))
    return signatures.mark_places(marks[:_MARK_AT], pairs)


_SPARSE: Final = """
SELECT g.segment FROM search_segments g
LEFT JOIN (SELECT s.segment, count(*) AS size FROM {name} s WHERE s.shop_id = $1 AND s.segment > 0 GROUP BY 1) c
    ON c.segment = g.segment
WHERE g.shop_id = $1 AND g.searched = $2 AND coalesce(c.size, 0) * 2 < g.size LIMIT $3"""
_MEMBERS: Final = "SELECT s.{key} FROM {name} s WHERE s.shop_id = $1 AND s.segment = ANY($2) FOR UPDATE SKIP LOCKED"
_FREE: Final = "UPDATE {name} s SET segment = 0 WHERE s.shop_id = $1 AND s.{key} = ANY($2)"
_DROP: Final = """
DELETE FROM search_segments g WHERE g.shop_id = $1 AND g.searched = $2 AND g.segment = ANY($3)
    AND NOT EXISTS (SELECT FROM {name} s WHERE s.shop_id = $1 AND s.segment = ANY($3) AND s.segment = g.segment)"""


def dissolve(tx: ShopTx, table: SearchTable, limit: int) -> int:
    """Dissolves segments that more than half of their rows have left; how many it looked at."""
    sparse = [row[0] for row in tx.rows(_SPARSE.format(**table.names), tx.shop_id, table.name, limit)]
    if sparse:
        members = [row[0] for row in tx.rows(_MEMBERS.format(**table.names), tx.shop_id, sparse)]
        tx.run(_FREE.format(**table.names), tx.shop_id, members)
        tx.run(_DROP.format(**table.names), tx.shop_id, table.name, sparse)
    return len(sparse)
