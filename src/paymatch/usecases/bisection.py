"""Batches in which a failing item stops only itself: the others are processed, and an alert is raised.

Transient errors are not an item's fault and are raised: another transaction has a lock, or the database is down.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Final, TypeVar

import structlog

from paymatch.domain.shops.alerts import AlertKind
from paymatch.domain.words.message import Message
from paymatch.store.database import Database
from paymatch.store.shops import shops
from paymatch.store.transactions import ShopId, ShopTx, passes
from paymatch.store.work import alerts

_ERROR_KEPT: Final = 300

Item = TypeVar("Item")
Result = TypeVar("Result")

_log = structlog.get_logger("paymatch.isolation")


def process_bisecting(
    items: Sequence[Item], together: Callable[[Sequence[Item]], Result], failed: Callable[[Item, Exception], None]
) -> list[Result]:
    """Returns the results of `together` for all items; if it raises, for halves of them, down to single failing items.

    `together` is its own transaction or savepoint, so a failed call has changed nothing. An item that fails alone is
    passed to `failed` with its error.
    """
    if not items:
        return []
    try:
        return [together(items)]
    except Exception as error:
        if passes(error):
            raise
        if len(items) == 1:
            failed(items[0], error)
            return []
    middle = len(items) // 2
    return process_bisecting(items[:middle], together, failed) + process_bisecting(items[middle:], together, failed)


def raise_item_alert(tx: ShopTx, item: Message, error: Exception, now: datetime) -> None:
    """Raises the alert about an item, `posting pst_1` for example, and logs its error."""
    _log.error("item failed", shop=str(tx.shop_id), item=str(item), exc_info=error)
    words = " ".join(f"{type(error).__name__}: {error}".replace("\x00", "\ufffd").split())[:_ERROR_KEPT]
    alerts.add(tx, AlertKind.ITEM_FAILED, str(item), Message("alert-item-failed", item=item, error=words), now)


def tell_alone(database: Database, shop_id: ShopId, item: Message, error: Exception, clock: datetime) -> None:
    """As `tell`, in its own transaction; further work must not depend on it, so it never raises."""
    try:
        with database.of_shop(shop_id, at=clock) as tx:
            shop = shops.load(tx)
            if shop is not None:
                raise_item_alert(tx, item, error, shop.now(clock))
    except Exception:
        _log.exception("alert could not be raised", shop=str(shop_id), item=str(item))
