"""Booking: the lines of a file are kept, and the affected window of the books is recomputed (D-40)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from itertools import chain
from typing import Final

from paymatch.domain.books.booked_postings import keep_ids, postings_of_entry
from paymatch.domain.books.fold import REACH, BookedEntry, BooksOfSum, fold
from paymatch.domain.books.statement_lines import ShownBy
from paymatch.domain.postings import Posting
from paymatch.domain.words.message import Message
from paymatch.store.ids import Ids
from paymatch.store.statements import postings as store
from paymatch.store.statements import statement_lines as line_store
from paymatch.store.statements import statements as statement_store
from paymatch.store.statements.postings import ComparedPosting, WrittenPosting
from paymatch.store.transactions import ShopId, ShopTx
from paymatch.usecases.matching.unmatching import release, settle_days
from paymatch.usecases.statements.booking.known_lines import Folded, KnownLines, Places, names_of, turned_by
from paymatch.usecases.statements.booking.scratch import LOT_SIZE, Lot, Scratch, lots_of

_TOUCHED: Final = 2 * REACH
"""How many days away a line has effects: on an announcement that it names, and on the day of that one."""
_EDGE: Final = 3 * REACH
"""This near the edge of a window, lines outside of it matter: they name announcements, which are near booked lines."""
MARGIN: Final = _TOUCHED + _EDGE
"""How far around its lines a window is first read."""


class Window:
    """Parts of the books that are recomputed from their lines, lot by lot; `undoes` removes the import's lines."""

    def __init__(self, tx: ShopTx, shop: ShopId, import_id: str, now: datetime, *, undoes: bool) -> None:
        tx.look_up_by_key()
        self.lines = 0
        self.vanished: list[ComparedPosting] = []
        self._undoes = undoes
        self._tx, self._shop, self._import_id, self._now, self._ids = tx, shop, import_id, now, Ids(now)
        self._moved: list[str] = []
        self._is_locked = False
        self._places = Places(tx, shop, without=import_id if undoes else "")

    def fold(self, lot: Lot, margin: timedelta = MARGIN) -> Iterator[Folded]:
        """Recomputes the books around a lot and writes the differences, some groups of days at a time.

        Announcements nearby may be booked on other days than they name; otherwise every day is separate.
        """
        near = int(self._is_announced(lot))
        places = self._places.of(lot.account, lot.currency)
        lines = KnownLines(self._tx, self._shop, lot, self._import_id, places, undoes=self._undoes)
        books = {amount: BooksOfSum(near * REACH) for amount in lot.amounts}
        begin, end = lot.first - near * _TOUCHED, lot.last + near * _TOUCHED
        for first, last in _parts(lot, near * margin):
            found = lines.load(first, last, chain.from_iterable(each.entries() for each in books.values()))
            self.lines += sum(len(entry.lines) for entries in found.values() for entry in entries)
            touched: list[BookedEntry] = []
            for amount, of_sum in list(books.items()):
                for group in of_sum.add(found.get(amount, ()), last):
                    if group.last < begin or group.first > end:
                        lines.is_done(names_of(entry for booked in group.booked for entry in booked.entries))
                        continue
                    if group.first < lot.first - near * (margin - _EDGE):
                        del books[amount]  # ties from its first day to others may be before the window
                        break
                    touched += group.booked
            yield self._book(lines, touched)
            if last >= end and all(of_sum.open_from > end for of_sum in books.values()):
                break
        gone = sorted(name for name, amount in lines.gone.items() if amount in books and name in lines.standing)
        self.vanished += [lines.standing[name] for name in gone]
        if wider := [amount for amount in lot.amounts if amount not in books]:
            yield from self.fold(replace(lot, amounts=wider), 2 * margin)

    def goes_on_without_them(self) -> None:
        """Removes the import's lines from what is folded from here on."""
        self._undoes = False

    def finish(self, *, undoes_refunds: bool) -> list[str]:
        """Releases postings that are no longer booked, and settles orders whose payments moved to another day.

        Last, because settling locks what every call on the shop's orders needs until the commit. Returns the numbers of
        the released orders.
        """
        gone = [each.id for each in self.vanished]
        orders = release(self._tx, gone, self._now, undoes_refunds=undoes_refunds) if gone else []
        if gone:
            store.delete(self._tx, gone, self._now)
        if self._moved:
            self._lock_matching()
            settle_days(self._tx, sorted(set(self._moved) - set(gone)), self._now)
        return orders

    def _is_announced(self, lot: Lot) -> bool:
        first, last = lot.first - MARGIN, lot.last + MARGIN
        return statement_store.any_announced(self._tx, lot.account, first, last)

    def _lock_matching(self) -> None:
        """Blocks matching while postings change: a match would be lost half way."""
        if not self._is_locked:
            statement_store.lock_matching(self._tx)
            self._is_locked = True

    def _book(self, lines: KnownLines, touched: Iterable[BookedEntry]) -> Folded:
        folded = [(booked, postings_of_entry(booked)) for booked in touched]
        own = [posting for _, postings in folded for posting in postings]
        keep_ids(own, {each.id: each.amount_minor for each in lines.standing.values()})
        kept = {posting.id for posting in own}
        entries = [entry for booked, _ in folded for entry in booked.entries]
        before = names_of(entries)
        gone = [lines.standing[name] for name in sorted(before - kept) if name in lines.standing]
        if gone and not self._is_locked:
            self._lock_matching()  # a person or matching may have decided one of them meanwhile
            lines.ask_again(entries)
            return self._book(lines, fold(entries))
        lines.forget_again(folded)
        self.vanished += gone
        self._write(lines, folded)
        lines.is_done(before | kept)
        return folded

    def _write(self, lines: KnownLines, folded: Folded) -> None:
        new: list[WrittenPosting] = []
        changed: list[WrittenPosting] = []
        differing = lines.differing_postings(folded)
        stood = store.booked_by_id(self._tx, {posting.id for posting in differing if posting.id})
        for posting in differing:
            before = stood.get(posting.id)
            posting.id = posting.id or self._ids.new("pst")
            written = lines.posting_to_write(posting, before)
            if before is None:
                new.append(written)
            elif lines.says_otherwise(written, before):
                changed.append(written)
                if lines.standing[posting.id].booking_date != written.resolved.posting.booking_date:
                    self._moved.append(posting.id)
        store.insert(self._tx, new, self._now)
        store.change(self._tx, changed, self._now)
        added, moved = lines.rows(folded)
        line_store.add(self._tx, self._import_id, added)
        line_store.move(self._tx, moved)


def _parts(lot: Lot, margin: timedelta) -> Iterator[tuple[date, date]]:
    """Days that are read at once: all of a small lot, some of a large one; then as many again, without end."""
    first = lot.first - margin
    days = lot.last + margin - first + timedelta(1)
    if lot.lines > lot.size:
        days = max(timedelta(1), (lot.last - lot.first) * lot.size // lot.lines)
    while True:
        yield first, first + days - timedelta(1)
        first += days


class ImportBooking:
    """The books during one import: its entries are put aside, and folded with the present ones at the end."""

    def __init__(
        self,
        tx: ShopTx,
        shop: ShopId,
        import_id: str,
        now: datetime,
        tell: Callable[[str, int], None],
        lot_size: int = LOT_SIZE,
    ) -> None:
        self.tx = tx
        self.shop = shop
        self.ids = Ids(now)
        self.new = 0
        self.known = 0
        self.folded = 0  # lines of the recomputed windows
        self.notes: list[Message] = []
        self.payer_accounts: set[str] = set()
        self.exchanged: list[Posting] = []  # instructed in another currency than the account's
        self._import_id = import_id
        self._now = now
        self._tell = tell
        self._lot_size = lot_size
        self._scratch = Scratch()

    def begin(self, statement: ShownBy) -> None:
        """Begins a statement: the following entries belong to it."""
        self._scratch.begin(statement)

    def show(self, position: int, lines: tuple[Posting, ...]) -> None:
        """Takes an entry of the statement."""
        self._scratch.add(position, lines)

    def close(self) -> None:
        """Forgets what waited."""
        self._scratch.close()

    def finish(self) -> None:
        """Folds the shown entries with all lines near them, and releases postings that are no longer booked."""
        window = Window(self.tx, self.shop, self._import_id, self._now, undoes=False)
        for lot in self._scratch.lots(self._lot_size):
            for folded in window.fold(lot):
                self._count(folded)
                self._tell("booking", self.new + self.known)
        turned = turned_by(self.tx, self._import_id)
        for lot in lots_of(line_store.touched_by_statements(self.tx, turned), self._lot_size):
            for folded in window.fold(lot):
                self._count(folded)
        self.folded = window.lines
        window.finish(undoes_refunds=False)

    def _count(self, folded: Folded) -> None:
        own = [entry for booked, _ in folded for entry in booked.entries if entry.is_new]
        for entry in own:
            self.payer_accounts.update(_paid_from(entry.lines))
            self.exchanged += [line for line in entry.lines if line.instructed_currency not in ("", line.currency)]
        new = 0
        for booked, postings in folded:
            if all(entry.is_new for entry in booked.entries):
                new += len(postings)
            elif booked.division is None and any(entry.is_new for entry, _ in postings[0].sums):
                self.notes.append(Message("file-details-left", posting=postings[0].id))
            elif all(entry.is_new for entry, _ in postings[0].sums):
                new += sum(all(entry.is_new for entry, _ in each.lines) for each in postings)
        self.new += new
        self.known += sum(len(entry.lines) for entry in own) - new


def take_lines_away(tx: ShopTx, import_id: str, now: datetime, lot_size: int = LOT_SIZE) -> Window:
    """Recomputes the books without an import's lines, as if it had never come; vanished postings wait for release."""
    window = Window(tx, tx.shop_id, import_id, now, undoes=True)
    for lot in lots_of(line_store.touched_by(tx, import_id), lot_size):
        for _ in window.fold(lot):
            pass
    line_store.delete(tx, import_id)
    window.goes_on_without_them()
    turned = turned_by(tx, import_id)
    for lot in lots_of(line_store.touched_by_statements(tx, turned), lot_size):
        for _ in window.fold(lot):
            pass
    return window


def _paid_from(lines: Sequence[Posting]) -> Iterable[str]:
    """Accounts that sent money; returns from an account that we paid do not count."""
    return (
        line.counterparty_iban
        for line in lines
        if line.counterparty_iban and line.amount_minor > 0 and not line.is_return
    )
