"""Effects of a provider's movement on an order: stated by the provider, never guessed (D-36, D-80, D-83)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from paymatch.domain.matching.text.context import FILLERS, Context, context_of
from paymatch.domain.matching.text.normalise import flat
from paymatch.domain.payouts.movements import OF_ORDERS, Movement, MovementKind
from paymatch.domain.payouts.payment_names import OrdersOfPayments
from paymatch.domain.witnesses import Witness, may_state_money

_NUMBER: Final = re.compile(r"[^\s,;:()\"']{1,64}")
_HAS_DIGIT: Final = re.compile(r"\d")
_MARKS: Final = re.compile(r"[\W_]+")
_MIN_SPELLING: Final = 3
_CLEAR: Final = 5


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
    amount_minor: int


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
    is_by_text: bool = False  # only words of a text name the order


def numbers_in(movement: Movement) -> tuple[str, ...]:
    """What may be the order's number, best first: the shop's own reference, then words of the description."""
    ranks = (*_numbers_of_reference(movement), *_numbers_of_text(movement))
    return tuple(dict.fromkeys(number for numbers in ranks for number in numbers))


def _numbers_of_reference(movement: Movement) -> Iterator[list[str]]:
    """Numbers that may be the order's, surest first: the reference as it is, with or without `#`."""
    reference = movement.order_reference.strip()
    if reference:
        yield [reference]
        yield _other_forms(reference)


def _numbers_of_text(movement: Movement) -> Iterator[list[str]]:
    """Words of the text that may be the order's number: of some services the customer types it."""
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
    ids_of_events: Mapping[str, Collection[str]] | None = None,
) -> list[OrderMove]:
    """The moves of all movements whose order is known; the provider's own movements do not affect orders.

    `movements` come from `combine`. A refund without a reference is of the order whose payment it names, not of one
    in its text; `booked` says of payments which order they are matched to, `ids_of_events` with which ids all rows of
    an event name its payment. A number that several orders have must not be in the mappings. A file that did not come
    by a trusted way states no money: its moves wait for a person. So does what only words of the text give to an order,
    unless number and amount fit; and what they take from it, if the row names an unknown payment.
    """
    known = _Orders(by_number, by_marketplace_number or {})
    of_orders = [each for each in movements if each.kind in OF_ORDERS]
    paid = OrdersOfPayments(of_orders, known.of_row, booked or {}, ids_of_events or {})
    found: list[OrderMove] = []
    for movement in of_orders:
        order, is_stated = _order_of(movement, known, paid)
        amount = None if order is None else _amount_in(movement, order.currency)
        if order is None or amount is None:
            continue
        move = OrderMove(
            _MOVES[movement.kind],
            order.order_number,
            order.currency,
            abs(amount),
            movement.fee_minor,
            movement,
            may_state_money(witness)
            and _points_right_way(movement)
            and (is_stated or (_fits_text(movement, order, abs(amount)) and not _names_other_payment(movement))),
            not is_stated,
        )
        found.append(move)
    return found


def hold_uncovered(moves: Iterable[OrderMove], credited: Mapping[str, int]) -> list[OrderMove]:
    """The moves; a person confirms what a text alone takes from an order beyond what the same account credited to it.

    `credited` is order -> minor units in the order's currency; credits among `moves` count as well. Of some services
    the customer writes the text: a word of his must not reverse what another customer paid another way.
    """
    found = list(moves)
    known = dict(credited)
    for move in found:
        if move.kind is OrderMoveKind.CREDIT and move.is_automatic:
            known[move.order_number] = known.get(move.order_number, 0) + move.amount_minor
    return [replace(move, is_automatic=move.is_automatic and not _is_uncovered(move, known)) for move in found]


def _is_uncovered(move: OrderMove, credited: Mapping[str, int]) -> bool:
    takes = move.kind in {OrderMoveKind.REFUND, OrderMoveKind.CHARGE_BACK}
    return takes and move.is_by_text and move.amount_minor > credited.get(move.order_number, 0)


def _names_other_payment(movement: Movement) -> bool:
    """Whether reversed money was of a payment that the row names, and that nothing else knows.

    Some services give a refund a code of its own, which no payment has.
    """
    payment = movement.payment_id
    return not _is_sale(movement) and payment != "" and not f"{movement.provider_id} ".startswith(f"{payment} ")


def _order_of(
    movement: Movement, known: _Orders, paid: OrdersOfPayments[ProviderOrder]
) -> tuple[ProviderOrder | None, bool]:
    """The movement's order, and whether more than words of its text says so."""
    referred, of_payment, in_text = known.of_columns(movement), paid.of(movement), known.in_text(movement)
    stated = referred or (of_payment if in_text is None or not _is_sale(movement) else None)
    return stated or in_text, stated is not None


class _Orders:
    """The orders by their numbers and by those of marketplaces."""

    def __init__(
        self, by_number: Mapping[str, ProviderOrder], by_marketplace_number: Mapping[str, ProviderOrder]
    ) -> None:
        self._by_number, self._by_marketplace_number = by_number, by_marketplace_number

    def of_columns(self, movement: Movement) -> ProviderOrder | None:
        """The order that the columns for numbers name. They may hold the shop's or the marketplace's: only the orders
        tell which."""
        number = movement.marketplace_number
        marketplace = self._by_marketplace_number.get(number) if number else None
        return marketplace or self._one_of(_numbers_of_reference(movement))

    def in_text(self, movement: Movement) -> ProviderOrder | None:
        """The one order that the description names, if no column names several."""
        if any(self._all_of(numbers) for numbers in _numbers_of_reference(movement)):
            return None
        return self._one_of(_numbers_of_text(movement))

    def of_row(self, movement: Movement) -> ProviderOrder | None:
        """The order that the row itself states: by its columns, or a sale by its text."""
        return self.of_columns(movement) or (self._told_by(movement) if _is_sale(movement) else None)

    def _told_by(self, sale: Movement) -> ProviderOrder | None:
        """The order that a sale's text names, if the amount is the order's."""
        order = self.in_text(sale)
        amount = None if order is None else _amount_in(sale, order.currency)
        return order if order and amount is not None and _fits_text(sale, order, abs(amount)) else None

    def _one_of(self, ranks: Iterable[list[str]]) -> ProviderOrder | None:
        """The one order that the best kind of number names; None where that are several."""
        orders = next((found for found in map(self._all_of, ranks) if found), {})
        return next(iter(orders.values())) if len(orders) == 1 else None

    def _all_of(self, numbers: Iterable[str]) -> dict[str, ProviderOrder]:
        named = (known.get(each) for each in numbers for known in (self._by_number, self._by_marketplace_number))
        return {order.order_number: order for order in named if order is not None}


def _is_sale(movement: Movement) -> bool:
    return movement.kind is MovementKind.SALE


def _fits_text(movement: Movement, order: ProviderOrder, minor: int) -> bool:
    """Whether an order that only words of the text name is meant: a sale is of its amount, and a reversal of it
    is no more. Many texts contain a short number (`100 tea bags`), so it has to be the whole text, or the
    text calls it an order's (`Bestellung 1501`)."""
    if _is_sale(movement):
        return minor == order.amount_minor
    spelling = spelling_of(order.order_number)
    is_all = movement.text.strip("# ") == order.order_number.strip("#")
    is_clear = len(spelling) >= _CLEAR or is_all or _is_announced(movement, spelling)
    return is_clear and minor <= order.amount_minor


def _is_announced(movement: Movement, spelling: str) -> bool:
    """Whether a word for orders precedes the number."""
    before = list[str]()
    for word in movement.text.split():
        if spelling and spelling_of(word) == spelling:
            return bool(before) and context_of(before[-1]) is Context.ORDER
        before += [each for each in _MARKS.split(flat(word)) if each and each not in FILLERS]
    return False


def _amount_in(movement: Movement, currency: str) -> int | None:
    """The customer's payment in the order's currency; None if the file does not state it in that currency."""
    if movement.original_currency == currency and movement.original_minor is not None:
        return movement.original_minor
    return movement.gross_minor if movement.currency == currency else None


def _points_right_way(movement: Movement) -> bool:
    """Sales and won chargebacks bring money, the others take it; a row against its kind is left to a person."""
    brings = movement.kind in {MovementKind.SALE, MovementKind.CHARGEBACK_REVERSED}
    return movement.gross_minor > 0 if brings else movement.gross_minor < 0
