"""Evidence of names: how alike the payer and an order's customer are, by identifying words (D-80)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from paymatch.domain.matching.catalogue import (
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
    RULE_ALWAYS,
    SURNAME_IN_TEXT,
    Reason,
)
from paymatch.domain.matching.learn import is_always
from paymatch.domain.matching.model import ShopFacts
from paymatch.domain.matching.prepare import OrderView, PostingView
from paymatch.domain.matching.text.names import (
    MIN_PREFIX,
    Likeness,
    Name,
    all_words,
    best_likeness,
    has_each_word,
    has_surname,
    identifying_words,
    parse_name,
    surnames_of,
    words_alike,
)
from paymatch.domain.matching.text.normalise import canonical
from paymatch.domain.matching.text.payers import COMPANY_FORMS, rare_words

_NAME_REASONS: Final = {
    Likeness.OTHER: NAME_OTHER.reason(),
    Likeness.SURNAME: NAME_SURNAME.reason(),
    Likeness.PART: NAME_PART.reason(),
    Likeness.CLOSE: NAME_CLOSE.reason(),
    Likeness.VARIANT: NAME_VARIANT.reason(),
    Likeness.EQUAL: NAME_EQUAL.reason(),
}


class NameEvidence(NamedTuple):
    """The evidence of a posting's names on an order."""

    own_likeness: Likeness  # of the payer's name alone, without the text
    likeness: Likeness
    reasons: tuple[Reason, ...]
    in_text: bool = False
    further_name: bool = False  # it agrees with a recipient or a company's contact, not with the customer


class NameFinder:
    """Compares names by the words that identify people in one shop."""

    __slots__ = ("rare", "shop")

    def __init__(self, shop: ShopFacts) -> None:
        self.shop = shop
        self.rare: dict[Name, frozenset[str]] = {}  # name -> its identifying words

    def find(self, view: PostingView, order: OrderView) -> NameEvidence:
        """The evidence of the payer's name and, if that says too little, of the text and of what was learned."""
        own = self._likeness(view, order)
        if own >= Likeness.VARIANT:
            return NameEvidence(own, own, (_NAME_REASONS[own],), further_name=self._is_further_name(view, order))
        if view.words and self._name_in(view.words, order.names):
            further = self._is_further_name(view, order)
            return NameEvidence(own, Likeness.VARIANT, (NAME_IN_TEXT.reason(),), in_text=True, further_name=further)
        if self.shop.always_rules and is_always(view, self.shop, order.facts):
            return NameEvidence(own, Likeness.VARIANT, (RULE_ALWAYS.reason(),))
        if own is Likeness.SURNAME and view.words and self._name_in(view.words | view.payers[0].bag, order.names):
            return NameEvidence(own, Likeness.CLOSE, (NAME_IN_BOTH.reason(),), in_text=True)
        if own is Likeness.OTHER and view.words and self._surname_in(view.words, order):
            return NameEvidence(own, Likeness.SURNAME, (SURNAME_IN_TEXT.reason(),))
        if self._is_remembered(view, order):
            return NameEvidence(own, max(own, Likeness.PART), (IBAN_KNOWN.reason(),))
        if own is Likeness.SURNAME and not has_surname(view.payers, order.names):
            return NameEvidence(own, own, (NAME_FIRST.reason(),))
        return NameEvidence(own, own, () if own is Likeness.UNKNOWN else (_NAME_REASONS[own],))

    def _likeness(self, view: PostingView, order: OrderView) -> Likeness:
        """How alike the payer's name and the order's are, by identifying words (D-80)."""
        names = tuple(name for name in order.names if self.rare_of(name))
        if len(names) == len(order.names) and order.is_called(view.flat_name):
            return Likeness.EQUAL
        likeness = best_likeness(view.payers, names)
        if likeness >= Likeness.SURNAME and not self._shares_rare(view.payers, names):
            likeness = Likeness.UNKNOWN
        return Likeness.UNKNOWN if view.collective and likeness <= Likeness.SURNAME else likeness

    def rare_of(self, name: Name) -> frozenset[str]:
        """The words of the name that identify someone in this shop."""
        if name not in self.rare:
            self.rare[name] = rare_words(name, self.shop.common_words)
        return self.rare[name]

    def _shares_rare(self, payers: Sequence[Name], names: Sequence[Name]) -> bool:
        """True if payer and order share an identifying word."""
        if all(len(self.rare_of(name)) == len(all_words(name)) for name in names):
            return True
        given = [word for payer in payers for word in all_words(payer)]
        return any(words_alike(word, rare) for name in names for rare in self.rare_of(name) for word in given) or any(
            payer.joined == name.joined for payer in payers for name in names
        )

    def _name_in(self, texts: frozenset[str], names: Iterable[Name]) -> bool:
        """True if one of the names is in the text, with two identifying words, or one of a company."""
        words = {canonical(word) for word in texts}
        for name in names:
            if has_each_word(words, name):
                rare = sum(not self.rare_of(name).isdisjoint(options) for options in {*identifying_words(name)})
                if rare > 1 or (rare and name.company and not words.isdisjoint(COMPANY_FORMS)):
                    return True
        return False

    def _surname_in(self, texts: frozenset[str], order: OrderView) -> bool:
        words = {canonical(word) for word in texts if len(word) > MIN_PREFIX}
        return any(
            not name.company
            and len(identifying_words(name)) > 1
            and not (words & self.rare_of(name)).isdisjoint(surnames_of(name))
            for name in order.names
        )

    def _is_further_name(self, view: PostingView, order: OrderView) -> bool:
        """True if payer or text name a recipient or a company's contact only, and no person said that this one pays."""
        facts = order.facts
        if not (facts.recipient_names or facts.contact_names):
            return False
        further = (*facts.recipient_names, *facts.contact_names)
        customers = [parse_name(name) for name in facts.names if name not in further]
        if best_likeness(view.payers, customers) >= Likeness.VARIANT or self._name_in(view.words, customers):
            return False
        return not (self._is_remembered(view, order) or is_always(view, self.shop, facts))

    def _is_remembered(self, view: PostingView, order: OrderView) -> bool:
        known = self.shop.known_ibans.get(view.posting.counterparty_iban) if view.posting.counterparty_iban else None
        if not known:
            return False
        return any(value == order.customer or value in order.facts.names for value in known)
