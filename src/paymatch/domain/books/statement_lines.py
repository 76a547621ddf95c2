"""Statement lines, and the books' record of a payment that several lines show (D-40)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import date
from operator import attrgetter
from typing import Any, Final

from paymatch.domain.books.forgotten import Fingerprint
from paymatch.domain.books.identity import RANK, IdentityKey, SourceFormat, identity_key_of
from paymatch.domain.books.overlap import Stretch, are_apart
from paymatch.domain.postings import Posting, PostingSource

_NO_DAY: Final = date(1, 1, 1)
_SAID: Final = tuple(each.name for each in fields(Posting) if each.name not in {"booking_date", "value_date"})
_GIVEN: Final = attrgetter(*(each.name for each in fields(Posting) if "None" not in str(each.type)))
_OPTIONAL: Final = attrgetter(*(each.name for each in fields(Posting) if "None" in str(each.type)))


@dataclass(frozen=True, slots=True)
class ShownBy:
    """A statement. Entries of one never show the same payment, nor do pages of one statement (`series`).

    `stretch` is the place of a final statement in its account. It proves which show different payments (D-81).
    """

    id: str
    source: PostingSource
    format: SourceFormat
    series: str = ""
    page: int = 0
    stretch: Stretch | None = field(default=None, compare=False)

    def __hash__(self) -> int:
        return hash(self.id)

    @property
    def rank(self) -> tuple[int, int]:
        """The most binding first, then the most detailed."""
        return -RANK[self.source], -self.format.rank

    def may_repeat(self, other: ShownBy) -> bool:
        """Whether both may show the same payment."""
        if self.id == other.id:
            return False
        if self.stretch is not None and other.stretch is not None:
            return not are_apart(self.stretch, other.stretch)
        return not (self.series and self.series == other.series and self.page != other.page)

    def with_place(self, stretch: Stretch | None) -> ShownBy:
        """The same statement in its place among all of its account."""
        return replace(self, stretch=stretch)

    @property
    def copies(self) -> str | int:
        """Statements of one kind with this in common are redeliveries, or cannot be distinguished."""
        if self.stretch is not None:
            return self.stretch.place
        return self.id if self.series else ""

    @property
    def is_proved(self) -> bool:
        """Whether it has a number, and its bookings lead from the one balance to the other."""
        return self.stretch is not None and bool(self.stretch.extent.sequence and self.stretch.extent.balances)

    def is_again(self, other: ShownBy) -> bool:
        """Whether the other one, which is proved, is the same statement delivered again."""
        return self.id != other.id and self.is_proved and self.place == other.place

    @property
    def place(self) -> int:
        """Among statements with the same content: by their place in the account, not by their arrival."""
        return -1 if self.stretch is None else self.stretch.place


@dataclass(slots=True, eq=False)
class ShownEntry:
    """An entry as a statement shows it: a payment, the sum of a batch, or its payments line by line.

    `stands_for` has, for each line, the id of the posting that it stood for so far, "" if it is new; `held` says which
    of these postings a person has decided when this line was among theirs, `stood_on` the days on which they are booked
    if not on its own; `is_new` until it is kept. `fingerprint`: see `identity_key_of`.
    """

    statement: ShownBy
    position: int
    lines: tuple[Posting, ...]
    stands_for: tuple[str, ...] = ()
    held: frozenset[str] = frozenset()
    stood_on: tuple[date, ...] = ()
    is_new: bool = False
    fingerprint: Fingerprint | None = None
    _key: IdentityKey | None = field(default=None, init=False)
    _content: tuple[Any, ...] | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self.stands_for = self.stands_for or ("",) * len(self.lines)

    @property
    def day(self) -> date:
        """The day that the statement names."""
        return self.lines[0].booking_date

    @property
    def tied(self) -> tuple[date, date]:
        """Its first and last day."""
        day = self.day
        return (min(day, *self.stood_on), max(day, *self.stood_on)) if self.stood_on else (day, day)

    @property
    def amount_minor(self) -> int:
        """The sum of its lines."""
        return sum([line.amount_minor for line in self.lines])

    @property
    def is_final(self) -> bool:
        """Whether it is booked, not only announced."""
        return self.statement.source is PostingSource.FINAL

    @property
    def is_divided(self) -> bool:
        """Whether it shows the payments of a batch."""
        return len(self.lines) > 1

    def repeats(self, other: ShownEntry) -> bool:
        """Whether it has word for word the content of another statement of the kind."""
        return self.lines == other.lines and self.statement.rank == other.statement.rank

    @property
    def key(self) -> IdentityKey:
        """Its recognition key."""
        if self._key is None:
            self._key = self._key_of(self.lines)
        return self._key

    @property
    def keys_of_lines(self) -> list[IdentityKey]:
        """The recognition key of each of its lines."""
        return [self._key_of([line]) for line in self.lines]

    def _key_of(self, lines: Sequence[Posting]) -> IdentityKey:
        return identity_key_of(lines, self.statement.source, self.statement.format, self.fingerprint)

    def compare_by(self, fingerprint: Fingerprint) -> None:
        """Whether it may be compared with lines of forgotten people."""
        self.fingerprint, self._key, self._content = fingerprint, None, None

    @property
    def content(self) -> tuple[Any, ...]:
        """Its whole content, for sorting."""
        if self._content is None:
            optional = [(value is None, value) for line in self.lines for value in _OPTIONAL(line)]
            self._content = self.key.content(), *map(_GIVEN, self.lines), *optional
        return self._content


@dataclass(frozen=True, slots=True)
class ResolvedPosting:
    """A posting as the books have it: the facts of the most detailed line, the days of the most binding one."""

    posting: Posting
    source: PostingSource  # the most binding of all
    format: str  # of the facts


def resolve_lines(
    facts: Iterable[tuple[ShownBy, Posting]], sums: Iterable[tuple[ShownBy, Posting]] = ()
) -> ResolvedPosting:
    """The books' record of a payment with these lines, in any order.

    `sums` are lines that show the sum of its batch: they only give days.
    """
    said = list(facts)
    shown = [*said, *sums]
    best = max(_facts_rank(by) for by, _ in said)
    richest = [line for line in said if _facts_rank(line[0]) == best]
    statement, posting = richest[0]
    if any(line[1] != posting for line in richest[1:]):
        statement, posting = max(richest, key=_fullness)
    if len(shown) == 1:
        return ResolvedPosting(posting, statement.source, statement.format.name)
    dated = max(shown, key=_binding)[1]
    if (posting.booking_date, posting.value_date) != (dated.booking_date, dated.value_date):
        posting = replace(posting, booking_date=dated.booking_date, value_date=dated.value_date)
    source = max((by.source for by, _ in shown), key=RANK.__getitem__)
    return ResolvedPosting(posting, source, statement.format.name)


def _binding(line: tuple[ShownBy, Posting]) -> tuple[Any, ...]:
    by, posting = line
    return RANK[by.source], by.format.rank, posting.booking_date, posting.value_date or _NO_DAY


def _facts_rank(by: ShownBy) -> tuple[int, int]:
    return by.format.rank, RANK[by.source]


def _fullness(line: tuple[ShownBy, Posting]) -> tuple[int, tuple[Any, ...]]:
    """Of equal rank, the more detailed one; days are not counted, another line may give them."""
    posting = line[1]
    said = tuple([str(getattr(posting, name)) for name in _SAID])
    return sum(map(len, said)), said
