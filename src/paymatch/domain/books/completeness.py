"""Completeness: balances and numbers of statements prove that an account is complete (docs/statements.md)."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum
from itertools import pairwise

from paymatch.domain.books.balance_proof import (
    FAR,
    DayBalance,
    ProvedSum,
    ShownStretch,
    ambiguous_pairs,
    day_balances,
    proved_sums,
)
from paymatch.domain.books.overlap import Balances, Stretch, are_apart, follows
from paymatch.domain.words.message import Message, Sum


class GapKind(StrEnum):
    MISMATCH = "mismatch"  # opening + booked <> closing
    UNREADABLE = "unreadable"  # an entry or a balance could not be read
    BALANCE = "gap"  # closing(n) <> opening(n+1)
    SEQUENCE = "sequence"  # a number is left out
    SUM = "sum"  # the postings between two balances do not add up to their difference
    AMBIGUOUS = "ambiguous"  # one statement shown twice, or two with the same content


@dataclass(frozen=True, slots=True)
class StatementFacts:
    """What a final statement states about itself; amounts in minor units, None where it states none."""

    id: str
    format: str
    name: str
    sequence: str
    first_date: date
    last_date: date
    opening_minor: int | None
    closing_minor: int | None
    flags: frozenset[str]
    stretch: Stretch | None = None  # its place among all statements of the account
    import_id: str = ""

    @property
    def has_balances(self) -> bool:
        """Whether both balances are known."""
        return self.opening_minor is not None and self.closing_minor is not None

    @property
    def balances(self) -> Balances | None:
        """The proof by its balances; None if they prove nothing."""
        return None if self.stretch is None else self.stretch.extent.balances

    @property
    def last_booked(self) -> date:
        """The day of its last booking; the last day that it covers where that is not known."""
        if self.stretch is None or self.stretch.extent.balances is None:
            return self.last_date
        return self.stretch.extent.last_date

    def is_met_by(self, other: StatementFacts) -> bool:
        """Whether the other one begins where this one ends, if the balances are the same."""
        if self.last_booked <= other.first_date:
            return True
        return self.balances is not None and other.balances is not None and follows(self.balances, other.balances)

    def overlaps(self, other: StatementFacts) -> bool:
        """Whether the other one begins within it."""
        apart = self.stretch is not None and other.stretch is not None and are_apart(self.stretch, other.stretch)
        return not apart and self.first_date < other.first_date <= self.last_booked


@dataclass(frozen=True, slots=True)
class Gap:
    """Missing or wrong data between two days, both included. Days of `proven` gaps are flagged."""

    kind: GapKind
    first_date: date
    last_date: date
    text: Message
    statements: tuple[str, ...]  # ids of those that show it
    proven: bool = True

    def days(self) -> frozenset[date]:
        """The days whose bookings may be incomplete."""
        count = (self.last_date - self.first_date).days + 1
        return (
            frozenset(self.first_date + timedelta(days=place) for place in range(count)) if self.proven else frozenset()
        )


def gaps_of(statements: Iterable[StatementFacts]) -> list[Gap]:
    """Gaps in the final statements of one account and currency, by day. Arriving statements close gaps."""
    ordered = sorted(statements, key=lambda s: (s.first_date, s.last_date, s.id))
    found = [*_wrong_within(ordered), *_breaks(ordered), *_ambiguous(ordered)]
    broken = {statement for gap in found if gap.kind is GapKind.BALANCE for statement in gap.statements}
    found += [gap for gap in _left_out(ordered) if not broken & set(gap.statements)]
    return sorted(set(found), key=lambda gap: (gap.first_date, gap.last_date, gap.kind, gap.text))


def proved_by(statements: Iterable[StatementFacts], missing: Iterable[Gap]) -> list[ProvedSum]:
    """The sums that postings must add up to, except on days with another proven gap."""
    known = {each.id: each.stretch for each in statements if each.stretch is not None}
    gaps = [(gap.first_date, gap.last_date) for gap in missing if gap.proven]
    return [
        proved
        for proved in proved_sums(known)
        if not any(first <= proved.last_date and last >= proved.first_date for first, last in gaps)
    ]


def wrong_sums(
    statements: Iterable[StatementFacts], proved: Iterable[ProvedSum], booked: Mapping[date, int], currency: str
) -> Iterator[Gap]:
    """Days whose postings do not add up to what the balances prove; `booked` has their sum per booking date."""
    names = {each.id: each.name for each in statements}
    for each in proved:
        if missing := each.missing_minor(booked):
            one, other = (names[statement] for statement in each.statements)
            said = Message("gap-sum", one=one, other=other, amount=Sum(missing, currency))
            yield Gap(GapKind.SUM, each.first_date, each.last_date, said, each.statements)


def _wrong_within(ordered: Sequence[StatementFacts]) -> Iterable[Gap]:
    """Statements that do not add up or have unreadable parts, unless a sound statement covers the same days."""
    sound = [s for s in ordered if not s.flags and s.has_balances]
    for statement in ordered:
        if not statement.flags or any(
            s.first_date <= statement.first_date and s.last_date >= statement.last_date for s in sound
        ):
            continue
        unreadable = any(flag.startswith("unreadable") for flag in statement.flags)
        kind = GapKind.UNREADABLE if unreadable else GapKind.MISMATCH
        said = (
            Message("gap-unreadable", statement=statement.name)
            if unreadable
            else Message("gap-mismatch", statement=statement.name)
        )
        yield Gap(kind, statement.first_date, statement.last_date, said, (statement.id,))


def _breaks(ordered: Sequence[StatementFacts]) -> Iterable[Gap]:
    """Statements whose opening balance does not equal the closing balance of an earlier statement."""
    telling = [s for s in ordered if s.has_balances]
    certain = day_balances({s.id: s.stretch for s in ordered if s.stretch is not None})
    closings: dict[int | None, list[StatementFacts]] = defaultdict(list)
    for statement in telling:
        closings[statement.closing_minor].append(statement)
    for statement in telling:
        meeting = closings[statement.opening_minor]
        other = _other_balance_before(statement, certain)
        if any(s.is_met_by(statement) and s.id != statement.id and not _is_passed(s, other) for s in meeting):
            continue
        others = [s for s in telling if s.id != statement.id and not _same_start(s, statement)]
        if any(s.overlaps(statement) for s in others):
            continue  # an overlapping statement covers the days around the joint
        before = [s for s in others if _is_before(s, statement)]
        if before:
            last = max(before, key=lambda s: (s.last_date, s.first_date, _number(s) or 0))
            said = Message("gap-balance", one=last.name, other=statement.name)
            yield _gap_between(GapKind.BALANCE, last, statement, said)


def _other_balance_before(statement: StatementFacts, certain: Sequence[DayBalance]) -> DayBalance | None:
    """The last certain balance of a day before it begins, if it opens with another one."""
    balances = statement.balances
    if balances is None:
        return None
    first = balances.day_sums[0][0] if balances.day_sums else balances.opening_date
    at = bisect_right(certain, min(balances.opening_date, first - timedelta(days=1)), key=lambda each: each.day)
    return certain[at - 1] if at and certain[at - 1].balance_minor != statement.opening_minor else None


def _is_passed(statement: StatementFacts, other: DayBalance | None) -> bool:
    """Whether another balance holds since it closed."""
    last = statement.last_date if statement.balances is None else statement.balances.closing_date
    return other is not None and last <= other.day


def _ambiguous(ordered: Sequence[StatementFacts]) -> Iterable[Gap]:
    """Days whose balances go back and forth, so a repetition cannot be distinguished from a second statement."""
    by_id = {each.id: each for each in ordered}
    shown = [ShownStretch(each.id, each.stretch, each.import_id) for each in ordered if each.stretch is not None]
    for pair in ambiguous_pairs(shown):
        one, other = (by_id[name] for name in pair)
        said = Message("gap-ambiguous", one=one.name, other=other.name)
        assert other.stretch is not None, "only statements in their places are pairs"
        days = other.stretch.extent
        yield Gap(GapKind.AMBIGUOUS, days.first_date, days.last_date, said, pair)


def _same_start(one: StatementFacts, other: StatementFacts) -> bool:
    return one.first_date == other.first_date and one.opening_minor == other.opening_minor


def _is_before(one: StatementFacts, other: StatementFacts) -> bool:
    if one.last_booked < other.first_date:
        return True
    mine, yours = _number(one), _number(other)
    same_day = one.last_booked == other.first_date == one.first_date
    return same_day and one.format == other.format and mine is not None and yours is not None and mine < yours


def _left_out(ordered: Sequence[StatementFacts]) -> Iterable[Gap]:
    """Statement numbers missing within a year; not proven if the balances show that nothing happened."""
    by_year: dict[tuple[str, int], dict[int, StatementFacts]] = defaultdict(dict)
    for statement in ordered:
        number = _number(statement)
        if number is not None:
            by_year[statement.format, statement.last_date.year].setdefault(number, statement)
    for numbered in by_year.values():
        numbers = sorted(numbered)
        for mine, yours in pairwise(numbers):
            one, other = numbered[mine], numbered[yours]
            if 1 < yours - mine <= FAR and one.last_booked <= other.first_date:
                names = {"one": one.name, "other": other.name}
                said = (
                    Message("gap-number", number=mine + 1, **names)
                    if yours - mine == 2
                    else Message("gap-numbers", first=mine + 1, last=yours - 1, **names)
                )
                proven = not (one.has_balances and other.has_balances)
                yield _gap_between(GapKind.SEQUENCE, one, other, said, proven=proven)


def _gap_between(
    kind: GapKind, one: StatementFacts, other: StatementFacts, said: Message, *, proven: bool = True
) -> Gap:
    """The days between two statements; the second one's first day if they follow each other."""
    day = timedelta(days=1)
    first, last = one.last_date + day, other.first_date - day
    if first > last:
        first = last = other.first_date
    return Gap(kind, first, last, said, (one.id, other.id), proven)


def _number(statement: StatementFacts) -> int | None:
    text = statement.sequence
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None
