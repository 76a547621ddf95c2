"""Effects of a provider's movement on an order: stated by the provider, never guessed (D-36, D-80, D-83)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from paymatch.domain.payouts.movements import OF_ORDERS, Movement, MovementKind
from paymatch.domain.witnesses import Witness, may_state_money

_NUMBER: Final = re.compile(r"[^\s,;:()\"']{1,64}")
_HAS_DIGIT: Final = re.compile(r"\d")
_MARKS: Final = re.compile(r"[\W_]+")
_MIN_SPELLING: Final = 3


class OrderMoveKind(StrEnum):
    """What happens to the order."""

    CREDIT = "credit"  # paid by its customer; the fee is withheld
    REFUND = "refund"  # a refund that was executed elsewhere
    CHARGE_BACK = "charge back"  # a returned payment: unpaid again, with an alert
    RESTORE = "restore"  # a chargeback was won: paid again


_MOVES: Final[Mapping[MovementKind, OrderMoveKind]] = {
    MovementKind.SALE: OrderMoveKind.CREDIT,
    MovementKind.REFUND: OrderMoveKind.REFUND,
    MovementKind.CHARGEBACK: OrderMoveKind.CHARGE_BACK,
    MovementKind.CHARGEBACK_REVERSED: OrderMoveKind.RESTORE,
}


@dataclass(frozen=True, slots=True)
class ProviderOrder:
    """The facts of an order that a plan needs."""

    order_number: str
    currency: str


@dataclass(frozen=True, slots=True)
class OrderMove:
    """One change of an order's ledger; amounts are positive, `kind` says the direction.

    `amount_minor` is in the order's currency: the customer's payment or refund. `withheld_minor` is the fee in the
    account's currency: below 0 when the provider refunded it.
    """

    kind: OrderMoveKind
    order_number: str
    currency: str
    amount_minor: int
    withheld_minor: int
    movement: Movement
    is_automatic: bool = True  # False: a person confirms it first


def numbers_in(movement: Movement) -> tuple[str, ...]:
    """Sources of the order's number, best first: the shop's own reference, then words of the description."""
    return tuple(dict.fromkeys(number for numbers in _numbers_by_rank(movement) for number in numbers))


def _numbers_by_rank(movement: Movement) -> Iterator[list[str]]:
    """Numbers that may be the order's, most certain first: the reference, with or without `#`, words of the text."""
    reference = movement.order_reference.strip()
    if reference:
        yield [reference]
        yield _other_forms(reference)
    words = [each.strip("#.") for each in _NUMBER.findall(movement.text) if _HAS_DIGIT.search(each)]
    words = [each for each in words if each]
    yield words
    yield [f"#{each}" for each in words if each[0].isdigit()]


def _other_forms(reference: str) -> list[str]:
    """Shop systems show a number with a `#` that they do not always pass on."""
    bare = reference.lstrip("#")
    if bare != reference:
        return [bare] if bare else []
    return [f"#{reference}"] if reference[0].isdigit() else []


def spelling_of(number: str) -> str:
    """The normal form of a number: `so 101` and `SO-101` are `SO101`; "" for too short a number."""
    plain = _MARKS.sub("", number).upper()
    return plain if len(plain) >= _MIN_SPELLING and _HAS_DIGIT.search(plain) else ""


def also_spelled_otherwise(by_number: Mapping[str, ProviderOrder], wanted: Iterable[str]) -> dict[str, ProviderOrder]:
    """Also the orders whose numbers differ only in marks and case from the wanted ones; never one of several."""
    alike: dict[str, set[str]] = {}
    for number in by_number:
        alike.setdefault(spelling_of(number), set()).add(number)
    found = dict(by_number)
    for number in wanted:
        numbers = alike.get(spelling_of(number), set()) if spelling_of(number) else set()
        if number not in found and len(numbers) == 1:
            found[number] = by_number[next(iter(numbers))]
    return found


def plan_order_moves(
    movements: Iterable[Movement],
    by_number: Mapping[str, ProviderOrder],
    by_marketplace_number: Mapping[str, ProviderOrder] | None = None,
    witness: Witness = Witness.PROVIDER,
    booked: Mapping[str, ProviderOrder] | None = None,
) -> list[OrderMove]:
    """The moves of all movements whose order is known; the provider's own movements do not affect orders.

    `movements` come from `combine`. A refund without a number belongs to the order whose payment it names; `booked`
    maps payments to their matched orders. A number that several orders have must not be in the mappings. A file from an
    untrusted channel cannot prove amounts: its moves wait for a person.
    """
    marketplace = by_marketplace_number or {}
    of_orders = [each for each in movements if each.kind in OF_ORDERS]
    named = [_order_of(each, by_number, marketplace) for each in of_orders]
    paid = dict(booked or {}) | {
        each.payment_id: order
        for each, order in zip(of_orders, named, strict=True)
        if each.payment_id and order is not None
    }
    found: list[OrderMove] = []
    for movement, its_own in zip(of_orders, named, strict=True):
        order = its_own or paid.get(movement.payment_id)
        if order is None:
            continue
        amount = _amount_in(movement, order.currency)
        if amount is None:
            continue
        move = OrderMove(
            _MOVES[movement.kind],
            order.order_number,
            order.currency,
            abs(amount),
            movement.fee_minor,
            movement,
            may_state_money(witness) and _points_right_way(movement),
        )
        found.append(move)
    return found


def _order_of(
    movement: Movement, by_number: Mapping[str, ProviderOrder], by_marketplace_number: Mapping[str, ProviderOrder]
) -> ProviderOrder | None:
    """The one order that the best kind of number names; None if there are several.

    A column of order numbers may hold the shop's or the marketplace's: only the orders tell which.
    """
    marketplace = by_marketplace_number.get(movement.marketplace_number) if movement.marketplace_number else None
    if marketplace is not None:
        return marketplace
    for numbers in _numbers_by_rank(movement):
        named = (known.get(each) for each in numbers for known in (by_number, by_marketplace_number))
        orders = {order.order_number: order for order in named if order is not None}
        if orders:
            return next(iter(orders.values())) if len(orders) == 1 else None
    return None


def _amount_in(movement: Movement, currency: str) -> int | None:
    """The customer's payment in the order's currency; None if the file does not state it in that currency."""
    if movement.original_currency == currency and movement.original_minor is not None:
        return movement.original_minor
    return movement.gross_minor if movement.currency == currency else None


def _points_right_way(movement: Movement) -> bool:
    """Sales and won chargebacks bring money, the others take it; a row against its kind is left to a person."""
    brings = movement.kind in {MovementKind.SALE, MovementKind.CHARGEBACK_REVERSED}
    return movement.gross_minor > 0 if brings else movement.gross_minor < 0
