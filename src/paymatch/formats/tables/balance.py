"""Opening and closing balance from the balance column of an account export, where the rows prove its order."""

from __future__ import annotations

from datetime import date
from typing import Final

from paymatch.formats.statement import Balance, Entry, EntryStatus

_Point = tuple[int, int, date | None]
_NONE: Final[tuple[Balance, ...]] = ()


class _Turned:
    """Whether every step fits but for the sign of its amount, and whether that is so of some and not of all."""

    def __init__(self) -> None:
        self.fits = True
        self._right = self._wrong = 0

    @property
    def some(self) -> bool:
        return bool(self._right and self._wrong)

    def step(self, minor: int, moved: int) -> None:
        self.fits = self.fits and abs(minor) == abs(moved)
        self._right += minor == moved != 0
        self._wrong += minor == -moved != 0


class BalanceColumn:
    """Follows the running balance. Only if every step fits, oldest or newest row first, it is believed.

    Where every step would fit if some of the amounts had the other sign, the signs are wrong, or missing. If all would
    have to turn, the balances may be those before each row, which says nothing.
    """

    def __init__(self) -> None:
        self._first: _Point | None = None
        self._last: _Point | None = None
        self._ascending = True
        self._descending = True
        self._turned_ascending = _Turned()
        self._turned_descending = _Turned()

    def add(self, entry: Entry, balance: int | None) -> None:
        """Takes the next row in the order of the file. Rows that are not booked do not count."""
        if entry.status is not EntryStatus.BOOKED:
            return
        if balance is None:
            self.break_chain()
            return
        point = (entry.amount_minor, balance, entry.booking_date)
        if self._last is not None:
            self._ascending = self._ascending and self._last[1] + point[0] == balance
            self._descending = self._descending and balance + self._last[0] == self._last[1]
            self._turned_ascending.step(point[0], balance - self._last[1])
            self._turned_descending.step(self._last[0], self._last[1] - balance)
        self._first = self._first or point
        self._last = point

    def break_chain(self) -> None:
        """A row without balance, or an unreadable one: nothing is proven from here on."""
        self._ascending = self._descending = False
        self._turned_ascending.fits = self._turned_descending.fits = False

    @property
    def contradicts(self) -> bool:
        """Whether the balances prove that some amounts have the wrong sign."""
        if self._ascending or self._descending:
            return False
        return any(turned.fits and turned.some for turned in (self._turned_ascending, self._turned_descending))

    def balances(self, currency: str) -> tuple[Balance, ...]:
        """Opening and closing balance; none where the rows do not prove them."""
        if self._first is None or self._last is None or not (self._ascending or self._descending):
            return _NONE
        oldest, newest = (self._first, self._last) if self._ascending else (self._last, self._first)
        return (
            Balance("OPBD", oldest[1] - oldest[0], currency, oldest[2]),
            Balance("CLBD", newest[1], currency, newest[2]),
        )
