"""Account exports as CSV: statements and entries in the bank's words."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from itertools import chain, islice
from typing import BinaryIO, Final, cast

from msgspec.structs import replace

from paymatch.domain.words.message import Message
from paymatch.formats.statement import Entry, FileRefused, StatementEnd, StatementHead, UnknownLayout, UnreadableEntry
from paymatch.formats.tables.balance import BalanceColumn
from paymatch.formats.tables.columns import field_of, iban_in
from paymatch.formats.tables.detect import (
    CsvProposal,
    as_in,
    layout_in,
    propose_profile,
    propose_with,
)
from paymatch.formats.tables.profiles import CsvField, CsvProfile, is_place
from paymatch.formats.tables.rows import NoEntry, RowLeftOut, RowReader, RowUnreadable, SectionBegins
from paymatch.formats.tables.shapes import SAMPLE, RowShapes
from paymatch.formats.tables.text import MAX_CELL, TextRow, lines_of, rows_of
from paymatch.formats.tables.values import csv_date

__all__ = ["CsvProfile", "CsvProposal", "fits", "propose_profile", "propose_with", "read_csv"]

_SAMPLE: Final = 256 * 1024
_HEADER_WITHIN: Final = 200
_MAX_DOUBTFUL: Final = 200
_RAW: Final = 4000
_LEAST_HEADER: Final = 3  # columns that are known by name


@dataclass(slots=True)
class _Statement:
    """The entries of one account in one currency. The first one is handed on at once, others are kept."""

    account: str
    currency: str
    events: list[Entry | UnreadableEntry] = field(default_factory=list)
    position: int = 0
    balance: BalanceColumn = field(default_factory=BalanceColumn)


def read_csv(
    stream: BinaryIO, profile: CsvProfile | None = None, *, default_currency: str = "EUR"
) -> Iterator[StatementHead | Entry | UnreadableEntry | StatementEnd]:
    """The entries of an account export, one statement per account and currency in it.

    Without `profile` it is proposed from the file; what the file itself proves of its dates and debits overrules one
    that is given, as it was made of another file. `default_currency` is the account's currency where the file names
    none (the head then says ""). A row whose date or amount cannot be read is an UnreadableEntry; lines above the
    header and below the last entry (balances, remarks) are left out. FileRefused: no columns for date and amount,
    money in cannot be distinguished from money out, or the file breaks off in a row.
    """
    start = stream.read(_SAMPLE)
    guesses: tuple[Message, ...] = ()
    unknown: UnknownLayout | None = None
    if profile is None:
        proposal = propose_profile(start)
        if proposal.refusal:
            raise FileRefused(Message("file-line", line="1", what=proposal.refusal))
        profile, guesses = proposal.profile, proposal.guesses
        unknown = None if proposal.is_known else UnknownLayout(proposal.preview[0], layout_in(start, profile)[1])
    else:
        profile = as_in(start, profile)
    source = cast("BinaryIO", _Rejoined(start, stream))
    rows = rows_of(lines_of(source, profile.encoding), profile.delimiter)
    above, names, first = _skip_to_data(rows, profile)
    reader = RowReader(profile, names, _dates_in(above, profile), default_currency)
    reader.begin_below(above)
    yield from _Reading(profile, reader, names, guesses, unknown).read(first, rows)


def fits(stream: BinaryIO, profile: CsvProfile) -> bool:
    """Whether the file has the layout that the profile was confirmed for; the stream is back at its beginning.

    A profile that was kept before layouts were noted fits each table that has its columns, and is not a list of orders.
    """
    sample = stream.read(_SAMPLE)
    stream.seek(0)
    headings, listed = layout_in(sample, profile)
    if profile.headings != headings if profile.headings else bool(listed):
        return False
    try:
        rows = rows_of(lines_of(io.BytesIO(sample), profile.encoding), profile.delimiter)
        _, names, _ = _skip_to_data(rows, profile)
        width = max((len(row.cells) for _, row in zip(range(20), rows, strict=False)), default=len(names))
    except FileRefused:
        return False
    wanted = [name for _, columns in profile.columns for name in columns if is_place(name)]
    return all(int(name[1:]) <= width for name in wanted)


class _Rejoined:
    """The stream with what was read for detection put back in front."""

    def __init__(self, start: bytes, rest: BinaryIO) -> None:
        self._start: BinaryIO = io.BytesIO(start)
        self._rest = rest

    def read(self, size: int) -> bytes:
        return self._start.read(size) or self._rest.read(size)


def _skip_to_data(
    rows: Iterator[TextRow], profile: CsvProfile
) -> tuple[list[TextRow], tuple[str, ...], TextRow | None]:
    """Rows above the header, the header's cells, and the first data row where there is no header."""
    if not profile.header:
        return [], (), None
    above: list[TextRow] = []
    for row in rows:
        if profile.is_header(row.cells):
            return above, row.cells, None
        above.append(row)
        if len(above) > _HEADER_WITHIN:
            break
    seen = ", ".join(cell.strip() for cell in (above[0].cells if above else ()))
    raise FileRefused(
        Message("file-line", line="1", what=Message("table-header", profile=repr(profile.name), columns=seen[:500]))
    )


def _dates_in(rows: list[TextRow], profile: CsvProfile) -> list[date]:
    """The dates above the header: the period of the export, for dates without year."""
    parts = (part for row in rows for cell in row.cells for part in cell.replace(":", " ").split())
    found = (csv_date(part.strip(",;()"), profile.date_order) for part in parts)
    return [day for day in found if isinstance(day, date)]


class _Reading:
    def __init__(
        self,
        profile: CsvProfile,
        reader: RowReader,
        names: tuple[str, ...],
        guesses: tuple[Message, ...],
        unknown: UnknownLayout | None,
    ) -> None:
        self._guesses = guesses
        self._unknown = unknown
        self._profile = profile
        self._reader = reader
        self._width = len(names)
        self._narrowest = 0  # cells of the shortest entry before
        self._statements: dict[tuple[str, str], _Statement] = {}
        self._doubtful: list[TextRow] = []
        self._foreign = 0  # line of a row that looks unlike all others
        self._cut: list[int] = []  # lines of the rows with a truncated cell

    def read(
        self, first: TextRow | None, rows: Iterator[TextRow]
    ) -> Iterator[StatementHead | Entry | UnreadableEntry | StatementEnd]:
        for row in [first] if first else []:
            yield from self._take(row)
        for row in rows if self._profile.header else self._without_balances(rows):
            if self._breaks_off(row):
                raise FileRefused(Message("file-line", line=str(row.line), what=Message("table-ends")))
            if row.cut:
                self._cut.append(row.line)
            yield from self._take(row)
        yield from self._end()

    def _without_balances(self, rows: Iterator[TextRow]) -> Iterator[TextRow]:
        """The rows of a table without header; the first and the last are marked if they look unlike all others."""
        sample = list(islice(rows, SAMPLE))
        shapes = RowShapes(sample)
        held: TextRow | None = None
        for row in chain(sample, rows):
            if held is not None:
                self._mark(held, shapes, at_edge=held is sample[0])
                yield held
            held = row
        if held is not None:
            self._mark(held, shapes, at_edge=True)
            yield held

    def _mark(self, row: TextRow, shapes: RowShapes, *, at_edge: bool) -> None:
        self._foreign = row.line if at_edge and shapes.is_foreign(row) else self._foreign

    def _is_too_long(self, row: TextRow) -> bool:
        """Whether the row has more in it than the header has columns: a delimiter within a text, or a decimal comma
        that divides cells as well, has shifted the cells after it."""
        return bool(self._width) and any(cell.strip() for cell in row.cells[self._width :])

    def _breaks_off(self, row: TextRow) -> bool:
        """Whether the file ends in the middle of an entry: in fewer cells than the header and any entry before has."""
        if row.ended:
            if self._reader.begins_entry(row):
                self._narrowest = min(self._narrowest or len(row.cells), len(row.cells))
            return False
        usual = min(self._narrowest or self._width, self._width or self._narrowest)
        return len(row.cells) < usual and self._reader.begins_entry(row)

    def _take(self, row: TextRow) -> Iterator[StatementHead | Entry | UnreadableEntry]:
        try:
            entry, account, balance = self._reader.entry(row)
        except NoEntry:
            # No date: a remark or total if nothing follows, else a damaged row that a person must see.
            self._doubtful.append(row)
            if len(self._doubtful) > _MAX_DOUBTFUL:
                raise FileRefused(
                    Message("file-line", line=str(row.line), what=Message("table-dateless", count=_MAX_DOUBTFUL))
                ) from None
            return
        except SectionBegins:
            return
        except RowLeftOut:
            self._check_account(row)
            return
        except RowUnreadable as error:
            yield from self._settle_doubtful()
            yield from self._add_unreadable(row, str(error))
            return
        yield from self._settle_doubtful()
        if row.line == self._foreign:
            yield from self._add_unreadable(row, "the row looks unlike all others; it may be a balance")
            return
        if self._is_too_long(row):
            yield from self._add_unreadable(row, f"the row has more cells than the header, which has {self._width}")
            return
        statement, new = self._statement(account, entry.currency)
        if new:
            yield self._head(statement)
        statement.balance.add(entry, balance)
        yield from self._give(statement, replace(entry, position=statement.position))

    def _check_account(self, row: TextRow) -> None:
        """FileRefused if the header appears here again, and the lines above it name another account."""
        if not self._statements or row.cells != self._reader.names:
            return
        named = {account for above in self._doubtful for cell in above.cells if (account := iban_in(cell))}
        known = {account for account, _ in self._statements}
        if named - known:
            raise FileRefused(Message("file-line", line=str(row.line), what=Message("table-other-account")))

    def _check_header(self, row: TextRow) -> None:
        """FileRefused if the row is a header with other columns: the rows below would be read by the wrong one."""
        named = [what for cell in row.cells if (what := field_of(cell))]
        if len(named) >= _LEAST_HEADER and len(named) * 2 > len([cell for cell in row.cells if cell.strip()]):
            raise FileRefused(Message("file-line", line=str(row.line), what=Message("table-other-columns")))

    def _settle_doubtful(self) -> Iterator[StatementHead | Entry | UnreadableEntry]:
        doubtful, self._doubtful = self._doubtful, []
        for row in doubtful if self._statements else ():
            self._check_header(row)
        for row in doubtful:
            if not (self._profile.header or self._statements or self._reader.is_damaged(row)):
                continue  # lines above the entries of a file without header
            if not self._reader.is_detail(row):
                yield from self._add_unreadable(row, Message("row-no-date"))

    def _add_unreadable(self, row: TextRow, reason: str) -> Iterator[StatementHead | Entry | UnreadableEntry]:
        account, currency = self._reader.account_and_currency(row)
        known = next(iter(self._statements), (account, currency))
        statement, new = self._statement(
            *(known if (account, currency) not in self._statements else (account, currency))
        )
        if new:
            yield self._head(statement)
        statement.balance.break_chain()
        raw = self._profile.delimiter.join(row.cells)[:_RAW]
        yield from self._give(
            statement,
            UnreadableEntry(statement.position, row.line, Message("file-line", line=str(row.line), what=reason), raw),
        )

    def _statement(self, account: str, currency: str) -> tuple[_Statement, bool]:
        """The statement of the account, and whether its head is to be given now (only that of the first)."""
        key = (account, currency)
        if key not in self._statements:
            self._statements[key] = _Statement(account, currency)
            return self._statements[key], len(self._statements) == 1
        return self._statements[key], False

    def _give(self, statement: _Statement, event: Entry | UnreadableEntry) -> Iterator[Entry | UnreadableEntry]:
        statement.position += 1
        if statement is next(iter(self._statements.values())):
            yield event
        else:
            statement.events.append(event)

    def _head(self, statement: _Statement) -> StatementHead:
        guesses, self._guesses = self._guesses, ()
        named = self._profile.currency or self._profile.columns_of(CsvField.CURRENCY)
        return StatementHead(
            format="CSV",
            version=self._profile.name,
            account=statement.account,
            currency=statement.currency if named or statement.currency != self._reader.default_currency else "",
            guesses=guesses,
            unknown_layout=self._unknown,
        )

    def _settle_last(self) -> Iterator[StatementHead | Entry | UnreadableEntry]:
        """After the last entry, rows without date are totals and remarks, but for those whose date is damaged."""
        doubtful, self._doubtful = self._doubtful, []
        for row in doubtful:
            if self._reader.is_damaged(row):
                yield from self._add_unreadable(row, Message("row-no-date"))
            elif not self._statements and self._reader.has_entry_elsewhere(row):
                raise FileRefused(Message("file-line", line=str(row.line), what=Message("table-no-dates")))

    def _end(self) -> Iterator[StatementHead | Entry | UnreadableEntry | StatementEnd]:
        yield from self._settle_last()
        if not self._statements:
            account, currency = self._profile.account, self._profile.currency or self._reader.default_currency
            statement, _ = self._statement(account, currency)
            yield self._head(statement)
        for number, statement in enumerate(self._statements.values()):
            if statement.balance.contradicts:
                raise FileRefused(Message("table-balances-turn"))
            if number:
                yield self._head(statement)
                yield from statement.events
            balances = statement.balance.balances(statement.currency)
            yield StatementEnd(balances=balances, guesses=() if number else self._notes())

    def _notes(self) -> tuple[Message, ...]:
        if not self._cut:
            return ()
        most, line = f"{MAX_CELL:,}", str(self._cut[0])
        if len(self._cut) == 1:
            return (Message("table-cut-one", most=most, line=line),)
        return (Message("table-cut-many", most=most, count=len(self._cut), line=line),)
