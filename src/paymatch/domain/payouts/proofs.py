"""Sums that prove the reading of a settlement file; an unproved reading is refused by row (D-83)."""

from __future__ import annotations

from dataclasses import dataclass

from paymatch.domain.refusal import Refused
from paymatch.domain.words.message import Message


class ReadingUnproved(Refused):
    """The sums of a settlement file contradict its rows; the message names the row."""

    message: Message

    def __init__(self, row: int, reason: Message) -> None:
        super().__init__(Message("file-row", row=str(row), what=reason))
        self.row = row


@dataclass(slots=True)
class RunningBalance:
    """Follows the balances of one currency, whether the file begins with its oldest or its newest row."""

    _first: tuple[int, int] | None = None  # net and balance of the first row
    _last: tuple[int, int] = (0, 0)
    _is_oldest_first: bool = True
    _is_newest_first: bool = True

    def add(self, row: int, net_minor: int, balance_minor: int) -> None:
        """Takes the next row; ReadingUnproved as soon as neither order explains the balances."""
        if self._first is None:
            self._first = (net_minor, balance_minor)
        else:
            net, balance = self._last
            self._is_oldest_first &= balance + net_minor == balance_minor
            self._is_newest_first &= balance - net == balance_minor
            if not self._is_oldest_first and not self._is_newest_first:
                raise ReadingUnproved(row, Message("settlement-balance"))
        self._last = (net_minor, balance_minor)

    @property
    def ends(self) -> tuple[int, int] | None:
        """Balance before the oldest row and after the newest one; None without a row."""
        if self._first is None:
            return None
        oldest, newest = (self._first, self._last) if self._is_oldest_first else (self._last, self._first)
        return oldest[1] - oldest[0], newest[1]


def prove_net(row: int, gross_minor: int, fee_minor: int, net_minor: int) -> None:
    """ReadingUnproved unless the net amount of a row is its gross amount less its fee."""
    if gross_minor - fee_minor != net_minor:
        raise ReadingUnproved(row, Message("settlement-net"))


def prove_total(row: int, what: str, stated_minor: int, summed_minor: int, digits: int = 2) -> None:
    """ReadingUnproved unless the total in this row is the sum of its rows."""
    if stated_minor != summed_minor:
        raise ReadingUnproved(
            row,
            Message(
                "settlement-total", what=what, stated=_plain(stated_minor, digits), added=_plain(summed_minor, digits)
            ),
        )


def _plain(minor: int, digits: int) -> str:
    sign, whole = ("-" if minor < 0 else ""), abs(minor)
    return f"{sign}{whole // 10**digits}.{whole % 10**digits:0{digits}d}" if digits else f"{sign}{whole}"
