"""The final statements of an account in their places: which of them show different payments (D-81)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Final

from paymatch.domain.books.overlap import Extent, Stretch, newly_apart, stretches
from paymatch.store.statements import statements as store
from paymatch.store.transactions import ShopId, ShopTx

_AHEAD: Final = timedelta(days=60)
"""Days are looked at one after the other: some more are read at once."""


class AccountPlaces:
    """The places of an account's final statements around the days that are looked at, however many years it has."""

    def __init__(self, tx: ShopTx, shop: ShopId, account: str, currency: str, without: str = "") -> None:
        self._tx, self._shop, self._account, self._currency = tx, shop, account, currency
        self._without = without
        self._days: tuple[date, date] | None = None
        self._known: Mapping[str, Stretch] = {}

    def cover(self, first: date, last: date) -> bool:
        """Reads the statements of these days. Whether places are new: none of before is comparable with them then."""
        if self._days is not None:
            if self._days[0] <= first and last <= self._days[1]:
                return False
            first, last = min(first, self._days[0]), max(last, self._days[1])
        self._days = first - _AHEAD, last + _AHEAD
        rows = store.near(self._tx, self._account, self._currency, *self._days)
        self._known = _stretches_of([row for row in rows if row.import_id != self._without])
        return True

    def get(self, statement_id: str) -> Stretch | None:
        """The place of a statement; None if it proves nothing."""
        return self._known.get(statement_id)


class Places:
    """The accounts of one computation; statements of the import `without` are left out."""

    def __init__(self, tx: ShopTx, shop: ShopId, *, without: str = "") -> None:
        self._tx, self._shop, self._without = tx, shop, without
        self._accounts: dict[tuple[str, str], AccountPlaces] = {}

    def of(self, account: str, currency: str) -> AccountPlaces:
        """Those of an account."""
        key = account, currency
        if key not in self._accounts:
            self._accounts[key] = AccountPlaces(self._tx, self._shop, *key, self._without)
        return self._accounts[key]


def turned_by(tx: ShopTx, import_id: str) -> list[str]:
    """Statements of other imports that show other payments than each other only because of what this import proves."""
    found: list[str] = []
    own = [(row, extent) for row in store.of_import(tx, import_id) if (extent := row.extent) is not None]
    for account, currency in {(row.account, row.currency) for row, _ in own}:
        extents = [extent for row, extent in own if (row.account, row.currency) == (account, currency)]
        of_account = store.near(tx, account, currency, *_days_of(extents))
        others = [row for row in of_account if row.import_id != import_id]
        if others:
            found += newly_apart(_stretches_of(others), _stretches_of(of_account))
    return sorted(found)


def _days_of(extents: Sequence[Extent]) -> tuple[date, date]:
    return min(extent.first_date for extent in extents), max(extent.last_date for extent in extents)


def _stretches_of(rows: list[store.StatementRow]) -> dict[str, Stretch]:
    return stretches({row.id: extent for row in rows if (extent := row.extent) is not None})
