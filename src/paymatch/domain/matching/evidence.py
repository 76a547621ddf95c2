"""Evidence: what speaks for and against one order as the target of one posting, in nats with its words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from paymatch.domain.matching.catalogue import (
    DATE_BEFORE,
    DATE_NAMED,
    DATE_OTHER,
    IBAN_KNOWN,
    NAME_CLOSE,
    NAME_EQUAL,
    NAME_FIRST,
    NAME_IN_BOTH,
    NAME_IN_TEXT,
    NAME_OTHER,
    NAME_PART,
    NAME_SURNAME,
    NAME_VARIANT,
    NEAR_NUMBER,
    NUMBER,
    NUMBER_CUSTOMER,
    NUMBER_DAMAGED,
    NUMBER_ITEM,
    NUMBER_SHORT,
    RULE_ALWAYS,
    STATE_CLOSED,
    STATE_SETTLED,
    SURNAME_IN_TEXT,
    TYPE_OTHER,
    Reason,
)
from paymatch.domain.matching.learn import is_always
from paymatch.domain.matching.lookup.keys import SHORT_DIGITS
from paymatch.domain.matching.model import OrderState, ShopFacts
from paymatch.domain.matching.order_view import KeyKind, OrderView
from paymatch.domain.matching.prepare import PostingView
from paymatch.domain.matching.text.context import Context
from paymatch.domain.matching.text.names import (
    MIN_PREFIX,
    Likeness,
    Name,
    best_likeness,
    has_surname,
    one_error,
    words_alike,
)
from paymatch.domain.matching.text.normalise import canonical
from paymatch.domain.matching.text.numbers import MIN_DIGITS, Form
from paymatch.domain.matching.text.payment_words import COMPANY_FORMS, rare_words
from paymatch.domain.matching.text.reading import Number, is_inner
from paymatch.domain.matching.weigh.ages import age_reason
from paymatch.domain.matching.weigh.amounts import (
    Fit,
    Grade,
    Terms,
    charges_of,
    relate,
    relate_equal,
    relate_exchanged,
    relate_instructed,
    relate_unexchanged,
)
from paymatch.domain.matching.weigh.exchange import in_posting_currency, instructed_minor, no_rate
from paymatch.domain.matching.weigh.numbers import digit_weight, is_foreign, number_weight
from paymatch.domain.money import Currency, digits_of
from paymatch.domain.orders.fees import FeeKind, PayerTerms
from paymatch.domain.witnesses import Witness
from paymatch.domain.words.message import Message

FUTURE_SLACK_DAYS: Final = 3
"""A customer cannot pay before ordering; bank and shop may disagree about midnight and weekends."""


_NAME_REASONS: Final = {
    Likeness.OTHER: NAME_OTHER.reason(),
    Likeness.SURNAME: NAME_SURNAME.reason(),
    Likeness.PART: NAME_PART.reason(),
    Likeness.CLOSE: NAME_CLOSE.reason(),
    Likeness.VARIANT: NAME_VARIANT.reason(),
    Likeness.EQUAL: NAME_EQUAL.reason(),
}
_SETTLED: Final = STATE_SETTLED.reason()
_CLOSED: Final = STATE_CLOSED.reason()
_BEFORE: Final = DATE_BEFORE.reason()
STRONG_NUMBER: Final = 6.0
WEAK_NUMBER: Final = 4.0
FOREIGN_LETTERS: Final = 5.0
USER_NAME_LENGTH: Final = 6


_NUMBERS: Final = {
    (kind, form): NUMBER[kind.name.lower(), form.name.lower()]
    for kind in KeyKind
    if kind < KeyKind.CUSTOMER
    for form in Form
}


class Candidate:
    """One order as the target of one posting, with its evidence."""

    number: Number | None = None
    kind = KeyKind.ITEM
    form = Form.TAIL
    number_weight = 0.0
    customer_weight = 0.0
    item_weight = 0.0
    damaged = False
    dated = False  # its date is in the text
    rate_known = True  # the order is in the posting's currency, or a rate is known
    completed = False  # named by a suffix only, which counts together with others
    user_name = False  # the customer's user name is in the text
    customer_number = ""  # as it was found: a number or user name of the customer
    name_in_text = False
    own_likeness = Likeness.UNKNOWN  # of the payer's name alone, whatever the text says
    likeness = Likeness.UNKNOWN
    named: bool  # a number of this very order was found, well enough to count
    sampled = False  # one of very many orders that only the amount found
    outlasted = False  # awaits no money, and was found by what finds open orders
    score = 0.0
    fit: Fit
    grade: Grade

    def __init__(self, order: OrderView) -> None:
        self.order = order
        self.reasons: list[Reason] = []

    def take_customer(self, number: Number, weight: float) -> None:
        """A number or user name of the customer is in the text; the best of them counts."""
        if weight > self.customer_weight:
            self.customer_weight, self.customer_number = weight, number.compact
        if len(number.compact) >= USER_NAME_LENGTH and number.compact[0] > "9":
            self.user_name = True

    def is_named(self) -> bool:
        """True if a number of this very order was found, well enough to count."""
        if self.damaged or self.completed or self.number_weight < WEAK_NUMBER:
            return False
        if self.number_weight >= STRONG_NUMBER:
            return True
        known = self.likeness >= Likeness.SURNAME or self.name_in_text or self.customer_weight > 0
        return known and self.form is Form.FULL


class Weigher:
    """Weighs candidates for the postings of one shop."""

    __slots__ = ("rare", "shifts", "shop", "units")

    def __init__(self, shop: ShopFacts) -> None:
        self.shop = shop
        self.shifts = shop.weight_shifts
        self.units: dict[str, int] = {}
        self.rare: dict[Name, frozenset[str]] = {}  # name -> those of its words that say who is meant

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

    def weigh(
        self, view: PostingView, order: OrderView, numbers: Sequence[tuple[Number, int]], claimed: frozenset[str]
    ) -> Candidate | None:
        """The evidence for `order`; None if it cannot be the target.

        An order in another currency, whose rate nobody knows, may still be what a payer meant: it is a target where
        its number is there, or its customer pays the very figure. It is only proposed, never booked (D-35).

        `numbers` are the numbers of the posting that found it, each with how many orders it found;
        `claimed` are those that belong to other orders as they stand, so that they are hardly damaged ones of this.
        """
        due = self.due(view, order)
        found = Candidate(order)
        if due is None:
            if view.amount < 0:
                return None
            found.rate_known = False
        self._amount(view, found, due)
        self._numbers(view, found, numbers)
        self._name(view, found)
        found.named = found.is_named()
        if due is None and not (found.named or (found.grade is Grade.PART and found.likeness >= Likeness.PART)):
            return None
        if not found.number_weight and found.grade >= Grade.NEAR and found.likeness >= Likeness.PART:
            self._damaged(view, found, claimed)
        self._standing(view, found)
        if self.shifts:
            found.reasons = [r._replace(weight=r.weight + self.shifts.get(r.code, 0.0)) for r in found.reasons]
        found.score = sum([reason.weight for reason in found.reasons])
        return found

    def _amount(self, view: PostingView, found: Candidate, due: tuple[int, int] | None) -> None:
        order = found.order
        paid = abs(view.amount)
        fit: Fit | None = None
        if order.facts.currency != view.currency:
            fit = self._exchanged(view, order, due)
        if fit is None:
            assert due is not None, "only amounts of another currency have no rate"
            fit = relate_equal(paid, due[0], due[1]) or relate(paid, due[0], due[1], self._terms(view, order))
        found.fit, found.grade = fit, fit.grade
        found.reasons.append(fit.reason)

    def _terms(self, view: PostingView, order: OrderView) -> Terms:
        payer = self.payer_terms(view, (order,)) if view.collective and self.passes_on(view, order) else None
        borne, charges = self.shop.fee_tolerance_minor, charges_of(view.posting)
        accepted, offers = self.accepts(view, charges), order.offers_in(view.currency)
        day = view.posting.booking_date
        return Terms(self.unit(view.currency), view.signals, charges, borne, payer, accepted, offers, day)

    def accepts(self, view: PostingView, charges: int) -> bool:
        """True if stated charges are taken without a person: any of a provider, a bank's within the limit (D-84)."""
        by_provider = view.posting.charges_by is Witness.PROVIDER
        return by_provider or self.shop.charge_limit.allows(abs(view.amount) + charges, charges)

    def passes_on(self, view: PostingView, order: OrderView) -> bool:
        """True if the payer is not the customer: `Kurier Huber GmbH` and Eva Post keep nothing of what they owe."""
        likeness = best_likeness(view.payers, order.names)
        if likeness is not Likeness.PART:
            return likeness < Likeness.PART
        is_company = any(payer.company for payer in view.payers) and not any(name.company for name in order.names)
        return is_company or not has_surname(view.payers, order.names)

    def payer_terms(self, view: PostingView, orders: Sequence[OrderView]) -> PayerTerms:
        """What is known of the fee of this posting's payer, if it passes on the money of these orders' customers."""
        on_delivery = all(order.facts.type == "COD" for order in orders)
        kind = view.fee_kind or (FeeKind.DELIVERY_FEE if on_delivery else FeeKind.COMMISSION)
        named, charges = view.fee_kind is not None, view.posting.charges_minor
        if not self.accepts(view, charges):
            charges = 0
        unit, collects = self.unit(view.currency), all(_collects(kind, order) for order in orders)
        return PayerTerms(kind, unit, view.tariffs, view.stated_fee, charges, named, collects)

    def grants(self, orders: Sequence[OrderView], missing: int) -> bool:
        """True if the shop grants so much of the orders' totals as cash discount, which is rounded order by order."""
        total = sum(order.facts.amount_minor for order in orders)
        return (missing - len(orders)) * 10_000 < total * self.shop.discount_basis_points

    def _exchanged(self, view: PostingView, order: OrderView, due: tuple[int, int] | None) -> Fit | None:
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

    def _numbers(self, view: PostingView, found: Candidate, numbers: Sequence[tuple[Number, int]]) -> None:
        find = found.order.find
        best: tuple[float, KeyKind, Form, Number] | None = None
        for number, count in numbers:
            known = find(number.compact)
            if known is None or (known[0] >= KeyKind.CUSTOMER and not number.digits):
                continue  # a word without digits is not a user name: it may be anybody's name
            kind, form = known
            if kind is KeyKind.ITEM:
                found.item_weight = max(found.item_weight, 3.5 if number.context is Context.ITEM else 2.5)
                continue
            weight = number_weight(number, kind, form, count)
            if number.attached and is_foreign(number, found.order, kind, form):
                weight -= FOREIGN_LETTERS
            if kind is KeyKind.CUSTOMER:
                found.take_customer(number, weight)
            elif best is None or weight > best[0]:
                best = (weight, kind, form, number)
        if best is not None and best[0] > 0:
            weight, kind, form, number = best
            found.number_weight, found.kind, found.form, found.number = best
            found.completed = number.completed
            place = ((number.start, number.end),) if number.start >= 0 else ()
            said = Message(f"found-{kind.name.lower()}", number=number.compact)
            found.reasons.append(_NUMBERS[kind, form].reason(weight, said, place))
        elif found.grade is Grade.EXACT and view.numbers:
            self._short(view, found)
        if found.customer_weight > 0:
            found.reasons.append(NUMBER_CUSTOMER.reason(found.customer_weight))
        if found.item_weight:
            found.reasons.append(NUMBER_ITEM.reason(found.item_weight))

    def _short(self, view: PostingView, found: Candidate) -> None:
        """The last digits of the order number, which mean something together with the exact amount only."""
        number = found.order.number
        digits = number if number.isdigit() else "".join(filter(str.isdigit, number))
        if len(digits) <= SHORT_DIGITS:
            return
        view.work.add(len(view.numbers))
        for each in view.numbers:
            tail = each.compact
            if not (digits.endswith(tail) and MIN_DIGITS <= len(tail) < len(digits)):
                continue
            if is_inner(view.text, each):
                continue
            announced = each.context in (Context.ORDER, Context.INVOICE)
            if announced or (each.context in (Context.NONE, Context.CUSTOMER) and len(tail) >= SHORT_DIGITS):
                weight = 4.5 if len(tail) < SHORT_DIGITS else 6.5
                found.number_weight, found.kind, found.form, found.number = weight, KeyKind.ORDER, Form.TAIL, each
                place = ((each.start, each.end),) if each.start >= 0 else ()
                found.reasons.append(NUMBER_SHORT.reason(weight, Message("number-order-short", digits=tail), place))
                return

    def _name(self, view: PostingView, found: Candidate) -> None:
        likeness = found.own_likeness = self._likeness(view, found.order)
        if likeness >= Likeness.VARIANT:
            found.reasons.append(_NAME_REASONS[likeness])
        elif view.words and self._name_in(view.words, found.order):
            found.name_in_text = True
            found.reasons.append(NAME_IN_TEXT.reason())
            likeness = Likeness.VARIANT
        elif self.shop.always_rules and is_always(view, self.shop, found.order.facts):
            found.reasons.append(RULE_ALWAYS.reason())
            likeness = Likeness.VARIANT
        elif (
            likeness is Likeness.SURNAME and view.words and self._name_in(view.words | view.payers[0].bag, found.order)
        ):
            found.name_in_text = True
            found.reasons.append(NAME_IN_BOTH.reason())
            likeness = Likeness.CLOSE
        elif likeness is Likeness.OTHER and view.words and self._surname_in(view.words, found.order):
            found.reasons.append(SURNAME_IN_TEXT.reason())
            likeness = Likeness.SURNAME
        elif self._remembered(view, found.order):
            found.reasons.append(IBAN_KNOWN.reason())
            likeness = max(likeness, Likeness.PART)
        elif likeness is Likeness.SURNAME and not has_surname(view.payers, found.order.names):
            found.reasons.append(NAME_FIRST.reason())
        elif likeness is not Likeness.UNKNOWN:
            found.reasons.append(_NAME_REASONS[likeness])
        found.likeness = likeness

    def _likeness(self, view: PostingView, order: OrderView) -> Likeness:
        """How alike the payer's name and the order's are, by words that say who is meant (D-80)."""
        names = tuple(name for name in order.names if self.rare_of(name))
        if len(names) == len(order.names) and order.is_called(view.flat_name):
            return Likeness.EQUAL
        likeness = best_likeness(view.payers, names)
        if likeness >= Likeness.SURNAME and not self._shares_rare(view.payers, names):
            likeness = Likeness.UNKNOWN
        return Likeness.UNKNOWN if view.collective and likeness <= Likeness.SURNAME else likeness

    def rare_of(self, name: Name) -> frozenset[str]:
        """Those of the name's words that say who is meant in this shop."""
        if name not in self.rare:
            self.rare[name] = rare_words(name, self.shop.common_words)
        return self.rare[name]

    def _shares_rare(self, payers: Sequence[Name], names: Sequence[Name]) -> bool:
        """True if a word that payer and order have in common says who is meant."""
        if all(len(self.rare_of(name)) == len(name.bag) for name in names):
            return True
        given = [word for payer in payers for word in payer.words]
        return any(words_alike(word, rare) for name in names for rare in self.rare_of(name) for word in given) or any(
            payer.joined == name.joined for payer in payers for name in names
        )

    def _name_in(self, texts: frozenset[str], order: OrderView) -> bool:
        """True if a name of the order is in the text, with two words that say who is meant, or one of a company."""
        words = {canonical(word) for word in texts}
        for name in order.names:
            if name.bag <= words:
                rare = len(self.rare_of(name))
                if rare > 1 or (rare and name.company and not words.isdisjoint(COMPANY_FORMS)):
                    return True
        return False

    def _surname_in(self, texts: frozenset[str], order: OrderView) -> bool:
        words = {canonical(word) for word in texts if len(word) > MIN_PREFIX}
        return any(
            not name.company and len(name.words) > 1 and name.words[-1] in words & self.rare_of(name)
            for name in order.names
        )

    def _remembered(self, view: PostingView, order: OrderView) -> bool:
        known = self.shop.known_ibans.get(view.posting.counterparty_iban) if view.posting.counterparty_iban else None
        if not known:
            return False
        return any(value == order.customer or value in order.facts.names for value in known)

    def _damaged(self, view: PostingView, found: Candidate, claimed: frozenset[str]) -> None:
        """One error in a number, where amount and name point to the order already."""
        targets = [text for text in found.order.full_forms() if len(text) >= SHORT_DIGITS]
        near = ""
        view.work.add(len(view.numbers))
        for number in view.numbers:
            if number.digits < SHORT_DIGITS - 1 or number.context in (Context.OTHER, Context.DATE, Context.CUSTOMER):
                continue
            if not any(one_error(number.compact, target) for target in targets):
                continue
            if number.compact in claimed:
                near = number.compact
            else:
                weight = max(2.5, digit_weight(number.digits) - 5.0)
                found.damaged, found.named = True, False
                found.number, found.kind, found.number_weight = number, KeyKind.ORDER, weight
                place = ((number.start, number.end),) if number.start >= 0 else ()
                said = Message("number-damaged", number=number.compact)
                found.reasons.append(NUMBER_DAMAGED.reason(weight, said, place))
                return
        if near:
            found.reasons.append(NEAR_NUMBER.reason(words=Message("near-number", number=near)))

    def _standing(self, view: PostingView, found: Candidate) -> None:
        order = found.order
        if order.state is OrderState.SETTLED:
            found.reasons.append(_SETTLED)
        elif order.state is OrderState.CLOSED:
            found.reasons.append(_CLOSED)
        age = (view.booked - order.facts.order_date).days
        if age < 0:
            found.reasons.append(_BEFORE)
        else:
            due = order.facts.due_date
            found.reasons.append(age_reason(age, None if due is None else (view.booked - due).days))
        if view.dates:
            self._date_named(view, found)
        if order.facts.type == "OTHER":
            found.reasons.append(TYPE_OTHER.reason())

    def _date_named(self, view: PostingView, found: Candidate) -> None:
        """A date in the text that is the order's own, or another than it."""
        ordered = found.order.facts.order_date.toordinal()
        if ordered in view.dates and ordered != view.booked.toordinal():
            found.dated = True
            found.reasons.append(DATE_NAMED.reason())
        elif any(day < view.booked.toordinal() for day in view.dates):
            found.reasons.append(DATE_OTHER.reason())


def _collects(kind: FeeKind, order: OrderView) -> bool:
    """True if a payer who keeps this kind of fee collects the money of such orders."""
    if kind is FeeKind.DELIVERY_FEE:
        return order.facts.type == "COD"
    return kind is not FeeKind.COMMISSION or bool(order.facts.marketplace_number) or order.facts.in_collection
