"""Proof by balances (D-81): the sum of postings between two of them, and which days may be shown twice."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise
from typing import Any, Final, NamedTuple

from paymatch.domain.books.overlap import Balances, Extent, Stretch, are_apart, follows

_DAY: Final = timedelta(days=1)


class DayBalance(NamedTuple):
    """The balance at the end of a day, and the statement that gives it."""

    day: date
    balance_minor: int
    statement: str


@dataclass(frozen=True, slots=True)
class ProvedSum:
    """The sum that the postings of some days must have, in minor units; `moved_minor` is booked on other days.

    A later statement books it late, or an earlier one before its closing balance covers it.
    """

    first_date: date
    last_date: date
    expected_minor: int
    moved_minor: int
    statements: tuple[str, str]
    versions_minor: tuple[int, ...] = ()  # the sum of each version of a statement that came with several balances

    def missing_minor(self, booked: Mapping[date, int]) -> int:
        """By how much the balances differ from the postings; `booked` has their sum per booking date."""
        found = self.moved_minor + sum(
            amount for day, amount in booked.items() if self.first_date <= day <= self.last_date
        )
        return 0 if found in self.versions_minor else self.expected_minor - found


def proved_sums(statements: Mapping[str, Stretch]) -> list[ProvedSum]:
    """Facts proved by the balances of one account's final statements in one currency, between closing days."""
    distinct = _distinct(statements)
    moved, points = _moved_by_day([statements[name] for name in distinct]), _points(distinct)

    def proved(one: DayBalance, other: DayBalance, versions: tuple[int, ...] = ()) -> ProvedSum:
        first, last = one.day + _DAY, other.day
        shifted = sum(amount for day, amount in moved.items() if first <= day <= last)
        expected = other.balance_minor - one.balance_minor
        return ProvedSum(first, last, expected, shifted, (one.statement, other.statement), versions)

    found = [proved(one, other) for one, other in pairwise(points)]
    for opening, ends in _versions(statements, distinct):
        before = [point for point in points if point.day < ends[0].day]
        if before and before[-1].balance_minor == opening and all(point.day != ends[0].day for point in points):
            found.append(proved(before[-1], ends[-1], tuple(end.balance_minor - opening for end in ends)))
    return found


def _versions(
    statements: Mapping[str, Stretch], distinct: Mapping[str, Balances]
) -> Iterator[tuple[int, list[DayBalance]]]:
    """Days with nothing but versions of one numbered statement that close otherwise: opening balance, and each end.

    The later balances say which of them holds; until then the postings have to be those of one of them.
    """
    by_day: dict[date, list[str]] = defaultdict(list)
    for name, balances in distinct.items():
        by_day[balances.closing_date].append(name)
    for day, names in sorted(by_day.items()):
        ends = {distinct[name].closing_minor: DayBalance(day, distinct[name].closing_minor, name) for name in names}
        extents = [statements[name].extent for name in names]
        openings = {distinct[name].opening_minor for name in names}
        kinds = {(each.format, each.number, each.page, each.last_date.year) for each in extents}
        if len(ends) > 1 and len(openings) == len(kinds) == 1 and extents[0].number is not None:
            yield openings.pop(), [end for _, end in sorted(ends.items())]


def day_balances(statements: Mapping[str, Stretch]) -> list[DayBalance]:
    """The balance at the end of each day for which the statements leave no doubt."""
    return _points(_distinct(statements))


def _distinct(statements: Mapping[str, Stretch]) -> dict[str, Balances]:
    """The statements that add up, each once, no matter how often and in how many formats it was delivered."""
    found: dict[Any, tuple[str, Balances]] = {}
    for name, stretch in sorted(statements.items()):
        balances = stretch.extent.balances
        if balances is not None:
            found.setdefault((balances.span, balances.closing_date, stretch.turn), (name, balances))
    return dict(found.values())


def _points(distinct: Mapping[str, Balances]) -> list[DayBalance]:
    """The balance before the first booking of all, then that at the end of each day on which a statement closes."""
    begins = {name: balances.day_sums[0][0] for name, balances in distinct.items() if balances.day_sums}
    if not begins:
        return []
    by_day: dict[date, dict[str, Balances]] = defaultdict(dict)
    for name, balances in distinct.items():
        by_day[balances.closing_date][name] = balances
    first = min(begins.values())
    of_first = {name: distinct[name] for name, day in begins.items() if day == first}
    found = _end_of_path(of_first, first - _DAY, (own.span[::-1] for own in of_first.values()), None)
    for day in sorted(day for day in by_day if day >= first):
        of_day, before = by_day[day], found[-1].balance_minor if found else None
        found += _end_of_path(of_day, day, (own.span for own in of_day.values()), before)
    return found


def _end_of_path(
    of_day: Mapping[str, Balances], day: date, steps: Iterable[tuple[int, int]], before: int | None
) -> list[DayBalance]:
    """The balance to which all steps lead: more of them end in it than begin with it. None if that is not certain.

    A way back ends with the balance before it, if that is one of the day's.
    """
    ends: Counter[int] = Counter()
    for begin, end in steps:
        ends[end] += 1
        ends[begin] -= 1
    last = [balance for balance, count in ends.items() if count > 0]
    if not last:
        last = [balance for balance in ends if len(ends) == 1 or balance == before]
    if len(last) != 1:
        return []
    return [DayBalance(day, last[0], min(name for name, own in of_day.items() if last[0] in own.span))]


def _moved_by_day(distinct: Sequence[Stretch]) -> dict[date, int]:
    """Amounts booked late or early, by day: less on its booking date, more where its statement counts it."""
    ends: dict[int, list[Stretch]] = defaultdict(list)
    for stretch in distinct:
        ends[_balances(stretch).closing_minor].append(stretch)
    moved: dict[date, int] = defaultdict(int)
    for stretch in distinct:
        balances = _balances(stretch)
        before = [one for one in ends[balances.opening_minor] if are_apart(one, stretch)]
        days = [_balances(one).closing_date for one in before if follows(_balances(one), balances)]
        begin = max((day for day in days if day < balances.closing_date), default=date.min)
        for day, amount in balances.day_sums:
            counted = begin + _DAY if day <= begin else min(day, balances.closing_date)
            if counted != day:
                moved[day] -= amount
                moved[counted] += amount
    return moved


def _balances(stretch: Stretch) -> Balances:
    assert stretch.extent.balances is not None, "only statements that add up are distinct"
    return stretch.extent.balances


FAR: Final = 50
"""Numbers that jump further do not count statements."""

_Span = tuple[int, int]


class ShownStretch(NamedTuple):
    """A final statement that adds up, and the import that brought it."""

    id: str
    stretch: Stretch
    import_id: str


def ambiguous_pairs(statements: Iterable[ShownStretch]) -> Iterator[tuple[str, str]]:
    """Pairs of statements that count as one but may be two: the first, and the one with the same content."""
    by_day: dict[Any, list[ShownStretch]] = defaultdict(list)
    numbers: set[tuple[str, int, int]] = set()
    for shown in sorted(statements, key=lambda shown: (shown.stretch.place, shown.id)):
        extent = shown.stretch.extent
        if extent.balances is None or extent.balances.opening_minor == extent.balances.closing_minor:
            continue
        by_day[extent.format, extent.balances.closing_date, extent.number is None].append(shown)
        if extent.number is not None:
            numbers.add((extent.format, extent.last_date.year, extent.number))
    for (_, _, is_bare), of_day in by_day.items():
        yield from _ways_back(of_day) if is_bare else _left_out(of_day, numbers)


def _ways_back(of_day: Sequence[ShownStretch]) -> Iterator[tuple[str, str]]:
    """Without numbers: a way that is shown more often than the way back, or twice by one file."""
    by_span: dict[_Span, list[ShownStretch]] = defaultdict(list)
    for shown in of_day:
        by_span[_span(shown)].append(shown)
    reported: set[int] = set()  # balances of the paths that were reported
    for span, same in by_span.items():
        back = _reachable_balances(span[1], by_span)
        if len(same) < 2 or span[0] not in back or span[0] in reported:
            continue
        circle = [other for other in by_span if other[0] in back and span[0] in _reachable_balances(other[1], by_span)]
        in_one_file = max(Counter(shown.import_id for shown in same).values()) > 1
        if in_one_file or len({len(by_span[other]) for other in circle}) > 1:
            reported |= back
            yield same[0].id, same[1].id


def _reachable_balances(balance: int, spans: Iterable[_Span]) -> set[int]:
    """The balances to which statements of the day lead from a balance, with itself."""
    onward: dict[int, list[int]] = defaultdict(list)
    for begin, end in spans:
        onward[begin].append(end)
    found, waiting = {balance}, [balance]
    while waiting:
        for end in onward[waiting.pop()]:
            if end not in found:
                found.add(end)
                waiting.append(end)
    return found


def _left_out(of_day: Sequence[ShownStretch], numbers: set[tuple[str, int, int]]) -> Iterator[tuple[str, str]]:
    """With numbers: between two with the same content a number is missing, which may be the way back."""
    first_of: dict[_Span, ShownStretch] = {}
    for shown in sorted(of_day, key=lambda shown: (_number(shown.stretch.extent), shown.id)):
        before = first_of.setdefault(_span(shown), shown)
        one, other = before.stretch.extent, shown.stretch.extent
        first, last = _number(one), _number(other)
        if before.stretch.run == shown.stretch.run or not 1 < last - first <= FAR:
            continue
        year = other.last_date.year
        if not any((other.format, year, number) in numbers for number in range(first + 1, last)):
            yield before.id, shown.id


def _span(shown: ShownStretch) -> _Span:
    assert shown.stretch.extent.balances is not None, "only statements with balances are asked"
    return shown.stretch.extent.balances.span


def _number(extent: Extent) -> int:
    return extent.number or 0
