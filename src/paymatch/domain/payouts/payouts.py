"""Payouts of an account at a provider, broken down into their movements with rest 0 (D-83)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import Final

from paymatch.domain.payouts.movements import Movement, MovementKind, StatedPayout, combine, distinct

_K = MovementKind
_EVER: Final = datetime(1, 1, 1, tzinfo=UTC)
TimeKey = tuple[datetime, bool, int, str]


@dataclass(frozen=True, slots=True)
class Payout:
    """One transfer from a provider's account to the shop's bank: `amount = carried in + net - fee - carried out`."""

    payout_id: str
    currency: str
    amount_minor: int
    net_minor: int  # of its movements
    sent_on: date | None = None
    carried_in_minor: int = 0
    carried_out_minor: int = 0
    fee_minor: int = 0  # of the payout itself
    trace_id: str = ""
    gross_minor: int = 0  # customers' payments less refunds
    fees_of_movements_minor: int = 0
    rows: int = 0  # of files with its movements
    orders: int = 0  # sales that it pays
    last_on: date | None = None  # day of its latest movement
    is_implied: bool = False  # no file states its amount: it is computed from its rows

    @property
    def rest_minor(self) -> int:
        """The part that its movements do not explain; 0 when the file is complete."""
        return self.carried_in_minor + self.net_minor - self.fee_minor - self.carried_out_minor - self.amount_minor

    @property
    def kept_minor(self) -> int:
        """The fees of the provider: those of its rows and its own."""
        return self.fee_minor + self.fees_of_movements_minor

    @property
    def is_transfer(self) -> bool:
        """Whether money moves: a period without credit ends without a transfer."""
        return self.amount_minor != 0


@dataclass(slots=True)
class _Sums:
    """The contents of one payout, summed one movement at a time."""

    gross_minor: int = 0
    fee_minor: int = 0
    carried_minor: int = 0
    rows: int = 0
    orders: int = 0
    payout_date: date | None = None
    last_on: date | None = None

    def add(self, movement: Movement) -> None:
        self.see(movement)
        self.gross_minor += movement.gross_minor
        self.fee_minor += movement.fee_minor
        self.rows += movement.rows
        self.orders += movement.kind is _K.SALE
        if movement.at is not None:
            day = movement.at.date()
            self.last_on = max(self.last_on or day, day)

    def see(self, movement: Movement) -> None:
        """Notes the day on which a row says that the payout was sent."""
        if movement.payout_date is not None:
            self.payout_date = max(self.payout_date or movement.payout_date, movement.payout_date)

    @property
    def net_minor(self) -> int:
        return self.gross_minor - self.fee_minor

    def as_payout(self, payout_id: str, currency: str, amount_minor: int, sent_on: date | None) -> Payout:
        """The payout of these movements, without amounts carried in or out."""
        return Payout(
            payout_id, currency, amount_minor, self.net_minor, sent_on, gross_minor=self.gross_minor,
            fees_of_movements_minor=self.fee_minor, rows=self.rows, orders=self.orders, last_on=self.last_on,
        )  # fmt: skip


class PayoutBooks:
    """The payouts of one account in one currency, computed one movement at a time, in any order.

    Memory grows with payouts, not with movements. If an account is drawn from like a bank account, its movements have
    no payout id. A payout then takes what came in since the one before: `withdrawals` are all movements of kind payout
    of such an account, None for one whose movements name their payout.
    """

    def __init__(
        self, currency: str, stated: Iterable[StatedPayout] = (), withdrawals: Iterable[Movement] | None = None
    ) -> None:
        self._currency = currency
        self._totals = {each.payout_id: each for each in sorted(stated, key=_statement_order)}
        self._sums: dict[str, _Sums] = {payout_id: _Sums() for payout_id in self._totals}
        self._leaving: dict[str, Movement] = {}
        self._withdrawals = None if withdrawals is None else sorted(_each_payout_once(withdrawals), key=time_key)
        self._ends = [time_key(each) for each in self._withdrawals or ()]

    def add(self, movement: Movement) -> str:
        """Takes the next movement of `combine`; returns the id of its payout, "" for none."""
        if self._withdrawals is not None:
            return self._add_before_withdrawal(movement)
        payout_id = movement.payout_id
        if movement.kind is _K.PAYOUT:
            payout_id = payout_id or movement.provider_id
            self._leaving[payout_id] = _add_up(self._leaving.get(payout_id), movement)
        elif movement.kind is _K.CARRIED_OVER:
            if payout_id:
                sums = self._sums.setdefault(payout_id, _Sums())
                sums.see(movement)
                sums.carried_minor += movement.net_minor
        elif payout_id:
            self._sums.setdefault(payout_id, _Sums()).add(movement)
            return payout_id
        return ""

    def _add_before_withdrawal(self, movement: Movement) -> str:
        if movement.kind in (_K.PAYOUT, _K.CARRIED_OVER):
            return ""
        place = bisect_left(self._ends, time_key(movement))
        if self._withdrawals is None or place == len(self._withdrawals):
            return ""
        payout_id = _id_of(self._withdrawals[place])
        self._sums.setdefault(payout_id, _Sums()).add(movement)
        return payout_id

    def payouts(self) -> list[Payout]:
        """The payouts of all movements so far."""
        if self._withdrawals is not None:
            return self._by_withdrawal(self._withdrawals)
        found = [self._by_id(payout_id, sums) for payout_id, sums in self._sums.items()]
        return found + [_alone(row) for payout_id, row in self._leaving.items() if payout_id not in self._sums]

    def _by_id(self, payout_id: str, sums: _Sums) -> Payout:
        leaving, said = self._leaving.get(payout_id), self._totals.get(payout_id)
        if leaving is not None:
            sums.see(leaving)
        day = sums.payout_date or (leaving.at.date() if leaving is not None and leaving.at else sums.last_on)
        found, net, carried = sums.as_payout(payout_id, self._currency, 0, day), sums.net_minor, sums.carried_minor
        if said is not None:
            left = said.carried_out_minor
            if not left and net < 0 < carried:
                left = -carried  # the debt goes to the next payout
            came = (
                said.carried_in_minor or said.amount_minor + said.fee_minor + left - net
            )  # drawn from amounts that are not in the rows
            return replace(
                found, amount_minor=said.amount_minor, sent_on=said.sent_on or day, carried_in_minor=came,
                carried_out_minor=left, fee_minor=said.fee_minor, trace_id=said.trace_id,
            )  # fmt: skip
        if leaving is not None:
            amount, fee = -leaving.gross_minor, leaving.fee_minor
            return replace(found, amount_minor=amount, carried_in_minor=amount + fee - net, fee_minor=fee)
        amount = max(net + carried, 0)  # a sum below zero is not a transfer: the next payout pays it
        left = net + carried - amount
        return replace(
            found, amount_minor=amount, carried_in_minor=carried, carried_out_minor=left, is_implied=not carried
        )

    def _by_withdrawal(self, withdrawals: Sequence[Movement]) -> list[Payout]:
        found: list[Payout] = []
        carried = 0
        for row in withdrawals:
            sums = self._sums.get(_id_of(row), _Sums())
            left = carried + sums.net_minor + row.net_minor
            day = row.at.date() if row.at else row.payout_date
            payout = sums.as_payout(_id_of(row), self._currency, -row.gross_minor, day)
            found.append(replace(payout, carried_in_minor=carried, carried_out_minor=left, fee_minor=row.fee_minor))
            carried = left
        return found


def payouts_of(
    movements: Iterable[Movement], stated: Iterable[StatedPayout] = (), *, has_ids: bool | None = None
) -> list[Payout]:
    """The payouts of one account, by day and id, in any order of the movements.

    `has_ids` says whether the account's movements name their payouts, in case `movements` are only some of them.
    """
    by_currency: dict[str, tuple[list[Movement], list[StatedPayout]]] = {}
    for movement in combine(distinct(movements)):
        by_currency.setdefault(movement.currency, ([], []))[0].append(movement)
    for said in stated:
        by_currency.setdefault(said.currency, ([], []))[1].append(said)
    found: list[Payout] = []
    for currency, (rows, totals) in by_currency.items():
        names_payouts = has_ids
        if names_payouts is None:
            names_payouts = bool(totals) or any(each.payout_id for each in rows if each.kind is not _K.PAYOUT)
        leaving = None if names_payouts else [each for each in rows if each.kind is _K.PAYOUT]
        books = PayoutBooks(currency, totals, leaving)
        for each in rows:
            books.add(each)
        found += books.payouts()
    return sorted(found, key=lambda each: (each.sent_on or date.min, each.currency, each.payout_id))


def _statement_order(said: StatedPayout) -> tuple[date, int, str]:
    return said.sent_on or date.min, said.amount_minor, said.trace_id


def _id_of(row: Movement) -> str:
    return row.payout_id or row.provider_id


def _each_payout_once(rows: Iterable[Movement]) -> list[Movement]:
    """Rows of one payout merged: a payout that failed, was returned and sent again is the sum of all of them."""
    found: dict[str, Movement] = {}
    for row in sorted(rows, key=time_key):
        found[_id_of(row)] = _add_up(found.get(_id_of(row)), row)
    return list(found.values())


def _add_up(known: Movement | None, row: Movement) -> Movement:
    """Two rows of one payout as one, at the moment of the earlier."""
    if known is None:
        return row
    first = min(known, row, key=time_key)
    gross, fee = known.gross_minor + row.gross_minor, known.fee_minor + row.fee_minor
    dates = [each.payout_date for each in (known, row) if each.payout_date is not None]
    return replace(first, gross_minor=gross, fee_minor=fee, payout_date=max(dates, default=None))


def _alone(row: Movement) -> Payout:
    """A payout that a file reports without its movements: its amount is carried in."""
    day = row.payout_date or (row.at.date() if row.at else None)
    amount = -row.gross_minor
    return Payout(_id_of(row), row.currency, amount, 0, day, amount + row.fee_minor, fee_minor=row.fee_minor)


def time_key(movement: Movement) -> TimeKey:
    """By moment; at the same moment incoming before outgoing."""
    return movement.at or _EVER, movement.kind is _K.PAYOUT, -movement.net_minor, movement.provider_id
