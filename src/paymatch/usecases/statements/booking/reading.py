"""A statement while its entries pass by: they are booked in chunks, its balances prove that it is whole."""

from __future__ import annotations

from datetime import date
from typing import Final

from paymatch.domain.postings import Posting, PostingSource
from paymatch.formats.postings_of import postings_of
from paymatch.formats.statement import Balance, Entry, StatementEnd, StatementHead
from paymatch.store.statements.import_errors import BALANCE_MISMATCH, UNREADABLE_ENTRIES
from paymatch.store.statements.statements import StatementRow, other_pages
from paymatch.usecases.statements.booking.booking import CHUNK, Booking
from paymatch.usecases.statements.booking.statement_import import StatementImport

_SOURCES: Final = {
    "camt.052": PostingSource.INTRADAY,
    "MT942": PostingSource.INTRADAY,
    "camt.054": PostingSource.NOTIFICATION,
}


class StatementReading:
    """Collects what a statement says; memory stays flat however long it is."""

    def __init__(self, head: StatementHead, booking: Booking) -> None:
        self.head = head
        self.id = booking.ids.new("st")
        self.source = _SOURCES.get(head.format, PostingSource.FINAL)
        self.currency = head.currency
        self.booked_minor = 0
        self.postings = 0
        self.unreadable = 0
        self.flags: list[str] = []
        self.notes: list[str] = []
        self.balances_right: bool | None = None
        self.opening_minor: int | None = None
        self.closing_minor: int | None = None
        self.first_date: date | None = head.from_date
        self.last_date: date | None = head.to_date
        self._booking = booking
        self._format = "camt" if head.format.startswith("camt") else head.format.replace("MT942", "MT940")
        self._waiting: list[tuple[Posting, ...]] = []
        self._import: StatementImport | None = None

    def add(self, entry: Entry) -> None:
        """Takes an entry; booked ones become postings."""
        self.currency = self.currency or entry.currency
        postings = postings_of(self.head, entry)
        if not postings:
            return
        self.booked_minor += entry.amount_minor
        self.postings += len(postings)
        self._include(postings[0].booking_date)
        self._waiting.append(postings)
        if len(self._waiting) >= CHUNK:
            self._flush()

    def end(self, end: StatementEnd) -> None:
        """Books what is waiting, and holds the balances against what was booked."""
        self._flush()
        if self._import is not None:
            self._booking.book_overlap(self._import)
        self.opening_minor, self.closing_minor = _opening(end.balances), _closing(end.balances)
        if self.last_date is None:
            for balance in end.balances:
                if balance.date is not None and balance.code in ("OPBD", "PRCD", "CLBD", "ITBD"):
                    self._include(balance.date)
        if self.unreadable:
            self.flags.append(UNREADABLE_ENTRIES)
        if end.unreadable:
            self.flags.append("unreadable-balances")
            self.notes += [f"{self.name}: {reason}" for reason in end.unreadable]
        if self.source is PostingSource.FINAL and self.opening_minor is not None and self.closing_minor is not None:
            self.balances_right = self.opening_minor + self.booked_minor == self.closing_minor
            if not self.balances_right:
                self.flags.append(BALANCE_MISMATCH)
                self.notes.append(f"{self.name}: opening + booked <> closing")

    @property
    def name(self) -> str:
        """The statement for a person."""
        return f"statement {self.head.statement_id or self._sequence or self.id}"

    @property
    def _sequence(self) -> str:
        return self.head.electronic_sequence or self.head.legal_sequence

    def row(self, import_id: str) -> StatementRow:
        """The statement as it is kept."""
        head = self.head
        return StatementRow(
            self.id, import_id, head.account, self.currency, head.format, self.source, head.statement_id,
            self._sequence, self.first_date, self.last_date, self.opening_minor, self.closing_minor,
            self.booked_minor, self.flags, head.page,
        )  # fmt: skip

    def _include(self, day: date) -> None:
        self.first_date = min(self.first_date or day, day)
        self.last_date = max(self.last_date or day, day)

    def _flush(self) -> None:
        if not self._waiting:
            return
        if self._import is None:
            pages = other_pages(self._booking.tx, self._booking.shop, self.row(""))
            self._import = self._booking.begin(self.id, self.source, self._format, pages)
        self._booking.book(self._import, self._waiting)
        self._waiting = []


def _opening(balances: tuple[Balance, ...]) -> int | None:
    """The booked balance before the statement: OPBD, else PRCD, else the interim one that a further page opens with."""
    for code in ("OPBD", "PRCD"):
        for balance in balances:
            if balance.code == code:
                return balance.amount_minor
    interim = [balance for balance in balances if balance.code == "ITBD"]
    return interim[0].amount_minor if interim and len(balances) > 1 and balances[0] is interim[0] else None


def _closing(balances: tuple[Balance, ...]) -> int | None:
    """The booked balance after the statement: CLBD, else the interim one that a page ends with."""
    for balance in balances:
        if balance.code == "CLBD":
            return balance.amount_minor
    interim = [balance for balance in balances if balance.code == "ITBD"]
    return interim[-1].amount_minor if interim and balances[-1] is interim[-1] and len(balances) > 1 else None
