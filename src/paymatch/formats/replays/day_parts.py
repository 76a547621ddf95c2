"""The input of a replay by day, as the process that reads foreign files hands it to the one that keeps it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, timedelta
from typing import BinaryIO, Final

import msgspec

from paymatch.domain.orders.submission import OrderRefused
from paymatch.domain.payouts.movements import Movement
from paymatch.domain.replays.old_decisions import OldDecision
from paymatch.domain.words.message import Message, to_json
from paymatch.formats.replays.day_statements import DayStatement, day_statements, encode_statement
from paymatch.formats.replays.order_documents import ReadOrder
from paymatch.formats.settlements.reader import SettlementReading
from paymatch.formats.statement import FileRefused, StatementEvent

ORDERS_AT_ONCE: Final = 500
UNDATED: Final = date(1, 1, 2)
"""The day of decisions that name none."""
_LENGTH_BYTES: Final = 4
_SETTLEMENT: Final = b"settlement\n"
"""Before a settlement file's own bytes; no statement begins so, as it is a list or a map in MessagePack."""
_REFUSED_SHOWN: Final = 20


class DayPart(msgspec.Struct):
    """What comes on a day: orders as a JSON list, a statement, or decisions; `rows` are its orders or entries."""

    day: date
    rows: int
    content: bytes


_ENCODE: Final = msgspec.msgpack.Encoder().encode
_DECODE: Final = msgspec.msgpack.Decoder(DayPart).decode
_DECISIONS: Final = msgspec.msgpack.Decoder(list[OldDecision]).decode


def write_parts(parts: Iterable[DayPart], into: BinaryIO) -> int:
    """Appends the parts to a file of `read_parts`; how many rows they have."""
    rows = 0
    for part in parts:
        content = _ENCODE(part)
        into.write(len(content).to_bytes(_LENGTH_BYTES) + content)
        rows += part.rows
    into.flush()
    return rows


def read_parts(stream: BinaryIO) -> Iterator[DayPart]:
    """The parts of a file that `write_parts` wrote."""
    while length := stream.read(_LENGTH_BYTES):
        yield _DECODE(stream.read(int.from_bytes(length)))


def statement_parts(events: Iterator[StatementEvent]) -> Iterator[DayPart]:
    """The statements of a file by the morning on which each comes: the one after its last booking."""
    for statement in day_statements(events):
        if (day := statement.day) is not None:
            yield DayPart(day + timedelta(days=1), len(statement.entries), encode_statement(statement))


def settlement_part(reading: SettlementReading, content: bytes) -> DayPart:
    """A settlement file as a whole; it comes on the morning after its last day. FileRefused if it names none."""
    last, rows = date.min, 0
    for event in reading.events():
        rows += 1
        days = [event.payout_date, event.at.date() if event.at else None] if isinstance(event, Movement) else []
        last = max([last, *(day for day in days if day is not None)])
    if last == date.min:
        raise FileRefused(Message("file-no-statement"))
    return DayPart(last + timedelta(days=1), rows, _SETTLEMENT + content)


def settlement_of(content: bytes) -> bytes | None:
    """The settlement file of a part; None if the part is a statement."""
    return content.removeprefix(_SETTLEMENT) if content.startswith(_SETTLEMENT) else None


def order_parts(orders: Iterable[ReadOrder], refused: Callable[[int, OrderRefused], None]) -> Iterator[DayPart]:
    """The orders by their day; those that the API would refuse are passed to `refused` and left out."""
    by_day: dict[date, list[bytes]] = defaultdict(list)
    for place, document, read in orders:
        if isinstance(read, OrderRefused):
            refused(place, read)
        else:
            by_day[read.submission.order_date].append(document)
    for day, documents in sorted(by_day.items()):
        for start in range(0, len(documents), ORDERS_AT_ONCE):
            some = documents[start : start + ORDERS_AT_ONCE]
            yield DayPart(day, len(some), b"[" + b",".join(some) + b"]")


def decision_parts(decisions: Iterable[OldDecision]) -> Iterator[DayPart]:
    """The decisions by the day that they name, or on `UNDATED`."""
    by_day: dict[date, list[OldDecision]] = defaultdict(list)
    for each in decisions:
        by_day[each.booking_date or UNDATED].append(each)
    for day, of_day in sorted(by_day.items()):
        yield DayPart(day, len(of_day), encode_decisions(of_day))


def encode_decisions(decisions: Sequence[OldDecision]) -> bytes:
    """The decisions as the content of a part."""
    return _ENCODE(decisions)


def decisions_of(content: bytes) -> list[OldDecision]:
    """The decisions of a part."""
    return _DECISIONS(content)


class RefusedOrders:
    """Counts the orders that are refused, and keeps the reasons of the first ones."""

    def __init__(self) -> None:
        self.count = 0
        self.first: list[dict[str, object]] = []

    def __call__(self, place: int, refusal: OrderRefused) -> None:
        self.count += 1
        if len(self.first) < _REFUSED_SHOWN:
            self.first.append({"place": place, "why": to_json(refusal.message)})


__all__ = [
    "UNDATED", "DayPart", "DayStatement", "RefusedOrders", "decision_parts", "decisions_of", "encode_decisions",
    "order_parts", "read_parts", "settlement_of", "settlement_part", "statement_parts", "write_parts",
]  # fmt: skip
