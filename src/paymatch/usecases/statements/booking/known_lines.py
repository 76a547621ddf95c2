"""The stored lines around a lot, their postings, and what is stored after a fold."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from datetime import date, timedelta
from itertools import chain, groupby
from typing import Final

from paymatch.domain.books.booked_postings import FoldedPosting
from paymatch.domain.books.fold import REACH, BookedEntry
from paymatch.domain.books.forgotten import Fingerprint, forget
from paymatch.domain.books.identity import said_by
from paymatch.domain.books.overlap import Extent, Stretch, newly_apart, stretches
from paymatch.domain.books.statement_lines import ShownBy, ShownEntry
from paymatch.domain.postings import Posting
from paymatch.store.privacy.print_keys import fingerprint
from paymatch.store.statements import postings as store
from paymatch.store.statements import statement_lines as line_store
from paymatch.store.statements import statements as statement_store
from paymatch.store.statements.postings import Booked, ComparedPosting, WrittenPosting
from paymatch.store.statements.statement_lines import LineKey, LineRow
from paymatch.store.transactions import ShopId, ShopTx
from paymatch.usecases.statements.booking.scratch import Lot

_AHEAD: Final = timedelta(days=60)
"""Days are processed one after another; several are read at once."""


class AccountPlaces:
    """The places of an account's final statements around the present days, no matter how many years it has."""

    def __init__(self, tx: ShopTx, shop: ShopId, account: str, currency: str, without: str = "") -> None:
        self._tx, self._shop, self._account, self._currency = tx, shop, account, currency
        self._without = without
        self._days: tuple[date, date] | None = None
        self._known: Mapping[str, Stretch] = {}

    def cover(self, first: date, last: date) -> bool:
        """Reads the statements of these days. Returns whether places are new: then earlier ones are incomparable."""
        if self._days is not None:
            if self._days[0] <= first and last <= self._days[1]:
                return False
            first, last = min(first, self._days[0]), max(last, self._days[1])
        self._days = first - _AHEAD, last + _AHEAD
        rows = statement_store.near(self._tx, self._account, self._currency, *self._days)
        self._known = _stretches_of([row for row in rows if row.import_id != self._without])
        return True

    def get(self, statement_id: str) -> Stretch | None:
        """The place of a statement; None if it proves nothing."""
        return self._known.get(statement_id)


class Places:
    """The accounts of one computation; statements of the import `without` are left out."""

    def __init__(self, tx: ShopTx, shop: ShopId, *, without: str = "") -> None:
        self._tx, self._shop, self._without = tx, shop, without
        self._accounts: dict[tuple[str, str], AccountPlaces] = {}

    def of(self, account: str, currency: str) -> AccountPlaces:
        """Those of an account."""
        key = account, currency
        if key not in self._accounts:
            self._accounts[key] = AccountPlaces(self._tx, self._shop, *key, self._without)
        return self._accounts[key]


def turned_by(tx: ShopTx, import_id: str) -> list[str]:
    """Statements of other imports that differ only because of this import's proof."""
    found: list[str] = []
    own = [(row, extent) for row in statement_store.of_import(tx, import_id) if (extent := row.extent) is not None]
    for account, currency in {(row.account, row.currency) for row, _ in own}:
        extents = [extent for row, extent in own if (row.account, row.currency) == (account, currency)]
        of_account = statement_store.near(tx, account, currency, *_days_of(extents))
        others = [row for row in of_account if row.import_id != import_id]
        if others:
            found += newly_apart(_stretches_of(others), _stretches_of(of_account))
    return sorted(found)


def _days_of(extents: Sequence[Extent]) -> tuple[date, date]:
    return min(extent.first_date for extent in extents), max(extent.last_date for extent in extents)


def _stretches_of(rows: list[statement_store.StatementRow]) -> dict[str, Stretch]:
    return stretches({row.id: extent for row in rows if (extent := row.extent) is not None})


Folded = Sequence[tuple[BookedEntry, Sequence[FoldedPosting]]]
"""Entries of the books with their postings."""


class KnownLines:
    """Known lines around a lot, read some days at a time. `import_id` is the import of the lot's entries.

    With `undoes` the lines of this import are removed, and `gone` has their postings with their sums. Else lines of the
    same import are known from an earlier lot. `standing` has the booked postings, until it `is_done`.
    """

    def __init__(
        self, tx: ShopTx, shop: ShopId, lot: Lot, import_id: str, places: AccountPlaces, *, undoes: bool
    ) -> None:
        self.lot = lot
        self._places = places
        self._statements: dict[str, ShownBy] = {}
        self.standing: dict[str, ComparedPosting] = {}
        self.gone: dict[str, int] = {}
        self._tx, self._shop, self._import_id, self._undoes = tx, shop, import_id, undoes
        self._imports: dict[str, str] = {}
        self._marked: set[LineKey] = set()
        self._held: set[str] = set()
        self._fingerprint: Fingerprint | None = None

    def load(self, first: date, last: date, before: Iterable[ShownEntry]) -> dict[int, list[ShownEntry]]:
        """The entries of the lot's sums between two days by sum, known ones and its own.

        `before` are those of earlier days that may still be compared with these.
        """
        lot = self.lot
        if self._places.cover(first, last):
            self._statements = {}
            before = list(before)
            for entry in before:
                entry.statement = self._place_of(entry.statement)
        rows = line_store.near(self._tx, lot.account, lot.currency, lot.amounts, first, last)
        self.standing |= store.compared_postings(self._tx, {row.posting_id for row in rows if row.posting_id})
        self._ask_what_is_held(rows, first, last)
        self._imports |= {row.by.id: row.import_id for row in rows}
        if self._undoes:
            self.gone |= {row.posting_id: row.entry_minor for row in rows if row.import_id == self._import_id}
            rows = [row for row in rows if row.import_id != self._import_id]
        own = list(lot.entries(lot.amounts, first, last))
        for entry in own:
            entry.statement = self._place_of(entry.statement)
        self._imports |= {entry.statement.id: self._import_id for entry in own}
        found: dict[int, list[ShownEntry]] = defaultdict(list)
        known = groupby(rows, key=lambda row: (row.by.id, row.position))
        for entry in chain((self._entry(list(lines)) for _, lines in known), own):
            found[entry.amount_minor].append(entry)
        if self._fingerprint is None and any(row.facts.forgotten for row in rows):
            self._fingerprint = fingerprint(self._tx)
            _compare(before, self._fingerprint)
        if self._fingerprint is not None:
            _compare(chain.from_iterable(found.values()), self._fingerprint)
        return found

    def _ask_what_is_held(self, rows: Iterable[LineRow], first: date, last: date) -> None:
        self._marked |= {row.key for row in rows if row.is_held}
        self._held |= {row.posting_id for row in rows if row.is_held}
        if any(each.by_hand for each in self.standing.values()):
            lot, far = self.lot, 3 * REACH
            self._held |= line_store.postings_with_sums(
                self._tx, lot.account, lot.currency, lot.amounts, first - far, last + far
            )

    def _entry(self, rows: Sequence[LineRow]) -> ShownEntry:
        entry = ShownEntry(self._place_of(rows[0].by), rows[0].position, tuple([row.facts for row in rows]))
        entry.stands_for = tuple([row.posting_id for row in rows])
        self.say_how_it_stands(entry)
        return entry

    def _place_of(self, statement: ShownBy) -> ShownBy:
        """The statement with its place among all of its account."""
        found = self._statements.get(statement.id)
        if found is None:
            found = statement.with_place(self._places.get(statement.id))
            self._statements[statement.id] = found
        return found

    def say_how_it_stands(self, entry: ShownEntry) -> None:
        """Which of its postings a person's decision keeps, and when they are booked.

        A decided posting keeps the lines that it had then: the marked ones, or all if none is marked yet.
        """
        standing = [each for name in entry.stands_for if (each := self.standing.get(name)) is not None]
        days = {each.booking_date for each in standing if each.booking_date != entry.day}
        entry.stood_on = tuple(days) if days else ()
        if any(each.by_hand for each in standing):
            entry.held = frozenset(
                name
                for place, name in enumerate(entry.stands_for)
                if name in self.standing
                and self.standing[name].by_hand
                and (name not in self._held or LineKey(entry.statement.id, entry.position, place) in self._marked)
            )

    def ask_again(self, entries: Iterable[ShownEntry]) -> None:
        """A person may have decided the postings of these lines since they were read."""
        known = list(entries)
        self.standing |= store.compared_postings(self._tx, names_of(known))
        for entry in known:
            self.say_how_it_stands(entry)

    def is_done(self, names: Iterable[str]) -> None:
        """Marks these postings as written or unchanged."""
        for name in names:
            self.standing.pop(name, None)
            self.gone.pop(name, None)

    def forget_again(self, folded: Folded) -> None:
        """Lines of forgotten people's payments stay forgotten, even if another statement shows them again (D-63)."""
        if self._fingerprint is None:
            return
        changed: dict[LineKey, Posting] = {}
        for _, postings in folded:
            for posting in postings:
                if any(entry.lines[place].forgotten for entry, place in posting.lines):
                    changed |= _forgotten_lines(posting, self._fingerprint)
        line_store.write_facts(self._tx, changed)

    def differing_postings(self, folded: Folded) -> list[FoldedPosting]:
        """The postings that may differ from the stored ones.

        An entry is unchanged if it only got word-for-word copies, and its postings neither gained a line from another
        posting nor lost one to another.
        """
        lost = {
            entry.stands_for[place]
            for _, postings in folded
            for own in postings
            for entry, place in own.own_lines
            if entry.stands_for[place] != own.id
        }
        return [own for booked, ones in folded if not self._is_unchanged(booked, ones, lost) for own in ones]

    def _is_unchanged(self, booked: BookedEntry, postings: Sequence[FoldedPosting], lost: Set[str]) -> bool:
        known = [entry for entry in booked.entries if not entry.is_new]
        return (
            not self._undoes
            and all(any(map(entry.repeats, known)) for entry in booked.entries if entry.is_new)
            and all(
                own.id and own.id not in lost and (entry.is_new or entry.stands_for[place] == own.id)
                for own in postings
                for entry, place in own.own_lines
            )
        )

    def posting_to_write(self, posting: FoldedPosting, before: Booked | None) -> WrittenPosting:
        """The posting to store; it stays with the import that brought it as long as that has a line."""
        shown_by = {entry.statement for entry, _ in (*posting.lines, *posting.sums)}
        imports = [self._imports[statement.id] for statement in shown_by]
        import_id = before.import_id if before is not None and before.import_id in imports else min(imports)
        binding = min(shown_by, key=lambda statement: (statement.rank, statement.id))
        return WrittenPosting(posting.id, posting.resolved, binding.id, import_id)

    def says_otherwise(self, written: WrittenPosting, before: Booked) -> bool:
        """Whether it differs from the booked one."""
        now = written.resolved
        return (
            (before.source, before.format, before.import_id) != (now.source, now.format, written.import_id)
            or before.statement_id not in self._imports
            or before.open_posting(self._tx.vault()) != now.posting
        )

    def rows(self, folded: Folded) -> tuple[list[LineRow], list[tuple[LineKey, str, bool]]]:
        """New lines, and known ones that now belong to another posting or to a person's decision."""
        new: list[LineRow] = []
        moved: list[tuple[LineKey, str, bool]] = []
        for _, postings in folded:
            for posting in postings:
                for entry, place in posting.own_lines:
                    stood_for, by, position = entry.stands_for[place], entry.statement, entry.position
                    held = stood_for in entry.held
                    if entry.is_new:
                        line = entry.lines[place]
                        new.append(LineRow("", by, position, place, line, entry.amount_minor, posting.id, held))
                    elif stood_for != posting.id or ((by.id, position, place) in self._marked) is not held:
                        moved.append((LineKey(by.id, position, place), posting.id, held))
        return new, moved


def names_of(entries: Iterable[ShownEntry]) -> set[str]:
    """The ids of the postings to which their lines belonged so far."""
    return {name for entry in entries for name in entry.stands_for if name}


def _compare(entries: Iterable[ShownEntry], fingerprint: Fingerprint) -> None:
    for entry in entries:
        entry.compare_by(fingerprint)


def _forgotten_lines(posting: FoldedPosting, fingerprint: Fingerprint) -> dict[LineKey, Posting]:
    """Forgets the posting's lines; returns those that are kept as shown."""
    changed: dict[LineKey, Posting] = {}
    for entry, place in posting.lines:
        line = entry.lines[place]
        if line.forgotten:
            continue
        gone = forget(line, said_by(line), fingerprint)
        entry.lines = (*entry.lines[:place], gone, *entry.lines[place + 1 :])
        if not entry.is_new:
            changed[LineKey(entry.statement.id, entry.position, place)] = gone
    return changed
