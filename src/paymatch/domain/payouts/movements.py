"""A settlement file's content: movements of the account at a payment service or marketplace (D-83)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date, datetime
from enum import StrEnum
from typing import Final, TypeVar

from paymatch.domain.refusal import Refused
from paymatch.domain.words.message import Message

C = TypeVar("C", date, datetime)


class MovementKind(StrEnum):
    """The kind of a row in a settlement file."""

    SALE = "sale"
    REFUND = "refund"
    CHARGEBACK = "chargeback"
    CHARGEBACK_REVERSED = "chargeback reversed"
    FEE = "fee"  # of the provider, for no single order: gross 0
    ADJUSTMENT = "adjustment"
    RESERVE_HELD = "reserve held"
    RESERVE_RELEASED = "reserve released"
    CONVERSION = "conversion"
    PAYOUT = "payout"  # leaves the account: net below 0
    CARRIED_OVER = "carried over"


OF_ORDERS: Final = (
    MovementKind.SALE,
    MovementKind.REFUND,
    MovementKind.CHARGEBACK,
    MovementKind.CHARGEBACK_REVERSED,
)
"""Kinds that move an order; the first one present gives a group its kind."""

RANK: Final = {kind: place for place, kind in enumerate(MovementKind)} | {
    MovementKind.CHARGEBACK: 1,
    MovementKind.REFUND: 2,  # also called a chargeback by reports that know only the sign
}


class Half(StrEnum):
    """Which of two rows of a transaction this is, if a provider reports each transaction twice."""

    NONE = ""
    EVENT = "event"  # when it happened
    PAYOUT = "payout"  # when it was paid out


class MovementContradiction(Refused):
    """Two rows give one transaction different amounts."""

    def __init__(self, transaction: str, row: int) -> None:
        super().__init__(Message("movement-other-amounts", row=row, transaction=transaction))
        self.transaction = transaction


@dataclass(frozen=True, slots=True)
class Movement:
    """One row of a settlement file, or all rows of one event of an order put together by `combine`.

    Amounts are in minor units of the account's currency, positive when money comes to the merchant. The net amount is
    always gross less fee.
    """

    kind: MovementKind
    currency: str
    gross_minor: int
    fee_minor: int = 0  # kept by the provider; negative when it refunds a fee
    provider_id: str = ""  # the provider's transaction id: the same in all of its reports and downloads
    group: str = ""  # rows of one event of one order share it; "" for an event of one row
    payment_id: str = ""  # the provider's id of the customer's payment: its refunds and chargebacks name it, too
    payment_alias: str = ""  # another id of the same payment, if the row names two
    order_reference: str = ""  # as the shop gave it to the provider
    marketplace_number: str = ""
    text: str = ""  # description, which may name the order
    original_minor: int | None = None  # the customer's payment, if in another currency than the account's
    original_currency: str = ""
    payout_id: str = ""
    payout_date: date | None = None
    at: datetime | None = None  # aware; None if the file does not say
    row: int = 0  # first row in the file, counted from 1
    report: str = ""  # name of the layout
    rows: int = 1
    half: Half = Half.NONE
    is_by_sign: bool = False  # only the sign of its amount shows its kind

    @property
    def net_minor(self) -> int:
        """The change of the account's balance."""
        return self.gross_minor - self.fee_minor

    @property
    def payment_ids(self) -> tuple[str, ...]:
        """The provider's ids of the customer's payment, each once."""
        return tuple(dict.fromkeys(each for each in (self.payment_id, self.payment_alias) if each))


@dataclass(frozen=True, slots=True)
class StatedPayout:
    """The file's totals of a payout: `amount = carried in + net of its rows - fee - carried out`."""

    payout_id: str
    currency: str
    amount_minor: int  # 0 where the period ended without a transfer
    sent_on: date | None = None
    carried_in_minor: int = 0  # below 0: debt of earlier periods
    carried_out_minor: int = 0  # below 0: debt that the next period pays
    fee_minor: int = 0  # of the payout itself
    trace_id: str = ""  # reference of the transfer, if it differs from the payout's id
    row: int = 0


def same_movement(one: Movement, other: Movement) -> Movement:
    """Two records of one transaction merged: each adds what the other lacks, in any order.

    MovementContradiction if their amounts differ.
    """
    if one.half is not other.half:  # a deduction is certain once it is paid out
        fee = one.fee_minor if one.half is Half.PAYOUT else other.fee_minor
        one, other = replace(one, fee_minor=fee), replace(other, fee_minor=fee)
    if (one.currency, one.gross_minor, one.fee_minor) != (other.currency, other.gross_minor, other.fee_minor):
        raise MovementContradiction(other.provider_id, other.row)
    payment = _fuller(one.payment_id, other.payment_id)
    sure = [each.kind for each in (one, other) if not each.is_by_sign] or [one.kind, other.kind]
    return replace(
        one,
        kind=min(sure, key=RANK.__getitem__),
        half=max(one.half, other.half),
        is_by_sign=one.is_by_sign and other.is_by_sign,
        group=max(one.group, other.group),
        payment_id=payment,
        payment_alias=max({*one.payment_ids, *other.payment_ids} - {payment}, key=_fullness, default=""),
        order_reference=_fuller(one.order_reference, other.order_reference),
        marketplace_number=_fuller(one.marketplace_number, other.marketplace_number),
        text=_fuller(one.text, other.text),
        original_minor=_known_sum(one.original_minor, other.original_minor),
        original_currency=_fuller(one.original_currency, other.original_currency),
        payout_id=max(one.payout_id, other.payout_id),
        payout_date=_latest(one.payout_date, other.payout_date),
        at=_earliest(one.at, other.at),
        row=min(one.row, other.row),
        report=min(one.report, other.report),
    )


def distinct(movements: Iterable[Movement]) -> list[Movement]:
    """Each transaction once, in the order of first appearance; a row without an id is always separate."""
    known: dict[tuple[str, str], Movement] = {}
    for place, movement in enumerate(movements):
        key = (movement.currency, movement.provider_id or f"\0{place}")
        known[key] = same_movement(known[key], movement) if key in known else movement
    return list(known.values())


def combine(movements: Iterable[Movement]) -> list[Movement]:
    """Rows of one event of one order put together; all others as they are.

    Reports that describe the same event in different rows are not added up: the first report by name counts.
    """
    groups: dict[tuple[str, str], list[Movement]] = {}
    for place, movement in enumerate(movements):
        groups.setdefault((movement.currency, movement.group or f"\0{place}"), []).append(movement)
    return [combined for rows in groups.values() for combined in _combine(rows)]


def _combine(rows: list[Movement]) -> list[Movement]:
    if len(rows) == 1:
        return rows
    report = min(each.report for each in rows)
    rows = [each for each in rows if each.report == report]
    if not any(each.kind in OF_ORDERS for each in rows):
        return rows
    first = min(rows, key=lambda each: (RANK[each.kind], each.row, each.provider_id))
    return [
        replace(
            first,
            gross_minor=sum(each.gross_minor for each in rows),
            fee_minor=sum(each.fee_minor for each in rows),
            order_reference=max((each.order_reference for each in rows), key=_fullness),
            marketplace_number=max((each.marketplace_number for each in rows), key=_fullness),
            row=min(each.row for each in rows),
            rows=len(rows),
        )
    ]


def _fullness(text: str) -> tuple[int, str]:
    return len(text), text


def _fuller(one: str, other: str) -> str:
    return max(one, other, key=_fullness)


def _known_sum(one: int | None, other: int | None) -> int | None:
    return one if other is None else other if one is None else min(one, other)


def _latest(one: C | None, other: C | None) -> C | None:
    return one if other is None else other if one is None else max(one, other)


def _earliest(one: C | None, other: C | None) -> C | None:
    return one if other is None else other if one is None else min(one, other)
