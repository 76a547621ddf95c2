"""Between two closing balances of an account its postings add up to their difference, whatever showed them (D-81)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise
from typing import Any, Final, NamedTuple

from paymatch.domain.books.overlap import Balances, Stretch, are_apart, follows

_DAY: Final = timedelta(days=1)


class _Point(NamedTuple):
    """What the account holds at the end of a day, and the statement that says so."""

    day: date
    balance_minor: int
    statement: str


@dataclass(frozen=True, slots=True)
class ProvedSum:
    """What the postings of some days must add up to, in minor units; `moved_minor` is booked on other days.

    That is what a later statement books late, or an earlier one ahead of its closing balance.
    """

    first_date: date
    last_date: date
    expected_minor: int
    moved_minor: int
    statements: tuple[str, str]

    def missing_minor(self, booked: Mapping[date, int]) -> int:
        """By how much the balances differ from the postings; `booked` has their sum per booking date."""
        found = sum(amount for day, amount in booked.items() if self.first_date <= day <= self.last_date)
        return self.expected_minor - found - self.moved_minor


def proved_sums(statements: Mapping[str, Stretch]) -> list[ProvedSum]:
    """What the balances of the final statements of one account and currency prove, from one closing day to the next."""
    told = _distinct(statements)
    moved = _moved([statements[name] for name in told])
    uncertain = _uncertain_days(statements, told)
    found = []
    for one, other in pairwise(sorted((*_opening(told), *_closings(told)))):
        if one.day == other.day:
            continue
        first, last = one.day + _DAY, other.day
        if any(first <= day <= last for day in uncertain):
            continue
        shifted = sum(amount for day, amount in moved.items() if first <= day <= last)
        names = one.statement, other.statement
        found.append(ProvedSum(first, last, other.balance_minor - one.balance_minor, shifted, names))
    return found


def _distinct(statements: Mapping[str, Stretch]) -> dict[str, Balances]:
    """The statements that add up, each once however often and in however many formats it was delivered."""
    found: dict[Any, tuple[str, Balances]] = {}
    for name, stretch in sorted(statements.items()):
        balances = stretch.extent.balances
        if balances is not None:
            found.setdefault((balances.span, balances.closing_date, stretch.turn), (name, balances))
    return dict(found.values())


def _uncertain_days(statements: Mapping[str, Stretch], told: Mapping[str, Balances]) -> set[date]:
    """Days of statements whose balances no other one meets, or that come again under another number.

    The first of them name what is missing, and the others may be two statements or one.
    """
    begins, ends = (
        Counter(own.opening_minor for own in told.values()),
        Counter(own.closing_minor for own in told.values()),
    )
    first = min((own.opening_date for own in told.values()), default=date.min)
    found: set[date] = set()
    for own in told.values():
        is_met = ends[own.opening_minor] - (own.opening_minor == own.closing_minor) or begins[own.opening_minor] > 1
        if not is_met and ends[own.closing_minor] < 2 and own.opening_date > first:
            found |= {own.closing_date, *(day for day, _ in own.day_sums)}
    numbers: dict[Any, set[Any]] = defaultdict(set)
    for stretch in statements.values():
        extent = stretch.extent
        if extent.balances is not None:
            key = extent.format, extent.balances.span, extent.balances.closing_date, stretch.turn
            numbers[key].add((extent.number, extent.page))
    return found | {closed for (_, _, closed, _), counted in numbers.items() if len(counted) > 1}


def _opening(told: Mapping[str, Balances]) -> Iterator[_Point]:
    """The balance before the first booking of all."""
    begins = {name: balances.day_sums[0][0] for name, balances in told.items() if balances.day_sums}
    if begins:
        first = min(begins.values())
        of_day = {name: told[name] for name, day in begins.items() if day == first}
        yield from _end_of_path(of_day, first - _DAY, (own.span[::-1] for own in of_day.values()))


def _closings(told: Mapping[str, Balances]) -> Iterator[_Point]:
    """The balance at the end of each day on which a statement closes."""
    by_day: dict[date, dict[str, Balances]] = defaultdict(dict)
    for name, balances in told.items():
        by_day[balances.closing_date][name] = balances
    for day, of_day in by_day.items():
        yield from _end_of_path(of_day, day, (own.span for own in of_day.values()))


def _end_of_path(of_day: Mapping[str, Balances], day: date, steps: Iterable[tuple[int, int]]) -> Iterator[_Point]:
    """The balance to which all steps lead: more of them end in it than begin with it. None if that is not certain."""
    ends: Counter[int] = Counter()
    for begin, end in steps:
        ends[end] += 1
        ends[begin] -= 1
    last = [balance for balance, count in ends.items() if count > 0] or list(ends)
    if len(last) == 1:
        yield _Point(day, last[0], min(name for name, own in of_day.items() if last[0] in own.span))


def _moved(told: Sequence[Stretch]) -> dict[date, int]:
    """What is booked late or ahead, by day: less on its booking date, more where its statement counts it."""
    ends: dict[int, list[Stretch]] = defaultdict(list)
    for stretch in told:
        ends[_balances(stretch).closing_minor].append(stretch)
    moved: dict[date, int] = defaultdict(int)
    for stretch in told:
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
