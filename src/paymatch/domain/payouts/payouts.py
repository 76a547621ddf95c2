"""Payouts of an account at a provider, taken apart: which movements each one is made of, with rest 0 (D-83)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import Final

from paymatch.domain.payouts.movements import Movement, MovementKind, StatedPayout, combine, distinct

_K = MovementKind
_EVER: Final = datetime(1, 1, 1, tzinfo=UTC)


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
    movements: tuple[Movement, ...] = ()  # one per event of an order, and those of the provider
    is_implied: bool = False  # no file states its amount: it is what its rows leave

    @property
    def rest_minor(self) -> int:
        """What its movements leave unexplained; 0 when the file is complete."""
        return self.carried_in_minor + self.net_minor - self.fee_minor - self.carried_out_minor - self.amount_minor

    @property
    def orders(self) -> int:
        """How many sales it pays."""
        return sum(each.kind is _K.SALE for each in self.movements)

    @property
    def kept_minor(self) -> int:
        """What the provider kept of it: fees of its rows and its own."""
        return self.fee_minor + sum(each.fee_minor for each in self.movements)

    @property
    def is_transfer(self) -> bool:
        """Whether money moves: a period without credit ends without a transfer."""
        return self.amount_minor != 0


def payouts_of(
    movements: Iterable[Movement], stated: Iterable[StatedPayout] = (), *, has_ids: bool | None = None
) -> list[Payout]:
    """The payouts of one account, by day and id, whatever the order of the movements.

    A movement with a payout's id belongs to it. On accounts that are drawn from like a bank account, where movements
    have no such id, a payout takes what came in since the one before; what it leaves is carried out. `has_ids` says
    which of both the account is where `movements` are only some of it.
    """
    by_currency: dict[str, tuple[list[Movement], dict[str, StatedPayout]]] = {}
    for movement in combine(distinct(movements)):
        by_currency.setdefault(movement.currency, ([], {}))[0].append(movement)
    for said in sorted(stated, key=_statement_order):
        by_currency.setdefault(said.currency, ([], {}))[1][said.payout_id] = said
    found: list[Payout] = []
    for currency, (rows, totals) in by_currency.items():
        ids = {each.payout_id for each in rows if each.kind is not _K.PAYOUT and each.payout_id}
        tied = [each for each in rows if each.payout_id and (each.payout_id in ids or each.payout_id in totals)]
        found += _by_id(tied, totals, currency)
        if not (ids or totals if has_ids is None else has_ids):
            found += _by_withdrawal(rows)
        else:
            found += map(
                _alone, _each_payout_once(each for each in rows if each.kind is _K.PAYOUT and each not in tied)
            )
    return sorted(found, key=lambda each: (each.sent_on or date.min, each.currency, each.payout_id))


def _statement_order(said: StatedPayout) -> tuple[date, int, str]:
    return said.sent_on or date.min, said.amount_minor, said.trace_id


def _by_id(rows: Sequence[Movement], totals: dict[str, StatedPayout], currency: str) -> list[Payout]:
    groups: dict[str, list[Movement]] = {payout_id: [] for payout_id in totals}
    for row in rows:
        groups.setdefault(row.payout_id, []).append(row)
    return [_one(payout_id, groups[payout_id], totals.get(payout_id), currency) for payout_id in groups]


def _one(payout_id: str, rows: Sequence[Movement], said: StatedPayout | None, currency: str) -> Payout:
    parts = _in_time([each for each in rows if each.kind not in (_K.PAYOUT, _K.CARRIED_OVER)])
    leaving = [each for each in rows if each.kind is _K.PAYOUT]
    carried = sum(each.net_minor for each in rows if each.kind is _K.CARRIED_OVER)
    net = sum(each.net_minor for each in parts)
    days = [each.payout_date for each in rows if each.payout_date is not None]
    day = max(days, default=None) or max((each.at.date() for each in leaving if each.at), default=None)
    found = Payout(payout_id, currency, 0, net, day, movements=tuple(parts))
    if said is not None:
        left = said.carried_out_minor
        if not left and net < 0 < carried:
            left = -carried  # the debt goes to the next payout
        came = (
            said.carried_in_minor or said.amount_minor + said.fee_minor + left - net
        )  # drawn from what is not in the rows
        return replace(
            found, amount_minor=said.amount_minor, sent_on=said.sent_on or day, carried_in_minor=came,
            carried_out_minor=left, fee_minor=said.fee_minor, trace_id=said.trace_id,
        )  # fmt: skip
    if leaving:
        amount = -sum(each.gross_minor for each in leaving)
        fee = sum(each.fee_minor for each in leaving)
        return replace(found, amount_minor=amount, carried_in_minor=amount + fee - net, fee_minor=fee)
    amount = max(net + carried, 0)  # a sum below zero is no transfer: the next payout pays it
    left = net + carried - amount
    return replace(found, amount_minor=amount, carried_in_minor=carried, carried_out_minor=left, is_implied=not carried)


def _by_withdrawal(rows: Sequence[Movement]) -> list[Payout]:
    found: list[Payout] = []
    carried, parts = 0, list[Movement]()
    leaving = _each_payout_once(each for each in _in_time(rows) if each.kind is _K.PAYOUT)
    others = [each for each in rows if each.kind is not _K.PAYOUT]
    for row in _in_time([*others, *leaving]):
        if row.kind is not _K.PAYOUT:
            if row.kind is not _K.CARRIED_OVER:
                parts.append(row)
            continue
        net = sum(each.net_minor for each in parts)
        left = carried + net + row.net_minor
        found.append(
            Payout(
                row.payout_id or row.provider_id,
                row.currency,
                -row.gross_minor,
                net,
                row.at.date() if row.at else row.payout_date,
                carried,
                left,
                row.fee_minor,
                movements=tuple(parts),
            )
        )
        carried, parts = left, []
    return found


def _each_payout_once(rows: Iterable[Movement]) -> list[Movement]:
    """Rows of one payout as one: one that failed, came back and was sent again is what all of them leave."""
    found: dict[str, Movement] = {}
    for row in rows:
        payout_id = row.payout_id or row.provider_id
        if (first := found.get(payout_id)) is not None:
            row = replace(  # noqa: PLW2901
                first, gross_minor=first.gross_minor + row.gross_minor, fee_minor=first.fee_minor + row.fee_minor
            )
        found[payout_id] = row
    return list(found.values())


def _alone(row: Movement) -> Payout:
    """A payout that a file tells of without its movements: what it takes is carried in."""
    payout_id, day = row.payout_id or row.provider_id, row.payout_date or (row.at.date() if row.at else None)
    amount = -row.gross_minor
    return Payout(payout_id, row.currency, amount, 0, day, amount + row.fee_minor, fee_minor=row.fee_minor)


def _in_time(rows: Sequence[Movement]) -> list[Movement]:
    """By moment; at the same moment what comes in is there before what leaves."""
    return sorted(rows, key=lambda each: (each.at or _EVER, each.kind is _K.PAYOUT, -each.net_minor, each.provider_id))
