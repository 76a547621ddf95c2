"""Which accounts and days are known whole: gaps and mismatches between statements (DESIGN.md section 5)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import date
from typing import Any

from paymatch.domain.books.completeness import Gap, StatementFacts, gaps_of
from paymatch.domain.postings import PostingSource
from paymatch.domain.shops.shop import Shop
from paymatch.store.database import Database, ShopId, Tx
from paymatch.store.statements import statements as store

AccountKey = tuple[str, str]
"""Account and currency."""


def gaps(tx: Tx, shop_id: ShopId) -> dict[AccountKey, list[Gap]]:
    """What is missing or wrong, per account and currency; accounts that are whole are left out."""
    known = final_statements(store.statements(tx, shop_id))
    found = {key: gaps_of(statements) for key, statements in known.items()}
    return {key: missing for key, missing in found.items() if missing}


def incomplete_days(tx: Tx, shop_id: ShopId) -> frozenset[date]:
    """Days whose bookings may be incomplete on one of the shop's accounts: no reminder goes out on their data."""
    return frozenset(day for missing in gaps(tx, shop_id).values() for gap in missing for day in gap.days())


def check_statements(database: Database, shop: Shop) -> list[dict[str, Any]]:
    """Per account: how many final statements of which days, and what is missing or wrong."""
    shop_id = ShopId(shop.id)
    with database.transaction(shop_id) as tx:
        statements = final_statements(store.statements(tx, shop_id))
    return [_checked(*key, known) for key, known in sorted(statements.items())]


def _checked(account: str, currency: str, known: list[StatementFacts]) -> dict[str, Any]:
    missing = gaps_of(known)
    return {
        "account": account,
        "currency": currency,
        "statements": len(known),
        "firstDate": min(s.first_date for s in known),
        "lastDate": max(s.last_date for s in known),
        "complete": not any(gap.proven for gap in missing),
        "gaps": [
            {"kind": gap.kind, "from": gap.first_date, "to": gap.last_date, "proven": gap.proven, "text": gap.text}
            for gap in missing
        ],
    }


def notes_of_import(tx: Tx, shop_id: ShopId, import_id: str) -> list[str]:
    """What is missing beside the statements of one import, in words."""
    own = store.ids_of_import(tx, shop_id, import_id)
    return [
        f"account {account}: {gap.text}"
        for (account, _), missing in gaps(tx, shop_id).items()
        for gap in missing
        if gap.proven and len(gap.statements) > 1 and own & set(gap.statements)
    ]


def final_statements(rows: Iterable[store.StatementRow]) -> dict[AccountKey, list[StatementFacts]]:
    """What the final statements among the rows say of themselves, per account and currency."""
    found: dict[AccountKey, list[StatementFacts]] = defaultdict(list)
    for row in rows:
        if row.source != PostingSource.FINAL or row.first_date is None or row.last_date is None:
            continue
        name = f"{row.format} {row.sequence or row.statement_id or row.last_date}"
        found[row.account, row.currency].append(
            StatementFacts(
                row.id, row.format, name, row.sequence, row.first_date, row.last_date,
                row.opening_minor, row.closing_minor, frozenset(row.flags),
            )
        )  # fmt: skip
    return found
