"""Completeness of accounts and days: gaps and mismatches between statements (docs/statements.md)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from datetime import date
from typing import Any

from paymatch.domain.books.completeness import Gap, StatementFacts, gaps_of, proved_by, wrong_sums
from paymatch.domain.books.overlap import stretches
from paymatch.domain.shops.shop import Shop
from paymatch.domain.words.message import Message
from paymatch.store.database import Database
from paymatch.store.statements import postings as posting_store
from paymatch.store.statements import statements as store
from paymatch.store.transactions import ShopTx

AccountKey = tuple[str, str]
"""Account and currency."""


def gaps(tx: ShopTx) -> dict[AccountKey, list[Gap]]:
    """Gaps and faults per account and currency; complete accounts are left out."""
    found = gaps_of_accounts(tx, final_statements(store.statements(tx)))
    return {key: missing for key, missing in found.items() if missing}


def gaps_of_accounts(
    tx: ShopTx, known: Mapping[AccountKey, Sequence[StatementFacts]], beside: Set[str] | None = None
) -> dict[AccountKey, list[Gap]]:
    """Gaps in these statements, and postings that do not add up to the proof by balances.

    With `beside` sums are only proved on days of these statements, so a file does not depend on everything ever booked.
    """
    found = {key: gaps_of(statements) for key, statements in known.items()}
    proved = {key: proved_by(statements, found[key]) for key, statements in known.items()}
    if beside is not None:
        for key, statements in known.items():
            days = [(each.first_date, each.last_date) for each in statements if each.id in beside]
            proved[key] = [
                each for each in proved[key] if any(a <= each.last_date and b >= each.first_date for a, b in days)
            ]
    spans = {
        key: (min(each.first_date for each in own), max(each.last_date for each in own))
        for key, own in proved.items()
        if own
    }
    for key, booked in posting_store.final_sums(tx, spans).items():
        found[key] = [*found[key], *wrong_sums(known[key], proved[key], booked, key[1])]
    return found


class KeptGaps:
    """The gaps of one shop, computed again only after an import or an undo: nothing else changes them."""

    def __init__(self) -> None:
        self._known: tuple[object, dict[AccountKey, list[Gap]]] | None = None

    def gaps(self, tx: ShopTx) -> Mapping[AccountKey, Sequence[Gap]]:
        """Gaps and faults per account and currency, as `gaps` finds them."""
        state = store.state_of_imports(tx)
        known = self._known
        if known is None or known[0] != state:
            known = self._known = state, gaps(tx)
        return known[1]

    def incomplete_days(self, tx: ShopTx) -> dict[str, frozenset[date]]:
        """Currency -> days whose bookings may be incomplete on one of its accounts: no reminder is sent on their data.

        A gap of an account holds the reminders of the orders that are paid in its currency, as what its statements
        cover does. A currency without such days is not named.
        """
        found: dict[str, frozenset[date]] = {}
        for (_, currency), missing in self.gaps(tx).items():
            days = frozenset(day for gap in missing for day in gap.days())
            if days:
                found[currency] = found.get(currency, frozenset()) | days
        return found


def check_statements(database: Database, shop: Shop) -> list[dict[str, Any]]:
    """Per account: number and days of the final statements, gaps and faults."""
    with database.of_shop(shop) as tx:
        statements = final_statements(store.statements(tx))
        missing = gaps_of_accounts(tx, statements)
    return [_check_account(*key, known, missing[key]) for key, known in sorted(statements.items())]


def _check_account(account: str, currency: str, known: list[StatementFacts], missing: list[Gap]) -> dict[str, Any]:
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


def notes_of_import(tx: ShopTx, import_id: str) -> list[Message]:
    """Gaps next to the statements of one import, as text. Statements of other years are not read for it."""
    own = store.of_import(tx, import_id)
    ids = frozenset(row.id for row in own)
    rows = [row for key, days in _days_of(own).items() for row in _beside(tx, key, *days)]
    known = gaps_of_accounts(tx, final_statements(rows), ids)
    return [
        Message("file-account", account=account, what=gap.text)
        for (account, _), missing in known.items()
        for gap in missing
        if gap.proven and len(gap.statements) > 1 and ids & set(gap.statements)
    ]


def _days_of(rows: Iterable[store.StatementRow]) -> dict[AccountKey, tuple[date, date]]:
    """First and last day of the final statements, per account and currency."""
    found: dict[AccountKey, tuple[date, date]] = {}
    for row in sorted(rows, key=lambda row: (row.account, row.currency)):
        if row.extent is not None and row.first_date is not None and row.last_date is not None:
            first, last = found.get((row.account, row.currency), (row.first_date, row.last_date))
            found[row.account, row.currency] = min(first, row.first_date), max(last, row.last_date)
    return found


def _beside(tx: ShopTx, key: AccountKey, first: date, last: date) -> list[store.StatementRow]:
    """The statements of these days, and of the years of the nearest ones before and after."""
    return store.near(tx, *key, *store.nearest(tx, *key, first, last))


def final_statements(rows: Iterable[store.StatementRow]) -> dict[AccountKey, list[StatementFacts]]:
    """The data of the final statements among the rows, per account and currency."""
    by_account: dict[AccountKey, list[store.StatementRow]] = defaultdict(list)
    for row in rows:
        if row.extent is not None:
            by_account[row.account, row.currency].append(row)
    return {key: _facts(of_account) for key, of_account in by_account.items()}


def _facts(rows: Sequence[store.StatementRow]) -> list[StatementFacts]:
    places = stretches({row.id: extent for row in rows if (extent := row.extent) is not None})
    found = []
    for row in rows:
        assert row.first_date is not None
        assert row.last_date is not None, "statements without days have no extent"
        name = f"{row.format} {row.sequence or row.statement_id or row.last_date}"
        found.append(
            StatementFacts(
                row.id, row.format, name, row.sequence, row.first_date, row.last_date,
                row.opening_minor, row.closing_minor, frozenset(row.flags), places[row.id], row.import_id,
            )
        )  # fmt: skip
    return found
