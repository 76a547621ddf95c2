"""Orders from a file: preview, import of all or none by the API's rules, and undo of orders without payments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Any, BinaryIO, Final, TypeVar

import msgspec

from paymatch.confined import ProcessBudget, Tell
from paymatch.confined.tables import look_at_table
from paymatch.domain.orders.submission import OrderRefused, SubmittedOrder
from paymatch.domain.refusal import Unknown
from paymatch.domain.shops.audit import AuditAction
from paymatch.domain.shops.shop import SettingRefused, Shop
from paymatch.domain.words.message import Message, as_text, to_json
from paymatch.formats.contract import bodies
from paymatch.formats.contract.orders import ORDER_TYPES
from paymatch.formats.order_files.columns import FIELDS, propose_columns
from paymatch.formats.order_files.documents import OrderRows, UsualValues
from paymatch.formats.order_files.table import MAX_BYTES, OrderTable, read_order_table, refuse_large
from paymatch.formats.statement import FileRefused
from paymatch.store.database import Database
from paymatch.store.ids import Ids, new_id
from paymatch.store.orders import order_imports as store
from paymatch.store.orders import order_notes
from paymatch.store.orders.order_imports import OrderImportRow
from paymatch.store.orders.orders import customer_of
from paymatch.store.transactions import ShopTx
from paymatch.usecases.audit import record
from paymatch.usecases.orders import orders

BUDGET: Final = ProcessBudget(memory_bytes=512 * 1024**2, cpu_seconds=20, wall_seconds=60)
_BATCH: Final = 500
_LISTED: Final = 100
_WITH_FURTHER: Final = 100
"""Refused rows of which every fault is looked for; the page shows as many."""
_ENCODE: Final = msgspec.json.Encoder(enc_hook=as_text).encode
_DECODE: Final = msgspec.json.Decoder(float_hook=str).decode


class OrderImportUnknown(Unknown):
    """The shop has no order import with this id."""

    def __init__(self, import_id: str) -> None:
        super().__init__(Message("order-import-unknown", import_id=repr(import_id)))


@dataclass(frozen=True, slots=True)
class ImportWish:
    """How to read a file: headings -> fields changed by a person ("" removes one), a default type and day of order.

    Without the day new orders are of today, and payments booked before are not theirs.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    kind: str = "INVOICE"
    leave_out: bool = False  # rows that are refused, instead of refusing all
    ordered: date | None = None
    remember: bool = True  # what is changed, for tables with these headings


@dataclass(frozen=True, slots=True)
class ImportedRow:
    """A row and its effect: `new`, `changed`, `same` or `refused`."""

    row: int
    number: str
    customer: str
    outcome: str
    submitted: SubmittedOrder | None = None
    refusal: OrderRefused | None = None
    further: tuple[OrderRefused, ...] = ()  # faults of other fields, of the first refused rows

    @property
    def refusals(self) -> tuple[OrderRefused, ...]:
        """All known faults of the row, the one that the API would name first."""
        return () if self.refusal is None else (self.refusal, *self.further)


@dataclass(frozen=True, slots=True)
class OrderImport:
    """The effect of a file: done if it has an `id`."""

    table: OrderTable
    columns: Mapping[str, str]
    remembered: bool
    rows: tuple[ImportedRow, ...]
    id: str = ""

    def count(self, outcome: str) -> int:
        """How many rows do this."""
        return sum(row.outcome == outcome for row in self.rows)

    def as_dict(self) -> dict[str, Any]:
        """As programs get it."""
        return {
            "id": self.id, "rows": len(self.rows),
            **{outcome: self.count(outcome) for outcome in ("new", "changed", "same")},
            "refused": [
                {"row": row.row, "order": row.number, "error": str(row.refusal)} | row.refusal.additions
                | ({"further": [str(each) for each in row.further]} if row.further else {})
                for row in self.rows if row.refusal is not None
            ],
            "columns": dict(self.columns), "remembered": self.remembered,
        }  # fmt: skip


def _silent(_what: str, _count: int) -> None:
    """Progress that is not shown."""


def read_confined(files: list[BinaryIO], _tell: Tell) -> dict[str, Any]:
    """The table of a file as JSON values; runs in its own process."""
    try:
        table = read_order_table(files[0].read(MAX_BYTES + 1))
    except FileRefused as refusal:
        return {"refused": to_json(refusal.message)}
    return {"headings": table.headings, "rows": table.rows}


def read_table(stream: BinaryIO) -> OrderTable:
    """The table of a foreign file; FileRefused, at once if it has more than MAX_BYTES."""
    refuse_large(stream)
    found = look_at_table(read_confined, stream, BUDGET)
    return OrderTable(tuple(found["headings"]), tuple((row, tuple(cells)) for row, cells in found["rows"]))


def preview(
    database: Database, shop: Shop, table: OrderTable, wish: ImportWish, clock: datetime, progress: Tell = _silent
) -> OrderImport:
    """A preview of importing the table; nothing is stored. SettingRefused for an unknown column, field or type.

    `progress` gets the present step and how many rows have gone through it.
    """
    with database.of_shop(shop, at=clock) as tx:
        return _examine(tx, table, wish, progress)


def import_orders(
    database: Database,
    shop: Shop,
    table: OrderTable,
    wish: ImportWish,
    name: str,
    clock: datetime,
    progress: Tell = _silent,
) -> OrderImport:
    """Imports the orders of the table, all or none; a refused row prevents it unless refused rows are left out.

    The mapping is kept for this layout. SettingRefused and `progress` as in `preview`.
    """
    with database.of_shop(shop, at=clock) as tx:
        found = _examine(tx, table, wish, progress)
        if wish.columns and wish.remember:
            store.keep_layout(tx, table.layout, found.columns, shop.now(clock))
        if found.count("refused") and not wish.leave_out:
            return found
        taken = [row for row in found.rows if row.outcome in ("new", "changed")]
        if not taken:
            return found
        for place, part in enumerate(_parts(taken)):
            progress("importing", place * _BATCH)
            orders.submit(tx, [row.submitted for row in part if row.submitted is not None],
                          [row.row for row in part])  # fmt: skip
        row = OrderImportRow(
            Ids(shop.now(clock)).new("oi"), shop.now(clock), found.count("new"), found.count("changed"), None
        )
        made = [each.number for each in taken if each.outcome == "new"]
        order_notes.set_made_here(tx, made)
        store.add(tx, row, store.untouched_orders(tx, made))
        after = {"file": name[:200], "orders": row.new_orders + row.changed_orders}
        record(tx, shop, AuditAction.ORDERS_IMPORTED, row.id, after=after)
    return OrderImport(found.table, found.columns, found.remembered, found.rows, row.id)


def _examine(tx: ShopTx, table: OrderTable, wish: ImportWish, progress: Tell) -> OrderImport:
    kept = store.layout(tx, table.layout)
    columns = _changed_columns(propose_columns(table.headings) if kept is None else kept, table, wish)
    usual = UsualValues(wish.ordered or tx.today, wish.kind, tx.shop.currency, tx.shop.country, tx.shop.language)
    reading = OrderRows(table, columns, usual)
    rows: list[ImportedRow] = []
    seen: dict[str, int] = {}
    for part in _parts(reading.rows):
        progress("checking", len(rows))
        rows += _judge(tx, [_read_row(reading, *each, seen) for each in _with_stored(tx, reading, part)])
    return OrderImport(table, columns, kept is not None, tuple(_with_further(tx, reading, rows, seen)))


def _with_further(
    tx: ShopTx, reading: OrderRows, rows: Sequence[ImportedRow], seen: dict[str, int]
) -> Iterator[ImportedRow]:
    """The rows, with every fault of the first refused ones: a person mends all fields of a row at once."""
    cells, left = dict(reading.rows), _WITH_FURTHER
    for row in rows:
        if row.refusal is not None and left:
            left -= 1
            yield replace(row, further=_further_refusals(tx, reading, row.row, cells[row.row], row.refusal, seen))
        else:
            yield row


def _further_refusals(
    tx: ShopTx,
    reading: OrderRows,
    row: int,
    cells: tuple[str, ...],
    first: OrderRefused,
    seen: dict[str, int],
) -> tuple[OrderRefused, ...]:
    """The faults besides the first one, one of each field: each refused cell gets a value that is accepted."""
    found, free = {first.parameter: first}, new_id("free", tx.now)
    tried = reading.accepted(cells, first.parameter, free)
    while tried is not None:
        ((_row, _cells, stored),) = _with_stored(tx, reading, [(row, tried)])
        (judged,) = _judge(tx, [_read_row(reading, row, tried, stored, seen)])
        if judged.refusal is None or judged.refusal.parameter in found:
            break
        found[judged.refusal.parameter] = judged.refusal
        tried = reading.accepted(tried, judged.refusal.parameter, free)
    return tuple(found.values())[1:]


def _changed_columns(columns: Mapping[str, str], table: OrderTable, wish: ImportWish) -> dict[str, str]:
    if wish.kind not in ORDER_TYPES:
        raise SettingRefused(
            Message("setting-unknown-order-type", kind=repr(wish.kind), types=", ".join(sorted(ORDER_TYPES)))
        )
    found = dict(columns)
    for heading, wanted in wish.columns.items():
        if heading not in table.headings:
            raise SettingRefused(
                Message("setting-file-no-column-columns", heading=repr(heading), headings=", ".join(table.headings))
            )
        if wanted and wanted not in FIELDS:
            raise SettingRefused(Message("setting-no-field-fields", wanted=repr(wanted), fields=", ".join(FIELDS)))
        found = {each: value for each, value in found.items() if value != wanted and each != heading}
        if wanted:
            found[heading] = wanted
    return found


_Row = tuple[int, tuple[str, ...]]
_Each = TypeVar("_Each")


def _parts(rows: Sequence[_Each]) -> Iterator[Sequence[_Each]]:
    """The rows in parts of _BATCH."""
    return (rows[start : start + _BATCH] for start in range(0, len(rows), _BATCH))


def _with_stored(
    tx: ShopTx, reading: OrderRows, rows: Sequence[_Row]
) -> list[tuple[int, tuple[str, ...], bytes | None]]:
    """The rows with each order's stored document."""
    documents = order_notes.documents(tx, [reading.number(cells) for _, cells in rows])
    return [(row, cells, documents.get(reading.number(cells))) for row, cells in rows]


def _read_row(
    reading: OrderRows, row: int, cells: tuple[str, ...], stored: bytes | None, seen: dict[str, int]
) -> ImportedRow:
    """The row as an order of the API, or why it is refused."""
    number, customer = reading.number(cells), reading.customer(cells)
    known, known_as = (None, "") if stored is None else (_DECODE(stored), customer_of(stored))
    try:
        document = reading.document(cells, known, known_as)
        submitted = bodies.read_order(_ENCODE(document))
        number = submitted.submission.number
        if seen.get(number, row) != row:
            raise OrderRefused(Message("order-could-not-update-order", number=number), parameter="number")
    except OrderRefused as refusal:
        return ImportedRow(row, number, customer, "refused", refusal=refusal)
    seen[number] = row
    return ImportedRow(row, number, customer, "same", submitted)


def _judge(tx: ShopTx, rows: Sequence[ImportedRow]) -> list[ImportedRow]:
    """The rows with their effects; the rules about stored orders may refuse one."""
    read = [row for row in rows if row.submitted is not None]
    judged = orders.examine(tx, [row.submitted for row in read if row.submitted is not None])
    outcomes = dict(zip((row.row for row in read), judged, strict=True))
    return [
        row if row.submitted is None
        else ImportedRow(row.row, row.number, row.customer, *_outcome(row, outcomes[row.row]))
        for row in rows
    ]  # fmt: skip


def _outcome(row: ImportedRow, judged: str | OrderRefused) -> tuple[str, SubmittedOrder | None, OrderRefused | None]:
    return (judged, row.submitted, None) if isinstance(judged, str) else ("refused", None, judged)


def list_imports(tx: ShopTx) -> list[dict[str, Any]]:
    """The last imports, latest first."""
    return [
        {"id": row.id, "at": row.at, "new": row.new_orders, "changed": row.changed_orders,
         "undone": row.undone_at is not None}
        for row in store.latest(tx, _LISTED)
    ]  # fmt: skip


def undo(tx: ShopTx, import_id: str) -> dict[str, Any]:
    """Removes the orders that an import created; those paid, marked or changed since stay.

    OrderImportUnknown; SettingRefused if it was already undone.
    """
    row = store.find(tx, import_id)
    if row is None:
        raise OrderImportUnknown(import_id)
    if row.undone_at is not None:
        raise SettingRefused(Message("setting-import-was-already-undone", import_id=import_id))
    made = store.orders_made(tx, import_id)
    now = store.untouched_orders(tx, list(made))
    removed = [number for number, digest in made.items() if now.get(number) == digest]
    for number in removed:
        orders.remove(tx, number)
    store.set_undone(tx, import_id, tx.now)
    left = [number for number in made if number not in set(removed)]
    record(tx, tx.shop, AuditAction.ORDERS_IMPORT_UNDONE, import_id, after={"orders": len(removed)})
    return {"id": import_id, "removed": len(removed), "left": left, "changedBefore": row.changed_orders}
