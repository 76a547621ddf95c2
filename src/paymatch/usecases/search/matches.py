"""Search filter for a list of orders or postings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from paymatch.domain.search.query import SearchQuery, read_query
from paymatch.store.search import finding
from paymatch.store.search.finding import Hits, Wanted
from paymatch.store.search.list_filter import ListFilter
from paymatch.store.search.tables import ORDERS, POSTINGS, SearchTable
from paymatch.store.transactions import ShopTx

MOST_NAMED: Final = 20
"""Orders whose number was said, and whose payments are found as well."""
_NAMED: Final = Wanted(MOST_NAMED, enough=0, counted=MOST_NAMED)
LISTED: Final = Wanted(limit=0, enough=1)
"""A list reads what is common directly. Typing errors are looked for only where nothing was found as it was typed."""


def found_orders(tx: ShopTx, query: SearchQuery, wanted: Wanted) -> tuple[Hits, list[str], list[str]]:
    """(orders, ids of postings that were paid from the query's account, numbers of the orders that they pay)."""
    paid = finding.paid_from(tx, query)
    numbers = finding.orders_of(tx, paid)
    return finding.hits(tx, ORDERS, query, numbers, wanted), paid, numbers


def found_postings(
    tx: ShopTx, query: SearchQuery, orders: Hits, paid: Sequence[str], wanted: Wanted
) -> tuple[Hits, list[str]]:
    """(postings, ids of those among them that no text has): paid from the account, or for the order of this number."""
    has_number = any(map(str.isdigit, "".join(query.words)))
    named = [hit.key for hit in orders.exact if hit.is_whole][:MOST_NAMED] if has_number else []
    also = [*paid, *finding.postings_of(tx, named)]
    return finding.hits(tx, POSTINGS, query, also, wanted), also


def listed_orders(tx: ShopTx, text: str) -> ListFilter:
    """What is left of the list of orders."""
    query = read_query(text)
    found, _paid, numbers = found_orders(tx, query, LISTED)
    return _filter(ORDERS, query, found, numbers)


def listed_postings(tx: ShopTx, text: str, amounts: Sequence[int] = ()) -> ListFilter:
    """What is left of a list of postings; those of one of the amounts (`comparable_amount`) in any case."""
    query = read_query(text)
    has_number = any(map(str.isdigit, text))
    orders, paid, _numbers = found_orders(tx, query, _NAMED) if has_number else (Hits((), 0), [], [])
    found, also = found_postings(tx, replace(query, amounts=tuple(amounts)), orders, paid, LISTED)
    return _filter(POSTINGS, query, found, also)


def _filter(table: SearchTable, query: SearchQuery, found: Hits, also: Sequence[str]) -> ListFilter:
    """Few rows are found here, by their keys; of many the list itself finds out which they are, as far as it is read.

    Where nothing is found as it was typed, what differs by a typing error is.
    """
    if found.is_common:
        return ListFilter(table, query, tuple(also), None)
    hits = found.exact or found.near
    return ListFilter(table, query, tuple(also), tuple(hit.key for hit in hits), is_near=bool(hits) and hits[0].is_near)
