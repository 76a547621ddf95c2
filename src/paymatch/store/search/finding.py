"""Orders and postings that a query finds: one pass over the folded texts, exactly or with one typing error."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from paymatch.domain.search.query import LEAST_OF_ACCOUNT, Chunk, SearchQuery
from paymatch.domain.search.typing_errors import halves, may_be_mistyped
from paymatch.store.sealing import PARTY_MARKS, POSTING_ACCOUNT_END, POSTING_PARTY
from paymatch.store.search.posting_texts import account_parts
from paymatch.store.transactions import ShopId, ShopTx

MOST_CANDIDATES: Final = 5_000
"""Rows, the latest, of which it is checked whether they differ by one typing error."""
MOST_PAYMENTS: Final = 500
_SHORT: Final = 2
"""A word of so few characters is looked for at the beginning of words only."""


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
    """The best exact hits with how many there are in all, and behind them those with a typing error."""

    exact: tuple[Hit, ...]
    whole: int
    near: tuple[Hit, ...] = ()


Name = Callable[[Any], str]
"""Keeps a value for a statement, and gives its placeholder."""


class Parameters:
    """Values of a statement that is put together; the shop is always $1."""

    def __init__(self, shop: ShopId) -> None:
        self.values: list[Any] = [shop]

    def name(self, value: Any) -> str:
        """How the statement names this value, which is kept for it."""
        self.values.append(value)
        return f"${len(self.values)}"


def condition(table: SearchTable, query: SearchQuery, also: Sequence[str], name: Name) -> str:
    """The condition of the rows `s` that have what is looked for, or one of the keys `also`."""
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


_FIND: Final = """
WITH found AS MATERIALIZED (
    SELECT s.{key} AS key, s.{day} AS day, {exact} AS is_exact, {whole} AS is_whole,
        CASE WHEN NOT {exact} THEN s.words END AS words, CASE WHEN NOT {exact} THEN s.long_words END AS long_words
    FROM {table} s WHERE s.shop_id = $1 AND ({exact} OR {near}))
SELECT * FROM (SELECT key, is_exact, is_whole, '' AS words, '' AS long_words,
        (SELECT count(*) FROM found WHERE is_exact) AS whole
    FROM found WHERE is_exact ORDER BY is_whole DESC, day DESC, key DESC LIMIT {limit}) exact
UNION ALL
SELECT * FROM (SELECT key, is_exact, false, words, long_words, 0
    FROM found WHERE NOT is_exact ORDER BY day DESC, key DESC LIMIT {candidates}) near"""


def hits(tx: ShopTx, table: SearchTable, query: SearchQuery, also: Sequence[str], limit: int) -> Hits:
    """The rows that match exactly, those with the whole number first, then the latest; at most `limit` with near ones.

    One pass over the table finds both: what matches, and what may match once a typing error is allowed.
    """
    params = Parameters(tx.shop_id)
    near_words = sorted(query.words, key=len, reverse=True) if query.may_be_mistyped else []
    statement = _FIND.format(
        key=table.key, day=table.day, table=table.name, candidates=MOST_CANDIDATES,
        exact=condition(table, query, also, params.name),
        whole=_has("words", f" {query.number or ''.join(query.words)} ", params.name),
        near=" AND ".join(_nearly(word, params.name) for word in near_words) or "false",
        limit=params.name(limit),
    )  # fmt: skip
    exact, near, whole = list[Hit](), list[Hit](), 0
    for row in tx.rows(statement, *params.values):
        if row.is_exact:
            exact.append(Hit(row.key, is_whole=row.is_whole))
            whole = row.whole
        elif len(exact) + len(near) < limit and query.nearly_matches(row.words, row.long_words):
            near.append(Hit(row.key, is_near=True))
    return Hits(tuple(exact), whole, tuple(near))


def _nearly(word: str, name: Name) -> str:
    """What a row has that has the word with one typing error: one half of it where a word begins or ends."""
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


def paid_from(tx: ShopTx, query: SearchQuery) -> list[str]:
    """Ids of the latest postings whose other side's account is, or contains, the query's account."""
    if not query.account:
        return []
    vault = tx.vault()
    ends = vault.lookups(POSTING_ACCOUNT_END, query.account[-LEAST_OF_ACCOUNT:])
    if query.is_whole_account:
        rows = tx.rows(
            "SELECT id FROM postings WHERE shop_id = $1 AND counterparty_account_end = ANY($2)"
            " AND counterparty_account_end <> '' AND counterparty_iban = ANY($3)"
            " ORDER BY booking_date DESC, id DESC LIMIT $4",
            *(tx.shop_id, ends, vault.lookups(POSTING_PARTY, query.account), MOST_PAYMENTS),
        )
        return [row.id for row in rows]
    params = Parameters(tx.shop_id)
    marked = [
        " AND ".join(_has("account", mark, params.name) for mark in marks)
        for marks in vault.mark_lookups(PARTY_MARKS, account_parts(query.account))
    ]
    if len(query.account) == LEAST_OF_ACCOUNT:
        known = "SELECT id FROM postings WHERE shop_id = $1 AND counterparty_account_end <> ''"
        marked.append(f"s.posting_id IN ({known} AND counterparty_account_end = ANY({params.name(ends)}))")
    if not marked:
        return []
    rows = tx.rows(
        "SELECT p.id, p.counterparty_iban FROM posting_search s JOIN postings p ON p.shop_id = $1"
        f" AND p.id = s.posting_id WHERE s.shop_id = $1 AND ({' OR '.join(marked)})"
        f" ORDER BY s.booking_date DESC, s.posting_id DESC LIMIT {MOST_CANDIDATES}",
        *params.values,
    )
    found = [row.id for row in rows if query.account in vault.open(POSTING_PARTY, row.counterparty_iban)]
    return found[:MOST_PAYMENTS]


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
