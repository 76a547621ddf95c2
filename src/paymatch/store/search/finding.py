"""Orders and postings that a query finds: exactly, or with one typing error.

Rows are read segment by segment, the latest first, and only of segments that may have what is looked for (`segments`).
A word that many rows have ends this early: its rows are counted no further than `MOST_COUNTED`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import islice
from typing import Final, NamedTuple

from paymatch.domain.search import signatures
from paymatch.domain.search.query import LEAST_OF_ACCOUNT, Chunk, SearchQuery
from paymatch.domain.search.typing_errors import halves, is_near, may_be_mistyped
from paymatch.store.sealing import PARTY_MARKS, POSTING_ACCOUNT_END, POSTING_PARTY
from paymatch.store.search import segments
from paymatch.store.search.posting_texts import account_parts
from paymatch.store.search.tables import POSTINGS, Name, Parameters, SearchTable
from paymatch.store.transactions import ShopTx

MOST_CANDIDATES: Final = 2_000
"""Rows, about the latest, that are checked whether they differ by one typing error."""
MOST_PAYMENTS: Final = 500
MOST_COUNTED: Final = 1_000
"""The number of exact hits that are counted; beyond it only "more" is known."""
MOST_ACCOUNTS: Final = 5_000


class Hit(NamedTuple):
    """A row that a query finds; `is_near` if only with a typing error, `is_whole` if it has the query as one word."""

    key: str
    is_near: bool = False
    is_whole: bool = False


@dataclass(frozen=True, slots=True)
class Hits:
    """The best exact hits with their total number, followed by those with a typing error.

    `is_common`: there are more than are counted, and `count` is one more than these.
    """

    exact: tuple[Hit, ...]
    count: int
    near: tuple[Hit, ...] = ()
    is_common: bool = False


def condition(table: SearchTable, query: SearchQuery, also: Sequence[str], name: Name) -> str:
    """The condition for rows `s` that match the query, or have one of the keys `also`."""
    chunks = sorted(query.chunks, key=lambda chunk: -len(chunk.phrase))  # the rarest one fails first
    ways = [" AND ".join(_chunk(chunk, name) for chunk in chunks) or "false"]
    if query.number:
        ways.append(_has("words", query.number, name))
    if query.amounts:
        ways.append(f"s.amount = ANY({name(list(query.amounts))})")
    if also:
        ways.append(f"s.{table.key} = ANY({name(list(also))})")
    return f"({' OR '.join(ways)})"


def _has(column: str, text: str, name: Name) -> str:
    """Whether the column contains the text; half the price of LIKE."""
    return f"strpos(s.{column}, {name(text)}) > 0"


def _chunk(chunk: Chunk, name: Name) -> str:
    found = _has("words", chunk.stored, name)
    return f"({found} OR s.amount = ANY({name(list(chunk.amounts))}))" if chunk.amounts else found


class _Found(NamedTuple):
    """A row that was read, the best one the greatest. The texts are those of rows that may be near."""

    is_whole: bool
    day: date
    key: str
    words: str = ""
    long_words: str = ""

    @property
    def hit(self) -> Hit:
        """As a hit without a typing error."""
        return Hit(self.key, is_whole=self.is_whole)


class _FoundPart(NamedTuple):
    """The best rows of some segments; the rows of all later ones are not later than `then`, None: there are none."""

    rows: list[_Found]
    then: date | None


_ROWS: Final = """
SELECT {whole} AS is_whole, s.{day} AS day, s.{key} AS key {texts} FROM {name} s
WHERE s.shop_id = $1 AND s.segment = ANY(g.numbers) AND {which}
ORDER BY is_whole DESC, day DESC, key DESC LIMIT {limit}"""
_TEXTS: Final = ", s.words, s.long_words"

_OF_KEYS: Final = """
SELECT strpos(s.words, $3) > 0 AS is_whole, s.{day} AS day, s.{key} AS key
FROM {name} s WHERE s.shop_id = $1 AND s.{key} = ANY($2)"""


@dataclass(frozen=True, slots=True)
class Wanted:
    """How much is wanted of a search: all exact rows up to `counted`, and of more the best `limit`.

    Rows with a typing error are looked for where fewer than `enough` match exactly.
    """

    limit: int
    enough: int
    counted: int = MOST_COUNTED


def hits(tx: ShopTx, table: SearchTable, query: SearchQuery, also: Sequence[str], wanted: Wanted) -> Hits:
    """The rows that match exactly, those with the whole number first, then the latest; behind them near ones.

    Rows of the keys `also` match with any text.
    """
    scan = _Scan(tx, table, query)
    known, (rows, is_common) = scan.of_keys(also), scan.exact(wanted)
    exact = {row.key: row for row in (*rows, *known)}
    is_common = is_common or len(exact) > wanted.counted
    count = wanted.counted + 1 if is_common else len(exact)
    best = sorted(exact.values(), reverse=True)[: wanted.limit if is_common else wanted.counted]
    most = (wanted.limit or wanted.counted) - len(best)
    near = scan.near(exact, most) if count < wanted.enough and query.may_be_mistyped else []
    return Hits(tuple(row.hit for row in best), count, tuple(near), is_common)


class _Scan:
    """The rows of a table for one query."""

    def __init__(self, tx: ShopTx, table: SearchTable, query: SearchQuery) -> None:
        self._tx, self._table, self._query = tx, table, query
        self._whole = f" {query.number or ''.join(query.words)} "

    def exact(self, wanted: Wanted) -> tuple[list[_Found], bool]:
        """(rows that match, whether there are more than are counted: then those that are wanted)."""
        found, params, limit = list[_Found](), Parameters(self._tx.shop_id), wanted.limit
        which, bits = condition(self._table, self._query, (), params.name), segments.exact_bits(self._query)
        for part in self._parts(params, which, bits, max(wanted.counted + 1, limit)):
            found += part.rows
            if len(found) > wanted.counted and _is_settled(found, limit, part.then):
                break
        if len(found) <= wanted.counted:
            return found, False
        return [*self._whole_ones(limit), *_latest(found)[:limit]] if limit else [], True

    def _whole_ones(self, limit: int) -> list[_Found]:
        """The latest rows that have the query as one word."""
        found, params = list[_Found](), Parameters(self._tx.shop_id)
        which, bits = _has("words", self._whole, params.name), segments.having_all(signatures.text_places(self._whole))
        for part in self._parts(params, which, bits, limit):
            found += part.rows
            if _is_settled(found, limit, part.then):
                break
        return found

    def of_keys(self, keys: Sequence[str]) -> list[_Found]:
        """Rows that match because of their keys."""
        statement = _OF_KEYS.format(**self._table.names)
        rows = self._tx.rows(statement, self._tx.shop_id, list(keys), self._whole) if keys else []
        return [_Found(row.is_whole, row.day, row.key) for row in rows]

    def near(self, exact: Collection[str], limit: int) -> list[Hit]:
        """The latest rows, at most `limit`, that match with a typing error."""
        found, left, params = list[_Found](), MOST_CANDIDATES, Parameters(self._tx.shop_id)
        words = sorted(self._query.words, key=len, reverse=True)
        which = " AND ".join(_nearly(word, params.name) for word in words)
        for part in self._parts(params, which, segments.near_bits(self._query), MOST_CANDIDATES, _TEXTS):
            found += self._nearly_matching([row for row in part.rows if row.key not in exact])
            left -= len(part.rows)
            if left <= 0 or _is_settled(found, limit, part.then):
                break
        return [Hit(row.key, is_near=True) for row in sorted(found, reverse=True)[:limit]]

    def _nearly_matching(self, rows: Sequence[_Found]) -> list[_Found]:
        stored = {word for row in rows for word in row.long_words.split()}
        near = {word: {other for other in stored if is_near(word, other)} for word in self._query.words
                if may_be_mistyped(word)}  # fmt: skip
        return [
            row
            for row in rows
            if all(
                word in row.words or not near.get(word, _NOTHING).isdisjoint(row.long_words.split())
                for word in self._query.words
            )
        ]

    def _parts(self, params: Parameters, which: str, bits: str, limit: int, texts: str = "") -> Iterator[_FoundPart]:
        """Rows of a condition, part by part: what is in no segment yet, then the latest segments, then more of them."""
        whole = _has("words", self._whole, params.name)
        rows = _ROWS.format(**self._table.names, whole=whole, texts=texts, which=which, limit=limit)
        for part in segments.parts(self._tx, self._table, bits, params, rows):
            yield _FoundPart([_Found(*row[_OF_PART:]) for row in part.rows], part.then)


_OF_PART: Final = 4
"""Columns of a part before those of its rows."""
_NOTHING: Final = frozenset[str]()


def _is_settled(found: Sequence[_Found], limit: int, then: date | None) -> bool:
    """Whether no row that was not read yet is later than the `limit` latest ones of these."""
    if then is None or not limit:
        return True
    return len(found) >= limit and _latest(found)[limit - 1].day > then


def _latest(found: Sequence[_Found]) -> list[_Found]:
    return sorted(found, key=lambda row: (row.day, row.key), reverse=True)


def _nearly(word: str, name: Name) -> str:
    """The condition for the word with one typing error: one half of it at the beginning or end of a word."""
    exact = _has("words", word, name)
    if not may_be_mistyped(word):
        return exact
    parts, lengths = halves(word), (len(word) - 1, len(word), len(word) + 1)
    begins = [f"% {parts.begin}{'_' * (length - len(parts.begin))} %" for length in lengths]
    ends = [f"% {'_' * (length - len(parts.end))}{parts.end} %" for length in lengths]
    ways = [
        f"{_has('long_words', begin, name)} AND s.long_words LIKE ANY({name(patterns)})"
        for begin, patterns in ((f" {parts.begin}", begins), (f"{parts.end} ", ends))
    ]
    return f"({exact} OR {' OR '.join(ways)})"


_BY_END: Final = """
SELECT id FROM postings
WHERE shop_id = $1 AND counterparty_account_end = ANY($2) AND counterparty_account_end <> ''"""
_MARKED: Final = """
SELECT s.id, p.counterparty_iban AS sealed
FROM (SELECT s.posting_id AS id, s.booking_date AS day FROM posting_search s
      WHERE s.shop_id = $1 AND s.segment = ANY(g.numbers) AND {marked} ORDER BY day DESC, id DESC LIMIT {limit}) s
JOIN postings p ON p.shop_id = $1 AND p.id = s.id ORDER BY s.day DESC, s.id DESC"""


def paid_from(tx: ShopTx, query: SearchQuery) -> list[str]:
    """Ids of the latest postings whose other side's account is, or contains, the query's account."""
    if not query.account:
        return []
    vault, latest = tx.vault(), f"ORDER BY booking_date DESC, id DESC LIMIT {MOST_PAYMENTS}"
    ends = vault.lookups(POSTING_ACCOUNT_END, query.account[-LEAST_OF_ACCOUNT:])
    if query.is_whole_account:
        whole = vault.lookups(POSTING_PARTY, query.account)
        rows = tx.rows(f"{_BY_END} AND counterparty_iban = ANY($3) {latest}", tx.shop_id, ends, whole)
        return [row.id for row in rows]
    found = list[str]()
    if len(query.account) == LEAST_OF_ACCOUNT:
        found = [row.id for row in tx.rows(f"{_BY_END} {latest}", tx.shop_id, ends)]
    return list(dict.fromkeys([*found, *_paid_from_part(tx, query.account)]))[:MOST_PAYMENTS]


def _paid_from_part(tx: ShopTx, part: str) -> list[str]:
    """Ids of about the latest postings whose account has this part; no more accounts are opened than it takes."""
    vault, params = tx.vault(), Parameters(tx.shop_id)
    found, opened = list[str](), 0
    marks = vault.mark_lookups(PARTY_MARKS, account_parts(part))
    if not marks:
        return []
    marked = " OR ".join(" AND ".join(_has("account", mark, params.name) for mark in each) for each in marks)
    bits = segments.having_one(signatures.mark_places(key, those) for key, *those in marks)
    for read in segments.parts(tx, POSTINGS, bits, params, _MARKED.format(marked=f"({marked})", limit=MOST_ACCOUNTS)):
        rows = read.rows[: MOST_ACCOUNTS - opened]
        having = (row.id for row in rows if part in vault.open(POSTING_PARTY, row.sealed))
        found += islice(having, MOST_PAYMENTS - len(found))
        opened += len(rows)
        if len(found) >= MOST_PAYMENTS or opened >= MOST_ACCOUNTS:
            break
    return found


def orders_of(tx: ShopTx, postings: Sequence[str]) -> list[str]:
    """Numbers of the orders that these postings pay."""
    statement = "SELECT DISTINCT order_number FROM allocations WHERE shop_id = $1 AND posting_id = ANY($2)"
    return [row[0] for row in tx.rows(statement, tx.shop_id, list(postings))] if postings else []


_POSTINGS_OF: Final = """
SELECT a.posting_id FROM allocations a WHERE a.shop_id = $1 AND a.order_number = ANY($2)
UNION
SELECT g.posting_id FROM suggested_orders g WHERE g.shop_id = $1 AND g.order_number = ANY($2)
LIMIT $3"""


def postings_of(tx: ShopTx, numbers: Sequence[str]) -> list[str]:
    """Ids of the postings that pay, or may pay, these orders."""
    return [row[0] for row in tx.rows(_POSTINGS_OF, tx.shop_id, list(numbers), MOST_PAYMENTS)] if numbers else []
