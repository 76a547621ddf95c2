"""Evidence of the amount: how the received amount fits an order's open amount, with fees, discounts and rates."""

from __future__ import annotations

from collections.abc import Sequence

from paymatch.domain.matching.model import ShopFacts
from paymatch.domain.matching.prepare import OrderView, PostingView
from paymatch.domain.matching.text.names import Likeness, best_likeness, has_surname
from paymatch.domain.matching.weigh.amounts import (
    Fit,
    Terms,
    charges_of,
    in_posting_currency,
    instructed_minor,
    no_rate,
    relate,
    relate_equal,
    relate_exchanged,
    relate_instructed,
    relate_unexchanged,
)
from paymatch.domain.money import Currency, digits_of
from paymatch.domain.orders.fees import FeeKind, PayerTerms
from paymatch.domain.witnesses import Witness


class AmountFinder:
    """Compares amounts by the terms of one shop."""

    __slots__ = ("shop", "units")

    def __init__(self, shop: ShopFacts) -> None:
        self.shop = shop
        self.units: dict[str, int] = {}

    def unit(self, currency: str) -> int:
        """Minor units in one of the currency."""
        unit = self.units.get(currency)
        if unit is None:
            unit = self.units[currency] = int(10 ** digits_of(Currency(currency)))
        return unit

    def due(self, view: PostingView, order: OrderView) -> tuple[int, int] | None:
        """(open, total) in the posting's currency; None if the order is in another one and has no rate."""
        facts = order.facts
        if facts.currency == view.currency:
            return order.open, facts.amount_minor
        due = in_posting_currency(view.posting, facts, order.open)
        total = in_posting_currency(view.posting, facts, facts.amount_minor)
        return None if due is None or total is None else (due, total)

    def fit(self, view: PostingView, order: OrderView, due: tuple[int, int] | None) -> Fit:
        """How the amount fits the order; `due` is (open, total) in the posting's currency, None without a rate."""
        paid = abs(view.amount)
        fit = self._exchanged_fit(view, order, due) if order.facts.currency != view.currency else None
        if fit is None:
            assert due is not None, "only amounts of another currency have no rate"
            fit = relate_equal(paid, due[0], due[1]) or relate(paid, due[0], due[1], self._terms(view, order))
        return fit

    def _terms(self, view: PostingView, order: OrderView) -> Terms:
        payer = self.payer_terms(view, (order,)) if view.collective and self.passes_on(view, order) else None
        borne, charges = self.shop.fee_tolerance_minor, charges_of(view.posting)
        accepted, offers = self.accepts(view, charges), order.offers_in(view.currency)
        day = view.posting.booking_date
        return Terms(self.unit(view.currency), view.signals, charges, borne, payer, accepted, offers, day)

    def accepts(self, view: PostingView, charges: int) -> bool:
        """True if stated charges need no person: a provider's of any size, a bank's within the limit (D-84)."""
        by_provider = view.posting.charges_by is Witness.PROVIDER
        return by_provider or self.shop.charge_limit.allows(abs(view.amount) + charges, charges)

    def passes_on(self, view: PostingView, order: OrderView) -> bool:
        """True if the payer is not the customer: customers called `Kurier Huber GmbH` or Eva Post keep no fee."""
        likeness = best_likeness(view.payers, order.names)
        if likeness is not Likeness.PART:
            return likeness < Likeness.PART
        is_company = any(payer.company for payer in view.payers) and not any(name.company for name in order.names)
        return is_company or not has_surname(view.payers, order.names)

    def payer_terms(self, view: PostingView, orders: Sequence[OrderView]) -> PayerTerms:
        """The known fee of this posting's payer, if it passes on the money of these orders' customers."""
        on_delivery = all(order.facts.type == "COD" for order in orders)
        kind = view.fee_kind or (FeeKind.DELIVERY_FEE if on_delivery else FeeKind.COMMISSION)
        named, charges = view.fee_kind is not None, view.posting.charges_minor
        if not self.accepts(view, charges):
            charges = 0
        unit, collects = self.unit(view.currency), all(_collects(kind, order) for order in orders)
        return PayerTerms(kind, unit, view.tariffs, view.stated_fee, charges, named, collects)

    def grants(self, orders: Sequence[OrderView], missing: int) -> bool:
        """True if the shop grants this much of the orders' totals as cash discount, rounded order by order."""
        total = sum(order.facts.amount_minor for order in orders)
        return (missing - len(orders)) * 10_000 < total * self.shop.discount_basis_points

    def _exchanged_fit(self, view: PostingView, order: OrderView, due: tuple[int, int] | None) -> Fit | None:
        """How the amount fits an order in another currency; None if it is to be compared at the order's rate."""
        facts = order.facts
        base = order.open if order.open > 0 else facts.amount_minor
        sent = instructed_minor(view.posting, view.amount, facts.currency)
        if sent is not None:
            terms = Terms(self.unit(facts.currency), view.signals)
            return relate_instructed(sent, order.open, facts.amount_minor, terms)
        if due is None:
            same = abs(view.amount) * self.unit(facts.currency) == base * self.unit(view.currency)
            return relate_unexchanged(no_rate(view.currency, facts.currency), same_figure=same)
        return relate_exchanged(abs(view.amount), *due)


def _collects(kind: FeeKind, order: OrderView) -> bool:
    """True if a payer who keeps this kind of fee collects the money of such orders."""
    if kind is FeeKind.DELIVERY_FEE:
        return order.facts.type == "COD"
    return kind is not FeeKind.COMMISSION or bool(order.facts.marketplace_number) or order.facts.in_collection
