"""Rules that a person makes from a decision, for future payments like this one (D-49)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Final

from paymatch.domain.matching import learn
from paymatch.domain.matching.model import AlwaysRule, IgnoreRule
from paymatch.domain.matching.prepare import PostingView
from paymatch.domain.matching.text.names import identifying_words, parse_name
from paymatch.domain.refusal import Refused
from paymatch.domain.words.message import Message

MOST_RULES: Final = 500
"""Rules of a shop: each is tried on each posting that is decided."""
_LONGEST: Final = 200
_MOST_WORDS: Final = 10


class RuleAction(StrEnum):
    """The effect of a rule. No rule books: it only adds or removes evidence for the engine."""

    SET_ASIDE = "set-aside"  # the posting waits with the rule's reason, unless it names an order
    PAYS_FOR = "pays-for"  # the payer's money is for one customer: it counts like that customer's name


class RuleRefused(Refused):
    """The rule has too few conditions, or too many."""


@dataclass(frozen=True, slots=True)
class PayerRule:
    """A rule. Every given part must agree: the payer's account, the words of its name, words of the text."""

    action: RuleAction
    iban: str = ""
    name: str = ""
    words: tuple[str, ...] = ()
    reason: str = ""
    customer_number: str = ""
    customer_name: str = ""
    id: str = ""
    active: bool = True
    author: str = ""
    made_at: datetime | None = None

    @property
    def of_engine(self) -> IgnoreRule | AlwaysRule:
        """The rule in the form that matching uses."""
        if self.action is RuleAction.SET_ASIDE:
            return IgnoreRule(self.name, self.iban, self.words, self.reason, self.id)
        return AlwaysRule(self.iban, self.name, self.customer_number, self.customer_name, self.words)

    def catches(self, view: PostingView) -> bool:
        """Whether the rule applies to this posting."""
        return learn.applies(self.of_engine, view)


def normalise_rule(rule: PayerRule) -> PayerRule:
    """The rule with its parts stripped of blanks.

    RuleRefused in this order: no payer; only a single word of the payer's name, as many customers are called `Schmidt`;
    no reason to set aside; no customer to pay for; a part that is too long.
    """
    found = replace(
        rule,
        iban="".join(rule.iban.split()).upper(),
        name=" ".join(rule.name.split()),
        words=tuple(dict.fromkeys(word for each in rule.words for word in each.split())),
        reason=rule.reason.strip(),
        customer_number=rule.customer_number.strip(),
        customer_name=" ".join(rule.customer_name.split()),
    )
    if not (found.iban or found.name):
        raise RuleRefused(Message("rule-without-payer"))
    if not found.iban and len(identifying_words(parse_name(found.name))) + len(found.words) < 2:
        raise RuleRefused(Message("rule-one-word"))
    if found.action is RuleAction.SET_ASIDE and not found.reason:
        raise RuleRefused(Message("rule-without-reason"))
    if found.action is RuleAction.PAYS_FOR and not (found.customer_number or found.customer_name):
        raise RuleRefused(Message("rule-without-customer"))
    if max(len(text) for text in _texts(found)) > _LONGEST or len(found.words) > _MOST_WORDS:
        raise RuleRefused(Message("rule-too-long"))
    return found


def _texts(rule: PayerRule) -> Sequence[str]:
    return (rule.iban, rule.name, rule.reason, rule.customer_number, rule.customer_name, *rule.words)


class Past(StrEnum):
    """The effect that a rule would have had on a past posting, compared with its real outcome."""

    CAUGHT = "caught"  # it waits: the rule applies to it now
    AGREES = "agrees"  # it was decided like the rule
    NAMED = "named"  # it is matched to an order, or names one: the rule leaves it as it is
    AGAINST = "against"  # it was decided otherwise


def judge_posting(
    rule: PayerRule, *, aside: bool, names_order: bool, customers: Sequence[tuple[str, Sequence[str]]]
) -> Past:
    """The real outcome of a posting that the rule applies to.

    `aside`: a person or a rule set it aside, or ignored it; `names_order`: it waits and names an order; `customers` are
    the numbers and names of the customers whose orders it is matched to.
    """
    if rule.action is RuleAction.SET_ASIDE:
        if aside:
            return Past.AGREES
        return Past.NAMED if customers or names_order else Past.CAUGHT
    if customers:
        return Past.AGREES if all(_is_its(rule, *each) for each in customers) else Past.AGAINST
    return Past.AGAINST if aside else Past.CAUGHT


def _is_its(rule: PayerRule, number: str, names: Sequence[str]) -> bool:
    if rule.customer_number:
        return rule.customer_number == number
    return rule.customer_name in names
