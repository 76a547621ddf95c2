"""Hints: small facts that set the order of proposals, as a clerk would, and are too weak to decide a match."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Final

from paymatch.domain.matching.catalogue import (
    ANNOUNCED,
    ITEM_IN_TEXT,
    MONTH_NAMED,
    NAME_ON_BEHALF,
    NAME_RECIPIENT,
    PAID_UNNAMED,
    Reason,
)
from paymatch.domain.matching.evidence import Candidate
from paymatch.domain.matching.model import OrderState
from paymatch.domain.matching.prepare import PostingView
from paymatch.domain.matching.text.names import Likeness, Name, all_words, best_likeness, parse_name
from paymatch.domain.matching.text.normalise import canonical, flat
from paymatch.domain.matching.weigh.amounts import Grade

ITEM_LETTERS: Final = 5
ANNOUNCED_WITHIN: Final = timedelta(days=10)
"""How far from the day that the customer states a transfer may be booked."""

_MONTHS: Final = {
    word: number
    for number, words in enumerate(
        (
            "JANUAR JANNER JANUARY JANVIER JANUARI STYCZEN STYCZNIA",
            "FEBRUAR FEBER FEBRUARY FEVRIER FEBRUARI LUTY LUTEGO",
            "MARZ MARCH MARS MAART MARZEC MARCA",
            "APRIL AVRIL KWIECIEN KWIETNIA",
            "MAI MAY MEI MAJ MAJA",
            "JUNI JUNE JUIN CZERWIEC CZERWCA",
            "JULI JULY JUILLET LIPIEC LIPCA",
            "AUGUST AUGUSTUS AOUT SIERPIEN SIERPNIA",
            "SEPTEMBER SEPTEMBRE WRZESIEN WRZESNIA",
            "OKTOBER OCTOBER OCTOBRE PAZDZIERNIK PAZDZIERNIKA",
            "NOVEMBER NOVEMBRE LISTOPAD LISTOPADA",
            "DEZEMBER DECEMBER DECEMBRE GRUDZIEN GRUDNIA",
        ),
        1,
    )
    for word in words.split()
}


def hints_of(view: PostingView, candidate: Candidate) -> Iterator[Reason]:
    """Other evidence for or against an unnamed order."""
    order = candidate.order
    if candidate.named:
        return
    said = order.facts.announced_date
    if said is not None and abs(view.booked - said) <= ANNOUNCED_WITHIN:
        yield ANNOUNCED.reason()
    if order.state is not OrderState.OPEN:
        yield PAID_UNNAMED.reason()
    if not candidate.item_weight and _names_item(view, candidate):
        yield ITEM_IN_TEXT.reason()
    if candidate.likeness < Likeness.CLOSE:
        return
    if order.facts.order_date.month in months_in(view):
        yield MONTH_NAMED.reason()
    if not candidate.name_in_text:
        yield from _about_names(view, candidate)


def is_relative_alone(view: PostingView, candidate: Candidate) -> bool:
    """True if the text has a relative's first name, not the payer's own (`Anna und Mia`), and the amount is exact."""
    in_text = candidate.name_in_text and candidate.own_likeness is Likeness.SURNAME
    if not in_text or candidate.grade is not Grade.EXACT:
        return False
    shared = {word for name in candidate.order.names for word in all_words(name)}
    own = {word for payer in view.payers for word in all_words(payer)} - shared
    return own.isdisjoint(map(canonical, view.words))


def months_in(view: PostingView) -> set[int]:
    """The months that the text names, but for words that are the payer's name."""
    if not view.words:
        return set()
    names = {word for payer in view.payers for word in payer.bag}
    words = {canonical(word) for word in view.words}
    return {_MONTHS[word] for word in words if word in _MONTHS and word not in names}


def _names_item(view: PostingView, candidate: Candidate) -> bool:
    names = candidate.order.facts.item_names
    return any(len(name) >= ITEM_LETTERS and flat(name) in view.text for name in names)


def _about_names(view: PostingView, candidate: Candidate) -> Iterator[Reason]:
    """Where a name agrees, but not that of the ultimate payer, or not the customer's own."""
    order = candidate.order
    ultimate = view.posting.ultimate_name
    if ultimate and ultimate != view.posting.counterparty_name:
        named = best_likeness((parse_name(ultimate),), order.names)
        if named < candidate.likeness and named <= Likeness.SURNAME:
            yield NAME_ON_BEHALF.reason()
    recipients = order.facts.recipient_names
    if recipients:
        own: tuple[Name, ...] = tuple(parse_name(name) for name in order.facts.names if name not in recipients)
        if best_likeness(view.payers, own) < candidate.likeness:
            yield NAME_RECIPIENT.reason()
