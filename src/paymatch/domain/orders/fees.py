"""Fees that a payer keeps of the money that it passes on (D-36): kinds, split over orders, a payer's tariff.

An allocation credits an amount to its order; the amount withheld by the payer never reached the account.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import reduce
from math import floor
from typing import Final

from paymatch.domain.money import Currency
from paymatch.domain.words.message import Message, Percentage, Rate, Sum


class FeeKind(StrEnum):
    """The kind of an amount withheld from an allocation: who kept it and what for."""

    COMMISSION = "COMMISSION"  # a marketplace
    DELIVERY_FEE = "DELIVERY_FEE"  # a carrier that collects on delivery
    PAYMENT_FEE = "PAYMENT_FEE"  # a payment service
    BANK_CHARGE = "BANK_CHARGE"  # a bank on the way
    CASH_DISCOUNT = "CASH_DISCOUNT"  # the customer, as the shop's terms grant
    REMINDER_FEE = "REMINDER_FEE"  # nothing withheld: the customer paid it on top of the order (D-97)


FEE_DOUBTS: Final = frozenset(
    {"kept-other-stated", "kept-unlike-before", "kept-confirm", "kept-other-kind", "charges-too-high"}
)
"""Codes of the sentences that ask a person about withheld money: a payer's or customer's word cannot answer them."""


KEPT_KINDS: Final = tuple(kind for kind in FeeKind if kind is not FeeKind.REMINDER_FEE)
"""Kinds that a payer may have kept; reminder fees follow from the reminders that were sent."""

PAYOUT_FEES: Final = frozenset({FeeKind.COMMISSION, FeeKind.DELIVERY_FEE, FeeKind.PAYMENT_FEE})
"""Fees of those who pass on the money of many customers: only these have a tariff."""

WORDS: Final = {
    FeeKind.COMMISSION: "commission",
    FeeKind.DELIVERY_FEE: "delivery fee",
    FeeKind.PAYMENT_FEE: "payment fee",
    FeeKind.BANK_CHARGE: "bank charge",
    FeeKind.CASH_DISCOUNT: "cash discount",
    FeeKind.REMINDER_FEE: "reminder fee",
}


COMMISSION_PERCENT: Final = 20
USUAL_PERCENT: Final = 4
USUAL_UNITS: Final = 2
PARCEL_PERCENT: Final = 10
PARCEL_UNITS: Final = 7
MOST_PERCENT: Final = 40
"""More than this share of a payout is never a fee, no matter what its payer says."""


def is_usual(kind: FeeKind | None, gross_minor: int, orders: int, withheld_minor: int, unit: int) -> bool:
    """True if a payer of whom only the kind is known may have kept this much of a payout (docs/claims.md).

    `kind` is None if its name is not that of a marketplace, carrier or payment service. `unit` is the number of minor
    units in one of the currency. For a single parcel carriers charge more.
    """
    percent, units = USUAL_PERCENT, Fraction(USUAL_UNITS) + Fraction(orders, 2)
    if kind is FeeKind.COMMISSION:
        percent, units = COMMISSION_PERCENT, Fraction(0)
    elif orders == 1 and kind is FeeKind.DELIVERY_FEE:
        percent, units = PARCEL_PERCENT, Fraction(PARCEL_UNITS)
    most = min(Fraction(gross_minor * percent, 100) + units * unit, Fraction(gross_minor, 2))
    return 0 < withheld_minor <= most


def is_thinkable(gross_minor: int, withheld_minor: int) -> bool:
    """True if this much may still be a fee that a person has to confirm once."""
    return 0 < withheld_minor * 100 <= gross_minor * MOST_PERCENT


def split_in_proportion(amount: int, weights: Sequence[int]) -> list[int]:
    """`amount` split in proportion to `weights`; rounding goes to the largest remainders, the earlier first."""
    total = sum(weights)
    if total <= 0:
        return [amount] + [0] * (len(weights) - 1)
    shares = [amount * weight // total for weight in weights]
    order = sorted(range(len(weights)), key=lambda i: (-(amount * weights[i] % total), i))
    for i in order[: amount - sum(shares)]:
        shares[i] += 1
    return shares


def withheld_parts(withheld: int, credits: Sequence[int]) -> list[int]:
    """Each order's part of `withheld`, in proportion to its credit; the parts add up.

    The odd cents go to the largest remainders, of equal ones to the order named first. No order is charged more than
    its credit, as long as that is true of the whole.
    """
    net = split_in_proportion(sum(credits) - withheld, credits)
    return [credit - part for credit, part in zip(credits, net, strict=True)]


@dataclass(frozen=True, slots=True)
class ChargeLimit:
    """The highest charges that a bank may state without confirmation by a person (D-84)."""

    basis_points: int = 500  # of what was sent
    most_minor: int = 30_00

    def allows(self, gross_minor: int, charges_minor: int) -> bool:
        """True if charges of this size are within the share and the amount."""
        return charges_minor <= self.most_minor and charges_minor * 10_000 <= gross_minor * self.basis_points


USUAL_CHARGES: Final = ChargeLimit()


@dataclass(frozen=True, slots=True)
class StatedFee:
    """The deduction that a payout's text states: an amount, else a share of the gross; neither if it states none."""

    amount: int | None = None  # in hundredths
    basis_points: int | None = None

    def __bool__(self) -> bool:
        return self.amount is not None or self.basis_points is not None

    def of(self, gross_minor: int) -> int | None:
        """The fee of a payout of this gross, halves rounded up; None if the text states none."""
        if self.amount is not None or self.basis_points is None:
            return self.amount
        return _share(gross_minor, self.basis_points)

    def is_of(self, gross_minor: int, orders: int, withheld_minor: int) -> bool:
        """True if it is the withheld amount: an amount to the cent, a share except for rounding by order."""
        fee = self.of(gross_minor)
        slack = 0 if self.amount is not None else 1 + orders // 2
        return fee is not None and abs(fee - withheld_minor) <= slack


@dataclass(frozen=True, slots=True)
class KeptPayout:
    """A confirmed payout as a sample of its payer's tariff; amounts in minor units of one currency."""

    gross_minor: int
    orders: int
    withheld_minor: int
    stated: bool = False  # the fee is in the text or among the bank's charges


@dataclass(frozen=True, slots=True)
class Formula:
    """A fee formula of payers: a share of the gross, an amount per order, an amount per payout, or two of these."""

    basis_points: int = 0
    per_item_minor: int = 0
    fixed_minor: int = 0

    def fee(self, gross_minor: int, orders: int) -> int:
        """The fee of a payout, halves rounded up."""
        return _share(gross_minor, self.basis_points) + self.per_item_minor * orders + self.fixed_minor

    def said(self, currency: Currency) -> Message:
        """A readable form: `1.50 % and 0.35 EUR per order`."""
        parts = []
        if self.basis_points:
            parts.append(Message("tariff-share", share=Rate(self.basis_points)))
        if self.per_item_minor:
            parts.append(Message("tariff-per-order", amount=Sum(self.per_item_minor, currency)))
        if self.fixed_minor:
            parts.append(Message("tariff-per-payout", amount=Sum(self.fixed_minor, currency)))
        return _join_parts("tariff-and", parts) if parts else Message("tariff-nothing")

    def explains(self, gross_minor: int, orders: int, withheld_minor: int) -> bool:
        """True if it gives the withheld amount, except for cents from calculating order by order."""
        return abs(self.fee(gross_minor, orders) - withheld_minor) <= 1 + orders // 2


@dataclass(frozen=True, slots=True)
class PayerTariff:
    """A payer's fee, learnt from its confirmed payouts.

    `formulas` explain every one of them; after the first payout there are several, later mostly one, and none where
    the share varies, as commission by category of goods does.
    """

    payouts: int
    lowest_share: Fraction  # of the gross
    highest_share: Fraction
    formulas: tuple[Formula, ...] = ()
    stated: bool = False  # all of them stated the fee

    @property
    def is_settled(self) -> bool:
        """True if one formula explains several payouts, so that another fee would be a surprise."""
        return self.payouts >= SETTLED_AFTER and bool(self.formulas)

    def explains(self, gross_minor: int, orders: int, withheld_minor: int) -> bool:
        """True if one of its formulas gives the withheld amount."""
        return any(formula.explains(gross_minor, orders, withheld_minor) for formula in self.formulas)

    def is_usual(self, gross_minor: int, withheld_minor: int) -> bool:
        """True if the share is about one that this payer has kept; always False once a formula is settled."""
        if self.is_settled or gross_minor <= 0:
            return False
        share = Fraction(withheld_minor, gross_minor)
        return self.lowest_share * (1 - _SLACK) <= share <= self.highest_share * (1 + _SLACK)


@dataclass(frozen=True, slots=True)
class PayerTariffs:
    """A payer's tariff for payouts of several orders, and for those of one, which often cost more."""

    several: PayerTariff | None
    single: PayerTariff | None

    def for_orders(self, orders: int) -> PayerTariff | None:
        """The tariff for this number of orders; None before the first such payout."""
        return self.single if orders == 1 else self.several

    def explains(self, gross_minor: int, orders: int, withheld_minor: int) -> bool:
        """True if the tariff for this number of orders gives the withheld amount; else the other one."""
        tariff = self.for_orders(orders) or self.single or self.several
        return tariff is not None and tariff.explains(gross_minor, orders, withheld_minor)


SETTLED_AFTER: Final = 3
_SLACK: Final = Fraction(1, 5)
TARIFF_SLACK: Final = "1.2"
"""How much more than its highest share so far a payer may keep: 1 + `_SLACK`, as SQL writes it."""
_MAX_SAMPLES: Final = 12


def tariff_of(payouts: Sequence[KeptPayout]) -> PayerTariff | None:
    """The fee learnt from the payouts of one payer, latest first; None if it has kept nothing so far.

    Formulas with two parts are only believed after three payouts: two payouts fit many of them.
    """
    samples = [each for each in payouts[:_MAX_SAMPLES] if each.gross_minor > 0 and each.withheld_minor > 0]
    if not samples:
        return None
    shares = [Fraction(each.withheld_minor, each.gross_minor) for each in samples]
    found = _formulas(samples)
    return PayerTariff(len(samples), min(shares), max(shares), found, all(each.stated for each in samples))


def tariffs_of(payouts: Sequence[KeptPayout]) -> PayerTariffs | None:
    """The tariffs of one payer, from its confirmed payouts, the latest first; None if it has kept nothing so far."""
    several = tariff_of([each for each in payouts if each.orders > 1])
    single = tariff_of([each for each in payouts if each.orders == 1])
    return PayerTariffs(several, single) if several or single else None


@dataclass(frozen=True, slots=True)
class PayerTerms:
    """Everything known about a payer's fee when its payout arrives."""

    kind: FeeKind
    unit: int  # minor units in one of the currency
    tariffs: PayerTariffs | None = None
    stated: StatedFee = StatedFee()  # in the text
    charges_minor: int = 0  # deducted, as the bank states
    is_named: bool = True  # the kind is known from the payer's name, not from the orders that it pays
    collects: bool = True  # such a payer collects for this kind of orders
    lists_many: bool = False  # its own numbers name orders of many customers, which a single customer cannot know

    def is_known(self, gross_minor: int, orders: int, withheld_minor: int) -> bool:
        """True if bank or provider states this very fee, or the text does, or the payer's tariff gives it."""
        if withheld_minor == self.charges_minor:
            return True
        if self.stated:
            return self.stated.is_of(gross_minor, orders, withheld_minor)
        return self.tariffs is not None and self.tariffs.explains(gross_minor, orders, withheld_minor)

    def expected_fee(self, gross_minor: int, orders: int) -> int:
        """The fee that is stated, or that a settled tariff gives; 0 if neither is known."""
        stated = self.stated.of(gross_minor)
        if stated is not None:
            return min(stated, gross_minor)
        tariff = self._tariff(orders)
        return tariff.formulas[0].fee(gross_minor, orders) if tariff is not None and tariff.is_settled else 0

    def doubt(self, gross_minor: int, orders: int, withheld_minor: int) -> str:
        """Why a person must confirm that this was the payer's fee; empty if no one needs to.

        A fee stated by bank or provider is accepted. The payer's own claim counts within the tariff that a person has
        confirmed, and for orders that such a payer collects for. A usual fee also counts if the payout lists orders of
        many customers by the payer's own numbers, and for the first single order of a known account (D-84).
        """
        if withheld_minor == self.charges_minor:
            return ""
        share = share_of(withheld_minor, gross_minor)
        if self.stated and not self.stated.is_of(gross_minor, orders, withheld_minor):
            return Message("kept-other-stated", share=share)
        if self._is_usual_first(gross_minor, orders, withheld_minor):
            return ""
        if self.tariffs is None:
            return Message("kept-confirm", share=share)
        if not self.is_in_tariff(gross_minor, orders, withheld_minor):
            return Message("kept-confirm" if self._tariff(orders) is None else "kept-unlike-before", share=share)
        return "" if self.collects else Message("kept-other-kind", share=share)

    def is_likely(self, gross_minor: int, orders: int, withheld_minor: int) -> bool:
        """True if it is plausible as the payer's fee: stated, by its tariff, or else what its kind usually keeps."""
        if self.is_known(gross_minor, orders, withheld_minor):
            return True
        if self.stated:
            return False
        if (tariff := self._tariff(orders)) is not None:
            return tariff.is_usual(gross_minor, withheld_minor)
        kind = self.kind if self.is_named else None
        return is_usual(kind, gross_minor, orders, withheld_minor, self.unit)

    def _is_usual_first(self, gross_minor: int, orders: int, withheld_minor: int) -> bool:
        """True if a payout without a tariff needs no confirmation: its account is proved, and its fee usual.

        A list of many customers proves it, and for a single order an earlier payout of the same account.
        """
        if self._tariff(orders) is not None or not (self.is_named and self.collects):
            return False
        proved = self.lists_many or (orders == 1 and self.tariffs is not None)
        return proved and is_usual(self.kind, gross_minor, orders, withheld_minor, self.unit)

    def is_in_tariff(self, gross_minor: int, orders: int, withheld_minor: int) -> bool:
        """True if the tariff gives it, or it is a share like those that this payer has kept."""
        tariffs = self.tariffs
        if tariffs is None:
            return False
        if tariffs.explains(gross_minor, orders, withheld_minor):
            return True
        tariff = tariffs.for_orders(orders) or tariffs.single or tariffs.several
        return tariff is not None and tariff.is_usual(gross_minor, withheld_minor)

    def _tariff(self, orders: int) -> PayerTariff | None:
        return None if self.tariffs is None else self.tariffs.for_orders(orders)


def _formulas(samples: Sequence[KeptPayout]) -> tuple[Formula, ...]:
    """The simplest formulas that explain all samples: those of one part, else those of two."""
    simple = [formula for formula in _of_one_part(samples) if _explain_all(formula, samples)]
    if simple or len(samples) < SETTLED_AFTER:
        return tuple(simple)
    return tuple(formula for formula in _of_two_parts(samples) if _explain_all(formula, samples))[:1]


def _explain_all(formula: Formula, samples: Sequence[KeptPayout]) -> bool:
    return all(formula.explains(each.gross_minor, each.orders, each.withheld_minor) for each in samples)


def _of_one_part(samples: Sequence[KeptPayout]) -> list[Formula]:
    largest = max(samples, key=lambda each: each.gross_minor)
    most = max(samples, key=lambda each: each.orders)
    return [
        Formula(basis_points=_round_half_up(Fraction(largest.withheld_minor * 10_000, largest.gross_minor))),
        Formula(per_item_minor=_round_half_up(Fraction(most.withheld_minor, most.orders))),
        Formula(fixed_minor=samples[0].withheld_minor),
    ]


def _of_two_parts(samples: Sequence[KeptPayout]) -> list[Formula]:
    """The formulas through the two samples that separate their parts best; rates to the tenth of a per cent."""
    cheap, dear = _extremes(samples, lambda each: Fraction(each.gross_minor, each.orders))
    per_item = _share_and(dear, cheap, dear.orders, cheap.orders)
    small, large = _extremes(samples, lambda each: Fraction(each.gross_minor))
    per_payout = _share_and(large, small, 1, 1)
    found = [
        Formula(basis_points=per_item[0], per_item_minor=per_item[1]),
        Formula(basis_points=per_payout[0], fixed_minor=per_payout[1]),
    ]
    few, many = _extremes(samples, lambda each: Fraction(each.orders))
    if many.orders > few.orders:
        item = _round_half_up(Fraction(many.withheld_minor - few.withheld_minor, many.orders - few.orders))
        found.append(Formula(per_item_minor=item, fixed_minor=many.withheld_minor - item * many.orders))
    return [formula for formula in found if _has_two_parts(formula)]


def _extremes(
    samples: Sequence[KeptPayout], measure: Callable[[KeptPayout], Fraction]
) -> tuple[KeptPayout, KeptPayout]:
    """The samples with the least and the most of a measure."""
    return min(samples, key=measure), max(samples, key=measure)


def _share_and(one: KeptPayout, other: KeptPayout, times_one: int, times_other: int) -> tuple[int, int]:
    """(basis points of the gross, amount taken so many times) that give both fees; zeros if none does."""
    divisor = one.gross_minor * times_other - other.gross_minor * times_one
    if not divisor:
        return 0, 0
    rate = Fraction(one.withheld_minor * times_other - other.withheld_minor * times_one, divisor)
    basis_points = _round_half_up(rate * 1000) * 10
    left = one.withheld_minor - Fraction(one.gross_minor * basis_points, 10_000)
    return basis_points, _round_half_up(left / times_one)


def _has_two_parts(formula: Formula) -> bool:
    parts = (formula.basis_points, formula.per_item_minor, formula.fixed_minor)
    return min(parts) >= 0 and sum(part > 0 for part in parts) == 2


def _share(gross_minor: int, basis_points: int) -> int:
    """A share of the gross, halves up."""
    return (gross_minor * basis_points + 5_000) // 10_000


def _round_half_up(value: Fraction) -> int:
    """To the nearest whole, halves up."""
    return floor(value + Fraction(1, 2))


def tariffs_in_words(tariffs: PayerTariffs, currency: Currency) -> str:
    """A payer's tariffs as people read them: `12.0 %; single orders: 5.60 EUR per order`; "" if none is known."""
    several = _tariff_text(tariffs.several, currency) if tariffs.several is not None else None
    if tariffs.single is None:
        return several or ""
    single = Message("tariff-single", tariff=_tariff_text(tariffs.single, currency))
    return Message("tariff-both", several=several, single=single) if several is not None else single


def _tariff_text(tariff: PayerTariff, currency: Currency) -> Message:
    if tariff.formulas:
        said = _join_parts("tariff-or", [formula.said(currency) for formula in tariff.formulas])
    else:
        low, high = (
            share_of(share.numerator, share.denominator) for share in (tariff.lowest_share, tariff.highest_share)
        )
        said = Message("tariff-share", share=low) if low == high else Message("tariff-shares", low=low, high=high)
    return Message("tariff-stated", tariff=said) if tariff.stated else said


def _join_parts(code: str, parts: Sequence[Message]) -> Message:
    """The parts as one sentence, two at a time."""
    return reduce(lambda one, other: Message(code, one=one, other=other), parts)


def percent(part: int, whole: int) -> Message:
    """`part` of `whole` in per cent with one decimal, `17.4 %`."""
    return Message("tariff-share", share=share_of(part, whole))


def share_of(part: int, whole: int) -> Percentage:
    """`part` of `whole` to the tenth of a per cent."""
    return Percentage(_round_half_up(Fraction(1000 * part, whole)))


def fee_said(kind: FeeKind) -> Message:
    """The name of a fee within a sentence."""
    return Message(f"fee-{kind.value.lower().replace('_', '-')}")
