"""The books as a pure function of statement lines: which of them stand for one payment (D-40).

Entries of one sum are folded day by day, what binds and says most first. Each statement is paired with what is there as
a multiset: what it shows more often is new. Announcements are folded by themselves, and then meet what is booked:
where a reference names the day, else on their own day, else near it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any, Final

from paymatch.domain.books.forgotten import tokens
from paymatch.domain.books.identity import PROVISIONAL_DAYS, IdentityKey, name_the_same
from paymatch.domain.books.pairing import pair
from paymatch.domain.books.statement_lines import ShownBy, ShownEntry
from paymatch.domain.postings import PostingSource

_NEAR: Final = (1, 2, 3, -1, -2, -3)
"""Days between an announcement and its booking, the likeliest first."""

_CUT: Final = 16
"""MT940 has room for so many characters of a reference."""

_SHORT: Final = 8
"""So many characters of two numbers agree at least where one of them was cut."""

_Days = dict[date, list["BookedEntry"]]


@dataclass(slots=True, eq=False)
class BookedEntry:
    """A payment of the books, or the payments of a batch, with all entries that show it, the most binding one first.

    `first` and `last` are the days between which another line could have made a difference to it.
    """

    day: date
    entries: list[ShownEntry]
    first: date = field(init=False)
    last: date = field(init=False)

    def __post_init__(self) -> None:
        self.first = self.last = self.day

    @property
    def is_held(self) -> bool:
        """Whether a person decided one of its postings: no machine joins it with another that is held."""
        return any(entry.held for entry in self.entries)

    @property
    def division(self) -> ShownEntry | None:
        """The entry that shows its payments best; None if it is one payment, or a person holds it undivided."""
        divided = [entry for entry in self.entries if entry.is_divided]
        if divided and self.is_held:
            divided = [entry for entry in divided if entry.held]
        return min(divided, key=lambda entry: (entry.statement.rank[::-1], entry.content)) if divided else None

    def may_be_in(self, statements: Iterable[ShownBy]) -> bool:
        """Whether these statements may show it too."""
        return all(entry.statement.may_repeat(other) for other in statements for entry in self.entries)

    def key(self, file_format: str) -> IdentityKey:
        """By what it is recognised in a statement of this format."""
        division = self.division
        if division is None:
            alike = [entry for entry in self.entries if entry.statement.format == file_format]
            return (alike or self.entries)[0].key
        names = division.key.names
        others = dict.fromkeys(name for entry in self.entries for name in entry.key.names if name not in names)
        return division.key._replace(names=(*names, *others)) if others else division.key


def fold(entries: Iterable[ShownEntry]) -> list[BookedEntry]:
    """The books of these entries of one account and currency, by sum; the same in whatever order they are given."""
    by_sum: dict[int, list[ShownEntry]] = defaultdict(list)
    for entry in entries:
        by_sum[entry.amount_minor].append(entry)
    return [booked for amount in sorted(by_sum) for booked in _fold_sum(by_sum[amount])]


def _fold_sum(entries: Sequence[ShownEntry]) -> Iterator[BookedEntry]:
    finals = [entry for entry in entries if entry.is_final]
    announced = [entry for entry in entries if not entry.is_final]
    days = {entry: entry.day for entry in finals} | _days_of_announcements(announced, finals)
    held = _held_together(entries)
    loose = (
        {entry for entry in entries if not any(entry in booked.entries for booked in held)} if held else set(entries)
    )
    for booked in held:
        booked.day = booked.first = booked.last = days[booked.entries[0]]
    confirmed = [booked for booked in held if booked.entries[0].is_final]
    waiting = [booked for booked in held if not booked.entries[0].is_final]
    booked_days = _fold_days(confirmed, [each for each in finals if each in loose], days, in_order=bool(announced))
    left = _fold_days(waiting, [each for each in announced if each in loose], days, in_order=True)
    _meet(booked_days, left, (0,), at_once=True)
    _meet(booked_days, left, (0,))
    early, notified = _by_kind(left)
    _note_what_is_near(booked_days, early)
    _note_what_is_near(booked_days, notified)
    _note_what_is_near(notified, early)
    _meet(booked_days, notified, _NEAR)
    _meet(booked_days, early, _NEAR)
    _meet(notified, early, _NEAR)
    for found in (booked_days, notified, early):
        for day in sorted(found):
            yield from found[day]


def _days_of_announcements(announced: Sequence[ShownEntry], finals: Sequence[ShownEntry]) -> dict[ShownEntry, date]:
    """The day of each announcement: the nearest on which a final statement shows its reference, else its own."""
    named: dict[str, list[ShownEntry]] = defaultdict(list)
    for entry in finals if announced else ():
        for name in _names(entry.key):
            named[name[:_CUT]].append(entry)
    found: dict[ShownEntry, date] = {}
    for entry in announced:
        gaps = {
            (other.day - entry.day).days
            for name in _names(entry.key)
            for other in named.get(name[:_CUT], ())
            if abs((other.day - entry.day).days) <= PROVISIONAL_DAYS and name_the_same(entry.key, other.key)
        }
        found[entry] = entry.day + timedelta(min(gaps, key=lambda gap: (abs(gap), -gap), default=0))
    return found


def _names(key: IdentityKey) -> Sequence[str]:
    """References by which the bank names the day; the id of a batch does not tell its single payments apart."""
    return key.names if key.parts or key.is_bare else (key.reference,) if key.reference else ()


def _held_together(entries: Sequence[ShownEntry]) -> list[BookedEntry]:
    """The entries whose postings people decided, as they had them: they are in the books before all others."""
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


def _fold_days(
    held: Iterable[BookedEntry],
    entries: Iterable[ShownEntry],
    day_of: Mapping[ShownEntry, date],
    *,
    in_order: bool,
) -> _Days:
    """Each day by itself: statement by statement, what it shows more often than is there is new.

    Without `in_order` a statement that is alone on its day is left in the order in which it is given.
    """
    days: _Days = defaultdict(list)
    for booked in held:
        days[booked.day].append(booked)
    shown: dict[date, list[ShownEntry]] = defaultdict(list)
    for entry in entries:
        shown[day_of[entry]].append(entry)
    for day, of_day in shown.items():
        by_statement, copies = _without_copies(of_day)
        for statement, same in _in_order(by_statement, in_order=in_order):
            free = [booked for booked in days[day] if booked.may_be_in([statement])]
            keys = [booked.key(statement.format) for booked in free]
            places = pair(keys, [entry.key for entry in same]) if keys else [None] * len(same)
            for entry, place in zip(same, places, strict=True):
                if place is None:
                    days[day].append(BookedEntry(day, [entry]))
                else:
                    free[place].entries.append(entry)
        for booked in days[day] if copies else ():
            booked.entries.extend([copy for entry in booked.entries for copy in copies.get(entry, ())])
    return days


_ByStatement = dict[ShownBy, list[ShownEntry]]


def _without_copies(of_day: Sequence[ShownEntry]) -> tuple[_ByStatement, dict[ShownEntry, list[ShownEntry]]]:
    """The entries of one sum and day by statement, without statements that show word for word what another does.

    And, per entry that stands for others, its copies: what was delivered again needs no comparison.
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
    """Those of which one may be delivered again as another: of one source and format; a page only as that page."""
    found: dict[Any, list[ShownBy]] = defaultdict(list)
    for each in statements:
        found[each.source, each.format, each.id if each.series else ""].append(each)
    return list(found.values())


def _in_order(by_statement: _ByStatement, *, in_order: bool) -> list[tuple[ShownBy, list[ShownEntry]]]:
    """The entries of one sum and day by statement: what binds most, says most, divides most, then by content."""
    if len(by_statement) > 1 or in_order:
        for same in by_statement.values():
            if len(same) > 1:
                same.sort(key=lambda entry: entry.content)
    alike = defaultdict(list)
    for statement, same in by_statement.items():
        alike[*statement.rank, -sum([entry.is_divided for entry in same])].append((statement, same))
    return [shown for place in sorted(alike) for shown in _by_content(alike[place])]


def _by_content(alike: list[tuple[ShownBy, list[ShownEntry]]]) -> list[tuple[ShownBy, list[ShownEntry]]]:
    if len(alike) > 1:
        alike.sort(key=lambda shown: [entry.content for entry in shown[1]])
    return alike


def _meet(days: _Days, left: _Days, gaps: Iterable[int], *, at_once: bool = False) -> None:
    """Joins what is left of announcements with what is there on their day or some days off, wherever it may be."""
    for gap in gaps:
        for day in sorted(left):
            there = days.get(day + timedelta(gap), ())
            for ones in _alike_in_statements(left[day], at_once=at_once) if there and left[day] else ():
                statements = {entry.statement for one in ones for entry in one.entries}
                free = [each for each in there if each.may_be_in(statements) and not (ones[0].is_held and each.is_held)]
                file_format = ones[0].entries[0].statement.format
                found = pair([each.key(file_format) for each in free], [one.key(file_format) for one in ones])
                joined = {one: free[place] for one, place in zip(ones, found, strict=True) if place is not None}
                for one, booked in joined.items():
                    booked.entries.extend(one.entries)
                left[day] = [one for one in left[day] if one not in joined]


def _alike_in_statements(left: Sequence[BookedEntry], *, at_once: bool) -> list[list[BookedEntry]]:
    """Those that the same statements show, the most first; or all together."""
    groups: dict[tuple[bool, frozenset[ShownBy]], list[BookedEntry]] = defaultdict(list)
    for one in left:
        statements = frozenset() if at_once else frozenset(entry.statement for entry in one.entries)
        groups[one.is_held, statements].append(one)
    for ones in groups.values():
        ones.sort(key=_said)
    return sorted(groups.values(), key=lambda ones: (not ones[0].is_held, -len(ones[0].entries), _said(ones[0])))


def _said(booked: BookedEntry) -> tuple[Any, ...]:
    return tuple([entry.content for entry in booked.entries])


def _by_kind(left: _Days) -> tuple[_Days, _Days]:
    """What only intraday statements have shown, and the rest."""
    early: _Days = defaultdict(list)
    notified: _Days = defaultdict(list)
    for day, ones in left.items():
        for one in ones:
            is_early = all(entry.statement.source is PostingSource.INTRADAY for entry in one.entries)
            (early if is_early else notified)[day].append(one)
    return early, notified


def _note_what_is_near(days: _Days, left: _Days) -> None:
    """Days of which the one may make a difference to the other are noted at everything that is on them."""
    telling = {day: _telling(days[day]) for day in days} if any(left.values()) else {}
    linked: dict[date, set[date]] = defaultdict(set)
    for day in left:
        ours = _telling(left[day])
        for gap in _NEAR:
            there = day + timedelta(gap)
            if not ours.isdisjoint(telling.get(there, ())):
                linked[day].add(there)
                linked[there].add(day)
    for day in linked:
        reach, waiting = {day}, [day]
        while waiting:
            waiting += (more := linked[waiting.pop()] - reach)
            reach |= more
        for booked in (*days.get(day, ()), *left.get(day, ())):
            booked.first, booked.last = min(booked.first, *reach), max(booked.last, *reach)


def _telling(ones: Iterable[BookedEntry]) -> Set[tuple[str, str]]:
    """All by which they may be recognised on another day; two that share nothing of it are two payments."""
    found = {said for one in ones for entry in one.entries for said in _telling_of(entry.key)}
    return found - {(kind, "") for kind, _ in found}


def _telling_of(key: IdentityKey) -> Iterator[tuple[str, str]]:
    if key.parts or not (key.iban or key.end_to_end_id):
        yield "sum", "of all"
    for name in (*key.names, key.reference):
        yield "name", name[:_SHORT]
    for part in (key, *key.parts):
        yield "end to end", part.end_to_end_id[:_SHORT]
        yield "mandate", part.mandate_id[:_SHORT]
        yield "account", part.iban[:_SHORT]
        yield "account", part.iban[-_SHORT + 1 :]
        yield from (("print", token) for value in part.prints or () for token in tokens(value))
        yield "text", part.text
        yield "name", part.name
