"""Content of a remittance advice: lines with their orders, the payer's deductions, and the sum transferred."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from paymatch.domain.money import Currency, minor_to_text
from paymatch.domain.orders.fees import split_in_proportion
from paymatch.domain.refusal import Refused
from paymatch.domain.words.message import Message


class AdviceUnproved(Refused):
    """The sums of an advice contradict each other; the message names the row."""

    message: Message

    def __init__(self, message: Message) -> None:
        super().__init__(message)


class DeductionKind(StrEnum):
    """The kind of deduction that the payer makes, as its advice calls it."""

    FEE = "fee"
    DISCOUNT = "discount"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class AdviceLine:
    """One order of an advice: `paid = gross - deduction`, below 0 for a credit note. `row` counts from 1."""

    row: int
    references: tuple[str, ...]  # numbers that may name the order, best first
    gross_minor: int
    deduction_minor: int = 0
    deduction_kind: DeductionKind = DeductionKind.OTHER
    text: str = ""

    @property
    def paid_minor(self) -> int:
        """The part of the transferred sum that is for this order."""
        return self.gross_minor - self.deduction_minor


@dataclass(frozen=True, slots=True)
class Deduction:
    """A deduction from the whole sum."""

    kind: DeductionKind
    amount_minor: int
    row: int = 0


@dataclass(frozen=True, slots=True)
class Advice:
    """A parsed remittance advice; amounts in minor units of `currency`."""

    currency: str
    lines: tuple[AdviceLine, ...]
    deductions: tuple[Deduction, ...] = ()
    total_minor: int | None = None  # the transferred sum as the advice states it; None if it states none
    number: str = ""  # of the advice itself, or of its payment
    day: date | None = None
    payer: str = ""  # name of the payer as the advice states it
    payer_account: str = ""

    @property
    def deducted_minor(self) -> int:
        """Deductions from the whole sum, in addition to those from single lines."""
        return sum(each.amount_minor for each in self.deductions)

    @property
    def paid_minor(self) -> int:
        """The sum that the lines add up to after all deductions."""
        return sum(each.paid_minor for each in self.lines) - self.deducted_minor


@dataclass(frozen=True, slots=True)
class LineShare:
    """What one line credits to an order: the transferred amount and the payer's deduction."""

    line: AdviceLine
    paid_minor: int
    withheld_minor: int
    kind: DeductionKind = DeductionKind.OTHER


def check_advice(advice: Advice) -> Advice:
    """The advice, if it proves itself; AdviceUnproved with one sentence otherwise."""
    if not advice.lines:
        raise AdviceUnproved(Message("advice-names-none"))
    for line in advice.lines:
        if not line.references:
            raise _unproved_row(line, "advice-no-number")
        if line.gross_minor == 0:
            raise _unproved_row(line, "advice-zero")
        if (line.paid_minor > 0) != (line.gross_minor > 0) or abs(line.paid_minor) > abs(line.gross_minor):
            raise _unproved_row(line, "advice-unfit-deduction")
    if advice.paid_minor <= 0:
        raise AdviceUnproved(Message("advice-no-payment"))
    if advice.total_minor is not None and advice.total_minor != advice.paid_minor:
        currency = Currency(advice.currency)
        added, stated = (minor_to_text(each, currency) for each in (advice.paid_minor, advice.total_minor))
        raise AdviceUnproved(Message("advice-sum", added=added, stated=stated))
    if advice.deducted_minor and any(each.gross_minor < 0 for each in advice.lines):
        raise AdviceUnproved(Message("advice-credit-notes"))
    return advice


def _unproved_row(line: AdviceLine, code: str) -> AdviceUnproved:
    return AdviceUnproved(Message("file-row", row=str(line.row), what=Message(code)))


def shares_of(advice: Advice) -> tuple[LineShare, ...]:
    """Each line with its share of the deductions from the whole sum; the shares add up to the transferred sum."""
    paid = [each.paid_minor for each in advice.lines]
    total = advice.deducted_minor
    cut = split_in_proportion(sum(paid) - total, paid) if total else paid
    whole = advice.deductions[0].kind if advice.deductions else DeductionKind.OTHER
    return tuple(
        LineShare(line, part, line.gross_minor - part, line.deduction_kind if line.deduction_minor else whole)
        for line, part in zip(advice.lines, cut, strict=True)
    )
