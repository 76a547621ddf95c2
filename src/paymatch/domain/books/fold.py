"""The books as a pure function of statement lines: which lines show the same payment (D-40).

Entries of one sum are folded day by day, the most binding and most detailed first. Each statement is paired with what
is there as a multiset: any surplus is new. Announcements are folded separately and then meet the booked entries: where
a reference names the day, else on their own day, else near it. Days without connections form separate groups, so the
lines of a few days at a time are enough, however many one sum has.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from itertools import chain
from typing import Any, Final, NamedTuple, TypeVar

from paymatch.domain.books.identity import BARE, PROVISIONAL_DAYS, IdentityKey, SourceFormat, name_the_same, search_keys
from paymatch.domain.books.pairing import pair
from paymatch.domain.books.statement_lines import ShownBy, ShownEntry
from paymatch.domain.postings import PostingSource

_NEAR: Final = (1, 2, 3, -1, -2, -3)
"""Days between an announcement and its booking, the likeliest first."""

_CUT: Final = 16
"""The number of characters of a reference that fit into MT940."""

REACH: Final = timedelta(days=PROVISIONAL_DAYS)
"""How far off the day that it names an announcement may be booked."""


T = TypeVar("T")

_Days = dict[date, list["BookedEntry"]]
_Kinds = tuple[_Days, _Days, _Days]
"""Booked, only notified, and only shown by intraday statements."""

_MEET: Final = ((0, 1), (0, 2), (1, 2))
"""Which of these kinds meet which, in this order."""


@dataclass(slots=True, eq=False)
class BookedEntry:
    """A payment of the books, or the payments of a batch, with all entries that show it, the most binding one first."""

    day: date
    entries: list[ShownEntry]

    @property
    def is_held(self) -> bool:
        """Whether a person decided one of its postings: the fold never joins it with another decided one."""
        return any(entry.held for entry in self.entries)

    @property
    def division(self) -> ShownEntry | None:
        """The entry that shows its payments best; None if it is one payment, or a person left it undivided."""
        divided = [entry for entry in self.entries if entry.is_divided]
        if divided and self.is_held:
            divided = [entry for entry in divided if entry.held]
        return min(divided, key=lambda entry: (entry.statement.rank[::-1], entry.content)) if divided else None

    def may_be_in(self, statements: Iterable[ShownBy]) -> bool:
        """Whether these statements may show it too."""
        return all(entry.statement.may_repeat(other) for other in statements for entry in self.entries)

    def key(self, file_format: SourceFormat) -> IdentityKey:
        """Its recognition key in a statement of this format."""
        division = self.division
        if division is None:
            alike = [entry for entry in self.entries if entry.statement.format == file_format]
            return (alike or self.entries)[0].key
        names = division.key.names
        others = dict.fromkeys(name for entry in self.entries for name in entry.key.names if name not in names)
        return division.key._replace(names=(*names, *others)) if others else division.key


class DayGroup(NamedTuple):
    """Days without connections to others, from the first to the last, and the books' entries on them."""

    first: date
    last: date
    booked: list[BookedEntry]


def fold(entries: Iterable[ShownEntry]) -> list[BookedEntry]:
    """The books of these entries of one account and currency, by sum; the same in any order of input."""
    by_sum: dict[int, list[ShownEntry]] = defaultdict(list)
    for entry in entries:
        by_sum[entry.amount_minor].append(entry)
    groups = [group for amount in sorted(by_sum) for group in BooksOfSum().add(by_sum[amount], date.max)]
    return [booked for group in groups for booked in group.booked]


class BooksOfSum:
    """The books of one sum, given day after day: groups are handed out as soon as no later day can change them.

    `reach` is how far off its day an announcement may be booked; nothing where no announcements are near.
    """

    def __init__(self, reach: timedelta = REACH) -> None:
        self._reach = reach
        self._waiting: list[ShownEntry] = []
        self._folded: _Kinds = {}, {}, {}
        self._ties: list[tuple[date, date]] = []  # first and last of the folded days that belong together

    @property
    def open_from(self) -> date:
        """The first day not handed out yet; the last of all days if there is none."""
        return min([first for first, _ in (*self._ties, *(each.tied for each in self._waiting))], default=date.max)

    def entries(self) -> Iterator[ShownEntry]:
        """Everything that was not handed out yet."""
        yield from self._waiting
        for ones in chain.from_iterable(days.values() for days in self._folded):
            yield from (entry for booked in ones for entry in booked.entries)

    def add(self, entries: Iterable[ShownEntry], through: date) -> list[DayGroup]:
        """Takes all entries of the following days, up to `through`; returns the groups that are now complete."""
        self._waiting.extend(entries)
        folded = self._fold_days(through - self._reach)
        groups: list[DayGroup] = []
        for first, last in _connected_days(chain(self._ties, _near(self._folded))):
            if last > folded - self._reach:
                self._ties = [tie for tie in self._ties if tie[0] >= first]
                return groups
            groups.append(DayGroup(first, last, _meet_near(_take_days(self._folded, first, last))))
        self._ties = []
        return groups

    def _fold_days(self, end: date) -> date:
        """Folds the waiting days up to `end`, but none tied to a later one; returns the last folded day."""
        moved, ties = _days_of_announcements(self._waiting)
        for first, last in _connected_days(chain([entry.tied for entry in self._waiting], ties)):
            if last > end:
                end = min(end, first - timedelta(1))
                break
            self._ties.append((first, last))
        ready = [entry for entry in self._waiting if entry.day <= end]
        self._waiting = [entry for entry in self._waiting if entry.day > end]
        for days, found in zip(self._folded, _fold_days(ready, moved), strict=True):
            days.update(found)
        return end


def _take_days(folded: _Kinds, first: date, last: date) -> _Kinds:
    """The days from a first to a last one, which are no longer among the others."""
    all_days = [date.fromordinal(number) for number in range(first.toordinal(), last.toordinal() + 1)]
    booked, notified, early = ({day: days.pop(day) for day in all_days if day in days} for days in folded)
    return booked, notified, early


def _connected_days(ties: Iterable[tuple[date, date]]) -> Iterator[tuple[date, date]]:
    """First and last day of each group of connected days."""
    found: list[tuple[date, date]] = []
    for first, last in sorted(set(ties)):
        if found and first <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], last)
        else:
            found.append((first, last))
    yield from found


def _fold_days(entries: Sequence[ShownEntry], moved: Mapping[ShownEntry, date]) -> _Kinds:
    """Each day alone, and the announcements that meet its entries."""
    held = _held_together(entries)
    together = {entry for booked in held for entry in booked.entries}
    for booked in held:
        booked.day = moved.get(booked.entries[0], booked.day)
    days, left = (
        _fold_each_day(
            [booked for booked in held if booked.entries[0].is_final is final],
            [entry for entry in entries if entry.is_final is final and entry not in together],
            moved,
        )
        for final in (True, False)
    )
    _meet(days, left, (0,))
    return days, *_by_kind(left)


def _meet_near(folded: _Kinds) -> list[BookedEntry]:
    """The books of some days, after announcements that are left have met what is near their day."""
    for booked, left in _MEET:
        _meet(folded[booked], folded[left], _NEAR)
    return [booked for days in folded for day in sorted(days) for booked in days[day]]


def _near(folded: _Kinds) -> Iterator[tuple[date, date]]:
    """Days near each other that may affect each other: some of their content agrees."""

    @cache
    def words_of(kind: int, day: date) -> Set[str]:
        ones = folded[kind].get(day, ())
        return set().union(*(search_keys(entry.key) for booked in ones for entry in booked.entries))

    for booked, left in _MEET:
        for day in folded[left]:
            for there in [day + timedelta(gap) for gap in _NEAR if day + timedelta(gap) in folded[booked]]:
                ours, theirs = words_of(left, day), words_of(booked, there)
                if ours and theirs and (BARE in ours or BARE in theirs or not ours.isdisjoint(theirs)):
                    yield min(day, there), max(day, there)


def _days_of_announcements(
    entries: Sequence[ShownEntry],
) -> tuple[dict[ShownEntry, date], list[tuple[date, date]]]:
    """Announcements that are of another day than they name: the nearest on which a final statement shows their
    reference. And from when to when such days make a difference."""
    announced = [entry for entry in entries if not entry.is_final]
    named: dict[str, list[ShownEntry]] = defaultdict(list)
    for entry in entries if announced else ():
        for name in _names(entry.key) if entry.is_final else ():
            named[name[:_CUT]].append(entry)
    moved: dict[ShownEntry, date] = {}
    ties = []
    for entry in announced:
        gaps = {
            (other.day - entry.day).days
            for name in _names(entry.key)
            for other in named.get(name[:_CUT], ())
            if abs((other.day - entry.day).days) <= PROVISIONAL_DAYS and name_the_same(entry.key, other.key)
        }
        if gaps and 0 not in gaps:
            moved[entry] = entry.day + timedelta(min(gaps, key=lambda gap: (abs(gap), -gap)))
            ties.append((entry.day + timedelta(min(*gaps, 0)), entry.day + timedelta(max(*gaps, 0))))
    return moved, ties


def _names(key: IdentityKey) -> Sequence[str]:
    """References that the bank gives the day; the id of a batch does not distinguish its single payments."""
    return key.names if key.parts or key.is_bare else (key.reference,) if key.reference else ()


def _held_together(entries: Sequence[ShownEntry]) -> list[BookedEntry]:
    """The entries whose postings people decided, as they were then: they enter the books before all others."""
    group_of: dict[str, list[ShownEntry]] = {}
    for entry in sorted((each for each in entries if each.held), key=_most_binding):
        groups = {id(group): group for posting_id in entry.held if (group := group_of.get(posting_id)) is not None}
        joined = [*(each for group in groups.values() for each in group), entry]
        for posting_id in {posting_id for each in joined for posting_id in each.held}:
            group_of[posting_id] = joined
    found = {id(group): group for group in group_of.values()}
    return [BookedEntry(group[0].day, sorted(group, key=_most_binding)) for group in found.values()]


def _most_binding(entry: ShownEntry) -> tuple[Any, ...]:
    return *entry.statement.rank, entry.content


def _fold_each_day(
    held: Iterable[BookedEntry],
    entries: Iterable[ShownEntry],
    moved: Mapping[ShownEntry, date],
) -> _Days:
    """Each day alone, statement by statement: what a statement shows more often than the books is new."""
    days: _Days = defaultdict(list)
    for booked in held:
        days[booked.day].append(booked)
    shown: dict[date, list[ShownEntry]] = defaultdict(list)
    for entry in entries:
        shown[moved.get(entry, entry.day)].append(entry)
    for day, of_day in shown.items():
        by_statement, copies = _without_copies(of_day)
        for statement, same in _by_statement(by_statement):
            free = [booked for booked in days[day] if booked.may_be_in([statement])]
            keys = [booked.key(statement.format) for booked in free]
            places: list[int | None] = [None] * len(same)
            if keys:
                places = pair(keys, [entry.key for entry in same])
            _pair_corrected(free, same, places)
            for entry, place in zip(same, places, strict=True):
                if place is None:
                    days[day].append(BookedEntry(day, [entry]))
                else:
                    free[place].entries.append(entry)
        for booked in days[day] if copies else ():
            booked.entries.extend([copy for entry in booked.entries for copy in copies.get(entry, ())])
    return days


def _pair_corrected(free: Sequence[BookedEntry], same: Sequence[ShownEntry], places: list[int | None]) -> None:
    """Pairs what is left where a statement was delivered again with other words or references.

    Its number and its balances, day by day, are the same. So if it has as many entries of the sum as before, they are
    the same ones: a further payment would have moved the balances.
    """
    statement, left = same[0].statement, [at for at, place in enumerate(places) if place is None]
    if not left or not statement.is_proved:
        return
    before = Counter[ShownBy]()
    for booked in free:
        before.update({entry.statement for entry in booked.entries if entry.statement.is_again(statement)})
    taken = {place for place in places if place is not None}
    waiting = [
        at
        for at, booked in enumerate(free)
        if at not in taken
        and any(
            entry.statement.is_again(statement) and before[entry.statement] == len(same) for entry in booked.entries
        )
    ]
    for at, place in zip(left, waiting, strict=False):
        places[at] = place


_ByStatement = dict[ShownBy, list[ShownEntry]]


def _without_copies(of_day: Sequence[ShownEntry]) -> tuple[_ByStatement, dict[ShownEntry, list[ShownEntry]]]:
    """The entries of one sum and day by statement, without statements that show word for word what another does.

    Also the copies of each entry that represents others: redelivered entries need no comparison.
    """
    by_statement: _ByStatement = defaultdict(list)
    for entry in of_day:
        by_statement[entry.statement].append(entry)
    copies: dict[ShownEntry, list[ShownEntry]] = defaultdict(list)
    for alike in _alike(by_statement):
        first_of: dict[Any, ShownBy] = {}
        for statement in alike if len(alike) > 1 else ():
            said = frozenset(Counter([entry.lines for entry in by_statement[statement]]).items())
            first = first_of.setdefault(said, statement)
            if first is not statement:
                places = defaultdict(list)
                for entry in by_statement[first]:
                    places[entry.lines].append(entry)
                for entry in by_statement.pop(statement):
                    copies[places[entry.lines].pop()].append(entry)
    return by_statement, copies


def _alike(statements: Iterable[ShownBy]) -> list[list[ShownBy]]:
    """Those that may be delivered again as another: of one source, format and place in the account."""
    found: dict[Any, list[ShownBy]] = defaultdict(list)
    for each in statements:
        found[each.source, each.format, each.copies].append(each)
    return list(found.values())


def _by_statement(shown: _ByStatement) -> list[tuple[ShownBy, list[ShownEntry]]]:
    """The entries of one sum and day by statement: what binds most, says most, divides most, then by content."""
    alike = defaultdict(list)
    for statement, entries in shown.items():
        divided = sum([entry.is_divided for entry in entries])
        alike[*statement.rank, -divided].append((statement, _in_order(entries, lambda entry: entry.content)))
    return [
        each
        for place in sorted(alike)
        for each in _in_order(alike[place], lambda each: (_content_keys(each[1]), each[0].place))
    ]


def _in_order(found: list[T], key: Callable[[T], Any]) -> list[T]:
    """Sorted by their whole content; the key is slow, so a single entry skips it."""
    return sorted(found, key=key) if len(found) > 1 else found


def _meet(days: _Days, left: _Days, gaps: Iterable[int]) -> None:
    """Joins the remaining announcements with entries on their day or a few days away."""
    for gap in gaps:
        for day in sorted(left):
            there = days.get(day + timedelta(gap), ())
            for ones in _alike_in_statements(left[day]) if there else ():
                statements = {entry.statement for one in ones for entry in one.entries}
                free = [each for each in there if each.may_be_in(statements) and not (ones[0].is_held and each.is_held)]
                file_format = ones[0].entries[0].statement.format
                found = pair([each.key(file_format) for each in free], [one.key(file_format) for one in ones])
                joined = {one: free[place] for one, place in zip(ones, found, strict=True) if place is not None}
                for one, booked in joined.items():
                    booked.entries.extend(one.entries)
                left[day] = [one for one in left[day] if one not in joined]


def _alike_in_statements(left: Sequence[BookedEntry]) -> list[list[BookedEntry]]:
    """Groups that the same statements show, the largest first."""
    groups: dict[tuple[bool, frozenset[ShownBy]], list[BookedEntry]] = defaultdict(list)
    for one in left:
        groups[one.is_held, frozenset([entry.statement for entry in one.entries])].append(one)
    ordered = [_in_order(ones, lambda one: _content_keys(one.entries)) for ones in groups.values()]
    return _in_order(ordered, lambda ones: (not ones[0].is_held, -len(ones[0].entries), _content_keys(ones[0].entries)))


def _content_keys(entries: Iterable[ShownEntry]) -> list[tuple[Any, ...]]:
    return [entry.content for entry in entries]


def _by_kind(left: _Days) -> tuple[_Days, _Days]:
    """Entries from notifications, and entries that only intraday statements have."""
    notified: _Days = defaultdict(list)
    early: _Days = defaultdict(list)
    for day, ones in left.items():
        for one in ones:
            is_early = all(entry.statement.source is PostingSource.INTRADAY for entry in one.entries)
            (early if is_early else notified)[day].append(one)
    return notified, early
