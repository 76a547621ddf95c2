"""The case for the clerk's rules: a posting with all orders that may be meant; and the type of a rule about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from paymatch.domain.matching import catalogue as kinds
from paymatch.domain.matching.evidence import Candidate
from paymatch.domain.matching.model import OrderState
from paymatch.domain.matching.prepare import PostingView
from paymatch.domain.matching.several.hypothesis import Hypothesis
from paymatch.domain.matching.text.names import Likeness, one_error
from paymatch.domain.matching.text.normalise import flat
from paymatch.domain.matching.text.numbers import MIN_DIGITS
from paymatch.domain.matching.text.wording import RemittanceSignals
from paymatch.domain.matching.weigh.amounts import Grade
from paymatch.domain.orders.fees import FEE_DOUBTS
from paymatch.domain.witnesses import Witness, may_state_money

MIN_STRANGE: Final = 5  # digits of a number that is not just an error in another one

_STEM: Final = 5  # letters that words of one kind share: `Beitrag`, `Jahresbeitrag`

KnownNumbers = Mapping[str, Sequence[str]]
"""Numbers of the posting that are orders' numbers here, with these orders."""


class Case:
    """A posting with its likeliest explanation `best`; `candidate` is its order, or the first of several.

    A rule that finds the order that is really meant sets `instead`.
    """

    __slots__ = ("best", "candidate", "candidates", "crowded", "instead", "known_numbers", "view")

    def __init__(
        self,
        view: PostingView,
        best: Hypothesis,
        candidates: Sequence[Candidate],
        known_numbers: KnownNumbers,
        *,
        crowded: bool,
    ) -> None:
        self.view = view
        self.best = best
        self.candidates = candidates
        self.known_numbers = known_numbers
        self.crowded = crowded  # more open orders have the payer's name than are looked up
        self.candidate = best.parts[0][0]
        self.instead: Candidate | None = None

    @property
    def is_open(self) -> bool:
        """Whether the order awaits money."""
        return self.candidate.order.state is OrderState.OPEN

    @property
    def payer_known(self) -> bool:
        """Whether name, text or customer number show that the payer is the customer; a first name alone does not."""
        found = self.candidate
        by_name = found.likeness >= Likeness.SURNAME and all(
            each.kind is not kinds.NAME_FIRST for each in found.reasons
        )
        return by_name or found.name_in_text or found.customer_weight > 0

    @property
    def amount_fits(self) -> bool:
        """Whether the amount is exact or explained."""
        return self.candidate.grade >= Grade.NEAR

    @property
    def is_no_payment(self) -> bool:
        """Whether text or payer point to anything but an order payment; carriers' payouts and sold items do not."""
        signals = self.view.signals
        speaks = signals.contradicts_payment and not (self.view.collective and signals.payout)
        return speaks and not self._sells_such

    @property
    def _sells_such(self) -> bool:
        """Whether an item of the order has such a word in its name (a club's dues), and the text has no other such."""
        items = {word for name in self.candidate.order.facts.item_names for word in flat(name).split()}
        sold = [word for word in items if RemittanceSignals(frozenset((word,))).contradicts_payment]
        ends = {word[-_STEM:] for word in sold} | {word[:_STEM] for word in sold}
        others = frozenset(word for word in self.view.words if ends.isdisjoint((word[-_STEM:], word[:_STEM])))
        return bool(sold) and not RemittanceSignals(others).contradicts_payment

    def is_known(self, compact: str) -> bool:
        """Whether this number is the order's, or another one's here."""
        return compact in self.known_numbers or self.candidate.order.find(compact) is not None

    def owner_of(self, compact: str) -> str:
        """Another order that has this number; empty if there is none here."""
        numbers = self.known_numbers.get(compact, ())
        return next((number for number in numbers if number != self.candidate.order.number), "")


def is_one_digit_away(case: Case, other: Candidate) -> bool:
    """True if a number of the text is one of the order's except for one error."""
    forms = [form for form in other.order.full_forms() if len(form) >= MIN_DIGITS]
    given = [each.compact for each in case.view.numbers if each.source == "text" and each.digits >= MIN_DIGITS]
    case.view.work.add(len(forms) * len(given))
    return any(one_error(compact, form) for compact in given for form in forms)


def is_typo_of_own(case: Case, other: Candidate) -> bool:
    """True if the payer's own order lacks one error of a number that is a stranger's, whose order is not of the amount.

    The payer's whole name, the exact amount and all but one digit agree with the one, nothing else with the other.
    """
    mine, number = case.candidate, other.number
    own = mine.own_likeness >= Likeness.VARIANT and not mine.further_name and mine.grade is Grade.EXACT
    if not own or number is None or number.digits < MIN_STRANGE or number.joined or number.source != "text":
        return False
    strange = other.likeness is Likeness.OTHER and not other.customer_weight and other.grade < Grade.PART
    return strange and any(one_error(number.compact, form) for form in mine.order.full_forms())


def is_of_same_customer(one: Candidate, other: Candidate) -> bool:
    """True if both orders have one customer number, or where one has none, one e-mail address."""
    mine, its = one.order.facts, other.order.facts
    if mine.customer_number and its.customer_number:
        return mine.customer_number == its.customer_number
    return bool(mine.email) and mine.email.casefold() == its.email.casefold()


def is_said(view: PostingView, candidate: Candidate) -> bool:
    """Whether the text says why the amount is less than what is open: a cash discount, a fee, an instalment."""
    kind = candidate.fit.kind
    if kind is kinds.AMOUNT_DISCOUNT_OFFERED:
        return True
    if kind in (kinds.AMOUNT_CASH_DISCOUNT, kinds.AMOUNT_CASH_DISCOUNT_SAID):
        return view.signals.cash_discount
    instalment = kind in (kinds.AMOUNT_INSTALMENT, kinds.AMOUNT_INSTALMENT_SAID)
    return kind is kinds.AMOUNT_FEE or (instalment and view.signals.instalment)


Check = Callable[[Case], str]
"""Why a person has to look (a `Message`); empty if the rule does not apply."""


@dataclass(frozen=True, slots=True)
class ClerkRule:
    """A rule for leaving a match to a person. ValueError if chosen words would lift a rule about withheld money."""

    check: Check
    words: str  # ends the sentence "a person looks where ..."
    needs: Witness  # the witness whose word would make the match without a person (D-80)
    messages: tuple[str, ...]  # codes of the sentences that it may give

    def __post_init__(self) -> None:
        if not FEE_DOUBTS.isdisjoint(self.messages) and not may_state_money(self.needs):
            raise ValueError(f"{self.name} lets the word of a {self.needs} withhold money")

    def __call__(self, case: Case) -> str:
        return self.check(case)

    @property
    def name(self) -> str:
        """The name of its function."""
        return self.check.__name__


def clerk_rule(words: str, needs: Witness, *messages: str) -> Callable[[Check], ClerkRule]:
    """Makes a rule of a function."""
    return lambda check: ClerkRule(check, words, needs, messages)
