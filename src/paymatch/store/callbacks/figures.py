"""Callbacks for people: figures of a shop's receiver, attempts over the day, a list with the last answers."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from paymatch.store.lists.sorted_lists import AskedPage, ListStatement, PageOfRows, by_moment, by_number, by_text
from paymatch.store.messages import recall
from paymatch.store.transactions import ShopTx

_FIGURES: Final = """
WITH waiting AS (
    SELECT queued_at FROM callbacks WHERE shop_id = $1 AND status = 'PENDING'
    UNION ALL SELECT queued_at FROM callbacks WHERE shop_id = $1 AND status IN ('WAITING', 'PAUSED')),
recent AS (SELECT at, elapsed_ms, http_status, error FROM callback_attempts WHERE shop_id = $1 AND at > $2),
success AS (SELECT max(at) AS at FROM callback_attempts WHERE shop_id = $1 AND error = ''),
failing AS (SELECT min(at) AS since, (array_agg(coalesce(http_status::text, '') ORDER BY at DESC))[1] AS answer
            FROM callback_attempts WHERE shop_id = $1 AND at > coalesce((SELECT at FROM success), '-infinity'))
SELECT (SELECT count(*) FROM waiting) AS waiting, (SELECT min(queued_at) FROM waiting) AS oldest,
       (SELECT count(*) FROM callbacks WHERE shop_id = $1 AND status = 'GIVEN_UP') AS given_up,
       (SELECT count(*) FROM recent) AS attempts, (SELECT count(*) FROM recent WHERE error = '') AS delivered,
       (SELECT percentile_disc(0.95) WITHIN GROUP (ORDER BY elapsed_ms) FROM recent
        WHERE http_status IS NOT NULL) AS p95,
       failing.since AS failing_since, failing.answer AS failing_answer,
       s.callbacks_paused_at AS paused_at, s.webhook_secret_old_until AS old_secret_until
FROM shops s, failing WHERE s.shop_id = $1"""

_OVER_TIME: Final = """
SELECT date_bin($4::interval, at, $2) AS begins, count(*) FILTER (WHERE error = '') AS delivered,
       count(*) FILTER (WHERE error <> '') AS failed
FROM callback_attempts WHERE shop_id = $1 AND at >= $2 AND at < $3 GROUP BY 1"""

_ROWS: Final = """
SELECT c.id, c.order_number, coalesce(e.to_status, '') AS became, c.status, c.attempts, c.queued_at, c.due_at,
       c.finished_at, c.last_error, c.last_error_message, a.http_status, a.elapsed_ms
FROM callbacks c LEFT JOIN events e ON e.shop_id = $1 AND e.seq = c.event_seq
LEFT JOIN callback_attempts a ON a.shop_id = $1 AND a.callback_id = c.id AND a.attempt = c.attempts
WHERE c.shop_id = $1 AND (cardinality($2::text[]) = 0 OR c.status = ANY($2::text[]))
  AND ($3 = '' OR c.order_number = $3 OR c.id = $3)"""
CALLBACKS: Final = ListStatement(
    _ROWS,
    usual="-queued_at",
    sorts={
        "order": by_text("order_number"),
        "became": by_text("became"),
        "state": by_text("status"),
        "queued_at": by_moment("queued_at", is_filled=True),
        "attempts": by_number("attempts"),
        "due_at": by_moment("due_at"),
        "answer": by_number("http_status"),
        "id": by_text("id"),
        "last_error": by_text("last_error"),
        "finished_at": by_moment("finished_at"),
    },
)


def figures(tx: ShopTx, since: datetime) -> dict[str, Any]:
    """The states of the shop's callbacks, and its attempts after `since`.

    `failing_since` is the first attempt after the last success, None if the last one succeeded.
    """
    [row] = tx.named(_FIGURES, tx.shop_id, since)
    return row


def attempts_over_time(tx: ShopTx, first: datetime, last: datetime, minutes: int) -> list[dict[str, Any]]:
    """Attempts per span of `minutes`, counted from `first` and before `last`; spans without any are left out."""
    return tx.named(_OVER_TIME, tx.shop_id, first, last, f"{minutes} minutes")


def count_by_status(tx: ShopTx, search: str) -> dict[str, int]:
    """Status -> number of the callbacks that `search` finds, an order's number or a callback's id; "" for all."""
    rows = tx.rows(
        "SELECT status, count(*) AS found FROM callbacks WHERE shop_id = $1"
        " AND ($2 = '' OR order_number = $2 OR id = $2) GROUP BY 1",
        tx.shop_id,
        search,
    )
    return {row.status: row.found for row in rows}


def list_callbacks(tx: ShopTx, statuses: Sequence[str], search: str, asked: AskedPage) -> PageOfRows[dict[str, Any]]:
    """Callbacks, newest first unless sorted, with the result of the last attempt.

    `search` is an order's number or a callback's id, "" for all.
    """
    found = CALLBACKS.page(tx, asked, tx.shop_id, list(statuses), search)
    return found.map(lambda row: row | {"last_error": recall(row["last_error"], row.pop("last_error_message"))})
