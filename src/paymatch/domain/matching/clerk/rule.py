"""A rule of the clerk: a function with its words, its sentences and the witness whose word it asks for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from paymatch.domain.matching.clerk.case import Case
from paymatch.domain.orders.fees import FEE_DOUBTS
from paymatch.domain.witnesses import Witness, may_state_money

Check = Callable[[Case], str]
"""Why a person has to look, in words (`Message`); empty if the rule does not hold."""


@dataclass(frozen=True, slots=True)
class ClerkRule:
    """When a match is left to a person. ValueError if a word that is chosen would lift a rule about money withheld."""

    check: Check
    words: str  # ends the sentence "a person looks where ..."
    needs: Witness  # the witness by whose word the match would be made without a person (D-80)
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
