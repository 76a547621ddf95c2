"""The tables of folded texts that searches read, and statements about them that are put together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Final

from paymatch.store.transactions import ShopId


@dataclass(frozen=True, slots=True)
class SearchTable:
    """A table of folded texts."""

    name: str
    key: str
    day: str
    has_accounts: bool = False

    @property
    def names(self) -> dict[str, Any]:
        """What statements call it and its columns."""
        return asdict(self)


ORDERS: Final = SearchTable("order_search", "order_number", "order_date")
POSTINGS: Final = SearchTable("posting_search", "posting_id", "booking_date", has_accounts=True)

Name = Callable[[Any], str]
"""Keeps a value for a statement, and gives its placeholder."""


class Parameters:
    """Values of a statement that is put together; the shop is always $1."""

    def __init__(self, shop: ShopId) -> None:
        self.values: list[Any] = [shop]

    def name(self, value: Any) -> str:
        """How the statement names this value, which is kept for it."""
        self.values.append(value)
        return f"${len(self.values)}"
