"""Credits of an explained posting to orders, and why an unclear case needs a person first (D-36, D-94)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from paymatch.domain.advices.advice import DeductionKind
from paymatch.domain.advices.explaining import AdviceLink, Explanation
from paymatch.domain.matching.model import AllocationProposal
from paymatch.domain.money import Currency
from paymatch.domain.orders.fees import PAYOUT_FEES, FeeKind, PayerTerms, is_usual, share_of
from paymatch.domain.words.message import Message, Sum

_SAME_SUM_LINES: Final = 2
"""If only the sum ties an advice to a posting, a single order proves nothing: many cost the same."""


@dataclass(frozen=True, slots=True)
class AdvisedOrder:
    """What crediting needs of an order; amounts in minor units of its currency."""

    number: str
    currency: str
    open_minor: int
    is_closed: bool = False  # cancelled, or no longer the shop's


@dataclass(frozen=True, slots=True)
class AdvisedCredit:
    """The known allocations that explain a posting; `doubt` is empty if no person needs to decide."""

    allocations: tuple[AllocationProposal, ...]
    doubt: Message | str = ""


def credit(
    explained: Explanation,
    order_of: Callable[[Sequence[str]], AdvisedOrder | None],
    currency: str,
    *,
    terms: PayerTerms | None = None,
    discount_basis_points: int = 0,
) -> AdvisedCredit:
    """What the posting credits. `order_of` finds the order that references name, None if none or several.

    `terms` is the known fee of a payer who passes on other people's money; None for a customer.
    """
    credits: dict[str, _Credit] = defaultdict(_Credit)
    orders: dict[str, AdvisedOrder] = {}
    doubt: Message | str = ""
    for each in explained.shares:
        share = each.share
        order = order_of(share.line.references)
        if order is None:
            doubt = doubt or Message("advice-no-order", row=share.line.row, reference=share.line.references[0])
            continue
        orders[order.number] = order
        credits[order.number].add(share.paid_minor, share.withheld_minor, share.kind)
    allocations, own_doubt = _allocate(credits, orders, currency, terms, discount_basis_points)
    doubt = doubt or own_doubt
    lines = sum(each.share.line.gross_minor > 0 for each in explained.shares)
    if not doubt and explained.link is AdviceLink.SUM and lines < _SAME_SUM_LINES:
        doubt = Message("advice-sum-alone")
    if not doubt and not explained.may_decide:
        doubt = Message("advice-unconfirmed")
    return AdvisedCredit(allocations, doubt)


_STRICTEST: Final = (DeductionKind.DISCOUNT, DeductionKind.OTHER, DeductionKind.FEE)


@dataclass(slots=True)
class _Credit:
    paid_minor: int = 0
    withheld_minor: int = 0
    kinds: set[DeductionKind] = field(default_factory=set)

    def add(self, paid_minor: int, withheld_minor: int, kind: DeductionKind) -> None:
        self.paid_minor += paid_minor
        self.withheld_minor += withheld_minor
        if withheld_minor:
            self.kinds.add(kind)

    @property
    def kind(self) -> DeductionKind:
        """The kind of deduction; of several kinds, the one that only the shop's own terms allow."""
        return min(self.kinds, key=_STRICTEST.index, default=DeductionKind.OTHER)


def _allocate(
    credits: Mapping[str, _Credit],
    orders: Mapping[str, AdvisedOrder],
    currency: str,
    terms: PayerTerms | None,
    discount_basis_points: int,
) -> tuple[tuple[AllocationProposal, ...], Message | str]:
    found: list[AllocationProposal] = []
    doubts: list[Message] = []
    for number in sorted(credits):
        order, each = orders[number], credits[number]
        if order.currency != currency:
            doubts.append(Message("advice-other-currency", order=number, currency=order.currency))
            continue
        if each.paid_minor <= 0:
            doubts.append(Message("advice-credit-note", order=number, amount=Sum(-each.paid_minor, Currency(currency))))
            continue
        kind = _fee_kind(each, terms.kind if terms is not None and terms.is_named else None)
        credited = each.paid_minor + each.withheld_minor
        found.append(AllocationProposal(number, each.paid_minor, credited, each.withheld_minor, kind))
        if order.is_closed:
            doubts.append(Message("advice-closed", order=number))
        elif credited > order.open_minor:
            open_minor = max(order.open_minor, 0)
            doubts.append(Message("advice-too-much", order=number, open=Sum(open_minor, Currency(currency))))
        elif kind is FeeKind.CASH_DISCOUNT and not _is_granted(credited, each.withheld_minor, discount_basis_points):
            doubts.append(
                Message("advice-deduction", order=number, amount=Sum(each.withheld_minor, Currency(currency)))
            )
    return tuple(found), doubts[0] if doubts else _doubt_of_fee(found, terms)


def _doubt_of_fee(found: Sequence[AllocationProposal], terms: PayerTerms | None) -> Message | str:
    """Why a person must confirm the fee that the payer keeps of the whole posting; empty if no one needs to.

    An advice lists the orders, but it is the payer's word: it counts without a person up to what its kind usually
    keeps, or what its confirmed payouts have taught. A customer passes on no money, however he names what he keeps
    (D-94).
    """
    charged = [each for each in found if each.fee_kind in PAYOUT_FEES]
    if not charged:
        return ""
    withheld, gross = (sum(each.withheld_minor for each in charged), sum(each.credited_minor for each in charged))
    orders = len(charged)
    tariffs = terms.tariffs if terms is not None else None
    is_first = tariffs is None or tariffs.for_orders(orders) is None
    if terms is not None and terms.is_named and is_first and is_usual(terms.kind, gross, orders, withheld, terms.unit):
        return ""
    if terms is None or tariffs is None:
        return Message("kept-confirm", share=share_of(withheld, gross))
    if terms.is_in_tariff(gross, orders, withheld):
        return ""
    return Message("kept-unlike-before", share=share_of(withheld, gross))


def _fee_kind(each: _Credit, of_payer: FeeKind | None) -> FeeKind | None:
    """A discount belongs to the customer; an unnamed deduction by a carrier or marketplace is its fee."""
    if not each.withheld_minor:
        return None
    if each.kind is DeductionKind.DISCOUNT:
        return FeeKind.CASH_DISCOUNT
    if each.kind is DeductionKind.FEE:
        return of_payer or FeeKind.COMMISSION
    return of_payer or FeeKind.CASH_DISCOUNT


def _is_granted(credited: int, withheld: int, discount_basis_points: int) -> bool:
    """True if the shop grants a cash discount of this size; the odd cent is rounding."""
    return withheld > 0 and (withheld - 1) * 10_000 < credited * discount_basis_points
