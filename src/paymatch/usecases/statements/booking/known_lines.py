"""The lines around a lot as they are kept, the postings that they stood for, and what is kept of them after a fold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from datetime import date
from itertools import groupby

from paymatch.domain.books.booked_postings import BookedPosting
from paymatch.domain.books.fold import BookedEntry
from paymatch.domain.books.forgotten import Fingerprint, forget
from paymatch.domain.books.identity import said_by
from paymatch.domain.books.statement_lines import ShownEntry
from paymatch.domain.postings import Posting
from paymatch.store.database import ShopId, Tx
from paymatch.store.privacy.print_keys import fingerprint
from paymatch.store.statements import postings as store
from paymatch.store.statements import statement_lines as line_store
from paymatch.store.statements.postings import Booked, WrittenPosting
from paymatch.store.statements.statement_lines import LineKey, LineRow
from paymatch.usecases.statements.booking.scratch import Lot

Folded = Sequence[tuple[BookedEntry, Sequence[BookedPosting]]]
"""Entries of the books with their postings."""


class KnownLines:
    """What is known around a lot. `import_id` is the import of its entries; without any, the lines of the import go.

    `gone` are the postings that these lines stood for. With entries, lines of the same import are known from an earlier
    lot: days of one sum may be in several.
    """

    def __init__(self, tx: Tx, shop: ShopId, lot: Lot, import_id: str) -> None:
        self.lot = lot
        self.entries: list[ShownEntry] = []
        self.booked: dict[str, Booked] = {}
        self.gone: set[str] = set()
        self._tx, self._shop, self._import_id = tx, shop, import_id
        self._imports = {entry.statement.id: import_id for entry in lot.entries}
        self._own = frozenset(lot.entries)
        self._marked: set[LineKey] = set()
        self._fingerprint: Fingerprint | None = None

    def load(self, first: date, last: date) -> None:
        """Reads the lines of the lot's sums between two days, and their postings."""
        lot = self.lot
        rows = line_store.near(self._tx, self._shop, lot.account, lot.currency, lot.amounts, first, last)
        self.booked = store.booked(self._tx, self._shop, {row.posting_id for row in rows if row.posting_id})
        self._marked = {row.key for row in rows if row.is_held}
        marked = {row.posting_id for row in rows if row.is_held}
        decided = frozenset(each.id for each in self.booked.values() if each.by_hand)
        if not lot.entries:
            self.gone = {row.posting_id for row in rows if row.import_id == self._import_id}
            rows = [row for row in rows if row.import_id != self._import_id]
        entries = groupby(rows, key=lambda row: (row.by.id, row.position))
        self.entries = [self._entry(list(lines), decided, marked) for _, lines in entries]
        self._imports |= {row.by.id: row.import_id for row in rows}
        if any(row.facts.forgotten for row in rows):
            self._compare_with_forgotten()

    def _compare_with_forgotten(self) -> None:
        self._fingerprint = fingerprint(self._tx, self._shop)
        for entry in (*self.entries, *self.lot.entries):
            entry.compare_by(self._fingerprint)

    def forget_again(self, folded: Folded) -> None:
        """Lines of payments of forgotten people are kept as such, whatever statement shows them again (D-63)."""
        if self._fingerprint is None:
            return
        changed: dict[LineKey, Posting] = {}
        for _, postings in folded:
            for posting in postings:
                if any(entry.lines[place].forgotten for entry, place in posting.lines):
                    changed |= self._forgotten_lines(posting, self._fingerprint)
        line_store.write_facts(self._tx, self._shop, changed)

    def _forgotten_lines(self, posting: BookedPosting, fingerprint: Fingerprint) -> dict[LineKey, Posting]:
        """Forgets the posting's lines; those among them that are kept as they were shown."""
        changed: dict[LineKey, Posting] = {}
        for entry, place in posting.lines:
            line = entry.lines[place]
            if line.forgotten:
                continue
            gone = forget(line, said_by(line), fingerprint)
            entry.lines = (*entry.lines[:place], gone, *entry.lines[place + 1 :])
            if not self.is_new(entry):
                changed[LineKey(entry.statement.id, entry.position, place)] = gone
        return changed

    def _entry(self, rows: Sequence[LineRow], decided: frozenset[str], marked: Set[str]) -> ShownEntry:
        """What a person decided holds the lines that it had then: those that are marked, all if none is yet."""
        names = tuple([row.posting_id for row in rows])
        held = decided.intersection(
            [row.posting_id for row in rows if row.is_held or row.posting_id not in marked] if decided else ()
        )
        return ShownEntry(rows[0].by, rows[0].position, tuple([row.facts for row in rows]), names, held)

    def is_new(self, entry: ShownEntry) -> bool:
        """Whether it is one of the lot's own."""
        return entry in self._own

    def stand_as_they_did(self, booked: BookedEntry, postings: Iterable[BookedPosting]) -> bool:
        """Whether nothing came, went or changed hands."""
        return (
            bool(self._own)
            and not any(map(self.is_new, booked.entries))
            and all(entry.stands_for[place] == own.id != "" for own in postings for entry, place in own.own_lines)
        )

    def written(self, posting: BookedPosting) -> WrittenPosting:
        """The posting as it is to be stored; it stays with the import that brought it as long as that has a line."""
        shown_by = {entry.statement for entry, _ in (*posting.lines, *posting.sums)}
        imports = [self._imports[statement.id] for statement in shown_by]
        before = self.booked.get(posting.id)
        import_id = before.import_id if before is not None and before.import_id in imports else min(imports)
        binding = min(shown_by, key=lambda statement: (statement.rank, statement.id))
        return WrittenPosting(posting.id, posting.resolved, binding.id, import_id)

    def says_otherwise(self, written: WrittenPosting) -> bool:
        """Whether it differs from what is booked."""
        before, now = self.booked[written.id], written.resolved
        return (
            (before.source, before.format, before.import_id) != (now.source, now.format, written.import_id)
            or before.statement_id not in self._imports
            or before.opened(self._tx.vault(self._shop)) != now.posting
        )

    def rows(self, folded: Folded) -> tuple[list[LineRow], list[tuple[LineKey, str, bool]]]:
        """Lines that are new, and known ones that stand for another posting or are held from now on."""
        new: list[LineRow] = []
        moved: list[tuple[LineKey, str, bool]] = []
        for _, postings in folded:
            for posting in postings:
                for entry, place in posting.own_lines:
                    stood_for, by, position = entry.stands_for[place], entry.statement, entry.position
                    held = stood_for in entry.held
                    if self.is_new(entry):
                        line = entry.lines[place]
                        new.append(LineRow("", by, position, place, line, entry.amount_minor, posting.id, held))
                    elif stood_for != posting.id or ((by.id, position, place) in self._marked) is not held:
                        moved.append((LineKey(by.id, position, place), posting.id, held))
        return new, moved
