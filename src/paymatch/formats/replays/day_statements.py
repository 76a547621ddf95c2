"""Statements of a bank file cut into days, as the bank would have delivered them morning by morning."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Final

import msgspec
from msgspec.structs import replace

from paymatch.domain.words.message import message_hook, to_json
from paymatch.formats.statement import (
    Balance,
    Entry,
    FileRefused,
    StatementEnd,
    StatementEvent,
    StatementHead,
    UnreadableEntry,
)
from paymatch.formats.tables.detect import is_a_list

_OPENING: Final = ("OPBD", "PRCD")


class DayStatement(msgspec.Struct):
    """One statement's data on one day."""

    head: StatementHead
    entries: list[Entry]
    unreadable: list[UnreadableEntry]
    end: StatementEnd

    @property
    def day(self) -> date | None:
        """The day after which the bank delivers it: that of its last booking, else its last; None if it names none."""
        return max((day for each in self.entries if (day := _day_of(each))), default=self.head.to_date)

    def events(self) -> Iterator[StatementEvent]:
        """The statement as a reader yields it."""
        yield self.head
        yield from self.entries
        yield from self.unreadable
        yield self.end


_ENCODE: Final = msgspec.msgpack.Encoder(enc_hook=to_json).encode
_DECODE: Final = msgspec.msgpack.Decoder(DayStatement, dec_hook=message_hook).decode


def encode_statement(statement: DayStatement) -> bytes:
    """The statement as bytes."""
    return _ENCODE(statement)


def decode_statement(content: bytes) -> DayStatement:
    """The statement of `encode_statement`."""
    return _DECODE(content)


def day_statements(events: Iterator[StatementEvent]) -> Iterator[DayStatement]:
    """The statements of a bank file, those of several days cut into one for each day with bookings.

    FileRefused for a table that is a list of something else. A person has said that an unknown table is a statement.
    """
    head, entries, unreadable = None, list[Entry](), list[UnreadableEntry]()
    for event in events:
        if isinstance(event, StatementHead):
            if event.unknown_layout is not None and event.unknown_layout.list_headings:
                raise FileRefused(is_a_list(event.unknown_layout.list_headings))
            head, entries, unreadable = replace(event, unknown_layout=None), [], []
        elif isinstance(event, Entry):
            entries.append(event)
        elif isinstance(event, UnreadableEntry):
            unreadable.append(event)
        else:
            assert head is not None, "a reader begins each statement with its head"
            yield from _cut(DayStatement(head, entries, unreadable, event))


def _day_of(entry: Entry) -> date | None:
    return entry.booking_date or entry.value_date


def _cut(whole: DayStatement) -> Iterator[DayStatement]:
    """The statement day by day. Its balances are carried from day to day where they lead from the first to the last.

    Days after the last booking come as one more statement, without entries: bookings do not wait for them.
    """
    days = sorted({day for each in whole.entries if (day := _day_of(each))})
    ends = whole.head.to_date
    if not days or (len(days) == 1 and ends in (None, days[0])):
        yield whole
        return
    by_day: dict[date, list[Entry]] = {}
    for entry in whole.entries:  # an entry without a day comes with the last ones
        by_day.setdefault(_day_of(entry) or days[-1], []).append(entry)
    if ends is not None and ends > days[-1]:
        by_day[ends] = []
    balances = _Balances(whole)
    begins = whole.head.from_date or days[0]
    for day, entries in sorted(by_day.items()):
        head = replace(
            whole.head, from_date=min(begins, day), to_date=day, statement_id="", electronic_sequence="",
            legal_sequence="", page=None, last_page=None,
        )  # fmt: skip
        end = StatementEnd(balances.of_day(begins, day, entries))
        yield DayStatement(head, entries, whole.unreadable if day == days[-1] else [], end)
        begins = date.fromordinal(day.toordinal() + 1)


class _Balances:
    """The balance of a statement from day to day; none where opening, bookings and closing do not add up."""

    def __init__(self, whole: DayStatement) -> None:
        opening = next((each for code in _OPENING for each in whole.end.balances if each.code == code), None)
        closing = next((each for each in whole.end.balances if each.code == "CLBD"), None)
        booked = sum(entry.amount_minor for entry in whole.entries)
        leads = opening is not None and closing is not None and opening.amount_minor + booked == closing.amount_minor
        self._opening = opening if leads else None
        self._minor = opening.amount_minor if opening is not None else 0

    def of_day(self, begins: date, until: date, entries: list[Entry]) -> tuple[Balance, ...]:
        if self._opening is None:
            return ()
        before = self._minor
        self._minor += sum(entry.amount_minor for entry in entries)
        currency = self._opening.currency
        return (Balance("OPBD", before, currency, begins), Balance("CLBD", self._minor, currency, until))
