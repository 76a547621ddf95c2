"""The installation from the operator's view: shops with their activity, alerts, feeds, the database itself."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from paymatch.domain.shops.alerts import FOR_INFORMATION
from paymatch.store.lists.sorted_lists import AskedPage, ListStatement, PageOfRows, by_text
from paymatch.store.shops.shops import NO_REPLAY
from paymatch.store.transactions import Tx

SHOPS: Final = ListStatement(
    f"""
SELECT s.shop_id, s.shop_id::text AS key, s.name, s.status, s.sandbox, s.country, s.currency FROM shops s
WHERE ($1 = '' OR strpos(lower(s.name), lower($1)) > 0 OR starts_with(s.shop_id::text, lower($1)))
  AND ($2 = '' OR s.status = $2) AND {NO_REPLAY}""",
    usual="name",
    key="key",
    sorts={
        "name": by_text("name"),
        "id": by_text("key"),
        "kind": by_text("listed.sandbox::text"),
        "country": by_text("country"),
        "currency": by_text("currency"),
        "state": by_text("status"),
    },
)
# A separate statement: Citus joins each shop with its local rows, but not a limited page of shops.
_DOING: Final = """
SELECT s.shop_id,
       (SELECT coalesce(sum(t.total), 0)::bigint FROM tallies t
        WHERE t.shop_id = s.shop_id AND starts_with(t.name, 'postings ')) AS postings,
       (SELECT coalesce(sum(t.total), 0)::bigint FROM tallies t
        WHERE t.shop_id = s.shop_id AND t.name = 'callback attempts delivered') AS callbacks,
       (SELECT max(k.last_used_at) FROM api_keys k WHERE k.shop_id = s.shop_id) AS api_used_at,
       (SELECT count(*) FROM alerts a WHERE a.shop_id = s.shop_id AND a.resolved_at IS NULL
        AND a.kind <> ALL($2)) AS alerts
FROM shops s WHERE s.shop_id = ANY($1)"""


def shops(tx: Tx, *, wanted: str, status: str = "", asked: AskedPage) -> PageOfRows[dict[str, Any]]:
    """Shops by name unless they are sorted, whose name holds or whose id begins with `wanted`; `status` "" for all."""
    found = SHOPS.page(tx, asked, wanted, status)
    ids = [row["shop_id"] for row in found.rows]
    doing = {row["shop_id"]: row for row in tx.named(_DOING, ids, list(FOR_INFORMATION))}
    return found.map(lambda row: row | doing[row["shop_id"]])


def counts(tx: Tx, named: Sequence[str]) -> tuple[dict[str, int], dict[str, str]]:
    """(status -> number of shops, id -> name of those shops of `named` that there are).

    `sandbox` means shops with a clock of their own, in any status.
    """
    rows = tx.rows(
        "SELECT CASE WHEN sandbox THEN 'sandbox' ELSE status END AS kind, count(*),"
        " json_object_agg(shop_id, name) FILTER (WHERE shop_id::text = ANY($1)) AS named FROM shops s"
        f" WHERE {NO_REPLAY} GROUP BY 1",
        list(named),
    )
    return {row.kind: row.count for row in rows}, {key: name for row in rows for key, name in (row.named or {}).items()}


def alerts(tx: Tx, limit: int) -> list[dict[str, Any]]:
    """Open alerts of real shops that need a person, by shop and kind, the oldest first.

    Their texts belong to the shop.
    """
    return tx.named(
        "SELECT s.name, s.shop_id, a.kind, count(*) AS open, min(a.created_at) AS since FROM alerts a"
        " JOIN shops s ON s.shop_id = a.shop_id WHERE a.resolved_at IS NULL AND NOT s.sandbox AND s.status <> 'deleted'"
        " AND a.kind <> ALL($2) GROUP BY s.name, s.shop_id, a.kind ORDER BY since LIMIT $1",
        limit,
        list(FOR_INFORMATION),
    )


def health(tx: Tx, stale_since: datetime) -> tuple[dict[str, Any], dict[str, Any]]:
    """(version, size in bytes and connections of the database; connections to banks, stale ones, the oldest fetch)."""
    [row] = tx.named(
        "SELECT current_setting('server_version') AS version, pg_database_size(current_database()) AS bytes,"
        " (SELECT numbackends FROM pg_stat_database WHERE datname = current_database()) AS connections,"
        " count(*) AS feeds, count(*) FILTER (WHERE last_fetched_at < $1) AS stale, min(last_fetched_at) AS oldest"
        " FROM bank_connections",
        stale_since,
    )
    feeds = {"connections": row.pop("feeds"), "stale": row.pop("stale"), "oldest": row.pop("oldest")}
    return row, feeds


def major_and_clock(tx: Tx) -> tuple[int, datetime]:
    """The server's major version, and what its own clock shows: to be compared with ours, never to be written."""
    row = tx.row("SELECT current_setting('server_version_num')::int / 10000, statement_timestamp()")
    assert row is not None
    return row[0], row[1]
