"""Pairing: which postings of a statement are booked already (the multiset rule, D-40)."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import product
from typing import Any, Final

from paymatch.domain.books.identity import PROVISIONAL_DAYS, RANK, IdentityKey, closeness, search_keys

# Pairs of different contents: up to few are compared at once, up to many where they share nothing rare.
_FEW: Final = 400
_MANY: Final = 10_000
_RARE: Final = (64, 400, 4000)
"""Up to this many pairs share a field that few of them have, the rarest first."""
_TRIES: Final = 50


@dataclass(slots=True, eq=False)
class _Alike:
    """Postings of one source with equal contents; `members` are given from the end."""

    identity: IdentityKey
    content: tuple[Any, ...]
    members: list[int]


_Edge = tuple[_Alike, _Alike]


def pair(known: Sequence[IdentityKey], incoming: Sequence[IdentityKey]) -> list[int | None]:
    """For each incoming entry of one statement, the index of the known entry that it matches, or None if it is new.

    Each known entry is given once; the closest pairs are made first, so that the result does not depend on the
    order in which either side is given. Equal contents are compared once, however many there are. Among many different
    ones, those that share a rare field are paired before those that share a common one.
    """
    result: list[int | None] = [None] * len(incoming)
    if len(known) == len(incoming) == 1:
        is_same = known[0].amount_minor == incoming[0].amount_minor and closeness(known[0], incoming[0])
        return [0 if is_same else None]
    booked, shown = _alike(known), _alike(incoming)
    _pair_equal(booked, shown, result)
    by_amount: dict[int, tuple[list[_Alike], list[_Alike]]] = defaultdict(lambda: ([], []))
    for group in shown.values():
        by_amount[group.identity.amount_minor][1].append(group)
    for found in booked.values():
        if found.identity.amount_minor in by_amount:
            by_amount[found.identity.amount_minor][0].append(found)
    for same_booked, same_shown in by_amount.values():
        _pair_amount(same_booked, same_shown, result)
    return result


def _alike(identities: Sequence[IdentityKey]) -> dict[tuple[Any, ...], _Alike]:
    found: dict[tuple[Any, ...], _Alike] = {}
    for member, identity in enumerate(identities):
        content = identity.content()
        group = found.get((content, identity.source))
        if group is None:
            found[content, identity.source] = _Alike(identity, content, [member])
        else:
            group.members.append(member)
    for group in found.values():
        group.members.reverse()
    return found


def _give(found: _Alike, group: _Alike, result: list[int | None], most: int | None = None) -> None:
    """As many pairs as both sides have members, or `most`."""
    for _ in range(min(len(found.members), len(group.members)) if most is None else most):
        result[group.members.pop()] = found.members.pop()


def _pair_equal(
    booked: Mapping[tuple[Any, ...], _Alike],
    shown: Mapping[tuple[Any, ...], _Alike],
    result: list[int | None],
) -> None:
    """Pairs equal contents, those of the same source first, then the most binding."""
    for (content, source), group in shown.items():
        for other in (source, *RANK):
            found = booked.get((content, other))
            if found is not None:
                _give(found, group, result)


def _pair_amount(booked: list[_Alike], shown: list[_Alike], result: list[int | None]) -> None:
    """Pairs what is left of one amount: all with all if they are few, else by the fields that they share."""
    for most in _RARE:
        booked = [each for each in booked if each.members]
        shown = [each for each in shown if each.members]
        if len(booked) * len(shown) <= _FEW:
            break
        for found, group in _closest_first(_sharing_edges(booked, shown, most)):
            _give(found, group, result)
    if len(booked) * len(shown) <= _MANY:
        edges = _closest_first((found, group) for group in shown for found in booked)
        for found, group, count in _Shares(edges).iterate_shares():
            _give(found, group, result, count)
    else:
        _pair_in_turn(booked, shown, result)


def _closest_first(candidates: Iterable[_Edge]) -> list[_Edge]:
    """Those that may be the same payment."""
    edges = [
        (-alike, abs((found.identity.booking_date - group.identity.booking_date).days), found, group)
        for found, group in candidates
        if (alike := closeness(found.identity, group.identity))
    ]
    edges.sort(key=lambda edge: (*edge[:2], _order(edge[2]), _order(edge[3])))
    return [(found, group) for _, _, found, group in edges]


def _order(group: _Alike) -> tuple[Any, ...]:
    return group.content, group.identity.source


class _Shares:
    """The assignment: the closest pairs first, then as many more as reassigning earlier ones allows.

    Both sides show the same payments where possible: one left over on both sides would be booked twice.
    """

    def __init__(self, edges: Sequence[_Edge]) -> None:
        self._choices: dict[_Alike, list[_Alike]] = defaultdict(list)
        for found, group in edges:
            self._choices[group].append(found)
        self._free = {found: len(found.members) for found, _ in edges}
        self._shares: dict[_Alike, Counter[_Alike]] = defaultdict(Counter)  # by booked, then shown
        wanting = {group: len(group.members) for group in self._choices}
        for found, group in edges:
            count = min(self._free[found], wanting[group])
            self._shares[found][group] += count
            self._free[found] -= count
            wanting[group] -= count
        asked: set[_Alike] = set()  # in vain: groups visited then have nothing to give later either
        for group, count in wanting.items():
            for _ in range(count):
                seen = asked | {group}
                if not self._gets_another(group, seen):
                    asked = seen
                    break

    def iterate_shares(self) -> Iterator[tuple[_Alike, _Alike, int]]:
        """How many members are paired, per pair of groups."""
        return ((found, *share) for found, shares in self._shares.items() for share in shares.items() if share[1])

    def _gets_another(self, group: _Alike, seen: set[_Alike]) -> bool:
        """Gives the group one more, that is free or that another gives up for one more of its own (Kuhn's algorithm).

        A `seen` group is not visited again, so the depth is at most the number of groups on the smaller side.
        """
        for found in self._choices[group]:
            if found in seen:
                continue
            seen.add(found)
            if self._free[found]:
                self._free[found] -= 1
            elif holder := self._giver(found, seen):
                self._shares[found][holder] -= 1
            else:
                continue
            self._shares[found][group] += 1
            return True
        return False

    def _giver(self, found: _Alike, seen: set[_Alike]) -> _Alike | None:
        for holder, count in self._shares[found].items():
            if count and holder not in seen:
                seen.add(holder)
                if self._gets_another(holder, seen):
                    return holder
        return None


def _sharing_edges(
    booked: Sequence[_Alike],
    shown: Sequence[_Alike],
    most: int,
) -> Iterable[_Edge]:
    """Candidates that share a field with at most `most` pairs; of one source only on the same day."""
    source = shown[0].identity.source
    index: dict[tuple[date | None, str], tuple[list[_Alike], list[_Alike]]] = defaultdict(lambda: ([], []))
    for group in shown:
        for part in search_keys(group.identity):
            for day in (group.identity.booking_date, None):
                index[day, part][1].append(group)
    for found in booked:
        day = found.identity.booking_date if found.identity.source is source else None
        for part in search_keys(found.identity):
            entry = index.get((day, part))
            if entry is not None:
                entry[0].append(found)
    # Lines of one customer share dozens of fields: those that the same lines share make the same pairs.
    few = {
        (*map(id, sharing[0]), None, *map(id, sharing[1])): sharing
        for sharing in index.values()
        if 0 < len(sharing[0]) * len(sharing[1]) <= most
    }
    return dict.fromkeys(pair for sharing in few.values() for pair in product(*sharing))


def _pair_in_turn(booked: Iterable[_Alike], shown: Iterable[_Alike], result: list[int | None]) -> None:
    """The rest of a large set that shares nothing rare: each with the next that it does not contradict."""
    waiting: dict[date, deque[_Alike]] = defaultdict(deque)
    for found in sorted(booked, key=_order):
        waiting[found.identity.booking_date].append(found)
    for group in sorted(shown, key=_order):
        day = group.identity.booking_date
        for gap in sorted(range(-PROVISIONAL_DAYS, PROVISIONAL_DAYS + 1), key=abs):
            _take_in_turn(waiting.get(day + timedelta(gap), deque()), group, result)


def _take_in_turn(waiting: deque[_Alike], group: _Alike, result: list[int | None]) -> None:
    passed: list[_Alike] = []
    while waiting and group.members and len(passed) < _TRIES:
        found = waiting.popleft()
        if closeness(found.identity, group.identity):
            _give(found, group, result)
        if found.members:
            passed.append(found)
    waiting.extendleft(reversed(passed))
