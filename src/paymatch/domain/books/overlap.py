"""Which final statements show different payments: balances, numbers and pages prove an overlap (D-81)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from itertools import chain
from typing import Any, Final, NamedTuple

_DAY: Final = timedelta(days=1)
"""A bank dates the opening balance with the day before the statement, or with its first day."""


class Balances(NamedTuple):
    """Two balances between which the bookings of a statement lie, and its sum per booking date; in minor units.

    Only for a statement that adds up. `low_minor` and `high_minor` are the lowest and the highest balance that it
    passes, booking by booking; None if that was not recorded.
    """

    opening_minor: int
    closing_minor: int
    opening_date: date
    closing_date: date
    low_minor: int | None
    high_minor: int | None
    day_sums: tuple[tuple[date, int], ...]

    @property
    def span(self) -> tuple[int, int]:
        """From one balance to the other."""
        return self.opening_minor, self.closing_minor

    def sum_of(self, first: date, last: date) -> int:
        """The sum that it books between two days, both included."""
        return sum(amount for day, amount in self.day_sums if first <= day <= last)


class Extent(NamedTuple):
    """What a final statement states about its place in its account.

    `sequence` is its number as text, or its id if it has none; `number` is None where the bank does not count.
    """

    format: str
    sequence: str
    number: int | None
    page: int | None
    first_date: date  # of its bookings
    last_date: date
    balances: Balances | None

    @property
    def order(self) -> tuple[Any, ...]:
        """By its content, never by its arrival."""
        balances = self.balances
        counted = self.number or 0, self.page or 0, self.sequence
        spelled = "" if balances is None else repr(balances)  # only where all else is equal
        return self.first_date, self.last_date, self.format, *counted, (balances or ())[:2], spelled


def number_of(sequence: str) -> int | None:
    """The number of a statement; None for any other text, and for 0, which counts nothing."""
    return int(sequence) or None if sequence.isascii() and sequence.isdigit() and len(sequence) < 10 else None


class Course:
    """The bookings of a statement, one at a time: their sum, and what proves its place once the balances are known."""

    def __init__(self) -> None:
        self.booked_minor = 0
        self._low = self._high = 0
        self._day_sums: dict[date, int] = defaultdict(int)

    def add(self, day: date, amount_minor: int) -> None:
        """The next booking."""
        self.booked_minor += amount_minor
        self._low, self._high = min(self._low, self.booked_minor), max(self._high, self.booked_minor)
        self._day_sums[day] += amount_minor

    def between(
        self, opening_minor: int, opening_date: date, closing_minor: int, closing_date: date
    ) -> Balances | None:
        """The proof of the bookings between two balances; None if they do not add up."""
        if opening_minor + self.booked_minor != closing_minor:
            return None
        return Balances(
            opening_minor, closing_minor, opening_date, closing_date,
            opening_minor + self._low, opening_minor + self._high, tuple(sorted(self._day_sums.items())),
        )  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Stretch:
    """An extent among all of its account: statements of one `place` are equal in everything that they state about
    themselves.

    `run` names statements that each have the next number or page and opens as the one before it closes; None outside
    of any. `turn` counts the earlier ones of the run that lead from the same balance to the same other one. `later` are
    those of other formats to which a chain of balances leads from it, over statements in between.
    """

    extent: Extent
    place: int
    run: int | None
    turn: int
    later: frozenset[Extent]


def stretches(extents: Mapping[str, Extent]) -> dict[str, Stretch]:
    """The final statements of one account and currency by id; the same in any order of input."""
    places = {extent: place for place, extent in enumerate(sorted(set(extents.values()), key=lambda each: each.order))}
    in_runs = _in_runs(places)
    later = _later(places, {extent: run for extent, (run, _) in in_runs.items()})
    made = {}
    for extent, place in places.items():
        run, turn = in_runs.get(extent, (None, 0))
        made[extent] = Stretch(extent, place, run, turn, later.get(extent, frozenset()))
    return {statement: made[extent] for statement, extent in extents.items()}


def _later(extents: Iterable[Extent], runs: Mapping[Extent, int]) -> dict[Extent, frozenset[Extent]]:
    """The statements of other formats that a chain leads to, one by one, as long as days of the first are shown."""
    opening: dict[int, list[Extent]] = defaultdict(list)
    for extent in extents:
        if extent.balances is not None:
            opening[extent.balances.opening_minor].append(extent)
    found: dict[Extent, frozenset[Extent]] = {}
    for extent in chain.from_iterable(opening.values()) if len({each.format for each in extents}) > 1 else ():
        linked, waiting = {extent}, [extent]
        while waiting:
            one = waiting.pop()
            assert one.balances is not None, "only statements with balances are asked"
            for other in opening.get(one.balances.closing_minor, ()):
                near = other.first_date <= extent.last_date and other not in linked
                if near and _is_next(one, other, runs):
                    linked.add(other)
                    waiting.append(other)
        found[extent] = frozenset(each for each in linked if each.format != extent.format)
    return found


def _is_next(one: Extent, other: Extent, runs: Mapping[Extent, int]) -> bool:
    """Whether the second shows later bookings than the first, by numbers or by balances."""
    assert one.balances is not None
    assert other.balances is not None
    if runs.get(one, -1) == runs.get(other, -2):
        return _counts_of(one) < _counts_of(other)
    return follows(one.balances, other.balances) and not _may_overlap(one.balances, other.balances)


def _in_runs(extents: Iterable[Extent]) -> dict[Extent, tuple[int, int]]:
    """Run and turn of the numbered statements that add up."""
    by_number: dict[tuple[Any, ...], list[Extent]] = defaultdict(list)
    for extent in extents:
        if extent.balances is not None and extent.number is not None:
            by_number[extent.format, *_counts_of(extent)].append(extent)
    found: dict[Extent, tuple[int, int]] = {}
    run, before, turns = 0, None, Counter[tuple[int, int]]()
    for _, same in sorted(by_number.items()):
        if not _goes_on(before, same):
            run, turns = run + 1, Counter()
        span = _span(same[0])
        found |= dict.fromkeys(same, (run, turns[span]))
        turns[span] += 1
        before = same
    return found


def _counts_of(extent: Extent) -> tuple[int, int, int]:
    return extent.last_date.year, extent.number or 0, extent.page or 0


def _span(extent: Extent) -> tuple[int, int]:
    assert extent.balances is not None, "only statements that add up are in runs"
    return extent.balances.span


def _goes_on(before: Sequence[Extent] | None, same: Sequence[Extent]) -> bool:
    """Whether the number or page of these is the next one, and they open as those before close."""
    spans = {_span(each) for each in (*(before or ()), *same)}
    if before is None or before[0].format != same[0].format or len(spans) > 2:
        return False
    one, other = before[0], same[0]
    pages = other.number == one.number and (other.page or 0) == (one.page or 0) + 1
    return (pages or other.number == (one.number or 0) + 1) and all(
        _span(each)[1] == _span(later)[0] for each in before for later in same
    )


def newly_apart(without: Mapping[str, Stretch], with_others: Mapping[str, Stretch]) -> set[str]:
    """Statements that are apart from another one only with others that lie between them, which close a run or chain."""
    joined: dict[int, set[int | None]] = defaultdict(set)
    known = {stretch.extent for stretch in without.values()}
    linked: set[Extent] = set()
    for name, stretch in without.items():
        if (run := with_others[name].run) is not None:
            joined[run].add(stretch.run)
        if new := (with_others[name].later & known) - stretch.later:
            linked |= {stretch.extent, *new}
    runs = {run for run, before in joined.items() if len(before) > 1}
    names = sorted(
        (name for name, own in without.items() if with_others[name].run in runs or own.extent in linked),
        key=lambda name: without[name].extent.first_date,
    )
    found: set[str] = set()
    for at, name in enumerate(names):
        for other in names[at + 1 :]:
            if without[other].extent.first_date > without[name].extent.last_date:
                break
            if are_apart(without[name], without[other]) != are_apart(with_others[name], with_others[other]):
                found |= {name, other}
    return found


@lru_cache(maxsize=1 << 12)
def are_apart(a: Stretch, b: Stretch) -> bool:
    """Whether two final statements of one account and currency provably show different payments."""
    mine, yours = a.extent, b.extent
    one, other = mine.balances, yours.balances
    if one is None or other is None:
        return _are_counted_apart(mine, yours)
    if a.run is not None and a.run == b.run and _counts_of(mine) != _counts_of(yours):
        return True
    if one.span == other.span:
        return _are_pages(mine, yours)
    if one.closing_minor == other.opening_minor or other.closing_minor == one.opening_minor:
        is_chain = follows(one, other) or follows(other, one)
        return (is_chain and not _may_overlap(one, other)) or _are_counted_apart(mine, yours)
    if one.opening_minor == other.opening_minor or one.closing_minor == other.closing_minor or _share_proof(one, other):
        return False
    linked = mine.format == yours.format or yours in a.later or mine in b.later
    return (linked and _pass_different_balances(one, other)) or _are_pages(mine, yours)


def follows(one: Balances, other: Balances) -> bool:
    """Whether the second opens with the closing balance of the first, and not earlier."""
    if one.closing_minor != other.opening_minor or one.closing_date > other.closing_date:
        return False
    if one.closing_date <= other.opening_date + _DAY and one.opening_date <= other.opening_date:
        return True
    return bool(one.day_sums and other.day_sums) and one.day_sums[-1][0] <= other.day_sums[0][0]


def _share_proof(one: Balances, other: Balances) -> bool:
    """Whether days that both show prove an overlap."""
    return _is_overlap(one, other) or _is_overlap(other, one)


def _may_overlap(one: Balances, other: Balances) -> bool:
    """Whether two statements that form a chain may still show the same payments."""
    return _share_proof(one, other) or _may_hold(one, other) or _may_hold(other, one)


def _is_overlap(one: Balances, other: Balances) -> bool:
    """Whether days that both show, taken once, explain both balances: one begins first, or contains the other."""
    if not one.day_sums or not other.day_sums:
        return False
    first, last = other.day_sums[0][0], other.day_sums[-1][0]
    begin, end = one.day_sums[0][0], one.day_sums[-1][0]
    if begin > first or end < first:
        return False
    if end >= last:
        within = one.sum_of(first, last) == other.sum_of(first, last)
        return within and other.opening_minor == one.opening_minor + one.sum_of(begin, first - _DAY)
    shared = one.sum_of(first, end)
    return shared == other.sum_of(first, end) == one.closing_minor - other.opening_minor


def _may_hold(one: Balances, other: Balances) -> bool:
    """Whether the second may be a part of a day of the first: it passes no balance that the first does not pass."""
    shared = {day for day, _ in one.day_sums} & {day for day, _ in other.day_sums}
    (low, high), (lowest, highest) = _range(other), _range(one)
    return bool(shared) and lowest <= low and high <= highest


def _range(balances: Balances) -> tuple[int, int]:
    """The lowest and the highest balance that it is known to pass."""
    low = min(balances.span) if balances.low_minor is None else balances.low_minor
    return low, max(balances.span) if balances.high_minor is None else balances.high_minor


def _pass_different_balances(one: Balances, other: Balances) -> bool:
    """Whether all balances of one are below or above those of the other; they may meet in one."""
    if one.low_minor is None or one.high_minor is None or other.low_minor is None or other.high_minor is None:
        return False
    return one.high_minor <= other.low_minor or other.high_minor <= one.low_minor


def _are_pages(one: Extent, other: Extent) -> bool:
    """Different pages of one statement."""
    alike = bool(one.sequence) and (one.format, one.sequence) == (other.format, other.sequence)
    return alike and one.page is not None and other.page is not None and one.page != other.page


def _are_counted_apart(one: Extent, other: Extent) -> bool:
    """Pages of one number, or numbers of one format in the order of their days."""
    if one.format != other.format:
        return False
    if one.sequence and one.sequence == other.sequence:
        return _are_pages(one, other)
    if one.number is None or other.number is None or one.number == other.number:
        return False
    first, last = sorted((one, other), key=_counts_of)
    if first.last_date <= last.first_date:
        return True
    before, after = first.balances, last.balances
    return before is not None and after is not None and before.closing_date <= after.opening_date + _DAY
