"""Pairing: which postings of a statement are booked already (the multiset rule; DESIGN.md section 5)."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import product
from typing import Any, Final

from paymatch.domain.books.forgotten import DIGITS, tokens
from paymatch.domain.books.identity import PROVISIONAL_DAYS, RANK, IdentityKey, closeness

# Pairs of different contents: up to few are compared at once, up to many where they share nothing rare.
_FEW: Final = 400
_MANY: Final = 10_000
_TRIES: Final = 50


@dataclass(slots=True, eq=False)
class _Alike:
    """Postings of one source with equal contents; `members` are given from the end."""

    identity: IdentityKey
    content: tuple[Any, ...]
    members: list[int]


_Edge = tuple[_Alike, _Alike]


def pair(known: Sequence[IdentityKey], incoming: Sequence[IdentityKey]) -> list[int | None]:
    """Per incoming entry of one statement the place of the known one that it is, or None if it is new.

    Each known entry is given once; the closest pairs are made first, so that the result does not depend on the
    order in which either side is given. Equal contents are looked at once, however many there are. Among many that
    differ, those that share a rare field meet before those that share a common one.
    """
    result: list[int | None] = [None] * len(incoming)
    if not known or not incoming:
        return result
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
    """Pairs equal contents, those of the same source first, then what binds most."""
    for (content, source), group in shown.items():
        for other in (source, *RANK):
            found = booked.get((content, other))
            if found is not None:
                _give(found, group, result)


def _pair_amount(booked: list[_Alike], shown: list[_Alike], result: list[int | None]) -> None:
    """Pairs what is left of one amount: all with all if they are few, else by the fields that they share."""
    for fields, most in ((_fields, 64), (_fields, 64), (_parts, 64), (_parts, 400), (_parts, 4000)):
        booked = [each for each in booked if each.members]
        shown = [each for each in shown if each.members]
        if len(booked) * len(shown) <= _FEW:
            break
        for found, group in _closest_first(_sharing(booked, shown, fields, most)):
            _give(found, group, result)
    if len(booked) * len(shown) <= _MANY:
        edges = _closest_first((found, group) for group in shown for found in booked)
        for found, group, count in _Shares(edges).given():
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
    """Who is given to whom: the closest first, then as many as can be by giving others what they may have too.

    Both sides show the same payments wherever they can: one that is left over on both would be booked twice.
    """

    def __init__(self, edges: Sequence[_Edge]) -> None:
        self._choices: dict[_Alike, list[_Alike]] = defaultdict(list)
        for found, group in edges:
            self._choices[group].append(found)
        self._free = {found: len(found.members) for found, _ in edges}
        self._wanting = {group: len(group.members) for group in self._choices}
        self._shares: dict[_Alike, Counter[_Alike]] = defaultdict(Counter)  # by booked, then shown
        for found, group in edges:
            self._move(found, group, min(self._free[found], self._wanting[group]))
        self._dead: set[_Alike] = set()
        for group in self._wanting:
            while self._wanting[group] and self._make_room(group):
                pass

    def given(self) -> Iterator[tuple[_Alike, _Alike, int]]:
        """How many of whom go to whom."""
        return ((found, *share) for found, shares in self._shares.items() for share in shares.items() if share[1])

    def _move(self, found: _Alike, group: _Alike, count: int) -> None:
        self._shares[found][group] += count
        self._free[found] -= count
        self._wanting[group] -= count

    def _make_room(self, group: _Alike) -> bool:
        """Gives the group one more by a chain of exchanges; what a search without success has seen is seen no more."""
        asked_by: dict[_Alike, _Alike] = {}
        holds: dict[_Alike, _Alike] = {}  # by shown: the booked one that it would give up
        queue = deque([group])
        while queue:
            asking = queue.popleft()
            for found in self._choices[asking]:
                if found in asked_by or found in self._dead:
                    continue
                asked_by[found] = asking
                if self._free[found]:
                    self._exchange(found, group, asked_by, holds)
                    return True
                for holder, count in self._shares[found].items():
                    if count and holder != group and holder not in holds:
                        holds[holder] = found
                        queue.append(holder)
        self._dead.update(asked_by)
        return False

    def _exchange(
        self, found: _Alike, group: _Alike, asked_by: Mapping[_Alike, _Alike], holds: Mapping[_Alike, _Alike]
    ) -> None:
        asking = asked_by[found]
        self._move(found, asking, 1)
        while asking != group:
            found = holds[asking]
            self._move(found, asking, -1)
            asking = asked_by[found]
            self._move(found, asking, 1)


def _sharing(
    booked: Sequence[_Alike],
    shown: Sequence[_Alike],
    fields: Callable[[IdentityKey], Iterable[tuple[str, str]]],
    most: int,
) -> Iterable[_Edge]:
    """Candidates that share a field which makes no more than `most` pairs; of one source only on the same day."""
    source = shown[0].identity.source
    index: dict[tuple[Any, ...], tuple[list[_Alike], list[_Alike]]] = defaultdict(lambda: ([], []))
    for found in booked:
        day = found.identity.booking_date if found.identity.source is source else None
        for field in fields(found.identity):
            index[day, *field][0].append(found)
    for group in shown:
        for field in fields(group.identity):
            for day in (group.identity.booking_date, None):
                entry = index.get((day, *field))
                if entry is not None:
                    entry[1].append(group)
    few = (sharing for sharing in index.values() if len(sharing[0]) * len(sharing[1]) <= most)
    return dict.fromkeys(pair for sharing in few for pair in product(*sharing))


def _fields(identity: IdentityKey) -> list[tuple[str, str]]:
    """What two lines of one payment may share as it stands."""
    fields = (
        ("reference", identity.reference[:16]), ("end-to-end", identity.end_to_end_id), ("iban", identity.iban),
        ("text", identity.text), ("name", identity.name),
    )  # fmt: skip
    return [field for field in fields if field[1]]


def _parts(identity: IdentityKey) -> set[tuple[str, str]]:
    """What they may share if one of them was cut, or has more around it."""
    parts = {
        ("reference", identity.reference[:8]),
        ("end-to-end", identity.end_to_end_id[:8]),
        ("iban", identity.iban[-7:]),
    }
    parts |= {("text", identity.text[:length]) for length in (6, 12, 20, 30) if len(identity.text) >= length}
    parts |= {("end of text", identity.text[-12:]), ("end of name", identity.name[-6:])}
    parts |= {("name", identity.name[:length]) for length in (6, 10, 16) if len(identity.name) >= length}
    parts |= {("number", number) for number in DIGITS.findall(identity.text)}
    parts |= {("print", token) for value in identity.prints or () for token in tokens(value)}
    return {part for part in parts if part[1]}


def _pair_in_turn(booked: Iterable[_Alike], shown: Iterable[_Alike], result: list[int | None]) -> None:
    """The rest of very many that share nothing rare: each with the next that it does not contradict."""
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
