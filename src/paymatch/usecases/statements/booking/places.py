"""The final statements of an account in their places: which of them show different payments (D-81)."""

from __future__ import annotations

from collections.abc import Mapping

from paymatch.domain.books.overlap import Stretch, stretches, turned
from paymatch.store.database import ShopId, Tx
from paymatch.store.statements import statements as store

_AccountKey = tuple[str, str]


class Places:
    """The places of final statements, read account by account; those of the import `without` are left out."""

    def __init__(self, tx: Tx, shop: ShopId, *, without: str = "") -> None:
        self._tx, self._shop, self._without = tx, shop, without
        self._known: dict[_AccountKey, Mapping[str, Stretch]] = {}

    def of(self, account: str, currency: str) -> Mapping[str, Stretch]:
        """By the id of the statement."""
        found = self._known.get((account, currency))
        if found is None:
            rows = store.statements(self._tx, self._shop, account)
            found = _placed([row for row in rows if row.currency == currency and row.import_id != self._without])
            self._known[account, currency] = found
        return found


def turned_by(tx: Tx, shop: ShopId, import_id: str) -> list[str]:
    """Statements of other imports that show other payments than each other only because of what this import proves."""
    found: list[str] = []
    rows = store.statements(tx, shop)
    for key in {(row.account, row.currency) for row in rows if row.import_id == import_id}:
        of_account = [row for row in rows if (row.account, row.currency) == key]
        with_it = _placed(of_account)
        without = _placed([row for row in of_account if row.import_id != import_id])
        found += turned(without, with_it)
    return sorted(found)


def _placed(rows: list[store.StatementRow]) -> dict[str, Stretch]:
    return stretches({row.id: extent for row in rows if (extent := row.extent) is not None})
