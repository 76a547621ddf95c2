"""How an amount paid fits an amount due: exact, by cents, less a fee or a discount, in part, too much.

Amounts in another currency are compared by the bank's word or the order's rate (D-35).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from enum import IntEnum
from typing import Final, NamedTuple

from paymatch.domain.matching.catalogue import (
    AMOUNT_CASH_DISCOUNT,
    AMOUNT_CASH_DISCOUNT_SAID,
    AMOUNT_CENTS,
    AMOUNT_CHARGES,
    AMOUNT_CHARGES_HIGH,
    AMOUNT_DISCOUNT_LATE,
    AMOUNT_DISCOUNT_OFFERED,
    AMOUNT_DOUBLE,
    AMOUNT_EXACT,
    AMOUNT_EXCHANGE,
    AMOUNT_EXCHANGE_NEAR,
    AMOUNT_FAR_OVER,
    AMOUNT_FEE,
    AMOUNT_FEE_TOLERANCE,
    AMOUNT_FEE_TOLERANCE_CENTS,
    AMOUNT_INSTALMENT,
    AMOUNT_INSTALMENT_SAID,
    AMOUNT_INSTRUCTED,
    AMOUNT_KEPT,
    AMOUNT_KEPT_IN_DOUBT,
    AMOUNT_NO_RATE,
    AMOUNT_NO_RATE_SAME,
    AMOUNT_OVER,
    AMOUNT_PARTIAL,
    AMOUNT_PARTIAL_SAID,
    AMOUNT_ROUNDED,
    AMOUNT_SHORT,
    AMOUNT_SWAPPED,
    AMOUNT_TINY,
    AMOUNT_TOTAL,
    AMOUNT_TOTAL_AGAIN,
    Evidence,
    Reason,
)
from paymatch.domain.matching.model import OrderFacts
from paymatch.domain.matching.text.wording import RemittanceSignals
from paymatch.domain.money import Currency
from paymatch.domain.orders.exchange import UNUSUAL_PERCENT, minor_at_inverse_rate, minor_at_rate
from paymatch.domain.orders.fees import PayerTerms, fee_said, is_thinkable, share_of
from paymatch.domain.orders.invoice_terms import DiscountOffer
from paymatch.domain.postings import Posting
from paymatch.domain.words.message import Message, Rate, Sum

CASH_DISCOUNT_RATES: Final = (200, 300, 100, 250, 150, 400, 500)  # in 1/100 of a percent, the commonest first
MAX_INSTALMENTS: Final = 12


class Grade(IntEnum):
    """How well an amount is explained."""

    ODD = 0
    PART = 1  # a usual part: an instalment, a bank's fee that no one states
    NEAR = 2  # explained: cents, rounding, cash discount, fee with its words, exchange
    EXACT = 3


class Fit(NamedTuple):
    """How the amount paid fits; its evidence weighs against the amount of a payment that has nothing to do with it."""

    grade: Grade
    reason: Reason

    @property
    def kind(self) -> Evidence:
        """That of its evidence."""
        return self.reason.kind


def _fit(kind: Evidence, grade: Grade, words: str = "") -> Fit:
    return Fit(grade, kind.reason(words=words))


_EXACT: Final = _fit(AMOUNT_EXACT, Grade.EXACT)
_TOTAL: Final = _fit(AMOUNT_TOTAL, Grade.EXACT)
_AGAIN: Final = _fit(AMOUNT_TOTAL_AGAIN, Grade.PART)
_CENTS: Final = _fit(AMOUNT_CENTS, Grade.NEAR)
_ROUNDED: Final = _fit(AMOUNT_ROUNDED, Grade.NEAR)
_CHARGES: Final = _fit(AMOUNT_CHARGES, Grade.NEAR)
_CHARGES_HIGH: Final = _fit(AMOUNT_CHARGES_HIGH, Grade.PART)
_FEE_WORDS: Final = _fit(AMOUNT_FEE, Grade.NEAR)
_FEE_SET: Final = _fit(AMOUNT_FEE_TOLERANCE, Grade.NEAR)
_FEE_SET_CENTS: Final = _fit(AMOUNT_FEE_TOLERANCE_CENTS, Grade.NEAR)
_FEE: Final = _fit(AMOUNT_SHORT, Grade.PART)
_SWAPPED: Final = _fit(AMOUNT_SWAPPED, Grade.NEAR)
_CASH_DISCOUNT: Final = _fit(AMOUNT_CASH_DISCOUNT, Grade.NEAR)
_CASH_DISCOUNT_STATED: Final = _fit(AMOUNT_CASH_DISCOUNT_SAID, Grade.NEAR)
_INSTALMENT: Final = _fit(AMOUNT_INSTALMENT, Grade.PART)
_INSTALMENT_WORDS: Final = _fit(AMOUNT_INSTALMENT_SAID, Grade.PART)
_PARTIAL_WORDS: Final = _fit(AMOUNT_PARTIAL_SAID, Grade.ODD)
_PARTIAL: Final = _fit(AMOUNT_PARTIAL, Grade.ODD)
_TINY: Final = _fit(AMOUNT_TINY, Grade.ODD)
_DOUBLE: Final = _fit(AMOUNT_DOUBLE, Grade.PART)
_OVER: Final = _fit(AMOUNT_OVER, Grade.ODD)
_FAR_OVER: Final = _fit(AMOUNT_FAR_OVER, Grade.ODD)
_EXCHANGE: Final = _fit(AMOUNT_EXCHANGE, Grade.EXACT)
_EXCHANGE_NEAR: Final = _fit(AMOUNT_EXCHANGE_NEAR, Grade.NEAR)
_INSTRUCTED: Final = _fit(AMOUNT_INSTRUCTED, Grade.EXACT)


_OF_TOTAL: Final[Mapping[Evidence, str]] = {
    AMOUNT_CHARGES: "total-less-charges",
    AMOUNT_CASH_DISCOUNT: "total-less-discount",
    AMOUNT_CASH_DISCOUNT_SAID: "total-less-discount-said",
    AMOUNT_KEPT: "total-less-kept",
    AMOUNT_PARTIAL: "total-part",
    AMOUNT_TINY: "total-fraction",
    AMOUNT_EXCHANGE: "total-exchanged",
    AMOUNT_EXCHANGE_NEAR: "total-exchanged-near",
    AMOUNT_SHORT: "total-short",
    AMOUNT_FEE: "total-short",
    AMOUNT_FEE_TOLERANCE: "total-short",
    AMOUNT_FEE_TOLERANCE_CENTS: "total-short",
    AMOUNT_CHARGES_HIGH: "total-less-charges",
    AMOUNT_DISCOUNT_OFFERED: "total-less-discount",
    AMOUNT_DISCOUNT_LATE: "total-less-discount",
    AMOUNT_PARTIAL_SAID: "total-part",
}
"""Messages for an order with nothing open, whose total is compared instead."""


class Terms(NamedTuple):
    """What else is known about a payment's amount, in minor units of its currency."""

    unit: int  # minor units in one of the currency
    signals: RemittanceSignals
    charges: int = 0  # deducted, as bank or provider state
    fee_tolerance: int = 0  # the shop's
    payer: PayerTerms | None = None  # of a carrier, marketplace or payment service, which keeps a fee
    accepted: bool = True  # the charges are small enough to need no person (D-84)
    offers: tuple[DiscountOffer, ...] = ()  # stated by the order's invoice; then no other is guessed (D-96)
    day: date = date.max  # booking date of the payment


def relate_equal(paid: int, due: int, total: int) -> Fit | None:
    """How `paid` fits where it is exactly `due` (what is open), or the `total` of a settled order; else None."""
    if due > 0:
        return _EXACT if paid == due else None
    return _TOTAL if paid == total else None


def relate(paid: int, due: int, total: int, terms: Terms) -> Fit:
    """How `paid` fits `due` (what is open) and `total`, in minor units of one currency.

    A settled order has `due` <= 0 and is compared by its total alone.
    """
    equal = relate_equal(paid, due, total)
    if equal is not None:
        return equal
    if due <= 0:
        return _of_total(_relate(paid, total, total, terms))
    if due * 2 < total and abs(paid - total) <= terms.unit:
        return _AGAIN
    return _relate(paid, due, total, terms)


def _of_total(fit: Fit) -> Fit:
    code = _OF_TOTAL.get(fit.kind)
    if code is None:
        return fit
    values = fit.reason.words.values if fit.kind is AMOUNT_KEPT and isinstance(fit.reason.words, Message) else {}
    return Fit(fit.grade, fit.reason._replace(words=Message(code, **values)))


def _relate(paid: int, base: int, total: int, terms: Terms) -> Fit:
    difference = paid - base
    unit = terms.unit
    if terms.payer is not None and difference < 0:
        return (
            _stated_charge_fit(paid, base, terms)
            or _fit_of_withheld_fee(paid, base, terms.payer)
            or _short(paid, base, total, terms)
        )
    stated = (
        (_stated_charge_fit(paid, base, terms) or _offered_discount_fit(-difference, terms)) if difference < 0 else None
    )
    if stated is not None:
        return stated
    if abs(difference) <= unit and abs(difference) * 50 <= max(base, 2 * unit + 50):
        borne = 0 < -difference <= terms.fee_tolerance and not is_cash_discount(paid, base)
        return _FEE_SET_CENTS if borne else _CENTS
    if difference > 0:
        return _over(paid, base, difference, unit)
    return _explain_shortfall(paid, base, total, terms) or _short(paid, base, total, terms)


def _over(paid: int, base: int, difference: int, unit: int) -> Fit:
    if paid % unit == 0 and (
        difference < unit or (paid % (5 * unit) == 0 and difference <= 5 * unit and difference * 20 <= base)
    ):
        return _ROUNDED
    if paid % (10 * unit) == 0 and difference <= 10 * unit and difference * 50 <= base:
        return _ROUNDED
    if _is_swapped(paid, base):
        return _SWAPPED
    if paid == 2 * base:
        return _DOUBLE
    return _OVER if difference * 2 <= base * 3 else _FAR_OVER


def _stated_charge_fit(paid: int, base: int, terms: Terms) -> Fit | None:
    """A shortfall of exactly the charges that are stated, from 0.01 on; before anything that is only likely (D-84)."""
    missing = base - paid
    if not terms.charges or missing != terms.charges:
        return None
    return _CHARGES if terms.accepted or missing <= terms.fee_tolerance else _CHARGES_HIGH


def _offered_discount_fit(missing: int, terms: Terms) -> Fit | None:
    """A shortfall of exactly a discount that the order's invoice states: in time, or too late to be granted."""
    equal = [offer for offer in terms.offers if offer.equals(missing)]
    if not equal:
        return None
    last = max(equal, key=lambda offer: offer.last_day)
    in_time = last.holds_on(terms.day)
    if not in_time and missing <= terms.fee_tolerance:
        return None
    kind, grade = (AMOUNT_DISCOUNT_OFFERED, Grade.NEAR) if in_time else (AMOUNT_DISCOUNT_LATE, Grade.PART)
    return _fit(kind, grade, Message(kind.code, percent=Rate(last.basis_points), until=last.last_day))


def _explain_shortfall(paid: int, base: int, total: int, terms: Terms) -> Fit | None:
    """A shortfall with a known reason."""
    missing = base - paid
    guessed = is_cash_discount(paid, base) or (total != base and is_cash_discount(paid, total))
    if guessed and not terms.offers:
        return _CASH_DISCOUNT_STATED if terms.signals.cash_discount else _CASH_DISCOUNT
    if terms.signals.fee and missing <= 30 * terms.unit:
        return _FEE_WORDS
    if missing <= terms.fee_tolerance:
        return _FEE_SET
    return None


def _fit_of_withheld_fee(paid: int, base: int, payer: PayerTerms) -> Fit | None:
    """A shortfall that is a carrier's, marketplace's or payment service's fee, or may be if a person confirms it."""
    missing = base - paid
    if not is_thinkable(base, missing):
        return None
    doubt = payer.doubt(base, 1, missing)
    if doubt:
        return _fit(AMOUNT_KEPT_IN_DOUBT, Grade.PART, doubt)
    said = Message("amount-kept", share=share_of(missing, base), fee=fee_said(payer.kind))
    return _fit(AMOUNT_KEPT, Grade.NEAR, said)


def charges_of(posting: Posting) -> int:
    """Deductions on the way that bank or provider state, directly or as the difference to the instructed amount."""
    instructed = posting.instructed_amount_minor
    if posting.charges_minor or not instructed or posting.instructed_currency != posting.currency:
        return posting.charges_minor
    return max(0, abs(instructed) - abs(posting.amount_minor))


def charges_too_high(charges: int, arrived: int, currency: str) -> str:
    """The message that the charges are too large to need no person."""
    share = share_of(charges, abs(arrived) + charges)
    return Message("charges-too-high", charges=Sum(charges, currency), share=share)


def _short(paid: int, base: int, total: int, terms: Terms) -> Fit:
    missing = base - paid
    instalment = terms.signals.instalment
    if _even_part(paid, total):
        return _INSTALMENT_WORDS if instalment else _INSTALMENT
    if _is_swapped(paid, base):
        return _SWAPPED
    if missing <= 15 * terms.unit and missing * 4 <= base:
        return _FEE
    if instalment:
        return _PARTIAL_WORDS
    return _PARTIAL if paid * 12 >= base else _TINY


def _is_swapped(paid: int, base: int) -> bool:
    """True if two neighbouring digits of the amount are exchanged (419.00 for 149.00)."""
    one, other = str(paid), str(base)
    if len(one) != len(other):
        return False
    places = [i for i, (a, b) in enumerate(zip(one, other, strict=True)) if a != b]
    return (
        len(places) == 2
        and places[1] == places[0] + 1
        and one[places[0]] == other[places[1]]
        and (one[places[1]] == other[places[0]])
    )


def is_cash_discount(paid: int, total: int) -> bool:
    """True if `paid` is `total` less one of the usual cash discounts, to the cent."""
    if paid * 100 < total * 94:
        return False
    return any(abs(paid * 10000 - total * (10000 - rate)) <= 10000 for rate in CASH_DISCOUNT_RATES)


def _even_part(paid: int, total: int) -> bool:
    if paid <= 0:
        return False
    parts = (total + paid // 2) // paid
    return 2 <= parts <= MAX_INSTALMENTS and abs(paid * parts - total) <= parts


def relate_exchanged(paid: int, due: int, total: int) -> Fit | None:
    """How `paid` fits `due` (what is open), else `total`, both at the order's rate; None if it is not near it."""
    expected = due if due > 0 else total
    if not is_near_rate(paid, expected):
        return None
    fit = _EXCHANGE if abs(paid - expected) * 400 <= expected else _EXCHANGE_NEAR
    return fit if due > 0 else _of_total(fit)


def is_near_rate(paid: int, expected: int) -> bool:
    """True if the rates of two banks explain the difference: it is at most 3 %."""
    return abs(paid - expected) * 100 <= 3 * expected


def relate_instructed(sent: int, due: int, total: int, terms: Terms) -> Fit:
    """How the amount that the payer instructed in the order's currency fits: as `relate`, with its own messages."""
    fit = relate(sent, due, total, terms)
    if fit is _EXACT:
        return _INSTRUCTED
    reason = fit.reason
    return Fit(fit.grade, reason._replace(words=Message("amount-instructed-other", how=reason.words)))


def relate_unexchanged(words: str, *, same_figure: bool) -> Fit:
    """How an amount without a known rate fits, with the message `words`: the payer may have mistaken the currency."""
    if same_figure:
        return _fit(AMOUNT_NO_RATE_SAME, Grade.PART, Message("amount-no-rate-same", why=words))
    return _fit(AMOUNT_NO_RATE, Grade.ODD, words)


def no_rate(posting_currency: str, order_currency: str) -> str:
    """The message that no rate is known."""
    return Message("no-rate", posting=posting_currency, order=order_currency)


def instructed_minor(posting: Posting, minor: int, currency: str) -> int | None:
    """The amount that the payer instructed for `minor` of the posting, in minor units of `currency`, unsigned.

    None if the bank does not say. For a part of the posting it is the same part.
    """
    if posting.instructed_currency != currency or not posting.instructed_amount_minor or not posting.amount_minor:
        return None
    return _share(abs(posting.instructed_amount_minor), abs(minor), abs(posting.amount_minor))


def in_posting_currency(posting: Posting, order: OrderFacts, order_minor: int) -> int | None:
    """`order_minor` of the order's currency in the posting's; None if no rate is known.

    The instructed amount takes precedence over the order's exchangeRate, which has one direction (D-85).
    """
    if posting.instructed_currency == order.currency and posting.instructed_amount_minor:
        return _share(order_minor, abs(posting.amount_minor), abs(posting.instructed_amount_minor))
    rate = order.exchange_rate
    if not rate or rate <= 0:
        return None
    return minor_at_rate(order_minor, Currency(order.currency), rate, posting.currency)


def is_not_asked_for(posting: Posting, order: OrderFacts) -> bool:
    """True if only the order's rate relates it to the posting, and asks its customer for another currency (D-85).

    The rate asks for the shop's currency, and only where the shop has no account in the order's.
    """
    said = bool(posting.instructed_amount_minor) and posting.instructed_currency == order.currency
    return order.currency != posting.currency and not said and order.asked_in not in ("", posting.currency)


def is_rate_inverted(posting: Posting, minor: int, order: OrderFacts, open_minor: int) -> bool:
    """True if `minor` of the posting fits the order only if its rate is read the other way round (D-85).

    The amount before the bank's charges counts as well as the amount that arrived.
    """
    rate = order.exchange_rate
    if order.currency in (posting.currency, posting.instructed_currency) or not rate or rate <= 0:
        return False
    own, base = Currency(order.currency), open_minor if open_minor > 0 else order.amount_minor
    asked = minor_at_rate(base, own, rate, posting.currency)
    inverse = minor_at_inverse_rate(base, own, rate, posting.currency)
    sums = (abs(minor), abs(minor) + charges_of(posting))
    return any(is_near_rate(sent, inverse) for sent in sums) and not is_near_rate(abs(minor), asked)


def is_far_from_rate(posting: Posting, minor: int, order: OrderFacts, open_minor: int) -> bool:
    """True if the instructed amount pays the order, and over a tenth less arrived than its rate asks for."""
    rate = order.exchange_rate
    sent = instructed_minor(posting, minor, order.currency)
    if sent is None or order.currency == posting.currency or not rate or rate <= 0:
        return False
    asked = minor_at_rate(
        min(sent, open_minor) if open_minor > 0 else sent, Currency(order.currency), rate, posting.currency
    )
    return abs(minor) * 100 < asked * (100 - UNUSUAL_PERCENT)


def in_order_currency(posting: Posting, minor: int, order: OrderFacts, open_minor: int) -> int | None:
    """The part of the order that `minor` of the posting (signed) pays, in the order's currency; None without a rate.

    It is the whole open amount if only the exchange explains the difference.
    """
    if order.currency == posting.currency:
        return minor
    due = open_minor if open_minor > 0 else order.amount_minor
    here = in_posting_currency(posting, order, due)
    if here is None:
        return None
    sign = 1 if minor > 0 else -1
    sent = instructed_minor(posting, minor, order.currency)
    if sent is not None:
        return sign * (due if abs(minor) == here else sent)
    if here <= 0 or is_near_rate(abs(minor), here):
        return sign * due
    return sign * _share(due, abs(minor), here)


def _share(minor: int, part: int, whole: int) -> int:
    """`minor` * `part` / `whole`, halves rounded up."""
    return (2 * minor * part + whole) // (2 * whole)
