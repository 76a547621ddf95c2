"""Matching of advices to postings: a pure function of both sets, independent of their order (D-40, D-94)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from enum import IntEnum
from itertools import combinations
from typing import Final

from paymatch.domain.advices.advice import Advice, LineShare, shares_of
from paymatch.domain.matching.text.normalise import flat
from paymatch.domain.orders.fees import split_in_proportion

EARLIER: Final = timedelta(days=7)
"""How long before its advice is dated or received a payment may be booked."""
LATER: Final = timedelta(days=60)
_MOST_OF_GROUP: Final = 4
"""How many payments of one advice, or advices of one payment, are combined at most."""
_MOST_TRIED: Final = 14
_MOST_CHOICES: Final = 4
"""How many explanations of a posting are shown to a person."""
NUMBER_LENGTH: Final = 5
"""Characters of an advice's number that names it in a payment's text; shorter ones are in many texts by chance."""


class AdviceLink(IntEnum):
    """What ties an advice to a posting besides its sum; the strongest first."""

    PERSON = 0  # uploaded on the page of this posting
    NUMBER = 1  # the payment's text names the advice
    PAYER = 2  # the payer is the one that the advice names, or for whom its sender is confirmed
    SUM = 3  # nothing but the exact sum


@dataclass(frozen=True, slots=True)
class KnownAdvice:
    """An advice and how it arrived; `vouched` if a person or a trusted channel brought it (D-80)."""

    id: str
    advice: Advice
    received_on: date
    vouched: bool
    posting_id: str = ""  # of the posting on whose page a person uploaded it
    payers: frozenset[str] = frozenset()  # keys of payers for whom its sender is confirmed

    @property
    def day(self) -> date:
        """The day from which payments of the advice are looked for."""
        return self.advice.day or self.received_on

    @property
    def first_day(self) -> date:
        """The first day whose payments it may explain: a person may upload a month's advices that name no day."""
        return self.day - (LATER if self.vouched and self.advice.day is None else EARLIER)


@dataclass(frozen=True, slots=True)
class AdvisedPosting:
    """The facts of a credit on the shop's account that ties need."""

    id: str
    currency: str
    amount_minor: int
    booked_on: date
    payer_key: str = ""  # account, or flat name if the bank gives none
    name: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class AdvisedShare:
    """A line's money within one posting."""

    advice_id: str
    share: LineShare


@dataclass(frozen=True, slots=True)
class Explanation:
    """The parts of a posting; the shares add up to its amount."""

    posting_id: str
    shares: tuple[AdvisedShare, ...]
    link: AdviceLink
    may_decide: bool  # every advice in it is vouched for
    is_choice: bool = False  # another advice or posting is as good: a person chooses
    others: tuple[Explanation, ...] = ()  # of a choice: what else may explain the posting

    @property
    def choices(self) -> tuple[Explanation, ...]:
        """This one and the others, each alone."""
        return (replace(self, others=()), *self.others) if self.others else (self,)

    @property
    def advice_ids(self) -> tuple[str, ...]:
        """The advices of all choices, each once."""
        return tuple(dict.fromkeys(each.advice_id for choice in self.choices for each in choice.shares))


@dataclass(frozen=True, slots=True)
class _Group:
    """Advices and postings of one sum: one of them is alone."""

    advices: tuple[str, ...]
    postings: tuple[str, ...]


def explain_postings(
    advices: Iterable[KnownAdvice],
    postings: Iterable[AdvisedPosting],
    earlier: Mapping[str, str] | None = None,
) -> dict[str, Explanation]:
    """Posting -> what explains it to the cent. The result is the same for every order of both.

    Vouched advices are taken first, so a stranger's advice cannot block them. Where several advices or postings are as
    good, each posting has a choice of explanations, and its money waits for a person. As many equal payments of a payer
    as there are equal advices settle all of them, whichever is whose (D-139): there a posting keeps the advice that it
    had `earlier`.
    """
    known = {each.id: each for each in sorted(advices, key=lambda each: (each.day, each.id))}
    free = {
        each.id: each for each in sorted(postings, key=lambda each: (each.booked_on, each.id)) if each.amount_minor > 0
    }
    waiting, found, choices = dict(known), dict[str, Explanation](), list[Explanation]()
    for trusted in (True, False):
        for link in AdviceLink:
            links = _links(waiting.values(), free.values(), link, trusted=trusted)
            pools = _Pools(earlier or {}) if trusted and link is not AdviceLink.SUM else None
            groups, rivals = _groups(links, waiting, free, pools, alone=link is AdviceLink.SUM)
            for group in rivals:
                choices += _shared_out(*_members(group, known, free), link, trusted=trusted)
            for group in groups:
                explained = _shared_out(*_members(group, known, free), link, trusted=trusted)
                for each in explained:
                    found[each.posting_id] = each
                    del free[each.posting_id]
                if explained:
                    waiting = {key: each for key, each in waiting.items() if key not in group.advices}
    left = [each for each in choices if each.posting_id in free and waiting.keys() >= set(each.advice_ids)]
    return found | _chosen_between(left)


def _members(
    group: _Group, advices: dict[str, KnownAdvice], postings: dict[str, AdvisedPosting]
) -> tuple[list[KnownAdvice], list[AdvisedPosting]]:
    return [advices[each] for each in group.advices], [postings[each] for each in group.postings]


def _chosen_between(explanations: Iterable[Explanation]) -> dict[str, Explanation]:
    """Posting -> its explanations as one with others, the strongest tie first; few of many."""
    of_posting: dict[str, dict[tuple[AdvisedShare, ...], Explanation]] = defaultdict(dict)
    for each in explanations:
        of_posting[each.posting_id].setdefault(each.shares, each)
    return {
        key: replace(first, is_choice=True, others=tuple(others[: _MOST_CHOICES - 1]))
        for key, own in of_posting.items()
        for first, *others in [list(own.values())]
    }


def _links(
    advices: Iterable[KnownAdvice], postings: Iterable[AdvisedPosting], link: AdviceLink, *, trusted: bool
) -> dict[str, list[str]]:
    """Advice -> the postings that it is tied to by `link`, in their order."""
    found: dict[str, list[str]] = {}
    by_currency: dict[str, list[AdvisedPosting]] = defaultdict(list)
    for posting in postings:
        by_currency[posting.currency].append(posting)
    for known in advices:
        ties = [
            each.id
            for each in by_currency[known.advice.currency]
            if _is_linked(known, each, link) and _vouches(known, each) is trusted
        ]
        if ties:
            found[known.id] = ties
    return found


def _vouches(known: KnownAdvice, posting: AdvisedPosting) -> bool:
    """True if the advice may decide this posting: vouched for as such, or its sender is confirmed for this payer."""
    return known.vouched or (bool(posting.payer_key) and posting.payer_key in known.payers)


def _is_linked(known: KnownAdvice, posting: AdvisedPosting, link: AdviceLink) -> bool:
    if known.posting_id:
        return link is AdviceLink.PERSON and known.posting_id == posting.id
    if link is AdviceLink.PERSON or not known.first_day <= posting.booked_on <= known.day + LATER:
        return False
    if link is AdviceLink.NUMBER:
        return _names(posting.text, known.advice.number)
    if link is AdviceLink.PAYER:
        return _is_of_payer(known, posting)
    return posting.amount_minor == known.advice.paid_minor


def _names(text: str, number: str) -> bool:
    wanted = flat(number).strip()
    if len(wanted) < NUMBER_LENGTH or not any(char.isdigit() for char in wanted):
        return False
    found, place = flat(text), -1
    while (place := found.find(wanted, place + 1)) >= 0:
        before, behind = found[place - 1 : place], found[place + len(wanted) : place + len(wanted) + 1]
        if not before.isalnum() and not behind.isalnum():
            return True
    return False


def _is_of_payer(known: KnownAdvice, posting: AdvisedPosting) -> bool:
    advice = known.advice
    if posting.payer_key and posting.payer_key in {*known.payers, advice.payer_account or None}:
        return True
    stated, name = flat(advice.payer).split(), flat(posting.name).split()
    return bool(stated) and stated == name


def _groups(
    links: dict[str, list[str]],
    advices: dict[str, KnownAdvice],
    postings: dict[str, AdvisedPosting],
    pools: _Pools | None,
    *,
    alone: bool,
) -> tuple[list[_Group], list[_Group]]:
    """The groups of one sum that no other group touches, and those that do; `alone`: an advice with a posting only."""
    single = [
        _Group((advice_id,), (posting_id,))
        for advice_id, ids in links.items()
        for posting_id in ids
        if postings[posting_id].amount_minor == advices[advice_id].advice.paid_minor
    ]
    found = _separate_groups(single) + _twins(single, advices, postings, pools)
    if not alone:
        taken = {each for group in single for each in (*group.advices, *group.postings)}
        rest = {key: [each for each in ids if each not in taken] for key, ids in links.items() if key not in taken}
        larger = [*_split_advices(rest, advices, postings), *_joined_advices(rest, advices, postings)]
        found, single = found + _separate_groups(larger), single + larger
    explained = {each for group in found for each in group.postings}
    return found, [group for group in single if explained.isdisjoint(group.postings)]


def _separate_groups(groups: Sequence[_Group]) -> list[_Group]:
    """Groups that share no part with another group."""
    seen: dict[str, int] = defaultdict(int)
    for group in groups:
        for each in (*group.advices, *group.postings):
            seen[each] += 1
    return [group for group in groups if all(seen[each] == 1 for each in (*group.advices, *group.postings))]


@dataclass(frozen=True, slots=True)
class _Pools:
    """Pairs equal advices with as many equal payments of one payer: together they settle all orders (D-139)."""

    earlier: Mapping[str, str]  # posting -> the advice that explained it so far

    def pairs(self, advice_ids: Sequence[str], tied: Sequence[str]) -> list[_Group]:
        """Each posting with its earlier advice if that is among these, the others in their order."""
        kept: dict[str, str] = {}
        for posting_id in tied:
            before = self.earlier.get(posting_id, "")
            if before in advice_ids and before not in kept.values():
                kept[posting_id] = before
        left = iter([each for each in advice_ids if each not in kept.values()])
        return [_Group((kept.get(each) or next(left),), (each,)) for each in tied]


def _twins(
    groups: Sequence[_Group],
    advices: dict[str, KnownAdvice],
    postings: dict[str, AdvisedPosting],
    pools: _Pools | None,
) -> list[_Group]:
    """Advices of one sum with as many payments of it: by day, where days distinguish all of them, else of one payer."""
    of_advice: dict[str, list[str]] = defaultdict(list)
    for group in groups:
        of_advice[group.advices[0]].append(group.postings[0])
    alike: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for advice_id, ids in of_advice.items():
        alike[tuple(ids)].append(advice_id)
    touched: dict[str, int] = defaultdict(int)
    for posting_ids in alike:
        for each in posting_ids:
            touched[each] += 1
    found: list[_Group] = []
    for tied, advice_ids in alike.items():
        if len(tied) != len(advice_ids) or len(tied) == 1 or any(touched[each] > 1 for each in tied):
            continue
        sent, booked = [advices[each].day for each in advice_ids], [postings[each].booked_on for each in tied]
        if len(set(sent)) == len(sent) and len(set(booked)) == len(booked):
            found += [_Group((one,), (other,)) for one, other in zip(advice_ids, tied, strict=True)]
        elif pools is not None and len(payers := {postings[each].payer_key for each in tied}) == 1 and all(payers):
            found += pools.pairs(advice_ids, tied)
    return found


def _split_advices(
    links: dict[str, list[str]], advices: dict[str, KnownAdvice], postings: dict[str, AdvisedPosting]
) -> list[_Group]:
    """One advice that several payments of one payer make up."""
    found: list[_Group] = []
    for advice_id, ids in links.items():
        by_payer: dict[str, list[str]] = defaultdict(list)
        for each in ids:
            by_payer[postings[each].payer_key or each].append(each)
        for own in by_payer.values():
            sums = _sums_of(own, [postings[each].amount_minor for each in own], advices[advice_id].advice.paid_minor)
            found += [_Group((advice_id,), each) for each in sums]
    return found


def _joined_advices(
    links: dict[str, list[str]], advices: dict[str, KnownAdvice], postings: dict[str, AdvisedPosting]
) -> list[_Group]:
    """Several advices that one payment settles."""
    of_posting: dict[str, list[str]] = defaultdict(list)
    for advice_id, ids in links.items():
        for posting_id in ids:
            of_posting[posting_id].append(advice_id)
    return [
        _Group(each, (posting_id,))
        for posting_id, own in of_posting.items()
        for each in _sums_of(own, [advices[each].advice.paid_minor for each in own], postings[posting_id].amount_minor)
    ]


def _sums_of(ids: Sequence[str], amounts: Sequence[int], wanted: int) -> list[tuple[str, ...]]:
    """The choices of two to four whose amounts add up to `wanted`; all of them together count, too."""
    if len(ids) < 2:
        return []
    found = [tuple(ids)] if sum(amounts) == wanted and len(ids) > _MOST_OF_GROUP else []
    if len(ids) <= _MOST_TRIED:
        for count in range(2, _MOST_OF_GROUP + 1):
            found += [
                tuple(ids[each] for each in chosen)
                for chosen in combinations(range(len(ids)), count)
                if sum(amounts[each] for each in chosen) == wanted
            ]
    return found


def _shared_out(
    advices: Sequence[KnownAdvice], postings: Sequence[AdvisedPosting], link: AdviceLink, *, trusted: bool
) -> list[Explanation]:
    """The lines of the advices poured into the postings one after the other, each line split where a posting ends."""
    shares = [AdvisedShare(known.id, share) for known in advices for share in shares_of(known.advice)]
    if len(postings) == 1:
        return [Explanation(postings[0].id, tuple(shares), link, trusted)]
    found: list[Explanation] = []
    parts = _pour([each.share.paid_minor for each in shares], [each.amount_minor for each in postings])
    if parts is None:  # credit notes have no place of their own in several payments
        return []
    for place, posting in enumerate(postings):
        own = [
            replace(each, share=replace(each.share, paid_minor=part[place], withheld_minor=withheld[place]))
            for each, part in zip(shares, parts, strict=True)
            if part[place]
            for withheld in [split_in_proportion(each.share.withheld_minor, part)]
        ]
        found.append(Explanation(posting.id, tuple(own), link, trusted))
    return found


def _pour(amounts: Sequence[int], sizes: Sequence[int]) -> list[list[int]] | None:
    """How much of each amount falls into each size, in order; None if an amount is below 0."""
    if any(each < 0 for each in amounts):
        return None
    left, place = list(sizes), 0
    found: list[list[int]] = []
    for amount in amounts:
        parts, rest = [0] * len(left), amount
        while rest:
            part = min(rest, left[place])
            parts[place] += part
            left[place] -= part
            rest -= part
            if not left[place]:
                place += 1
        found.append(parts)
    return found
