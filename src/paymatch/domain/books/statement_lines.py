"""What several bank messages say of one payment, and what the books keep of it, whatever the order they came in."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from typing import Final

from paymatch.domain.books.identity import better, date_rank, facts_rank
from paymatch.domain.postings import Posting, PostingSource

_NO_DAY: Final = date(1, 1, 1)


@dataclass(frozen=True, slots=True)
class StatementLine:
    """A payment as one statement shows it. With `days_only` the statement shows the sum of its batch, not its facts."""

    posting: Posting
    source: PostingSource
    format: str
    days_only: bool = False

    def resolved(self) -> ResolvedPosting:
        """What the books keep if this is all that is known."""
        facts = 0 if self.days_only else facts_rank(self.source, self.format)
        return ResolvedPosting(self.posting, self.source, self.format, facts, date_rank(self.source, self.format))


@dataclass(frozen=True, slots=True)
class ResolvedPosting:
    """A posting as it is kept: the facts of the message that says most, the days of the one that binds most."""

    posting: Posting
    source: PostingSource  # the most binding of all
    format: str  # of the facts
    facts_rank: int
    date_rank: int

    @property
    def has_lent_day(self) -> bool:
        """True if another format than that of the facts named the day: sums without a name may be mistaken."""
        return self.date_rank % 10 != date_rank(self.source, self.format) % 10

    def with_line(self, seen: StatementLine) -> ResolvedPosting:
        """The books after one more line; the same whatever the order of the lines."""
        other = seen.resolved()
        if other.facts_rank == self.facts_rank and other.posting != self.posting:
            facts = max(self, other, key=_fullness)
        else:
            facts = other if other.facts_rank > self.facts_rank else self
        days = max(self, other, key=_days_key)
        return ResolvedPosting(
            _on_days_of(facts.posting, days.posting),
            better(self.source, other.source),
            facts.format,
            facts.facts_rank,
            days.date_rank,
        )

    def on_days_of(self, other: ResolvedPosting) -> ResolvedPosting:
        """The books if this payment was meant by what is known of the days of `other`."""
        return replace(self, posting=_on_days_of(self.posting, other.posting))

    def on_day(self, day: date) -> ResolvedPosting:
        """The books if the day that is kept belongs to another payment."""
        return replace(self, posting=replace(self.posting, booking_date=day))

    def within(self, whole: ResolvedPosting) -> ResolvedPosting:
        """The books of a part of a batch that was booked whole until now: as binding as the whole, on its days."""
        days = max(self, whole, key=_days_key)
        return replace(
            self,
            posting=_on_days_of(self.posting, days.posting),
            source=better(self.source, whole.source),
            date_rank=days.date_rank,
        )


def part_of(whole: Posting, part: Posting, source: PostingSource, file_format: str) -> StatementLine:
    """What a statement that shows a batch as one sum says of one of its payments: its days."""
    return StatementLine(_on_days_of(part, whole), source, file_format, days_only=True)


def _on_days_of(posting: Posting, other: Posting) -> Posting:
    if posting.booking_date == other.booking_date and posting.value_date == other.value_date:
        return posting
    return replace(posting, booking_date=other.booking_date, value_date=other.value_date)


def _days_key(resolved: ResolvedPosting) -> tuple[int, str, str]:
    return resolved.date_rank, str(resolved.posting.booking_date), str(resolved.posting.value_date or "")


def _fullness(resolved: ResolvedPosting) -> tuple[int, str]:
    """Among equals in rank the one that says more; days are not counted, another message may have given them."""
    said = repr(replace(resolved.posting, booking_date=_NO_DAY, value_date=None))
    return len(said), said
