"""Alerts for people: a list of open and past ones, and which of the named things still exist."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from paymatch.domain.words.message import said_today
from paymatch.store.lists.sorted_lists import AskedPage, ListStatement, PageOfRows, by_moment, by_text
from paymatch.store.transactions import ShopTx

_ASKED: Final = """
FROM alerts WHERE shop_id = $1 AND ($2::timestamptz IS NULL OR resolved_at IS NULL OR resolved_at >= $2)
  AND ($3 = '' OR id = $3 OR strpos(lower(text || ' ' || subject), lower($3)) > 0)"""

_ROWS: Final = f"""
SELECT id, kind, subject, text, code, named, created_at, resolved_at, resolved_by_hand {_ASKED}
  AND ($4 = '' OR kind = $4) AND ($5::boolean IS NULL OR (resolved_at IS NULL) = $5)
"""
ALERTS: Final = ListStatement(
    _ROWS,
    usual="-open_first",
    sorts={
        "open_first": by_moment(
            "CASE WHEN listed.resolved_at IS NULL THEN listed.created_at + interval '1000 years'"
            " ELSE listed.created_at END",
            is_filled=True,
        ),
        "id": by_text("id"),
        "kind": by_text("kind"),
        "text": by_text("text"),
        "about": by_text("subject"),
        "since": by_moment("created_at"),
        "until": by_moment("resolved_at"),
        "state": by_text("(listed.resolved_at IS NULL)::text"),
        "subject": by_text("subject"),
    },
)

_COUNTED: Final = f"SELECT kind, resolved_at IS NULL AS open, count(*) AS alerts {_ASKED} GROUP BY 1, 2"

_EXISTING: Final = """
SELECT 'order' AS what, number AS name FROM orders WHERE shop_id = $1 AND number = ANY($2)
UNION ALL SELECT 'posting', id FROM postings WHERE shop_id = $1 AND id = ANY($2)
UNION ALL SELECT 'import', id FROM imports WHERE shop_id = $1 AND id = ANY($2)
UNION ALL SELECT 'callback', id FROM callbacks WHERE shop_id = $1 AND id = ANY($2)
UNION ALL SELECT 'mail', id FROM mails WHERE shop_id = $1 AND id = ANY($2)
UNION ALL SELECT 'letter', id FROM letters WHERE shop_id = $1 AND id = ANY($2)
UNION ALL SELECT 'synchronisation', id FROM order_syncs WHERE shop_id = $1 AND id = ANY($2)
UNION ALL SELECT 'connector', name FROM connectors WHERE shop_id = $1 AND name = ANY($2)"""


def list_alerts(
    tx: ShopTx, since: datetime | None, search: str, kind: str, asked: AskedPage, *, is_open: bool | None
) -> PageOfRows[dict[str, Any]]:
    """Alerts, open ones first unless sorted, each half latest first.

    `since`: those that are or were open after it. `search` is part of the English text or the subject, or the id. None
    or "" asks for all.
    """
    found = ALERTS.page(tx, asked, tx.shop_id, since, search, kind, is_open)
    return found.map(lambda row: row | {"text": said_today(row["text"], row["code"], row["named"])})


_NAMING: Final = """
SELECT id, kind, subject, text, code, named, created_at, resolved_at, resolved_by_hand FROM alerts
WHERE shop_id = $1 AND resolved_at IS NULL AND (cardinality($3::text[]) = 0 OR kind = ANY($3))
  AND (cardinality($2::text[]) = 0 OR EXISTS (
      SELECT FROM unnest($2::text[]) w(name) WHERE strpos(text || ' ' || subject, w.name) > 0))
ORDER BY created_at DESC, id DESC LIMIT $4"""


def open_naming(tx: ShopTx, names: Sequence[str], kinds: Sequence[str], limit: int) -> list[dict[str, Any]]:
    """Open alerts of one of the kinds with one of the names in text or subject; none given asks for all."""
    rows = tx.named(_NAMING, tx.shop_id, list(names), list(kinds), limit)
    return [row | {"text": said_today(row["text"], row["code"], row["named"])} for row in rows]


def count_by_kind(tx: ShopTx, since: datetime | None, search: str) -> dict[tuple[str, bool], int]:
    """(kind, whether open) -> number of alerts; filtered as in `listed`."""
    return {(row.kind, row.open): row.alerts for row in tx.rows(_COUNTED, tx.shop_id, since, search)}


def existing_subjects(tx: ShopTx, names: Sequence[str]) -> set[tuple[str, str]]:
    """(kind, id or number) of the shop's orders, postings, imports ... with these names."""
    return {(row.what, row.name) for row in tx.rows(_EXISTING, tx.shop_id, list(names))} if names else set()
