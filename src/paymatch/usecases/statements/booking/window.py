"""The window of the books that some lines touch: loaded, folded, and written where it differs (D-40)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final

from paymatch.domain.books.booked_postings import keep_ids, postings_of_entry
from paymatch.domain.books.fold import BookedEntry, fold
from paymatch.domain.books.identity import PROVISIONAL_DAYS
from paymatch.store.database import ShopId, Tx
from paymatch.store.ids import Ids
from paymatch.store.statements import postings as store
from paymatch.store.statements import statement_lines as line_store
from paymatch.store.statements import statements as statement_store
from paymatch.store.statements.postings import Booked, WrittenPosting
from paymatch.usecases.matching.unmatching import release, settle_days
from paymatch.usecases.statements.booking.known_lines import Folded, KnownLines
from paymatch.usecases.statements.booking.scratch import Lot

_SLACK: Final = timedelta(days=PROVISIONAL_DAYS)
_TOUCHED: Final = 2 * _SLACK
"""A line makes a difference so many days off: to an announcement that it names, and to the day that this one had."""
_EDGE: Final = 3 * _SLACK
"""So near the edge of a window, lines outside of it matter: they name announcements, which are near what is booked."""
MARGIN: Final = _TOUCHED + _EDGE
"""How far from its lines a window is read at first."""


class Window:
    """Parts of the books that are computed anew from their lines, lot by lot.

    `is_announced`: announcements may be near, which are booked on other days than they name. Without them every day is
    by itself.
    """

    def __init__(self, tx: Tx, shop: ShopId, now: datetime, *, is_announced: bool) -> None:
        self.is_announced = is_announced
        self.lines = 0
        self.vanished: list[Booked] = []
        self._tx, self._shop, self._now, self._ids = tx, shop, now, Ids(now)
        self._moved: list[str] = []
        self._is_locked = False

    def fold(self, lot: Lot, import_id: str) -> Folded:
        """Computes the books around a lot and writes where they differ; `import_id` is that of the lot's entries."""
        lines = KnownLines(self._tx, self._shop, lot, import_id)
        touched = self._touched(lines)
        folded = [(booked, postings_of_entry(booked)) for booked in touched]
        own = [posting for _, postings in folded for posting in postings]
        keep_ids(own, {each.id: each.amount_minor for each in lines.booked.values()})
        lines.forget_again(folded)
        before = lines.gone | _names_of(touched)
        gone = [lines.booked[name] for name in sorted(before - {posting.id for posting in own}) if name in lines.booked]
        if gone and not self._is_locked:
            self._lock_matching()  # a person or matching may have decided one of them meanwhile
            return self.fold(lot, import_id)
        self.vanished += gone
        self.lines += sum(len(entry.lines) for entry in (*lines.entries, *lot.entries))
        self._write(lines, folded, import_id)
        return folded

    def finish(self, *, undoes_refunds: bool) -> list[str]:
        """Releases what is not booked any more, and settles orders whose payments moved to another day.

        Last, because settling holds what every call on the shop's orders needs until the commit. The numbers of the
        orders that were released.
        """
        gone = [each.id for each in self.vanished]
        orders = release(self._tx, self._shop, gone, self._now, undoes_refunds=undoes_refunds) if gone else []
        if gone:
            store.delete(self._tx, self._shop, gone, self._now)
        if self._moved:
            self._lock_matching()
            settle_days(self._tx, self._shop, sorted(set(self._moved) - set(gone)), self._now)
        return orders

    def _lock_matching(self) -> None:
        """Nobody matches while postings change hands: the match would be lost half way."""
        if not self._is_locked:
            statement_store.lock_matching(self._tx, self._shop)
            self._is_locked = True

    def _touched(self, lines: KnownLines) -> list[BookedEntry]:
        """The books to which the lot may make a difference; read as widely as that needs."""
        lot, margin = lines.lot, MARGIN if self.is_announced else timedelta(0)
        while True:
            lines.load(lot.first - margin, lot.last + margin)
            booked = fold([*lines.entries, *lot.entries])
            if not self.is_announced:
                return booked
            first, last = lot.first - _TOUCHED, lot.last + _TOUCHED
            touched = [each for each in booked if each.first <= last and each.last >= first]
            first, last = lot.first - margin + _EDGE, lot.last + margin - _EDGE
            if all(each.first >= first and each.last <= last for each in touched):
                return _with_all_lines(touched, booked)
            margin *= 2

    def _write(self, lines: KnownLines, folded: Folded, import_id: str) -> None:
        new: list[WrittenPosting] = []
        changed: list[WrittenPosting] = []
        for booked, postings in folded:
            if lines.stand_as_they_did(booked, postings):
                continue
            for posting in postings:
                before = lines.booked.get(posting.id)
                posting.id = posting.id or self._ids.new("pst")
                written = lines.written(posting)
                if before is None:
                    new.append(written)
                elif lines.says_otherwise(written):
                    changed.append(written)
                    if before.booking_date != written.resolved.posting.booking_date:
                        self._moved.append(posting.id)
        store.insert(self._tx, self._shop, new, self._now)
        store.change(self._tx, self._shop, changed, self._now)
        added, moved = lines.rows(folded)
        line_store.add(self._tx, self._shop, import_id, added)
        line_store.move(self._tx, self._shop, moved)


def _with_all_lines(touched: Iterable[BookedEntry], booked: Iterable[BookedEntry]) -> list[BookedEntry]:
    """With the other entries that have lines of the same postings: books of an older version may be divided so."""
    found = dict.fromkeys(touched)
    names = _names_of(found)
    rest = [each for each in booked if each not in found]
    while more := [each for each in rest if not names.isdisjoint(_names_of([each]))]:
        found |= dict.fromkeys(more)
        names |= _names_of(more)
        rest = [each for each in rest if each not in found]
    return list(found)


def _names_of(booked: Iterable[BookedEntry]) -> set[str]:
    """The ids of the postings for which their lines stood so far."""
    return {name for each in booked for entry in each.entries for name in entry.stands_for if name}
