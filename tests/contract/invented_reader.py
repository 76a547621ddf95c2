"""The reader of an invented bank format; a test puts it into a copy of the package."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import BinaryIO

from paymatch.formats.statement import Detail, Entry, EntryStatus, Party, StatementEnd, StatementEvent, StatementHead


def is_invented(text: str) -> bool:
    """Whether the file begins as files of the format do."""
    return text.startswith("INVENTED ")


def read_invented(stream: BinaryIO) -> Iterator[StatementEvent]:
    """The statement of a file: a line with account and currency, then a line per entry."""
    begin, *lines = stream.read().decode("ascii").splitlines()
    _, account, currency = begin.split(" ")
    yield StatementHead("invented", "1", account, currency)
    for position, line in enumerate(lines):
        day, minor, name, text = line.split(";")
        booked = date.fromisoformat(day)
        detail = Detail(int(minor), currency, debtor=Party(name), remittance_lines=(text,))
        yield Entry(int(minor), currency, EntryStatus.BOOKED, booked, booked, position, position + 2, details=(detail,))
    yield StatementEnd()
