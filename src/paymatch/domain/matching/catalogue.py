"""The catalogue of evidence: every kind of it once, with its family, weight, words and flag (`docs/evidence.md`).

A new kind of evidence is a row here, a sentence in `words/evidence.py`, and the place that finds it. Rules ask for a
family or a kind, never for the letters of a code.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

from paymatch.domain.witnesses import Witness
from paymatch.domain.words.message import Message


class Family(StrEnum):
    """What evidence is about."""

    NUMBER = "number"  # a number of the order, its customer or its items is in the posting
    NAME = "name"  # how similar the payer's name is to the customer's
    ACCOUNT = "account"  # that sent the money
    RULE = "rule"  # that a person has made
    AMOUNT = "amount"  # how the amount fits one order
    SUM = "sum"  # how the amount fits several orders together
    STATE = "state"  # of the order
    DATE = "date"
    HINT = "hint"  # distinguishes orders that are otherwise alike
    TWIN = "twin"  # which of a customer's equal orders it is
    RIVAL = "rival"  # another order that the posting may be for
    PAST = "past"  # what was decided before


class Flag(StrEnum):
    """What is special about a match with this evidence."""

    NONE = ""
    OVERPAYMENT = "overpayment"
    PARTIAL = "partial"
    FEE = "fee"
    CASH_DISCOUNT = "cash-discount"
    AMOUNT_SWAPPED = "amount-swapped"
    PAYOUT = "payout"


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """A kind of evidence: its weight is a log-likelihood ratio in nats; None where it is computed from the case.

    `said` names its sentence if that differs from its code: kinds of one code differ in words and weight only.
    """

    code: str
    family: Family
    weight: float | None = None
    said: str = ""
    flag: Flag = Flag.NONE
    witness: Witness = Witness.BANK  # who states it (D-80)

    def reason(
        self, weight: float | None = None, words: str = "", highlight: tuple[tuple[int, int], ...] = ()
    ) -> Reason:
        """Evidence of this kind; its own weight and words unless others are given."""
        found = self.weight if weight is None else weight
        assert found is not None, "a weight that is computed has to be given"
        return Reason(self, found, words or Message(self.said or self.code), highlight)


class Reason(NamedTuple):
    """One piece of evidence: its kind, its weight in nats, words, and where it was seen.

    A named tuple, as the engine makes many for each posting: a frozen dataclass costs three times as much.
    """

    kind: Evidence
    weight: float
    words: str  # a `Message`
    highlight: tuple[tuple[int, int], ...] = ()  # (start, end) in the posting's text

    @property
    def code(self) -> str:
        """The stable code of its kind, which clients and learning use."""
        return self.kind.code

    @property
    def family(self) -> Family:
        """What it is about."""
        return self.kind.family


CATALOGUE: Final[list[Evidence]] = []
"""All kinds, in the order of this file."""


_OF_FAMILY: Final = {
    Family.NUMBER: Witness.PAYER,
    Family.NAME: Witness.CUSTOMER,
    Family.ACCOUNT: Witness.PERSON,
    Family.RULE: Witness.PERSON,
    Family.STATE: Witness.MERCHANT,
    Family.HINT: Witness.PAYER,
}
"""Witness of a family's evidence if its kind has no witness of its own; the bank for all other families."""


def _row(
    code: str,
    family: Family,
    weight: float | None = None,
    said: str = "",
    flag: Flag = Flag.NONE,
    witness: Witness | None = None,
) -> Evidence:
    found = Evidence(code, family, weight, said, flag, witness or _OF_FAMILY.get(family, Witness.BANK))
    CATALOGUE.append(found)
    return found


NUMBER: Final = {
    (kind, form): _row(f"number-{kind}-{form}", Family.NUMBER, said=f"found-{kind}")
    for kind in ("reference", "order", "invoice", "marketplace", "proforma", "shipping")
    for form in ("full", "digits", "zeros", "tail")
}
"""By kind of the order's number and form in which it was found."""
NUMBER_CUSTOMER: Final = _row("number-customer", Family.NUMBER, witness=Witness.CUSTOMER)
NUMBER_ITEM: Final = _row("number-item", Family.NUMBER)
NUMBER_SHORT: Final = _row("number-order-short", Family.NUMBER)
NUMBER_DAMAGED: Final = _row("number-damaged", Family.NUMBER)

NAME_OTHER: Final = _row("name-other", Family.NAME, -3.0)
NAME_SURNAME: Final = _row("name-surname", Family.NAME, 2.5)
NAME_PART: Final = _row("name-part", Family.NAME, 5.0)
NAME_CLOSE: Final = _row("name-close", Family.NAME, 8.0)
NAME_VARIANT: Final = _row("name-variant", Family.NAME, 10.0)
NAME_EQUAL: Final = _row("name-equal", Family.NAME, 11.0)
NAME_FIRST: Final = _row("name-first", Family.NAME, 0.5)
NAME_IN_TEXT: Final = _row("name-in-text", Family.NAME, 9.0)
NAME_IN_BOTH: Final = _row("name-in-text", Family.NAME, 8.0, said="name-in-both")
NAME_ON_BEHALF: Final = _row("name-on-behalf", Family.NAME, -3.0)
NAME_RECIPIENT: Final = _row("name-recipient", Family.NAME, -2.0)
IBAN_KNOWN: Final = _row("iban-known", Family.ACCOUNT, 6.0)
RULE_ALWAYS: Final = _row("rule-always", Family.RULE, 10.0)

AMOUNT_EXACT: Final = _row("amount-exact", Family.AMOUNT, 7.5)
AMOUNT_TOTAL: Final = _row("amount-total", Family.AMOUNT, 6.5)
AMOUNT_TOTAL_AGAIN: Final = _row("amount-total-again", Family.AMOUNT, 2.0, flag=Flag.OVERPAYMENT)
AMOUNT_CENTS: Final = _row("amount-cents", Family.AMOUNT, 4.5)
AMOUNT_ROUNDED: Final = _row("amount-rounded", Family.AMOUNT, 4.0, flag=Flag.OVERPAYMENT)
AMOUNT_CHARGES: Final = _row("amount-charges", Family.AMOUNT, 7.0, flag=Flag.FEE)
AMOUNT_CHARGES_HIGH: Final = _row("amount-charges", Family.AMOUNT, 4.0, said="amount-charges-high", flag=Flag.FEE)
AMOUNT_FEE: Final = _row("amount-fee", Family.AMOUNT, 3.5, flag=Flag.FEE, witness=Witness.PAYER)
AMOUNT_FEE_TOLERANCE: Final = _row("amount-fee-tolerance", Family.AMOUNT, 3.5, flag=Flag.FEE, witness=Witness.PERSON)
AMOUNT_FEE_TOLERANCE_CENTS: Final = _row(
    "amount-fee-tolerance", Family.AMOUNT, 4.5, said="amount-fee-tolerance", flag=Flag.FEE, witness=Witness.PERSON
)
AMOUNT_SHORT: Final = _row("amount-short", Family.AMOUNT, 1.0, flag=Flag.FEE)
AMOUNT_KEPT: Final = _row("amount-kept", Family.AMOUNT, 4.0, flag=Flag.FEE, witness=Witness.PERSON)
AMOUNT_KEPT_IN_DOUBT: Final = _row(
    "amount-kept-in-doubt", Family.AMOUNT, 1.0, said="amount-kept", flag=Flag.FEE, witness=Witness.PAYER
)
AMOUNT_SWAPPED: Final = _row("amount-swapped", Family.AMOUNT, 3.5, flag=Flag.AMOUNT_SWAPPED)
AMOUNT_CASH_DISCOUNT: Final = _row(
    "amount-cash-discount", Family.AMOUNT, 4.5, flag=Flag.CASH_DISCOUNT, witness=Witness.PERSON
)
AMOUNT_CASH_DISCOUNT_SAID: Final = _row(
    "amount-cash-discount",
    Family.AMOUNT,
    6.0,
    said="amount-cash-discount-said",
    flag=Flag.CASH_DISCOUNT,
    witness=Witness.PAYER,
)
AMOUNT_DISCOUNT_OFFERED: Final = _row(
    "amount-discount-offered", Family.AMOUNT, 7.0, flag=Flag.CASH_DISCOUNT, witness=Witness.MERCHANT
)
AMOUNT_DISCOUNT_LATE: Final = _row(
    "amount-discount-late", Family.AMOUNT, 1.0, flag=Flag.PARTIAL, witness=Witness.MERCHANT
)
AMOUNT_INSTALMENT: Final = _row("amount-instalment", Family.AMOUNT, 1.0, flag=Flag.PARTIAL)
AMOUNT_INSTALMENT_SAID: Final = _row(
    "amount-instalment", Family.AMOUNT, 3.5, said="amount-instalment-said", flag=Flag.PARTIAL, witness=Witness.PAYER
)
AMOUNT_PARTIAL: Final = _row("amount-partial", Family.AMOUNT, -1.5, flag=Flag.PARTIAL)
AMOUNT_PARTIAL_SAID: Final = _row(
    "amount-partial", Family.AMOUNT, 1.0, said="amount-partial-said", flag=Flag.PARTIAL, witness=Witness.PAYER
)
AMOUNT_TINY: Final = _row("amount-tiny", Family.AMOUNT, -3.5, flag=Flag.PARTIAL)
AMOUNT_DOUBLE: Final = _row("amount-double", Family.AMOUNT, 1.0, flag=Flag.OVERPAYMENT)
AMOUNT_OVER: Final = _row("amount-over", Family.AMOUNT, -1.0, flag=Flag.OVERPAYMENT)
AMOUNT_FAR_OVER: Final = _row("amount-far-over", Family.AMOUNT, -4.5, flag=Flag.OVERPAYMENT)
AMOUNT_EXCHANGE: Final = _row("amount-exchange", Family.AMOUNT, 6.0, witness=Witness.MERCHANT)
AMOUNT_EXCHANGE_NEAR: Final = _row(
    "amount-exchange", Family.AMOUNT, 4.0, said="amount-exchange-near", witness=Witness.MERCHANT
)
AMOUNT_INSTRUCTED: Final = _row("amount-instructed", Family.AMOUNT, 7.5)
AMOUNT_NO_RATE: Final = _row("amount-no-rate", Family.AMOUNT, -1.0, said="no-rate", witness=Witness.MERCHANT)
AMOUNT_NO_RATE_SAME: Final = _row(
    "amount-no-rate", Family.AMOUNT, 3.0, said="amount-no-rate-same", witness=Witness.MERCHANT
)

SUM_EXACT: Final = _row("sum-exact", Family.SUM, 9.0)
SUM_CENTS: Final = _row("sum-near", Family.SUM, 4.0, said="sum-cents", flag=Flag.FEE)
SUM_FEE: Final = _row("sum-near", Family.SUM, 4.0, said="sum-fee", flag=Flag.FEE)
SUM_TOTALS: Final = _row("sum-totals", Family.SUM, 5.0)
SUM_DISCOUNT_OFFERED: Final = _row(
    "sum-discount-offered", Family.SUM, 6.0, flag=Flag.CASH_DISCOUNT, witness=Witness.MERCHANT
)
SUM_CASH_DISCOUNT: Final = _row("sum-cash-discount", Family.SUM, 6.0, flag=Flag.CASH_DISCOUNT, witness=Witness.PERSON)
SUM_PART: Final = _row("sum-part", Family.SUM, 6.5)
SUM_FILLED: Final = _row("sum-filled", Family.SUM, 7.0)
SUM_UNNAMED: Final = _row("sum-unnamed", Family.SUM)
SUM_NET: Final = _row("sum-net", Family.SUM, 6.0, flag=Flag.PAYOUT, witness=Witness.PAYER)
SUM_REST: Final = _row("sum-rest", Family.SUM, 2.0, flag=Flag.PAYOUT, witness=Witness.PAYER)
SUM_GAP: Final = _row("sum-gap", Family.SUM, 2.0, flag=Flag.PAYOUT, witness=Witness.PAYER)
SUM_ODD: Final = _row("sum-odd", Family.SUM, said="sum-none")

STATE_SETTLED: Final = _row("state-settled", Family.STATE, -4.0)
STATE_CLOSED: Final = _row("state-closed", Family.STATE, -4.5)
TYPE_OTHER: Final = _row("type-other", Family.STATE, -2.0)
DATE_BEFORE: Final = _row("date-before", Family.DATE, -2.0)
DATE_AGE: Final = _row("date-age", Family.DATE)
DATE_NAMED: Final = _row("date-named", Family.DATE, 2.5, witness=Witness.PAYER)
DATE_OTHER: Final = _row("date-other", Family.DATE, -0.5, witness=Witness.PAYER)

NEAR_NUMBER: Final = _row("near-number", Family.HINT, 0.5)
SURNAME_IN_TEXT: Final = _row("surname-in-text", Family.HINT, 2.5)
RELATIVE_IN_TEXT: Final = _row("relative-in-text", Family.HINT, 4.0)
ANNOUNCED: Final = _row("announced", Family.HINT, 4.0, witness=Witness.CUSTOMER)
PAID_UNNAMED: Final = _row("paid-unnamed", Family.HINT, -3.0)
ITEM_IN_TEXT: Final = _row("item-in-text", Family.HINT, 3.0)
MONTH_NAMED: Final = _row("month-named", Family.HINT, 4.0)
TWIN_BEGUN: Final = _row("twin-begun", Family.TWIN, 1.5)
TWIN_FULL: Final = _row("twin-full", Family.TWIN)
TWIN_TURN: Final = _row("twin-turn", Family.TWIN, said="twin-older")
TWIN_TIME: Final = _row("twin-time", Family.TWIN)
RIVAL_OPEN: Final = _row("rival-open", Family.RIVAL, -9.0)
RIVAL_EXACT: Final = _row("rival-exact", Family.RIVAL, -4.0)
RIVAL_NAME: Final = _row("rival-name", Family.RIVAL, said="points-elsewhere")
RETURNED: Final = _row("returned", Family.PAST, 16.0)
ADVICE: Final = _row("advice", Family.PAST, 20.0, witness=Witness.PERSON)
ADVICE_UNCONFIRMED: Final = _row("advice-from", Family.PAST, 4.0, witness=Witness.PAYER)
TAKEN_BACK: Final = _row("taken-back", Family.PAST, 0.0, witness=Witness.PERSON)
