"""A statement during its import: entries are put aside for booking, balances prove that it is complete."""

from __future__ import annotations

from datetime import date
from typing import Final

from paymatch.domain.books.overlap import Balances, Course
from paymatch.domain.books.statement_lines import ShownBy
from paymatch.domain.money import Currency, minor_to_text
from paymatch.domain.postings import PostingSource
from paymatch.domain.words.message import Message
from paymatch.formats.postings_of import postings_of
from paymatch.formats.read import format_named
from paymatch.formats.statement import Balance, Entry, EntryStatus, StatementEnd, StatementHead, UnreadableEntry
from paymatch.store.statements.import_errors import BALANCE_MISMATCH, UNREADABLE_ENTRIES
from paymatch.store.statements.statements import StatementRow
from paymatch.usecases.statements.booking.booking import ImportBooking

_RAW: Final = 4_000  # characters of an error row that are kept

MOST_DAYS_AHEAD: Final = 10
"""A bank announces bookings of the next days; a later date is a mistake, and would delay due work until then."""


def too_far_ahead(entry: Entry, today: date) -> UnreadableEntry | None:
    """The entry as an error row if its booking date is too far in the future; else None."""
    day = entry.booking_date or entry.value_date
    if entry.status is not EntryStatus.BOOKED or day is None or (day - today).days <= MOST_DAYS_AHEAD:
        return None
    amount = minor_to_text(entry.amount_minor, Currency(entry.currency))
    texts = ("".join(detail.remittance_lines) for detail in entry.details)
    raw = "\n".join((f"{day} {amount} {entry.currency}", *filter(None, texts)))
    reason = Message("file-days-ahead", day=str(day), days=MOST_DAYS_AHEAD)
    return UnreadableEntry(entry.position, entry.line, reason, raw[:_RAW])


def shown_by(head: StatementHead, statement_id: str) -> ShownBy:
    """The statement in the form of the books."""
    known = format_named(head.format)
    sequence = head.electronic_sequence or head.legal_sequence
    is_page = head.page is not None and bool(head.statement_id or sequence)
    series = " ".join(filter(None, (head.format, head.statement_id, sequence))) if is_page else ""
    return ShownBy(statement_id, known.source, known.in_books, series, head.page or 0)


class StatementReading:
    """Collects a statement's data; memory stays flat for any length."""

    def __init__(self, head: StatementHead, booking: ImportBooking) -> None:
        self.head = head
        self.id = booking.ids.new("st")
        self.currency = head.currency
        self.postings = 0
        self.unreadable = 0
        self.flags: list[str] = []
        self.notes: list[Message] = []
        self.balances_right: bool | None = None
        self.opening_minor: int | None = None
        self.closing_minor: int | None = None
        self.balances: Balances | None = None
        self.first_date: date | None = head.from_date
        self.last_date: date | None = head.to_date
        self._booking = booking
        self._entries = 0
        self._course = Course()
        shown = shown_by(head, self.id)
        self.source = shown.source
        booking.begin(shown)

    def add(self, entry: Entry) -> None:
        """Takes an entry; booked ones become postings."""
        self.currency = self.currency or entry.currency
        postings = postings_of(self.head, entry)
        if not postings:
            return
        day = postings[0].booking_date
        self._course.add(day, entry.amount_minor)
        self.postings += len(postings)
        self._include(day)
        self._booking.show(self._entries, postings)
        self._entries += 1

    def end(self, end: StatementEnd) -> None:
        """Compares the balances with the entries shown as booked."""
        opening, closing = _opening(end.balances), _closing(end.balances)
        self.opening_minor = opening.amount_minor if opening else None
        self.closing_minor = closing.amount_minor if closing else None
        self._cover(end.balances, closing)
        if self.unreadable:
            self.flags.append(UNREADABLE_ENTRIES)
        if end.unreadable:
            self.flags.append("unreadable-balances")
            self.notes += [Message("file-statement", statement=self.name, what=reason) for reason in end.unreadable]
        if self.source is PostingSource.FINAL and opening and closing:
            leads = opening.amount_minor + self.booked_minor == closing.amount_minor
            self.balances_right = leads and opening.currency == closing.currency
            if self.balances_right and not self.unreadable and self.first_date is not None:
                self._prove(opening, closing)
            if not self.balances_right:
                self.flags.append(BALANCE_MISMATCH)
                self.notes.append(Message("file-mismatch", statement=self.name))

    def _cover(self, balances: tuple[Balance, ...], closing: Balance | None) -> None:
        """The last day of a final statement is that of its closing balance, not of its last booking (D-81)."""
        if self.last_date is None:
            for balance in balances:
                if balance.date is not None and balance.code in ("OPBD", "PRCD", "CLBD", "ITBD"):
                    self._include(balance.date)
        elif self.source is PostingSource.FINAL and closing is not None and closing.date is not None:
            self.last_date = max(closing.date, self.head.to_date or closing.date)
            self.first_date = min(self.first_date or self.last_date, self.last_date)

    def _prove(self, opening: Balance, closing: Balance) -> None:
        """The proof by its balances of its place among the account's statements."""
        assert self.first_date is not None
        assert self.last_date is not None
        days = opening.date or self.first_date, closing.date or self.last_date
        self.balances = self._course.between(opening.amount_minor, days[0], closing.amount_minor, days[1])

    @property
    def booked_minor(self) -> int:
        """The sum of its bookings."""
        return self._course.booked_minor

    @property
    def name(self) -> str:
        """A readable name of the statement."""
        return self.head.statement_id or self._sequence or self.id

    @property
    def _sequence(self) -> str:
        return self.head.electronic_sequence or self.head.legal_sequence

    def row(self, import_id: str) -> StatementRow:
        """The stored form of the statement."""
        head = self.head
        return StatementRow(
            self.id, import_id, head.account, self.currency, head.format, self.source, head.statement_id,
            self._sequence, self.first_date, self.last_date, self.opening_minor, self.closing_minor,
            self.booked_minor, self.flags, head.page, self.balances,
        )  # fmt: skip

    def _include(self, day: date) -> None:
        self.first_date = min(self.first_date or day, day)
        self.last_date = max(self.last_date or day, day)


def _opening(balances: tuple[Balance, ...]) -> Balance | None:
    """The booked balance before the statement: OPBD, else PRCD, else the interim one that a further page opens with."""
    for code in ("OPBD", "PRCD"):
        for balance in balances:
            if balance.code == code:
                return balance
    interim = [balance for balance in balances if balance.code == "ITBD"]
    return interim[0] if interim and len(balances) > 1 and balances[0] is interim[0] else None


def _closing(balances: tuple[Balance, ...]) -> Balance | None:
    """The booked balance after the statement: CLBD, else the interim one that a page ends with."""
    for balance in balances:
        if balance.code == "CLBD":
            return balance
    interim = [balance for balance in balances if balance.code == "ITBD"]
    return interim[-1] if interim and balances[-1] is interim[-1] and len(balances) > 1 else None
