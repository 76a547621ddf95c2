"""The progress of a shop's setup, read in one statement, and the few facts that only setup records."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from paymatch.store.transactions import ShopTx

_FACTS: Final = """
SELECT s.setup_skipped AS skipped, s.trial_mail_at, s.live_at, s.mail_from AS sender,
       s.reply_to <> '' OR s.contact_email <> '' AS takes_answers,
       s.accent <> '' OR EXISTS (SELECT FROM shop_logos l WHERE l.shop_id = $1) AS has_look,
       EXISTS (SELECT FROM bank_accounts b WHERE b.shop_id = $1 AND b.confirmed) AS has_account,
       EXISTS (SELECT FROM connectors c WHERE c.shop_id = $1) AS has_connector,
       (SELECT count(*) FROM (SELECT FROM orders o WHERE o.shop_id = $1 LIMIT 1001) few) AS orders,
       (SELECT count(*) FROM (SELECT FROM postings p WHERE p.shop_id = $1 LIMIT 1001) few) AS postings,
       (SELECT count(*) FROM (SELECT FROM orders o WHERE o.shop_id = $1 AND o.status = 'PAID' LIMIT 1001) few)
           AS paid_orders
FROM shops s WHERE s.shop_id = $1"""


def facts(tx: ShopTx) -> dict[str, Any]:
    """The present data. Counts end at 1001."""
    row = tx.row(_FACTS, tx.shop_id)
    assert row is not None, "the shop of the visit is there"
    return dict(row._asdict())


def set_skipped(tx: ShopTx, steps: list[str]) -> None:
    """Stores the skipped steps."""
    tx.run("UPDATE shops SET setup_skipped = $2 WHERE shop_id = $1", tx.shop_id, steps)


def set_trial_mail(tx: ShopTx, at: datetime) -> None:
    """Records that a test mail was accepted."""
    tx.run("UPDATE shops SET trial_mail_at = $2 WHERE shop_id = $1", tx.shop_id, at)


def set_live(tx: ShopTx, at: datetime) -> bool:
    """Marks the shop as live; False if it already was."""
    return bool(tx.run("UPDATE shops SET live_at = $2 WHERE shop_id = $1 AND live_at IS NULL", tx.shop_id, at))
