"""Alerts about tables that wait for a person's answer: whether one is a statement, and its account (D-82)."""

from __future__ import annotations

from datetime import datetime

from paymatch.domain.shops.alerts import AlertKind
from paymatch.domain.shops.shop import Shop
from paymatch.domain.words.message import Message
from paymatch.store.database import Database
from paymatch.store.work import alerts


def raise_table_question(
    database: Database, shop: Shop, file: str, question: Message, clock: datetime, *, identity: str
) -> None:
    """Raises the alert that a file waits for an answer, once for each file by its identity."""
    with database.of_shop(shop, at=clock) as tx:
        said = Message("alert-table-question", file=file, what=question)
        alerts.add(tx, AlertKind.TABLE_QUESTION, _subject(identity), said, shop.now(clock))


def settle_table_question(database: Database, shop: Shop, clock: datetime, *, identity: str) -> None:
    """Closes the alert about a file that is imported."""
    with database.of_shop(shop, at=clock) as tx:
        alerts.resolve_about(tx, _subject(identity), shop.now(clock))


def _subject(identity: str) -> str:
    return f"table {identity}"
