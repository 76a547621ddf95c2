"""Files of a bank as the entries that they show."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterable, Sequence

from paymatch.domain.books.booked_postings import postings_of_entry
from paymatch.domain.books.fold import fold
from paymatch.domain.books.statement_lines import ShownEntry
from paymatch.domain.postings import PostingSource
from paymatch.formats.postings_of import postings_of
from paymatch.formats.read import read_statements
from paymatch.formats.statement import Entry, StatementHead
from paymatch.usecases.statements.booking.reading import shown_by

Postings = Counter[tuple[str, PostingSource, str]]


def entries_of(content: bytes, name: str, account: str = "") -> list[ShownEntry]:
    """The booked entries of a file; `name` tells its statements from those of other files."""
    found: list[ShownEntry] = []
    head: StatementHead | None = None
    number = 0
    for _, events in read_statements(io.BytesIO(content), name, default_currency="EUR"):
        for event in events:
            if isinstance(event, StatementHead):
                head, number = event, number + 1
            elif isinstance(event, Entry) and head is not None and (lines := postings_of(head, event)):
                found.append(ShownEntry(shown_by(head, f"{name}/{number}"), len(found), lines))
    return found


def books_of(files: Iterable[Sequence[ShownEntry]]) -> Postings:
    """The postings of the books of these files, with all that they say."""
    return Counter(
        (repr(own.resolved.posting), own.resolved.source, own.resolved.format)
        for booked in fold(entry for file in files for entry in file)
        for own in postings_of_entry(booked)
    )
