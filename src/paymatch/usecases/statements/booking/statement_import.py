"""The statement that is being booked."""

from __future__ import annotations

from dataclasses import dataclass, field

from paymatch.domain.books.batches import BatchKey, key_of_parts, key_of_whole
from paymatch.domain.books.identity import IdentityKey, date_rank, identity_key_of
from paymatch.domain.books.statement_lines import StatementLine
from paymatch.domain.postings import Posting, PostingSource
from paymatch.store.statements.postings import Booked
from paymatch.usecases.statements.booking.overlap import Group, Overlap


@dataclass(slots=True)
class StatementImport:
    """The statement that is being booked. What stands in `apart`, its other pages, it does not show again."""

    id: str
    source: PostingSource
    format: str
    apart: list[str]
    overlap: Overlap
    met: set[str] = field(default_factory=set)  # booked postings that it has shown and that may come up once more

    def line(self, posting: Posting) -> StatementLine:
        """The posting as this statement shows it."""
        return StatementLine(posting, self.source, self.format)

    def identity(self, posting: Posting) -> IdentityKey:
        """What identifies the posting in this statement."""
        return identity_key_of(posting, self.source, self.format)

    def sum_of(self, group: Group) -> BatchKey:
        """What identifies the entry as one sum."""
        if len(group) > 1:
            return key_of_parts(group, self.source, self.format)
        return key_of_whole(group[0], self.source, self.format)

    @property
    def date_rank(self) -> int:
        """How much it is believed for days."""
        return date_rank(self.source, self.format)

    def meet(self, booked: Booked) -> None:
        """The booked posting is one that the statement shows. Mere payments come up with their amount, so only once."""
        if booked.group or booked.resolved.posting.amount_minor in self.overlap.part_amounts:
            self.met.add(booked.id)
