"""Statements: a bank file is booked exactly once, in full or not at all (docs/statements.md)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import BinaryIO, Final

import msgspec
from msgspec.structs import replace

from paymatch.domain.money import Currency, minor_to_decimal
from paymatch.domain.postings import PostingSource
from paymatch.domain.shops.audit import AuditAction
from paymatch.domain.shops.shop import Shop
from paymatch.domain.shops.shop_jobs import ALERTS
from paymatch.domain.statement_channels import TRUSTED, StatementChannel
from paymatch.domain.words.message import Message
from paymatch.formats.read import PlainFile, events_of, plain_files
from paymatch.formats.settlements.proposing import propose_settlement
from paymatch.formats.settlements.reader import open_settlement
from paymatch.formats.statement import (
    Entry,
    FileRefused,
    StatementEnd,
    StatementEvent,
    StatementHead,
    TableQuestion,
    UnknownLayout,
    UnreadableEntry,
)
from paymatch.formats.tables.detect import is_a_list
from paymatch.store.database import Database
from paymatch.store.ids import new_id
from paymatch.store.statements import import_errors
from paymatch.store.statements import statements as store
from paymatch.store.transactions import ShopId, ShopTx
from paymatch.store.work import shop_jobs
from paymatch.usecases.audit import record
from paymatch.usecases.matching.matching import match_due, match_now
from paymatch.usecases.payouts.provider_accounts import SettlementAccounts, SettlementImport
from paymatch.usecases.payouts.tying import tie
from paymatch.usecases.settlement.exchange_rates import note_bank_rates
from paymatch.usecases.statements.accounts import ImportAccounts
from paymatch.usecases.statements.booking.booking import ImportBooking
from paymatch.usecases.statements.booking.reading import StatementReading, too_far_ahead
from paymatch.usecases.statements.booking.scratch import LOT_SIZE
from paymatch.usecases.statements.completeness import notes_of_import
from paymatch.usecases.statements.import_report import ImportReport

_NO_ACCOUNT: Final = Message("file-no-account")
IMPORT_LOCK_SECONDS: Final = 900
"""How long an import waits for another one of the same shop."""

Progress = Callable[[str, int], None]
"""Called with the present step and the number of entries or postings done."""


_COLUMNS_SHOWN: Final = 500
_DAYS: Final = ("firstDate", "lastDate")


class _Rehearsed(Exception):
    """Rolls a rehearsal back."""


@dataclass(frozen=True, slots=True)
class IncomingBankFile:
    """A file to book: `channel` is how it arrived.

    `account` is the account of a file that names none, `import_id` the import if its id is already known. `lot_size` is
    the number of entries booked at once; the books do not depend on it. `events` are the file's contents if it was
    already read.
    """

    stream: BinaryIO
    name: str
    channel: StatementChannel
    account: str = ""
    import_id: str = ""
    lot_size: int = LOT_SIZE
    events: Callable[[], Iterator[StatementEvent]] | None = None


def import_file(
    database: Database,
    shop: Shop,
    stream: BinaryIO,
    name: str,
    clock: datetime,
    *,
    channel: StatementChannel,
    dry_run: bool = False,
    progress: Progress | None = None,
    account: str = "",
    import_id: str = "",
    lot_size: int = LOT_SIZE,
) -> ImportReport:
    """Books a bank file and matches its postings; FileRefused if it cannot be read, and then nothing is booked.

    A known file is a success with nothing new (D-24). `dry_run` gives the same report and changes nothing. Works in
    this process, without limits: for our own files. Untrusted files use `import_process`.
    """
    file = IncomingBankFile(stream, name, channel, account, import_id, lot_size)
    tell = progress or _silent
    with database.of_shop(shop, IMPORT_LOCK_SECONDS, at=clock) as tx:
        store.lock_imports(tx)
        if dry_run:
            return rehearse(tx, file, tell)
        report, is_new = book(tx, file, tell)
    return match_import(database, shop, report, clock, tell) if is_new else report


def _silent(_what: str, _count: int) -> None:
    """Progress that is not shown."""


def book(tx: ShopTx, file: IncomingBankFile, tell: Progress = _silent) -> tuple[ImportReport, bool]:
    """Books a file in a transaction that holds the lock of imports: its report, and False if it was known already.

    Its postings wait to be matched (`match_import`). FileRefused if it cannot be read: the caller rolls back.
    """
    digest, size = digest_of(file.stream)
    report = ImportReport(file.name, import_id=file.import_id or new_id("im", tx.now))
    earlier = store.import_of(tx, digest)
    if earlier is not None:
        if file.channel in TRUSTED and earlier.channel not in TRUSTED:
            store.set_channel(tx, earlier.id, file.channel)
        return known_file(report, earlier), False
    _Import(tx, tx.shop, report, tx.wall_time, tell, file).run()
    row = store.ImportRow(
        report.import_id, file.name, report.format, report.version, "BOOKED",
        report.to_json(), tx.now, file.channel,
    )  # fmt: skip
    store.add_import(tx, row, digest, size)
    shop_jobs.wake(tx, ALERTS, tx.now)
    said = {"file": file.name, "sha256": digest.hex()}
    record(tx, tx.shop, AuditAction.STATEMENT_IMPORTED, report.import_id, after=said)
    return report, True


def rehearse(tx: ShopTx, file: IncomingBankFile, tell: Progress = _silent, *, matches: bool = True) -> ImportReport:
    """A preview of `book` and, with `matches`, of the matching; the transaction is unchanged."""
    digest, _ = digest_of(file.stream)
    report = ImportReport(file.name, import_id=file.import_id or new_id("im", tx.now), dry_run=True)
    earlier = store.import_of(tx, digest)
    if earlier is not None:
        return known_file(report, earlier)
    with suppress(_Rehearsed), tx.savepoint():
        _Import(tx, tx.shop, report, tx.wall_time, tell, file).run()
        if matches:
            counts = match_now(tx)
            report.matched, report.suggested = counts.matched, counts.suggested
        raise _Rehearsed
    return report


def match_import(
    database: Database, shop: Shop, report: ImportReport, clock: datetime, tell: Progress = _silent
) -> ImportReport:
    """Matches the postings of an import that is booked and committed; the report says how many."""
    counts = match_due(database, shop, clock, progress=tell, import_id=report.import_id)
    report.matched, report.suggested = counts.matched, counts.suggested
    return report


def digest_of(stream: BinaryIO) -> tuple[bytes, int]:
    """SHA-256 and size of a file, which is rewound afterwards."""
    stream.seek(0)
    digest, size = hashlib.sha256(), 0
    while block := stream.read(1 << 20):
        digest.update(block)
        size += len(block)
    stream.seek(0)
    return digest.digest(), size


def known_file(report: ImportReport, earlier: store.ImportRow) -> ImportReport:
    """The report of the file's first import, with nothing new."""
    report = report_of(report, earlier)
    report.known, report.new = report.new + report.known, 0
    report.notes = [Message("file-known", moment=f"{earlier.created_at:%Y-%m-%d %H:%M}")]
    return report


def report_of(report: ImportReport, row: store.ImportRow) -> ImportReport:
    """An import's report on its file, without its matches, accounts and notes."""
    said = msgspec.json.decode(row.result)
    report.format, report.version = said["format"], said["version"]
    report.statements, report.entries, report.details = said["statements"], said["entries"], said["details"]
    report.credit, report.debit = Decimal(said["sumCredit"]), Decimal(said["sumDebit"])
    report.currencies = said["currency"].split()
    report.new, report.known, report.errors = said["new"], said["known"], said["errors"]
    report.accounts = said.get("accounts", [])
    report.first_date, report.last_date = (msgspec.convert(said.get(key), date | None) for key in _DAYS)
    report.balances_right, report.balances_wrong = int(said["balance"] == "ok"), int(said["balance"] == "mismatch")
    report.import_id = row.id
    return report


def _may_be_settlement(file: PlainFile) -> bool:
    """Whether a refused table looks like a settlement that no person has mapped."""
    file.stream.seek(0)
    proposal = propose_settlement(file.stream)
    return proposal is not None and proposal.is_likely


class _Import:
    """One file being booked, statement by statement."""

    def __init__(
        self, tx: ShopTx, shop: Shop, report: ImportReport, clock: datetime, tell: Progress, file: IncomingBankFile
    ) -> None:
        self._bank_file = file
        self._tx = tx
        self._shop = shop
        self._shop_id = ShopId(shop.id)
        self._report = report
        self._now = shop.now(clock)
        self._today = shop.today(clock)
        self._tell = tell
        self._accounts = ImportAccounts(
            tx, shop, self._now, file.account, locked=shop.accounts_locked and not report.dry_run,
            asked=file.channel is StatementChannel.FINTS and bool(file.account),
        )  # fmt: skip
        self._errors: list[import_errors.ErrorRow] = []
        locked = shop.accounts_locked and not report.dry_run
        self._at_providers = SettlementAccounts(tx, shop, self._now, file.account, locked=locked)
        self._settlement = SettlementImport(tx, shop, report, self._now, self._at_providers)
        self._names_account = False  # whether the present statement names its account

    def run(self) -> None:
        """Reads and books everything; FileRefused rolls the caller's transaction back."""
        file, import_id = self._bank_file, self._report.import_id
        booking = ImportBooking(self._tx, self._shop_id, import_id, self._now, self._tell, file.lot_size)
        with closing(booking):
            self._book(file.stream, file.name, booking)
        tie(self._tx, self._now)

    def _settle(self, file: PlainFile) -> bool:
        """Books a settlement of a provider, on its account there; False if the file is not one (D-83)."""
        reading = open_settlement(file.stream, self._at_providers.layouts(), default_currency=self._shop.currency)
        if reading is None:
            return False
        try:
            self._settlement.run(reading, self._tell)
        except FileRefused as refusal:
            raise file.with_name(refusal) from None
        return True

    def _book(self, stream: BinaryIO, name: str, booking: ImportBooking) -> None:
        if self._bank_file.events is not None:
            self._file(self._bank_file.events(), booking)
            self._finish(booking)
            return
        currency = self._accounts.default_currency
        has_statements = False
        for file in plain_files(stream, name):
            if self._settle(file):  # before lists are refused: a mapped layout is not a list
                continue
            has_statements = True
            try:
                self._file(events_of(file, self._accounts.profile_for, default_currency=currency), booking)
            except FileRefused as refusal:
                if not _may_be_settlement(file):
                    raise
                kind = TableQuestion if isinstance(refusal, TableQuestion) else FileRefused
                raise kind(Message("table-may-be-settlement", what=refusal.message)) from None
        if not self._report.statements:
            raise FileRefused(Message("file-no-statement"))
        if has_statements:
            self._finish(booking)

    def _finish(self, booking: ImportBooking) -> None:
        """Books the statements that were read."""
        booking.finish()
        store.add_payer_accounts(self._tx, self._report.import_id, booking.payer_accounts)
        if booking.exchanged and self._bank_file.channel in TRUSTED:
            note_bank_rates(self._tx, booking.exchanged, self._now)
        if self._errors:
            import_errors.add(self._tx, self._report.import_id, self._errors)
        self._report.new += booking.new
        self._report.known += booking.known
        self._report.folded = booking.folded
        self._report.new_accounts += self._accounts.added
        code = "file-new-account" if self._report.dry_run else "file-new-account-confirm"
        self._report.notes += [Message(code, account=added) for added in self._accounts.added]
        if self._accounts.assumed:
            self._report.notes.append(Message("file-only-account", account=self._accounts.assumed))
        missing = notes_of_import(self._tx, self._report.import_id)
        self._report.gaps = len(missing)
        self._report.notes += [*booking.notes, *missing]

    def _file(self, events: Iterator[StatementEvent], booking: ImportBooking) -> None:
        statement: StatementReading | None = None
        for event in events:
            if isinstance(event, StatementHead):
                statement = self._begin(event, booking)
                continue
            assert statement is not None, "a reader begins each statement with its head"
            if isinstance(event, Entry):
                if mistaken := too_far_ahead(event, self._today):
                    self._unreadable(mistaken, statement)
                    continue
                statement.add(event)
                self._count(event)
            elif isinstance(event, UnreadableEntry):
                self._unreadable(event, statement)
            else:
                self._end(statement, event)

    def _begin(self, head: StatementHead, booking: ImportBooking) -> StatementReading:
        report = self._report
        report.statements += 1
        report.format = report.format or head.format
        report.version = report.version or head.version
        report.notes += head.guesses
        self._names_account = bool(head.account)
        if head.unknown_layout is not None and head.unknown_layout.list_headings:
            raise FileRefused(is_a_list(head.unknown_layout.list_headings))
        return StatementReading(replace(head, account=self._accounts.account_of(head)), booking)

    def _count(self, entry: Entry) -> None:
        report = self._report
        report.entries += 1
        report.details += len(entry.details)
        amount = minor_to_decimal(abs(entry.amount_minor), Currency(entry.currency))
        if entry.amount_minor >= 0:
            report.credit += amount
        else:
            report.debit += amount
        if entry.currency not in report.currencies:
            report.currencies.append(entry.currency)
        if report.entries % 1000 == 0:
            self._tell("reading", report.entries)

    def _unreadable(self, entry: UnreadableEntry, statement: StatementReading) -> None:
        statement.unreadable += 1
        self._report.entries += 1
        self._report.errors += 1
        raw = entry.raw.replace("\x00", "\ufffd")
        row = import_errors.ErrorRow(len(self._errors), statement.id, entry.line, entry.reason, raw)
        self._errors.append(row)
        is_placed = entry.reason.code == "file-line"  # some readers name the line, some do not
        placed = entry.reason if is_placed else Message("file-line", line=str(entry.line), what=entry.reason)
        self._report.notes.append(placed)

    def _end(self, statement: StatementReading, end: StatementEnd) -> None:
        statement.end(end)
        head, report = statement.head, self._report
        if head.unknown_layout is not None and not self._is_proven(statement, end):
            raise TableQuestion(_question(head.unknown_layout))
        if not head.account and statement.postings > 0 and _NO_ACCOUNT not in report.notes:
            report.notes.append(_NO_ACCOUNT)
        if head.account and statement.currency:
            self._accounts.register(replace(head, currency=statement.currency))
        report.include(head.account, statement.first_date, statement.last_date)
        if statement.balances_right is not None:
            report.balances_right += statement.balances_right
            report.balances_wrong += not statement.balances_right
        report.notes += (note for note in end.guesses if note not in report.notes)
        report.notes += statement.notes
        if statement.source is not PostingSource.FINAL:
            report.provisional += statement.postings
        store.add_statement(self._tx, statement.row(report.import_id), self._now)

    def _is_proven(self, statement: StatementReading, end: StatementEnd) -> bool:
        """Whether a table of unknown layout is still a statement: it names a confirmed account of the shop, and its
        balances lead from row to row (D-82).
        """
        is_own = self._names_account and self._accounts.is_own(statement.head.account)
        return is_own and bool(end.balances) and statement.postings > 1


def _question(layout: UnknownLayout) -> Message:
    """The question to a person about a table."""
    seen = ", ".join(cell.strip() for cell in layout.first_row if cell.strip())
    return Message("table-question", columns=seen[:_COLUMNS_SHOWN])
