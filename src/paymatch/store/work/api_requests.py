"""The log of API requests in PostgreSQL; bodies are sealed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

import msgspec

from paymatch.domain.shops.api_requests import ApiRequest, RequestLog, as_text, without_accounts
from paymatch.domain.words.message import as_text as sentence
from paymatch.store.lists.sorted_lists import AskedPage, ListStatement, PageOfRows, by_moment, by_number, by_text
from paymatch.store.sealing import REQUEST_BODY
from paymatch.store.transactions import ShopTx

_ADD: Final = """
INSERT INTO api_requests (shop_id, at, request_id, key_id, method, path, query, order_number, status, elapsed_ms,
                          sent, answered)
SELECT $1, r.* FROM json_to_recordset($2::json) AS r (at timestamptz, request_id text, key_id text, method text,
    path text, query text, order_number text, status integer, elapsed_ms real, sent text, answered text)
ON CONFLICT DO NOTHING"""
_SHOWN: Final = "at, request_id, key_id, method, path, query, order_number, status, elapsed_ms"
REQUESTS: Final = ListStatement(
    f"SELECT {_SHOWN} FROM api_requests WHERE shop_id = $1 AND status BETWEEN $2 AND $3"
    " AND ($4 = '' OR request_id = $4 OR order_number = $4 OR starts_with(path, $4))",
    usual="-at",
    key="request_id",
    sorts={
        "at": by_moment("at", is_filled=True),
        "request": by_text("listed.path || ' ' || listed.method"),
        "order_number": by_text("order_number"),
        "state": by_number("status"),
        "ms": by_number("(1000 * listed.elapsed_ms)::bigint"),
        "key": by_text("key_id"),
        "request_id": by_text("request_id"),
        "query": by_text("query"),
    },
)


def kept_of(tx: ShopTx) -> RequestLog:
    """The shop's setting for keeping requests; OFF for a deleted shop."""
    row = tx.row("SELECT request_log FROM shops WHERE shop_id = $1", tx.shop_id)
    return RequestLog(row[0]) if row else RequestLog.OFF


def add(tx: ShopTx, requests: Sequence[ApiRequest], *, bodies: bool) -> None:
    """Adds requests of one shop, with the bodies of those that were refused if the shop keeps them."""
    vault = tx.vault()

    def seal_body(body: bytes) -> str:
        return vault.seal_once(REQUEST_BODY, as_text(body)) if bodies else ""

    rows = [
        {
            "at": each.at, "request_id": each.id, "key_id": each.key_id, "method": each.method,
            "path": each.path.replace("\x00", ""), "query": without_accounts(each.query),
            "order_number": each.order_number, "status": each.status, "elapsed_ms": each.elapsed_ms,
            "sent": seal_body(each.sent), "answered": seal_body(each.answered),
        }
        for each in requests
    ]  # fmt: skip
    tx.run(
        _ADD, tx.shop_id, msgspec.json.encode(rows, enc_hook=sentence).decode()
    )  # a list per column costs four times as much


def page(tx: ShopTx, *, least: int, most: int, wanted: str, asked: AskedPage) -> PageOfRows[dict[str, Any]]:
    """Requests with a status between `least` and `most`, the latest first unless they are sorted.

    `wanted` is an id, an order's number or what a path begins with.
    """
    return REQUESTS.page(tx, asked, tx.shop_id, least, most, wanted)


def find(tx: ShopTx, request_id: str) -> dict[str, Any] | None:
    """The request with what was sent and answered, opened; None if there is none."""
    rows = tx.named(
        f"SELECT {_SHOWN}, sent, answered FROM api_requests WHERE shop_id = $1 AND request_id = $2",
        tx.shop_id,
        request_id,
    )
    vault = tx.vault()
    return rows[0] | {key: vault.open(REQUEST_BODY, rows[0][key]) for key in ("sent", "answered")} if rows else None


def forget(tx: ShopTx, before: datetime, limit: int) -> int:
    """Forgets requests from before a moment, at most `limit`; how many."""
    return tx.run(
        "DELETE FROM api_requests r USING (SELECT at, request_id FROM api_requests WHERE shop_id = $1 AND at < $2"
        " ORDER BY at LIMIT $3) old WHERE r.shop_id = $1 AND r.at = old.at AND r.request_id = old.request_id",
        tx.shop_id, before, limit,
    )  # fmt: skip
