"""Remittance advices as lists show them: with the postings that each one explains, read in one statement."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Final

from paymatch.store.messages import recall
from paymatch.store.rows import build
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
SELECT * FROM listed WHERE ($2 = '' OR state = $2) AND ($3 = '' OR id < $3) AND ($4 = '' OR id = $4)
  AND ($5 = '' OR digest = $5)
  AND ($6 = '' OR strpos(lower(concat_ws(' ', payer, number, file_name, sender, id)), lower($6)) > 0)
ORDER BY id DESC LIMIT $7::bigint"""


def list_advices(
    tx: ShopTx,
    *,
    state: str = "",
    before: str = "",
    advice: str = "",
    digest: str = "",
    search: str = "",
    limit: int | None = None,
) -> list[ListedAdvice]:
    """Advices, the latest first: of a state, before an advice in the list, of an id, of a file, with these words."""
    return [
        build(ListedAdvice, row, without="problem_message", problem=recall(row.problem, row.problem_message))
        for row in tx.rows(_LISTED, tx.shop_id, state, before, advice, digest, search, limit)
    ]  # fmt: skip


def of_posting(tx: ShopTx, posting: str) -> list[tuple[str, str]]:
    """(id, sender, number or file's name) of the advices that explain a posting."""
    rows = tx.rows(
        "SELECT a.id, coalesce(nullif(a.payer, ''), nullif(a.number, ''), a.file_name) FROM advised_postings x"
        " JOIN advices a ON a.shop_id = $1 AND a.id = ANY(string_to_array(x.advice_ids, ' '))"
        " WHERE x.shop_id = $1 AND x.posting_id = $2 ORDER BY a.id",
        tx.shop_id, posting,
    )  # fmt: skip
    return [(row[0], row[1]) for row in rows]
