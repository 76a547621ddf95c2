"""Reads the files of a replay, each in its own process, and splits them into the days of their content."""

from __future__ import annotations

import io
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any, BinaryIO, Final
from uuid import UUID

from paymatch import confined
from paymatch.confined import Crashed, Overrun, ProcessBudget, Tell, WorkFailed
from paymatch.confined.tables import look_at_table
from paymatch.domain.shops.shop import Shop
from paymatch.domain.words.message import Message, message_of, to_json
from paymatch.formats.order_files.documents import UsualValues
from paymatch.formats.order_files.table import read_order_table
from paymatch.formats.read import events_of, plain_files
from paymatch.formats.replays.day_parts import (
    DayPart,
    RefusedOrders,
    decision_parts,
    order_parts,
    read_parts,
    settlement_part,
    statement_parts,
    write_parts,
)
from paymatch.formats.replays.decision_table import read_decisions
from paymatch.formats.replays.known_numbers import KnownNumbers
from paymatch.formats.replays.order_documents import MOST_BYTES, MOST_ROWS, may_be_too_large, read_orders
from paymatch.formats.settlements.reader import open_settlement
from paymatch.formats.statement import FileRefused
from paymatch.store.database import Database
from paymatch.store.replays import replays as store
from paymatch.store.replays.replays import PartKind, ReplayPart
from paymatch.store.sealing import Keyring
from paymatch.store.transactions import ShopId, ShopTx
from paymatch.usecases.payouts.provider_accounts import SettlementAccounts
from paymatch.usecases.statements.accounts import ImportAccounts

BUDGET: Final = ProcessBudget(memory_bytes=2 * 1024**3, cpu_seconds=600, wall_seconds=1800)

_PAID_WITHIN: Final = timedelta(days=8)
"""Orders placed so long before the first statement arrived may have been paid before it."""
Progress = Callable[[str, int], None]
_INTO: Final = {
    PartKind.ORDERS_FILE: PartKind.ORDERS,
    PartKind.STATEMENT_FILE: PartKind.STATEMENT,
    PartKind.DECISIONS_FILE: PartKind.DECISIONS,
}


@dataclass(slots=True)
class ReadFiles:
    """The contents of a replay's files."""

    orders: int = 0
    entries: int = 0
    decisions: int = 0
    refused: int = 0
    first_refused: list[dict[str, Any]] = field(default_factory=list)
    days: set[date] = field(default_factory=set)


def read_files(tx: ShopTx, database: Database, tell: Progress) -> ReadFiles:
    """Reads the files of the transaction's shop, a replay's, and keeps their content by day; FileRefused names one."""
    store.drop_all_parts(tx)
    found, places, numbers = ReadFiles(), dict.fromkeys(_INTO.values(), 0), KnownNumbers()
    for kind, into in _INTO.items():
        for file in store.parts(tx, store.WHOLE, [kind]):
            tell(f"reading {file.name}", 0)
            try:
                with tempfile.TemporaryFile() as written:
                    said = _run(kind, file, written, database, tx.shop)
                    written.seek(0)
                    for read in read_parts(written):
                        places[into] += 1
                        if into is PartKind.ORDERS:
                            numbers.learn(read)
                        part = numbers.resolved(read) if into is PartKind.DECISIONS else read
                        store.add_part(tx, part.day, ReplayPart(into, places[into], file.name, part.rows, part.content))
                        tx.send()
                        if into is PartKind.STATEMENT:
                            found.days.add(part.day)
            except FileRefused as refusal:
                raise FileRefused(Message("file-named", name=file.name, what=refusal.message)) from None
            _count(found, kind, said)
    if not found.days:
        raise FileRefused(Message("file-no-statement"))
    _begin_with_statements(tx, found.days)
    earlier = numbers.count_before(min(found.days) - _PAID_WITHIN)
    found.orders = numbers.count_before(max(found.days) + timedelta(days=1))
    later = len(numbers) - found.orders
    for count, name in ((earlier, "replay-orders-earlier"), (later, "replay-orders-later")):
        if count:
            found.first_refused.insert(0, {"place": 0, "why": to_json(Message(name, count=count))})
    return found


def refuse_large_orders(name: str, content: bytes) -> None:
    """FileRefused, naming the file and the limit, if it has more orders than a replay takes: before it is stored."""
    try:
        if may_be_too_large(content):
            look_at_table(count_orders, io.BytesIO(content), BUDGET)
    except FileRefused as refusal:
        raise FileRefused(Message("file-named", name=name, what=refusal.message)) from None


def count_orders(files: list[BinaryIO], _tell: Tell) -> dict[str, Any]:
    """How many rows the table has, or why it is refused; runs in its own process."""
    try:
        return {"rows": len(read_order_table(files[0].read(), MOST_BYTES, MOST_ROWS).rows)}
    except FileRefused as refusal:
        return {"refused": to_json(refusal.message)}


def _count(found: ReadFiles, kind: PartKind, said: Mapping[str, Any]) -> None:
    match kind:
        case PartKind.ORDERS_FILE:
            found.refused += said["refused"]
            found.first_refused += said["first"]
        case PartKind.STATEMENT_FILE:
            found.entries += said["rows"]
        case _:
            found.decisions += said["rows"]


def _begin_with_statements(tx: ShopTx, days: set[date]) -> None:
    """Orders from before the first statement are there from the start; nothing after the last one is played."""
    store.move_parts(tx, PartKind.ORDERS, until=min(days))
    store.drop_parts_after(tx, max(days))


def _run(kind: PartKind, file: ReplayPart, written: BinaryIO, database: Database, shop: Shop) -> Mapping[str, Any]:
    with tempfile.TemporaryFile() as content:
        content.write(file.content)
        content.flush()
        content.seek(0)
        try:
            said: dict[str, Any] = confined.run(
                cut_into_days, BUDGET, [content, written], url=database.url, secrets=list(database.keyring.secrets),
                shop=str(shop.id), kind=str(kind), name=file.name,
            )  # fmt: skip
        except (Overrun, Crashed) as error:
            raise FileRefused(Message("table-not-read", what=error.message)) from None
        except WorkFailed:
            raise FileRefused(Message("file-unreadable")) from None
    if "refusal" in said:
        raise FileRefused(message_of(said["refusal"]))
    return said


def cut_into_days(
    files: list[BinaryIO], _tell: Tell, *, url: str, secrets: list[str], shop: str, kind: str, name: str
) -> dict[str, Any]:
    """Writes the parts of the first file to the second; runs in its own process."""
    source, target = files
    database = Database(url, size=1, keyring=Keyring(secrets))
    refused = RefusedOrders()
    try:
        with os.fdopen(os.dup(target.fileno()), "wb") as into, database.of_shop(ShopId(UUID(shop))) as tx:
            rows = _cut(tx, PartKind(kind), source, name, into, refused)
    except FileRefused as refusal:
        return {"refusal": to_json(refusal.message)}
    finally:
        database.close()
    return {"rows": rows, "refused": refused.count, "first": refused.first}


def _cut(tx: ShopTx, kind: PartKind, source: BinaryIO, name: str, into: BinaryIO, refused: RefusedOrders) -> int:
    shop = tx.shop
    match kind:
        case PartKind.ORDERS_FILE:
            usual = UsualValues(shop.today(tx.clock()), "INVOICE", shop.currency, shop.country, shop.language)
            return write_parts(order_parts(read_orders(source.read(), usual), refused), into)
        case PartKind.DECISIONS_FILE:
            return write_parts(decision_parts(read_decisions(source.read(), shop.currency)), into)
        case _:
            return write_parts(_bank_parts(tx, source.read(), name), into)


def _bank_parts(tx: ShopTx, content: bytes, name: str) -> Iterator[DayPart]:
    """The statements of a file day by day, and settlement files of payment services as they are."""
    accounts = ImportAccounts(tx, tx.shop, tx.now, "", locked=False)
    mapped = SettlementAccounts(tx, tx.shop, tx.now, "", locked=False).layouts()
    for file in plain_files(io.BytesIO(content), name):
        settlement = open_settlement(file.stream, mapped, default_currency=tx.shop.currency)
        if settlement is None:
            events = events_of(file, accounts.profile_for, default_currency=accounts.default_currency)
            yield from statement_parts(events)
        else:
            file.stream.seek(0)
            whole = file.stream.read()
            file.stream.seek(0)
            yield settlement_part(settlement, whole)
