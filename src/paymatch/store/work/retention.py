"""Retention of rows: each function deletes at most `limit` rows from before a moment, and returns how many."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from paymatch.store.transactions import ShopTx


def forget_attempts(tx: ShopTx, before: datetime, limit: int) -> int:
    """Logged attempts of callbacks."""
    return tx.run(
        "DELETE FROM callback_attempts a USING (SELECT callback_id, attempt FROM callback_attempts"
        " WHERE shop_id = $1 AND at < $2 ORDER BY at LIMIT $3) old"
        " WHERE a.shop_id = $1 AND a.callback_id = old.callback_id AND a.attempt = old.attempt",
        tx.shop_id,
        before,
        limit,
    )


def forget_test_events(tx: ShopTx, before: datetime, limit: int) -> int:
    """Test callbacks: they belong to no order and no event."""
    return tx.run(
        "DELETE FROM callbacks c USING (SELECT id FROM callbacks WHERE shop_id = $1 AND order_number = ''"
        " AND event_seq IS NULL AND finished_at < $2 ORDER BY id LIMIT $3) old WHERE c.shop_id = $1 AND c.id = old.id",
        tx.shop_id,
        before,
        limit,
    )


def forget_keys(tx: ShopTx, before: datetime, limit: int) -> int:
    """API keys that have been invalid since."""
    return tx.run(
        "DELETE FROM api_keys k USING (SELECT id FROM api_keys WHERE shop_id = $1 AND expires_at < $2 LIMIT $3) old"
        " WHERE k.shop_id = $1 AND k.id = old.id",
        tx.shop_id,
        before,
        limit,
    )


def forget_old_secret(tx: ShopTx, before: datetime, _limit: int) -> int:
    """The signing secret before the present one, once its overlap has ended."""
    return tx.run(
        "UPDATE shops SET webhook_secret_old = '', webhook_secret_old_until = NULL"
        " WHERE shop_id = $1 AND webhook_secret_old_until < $2",
        tx.shop_id,
        before,
    )


def forget_alerts(tx: ShopTx, before: datetime, limit: int) -> int:
    """Alerts that closed automatically. One that a person closed stays, so it is not raised again."""
    return tx.run(
        "DELETE FROM alerts a USING (SELECT id FROM alerts WHERE shop_id = $1 AND resolved_at < $2"
        " AND NOT resolved_by_hand LIMIT $3) old WHERE a.shop_id = $1 AND a.id = old.id",
        tx.shop_id,
        before,
        limit,
    )


_OLD_MAILS: Final = """
SELECT m.id, m.order_number FROM mails m WHERE m.shop_id = $1 AND m.finished_at < $2 AND NOT m.forgotten
   AND NOT EXISTS (SELECT FROM orders o WHERE o.shop_id = $1 AND o.number = m.order_number
                   AND o.status IN ('UNPAID', 'PAID_PARTIAL', 'COLLECTION'))
ORDER BY m.finished_at, m.id LIMIT $3"""


def forget_mails(tx: ShopTx, before: datetime, limit: int) -> int:
    """Address and words of mail that will not be sent any more, and servers' answers about the address.

    While something is open, or in collection, they stay: they document what the customer was sent, and addresses not to
    use. The fact, time, level and fee of a sent mail stay, and so does the number of a refusal.
    """
    old = tx.rows(_OLD_MAILS, tx.shop_id, before, limit)
    if not old:
        return 0
    ids, numbers = [row[0] for row in old], [row[1] for row in old]
    forgotten = tx.run(
        "UPDATE mails SET recipient = '', subject = '', content = '', forgotten = true, error = CASE"
        " WHEN status = 'WITHDRAWN' THEN error ELSE coalesce(substring(error FROM '^[45][0-9]{2}'), '') END"
        " WHERE shop_id = $1 AND id = ANY($2) AND status <> 'PENDING'",
        tx.shop_id,
        ids,
    )
    tx.run(
        "UPDATE reminder_dues SET held = split_part(held, ':', 1) WHERE shop_id = $1 AND order_number = ANY($2)"
        " AND (held LIKE 'address-refused:%' OR held LIKE 'mail not sent:%')",
        tx.shop_id,
        numbers,
    )
    tx.run(
        "DELETE FROM alerts WHERE shop_id = $1 AND kind IN ('mail-refused', 'mail-delayed', 'mail-reported')"
        " AND subject = ANY($2)",
        tx.shop_id,
        ids,
    )
    return forgotten


_OLD_LETTERS: Final = """
SELECT l.id FROM letters l WHERE l.shop_id = $1 AND l.finished_at < $2 AND NOT l.forgotten
   AND NOT EXISTS (SELECT FROM orders o WHERE o.shop_id = $1 AND o.number = l.order_number
                   AND o.status IN ('UNPAID', 'PAID_PARTIAL', 'COLLECTION'))
ORDER BY l.finished_at, l.id LIMIT $3"""


def forget_letters(tx: ShopTx, before: datetime, limit: int) -> int:
    """Address and pages of letters that will not be sent any more, by the same rule as mails."""
    ids = [row[0] for row in tx.rows(_OLD_LETTERS, tx.shop_id, before, limit)]
    if not ids:
        return 0
    tx.run("DELETE FROM alerts WHERE shop_id = $1 AND kind = 'letter-refused' AND subject = ANY($2)", tx.shop_id, ids)
    return tx.run(
        "UPDATE letters SET recipient = '', content = '', forgotten = true, error = '', due_at = NULL"
        " WHERE shop_id = $1 AND id = ANY($2)",
        tx.shop_id,
        ids,
    )


def forget_sandbox_files(tx: ShopTx, before: datetime, limit: int) -> int:
    """Statement files of the simulated bank that were imported, all but its latest."""
    return tx.run(
        "DELETE FROM sandbox_files f USING (SELECT id FROM sandbox_files WHERE shop_id = $1 AND imported_at < $2"
        " AND id <> (SELECT id FROM sandbox_files WHERE shop_id = $1 ORDER BY created_at DESC, id DESC LIMIT 1)"
        " LIMIT $3) old WHERE f.shop_id = $1 AND f.id = old.id",
        tx.shop_id,
        before,
        limit,
    )
