"""The statement that is being booked."""

from __future__ import annotations

from dataclasses import dataclass, field

from paymatch.domain.books.batches import BatchTrace, trace_of_parts, trace_of_whole
from paymatch.domain.books.identity import Trace, date_rank, trace_of
from paymatch.domain.books.statement_lines import Sighting
from paymatch.domain.postings import Posting, PostingSource
from paymatch.store.statements.postings import Booked
from paymatch.usecases.statements.overlap import Group, Overlap


@dataclass(slots=True)
class StatementInHand:
    """The statement that is being booked. What stands in `apart`, its other pages, it does not show again."""

    id: str
    source: PostingSource
    format: str
    apart: list[str]
    overlap: Overlap
    met: set[str] = field(default_factory=set)  # booked postings that it has shown and that may come up once more

    def sighting(self, posting: Posting) -> Sighting:
        """The posting as this statement shows it."""
        return Sighting(posting, self.source, self.format)

    def trace(self, posting: Posting) -> Trace:
        """What identifies the posting in this statement."""
        return trace_of(posting, self.source, self.format)

    def sum_of(self, group: Group) -> BatchTrace:
        """What identifies the entry as one sum."""
        if len(group) > 1:
            return trace_of_parts(group, self.source, self.format)
        return trace_of_whole(group[0], self.source, self.format)

    @property
    def date_rank(self) -> int:
        """How much it is believed for days."""
        return date_rank(self.source, self.format)

    def meet(self, booked: Booked) -> None:
        """The booked posting is one that the statement shows. Mere payments come up with their amount, so only once."""
        if booked.group or booked.books.posting.amount_minor in self.overlap.part_amounts:
            self.met.add(booked.id)
