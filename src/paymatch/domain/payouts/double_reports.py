"""Providers that report a transaction twice under one code: when it happens, and when it is paid out (D-129)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, timedelta
from typing import Final

from paymatch.domain.payouts.movements import RANK, Half, Movement, MovementKind

_K = MovementKind
_ZONES_APART: Final = timedelta(days=1)
_NO_DAY: Final = date.max - _ZONES_APART


@dataclass(frozen=True, slots=True)
class RowOfCode:
    """A row of a file, which must be of the same code as the others."""

    import_id: str
    place: int
    movement: Movement


@dataclass(frozen=True, slots=True)
class NamedRow:
    """The transaction of a row, and its kind."""

    row: RowOfCode
    transaction: str
    kind: MovementKind


@dataclass(slots=True)
class _Transaction:
    """The rows of one transaction."""

    rows: list[RowOfCode]
    begun: date
    is_paid: bool

    @property
    def gross_minor(self) -> int:
        return self.rows[0].movement.gross_minor

    @property
    def fee_minor(self) -> int:
        return self.rows[0].movement.fee_minor

    @property
    def said_kind(self) -> MovementKind | None:
        """The kind in the rows; None if only the sign shows it."""
        kinds = [each.movement.kind for each in self.rows if not each.movement.is_by_sign]
        return min(kinds, key=RANK.__getitem__) if kinds else None


def name_rows(code: str, rows: Iterable[RowOfCode]) -> list[NamedRow]:
    """The transaction of each row of a code, for any files and any order.

    Equal refunds of one file are several transactions, equal rows of several files are one, and so are equal payments,
    which no customer makes twice under one code. A payout belongs to an earlier event; money that comes in again after
    a sale is a won chargeback.
    """
    transactions = _join_halves(_once(rows))
    found: list[NamedRow] = []
    seen = Counter[str]()
    taken: list[int] = []  # reversed so far and not come in again
    for each in sorted(transactions, key=lambda each: (each.begun, each.gross_minor)):
        plain = f"{code} {_K.SALE}" if each.gross_minor > 0 else f"{code} {_K.REFUND} {each.gross_minor}"
        kind = each.said_kind or _by_sign(each, taken, is_first=not seen[plain])
        if each.gross_minor < 0:
            taken.append(-each.gross_minor)
        elif kind is _K.CHARGEBACK_REVERSED and each.gross_minor in taken:
            taken.remove(each.gross_minor)
        seen[plain] += 1
        name = plain if seen[plain] == 1 else f"{plain} {seen[plain]}"
        found += [NamedRow(row, name, kind) for row in each.rows]
    return found


def _by_sign(each: _Transaction, taken: Collection[int], *, is_first: bool) -> MovementKind:
    """Money in after the sale is a won chargeback, if there was a chargeback; else it moves no order."""
    if each.gross_minor < 0:
        return _K.REFUND
    if is_first:
        return _K.SALE
    return _K.CHARGEBACK_REVERSED if each.gross_minor in taken else _K.ADJUSTMENT


def _once(rows: Iterable[RowOfCode]) -> list[_Transaction]:
    """Each half once, with all its rows."""
    found: dict[tuple[object, ...], list[RowOfCode]] = defaultdict(list)
    counted = Counter[tuple[object, ...]]()
    for row in sorted(rows, key=lambda each: (each.import_id, each.place)):
        movement = row.movement
        when = movement.at if movement.half is Half.EVENT else movement.payout_date
        key = (movement.half, movement.gross_minor, movement.fee_minor, when)
        counted[row.import_id, *key] += 1
        place = 1 if movement.gross_minor > 0 else counted[row.import_id, *key]
        found[*key, place].append(row)
    return [_Transaction(own, _day(own[0].movement), own[0].movement.half is Half.PAYOUT) for own in found.values()]


def _day(movement: Movement) -> date:
    if movement.half is Half.EVENT and movement.at is not None:
        return movement.at.astimezone(UTC).date()
    return movement.payout_date or _NO_DAY


def _join_halves(halves: Sequence[_Transaction]) -> list[_Transaction]:
    """Events with their payouts: the earliest that fits, preferably with the same fee."""
    happened = sorted((each for each in halves if not each.is_paid), key=lambda each: each.begun)
    found = list(happened)
    for paid in sorted((each for each in halves if each.is_paid), key=lambda each: each.begun):
        fits = [
            each
            for each in happened
            if each.gross_minor == paid.gross_minor and not each.is_paid and each.begun <= paid.begun + _ZONES_APART
        ]
        if fits:
            chosen = min(fits, key=lambda each: (each.fee_minor != paid.fee_minor, each.begun))
            chosen.rows += paid.rows
            chosen.is_paid = True
        else:
            found.append(paid)
    return found
