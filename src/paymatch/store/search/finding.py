"""Orders and postings that a query finds: one pass over the folded texts, exactly or with one typing error.

A word that many rows have ends the pass early: its rows are counted no further than `MOST_COUNTED`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from itertools import islice
from typing import Any, Final, NamedTuple

from paymatch.domain.search.query import LEAST_OF_ACCOUNT, Chunk, SearchQuery
from paymatch.domain.search.typing_errors import halves, may_be_mistyped
from paymatch.store.connection import build
from paymatch.store.sealing import PARTY_MARKS, POSTING_ACCOUNT_END, POSTING_PARTY
from paymatch.store.search.posting_texts import account_parts
from paymatch.store.transactions import ShopId, ShopTx

MOST_CANDIDATES: Final = 2_000
"""The number of latest rows that are checked for one typing error."""
MOST_PAYMENTS: Final = 500
MOST_COUNTED: Final = 1_000
"""The number of exact hits that are counted; beyond it only "more" is known."""
_FIRST_LOOK: Final = MOST_COUNTED + 1
"""Rows, in no order, after which a pass ends: the word is common."""
_OPENED_AT_ONCE: Final = 1_500
"""Accounts that are read before checking whether they are enough."""
MOST_ACCOUNTS: Final = 5_000
_SHORT: Final = 2
"""A word this short is only searched at the beginning of words."""


@dataclass(frozen=True, slots=True)
class SearchTable:
    """A table of folded texts."""

    name: str
    key: str
    day: str


ORDERS: Final = SearchTable("order_search", "order_number", "order_date")
POSTINGS: Final = SearchTable("posting_search", "posting_id", "booking_date")


class Hit(NamedTuple):
    """A row that a query finds; `is_near` if only with a typing error, `is_whole` if it has the query as one word."""

    key: str
    is_near: bool = False
    is_whole: bool = False


@dataclass(frozen=True, slots=True)
class Hits:
    """The best exact hits with their total number, followed by those with a typing error.

    `count` ends at one more than MOST_COUNTED.
    """

    exact: tuple[Hit, ...]
    count: int
    near: tuple[Hit, ...] = ()

    @property
    def is_common(self) -> bool:
        """Whether there are more exact hits than are counted."""
        return self.count > MOST_COUNTED


Name = Callable[[Any], str]
"""Keeps a value for a statement, and gives its placeholder."""


class Parameters:
    """Parameters of a composed statement; the shop is always $1."""

    def __init__(self, shop: ShopId) -> None:
        self.values: list[Any] = [shop]

    def name(self, value: Any) -> str:
        """Adds the value; returns its placeholder in the statement."""
        self.values.append(value)
        return f"${len(self.values)}"


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
    found = _has("words", f" {chunk.phrase}" if len(chunk.phrase) <= _SHORT else chunk.phrase, name)
    return f"({found} OR s.amount = ANY({name(list(chunk.amounts))}))" if chunk.amounts else found


class _Found(NamedTuple):
    """A row that a pass has found, the best one the greatest. The texts are those of rows that may be near."""

    is_whole: bool
    day: date
    key: str
    is_exact: bool
    words: str = ""
    long_words: str = ""

    @property
    def hit(self) -> Hit:
        """As a hit without a typing error."""
        return Hit(self.key, is_whole=self.is_whole)


_ROWS: Final = """
SELECT {whole} AS is_whole, s.{day} AS day, s.{key} AS key, s.is_exact,
    CASE WHEN s.is_exact THEN '' ELSE s.words END AS words,
    CASE WHEN s.is_exact THEN '' ELSE s.long_words END AS long_words
FROM (SELECT s.*, {exact} AS is_exact FROM {name} s WHERE s.shop_id = $1) s WHERE {which}"""

_OF_KEYS: Final = """
SELECT strpos(s.words, $3) > 0 AS is_whole, s.{day} AS day, s.{key} AS key
FROM {name} s WHERE s.shop_id = $1 AND s.{key} = ANY($2)"""


def hits(
    tx: ShopTx,
    table: SearchTable,
    query: SearchQuery,
    also: Sequence[str],
    limit: int | None,
    enough: int | None = None,
) -> Hits:
    """The rows that match exactly, those with the whole number first, then the latest; at most `limit` with near ones.

    Near ones are looked for where fewer than `enough` match exactly (`limit` if None). Rows of the keys `also` match.
    Without a limit it is all rows, or none where they are more than are counted.
    """
    scan = _Scan(tx, table, query)
    most = MOST_COUNTED if limit is None else limit
    enough = most if enough is None else enough
    known, rows = scan.of_keys(also), scan.first_look()
    if len(rows) == _FIRST_LOOK:
        is_common = sum(row.is_exact for row in rows) > MOST_COUNTED
        rows = [] if is_common and limit is None else scan.best(limit if is_common else None)
    else:
        is_common = False
    exact = {row.key: row for row in (*rows, *known) if row.is_exact}
    count = MOST_COUNTED + 1 if is_common else min(len(exact), MOST_COUNTED + 1)
    best = sorted(exact.values(), reverse=True)[:most]
    near = scan.near(sorted(rows, reverse=True), exact, most - len(best)) if count < enough else []
    return Hits(tuple(row.hit for row in best), count, tuple(near))


class _Scan:
    """Passes over a table for one query."""

    def __init__(self, tx: ShopTx, table: SearchTable, query: SearchQuery) -> None:
        self._tx, self._table, self._query = tx, table, query
        self._whole = f" {query.number or ''.join(query.words)} "

    def first_look(self) -> list[_Found]:
        """Rows that match, or may once a typing error is allowed: all of them, or `_FIRST_LOOK` in no order."""
        return self._rows("s.is_exact OR {near}", f"LIMIT {_FIRST_LOOK}")

    def best(self, limit: int | None) -> list[_Found]:
        """The best rows that match; without a limit as many as are counted, and the latest that may be near."""
        which = "s.is_exact" if limit is not None else "s.is_exact OR {near}"
        most = MOST_COUNTED + 1 + MOST_CANDIDATES if limit is None else limit
        by_exact = "s.is_exact DESC, " if limit is None else ""
        return self._rows(which, f"ORDER BY {by_exact}is_whole DESC, day DESC, key DESC LIMIT {most:d}")

    def of_keys(self, keys: Sequence[str]) -> list[_Found]:
        """Rows that match because of their keys."""
        statement = _OF_KEYS.format(**asdict(self._table))
        rows = self._tx.rows(statement, self._tx.shop_id, list(keys), self._whole) if keys else []
        return [_Found(row.is_whole, row.day, row.key, is_exact=True) for row in rows]

    def near(self, rows: Sequence[_Found], exact: Collection[str], limit: int) -> list[Hit]:
        """Those of the rows, at most `limit`, that match with a typing error."""
        found = list[Hit]()
        for row in rows:
            if len(found) == limit:
                break
            if row.key not in exact and self._query.nearly_matches(row.words, row.long_words):
                found.append(Hit(row.key, is_near=True))
        return found

    def _rows(self, which: str, limit: str) -> list[_Found]:
        """The rows of a condition, in which {near} are those that may match once a typing error is allowed."""
        params = Parameters(self._tx.shop_id)
        exact = condition(self._table, self._query, (), params.name)
        near = self._near(params.name) if "{near}" in which else ""
        statement = _ROWS.format(
            **asdict(self._table), exact=exact, whole=_has("words", self._whole, params.name),
            which=which.format(near=near),
        )  # fmt: skip
        return [build(_Found, row) for row in self._tx.rows(f"{statement} {limit}", *params.values)]

    def _near(self, name: Name) -> str:
        words = sorted(self._query.words, key=len, reverse=True) if self._query.may_be_mistyped else []
        return " AND ".join(_nearly(word, name) for word in words) or "false"


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
FROM (SELECT s.posting_id AS id, s.booking_date AS day FROM posting_search s WHERE s.shop_id = $1 AND ({marked})
      ORDER BY day DESC, id DESC LIMIT {limit} OFFSET {offset}) s
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
    """Ids of the latest postings whose account has this part; no more accounts are opened than it takes."""
    vault = tx.vault()
    params = Parameters(tx.shop_id)
    marked = " OR ".join(
        " AND ".join(_has("account", mark, params.name) for mark in marks)
        for marks in vault.mark_lookups(PARTY_MARKS, account_parts(part))
    )
    found = list[str]()
    for offset, limit in ((0, _OPENED_AT_ONCE), (_OPENED_AT_ONCE, MOST_ACCOUNTS - _OPENED_AT_ONCE)):
        if not marked or len(found) >= MOST_PAYMENTS:
            break
        rows = tx.rows(_MARKED.format(marked=marked, limit=limit, offset=offset), *params.values)
        having = (row.id for row in rows if part in vault.open(POSTING_PARTY, row.sealed))
        found += islice(having, MOST_PAYMENTS - len(found))
        if len(rows) < limit:
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
