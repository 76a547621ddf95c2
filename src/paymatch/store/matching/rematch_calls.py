"""Statements that call open postings to be matched again; $1 is the shop, $2 the moment."""

from __future__ import annotations

from typing import Final

from paymatch.store.key_lookups import row_to_write, rows_by_key, written_by_key

ALL: Final = (
    "UPDATE postings SET rematch_at = $2 WHERE shop_id = $1 AND rematch_at IS NULL"
    " AND status IN ('suggested', 'unmatched') AND (NOT by_hand OR taken_back <> '{}')"
)


_OPEN: Final = "{row}.rematch_at IS NULL AND {row}.status IN ('suggested', 'unmatched')"
_TO_CALL: Final = row_to_write(
    "postings", "id", "w.id", f"{_OPEN.format(row='of_key')} AND (NOT of_key.by_hand OR of_key.taken_back <> '{{}}')"
)


def _call_of(ids: str) -> str:
    """A statement that calls the open ones among these postings, and skips any that is being decided."""
    source = f"(SELECT DISTINCT {ids} ORDER BY 1) w(id) CROSS JOIN {_TO_CALL} p"
    called = written_by_key("postings", "p", source, rematch_at="$2::timestamptz")
    return f"{called} WHERE {_OPEN.format(row='postings')}"


FOR_KEYS: Final = _call_of(
    "k.posting_id FROM unnest($3::bigint[]) w(key),"
    f" {rows_by_key('posting_keys', 'key', 'w.key', 'posting_id', limit='$4')} k"
)
FOR_SUGGESTED: Final = _call_of(
    "s.posting_id FROM unnest($3::text[]) w(number),"
    f" {rows_by_key('suggested_orders', 'order_number', 'w.number', 'posting_id')} s"
)
FOR_RETURNS: Final = _call_of("""
    r.id FROM unnest($3::text[], $4::text[], $5::bigint[], $6::bigint[]) w(account, currency, least, most), LATERAL (
        SELECT x.id FROM postings x WHERE x.shop_id = $1 AND x.account = w.account AND x.currency = w.currency
          AND x.amount_minor BETWEEN w.least AND w.most AND x.is_return AND x.status IN ('suggested', 'unmatched')
        ORDER BY x.amount_minor) r""")
BY_ID: Final = _call_of("unnest($3::text[])")
