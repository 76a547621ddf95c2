"""Remittance advices for lists, with the postings that each one explains, read in one statement."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from paymatch.store.lists.sorted_lists import AskedPage, ListStatement, PageOfRows, by_day, by_id, by_number, by_text
from paymatch.store.messages import recall
from paymatch.store.transactions import ShopTx


@dataclass(frozen=True, slots=True)
class ListedAdvice:
    """An advice without its lines; `state`: unreadable, waiting, suggested or matched."""

    id: str
    digest: str
    place: int
    file_name: str
    format: str
    channel: str
    received_on: date
    currency: str
    paid_minor: int
    line_count: int
    number: str
    payer: str
    day: date | None
    problem: str
    postings: str  # ids, separated by blanks
    state: str
    sender: str  # of the mail that brought it
    sender_proof: str


_LISTED: Final = """
WITH explained AS (
  SELECT said.id, string_agg(p.id, ' ' ORDER BY p.id) AS postings, bool_and(p.status = 'matched') AS is_done
  FROM advised_postings x JOIN postings p ON p.shop_id = $1 AND p.id = x.posting_id
  CROSS JOIN LATERAL unnest(string_to_array(x.advice_ids, ' ')) said(id)
  WHERE x.shop_id = $1 GROUP BY said.id),
listed AS (
  SELECT a.id, a.digest, a.place, a.file_name, a.format, a.channel, a.received_on, a.currency, a.paid_minor,
    a.line_count, a.number, a.payer, a.day, a.problem, a.problem_message, coalesce(e.postings, '') AS postings,
    CASE WHEN a.facts = '' THEN 'unreadable' WHEN e.id IS NULL THEN 'waiting' WHEN e.is_done THEN 'matched'
      ELSE 'suggested' END AS state, a.sender, a.sender_proof
  FROM advices a LEFT JOIN explained e ON e.id = a.id WHERE a.shop_id = $1)
SELECT * FROM listed WHERE ($2 = '' OR state = $2) AND ($3 = '' OR id = $3) AND ($4 = '' OR digest = $4)
  AND ($5 = '' OR strpos(lower(concat_ws(' ', payer, number, file_name, sender, id)), lower($5)) > 0)"""
ADVICES: Final = ListStatement(
    _LISTED,
    usual="-id",
    currency="currency",
    amount="paid_minor",
    sorts={
        "id": by_id(),
        "sender": by_text("coalesce(nullif(listed.payer, ''), listed.file_name)"),
        "number": by_text("number"),
        "day": by_day("day"),
        "came": by_day("received_on"),
        "by": by_text("channel"),
        "file": by_text("file_name"),
        "postings": by_text("postings"),
        "orders": by_number("line_count"),
        "amount": by_number("paid_minor"),
        "currency": by_text("currency"),
        "state": by_text("state"),
    },
)


def list_advices(tx: ShopTx, *, advice: str = "", digest: str = "") -> list[ListedAdvice]:
    """All advices, the latest first: of an id, of a file."""
    rows = tx.named(f"{_LISTED} ORDER BY id DESC", tx.shop_id, "", advice, digest, "")
    return [_advice_of(row) for row in rows]


def page(tx: ShopTx, *, state: str = "", search: str = "", asked: AskedPage) -> PageOfRows[ListedAdvice]:
    """A page of advices, the latest first unless they are sorted: of a state, with these words."""
    return ADVICES.page(tx, asked, tx.shop_id, state, "", "", search).map(_advice_of)


def _advice_of(columns: dict[str, Any]) -> ListedAdvice:
    problem = recall(columns["problem"], columns.pop("problem_message"))
    return ListedAdvice(**columns | {"problem": problem})


def of_posting(tx: ShopTx, posting: str) -> list[tuple[str, str]]:
    """(id, sender, number or file's name) of the advices that explain a posting."""
    rows = tx.rows(
        "SELECT a.id, coalesce(nullif(a.payer, ''), nullif(a.number, ''), a.file_name) FROM advised_postings x"
        " JOIN advices a ON a.shop_id = $1 AND a.id = ANY(string_to_array(x.advice_ids, ' '))"
        " WHERE x.shop_id = $1 AND x.posting_id = $2 ORDER BY a.id",
        tx.shop_id, posting,
    )  # fmt: skip
    return [(row[0], row[1]) for row in rows]
