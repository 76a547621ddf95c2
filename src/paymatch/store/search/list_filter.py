"""A search as a condition of a list."""

from __future__ import annotations

from dataclasses import dataclass

from paymatch.domain.search.query import SearchQuery
from paymatch.store.search.finding import Name, SearchTable, condition


@dataclass(frozen=True, slots=True)
class ListFilter:
    """Rows with these keys; without them (None: there are too many) those whose text matches the query.

    `is_near`: there was no exact hit, and these differ by one typing error.
    """

    table: SearchTable
    query: SearchQuery
    also: tuple[str, ...]
    keys: tuple[str, ...] | None
    is_near: bool = False

    @property
    def is_common(self) -> bool:
        """Whether there are too many to count."""
        return self.keys is None

    def condition(self, key: str, name: Name) -> str:
        """The condition of rows with this key column."""
        if self.keys is not None:
            return f"{key} = ANY({name(list(self.keys))})"
        table, found = self.table, condition(self.table, self.query, self.also, name)
        return f"EXISTS (SELECT FROM {table.name} s WHERE s.shop_id = $1 AND s.{table.key} = {key} AND {found})"
