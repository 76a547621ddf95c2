"""Alerts about tables that wait for a person's answer: is it a statement, and of which account (D-82)?"""

from __future__ import annotations

from datetime import datetime

from paymatch.domain.shops.alerts import AlertKind
from paymatch.domain.shops.shop import Shop
from paymatch.domain.words.message import Message
from paymatch.store.database import Database, ShopId
from paymatch.store.work import alerts


def raise_table_question(database: Database, shop: Shop, file: str, question: str, clock: datetime) -> None:
    """Raises the alert that a file waits for an answer, once for each file."""
    shop_id = ShopId(shop.id)
    with database.transaction(shop_id) as tx:
        said = Message("alert-table-question", file=file, what=question)
        alerts.add(tx, shop_id, AlertKind.TABLE_QUESTION, _subject(file), said, shop.now(clock))


def settle_table_question(database: Database, shop: Shop, file: str, clock: datetime) -> None:
    """Closes the alert about a file that is imported."""
    shop_id = ShopId(shop.id)
    with database.transaction(shop_id) as tx:
        alerts.resolve_about(tx, shop_id, _subject(file), shop.now(clock))


def _subject(file: str) -> str:
    return f"table {file}"
