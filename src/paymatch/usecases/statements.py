"""Statements: a bank file is booked exactly once, whole or not at all (DESIGN.md section 5)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from typing import Any, BinaryIO, Final

import msgspec

from paymatch.domain.money import CURRENCIES, WITHDRAWN, minor_to_decimal
from paymatch.domain.postings import Posting, PostingSource
from paymatch.domain.shops import Shop
from paymatch.formats.postings_of import postings_of
from paymatch.formats.read import read_statements
from paymatch.formats.statement import Balance, Entry, FileRefused, StatementEnd, StatementHead, UnreadableEntry
from paymatch.store import shops as shop_store
from paymatch.store import statements as store
from paymatch.store.database import Database, ShopId, Tx
from paymatch.store.ids import new_id
from paymatch.usecases.booking import Booking
from paymatch.usecases.matching import match_due, match_now

IMPORT_LOCK_SECONDS: Final = 900
"""How long an import waits for another one of the same shop."""

_CHUNK: Final = 2000
_SOURCES: Final = {
    "camt.052": PostingSource.INTRADAY,
    "MT942": PostingSource.INTRADAY,
    "camt.054": PostingSource.NOTIFICATION,
}

Progress = Callable[[str, int], None]
"""Called with what is being done and how many entries or postings are done."""


@dataclass(slots=True)
class Report:
    """What one file held and what became of it (stable names: DESIGN.md section 3)."""

    file: str
    format: str = ""
    version: str = ""
    statements: int = 0
    entries: int = 0
    details: int = 0
    credit: Decimal = Decimal(0)
    debit: Decimal = Decimal(0)
    currencies: list[str] = field(default_factory=list)
    new: int = 0
    known: int = 0
    provisional: int = 0
    errors: int = 0
    matched: int = 0
    suggested: int = 0
    balances_right: int = 0
    balances_wrong: int = 0
    new_accounts: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    import_id: str = ""
    dry_run: bool = False

    def as_dict(self) -> dict[str, Any]:
        """The report under its stable names."""
        return {
            "file": self.file,
            "format": self.format,
            "version": self.version,
            "statements": self.statements,
            "entries": self.entries,
            "details": self.details,
            "sumCredit": f"{self.credit:.2f}",
            "sumDebit": f"{self.debit:.2f}",
            "currency": " ".join(self.currencies),
            "new": self.new,
            "known": self.known,
            "provisional": self.provisional,
            "errors": self.errors,
            "matched": self.matched,
            "suggested": self.suggested,
            "balance": self.balance,
            "newAccounts": self.new_accounts,
            "notes": self.notes,
            "importId": self.import_id,
            "dryRun": self.dry_run,
        }

    @property
    def balance(self) -> str:
        """`ok` if opening + booked = closing wherever the file says both, `mismatch`, or `unknown`."""
        if self.balances_wrong:
            return "mismatch"
        return "ok" if self.balances_right else "unknown"


class _DryRun(Exception):
    """Rolls the rehearsal back."""


def import_file(
    database: Database,
    shop: Shop,
    stream: BinaryIO,
    name: str,
    clock: datetime,
    *,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> Report:
    """Books a bank file and matches its postings; FileRefused if it cannot be read, and then nothing is booked.

    A file that is known is a success with nothing new (D-24). With `dry_run` the same report, and nothing is changed.
    """
    shop_id = ShopId(shop.id)
    digest, size = _digest(stream)
    tell = progress or (lambda what, count: None)
    report = Report(name, dry_run=dry_run)
    try:
        with database.transaction(shop_id, IMPORT_LOCK_SECONDS) as tx:
            store.lock_imports(tx, shop_id)
            earlier = store.import_of(tx, shop_id, digest)
            if earlier is not None:
                return _known_file(report, earlier)
            _Import(tx, shop, report, clock, tell).run(stream, name)
            if dry_run:
                matched = match_now(tx, shop, clock)
                report.matched, report.suggested = matched.matched, matched.suggested
                raise _DryRun
            row = store.ImportRow(
                report.import_id, name, report.format, report.version, "BOOKED",
                msgspec.json.encode(report.as_dict()).decode(), shop.now(clock),
            )  # fmt: skip
            store.add_import(tx, shop_id, row, digest, size)
    except _DryRun:
        return report
    counts = match_due(database, shop, clock, progress=tell, import_id=report.import_id)
    report.matched, report.suggested = counts.matched, counts.suggested
    return report


def _digest(stream: BinaryIO) -> tuple[bytes, int]:
    digest, size = hashlib.sha256(), 0
    while block := stream.read(1 << 20):
        digest.update(block)
        size += len(block)
    stream.seek(0)
    return digest.digest(), size


def _known_file(report: Report, earlier: store.ImportRow) -> Report:
    """What the first import of the file said of it, with nothing new."""
    said = msgspec.json.decode(earlier.result)
    report.format, report.version = said["format"], said["version"]
    report.statements, report.entries, report.details = said["statements"], said["entries"], said["details"]
    report.credit, report.debit = Decimal(said["sumCredit"]), Decimal(said["sumDebit"])
    report.currencies = said["currency"].split()
    report.known = said["new"] + said["known"]
    report.errors = said["errors"]
    report.balances_right, report.balances_wrong = said["balance"] == "ok", said["balance"] == "mismatch"
    report.import_id = earlier.id
    report.notes = [f"this file was imported before, on {earlier.created_at:%Y-%m-%d %H:%M} UTC"]
    return report


class _Import:
    """One file on its way into the books, statement by statement."""

    def __init__(self, tx: Tx, shop: Shop, report: Report, clock: datetime, tell: Progress) -> None:
        self._tx = tx
        self._shop = shop
        self._shop_id = ShopId(shop.id)
        self._report = report
        self._now = shop.now(clock)
        self._tell = tell
        self._accounts = {(row.account, row.currency) for row in shop_store.accounts(tx, self._shop_id)}
        self._errors: list[store.ErrorRow] = []
        report.import_id = new_id("im", self._now)

    def run(self, stream: BinaryIO, name: str) -> None:
        """Reads and books everything; FileRefused rolls the caller's transaction back."""
        booking = Booking(self._tx, self._shop_id, self._report.import_id, self._now)
        for _, events in read_statements(stream, name):
            self._file(events, booking)
        if not self._report.statements:
            raise FileRefused("the file holds no statement")
        store.add_errors(self._tx, self._shop_id, self._report.import_id, self._errors)
        self._report.new, self._report.known = booking.new, booking.known
        self._report.notes += booking.notes

    def _file(self, events: Iterator[Any], booking: Booking) -> None:
        statement: _Statement | None = None
        for event in events:
            if isinstance(event, StatementHead):
                statement = self._begin(event, booking)
            assert statement is not None, "a reader begins each statement with its head"
            if isinstance(event, Entry):
                statement.add(event)
                self._count(event)
            elif isinstance(event, UnreadableEntry):
                self._unreadable(event)
                statement.unreadable += 1
            elif isinstance(event, StatementEnd):
                statement.end(event)
                self._end(statement, event)

    def _begin(self, head: StatementHead, booking: Booking) -> _Statement:
        report = self._report
        report.statements += 1
        report.format = report.format or head.format
        report.version = report.version or head.version
        return _Statement(head, booking, self._now)

    def _count(self, entry: Entry) -> None:
        report = self._report
        report.entries += 1
        report.details += len(entry.details)
        amount = minor_to_decimal(abs(entry.amount_minor), _known_currency(entry.currency))
        if entry.amount_minor >= 0:
            report.credit += amount
        else:
            report.debit += amount
        if entry.currency not in report.currencies:
            report.currencies.append(entry.currency)
        if report.entries % 1000 == 0:
            self._tell("reading", report.entries)

    def _unreadable(self, entry: UnreadableEntry) -> None:
        self._report.entries += 1
        self._report.errors += 1
        position = len(self._errors)
        self._errors.append(store.ErrorRow(position, entry.line, entry.reason, entry.raw.replace("\x00", "\ufffd")))
        self._report.notes.append(f"line {entry.line}: {entry.reason}")

    def _end(self, statement: _Statement, end: StatementEnd) -> None:
        head, report = statement.head, self._report
        currency = head.currency or statement.currency
        if head.account and currency:
            self._register(head, currency)
        opening, closing = _opening(end.balances), _closing(end.balances)
        flags = ["unreadable-entries"] if statement.unreadable else []
        if opening is not None and closing is not None and statement.source is PostingSource.FINAL:
            if opening + statement.booked_minor == closing:
                report.balances_right += 1
            else:
                report.balances_wrong += 1
                flags.append("balance-mismatch")
                report.notes.append(
                    f"statement {head.statement_id or head.electronic_sequence}: opening + booked <> closing"
                )
        if statement.source is not PostingSource.FINAL:
            report.provisional += statement.postings
        row = store.StatementRow(
            statement.id, report.import_id, head.account, currency, head.format, statement.source, head.statement_id,
            head.electronic_sequence or head.legal_sequence, statement.first_date, statement.last_date, opening,
            closing, statement.booked_minor, flags,
        )  # fmt: skip
        store.add_statement(self._tx, self._shop_id, row, self._now)

    def _register(self, head: StatementHead, currency: str) -> None:
        """Adds an account that the shop has not registered, for a person to confirm (D-24)."""
        if (head.account, currency) in self._accounts:
            return
        if self._shop.accounts_locked and not self._report.dry_run:
            raise FileRefused(
                f"account {head.account} {currency} is not among the shop's accounts, whose list is locked"
            )
        self._accounts.add((head.account, currency))
        self._report.new_accounts.append(head.account)
        row = shop_store.AccountRow(head.account, currency, head.servicer_bic, "", head.owner_name, confirmed=False)
        shop_store.add_account(self._tx, self._shop_id, row, self._now)


class _Statement:
    """A statement while its entries pass by; they are booked in chunks, so that memory stays flat."""

    def __init__(self, head: StatementHead, booking: Booking, now: datetime) -> None:
        self.head = head
        self.id = new_id("st", now)
        self.source = _SOURCES.get(head.format, PostingSource.FINAL)
        self.currency = head.currency
        self.booked_minor = 0
        self.postings = 0
        self.unreadable = 0
        self.first_date: date | None = head.from_date
        self.last_date: date | None = head.to_date
        self._booking = booking
        self._format = "camt" if head.format.startswith("camt") else head.format.replace("MT942", "MT940")
        self._waiting: list[tuple[Posting, ...]] = []

    def add(self, entry: Entry) -> None:
        """Takes an entry; booked ones become postings."""
        self.currency = self.currency or entry.currency
        postings = postings_of(self.head, entry)
        if not postings:
            return
        self.booked_minor += entry.amount_minor
        self.postings += len(postings)
        day = postings[0].booking_date
        self.first_date = min(self.first_date or day, day)
        self.last_date = max(self.last_date or day, day)
        self._waiting.append(postings)
        if len(self._waiting) >= _CHUNK:
            self._flush()

    def end(self, _: StatementEnd) -> None:
        """Books what is waiting."""
        self._flush()

    def _flush(self) -> None:
        if self._waiting:
            self._booking.book(self.id, self._waiting, self.source, self._format)
            self._waiting = []


def _known_currency(code: str) -> Any:
    return code if code in CURRENCIES or code in WITHDRAWN else "EUR"


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
